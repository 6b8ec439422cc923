"""Values and data frames that cross to R and back."""

import datetime
import importlib
import os
import re
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest

from pwcstats import InputError

try:
    from pwcstats.r import frame_from_r, frame_to_r

    rinterface = importlib.import_module("rpy2.rinterface")
    convert = importlib.import_module("pwcstats.r._convert")
    session = importlib.import_module("pwcstats.r._session")
except ImportError:
    # Without rpy2 these tests are skipped, unless they are required.
    if os.environ.get("PWC_REQUIRE_R") == "1":
        raise
pytestmark = pytest.mark.against_r

DAY = datetime.date
TIMES = ["2020-01-01 12:00:00.123456", None, "1950-01-01 00:00:00.000001"]
ZONED = pd.Series(pd.to_datetime(["2020-07-01 12:00", "2021-01-01 00:00", None]).astype("datetime64[us]"))

# Column, the same in R, and what comes back if it has another type.
COLUMNS = {
    "integers": ([1, -5, 7], "c(1L, -5L, 7L)", np.array([1, -5, 7], dtype=np.int32)),
    "largest integers": (
        [2**31 - 1, 0, 1 - 2**31],
        "c(2147483647L, 0L, -2147483647L)",
        np.array([2**31 - 1, 0, 1 - 2**31], dtype=np.int32),
    ),
    "large integers": ([2**40, 2, -(2**31)], "c(2^40, 2, -2^31)", [2.0**40, 2.0, -(2.0**31)]),
    "integers with NA": (pd.array([1, None, 3], dtype="Int32"), "c(1L, NA, 3L)", None),
    "unsigned": (np.array([1, 2, 255], dtype=np.uint8), "c(1L, 2L, 255L)", np.array([1, 2, 255], dtype=np.int32)),
    "doubles": ([1.5, np.nan, np.inf], "c(1.5, NA, Inf)", None),
    "doubles with NA": (pd.array([1.5, None, 3.0], dtype="Float64"), "c(1.5, NA, 3)", [1.5, np.nan, 3.0]),
    "booleans": ([True, False, True], "c(TRUE, FALSE, TRUE)", None),
    "booleans with NA": (pd.array([True, None, False], dtype="boolean"), "c(TRUE, NA, FALSE)", None),
    "booleans and None": (
        pd.Series([True, None, False], dtype=object),
        "c(TRUE, NA, FALSE)",
        pd.array([True, None, False], dtype="boolean"),
    ),
    "strings": (["a", None, "ä "], "c('a', NA, 'ä ')", None),
    "typed strings": (pd.array(["a", None, ""], dtype="string"), "c('a', NA, '')", ["a", None, ""]),
    "missing": (pd.Series([None, None, None], dtype=object), "c(NA_character_, NA, NA)", None),
    "categories": (
        pd.Categorical(["y", None, "x"], ["z", "y", "x"]),
        "factor(c('y', NA, 'x'), levels = c('z', 'y', 'x'))",
        None,
    ),
    "ordered": (
        pd.Categorical(["hi", "lo", "hi"], ["lo", "hi"], ordered=True),
        "factor(c('hi', 'lo', 'hi'), levels = c('lo', 'hi'), ordered = TRUE)",
        None,
    ),
    "numbers as categories": (
        pd.Categorical([30, 4, 30]),
        "factor(c(30, 4, 30))",
        pd.Categorical(["30", "4", "30"], ["4", "30"]),
    ),
    "times": (
        pd.to_datetime(TIMES).astype("datetime64[us]"),
        "as.POSIXct(c('2020-01-01 12:00:00.123456', NA, '1950-01-01 00:00:00.000001'), tz = 'UTC')",
        None,
    ),
    "times in Berlin": (
        ZONED.dt.tz_localize("Europe/Berlin"),
        "as.POSIXct(c('2020-07-01 12:00', '2021-01-01 00:00', NA), tz = 'Europe/Berlin')",
        None,
    ),
    "times in UTC": (
        ZONED.dt.tz_localize("UTC"),
        "as.POSIXct(c('2020-07-01 12:00', '2021-01-01 00:00', NA), tz = 'Etc/UTC')",
        None,
    ),
    "dates": (
        pd.Series([DAY(2020, 2, 29), None, DAY(1960, 1, 1)], dtype=object),
        "as.Date(c('2020-02-29', NA, '1960-01-01'))",
        None,
    ),
}


def in_r(code, value):
    """Evaluate code with the object `x`."""
    with session.running():
        return convert.from_r(rinterface.evalr(f"function(x) {code}")(convert.to_r(value)))


@pytest.mark.parametrize("name", COLUMNS)
def test_columns_go_to_r_and_come_back(name):
    column, theirs, expected = COLUMNS[name]
    frame = pd.DataFrame({"x y": pd.Series(column)})
    # The tolerance is for microseconds, which are no binary fractions.
    same = f"all.equal(x[['x y']], {theirs}, tolerance = 1e-15) && typeof(x[['x y']]) == typeof({theirs})"
    assert in_r(same, frame) == [True]
    back = frame_from_r(frame_to_r(frame))
    pd.testing.assert_frame_equal(
        back, frame if expected is None else pd.DataFrame({"x y": expected}), check_exact=True
    )
    # What came back goes again and stays the same.
    pd.testing.assert_frame_equal(frame_from_r(frame_to_r(back)), back)


def test_all_columns_at_once_and_none():
    frame = pd.DataFrame({name: pd.Series(column) for name, (column, _, _) in COLUMNS.items()})
    back = frame_from_r(frame_to_r(frame))
    assert list(back.columns) == list(COLUMNS)
    assert in_r("dim(x)", frame).tolist() == [3, len(COLUMNS)]
    for empty in (frame[:0], frame[[]], pd.DataFrame()):
        assert in_r("dim(x)", empty).tolist() == list(empty.shape)
        assert frame_from_r(frame_to_r(empty)).shape == empty.shape


def test_frames_of_r_come_and_go():
    """R finds no difference after the way to Python and back."""
    frames = """
        iris; mtcars; esoph; infert; MASS::survey; airquality; iris[c(5, 70, 3), ]; iris[0, ]
        data.frame(t = as.Date("2020-02-29") + 0:2)
        data.frame(t = as.POSIXct(c(0, NA, 1.5), origin = "1970-01-01", tz = "America/New_York"))
        data.frame(x = c(a = 1, b = NA), y = c("p", NA), z = c(NA, TRUE))
    """.strip()
    with session.running():
        same = rinterface.evalr("function(x, y) all.equal(x, y)")
        for code in re.split("[;\n]", frames):
            theirs = rinterface.evalr(code)
            assert list(same(frame_to_r(frame_from_r(theirs)), theirs)) == [True], code


def test_a_frame_may_be_the_first_that_r_hears_of():
    code = (
        "import pandas as pd\n"
        "from pwcstats.r import frame_from_r, frame_to_r\n"
        "frame = frame_to_r(pd.DataFrame({'x': [1.5, 2.5]}))\n"
        "from rpy2 import robjects\n"
        "robjects.globalenv['frame'] = frame\n"
        "print(frame_from_r(robjects.r('frame[2, , drop = FALSE]')))"
    )
    done = subprocess.run([sys.executable, "-W", "error", "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "     x\n2  2.5\n"


def test_rows_have_names():
    frame = pd.DataFrame({"x": [1.0, 2.0, 3.0]}, index=["b", "a", "c"])
    assert in_r("rownames(x)", frame) == ["b", "a", "c"]
    pd.testing.assert_frame_equal(frame_from_r(frame_to_r(frame)), frame)
    numbered = frame.set_axis([7, 3, 5])
    assert in_r("rownames(x)", numbered) == ["7", "3", "5"]
    pd.testing.assert_frame_equal(frame_from_r(frame_to_r(numbered)), numbered, check_index_type=False)


@pytest.mark.parametrize(
    ("frame", "message"),
    [
        (pd.DataFrame({"z": [1j]}), "R has no counterpart of column 'z', of type complex128"),
        (pd.DataFrame({"z": [{}]}), "R has no counterpart of column 'z', of type object"),
        (pd.DataFrame({"z": [2**53 + 1]}), "column 'z' has integers beyond 2\\^53"),
        (pd.DataFrame([[1, 2]], columns=["z", "z"]), "R needs distinct column names; 'z' is there more than once"),
        (pd.DataFrame({"z": [1, 2]}, index=[0, 0]), "R's row names are distinct integers or strings"),
        (
            pd.DataFrame({"z": pd.Categorical([1, "1"])}),
            "R's levels are strings, and those of .* would not be distinct",
        ),
    ],
)
def test_what_cannot_cross(frame, message):
    with pytest.raises(InputError, match=message):
        frame_to_r(frame)


def test_what_cannot_come_back():
    with session.running():
        with pytest.raises(InputError, match="a data frame of R is needed"):
            frame_from_r(rinterface.evalr("1:3"))
        with pytest.raises(InputError, match="column 'm' of R's data frame is no vector that pandas has"):
            frame_from_r(rinterface.evalr("data.frame(m = I(matrix(1:4, 2)))"))


@pytest.mark.parametrize(
    ("value", "code"),
    [
        (3, "identical(x, 3L)"),
        (2**40, "identical(x, 2^40)"),
        (0.1, "identical(x, 0.1)"),
        (True, "identical(x, TRUE)"),
        (None, "is.null(x)"),
        ("ä", "identical(x, 'ä')"),
        ([1, 2.5], "identical(x, c(1, 2.5))"),
        ([1, 2], "identical(x, 1:2)"),
        (["a", "b"], "identical(x, c('a', 'b'))"),
        ([True, False], "identical(x, c(TRUE, FALSE))"),
        ([1, "a", None], "identical(x, list(1L, 'a', NULL))"),
        ({"num.trees": 5, "mtry": [1.5, 2.0]}, "identical(x, list(num.trees = 5L, mtry = c(1.5, 2)))"),
        (pd.Series({"a": 1.5, "b": 2.0}), "identical(x, c(a = 1.5, b = 2))"),
        (np.arange(6.0).reshape(2, 3), "identical(x, matrix(0:5 + 0, 2, byrow = TRUE))"),
        (np.array(["a", "b"]), "identical(x, c('a', 'b'))"),
        (np.arange(3), "identical(x, 0:2)"),
        (b"ab", "identical(x, charToRaw('ab'))"),
    ],
)
def test_values(value, code):
    assert in_r(code, value) == [True]

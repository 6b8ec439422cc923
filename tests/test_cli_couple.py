"""``pwcstats couple`` against `couple` on the same numbers."""

import io

import numpy as np
import pandas as pd
import pytest

from pwcstats import couple
from tests.commanding import Shell

R = pd.DataFrame({"a/b": [0.9, 0.2], "a/c": [0.4, 0.5], "b/c": [0.7, 0.6]}, index=["x", "y"])
SQUARE = ",a,b,c\na,,0.9,0.4\nb,0.1,,0.7\nc,0.6,0.3,\n"


@pytest.fixture
def shell(tmp_path, capsys, monkeypatch):
    return Shell(tmp_path, capsys, monkeypatch)


def table(text):
    frame = pd.read_csv(io.StringIO(text), index_col=0, dtype=str)
    return frame.map(float)  # read_csv does not promise the last bit


@pytest.mark.parametrize("method", ["wlw2", "ht", "vote"])
def test_rows_of_pairs_give_the_bits_of_couple(shell, method):
    file = shell.write("r.csv", R.to_csv(index_label="id"))
    found = table(shell.ok("couple", file, "--method", method))
    assert found.index.name == "id"
    pd.testing.assert_frame_equal(found, couple(R, method, condensed=True), check_exact=True, check_names=False)


@pytest.mark.parametrize("sep", [",", ";", "\t"])
def test_separators_are_found(shell, sep):
    file = shell.write("r.csv", R.to_csv(index_label="id", sep=sep))
    np.testing.assert_array_equal(table(shell.ok("couple", file)), couple(R, condensed=True))


def test_another_separator_is_given(shell):
    file = shell.write("r.csv", R.to_csv(index_label="id", sep="|"))
    np.testing.assert_array_equal(table(shell.ok("couple", file, "--sep", "|")), couple(R, condensed=True))
    assert "--sep" in shell.misused("couple", file, "--sep", "ab")


def test_without_names_of_samples(shell):
    shell.stdin(R.to_csv(index=False))
    lines = shell.ok("couple", "-").splitlines()
    assert lines[0] == "a,b,c"
    assert len(lines) == 3


def test_numbers_may_name_samples(shell):
    file = shell.write("r.csv", R.set_axis(["7", "8"], axis=0).to_csv(index_label="id"))
    assert [line.split(",")[0] for line in shell.ok("couple", file).splitlines()] == ["id", "7", "8"]


def test_a_square_table_is_recognised(shell):
    file = shell.write("r.csv", SQUARE)
    p = couple(R.iloc[0], condensed=True)
    found = table(shell.ok("couple", file))["probability"]
    np.testing.assert_array_equal(found, p)
    assert list(found.index) == ["a", "b", "c"]
    assert shell.ok("couple", file, "--wide") == shell.ok("couple", file)
    assert "must be named by pairs" in shell.refused("couple", file, "--condensed")


def test_two_classes(shell):
    square = shell.write("square.csv", ",1,2\n1,,0.8\n2,0.2,\n")
    assert table(shell.ok("couple", square))["probability"].to_numpy() == pytest.approx([0.8, 0.2], abs=1e-12)
    column = shell.write("column.csv", "yes/no\n0.8\n0.25\n")
    assert shell.document("couple", column)["samples"][1]["proba"] == pytest.approx({"yes": 0.25, "no": 0.75})


def test_json(shell):
    file = shell.write("r.csv", R.to_csv(index_label="id"))
    found = shell.document("couple", file)
    assert (found["method"], found["classes"]) == ("wlw2", ["a", "b", "c"])
    assert [sample["sample"] for sample in found["samples"]] == ["x", "y"]
    assert [sample["proba"] for sample in found["samples"]] == couple(R, condensed=True).to_dict("records")


def test_out(shell):
    file = shell.write("r.csv", R.to_csv())
    text = shell.ok("couple", file)
    assert shell.ok("couple", file, "--out", shell.path("p.csv")) == ""
    assert (shell.folder / "p.csv").read_text() == text
    assert "No such file" in shell.refused("couple", file, "--out", shell.path("none/p.csv"))


def test_weights(shell):
    r, square = shell.write("r.csv", R.to_csv()), shell.write("square.csv", SQUARE)
    n = [10.0, 1.0, 5.0]
    row = shell.write("n.csv", "a/b,a/c,b/c\n10,1,5\n")
    rows = shell.write("each.csv", "a/b,a/c,b/c\n10,1,5\n10,1,5\n")
    full = shell.write("full.csv", ",a,b,c\na,0,10,1\nb,10,0,5\nc,1,5,0\n")
    expected = couple(R, "ht", condensed=True, n=n)
    for file in (row, rows, full):
        np.testing.assert_array_equal(table(shell.ok("couple", r, "--method", "ht", "--weights", file)), expected)
    found = table(shell.ok("couple", square, "--method", "ht", "--weights", full))["probability"]
    np.testing.assert_array_equal(found, expected.loc["x"])
    found = table(shell.ok("couple", r, "--method", "bayes", "--weights", row))
    np.testing.assert_array_equal(found, couple(R, "bayes", condensed=True, pair_mass=n))
    assert "only --method ht or --method logit uses" in shell.refused("couple", r, "--weights", row)
    assert "stdin" in shell.refused("couple", "-", "--method", "ht", "--weights", "-")


def test_equations(shell):
    r, square = shell.write("r.csv", R.to_csv()), shell.write("square.csv", SQUARE)
    for text, given in (("b", "b"), ("a/b,b/c", "b"), (" a/b, b/c,", "b"), ("c/a,b/a", [("a", "c"), ("a", "b")])):
        expected = couple(R, "rv", condensed=True, equations=given)
        np.testing.assert_array_equal(table(shell.ok("couple", r, "--method", "rv", "--equations", text)), expected)
        found = table(shell.ok("couple", square, "--method", "rv", "--equations", text))["probability"]
        np.testing.assert_array_equal(found, expected.loc["x"])
    pair = shell.write("pair.csv", "yes/no\n0.8\n")
    assert shell.ok("couple", pair, "--method", "rv", "--equations", "yes/no").startswith("yes,no\n0.8")
    refused = shell.refused("couple", r, "--method", "rv", "--equations", "d")
    assert "--equations must be one of the classes (a, b, c), or a list of 2 pairs of them, got 'd'" in refused
    refused = shell.refused("couple", r, "--method", "rv", "--equations", "a/b,b/a")
    assert "--equations must connect all classes by 2 pairs, but b/a closes a circle: a and b are" in refused
    assert "only --method rv uses --equations, got --method ht" in shell.refused(
        "couple", r, "--method", "ht", "--equations", "a"
    )


def test_both_sides_of_pairs(shell):
    r = pd.DataFrame([[0, 0.9, 0.4], [0.3, 0, 0.7], [0.6, 0.5, 0]], index=list("abc"), columns=list("abc"))
    file = shell.write("square.csv", r.to_csv())
    found = table(shell.ok("couple", file, "--symmetrize"))["probability"]
    np.testing.assert_array_equal(found, couple(r, symmetrize=True))
    assert "take the mean of both sides with --symmetrize" in shell.refused("couple", file)
    refused = shell.refused("couple", shell.write("r.csv", R.to_csv()), "--symmetrize")
    assert "--symmetrize needs both sides of each pair" in refused


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("a/b,a/c,b/c\n0.9,0.4,x\n", "column b/c must hold numbers, got 'x' in row 1"),
        ("a/b,a/c,b/c\n0.9,,0.7\n", "missing for the pair a/c of sample 1"),
        ("a/b,a/c,b/c\n0.9,1.4,0.7\n", "1.4"),
        ("a/b,a/c\n0.9,0.4\n", "K(K-1)/2"),
        ("a/b,b/c,a/c\n0.9,0.4,0.7\n", "needed a/c"),
        ("u,v,w\n0.9,0.4,0.7\n", "must be named by pairs"),
        (",a,b\na,,0.9\nb,0.3,\n", "r_ij + r_ji must be 1"),
    ],
)
def test_bad_pairs(shell, text, words):
    assert words in shell.refused("couple", shell.write("r.csv", text))


def test_a_table_that_is_not_square(shell):
    assert "must be a K x K table" in shell.refused("couple", shell.write("r.csv", R.to_csv()), "--wide")
    assert "not allowed with" in shell.misused("couple", "r.csv", "--wide", "--condensed")
    assert "invalid choice" in shell.misused("couple", "r.csv", "--method", "minpair")

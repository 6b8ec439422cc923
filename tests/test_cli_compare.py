"""``pwcstats compare`` against `compare_methods` on the same scores."""

import json
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from pwcstats.compare import compare_methods
from tests.commanding import Shell


def _data_sets():
    rng = np.random.default_rng(0)
    names = pd.Index([f"set {i}" for i in range(12)], name="dataset")
    return pd.DataFrame(rng.normal([0.9, 0.8, 0.8], 0.05, (12, 3)), index=names, columns=["lda", "svm", "nb"])


def _folds():
    rng = np.random.default_rng(1)
    rows = pd.MultiIndex.from_product([range(2), range(1, 11)], names=["repeat", "fold"])
    return pd.DataFrame(rng.normal([0.9, 0.8], 0.03, (20, 2)), index=rows, columns=["lda", "svm"])


WIDE, FOLDS = _data_sets(), _folds()
TIDY = WIDE.reset_index().melt("dataset", var_name="method", value_name="score")


@pytest.fixture
def shell(tmp_path, capsys, monkeypatch):
    return Shell(tmp_path, capsys, monkeypatch)


def check(document, result):
    """Numbers to the last bit; null where the result has NaN."""
    expected = json.loads(json.dumps(result.to_dict(), default=lambda value: value.item()))
    assert document.keys() == expected.keys()
    for part in ("test", "adjust", "reason", "best", "best_group", "notes", "alpha"):
        assert document[part] == expected[part]
    for part in ("table", "pairs"):
        pd.testing.assert_frame_equal(pd.DataFrame(document[part]), pd.DataFrame(expected[part]), check_exact=True)


@pytest.mark.parametrize("frame", [WIDE.reset_index(), TIDY, WIDE.reset_index().rename(columns={"dataset": ""})])
def test_wide_and_tidy_scores(shell, frame):
    file = shell.write("scores.csv", frame.to_csv(index=False))
    check(shell.document("compare", file), compare_methods(WIDE))
    assert shell.ok("compare", file) == compare_methods(WIDE).summary() + "\n"


def test_options(shell):
    file = shell.write("scores.csv", TIDY.to_csv(index=False))
    words = ("--test", "sign", "--adjust", "bh", "--control", "svm", "--alpha", "0.1", "--lower-is-better")
    expected = compare_methods(WIDE, test="sign", adjust="bh", control="svm", alpha=0.1, higher_is_better=False)
    assert "test='sign' as requested" in expected.reason
    expected = replace(expected, reason=expected.reason.replace("test='sign'", "--test sign"))
    check(shell.document("compare", file, *words), expected)
    assert shell.ok("compare", file, *words) == expected.summary() + "\n"


def test_folds_of_one_data_set(shell):
    wide = shell.write("wide.csv", FOLDS.reset_index().to_csv(index=False))
    tidy = FOLDS.reset_index().melt(["repeat", "fold"], var_name="method", value_name="score")
    expected = compare_methods(FOLDS)
    assert expected.test == "corrected_resampled_t"
    check(shell.document("compare", wide), expected)
    check(shell.document("compare", shell.write("tidy.csv", tidy.to_csv(index=False))), expected)


def test_random_splits(shell):
    splits = FOLDS.xs(0, level="repeat").rename_axis(index="repeat")
    file = shell.write("splits.csv", splits.reset_index().to_csv(index=False))
    expected = compare_methods(splits, test_fraction=0.2)
    check(shell.document("compare", file, "--test-fraction", "0.2"), expected)


@pytest.mark.parametrize("index", [False, True])
def test_rows_without_names(shell, index):
    bare = WIDE.head(10).reset_index(drop=True)
    file = shell.write("scores.csv", bare.to_csv(index=index))
    assert "set --rows folds for the folds of one cross-validation" in shell.refused("compare", file)
    for rows in ("folds", "datasets"):
        check(shell.document("compare", file, "--rows", rows), compare_methods(bare, rows=rows))


def test_rows_that_are_called_folds(shell):
    folds = WIDE.head(10).set_axis([f"Fold{i}" for i in range(10)], axis=0)
    expected = compare_methods(WIDE.head(10).reset_index(drop=True), rows="folds")
    for header in ("", "Resample", "set"):
        check(shell.document("compare", shell.write("f.csv", folds.to_csv(index_label=header))), expected)


def test_no_number_is_null(shell):
    frame = WIDE.assign(twin=WIDE["lda"] + 0.125)  # no spread, and no test
    document = shell.document(
        "compare", shell.write("s.csv", frame.reset_index().to_csv(index=False)), "--test", "paired_t"
    )
    twins = [row for row in document["pairs"] if {row["method_a"], row["method_b"]} == {"lda", "twin"}]
    assert [row["p_value"] for row in twins] == [None]


@pytest.mark.parametrize("options", [(), ("--control", "svm"), ("--test", "nemenyi")])
def test_pictures(shell, options):
    file = shell.write("scores.csv", TIDY.to_csv(index=False))
    shell.ok("compare", file, "--plot", shell.path("a.png"), *options)
    assert (shell.folder / "a.png").read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize(
    ("text", "options", "words"),
    [
        ("method,dataset,score\na,x,0.5\nb,x,high\n", (), "column score must hold numbers, got 'high' in row 2"),
        ("method,dataset,score\na,x,0.5\nb,x,0.6\na,y,0.5\n", (), "b"),
        ("method,dataset,score\na,x,0.5\na,y,0.5\n", (), "two methods or more"),
        ("method,dataset\na,x\n", (), "must have the columns method and score"),
        ("method,score\na,1\nb,2\n", (), "must say what each score belongs to"),
        ("dataset,a,b\nx,0.1,0.2\ny,0.3,\n", (), "b"),
        ("dataset,a,b\nx,0.1,0.2\ny,0.3,q\n", (), "column b must hold numbers, got 'q' in row 2"),
        ("dataset,a,b\nx,0.1,0.2\nx,0.3,0.4\n", (), "must have unique labels"),
        ("dataset,a\nx,0.1\ny,0.3\n", (), "method"),
        ("dataset,a,b\nx,0.1,0.2\ny,0.3,0.4\n", ("--control", "c"), "c"),
        (
            "dataset,a,b\nx,0.1,0.2\ny,0.3,0.4\n",
            ("--test", "cv5x2_f"),
            "--test cv5x2_f is for one data set, got 2 (x, y); use --test wilcoxon, or compare the methods on each "
            "data set separately.",
        ),
        (
            "fold,a,b\n1,0.1,0.2\n2,0.3,0.4\n",
            ("--test", "wilcoxon"),
            "use --test corrected_resampled_t, or leave --test out.",
        ),
        (
            "fold,a,b\n1,0.1,0.2\n2,0.3,0.4\n",
            ("--test", "paired_t", "--test-fraction", "0.2"),
            "--test-fraction is for --test corrected_resampled_t, got --test paired_t",
        ),
        (
            "dataset,a,b\nx,0.1,0.2\ny,0.3,0.4\n",
            ("--test", "nemenyi", "--control", "a"),
            "use --test mean_ranks.",
        ),
    ],
)
def test_bad_scores(shell, text, options, words):
    assert words in shell.refused("compare", shell.write("scores.csv", text), *options)


def test_the_reason_names_options(shell):
    file = shell.write("scores.csv", "a,b,c\n.9,.8,.7\n.8,.7,.75\n.85,.8,.7\n")
    words = ("compare", file, "--rows", "folds", "--test", "paired_t")
    assert shell.document(*words)["reason"].endswith("; --test paired_t as requested")
    printed = " ".join(shell.ok(*words).split())
    assert "--test paired_t as requested" in printed
    assert "test='" not in printed


def test_wrong_usage(shell):
    assert "invalid choice" in shell.misused("compare", "scores.csv", "--test", "t")
    assert "between 0 and 1" in shell.misused("compare", "scores.csv", "--alpha", "none")

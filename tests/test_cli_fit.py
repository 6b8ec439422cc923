"""``pwcstats fit`` and ``predict`` against pipelines of scikit-learn on the same rows."""

import io

import numpy as np
import pandas as pd
import pytest
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.metrics import log_loss
from sklearn.model_selection import StratifiedKFold
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from pwcstats import PairwiseClassifier
from pwcstats.datasets import load
from pwcstats.pairwise.named import LEARNERS
from tests.commanding import Shell

IRIS = load("iris").frame.rename(columns={"target": "species"})
# Row by row in memory, as in the command: otherwise means of columns are sums in another order.
X, Y = np.ascontiguousarray(IRIS.drop(columns="species")), IRIS["species"].to_numpy(dtype=str)
SMALL = "size,colour,kind\n" + "".join(
    f"{i % 7},{'red' if i % 3 else 'blue'},{'a' if (i * 5) % 11 < 5 else 'b'}\n" for i in range(40)
)


@pytest.fixture
def shell(tmp_path, capsys, monkeypatch):
    return Shell(tmp_path, capsys, monkeypatch)


@pytest.fixture
def iris(shell):
    return shell.write("iris.csv", IRIS.to_csv(index=False))


def reference(learners, **options):
    return make_pipeline(StandardScaler(), PairwiseClassifier(learners, random_state=0, **options))


def probabilities(text):
    frame = pd.read_csv(io.StringIO(text), dtype=str)
    return frame["prediction"].to_numpy(dtype=str), frame.drop(columns="prediction").map(float)


def test_scores_and_pairs_are_those_of_the_classifier(shell, iris):
    document = shell.document(
        "fit", iris, "--target", "species", "--learners", "lda,nb", "--cv", "4", "--coupling", "ht"
    )
    learners = {"lda": LinearDiscriminantAnalysis(), "nb": GaussianNB()}
    accuracy, loss = [], []
    for train, test in StratifiedKFold(4, shuffle=True, random_state=0).split(X, Y):
        model = reference(learners, coupling="ht").fit(X[train], Y[train])
        p = model.predict_proba(X[test])
        accuracy.append(np.mean(model.classes_[p.argmax(axis=1)] == Y[test]))
        loss.append(log_loss(Y[test], p))
    for name, values in (("accuracy", accuracy), ("log_loss", loss)):
        assert document["cv"][name]["folds"] == values
        assert document["cv"][name]["mean"] == pytest.approx(np.mean(values), abs=1e-12)
        assert document["cv"][name]["sd"] == pytest.approx(np.std(values, ddof=1), abs=1e-12)
    pairs = reference(learners, coupling="ht").fit(X, Y)[-1].pairs_
    pd.testing.assert_frame_equal(
        pd.DataFrame(document["pairs"]), pairs, check_exact=True, check_dtype=False, check_column_type=False
    )
    assert document["classes"] == sorted(set(Y))


def test_predictions_are_the_same_after_saving(shell, iris):
    text = shell.ok("fit", iris, "--target", "species", "--save", shell.path("m"), "--cv", "3")
    assert "3-fold cross-validation" in text
    assert f"Saved, with the training rows: {shell.path('m')}" in text
    # New rows have their columns in another order.
    new = shell.write("new.csv", IRIS.iloc[::7, [2, 0, 3, 1]].to_csv(index=False))
    found, p = probabilities(shell.ok("predict", shell.path("m"), new, "--proba"))
    expected = reference({"svm": SVC(gamma="auto")}).fit(X, Y)
    np.testing.assert_array_equal(p, expected.predict_proba(X[::7]))
    assert list(p.columns) == [f"proba_{label}" for label in expected.classes_]
    np.testing.assert_array_equal(found, expected.classes_[p.to_numpy().argmax(axis=1)])
    alone = shell.ok("predict", shell.path("m"), new).split()
    assert alone == ["prediction", *found]
    rows = shell.document("predict", shell.path("m"), new, "--proba")["rows"]
    assert [list(row["proba"].values()) for row in rows] == p.to_numpy().tolist()


NAMES = sorted(set(Y))
N = pd.DataFrame([[0, 5, 1], [5, 0, 9], [1, 9, 0]], NAMES, NAMES, dtype=float)


@pytest.mark.parametrize(
    ("words", "options"),
    [
        (("--coupling", "ht", "--pair-weights", "equal"), {"coupling": "ht", "weights": None}),
        (("--coupling", "ht", "--pair-weights", "{file}"), {"coupling": "ht", "weights": N}),
        (("--coupling", "logit", "--pair-weights", "{row}"), {"coupling": "logit", "weights": N}),
        (("--threshold", "train"), {"threshold": "train"}),
        (("--threshold", "cv", "--calibration", "isotonic"), {"threshold": "cv", "calibration": "isotonic"}),
        (("--calibration", "none", "--learners", "lda"), {"calibration": None, "learners": "lda"}),
        (("--calibration", "sigmoid", "--learners", "lda"), {"calibration": "sigmoid", "learners": "lda"}),
        (("--calibration", "firth", "--learners", "lda"), {"calibration": "firth", "learners": "lda"}),
        (("--temperature", "no"), {"temperature": False}),
        (("--temperature", "yes", "--learners", "lda"), {"temperature": True, "learners": "lda"}),
    ],
)
def test_options_reach_the_classifier_and_the_saved_model(shell, iris, words, options):
    file = shell.write("n.csv", N.iloc[::-1].to_csv())
    row = shell.write("row.csv", "setosa/versicolor,setosa/virginica,versicolor/virginica\n5,1,9\n")
    words = [word.format(file=file, row=row) for word in words]
    command = ("fit", iris, "--target", "species", "--cv", "0", "--save", shell.path("m"))
    document = shell.document(*command, *words)
    learners = {"lda": LinearDiscriminantAnalysis()} if options.pop("learners", None) else {"svm": SVC(gamma="auto")}
    expected = reference(learners, **options).fit(X, Y)
    assert ("threshold" in document["pairs"][0]) == (options.get("threshold") is not None)
    assert document["threshold"] == options.get("threshold", "none")
    assert document["fitted_temperature"] == expected[-1].temperature_
    if options.get("weights") is N:
        assert document["pair_weights"] == [5.0, 1.0, 9.0]
    new = shell.write("new.csv", IRIS.iloc[::7, :4].to_csv(index=False))
    _, p = probabilities(shell.ok("predict", shell.path("m"), new, "--proba"))
    np.testing.assert_array_equal(p, expected.predict_proba(X[::7]))
    usual = reference(learners, coupling=options.get("coupling", "wlw2")).fit(X, Y).predict_proba(X[::7])
    # The classes of iris are of one size, and LDA needs no calibration.
    assert (np.abs(p - usual).to_numpy().max() > 1e-6) == ("equal" not in words and "none" not in words)


def test_a_temperature_is_printed_if_one_was_fitted(shell, iris):
    command = ("fit", iris, "--target", "species", "--cv", "0")
    fitted = reference({"svm": SVC(gamma="auto")}).fit(X, Y)[-1].temperature_
    assert f"\nTemperature {fitted:.4f}\nPairs\n" in shell.ok(*command)
    assert "Temperature" not in shell.ok(*command, "--temperature", "no")
    refused = shell.refused(*command, "--coupling", "vote", "--temperature", "yes")
    assert "--coupling vote cannot have a temperature" in refused
    assert refused.rstrip().endswith("use --coupling wlw2, or --temperature no.")


def test_bad_weights_of_pairs(shell, iris):
    command = ("fit", iris, "--target", "species", "--cv", "0", "--pair-weights")
    file = shell.write("n.csv", N.to_csv())
    refused = shell.refused(*command, file)
    assert "only --coupling ht or --coupling logit uses weights of the pairs, got --coupling wlw2" in refused
    assert "leave --pair-weights out" in refused
    other = shell.write("other.csv", N.rename(index={"setosa": "s"}, columns={"setosa": "s"}).to_csv())
    refused = shell.refused(*command, other, "--coupling", "ht")
    assert "--pair-weights must be labelled by the classes (setosa, versicolor, virginica)" in refused
    alone = shell.write("alone.csv", N.where(N > 5, 0).to_csv())
    refused = shell.refused(*command, alone, "--coupling", "ht")
    assert "--pair-weights leaves {setosa} and {versicolor, virginica} without" in refused
    for name in ("count", ""):
        refused = shell.refused(*command, name, "--coupling", "ht")
        assert refused == f"pwcstats: --pair-weights must be counts, equal or a file, got {name!r}.\n"
    refused = shell.refused("fit", iris, "--target", "species", "--calibration", "none")
    assert "so --calibration none leaves decision values, which --coupling wlw2 cannot couple" in refused
    assert "only one of FILE and --pair-weights can be stdin" in shell.refused(
        "fit", "-", "--target", "species", "--pair-weights", "-"
    )


def test_equal_models_are_equal_files(shell):
    file = shell.write("small.csv", SMALL)
    for name in ("one", "two"):
        shell.ok("fit", file, "--target", "kind", "--learners", "tree,lda", "--cv", "0", "--save", shell.path(name))
    assert (shell.folder / "one").read_bytes() == (shell.folder / "two").read_bytes()


def test_words_become_columns_of_zero_and_one(shell):
    file = shell.write("small.csv", SMALL)
    options = ("--target", "kind", "--learners", "lda", "--cv", "0", "--save", shell.path("m"))
    document = shell.document("fit", file, *options)
    assert document["columns"] == [
        {"name": "size", "categories": None},
        {"name": "colour", "categories": ["blue", "red"]},
    ]
    assert document["cv"] is None
    frame = pd.read_csv(io.StringIO(SMALL))
    numbers = np.column_stack([frame["size"], frame["colour"] == "red"]).astype(float)
    expected = reference({"lda": LinearDiscriminantAnalysis()}).fit(numbers, frame["kind"].to_numpy(dtype=str))
    _, p = probabilities(shell.ok("predict", shell.path("m"), file, "--proba"))
    np.testing.assert_array_equal(p, expected.predict_proba(numbers))
    codes = shell.document("fit", file, *options, "--categorical", "size")["columns"][0]
    assert codes["categories"] == list("0123456")


@pytest.mark.parametrize("learner", LEARNERS)
def test_every_learner_with_two_classes(shell, learner):
    file = shell.write("small.csv", SMALL)
    document = shell.document("fit", file, "--target", "kind", "--learners", learner, "--cv", "2")
    assert document["classes"] == ["a", "b"]
    assert 0 <= document["cv"]["accuracy"]["mean"] <= 1


def test_row_names_are_no_column(shell):
    file = shell.write("named.csv", pd.read_csv(io.StringIO(SMALL)).to_csv())
    document = shell.document("fit", file, "--target", "kind", "--learners", "nb", "--cv", "0")
    assert [column["name"] for column in document["columns"]] == ["size", "colour"]


@pytest.mark.parametrize(
    ("text", "options", "words"),
    [
        ("x,y\n1,a\n2,a\n", ("--target", "y"), "column y must have at least two classes, got (a)"),
        (
            "x,y\n1,a\n,b\n",
            ("--target", "y", "--cv", "0"),
            "column x must not have missing values, got 1, the first in row 2",
        ),
        ("x,y\n1,a\n2,\n", ("--target", "y"), "column y must not have missing values"),
        ("x,y\n1,a\ninf,b\n", ("--target", "y", "--cv", "0"), "column x must hold finite numbers"),
        (
            "x,y\n1,a\n2,b\n",
            ("--target", "y"),
            "--cv 5 needs 5 rows of each class, but class b has 1 row; use fewer folds",
        ),
        ("y\na\nb\n", ("--target", "y", "--cv", "0"), "nothing to learn from"),
        ("x,y\nu,a\nu,b\n", ("--target", "y", "--cv", "0"), "nothing to learn from"),
    ],
)
def test_bad_rows(shell, text, options, words):
    assert words in shell.refused("fit", shell.write("rows.csv", text), *options)


def test_classes_of_one_row_are_fitted_with_a_warning(shell):
    code, out, err = shell.run("fit", shell.write("rows.csv", "x,y\n1,a\n2,b\n"), "--target", "y", "--cv", "0")
    assert code == 0
    assert "2 rows, 1 columns, 2 classes (a, b)" in out
    assert "warning: the classes ('a', 'b') have one row each, which" in err


def test_unknown_columns(shell):
    file = shell.write("rows.csv", SMALL)
    known = f"must be one of the columns of {file}, (size, colour, kind), got"
    assert f"--target {known} 'kin'." in shell.refused("fit", file, "--target", "kin")
    assert f"--categorical {known} 'sise'." in shell.refused("fit", file, "--target", "kind", "--categorical", "sise")


def test_wrong_usage(shell):
    assert "--target" in shell.misused("fit", "rows.csv")
    for option, value in (
        ("--learners", "svm,forest"),
        ("--learners", "lda,lda"),
        ("--cv", "1"),
        ("--seed", "-1"),
        ("--threshold", "best"),
        ("--calibration", "platt"),
    ):
        assert option in shell.misused("fit", "rows.csv", "--target", "y", f"{option}={value}")

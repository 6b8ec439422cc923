"""Labels of the data in figures are shown unchanged, with any characters."""

import io
from xml.etree import ElementTree

import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.naive_bayes import GaussianNB

from pwcstats import BradleyTerry, HybridClassifier, OrdinalHybridClassifier, PairwiseClassifier, compare, plot
from pwcstats.plot.papers import GAIN, SHARES
from pwcstats.plot.style import figure_of, literal
from tests.drawing import blobs

pytestmark = pytest.mark.one_environment

# No formula (matplotlib cannot parse it), a name that legends omit, a formula, and an escape sequence of terminals.
MATH, UNDER, DOLLAR = "$x_$", "_under", "a\\$b$c_d$\x1b[31m"
LABELS = (MATH, UNDER, DOLLAR)
SHOWN = (MATH, UNDER, "a\\$b$c_d$\\x1b[31m")
X, Y = blobs(3, LABELS)
FRAME = pd.DataFrame(X, columns=[MATH, DOLLAR])
TWO = Y != UNDER
SCORES = pd.DataFrame(np.random.default_rng(0).normal([0.9, 0.8, 0.7], 0.05, (12, 3)), columns=LABELS)
SCORES.index = [f"set {k}" for k in range(12)]
FIVE = {"lowest": 0.1, "lower_quartile": 0.2, "median": 0.3, "upper_quartile": 0.4, "highest": 0.5}


def pairwise():
    candidates = {MATH: LinearDiscriminantAnalysis(), DOLLAR: GaussianNB(), UNDER: GaussianNB(var_smoothing=1e-3)}
    return PairwiseClassifier(candidates).fit(FRAME, Y)


def hybrid():
    return HybridClassifier(n_clusters=2, pos_label=MATH, threshold=0.5, random_state=0)


def shares():
    quantities = [*SHARES, GAIN]
    rows = [(label, quantity, 0.1, 0.01) for label in LABELS for quantity in quantities]
    return pd.DataFrame(rows, columns=["data", "quantity", "estimate", "std_error"])


def compare_with_paper():
    numbers = {"estimate": 0.1, "paper": 0.2, "allowed": 0.1, "agrees": True}
    return pd.DataFrame({"method": LABELS, "quantity": [MATH, MATH, DOLLAR], **numbers})


def wins():
    grid = [(x, y) for x in LABELS for y in LABELS]
    rows = [(x, y, y, x, 0.01, 0.02) for x, y in grid]
    return pd.DataFrame(rows, columns=[MATH, DOLLAR, "best", "second", "p_value", "p_adjusted"])


def accuracies():
    rows = [(s, k, m, 0.5, 0.1) for s in LABELS for k in (2, 4) for m in LABELS]
    return pd.DataFrame(rows, columns=["setting", "n_classes", "method", "accuracy", "std_error"])


R = [[0.5, 0.6, 0.7], [0.4, 0.5, 0.6], [0.3, 0.4, 0.5]]
PROBA = pd.DataFrame(np.full((3, 3), 1 / 3), index=LABELS, columns=LABELS)
WINS = pd.DataFrame([[0, 3, 2], [1, 0, 4], [2, 1, 0]], index=LABELS, columns=LABELS)
FIGURES = {
    "abilities": lambda: BradleyTerry(WINS).fit().plot(),
    "abilities, reference": lambda: BradleyTerry(WINS).fit(ref=DOLLAR).plot(),
    "accuracy_by_classes": lambda: plot.accuracy_by_classes(accuracies()),
    "beside_paper": lambda: plot.beside_paper(compare_with_paper()),
    "boxes": lambda: plot.boxes(pd.DataFrame({"rule": LABELS, "learner": LABELS, **FIVE}), "rule", "learner"),
    "calibration": lambda: plot.calibration(pairwise(), FRAME, Y),
    "clusters": lambda: plot.clusters(hybrid().fit(FRAME, Y), FRAME),
    "confusion": lambda: plot.confusion({label: pd.DataFrame(np.eye(3), LABELS, LABELS) for label in LABELS}),
    "coupling": lambda: plot.coupling(R, PROBA),
    "critical_difference": lambda: plot.critical_difference(SCORES),
    "decision_regions": lambda: plot.decision_regions([pairwise()] * 3, FRAME, Y, names=LABELS, resolution=5),
    "distances": lambda: plot.distances(hybrid().fit(FRAME, Y), FRAME, Y),
    "distances, ordered": lambda: plot.distances(
        OrdinalHybridClassifier(categories=list(LABELS), random_state=0).fit(FRAME, Y), FRAME, Y
    ),
    "error_map": lambda: plot.error_map(
        wins().drop_duplicates("best").assign(method=LABELS, estimate=0.1), MATH, DOLLAR
    ),
    "one_against_all": lambda: plot.one_against_all(shares()),
    "pair_choice": lambda: plot.pair_choice(pairwise()),
    "posteriors": lambda: plot.posteriors(PROBA),
    "roc": lambda: plot.roc([GaussianNB().fit(X[TWO], Y[TWO])] * 3, X[TWO], Y[TWO], names=LABELS),
    "samples": lambda: plot.samples({label: (FRAME, Y) for label in LABELS}),
    "score_intervals": lambda: plot.score_intervals(SCORES),
    "score_intervals, differences": lambda: plot.score_intervals(SCORES, "differences"),
    "score_intervals, control": lambda: plot.score_intervals(
        compare.compare_methods(SCORES, control=MATH), "differences"
    ),
    "significance_map": lambda: plot.significance_map(wins(), MATH, DOLLAR),
}


def texts(axes):
    """All that a figure says, as a reader sees it."""
    with mpl.rc_context({"svg.fonttype": "none"}):
        content = io.BytesIO()
        figure_of(axes).savefig(content, format="svg")
    found = ElementTree.fromstring(content.getvalue()).iter("{http://www.w3.org/2000/svg}text")
    return ["".join(text.itertext()) for text in found]


def test_every_figure_is_here():
    assert {name.partition(",")[0] for name in FIGURES} == {name for name in plot.__all__ if name.islower()}


@pytest.mark.parametrize("name", FIGURES)
def test_labels_are_shown_as_they_are(name):
    found = texts(FIGURES[name]())
    for label in SHOWN:
        assert any(label in text for text in found), (label, found)


def test_literal():
    assert literal("lda") == "lda"
    assert literal(3) == "3"
    assert literal("two\nlines") == "two\nlines"
    assert literal("\x07\x9b\u202e\x00") == "\\x07\\x9b\\u202e\\x00"

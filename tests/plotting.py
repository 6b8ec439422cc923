"""Helpers for tests of figures: data and comparisons to draw, every figure once, and what can be read from figures."""

from itertools import combinations
from types import SimpleNamespace

import numpy as np
import pandas as pd
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.text import Text
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.naive_bayes import GaussianNB

from pwcstats import (
    BradleyTerry,
    FirthLogit,
    HybridClassifier,
    OrdinalHybridClassifier,
    PairwiseClassifier,
    compare,
    plot,
)
from pwcstats.plot.papers import GAIN, SHARES
from pwcstats.plot.style import COLORS, area_colors, figure_of

# Errors and scores are printed with three decimals.
PRINTED = 0.0005 + 1e-9


def draw(axes):
    """Lay out and draw the figure of one or several Axes, so that errors and warnings of drawing are raised here."""
    figure = axes if isinstance(axes, Figure) else figure_of(axes)
    figure.draw_without_rendering()
    return figure


def blobs(k, labels=None, seed=0, n=12):
    rng = np.random.default_rng(seed)
    code = np.repeat(np.arange(k), n)
    X = 3 * rng.normal(size=(k, 2))[code] + rng.normal(size=(k * n, 2))
    return X, code if labels is None else np.asarray(labels)[code]


def hue(color, k):
    """The class whose colour was mixed with white, and the share of the colour."""
    white = 1.0 - np.asarray(color)
    base = 1.0 - area_colors(k)
    strength = white @ base.T / (base**2).sum(axis=1)
    return np.abs(white[:, None] - strength[..., None] * base).sum(axis=-1).argmin(axis=1), strength


def pixels(panel):
    """Points in the middle of the pixels, and the pixels' colours."""
    image = panel.images[0]
    color = np.asarray(image.get_array())
    rows, columns = color.shape[:2]
    left, right, bottom, top = image.get_extent()
    x = left + (right - left) * (np.arange(columns) + 0.5) / columns
    y = bottom + (top - bottom) * (np.arange(rows) + 0.5) / rows
    assert image.origin == "lower"
    return np.stack(np.meshgrid(x, y), axis=-1).reshape(-1, 2), color.reshape(-1, 3)


LONG = "PairwiseClassifier (LDA or {:02d})"


def comparison(ranks, cliques, name="m{}", cd=None, **change):
    """An artificial result of compare_methods with given mean ranks and cliques."""
    k = len(ranks)
    names = [name.format(place) for place in range(k)]
    letters = [
        "".join(
            letter for letter, clique in zip("abcdefghijklmnopqrstuvwxyz", cliques, strict=False) if place in clique
        )
        for place in range(k)
    ]
    mean = 0.9 - 0.03 * np.asarray(ranks, dtype=float)
    sizes = {"mean": mean, "sd": 0.02, "conf_low": mean - 0.02, "conf_high": mean + 0.02, "rank": ranks}
    table = pd.DataFrame({**sizes, "letters": letters}, index=pd.Index(names, name="method"))
    pairs = []
    for a, b in combinations(range(k), 2):
        gap, same = mean[a] - mean[b], any(a in clique and b in clique for clique in cliques)
        pairs.append((names[a], names[b], gap, gap, gap - 0.04, gap + 0.05, 1.0, 0.5, 0.5 if same else 0.01, not same))
    columns = "method_a method_b mean_difference estimate conf_low conf_high statistic p_value p_adjusted significant"
    known = {
        "table": table,
        "pairs": pd.DataFrame(pairs, columns=columns.split()),
        "cliques": [tuple(names[place] for place in clique) for clique in cliques],
        "critical_difference": cd,
        "test": "wilcoxon" if cd is None else "nemenyi",
        "adjust": "holm" if cd is None else "none",
        "is_simultaneous": True,
        "control": None,
        "alpha": 0.05,
        "higher_is_better": True,
        "estimate_name": "mean difference of scores",
    }
    return SimpleNamespace(**{**known, **change})


def chained(k, name="m{}", cd=None, tie=False):
    """Methods at ranks 1.2, ..., each with two cliques of neighbours."""
    ranks = np.linspace(1.2, k - 0.3, k)
    if tie:
        ranks[k // 2] = ranks[k // 2 - 1]
    cliques = [tuple(range(start, min(start + 3, k))) for start in range(max(1, k - 2))]
    return comparison(ranks, cliques, name, cd)


def scores(k, n=20, name="m{}", seed=0, spread=0.03):
    rng = np.random.default_rng(seed)
    gaps = 0.8 - 0.02 * np.arange(k)
    frame = pd.DataFrame(gaps + rng.normal(0, spread, (n, k)), columns=[name.format(place) for place in range(k)])
    return frame.rename_axis("dataset")


def boxes(figure):
    """All visible texts of a drawn figure with their bounding boxes."""
    canvas = FigureCanvasAgg(figure)
    canvas.draw()
    unseen = set()
    for axes in figure.axes:
        for axis in (axes.xaxis, axes.yaxis):
            low, high = sorted(axis.get_view_interval())
            for tick in (*axis.get_major_ticks(), *axis.get_minor_ticks()):
                if not low <= tick.get_loc() <= high:
                    unseen |= {tick.label1, tick.label2}
    texts = [text for text in figure.findobj(Text) if text.get_visible() and text.get_text() and text not in unseen]
    return [(text.get_text(), text.get_window_extent(canvas.get_renderer())) for text in texts]


def assert_legible(figure):
    found = boxes(figure)
    assert len(found) > 3
    width, height = figure.bbox.size
    for words, box in found:
        assert box.x0 >= 0, words
        assert box.y0 >= 0, words
        assert box.x1 <= width, words
        assert box.y1 <= height, words
    for (words, box), (others, other) in combinations(found, 2):
        over = min(box.x1, other.x1) - max(box.x0, other.x0), min(box.y1, other.y1) - max(box.y0, other.y0)
        assert min(over) <= 0, f"{words!r} is on {others!r}"
    return found


def bars(axes):
    """Ends and height of each bar, and the dots on it."""
    blue = [line for line in axes.lines if line.get_color() == COLORS[0]]
    found = [line.get_xydata() for line in blue if line.get_marker() == "None"]
    dots = [line.get_xydata() for line in blue if line.get_marker() == "o"]
    assert len(found) == len(dots)
    for bar, members in zip(found, dots, strict=True):
        assert (members[:, 1] == bar[0, 1]).all()
        assert bar[0, 1] == bar[1, 1]
    return [(bar[0, 0], bar[1, 0], bar[0, 1], members[:, 0].tolist()) for bar, members in zip(found, dots, strict=True)]


def elbows(axes):
    return [line.get_xydata() for line in axes.lines if len(line.get_xdata()) == 3 and line.get_marker() == "None"]


def drawn(axes):
    """Dots, and ends of intervals by row."""
    dots = [tuple(line.get_xydata()[0]) for line in axes.lines if line.get_marker() == "o"]
    flat = [line.get_xydata() for line in axes.lines if line.get_marker() == "None"]
    lines = {line[0, 1]: (line[0, 0], line[1, 0]) for line in flat if line[0, 1] == line[1, 1]}
    return dots, lines


def cell_colors(axes):
    return np.asarray(axes.images[0].get_array())


# No formula (matplotlib cannot parse it), a name that legends omit, a formula, and an escape sequence of terminals.
MATH, UNDER, DOLLAR = "$x_$", "_under", "a\\$b$c_d$\x1b[31m"
LABELS = (MATH, UNDER, DOLLAR)
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
    numbers = {"estimate": 0.1, "paper": 0.2, "allowed": 0.1, "verdict": "agree"}
    return pd.DataFrame({"method": LABELS, "quantity": [MATH, MATH, DOLLAR], **numbers})


def wins():
    grid = [(x, y) for x in LABELS for y in LABELS]
    rows = [(x, y, y, x, 0.01, 0.02) for x, y in grid]
    return pd.DataFrame(rows, columns=[MATH, DOLLAR, "best", "second", "p_value", "p_adjusted"])


def accuracies():
    rows = [(s, k, m, 0.5, 0.1) for s in LABELS for k in (2, 4) for m in LABELS]
    return pd.DataFrame(rows, columns=["setting", "n_classes", "method", "accuracy", "std_error"])


def categories():
    """A leaderboard by two categories."""
    games = WINS.stack().reset_index().set_axis(["first", "second", "wins"], axis=1).query("wins > 0")
    both = pd.concat([games.assign(kind=MATH), games.assign(kind=DOLLAR)])
    model = BradleyTerry.from_comparisons(both, "first", "second", "wins")
    return model.fit().leaderboard(by="kind")


def logit():
    """A fit whose columns are named as the labels."""
    frame = pd.DataFrame(np.random.default_rng(0).normal(size=(30, 3)), columns=list(LABELS))
    return FirthLogit(np.tile([0, 0, 1, 1, 0, 1], 5), frame.assign(const=1.0)).fit()


R = [[0.5, 0.6, 0.7], [0.4, 0.5, 0.6], [0.3, 0.4, 0.5]]
PROBA = pd.DataFrame(np.full((3, 3), 1 / 3), index=LABELS, columns=LABELS)
WINS = pd.DataFrame([[0, 3, 2], [1, 0, 4], [2, 1, 0]], index=LABELS, columns=LABELS)
FIGURES = {
    "abilities": lambda: BradleyTerry(WINS).fit().plot(),
    "abilities, reference": lambda: BradleyTerry(WINS).fit(ref=DOLLAR).plot(),
    "leaderboard": lambda: BradleyTerry(WINS).fit().leaderboard("elo").plot(),
    "leaderboard, categories": lambda: plot.leaderboard(categories()),
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
    "profiles": lambda: plot.profiles(logit()),
    "roc": lambda: plot.roc([GaussianNB().fit(X[TWO], Y[TWO])] * 3, X[TWO], Y[TWO], names=LABELS),
    "samples": lambda: plot.samples({label: (FRAME, Y) for label in LABELS}),
    "score_intervals": lambda: plot.score_intervals(SCORES),
    "score_intervals, differences": lambda: plot.score_intervals(SCORES, "differences"),
    "score_intervals, control": lambda: plot.score_intervals(
        compare.compare_methods(SCORES, control=MATH), "differences"
    ),
    "significance_map": lambda: plot.significance_map(wins(), MATH, DOLLAR),
}

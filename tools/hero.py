"""Draw the picture of the README: a leaderboard, and SVM probabilities with and without pwcstats.

Writes docs/_static/hero.svg, with the two panels side by side, and docs/_static/hero-narrow.svg for phones, with one
above the other. Run it from the root of the repository: python tools/hero.py [FOLDER]
"""

import io
import re
import sys
import warnings
from pathlib import Path

import matplotlib as mpl

mpl.use("agg")

from matplotlib import pyplot
from sklearn.calibration import CalibratedClassifierCV
from sklearn.model_selection import StratifiedKFold, cross_val_predict
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from pwcstats import BradleyTerry, PairwiseClassifier, datasets, plot
from pwcstats.plot.style import FONT

FOLDER = Path(__file__).parents[1] / "docs" / "_static"
# Not one of the data sets on which the calibration of PairwiseClassifier was chosen: they would flatter it.
VEHICLES = "vehicle"
TITLE = {"fontsize": FONT + 2.5, "fontweight": "bold"}


def fit_votes():
    """Abilities of twelve models by the votes of users."""
    votes = datasets.load("arena").frame
    model = BradleyTerry.from_comparisons(votes, first="first", second="second", winner="winner", tie="tie")
    # The votes of a user are not independent.
    return model.fit(order_effect=True, ties="davidson", cov_type="cluster", cov_kwds={"groups": "user"})


def predict_vehicles():
    """Kinds of vehicles, and their cross-validated probabilities by three ways to get them from the same SVM."""
    loaded = datasets.load(VEHICLES)
    X, y = loaded.data, loaded.target.to_numpy()
    folds = StratifiedKFold(5, shuffle=True, random_state=0)
    learners = {
        "CalibratedClassifierCV": CalibratedClassifierCV(SVC(), ensemble=False),
        "SVC(probability=True)": SVC(probability=True, random_state=0),
        "PairwiseClassifier": PairwiseClassifier(SVC(), random_state=0),
    }
    proba = {}
    for name, learner in learners.items():
        clf = make_pipeline(StandardScaler(), learner)
        with warnings.catch_warnings():
            # Newer versions of scikit-learn deprecate probability=True.
            warnings.simplefilter("ignore", FutureWarning)
            proba[name] = cross_val_predict(clf, X, y, cv=folds, method="predict_proba")
    return y, proba


def draw_leaderboard(figure, res):
    """Twelve models with comparison intervals, rank sets and numbers of votes."""
    figure.suptitle(f"Which model is best? ({res.nobs:,.0f} votes)", **TITLE)
    res.plot(ranks=True, ax=figure.subplots())


def draw_reliability(figure, y, proba):
    """Predicted probabilities against shares of correct predictions."""
    figure.suptitle(f"Are SVM probabilities right? ({len(y):,} vehicles)", **TITLE)
    ax = plot.calibration(proba, y=y, ax=figure.subplots())
    ax.set_title("")
    place = {"loc": "lower right", "bbox_to_anchor": (1.03, 0.165)}
    ax.legend(**place, fontsize=FONT, edgecolor="none", handlelength=1.6, borderpad=0.1)


def main(folder=FOLDER):
    """Write both pictures; the same versions of the packages give the same bytes."""
    res, (y, proba) = fit_votes(), predict_vehicles()
    for name, size, shape in (("hero", (10.6, 4.7), (1, 2)), ("hero-narrow", (5.2, 9.2), (2, 1))):
        with mpl.rc_context({"svg.hashsalt": "pwcstats"}):
            figure = pyplot.figure(figsize=size, layout="constrained")
            figure.get_layout_engine().set(w_pad=0.08, h_pad=0.08)
            first, second = figure.subfigures(*shape, wspace=0.03, hspace=0.03)
            draw_leaderboard(first, res)
            draw_reliability(second, y, proba)
            picture = io.StringIO()
            # The text is black, so the picture needs a white background on dark pages.
            figure.savefig(picture, format="svg", facecolor="white", metadata={"Date": None})
            pyplot.close(figure)
        # matplotlib leaves spaces at the ends of lines.
        Path(folder, f"{name}.svg").write_text(re.sub(r" +\n", "\n", picture.getvalue()), encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])

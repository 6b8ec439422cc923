"""A picture of every function of pwcstats.plot, from the examples in its docstring, and the gallery of all of them."""

import doctest
import inspect

import matplotlib as mpl
from common import DOCS, GENERATED, summary_line, write_if_new
from matplotlib import pyplot
from sphinx.errors import ConfigError

from pwcstats import plot
from pwcstats.plot.style import figure_of

# The sections of the gallery, the pictures in each of them, and what a reader who cannot see them should know.
GALLERY = {
    "Rankings": {
        "abilities": (
            "Four items from ant, the best, to dog, the worst; each has a dot for its ability, a bar for its "
            "interval, and on the right the ranks that it may hold, for example 1 to 2, and its number of games."
        ),
        "leaderboard": (
            "Elo ratings of twelve language models from Maple, the best, to Fir, the worst. Each has four dots with "
            "intervals: overall, English, German and Spanish. On the right are its ranks and its number of games."
        ),
    },
    "Comparisons of methods": {
        "critical_difference": (
            "Mean ranks of three methods on a line. The methods nb and svm are joined by a bar, because they do "
            "not differ significantly; lda is better than both."
        ),
        "score_intervals": (
            "Differences between three methods, one row for each pair, with intervals. The two pairs with lda are "
            "coloured as significant; the interval of the third pair contains 0."
        ),
        "significance_map": (
            "Two maps of four cells over alpha and rho, by plain and by adjusted p-values. The letter and the "
            "colour of a cell name its best method; pale cells are not significant."
        ),
    },
    "Probabilities and predictions": {
        "calibration": (
            "Reliability diagram of two classifiers of breast cancers, with 95% intervals. The SVM has the lower "
            "log loss; its points are closer to the diagonal than those of naive Bayes. Histograms of the "
            "predictions are at the bottom."
        ),
        "coupling": (
            "Pairwise probabilities of three classes as a heat map; below, the class probabilities that two "
            "coupling methods give."
        ),
        "posteriors": (
            "Bars of the probabilities of the classes A, B and C by two methods. Naive Bayes predicts C, one "
            "against all predicts B."
        ),
        "profiles": (
            "Profiles of the coefficients NV and EH beside straight dashed lines for Wald's approximation. That of NV "
            "is clearly bent, and its interval reaches much further to the right than to the left."
        ),
        "roc": (
            "ROC curve with an area of about 0.93, and a dot for the sensitivity and the specificity of the "
            "predictions."
        ),
        "confusion": (
            "Confusion matrix of three classes of iris. Correct predictions, on the diagonal, are blue, wrong "
            "ones orange; seven of 150 are wrong."
        ),
    },
    "Pairwise and hybrid classifiers": {
        "decision_regions": (
            "Regions of three classes in the plane, twice. On the left, by votes, there is a hatched triangle "
            "without a decision; on the right, by coupled probabilities, there is none."
        ),
        "pair_choice": (
            "A 3 x 3 table of classes. Above the diagonal, colours show which of two learners was chosen for each "
            "pair, with its score; below the diagonal is its lead."
        ),
        "clusters": (
            "Points in the plane: hollow positives in the middle, and four clusters of negatives around them, "
            "each with its own colour and a line that separates it from the positives."
        ),
        "distances": (
            "Histograms of the distances of five ordered classes from the borders of four machines, one panel for "
            "each machine."
        ),
    },
    "Data and studies": {
        "samples": "Points of four classes in the plane for two settings, which differ in how far the classes overlap.",
        "boxes": "Two box plots of errors, one row for each rule; the errors of pairs are lower.",
        "error_map": "Errors of two methods over alpha and rho, as heat maps with the error in each cell.",
        "accuracy_by_classes": (
            "Accuracy of two coupling methods, which falls with the number of classes, with error bars."
        ),
        "beside_paper": (
            "Two of our errors with bars for the allowed difference. The first number of the paper is within the "
            "bar; the second, marked by a cross, is not."
        ),
        "one_against_all": (
            "For six data sets, bars of the share of cases that get another class or another ranking, and on the "
            "right differences in accuracy, whose bars mostly contain 0."
        ),
    },
}


def draw(app):
    """Draw the pictures, unless they are newer than the package, and write the gallery."""
    GENERATED.mkdir(exist_ok=True)
    functions = {name for name in plot.__all__ if callable(getattr(plot, name))}
    shown = {name for pictures in GALLERY.values() for name in pictures}
    if functions != shown:
        raise ConfigError(
            f"docs/_ext/pictures.py: GALLERY must list the functions of pwcstats.plot: {functions ^ shown}"
        )
    newest = max(path.stat().st_mtime for path in (DOCS.parent / "pwcstats").rglob("*.py"))
    # A reader's own style must not change the pictures.
    with mpl.rc_context({**mpl.rcParamsDefault, "backend": "agg", "svg.hashsalt": "pwcstats"}):
        for name in sorted(functions):
            path = GENERATED / f"{name}.svg"
            if not path.exists() or path.stat().st_mtime < newest:
                # White also where the page is dark, because the text is black.
                figure = figure_of(run_example(name))
                figure.savefig(path, facecolor="white", bbox_inches="tight", pad_inches=0.08, metadata={"Date": None})
                pyplot.close("all")
    write_if_new("gallery.inc", gallery())


def run_example(name):
    """The Axes that the example in a docstring draws."""
    names = {}
    for example in doctest.DocTestParser().get_examples(inspect.getdoc(getattr(plot, name))):
        if not example.options.get(doctest.SKIP):
            exec(example.source, names)
    drawn = names.get("axes", names.get("ax"))
    if drawn is None:
        raise ConfigError(f"the example of pwcstats.plot.{name} must call its result ax or axes")
    return drawn


def gallery():
    """Cards with a picture, the first line of the docstring and a link, by section."""
    lines = []
    for section, pictures in GALLERY.items():
        lines += [section, "-" * len(section), "", ".. grid:: 1 1 2 2", "   :gutter: 3", ""]
        for name, alt in pictures.items():
            lines += [
                f"   .. grid-item-card:: {name}",
                f"      :link: pwcstats.plot.{name}",
                "      :link-type: any",
                f"      :img-bottom: /generated/{name}.svg",
                f"      :img-alt: {alt}",
                "",
                f"      {summary_line(getattr(plot, name))}",
                "",
            ]
    return lines


def show(app, what, name, function, options, lines):
    """Put the picture below the examples."""
    module, _, figure = name.rpartition(".")
    if module == "pwcstats.plot":
        for pictures in GALLERY.values():
            if figure in pictures:
                lines += ["", f".. image:: /generated/{figure}.svg", f"   :alt: {pictures[figure]}", ""]


def setup(app):
    app.connect("builder-inited", draw)
    app.connect("autodoc-process-docstring", show, priority=900)  # after numpydoc
    return {"parallel_read_safe": True, "parallel_write_safe": True}

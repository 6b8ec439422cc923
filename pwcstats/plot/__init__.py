"""Pictures: each function draws one and returns its matplotlib Axes, or an array of them if there are several panels.

Notebooks show the picture. In a script, save it with ``ax.figure.savefig``, or show it with
``matplotlib.pyplot.show()``. The argument `ax` takes Axes of your own to draw in.

Names in the data (of classes, items, methods, columns) are shown as they are, including dollar signs. Titles and labels
of axes that you pass may contain formulas in matplotlib's notation.
"""

from pwcstats.plot.abilities import abilities, leaderboard
from pwcstats.plot.boxes import boxes
from pwcstats.plot.choices import pair_choice
from pwcstats.plot.confusion import confusion
from pwcstats.plot.curves import roc
from pwcstats.plot.groups import clusters
from pwcstats.plot.maps import significance_map
from pwcstats.plot.margins import distances
from pwcstats.plot.papers import accuracy_by_classes, beside_paper, error_map, one_against_all
from pwcstats.plot.points import samples
from pwcstats.plot.probabilities import coupling, posteriors
from pwcstats.plot.profiles import profiles
from pwcstats.plot.ranks import critical_difference
from pwcstats.plot.regions import decision_regions
from pwcstats.plot.reliability import calibration
from pwcstats.plot.scores import score_intervals
from pwcstats.plot.style import COLORS, MARKERS

__all__ = [
    "COLORS",
    "MARKERS",
    "abilities",
    "accuracy_by_classes",
    "beside_paper",
    "boxes",
    "calibration",
    "clusters",
    "confusion",
    "coupling",
    "critical_difference",
    "decision_regions",
    "distances",
    "error_map",
    "leaderboard",
    "one_against_all",
    "pair_choice",
    "posteriors",
    "profiles",
    "roc",
    "samples",
    "score_intervals",
    "significance_map",
]


def __dir__() -> list[str]:
    return __all__

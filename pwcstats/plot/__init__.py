"""Every figure, one function each."""

from pwcstats.plot.choices import pair_choice
from pwcstats.plot.curves import roc
from pwcstats.plot.groups import clusters
from pwcstats.plot.margins import distances
from pwcstats.plot.regions import decision_regions
from pwcstats.plot.reliability import calibration
from pwcstats.plot.style import COLORS, MARKERS
from pwcstats.plot.tables import abilities, accuracy_by_classes, coupling

__all__ = [
    "COLORS",
    "MARKERS",
    "abilities",
    "accuracy_by_classes",
    "calibration",
    "clusters",
    "coupling",
    "decision_regions",
    "distances",
    "pair_choice",
    "roc",
]

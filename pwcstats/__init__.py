"""Statistics of pairs: probabilities from one classifier per pair of classes, rankings from paired comparisons."""

from importlib.metadata import version

from pwcstats._results import TestResult
from pwcstats.bradley_terry import BootstrapResult, BradleyTerry, BradleyTerryResults
from pwcstats.coupling import CouplingResult, couple
from pwcstats.errors import ConvergenceWarning, InputError, PwcError, SeparationWarning

__version__ = version("pwcstats")
__all__ = [
    "BootstrapResult",
    "BradleyTerry",
    "BradleyTerryResults",
    "ConvergenceWarning",
    "CouplingResult",
    "InputError",
    "PwcError",
    "SeparationWarning",
    "TestResult",
    "couple",
]

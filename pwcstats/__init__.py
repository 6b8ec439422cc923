"""Statistics of pairs: class probabilities from one classifier per pair of classes."""

from importlib.metadata import version

from pwcstats.coupling import CouplingResult, couple
from pwcstats.errors import ConvergenceWarning, InputError, PwcError, SeparationWarning

__version__ = version("pwcstats")
__all__ = ["ConvergenceWarning", "CouplingResult", "InputError", "PwcError", "SeparationWarning", "couple"]

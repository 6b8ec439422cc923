"""Statistics of pairs: probabilities from one classifier per pair of classes, rankings from paired comparisons."""

from importlib.metadata import version

from pwcstats._results import TestResult
from pwcstats.bradley_terry import BootstrapResult, BradleyTerry, BradleyTerryResults
from pwcstats.classify import HybridClassifier, OrdinalHybridClassifier, PairwiseClassifier
from pwcstats.coupling import CouplingResult, couple
from pwcstats.errors import (
    ConvergenceWarning,
    FailedCellWarning,
    FewClustersWarning,
    InputError,
    PwcError,
    SeparationWarning,
)
from pwcstats.logit import (
    ContinuationRatio,
    ContinuationRatioResults,
    FirthLogit,
    FirthLogitResults,
    FirthMNLogit,
    FirthMNLogitResults,
    IndividualizedResults,
    OrderedLogit,
    OrderedLogitResults,
    SeparationResult,
    StepwiseResult,
    detect_separation,
    individualized_mnlogit,
    stepwise,
)

__version__ = version("pwcstats")
__all__ = [
    "BootstrapResult",
    "BradleyTerry",
    "BradleyTerryResults",
    "ContinuationRatio",
    "ContinuationRatioResults",
    "ConvergenceWarning",
    "CouplingResult",
    "FailedCellWarning",
    "FewClustersWarning",
    "FirthLogit",
    "FirthLogitResults",
    "FirthMNLogit",
    "FirthMNLogitResults",
    "HybridClassifier",
    "IndividualizedResults",
    "InputError",
    "OrderedLogit",
    "OrderedLogitResults",
    "OrdinalHybridClassifier",
    "PairwiseClassifier",
    "PwcError",
    "SeparationResult",
    "SeparationWarning",
    "StepwiseResult",
    "TestResult",
    "couple",
    "detect_separation",
    "individualized_mnlogit",
    "stepwise",
]

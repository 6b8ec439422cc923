"""Statistics of pairs: probabilities from one classifier per pair of classes, rankings from paired comparisons.

Couple pairwise probabilities
    couple                      class probabilities from the probabilities of each pair
Classify
    PairwiseClassifier          one learner for each pair of classes, chosen, calibrated and coupled
    BiasedNeighborsClassifier   nearest neighbours of two classes, with a bias of their own for each pair
    HybridClassifier            local machines and a logistic model of their distances
    OrdinalHybridClassifier     the same for ordered classes
Rank
    BradleyTerry                abilities from paired comparisons, with ties, order effects and covariates
    PlackettLuce                abilities from rankings of any length, with ties
    Leaderboard                 ranks that each item may hold, and ratings, by category
Model
    FirthLogit, FirthMNLogit    logistic regression that is finite for separated data
    FirthClassifier             the same as a scikit-learn classifier
    AdjacentCategories          each ordered class against the class below it
    ContinuationRatio           sequential model for ordered classes
    OrderedLogit                proportional odds for ordered classes
    individualized_mnlogit      multinomial coefficients from binary fits
    detect_separation           whether and why estimates are infinite
    stepwise                    selection of covariates
Compare methods
    compare_methods             the test that suits the design, with corrections for many comparisons
    benchmark                   cross-validated scores of methods on data sets
    compare                     all tests: paired_t, mcnemar, wilcoxon, friedman, ...

Submodules: `compare`, `datasets`, `plot`, `studies` (the papers' tables and figures), `r` (R's classifiers, needs
rpy2), `errors`. The command line is ``pwcstats --help``. Names are imported when they are first used.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pwcstats import bradley_terry as bradley_terry
    from pwcstats import compare as compare
    from pwcstats import coupling as coupling
    from pwcstats import datasets as datasets
    from pwcstats import errors as errors
    from pwcstats import hybrid as hybrid
    from pwcstats import logit as logit
    from pwcstats import pairwise as pairwise
    from pwcstats import plot as plot
    from pwcstats import r as r
    from pwcstats import studies as studies
    from pwcstats._results import TestResult as TestResult
    from pwcstats.bradley_terry import BootstrapResult as BootstrapResult
    from pwcstats.bradley_terry import BradleyTerry as BradleyTerry
    from pwcstats.bradley_terry import BradleyTerryResults as BradleyTerryResults
    from pwcstats.bradley_terry import ContrastsResult as ContrastsResult
    from pwcstats.bradley_terry import Leaderboard as Leaderboard
    from pwcstats.bradley_terry import MixedBradleyTerryResults as MixedBradleyTerryResults
    from pwcstats.bradley_terry import PlackettLuce as PlackettLuce
    from pwcstats.bradley_terry import PlackettLuceResults as PlackettLuceResults
    from pwcstats.compare import benchmark as benchmark
    from pwcstats.compare import compare_methods as compare_methods
    from pwcstats.coupling import CouplingResult as CouplingResult
    from pwcstats.coupling import couple as couple
    from pwcstats.errors import AliasedWarning as AliasedWarning
    from pwcstats.errors import ConvergenceWarning as ConvergenceWarning
    from pwcstats.errors import FailedCellWarning as FailedCellWarning
    from pwcstats.errors import FewClustersWarning as FewClustersWarning
    from pwcstats.errors import InputError as InputError
    from pwcstats.errors import LeftOutWarning as LeftOutWarning
    from pwcstats.errors import PwcError as PwcError
    from pwcstats.errors import PwcWarning as PwcWarning
    from pwcstats.errors import SeparationWarning as SeparationWarning
    from pwcstats.hybrid import HybridClassifier as HybridClassifier
    from pwcstats.hybrid import OrdinalHybridClassifier as OrdinalHybridClassifier
    from pwcstats.logit import AdjacentCategories as AdjacentCategories
    from pwcstats.logit import AdjacentCategoriesResults as AdjacentCategoriesResults
    from pwcstats.logit import ContinuationRatio as ContinuationRatio
    from pwcstats.logit import ContinuationRatioResults as ContinuationRatioResults
    from pwcstats.logit import FirthLogit as FirthLogit
    from pwcstats.logit import FirthLogitResults as FirthLogitResults
    from pwcstats.logit import FirthMNLogit as FirthMNLogit
    from pwcstats.logit import FirthMNLogitResults as FirthMNLogitResults
    from pwcstats.logit import IndividualizedResults as IndividualizedResults
    from pwcstats.logit import OrderedLogit as OrderedLogit
    from pwcstats.logit import OrderedLogitResults as OrderedLogitResults
    from pwcstats.logit import SeparationResult as SeparationResult
    from pwcstats.logit import StepwiseResult as StepwiseResult
    from pwcstats.logit import detect_separation as detect_separation
    from pwcstats.logit import individualized_mnlogit as individualized_mnlogit
    from pwcstats.logit import stepwise as stepwise
    from pwcstats.logit.classifier import FirthClassifier as FirthClassifier
    from pwcstats.pairwise import BiasedNeighborsClassifier as BiasedNeighborsClassifier
    from pwcstats.pairwise import PairwiseClassifier as PairwiseClassifier

# Where the public names live. The imports above repeat it for editors and type checkers; a test compares the two.
_HOME = {
    "AdjacentCategories": "logit",
    "AdjacentCategoriesResults": "logit",
    "AliasedWarning": "errors",
    "BiasedNeighborsClassifier": "pairwise",
    "BootstrapResult": "bradley_terry",
    "BradleyTerry": "bradley_terry",
    "BradleyTerryResults": "bradley_terry",
    "ContinuationRatio": "logit",
    "ContinuationRatioResults": "logit",
    "ContrastsResult": "bradley_terry",
    "ConvergenceWarning": "errors",
    "CouplingResult": "coupling",
    "FailedCellWarning": "errors",
    "FewClustersWarning": "errors",
    # Not in logit itself, which needs no scikit-learn.
    "FirthClassifier": "logit.classifier",
    "FirthLogit": "logit",
    "FirthLogitResults": "logit",
    "FirthMNLogit": "logit",
    "FirthMNLogitResults": "logit",
    "HybridClassifier": "hybrid",
    "IndividualizedResults": "logit",
    "InputError": "errors",
    "Leaderboard": "bradley_terry",
    "LeftOutWarning": "errors",
    "MixedBradleyTerryResults": "bradley_terry",
    "OrderedLogit": "logit",
    "OrderedLogitResults": "logit",
    "OrdinalHybridClassifier": "hybrid",
    "PairwiseClassifier": "pairwise",
    "PlackettLuce": "bradley_terry",
    "PlackettLuceResults": "bradley_terry",
    "PwcError": "errors",
    "PwcWarning": "errors",
    "SeparationResult": "logit",
    "SeparationWarning": "errors",
    "StepwiseResult": "logit",
    "TestResult": "_results",
    "benchmark": "compare",
    "compare_methods": "compare",
    "couple": "coupling",
    "detect_separation": "logit",
    "individualized_mnlogit": "logit",
    "stepwise": "logit",
}
_SUBMODULES = (
    "bradley_terry",
    "compare",
    "coupling",
    "datasets",
    "errors",
    "hybrid",
    "logit",
    "pairwise",
    "plot",
    "studies",
)
# It needs rpy2, so completion does not offer it.
_OPTIONAL = ("r",)

__all__ = [*_HOME]


def __getattr__(name: str) -> Any:
    """Import a public name when it is first used (PEP 562)."""
    if name == "__version__":
        from importlib.metadata import version

        found: Any = version("pwcstats")
    elif name == "_native":
        try:
            found = import_module("pwcstats._native")
        except ModuleNotFoundError:
            raise ImportError(
                f"the folder {__path__[0]} has the sources of pwcstats, which are not compiled there; leave this "
                "folder to use the installed package, or install the sources with pip install -e ."
            ) from None
    elif name in _HOME:
        found = getattr(import_module(f"pwcstats.{_HOME[name]}"), name)
    elif name in (*_SUBMODULES, *_OPTIONAL):
        found = import_module(f"pwcstats.{name}")
    else:
        raise AttributeError(f"module 'pwcstats' has no attribute {name!r}")
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return sorted([*_HOME, *_SUBMODULES, "__doc__", "__version__"])

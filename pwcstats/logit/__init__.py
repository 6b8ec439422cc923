"""Logistic regression for separated data: binary, multinomial and ordinal models, separation, selection of terms."""

from pwcstats.logit.adjacent import AdjacentCategories
from pwcstats.logit.adjacent_results import AdjacentCategoriesResults
from pwcstats.logit.continuation_results import ContinuationRatioResults
from pwcstats.logit.firth import FirthLogit, FirthLogitResults
from pwcstats.logit.individualized import IndividualizedResults, individualized_mnlogit
from pwcstats.logit.multinomial import FirthMNLogit, FirthMNLogitResults
from pwcstats.logit.ordered import OrderedLogit
from pwcstats.logit.ordered_results import OrderedLogitResults
from pwcstats.logit.ordinal import ContinuationRatio
from pwcstats.logit.selection import StepwiseResult, stepwise
from pwcstats.logit.separation import SeparationResult, detect_separation

__all__ = [
    "AdjacentCategories",
    "AdjacentCategoriesResults",
    "ContinuationRatio",
    "ContinuationRatioResults",
    "FirthLogit",
    "FirthLogitResults",
    "FirthMNLogit",
    "FirthMNLogitResults",
    "IndividualizedResults",
    "OrderedLogit",
    "OrderedLogitResults",
    "SeparationResult",
    "StepwiseResult",
    "detect_separation",
    "individualized_mnlogit",
    "stepwise",
]

"""Statistically valid comparisons of methods.

`benchmark` scores methods on data sets, and `compare_methods` compares the scores with the test that suits the design.
The single tests, `adjust` for p-values and `winners` are public, too.
"""

from pwcstats._multiplicity import ADJUSTMENTS, adjust
from pwcstats.compare.answers import cochran_q, mcnemar
from pwcstats.compare.bayes import BayesResult, bayes_correlated_t, bayes_signed_rank
from pwcstats.compare.comparison import compare_methods
from pwcstats.compare.comparison_result import ComparisonResult
from pwcstats.compare.means import corrected_resampled_t, cv5x2_f, cv5x2_t, paired_t
from pwcstats.compare.ranks import FriedmanResult, RankTests, friedman, mean_ranks, nemenyi, rank_tests
from pwcstats.compare.registry import TESTS
from pwcstats.compare.runner import benchmark
from pwcstats.compare.signs import sign, wilcoxon
from pwcstats.compare.winners import winners

__all__ = [
    "ADJUSTMENTS",
    "TESTS",
    "BayesResult",
    "ComparisonResult",
    "FriedmanResult",
    "RankTests",
    "adjust",
    "bayes_correlated_t",
    "bayes_signed_rank",
    "benchmark",
    "cochran_q",
    "compare_methods",
    "corrected_resampled_t",
    "cv5x2_f",
    "cv5x2_t",
    "friedman",
    "mcnemar",
    "mean_ranks",
    "nemenyi",
    "paired_t",
    "rank_tests",
    "sign",
    "wilcoxon",
    "winners",
]


def __dir__() -> list[str]:
    return __all__

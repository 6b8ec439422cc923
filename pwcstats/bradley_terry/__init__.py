"""Bradley–Terry models of paired comparisons.

Data: `reading` reads comparisons, `table` counts them by pair. Model: `spec`, `covariates`, `likelihood` and
`existence`. Results: `covariance`, `profile`, `hypotheses`, `quasi`, `rank_sets`, `resampling` and `goodness`. Models
with random effects are in `mixed`.
"""

from pwcstats.bradley_terry.mixed import MixedBradleyTerryResults
from pwcstats.bradley_terry.model import BradleyTerry
from pwcstats.bradley_terry.resampling import BootstrapResult
from pwcstats.bradley_terry.results import BradleyTerryResults

__all__ = ["BootstrapResult", "BradleyTerry", "BradleyTerryResults", "MixedBradleyTerryResults"]

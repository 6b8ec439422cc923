"""Bradley–Terry models of paired comparisons.

Data: `reading` reads comparisons, `table` counts them by pair. Model: `spec`, `covariates`, `likelihood` and
`existence`. Results: `covariance`, `abilities`, `profile`, `hypotheses`, `contrasts`, `quasi`, `rank_sets`,
`leaderboard`, `residuals`, `resampling`, `simulation`, `goodness` and `updating`.
"""

from pwcstats.bradley_terry.contrasts import ContrastsResult
from pwcstats.bradley_terry.leaderboard import Leaderboard
from pwcstats.bradley_terry.model import BradleyTerry
from pwcstats.bradley_terry.resampling import BootstrapResult
from pwcstats.bradley_terry.results import BradleyTerryResults

__all__ = ["BootstrapResult", "BradleyTerry", "BradleyTerryResults", "ContrastsResult", "Leaderboard"]

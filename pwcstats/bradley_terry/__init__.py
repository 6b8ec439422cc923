"""Bradley–Terry models of paired comparisons, and Plackett–Luce models of rankings.

Comparisons: `reading` reads them, `table` counts them by pair; `spec`, `covariates`, `contests`, `ties`, `methods`,
`likelihood` and `existence` are the model. Rankings: `orderings` reads them; `choices` has the likelihood,
`ranking_existence` and `ranking_covariance` the rest. Results: `ability_results` is what both have in common;
`covariance`, `abilities`, `profile`, `hypotheses`, `contrasts`, `quasi`, `rank_sets`, `leaderboard`, `residuals`,
`resampling`, `simulation`, `goodness` and `updating` have a subject each. Models with random effects are in
`mixed`.
"""

from pwcstats.bradley_terry.contrasts import ContrastsResult
from pwcstats.bradley_terry.leaderboard import Leaderboard
from pwcstats.bradley_terry.mixed import MixedBradleyTerryResults
from pwcstats.bradley_terry.model import BradleyTerry
from pwcstats.bradley_terry.plackett_luce import PlackettLuce
from pwcstats.bradley_terry.ranking_results import PlackettLuceResults
from pwcstats.bradley_terry.resampling import BootstrapResult
from pwcstats.bradley_terry.results import BradleyTerryResults

__all__ = [
    "BootstrapResult",
    "BradleyTerry",
    "BradleyTerryResults",
    "ContrastsResult",
    "Leaderboard",
    "MixedBradleyTerryResults",
    "PlackettLuce",
    "PlackettLuceResults",
]

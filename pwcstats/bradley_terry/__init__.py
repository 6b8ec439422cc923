"""Bradley–Terry models of paired comparisons, and Plackett–Luce models of rankings.

What users see: `model` and `results`; `mixed` for random effects; `plackett_luce` and `ranking_results` for rankings.
`ability_results` has what all results share.

Comparisons: `frames` opens data of any library, `habits` finds columns by their names, `reading` checks the rows (the
errors about single rows are in `faults`), `sources` combines several data sets, `parts` selects rows or items, and
`table` counts wins by pair.

The model: `spec` checks the options of a fit; `ties` and `methods` are the tables of models of ties and of methods of
estimation; `covariates`, `contests` and `formulas` read covariates; `existence` checks whether estimates are finite,
`likelihood` finds them, and `covariance` adds standard errors.

Rankings: `orderings` reads them, and `choices` splits them into choices and has the likelihood. `ranking_existence` and
`ranking_covariance` correspond to `existence` and `covariance`.

Methods of the results, one subject each: `abilities`, `profile`, `hypotheses`, `contrasts`, `quasi`, `rank_sets`,
`leaderboard`, `residuals`, `resampling`, `simulation`, `goodness`, `updating` and `summary`.
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

"""Bradley–Terry models of paired comparisons."""

from pwcstats.bradley_terry.bootstrap import BootstrapResult
from pwcstats.bradley_terry.model import BradleyTerry
from pwcstats.bradley_terry.results import BradleyTerryResults

__all__ = ["BootstrapResult", "BradleyTerry", "BradleyTerryResults"]

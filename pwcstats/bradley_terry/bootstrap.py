"""Bootstrap of Bradley–Terry fits: comparisons, rows or groups are drawn again, and the model is fitted again."""

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
import pandas as pd
from joblib import effective_n_jobs
from numpy.typing import NDArray
from scipy import stats
from sklearn.utils.parallel import delayed
from tqdm import tqdm

from pwcstats import _params
from pwcstats._arrays import Array
from pwcstats._jobs import in_parallel
from pwcstats._kernels.blas import threads_for
from pwcstats.bradley_terry import checks as fits
from pwcstats.bradley_terry import reading as comparisons
from pwcstats.bradley_terry.likelihood import Likelihood, Point
from pwcstats.bradley_terry.table import Table, halve_ties, make_table
from pwcstats.errors import ConvergenceWarning, FewClustersWarning, InputError

if TYPE_CHECKING:
    from pwcstats.bradley_terry.estimates import Estimates
    from pwcstats.bradley_terry.results import BradleyTerryResults

T = TypeVar("T")

# Larger numbers of comparisons are not exact.
LARGEST_COUNT = 2.0**53


@dataclass(frozen=True)
class BootstrapResult:
    """Parameters of the model, fitted to data drawn anew.

    Attributes
    ----------
    params : DataFrame of shape (n, parameters)
        One row for each draw; missing where the draw had no finite estimate.
    n_failed : int
        Number of those draws. They have items that only won or only lost, so intervals from the others are too short on
        that side; where they are not few, use ``method="firth"``.
    estimate : Series
        Parameters of the fit itself.
    n_units : int
        Number of comparisons, rows or groups that each draw consists of.
    """

    params: pd.DataFrame
    n_failed: int
    estimate: pd.Series
    n_units: int

    def __repr__(self) -> str:
        return f"<BootstrapResult: {len(self.params)} draws, {self.n_failed} failed, {self.params.shape[1]} parameters>"

    @property
    def bse(self) -> pd.Series:
        """Bootstrap standard errors."""
        return self.params.std(ddof=1).rename("bse")

    def conf_int(self, alpha: float = 0.05, method: str = "percentile") -> pd.DataFrame:
        """Confidence intervals of the parameters.

        Parameters
        ----------
        alpha : float
            Significance level; intervals have level 1 - alpha.
        method : {"percentile", "t"}
            Quantiles of the draws; or the estimate plus and minus a quantile of the t distribution, with `n_units` - 1
            degrees of freedom, times the bootstrap standard error. With few groups, percentile
            intervals are too narrow; use "t".

        Returns
        -------
        DataFrame
            Lower and upper bounds in columns 0 and 1.

        Notes
        -----
        With `n_units` units the bootstrap variance is too small by a factor of about (`n_units` - 1) / `n_units`; "t"
        corrects for this.
        """
        _params.choice(method, ("percentile", "t"), "method")
        _params.level(alpha, "alpha")
        if method == "t":
            half = stats.t.isf(alpha / 2.0, self.n_units - 1) * np.sqrt(self.n_units / (self.n_units - 1)) * self.bse
            return pd.DataFrame({0: self.estimate - half, 1: self.estimate + half})
        bounds = self.params.quantile([alpha / 2.0, 1.0 - alpha / 2.0]).T
        bounds.columns = pd.Index([0, 1])
        return bounds


@dataclass(frozen=True)
class Sampler:
    """Draws counts of the table's cells: comparisons (no `cell`), or units with their weights."""

    counts: Array
    cell: NDArray[np.int64] | None
    weight: Array
    unit: NDArray[np.int64]
    n_units: int

    def draw(self, seed: np.random.SeedSequence) -> Array:
        """Counts of one draw."""
        rng = np.random.default_rng(seed)
        flat = self.counts.ravel()
        if self.cell is None:
            return rng.multinomial(self.n_units, flat / flat.sum()).reshape(-1, 3).astype(np.float64)
        times = rng.multinomial(self.n_units, np.full(self.n_units, 1.0 / self.n_units))
        return np.bincount(self.cell, self.weight * times[self.unit], len(flat)).reshape(-1, 3).astype(np.float64)


def bootstrap(
    results: "BradleyTerryResults", n: int, n_jobs: int | None, random_state: Any, groups: Any, progress: bool
) -> BootstrapResult:
    """Draw and fit n times; the same seed gives the same numbers for every `n_jobs`."""
    sampler, table = _sampler(results, groups)
    nothing = np.full(len(results.params), np.nan)

    def draw(seed: np.random.SeedSequence) -> Array:
        fit = refit(results, table, sampler.draw(seed))
        return nothing if fit is None else results._reported(fit[1].params)

    seeds = np.random.SeedSequence(random_state).spawn(n)
    params = np.array(for_each_seed(draw, seeds, n_jobs, progress, table.n_items))
    n_failed = int(np.isnan(params).any(axis=1).sum())
    if 2 * n_failed > n:
        raise InputError(
            f"{n_failed} of {n} bootstrap draws have no finite estimate, so that the others say little; "
            f"{_cure(results)}."
        )
    if n_failed:
        warnings.warn(
            f"{n_failed} of {n} bootstrap draws have no finite estimate and are left out, so that intervals "
            f"of the abilities concerned are too short; if they are not few, {_cure(results)}.",
            ConvergenceWarning,
            stacklevel=3,
        )
    if groups is not None and sampler.n_units < fits.FEW_CLUSTERS:
        warnings.warn(
            f"the bootstrap draws only {sampler.n_units} groups, so that percentile intervals are too short; use "
            "conf_int(method='t').",
            FewClustersWarning,
            stacklevel=3,
        )
    return BootstrapResult(
        pd.DataFrame(params, columns=results.params.index), n_failed, results.params.copy(), sampler.n_units
    )


def _cure(results: "BradleyTerryResults") -> str:
    if results.method == "firth":
        return "leave out items that met few others (a draw without them is not connected)"
    return "use method='firth'"


def _sampler(results: "BradleyTerryResults", groups: Any) -> tuple[Sampler, Table]:
    rows = results.model._rows
    cell = np.empty(len(rows.winner), np.int64)
    table = make_table(rows, False, cell)
    if groups is None and rows.counted:
        if table.counts.sum() > LARGEST_COUNT:
            raise InputError("the bootstrap draws at most 2^53 comparisons; divide the counts by a constant.")
        return Sampler(table.counts, None, np.empty(0), np.empty(0, np.int64), int(table.counts.sum())), table
    if groups is None and rows.n_units == 0:
        raise InputError(
            "the bootstrap draws comparisons again, and wins that are not whole numbers do not say how many "
            "there were; use from_comparisons with one row a comparison."
        )
    weight = rows.weight if len(rows.weight) else np.ones(len(cell))
    if groups is not None:
        unit = comparisons.read_groups(results.model._data, groups, rows)
        return Sampler(table.counts, cell, weight, unit, int(unit.max()) + 1), table
    # Rows that do not count are not drawn.
    kept, unit = np.unique(rows.unit, return_inverse=True) if len(rows.unit) else (cell, np.arange(len(cell)))
    return Sampler(table.counts, cell, weight, unit, len(kept)), table


def for_each_seed(
    work: Callable[[np.random.SeedSequence], T],
    seeds: list[np.random.SeedSequence],
    n_jobs: int | None,
    progress: bool,
    n_items: int,
) -> list[T]:
    """Call `work` with each seed, in order; the results do not depend on `n_jobs`."""
    size = max(1, len(seeds) // (8 * effective_n_jobs(n_jobs)))
    chunks = [seeds[k : k + size] for k in range(0, len(seeds), size)]
    # Threads: numba and LAPACK release the GIL, and nothing needs sending. parallel_config may choose otherwise.
    with threads_for(n_items):
        parts = in_parallel((delayed(_each)(work, chunk) for chunk in chunks), n_jobs, prefer="threads")
        return [result for part in tqdm(parts, total=len(chunks), disable=not progress) for result in part]


def _each(work: Callable[[np.random.SeedSequence], T], seeds: list[np.random.SeedSequence]) -> list[T]:
    return [work(seed) for seed in seeds]


def refit(results: "Estimates", table: Table, counts: Array) -> tuple[Likelihood, Point] | None:
    """Fit the model of `results` to other counts of `table`; None if there are no finite estimates."""
    spec = results.spec
    if spec.ties == "half":
        counts = halve_ties(counts)
    met = counts.any(axis=1)
    drawn = Table(table.n_items, table.first[met], table.second[met], table.ordered[met], counts[met])
    likelihood = results.model._likelihood(spec, drawn)
    try:
        fits.refuse_ties(spec.ties, float(drawn.counts[:, 2].sum()), float(drawn.counts.sum()), spec.method)
        results.model._check_existence(spec, likelihood)
    except InputError:
        return None
    ascent = likelihood.maximise(results.max_iter)
    return (likelihood, ascent.point) if ascent.converged else None

"""Resampling: the bootstrap, and fits to tables that are drawn at random."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, TypeVar, get_args

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from statsmodels.iolib.summary import Summary

from pwcstats import _params, _summary
from pwcstats._arrays import Array
from pwcstats._clusters import FEW_CLUSTERS
from pwcstats._kernels.blas import threads_for
from pwcstats._kernels.tails import Reference
from pwcstats._results import Result
from pwcstats.bradley_terry.existence import find_obstacle, find_separation
from pwcstats.bradley_terry.likelihood import Likelihood, Point, make_likelihood
from pwcstats.bradley_terry.reading import read_groups
from pwcstats.bradley_terry.spec import Spec
from pwcstats.bradley_terry.table import Table, halve_ties, tabulate
from pwcstats.errors import ConvergenceWarning, FewClustersWarning, InputError, arg, code, warn

if TYPE_CHECKING:
    from pwcstats.bradley_terry.results import BradleyTerryResults

T = TypeVar("T")
IntervalMethod = Literal["percentile", "t"]

# Larger numbers of comparisons are not exact.
LARGEST_COUNT = 2.0**53


@dataclass(frozen=True, repr=False)
class BootstrapResult(Result):
    """Bootstrap estimates of the parameters.

    Attributes
    ----------
    params : DataFrame of shape (n, parameters)
        Estimates, one row for each draw; missing if the draw has no finite estimate.
    n_failed : int
        Number of draws without a finite estimate. After maximum likelihood, these are mostly draws in which an item
        only won or only lost. Intervals from the other draws are then too short on that side; if many draws fail, use
        ``method="firth"``.
    estimate : Series
        Estimates from the data.
    n_units : int
        Number of comparisons, rows or groups in each draw.
    """

    params: pd.DataFrame
    n_failed: int
    estimate: pd.Series
    n_units: int

    @property
    def bse(self) -> pd.Series:
        """Bootstrap standard errors."""
        return self.params.std(ddof=1).rename("bse")

    def conf_int(self, alpha: float = 0.05, method: IntervalMethod = "percentile") -> pd.DataFrame:
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
        _params.level(alpha, "alpha")
        _params.choice(method, get_args(IntervalMethod), "method")
        if method == "t":
            half = Reference(self.n_units - 1).isf(alpha / 2.0) * np.sqrt(self.n_units / (self.n_units - 1)) * self.bse
            return pd.DataFrame({0: self.estimate - half, 1: self.estimate + half})
        bounds = self.params.quantile([alpha / 2.0, 1.0 - alpha / 2.0]).T
        bounds.columns = pd.Index([0, 1])
        return bounds

    def tidy(self, alpha: float = 0.05, method: IntervalMethod = "percentile") -> pd.DataFrame:
        """Estimates with bootstrap standard errors and confidence intervals, one row for each parameter.

        Parameters
        ----------
        alpha, method
            See :meth:`conf_int`.

        Returns
        -------
        DataFrame
            With the columns `term`, `estimate`, `std_error`, `conf_low` and `conf_high`.
        """
        bounds = self.conf_int(alpha, method)
        return pd.DataFrame(
            {
                "term": self.estimate.index,
                "estimate": self.estimate.to_numpy(),
                "std_error": self.bse.to_numpy(),
                "conf_low": bounds[0].to_numpy(),
                "conf_high": bounds[1].to_numpy(),
            }
        )

    def glance(self) -> pd.DataFrame:
        """Numbers of draws, of failed draws, and of units in each draw."""
        return pd.DataFrame({"n_draws": [len(self.params)], "n_failed": [self.n_failed], "n_units": [self.n_units]})

    def summary(self, alpha: float = 0.05, method: IntervalMethod = "percentile") -> Summary:
        """Summary with estimates, bootstrap standard errors and confidence intervals.

        Parameters
        ----------
        alpha, method
            See :meth:`conf_int`.

        Returns
        -------
        Summary
        """
        frame = self.tidy(alpha, method).set_index("term")
        frame.columns = pd.Index(["coef", "std err", f"[{alpha / 2:g}", f"{1 - alpha / 2:g}]"])
        left = [("Draws:", str(len(self.params))), ("Failed draws:", str(self.n_failed))]
        right = [("Units in each draw:", str(self.n_units)), ("Intervals:", method)]
        return _summary.report("Bootstrap Results", left, right, frame.map(lambda x: f"{x:.4f}"))


@dataclass(frozen=True)
class Sampler:
    """Draws counts for the table: single comparisons (if `cell` is None), or units with their weights."""

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
    results: "BradleyTerryResults",
    n: int = 1000,
    n_jobs: int | None = None,
    random_state: int | None = None,
    *,
    groups: Any = None,
    progress: bool = False,
) -> BootstrapResult:
    """Fit the model to data drawn with replacement.

    The units that are drawn are single comparisons or, if these have a `weight`, rows of the data. With `groups`,
    all rows of a group are drawn together.

    Parameters
    ----------
    n : int
        Number of draws.
    n_jobs : int, optional
        Number of jobs, as in joblib; the results do not depend on it.
    random_state : int, optional
        Seed.
    groups : column, optional
        A column of the data, or an array with one entry for each row.
    progress : bool
        Show a progress bar.

    Returns
    -------
    BootstrapResult
    """
    n, n_jobs, seed = _params.count(n, "n"), _params.jobs(n_jobs), _params.seed(random_state)
    sampler, table = _sampler(results, groups)
    missing = np.full(len(results.params), np.nan)

    def draw(one: np.random.SeedSequence) -> Array:
        fit = refit(results.spec, table, sampler.draw(one))
        return missing if fit is None else results._reported(fit[1].params)

    seeds = np.random.SeedSequence(seed).spawn(n)
    params = np.array(for_each_seed(draw, seeds, n_jobs, progress, table.n_items))
    n_failed = int(np.isnan(params).any(axis=1).sum())
    if n_failed:
        _report_failures(n_failed, n, results.spec)
    if groups is not None and sampler.n_units < FEW_CLUSTERS:
        warn(
            FewClustersWarning(
                f"the bootstrap draws only {sampler.n_units} groups, so percentile intervals are too short; use "
                f"{code('conf_int')} with {arg('method', 't')}."
            )
        )
    return BootstrapResult(
        pd.DataFrame(params, columns=results.params.index), n_failed, results.params.copy(), sampler.n_units
    )


def _report_failures(n_failed: int, n: int, spec: Spec) -> None:
    """Raise an error if most draws have no finite estimate, else warn."""
    failed = f"{n_failed} of {n} bootstrap draws have no finite estimate"
    if spec.firth:
        # Firth's estimates are finite unless the parameters of a draw are not identified.
        effect = "the others do not represent all draws"
        cure = "leave out items with few comparisons, because a draw without these comparisons is not connected"
    else:
        effect = "intervals of the abilities concerned are too short"
        cure = f"use {arg('method', 'firth')}"
    if 2 * n_failed > n:
        raise InputError(f"{failed}, which is more than half; {cure}.")
    warn(ConvergenceWarning(f"{failed} and are left out, so {effect}; if many draws fail, {cure}."))


def _sampler(results: "BradleyTerryResults", groups: Any) -> tuple[Sampler, Table]:
    rows = results.model._rows
    table, cell = tabulate(rows, results.spec.contest_values)
    if groups is None and rows.counted:
        if table.counts.sum() > LARGEST_COUNT:
            raise InputError("the bootstrap draws at most 2^53 comparisons; divide the counts by a constant.")
        return Sampler(table.counts, None, np.empty(0), np.empty(0, np.int64), int(table.counts.sum())), table
    if groups is None and rows.n_units == 0:
        raise InputError(
            "the bootstrap draws comparisons, but wins that are not whole numbers do not tell the number of "
            f"comparisons; use {code('from_comparisons')} with one row per comparison."
        )
    if groups is None and (rows.n_added > 1.0).any():
        raise InputError(
            "the bootstrap draws single rows, but rows with weights were added up by pair; give "
            f"{arg('groups')}, or a data frame in memory."
        )
    weight = rows.weights
    if groups is not None:
        unit = read_groups(results.model._data, groups, rows)
        return Sampler(table.counts, cell, weight, unit, int(unit.max()) + 1), table
    # Rows of weight 0 are not drawn.
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
    # A fit alone does not need these packages, and scikit-learn takes long to import.
    from joblib import effective_n_jobs
    from sklearn.utils.parallel import delayed
    from tqdm import tqdm

    from pwcstats._jobs import in_parallel

    size = max(1, len(seeds) // (8 * effective_n_jobs(n_jobs)))
    chunks = [seeds[k : k + size] for k in range(0, len(seeds), size)]
    # Threads: the kernels and LAPACK release the GIL, and no data is copied. parallel_config can set another backend.
    with threads_for(n_items):
        parts = in_parallel((delayed(_each)(work, chunk) for chunk in chunks), n_jobs, prefer="threads")
        return [result for part in tqdm(parts, total=len(chunks), disable=not progress) for result in part]


def _each(work: Callable[[np.random.SeedSequence], T], seeds: list[np.random.SeedSequence]) -> list[T]:
    return [work(seed) for seed in seeds]


def refit(spec: Spec, table: Table, counts: Array) -> tuple[Likelihood, Point] | None:
    """Fit a specification to other counts of `table`; None if there is no finite estimate."""
    drawn = table.with_counts(halve_ties(counts) if spec.tie_model.halves else counts)
    likelihood = make_likelihood(spec, drawn)
    if find_obstacle(spec, likelihood) is not None:
        return None
    ascent = likelihood.maximise(spec.maxiter)
    failed = not ascent.converged or find_separation(spec, likelihood, ascent) is not None
    return None if failed else (likelihood, ascent.point)

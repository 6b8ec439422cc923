"""Goodness of fit: the distance between the counts and the model, by chi-squared or by simulation."""

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np
from scipy import stats

from pwcstats import _params
from pwcstats._arrays import Array
from pwcstats._kernels import comparisons
from pwcstats._results import TestResult
from pwcstats.bradley_terry import checks as fits
from pwcstats.bradley_terry.bootstrap import LARGEST_COUNT, for_each_seed, refit
from pwcstats.bradley_terry.likelihood import Likelihood, Point
from pwcstats.errors import InputError

if TYPE_CHECKING:
    from pwcstats.bradley_terry.estimates import Estimates

Distance = Callable[[Array, Array], float]

P_VALUES = ("auto", "chi2", "bootstrap")
# Cochran's rule: chi-squared is trusted if no expected count is below 1 and at most a fifth of them are below 5.
LEAST_EXPECTED, SMALL_EXPECTED, SMALL_SHARE = 1.0, 5.0, 0.2
# Simulated tables with estimates that a p-value needs at least, and how many times as many are drawn to get them.
LEAST_DRAWS, MOST_TRIALS = 19, 20


def deviance(counts: Array, expected: Array) -> float:
    """Twice what the log-likelihood loses against a probability for each pair."""
    seen = counts > 0.0
    # Rounding may leave a little less than nothing.
    return max(float(2.0 * (counts[seen] * np.log(counts[seen] / expected[seen])).sum()), 0.0)


def pearson(counts: Array, expected: Array) -> float:
    """Squared differences between counts and what the model expects, divided by the latter."""
    kept = expected > 0.0
    return float(((counts[kept] - expected[kept]) ** 2 / expected[kept]).sum())


# By name: the distance, what R calls the statistic, and what the test is called.
STATISTICS: dict[str, tuple[Distance, str, str]] = {
    "pearson": (pearson, "X-squared", "Pearson's goodness of fit"),
    "deviance": (deviance, "deviance", "Deviance goodness of fit"),
}


def expected_counts(likelihood: Likelihood, point: Point) -> Array:
    """Wins, losses and ties that the model expects of each pair."""
    return _probabilities(likelihood, point) * likelihood.table.n[:, None]


def goodness_of_fit(
    results: "Estimates",
    statistic: str,
    p_value: str,
    n_draws: int,
    random_state: int | None,
    n_jobs: int | None,
    progress: bool,
) -> TestResult:
    """See :meth:`BradleyTerryResults.goodness_of_fit`."""
    _params.choice(statistic, tuple(STATISTICS), "statistic")
    _params.choice(p_value, P_VALUES, "p_value")
    n_draws, seed = _params.count(n_draws, "n_draws", LEAST_DRAWS), _params.seed(random_state)
    fits.refuse_robust(results, "a test of goodness of fit")
    if results.df_resid < 1:
        raise InputError("there are as many parameters as pairs that met, so that nothing is left to test the fit by.")
    distance, symbol, name = STATISTICS[statistic]
    table = results._likelihood.table
    observed = distance(table.counts, results._expected)
    by_order = ", by who went first," if table.ordered.any() else ""
    null = f"the probabilities of all pairs{by_order} follow the model"
    sparse, obstacle = _sparse(results), _obstacle(results)
    if p_value == "bootstrap" and obstacle:
        raise InputError(f"the fit cannot be simulated: {obstacle}; use p_value='chi2'.")
    if p_value == "bootstrap" or (p_value == "auto" and sparse and not obstacle):
        drawn, n_failed = _simulated(results, distance, n_draws, seed, n_jobs, progress)
        notes = [f"the p-value was simulated because {sparse}"] if p_value == "auto" else []
        if n_failed:
            notes.append(f"{n_failed} further tables had no finite estimates and were left out")
        return TestResult(
            statistic=observed,
            # The observed table is one of those that the model may give; ties are counted despite rounding.
            p_value=(1.0 + float((drawn >= observed * (1.0 - 1e-9)).sum())) / (1.0 + len(drawn)),
            method=f"{name} with simulated p-value (based on {len(drawn)} draws)",
            null=null,
            statistic_name=symbol,
            notes=tuple(notes),
        )
    doubt = f"the p-value is not reliable: {sparse}" + (f", and {obstacle}" if obstacle else "")
    return TestResult(
        statistic=observed,
        p_value=float(stats.chi2.sf(observed, results.df_resid)),
        df=results.df_resid,
        method=name,
        null=null,
        statistic_name=symbol,
        notes=(doubt,) if sparse else (),
    )


def _sparse(results: "Estimates") -> str:
    """What Cochran's rule has against chi-squared; empty if nothing."""
    expected = results._expected[:, : 3 if results.spec.davidson else 2]
    share = float((expected < SMALL_EXPECTED).mean())
    if share > SMALL_SHARE:
        return f"{100 * share:.0f}% of the expected counts are below {SMALL_EXPECTED:g}"
    if expected.min() < LEAST_EXPECTED:
        return f"the smallest expected count is {expected.min():.2g}"
    return ""


def _obstacle(results: "Estimates") -> str:
    """Why tables cannot be simulated from the fit; empty if they can."""
    if results.spec.ties == "half" and results.model._rows.tie.any():
        return "ties='half' has no probability of a tie"
    n = results._likelihood.table.n
    if np.any(n != np.round(n)) or n.sum() > LARGEST_COUNT:
        return "the numbers of comparisons are not whole numbers below 2^53"
    return ""


def _simulated(
    results: "Estimates", distance: Distance, n_draws: int, seed: int | None, n_jobs: int | None, progress: bool
) -> tuple[Array, int]:
    """Distances of tables drawn from the fitted model, each from its own fit; and how many had no finite estimates.

    Those are drawn again, since the observed table would not have been tested either if it had none.
    """
    table = results._likelihood.table
    p, n = _probabilities(results._likelihood, results._point), table.n.astype(np.int64)

    def draw(one: np.random.SeedSequence) -> float:
        counts = np.random.default_rng(one).multinomial(n, p).astype(np.float64)
        fit = refit(results, table, counts)
        return np.nan if fit is None else distance(counts, expected_counts(*fit))

    source = np.random.SeedSequence(seed)
    drawn, n_trials = np.empty(0), 0
    while len(drawn) < n_draws and n_trials < MOST_TRIALS * n_draws:
        seeds = source.spawn(n_draws - len(drawn))
        new = np.array(for_each_seed(draw, seeds, n_jobs, progress, table.n_items))
        drawn, n_trials = np.append(drawn, new[~np.isnan(new)]), n_trials + len(seeds)
    if len(drawn) < LEAST_DRAWS:
        raise InputError(
            f"only {len(drawn)} of {n_trials} simulated tables have finite estimates, too few for a p-value; use "
            "method='firth' for the fit, or p_value='chi2'."
        )
    return drawn, n_trials - len(drawn)


def _probabilities(likelihood: Likelihood, point: Point) -> Array:
    _, _, log_nu = likelihood.split(point.params)
    p = np.empty((len(likelihood.table.first), 3))
    comparisons.predict(likelihood.predictor(point.params), log_nu, p)
    return p

"""Goodness of fit: Pearson's statistic and the deviance, with p-values from chi-squared or by simulation."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Literal, get_args

import numpy as np

from pwcstats import _params
from pwcstats._arrays import Array
from pwcstats._kernels.tails import chi2_sf
from pwcstats._results import TestResult
from pwcstats.bradley_terry.hypotheses import check_nonrobust
from pwcstats.bradley_terry.likelihood import Likelihood, Point
from pwcstats.bradley_terry.resampling import for_each_seed, refit
from pwcstats.bradley_terry.simulation import count_sampler, find_obstacle
from pwcstats.errors import InputError, Message, arg

if TYPE_CHECKING:
    from pwcstats.bradley_terry.results import BradleyTerryResults

Distance = Callable[[Array, Array], float]

Statistic = Literal["pearson", "deviance"]
PValue = Literal["auto", "chi2", "bootstrap"]

# Cochran's rule: chi-squared is used if no expected count is below 1 and at most a fifth of them are below 5.
LEAST_EXPECTED, SMALL_EXPECTED, SMALL_SHARE = 1.0, 5.0, 0.2
# Least number of simulated tables for a p-value; and at most this many times the requested number is drawn, because
# some tables have no estimates.
LEAST_DRAWS, MOST_TRIALS = 19, 20


def deviance(counts: Array, expected: Array) -> float:
    """Twice the log-likelihood ratio to a model with one probability for each pair."""
    seen = counts > 0.0
    # Rounding may make it slightly negative.
    return max(float(2.0 * (counts[seen] * np.log(counts[seen] / expected[seen])).sum()), 0.0)


def pearson(counts: Array, expected: Array) -> float:
    """Sum of squared differences between observed and expected counts, divided by the expected counts."""
    kept = expected > 0.0
    return float(((counts[kept] - expected[kept]) ** 2 / expected[kept]).sum())


# For each statistic: the function, its symbol in R, and the name of the test.
STATISTICS: dict[str, tuple[Distance, str, str]] = {
    "pearson": (pearson, "X-squared", "Pearson's goodness of fit"),
    "deviance": (deviance, "deviance", "Deviance goodness of fit"),
}


def expected_counts(likelihood: Likelihood, point: Point) -> Array:
    """Expected wins, losses and ties of each pair."""
    return likelihood.probabilities(point.params) * likelihood.table.n[:, None]


def goodness_of_fit(
    results: "BradleyTerryResults",
    statistic: Statistic = "pearson",
    p_value: PValue = "auto",
    *,
    n_draws: int = 999,
    random_state: int | None = 0,
    n_jobs: int | None = None,
    progress: bool = False,
) -> TestResult:
    r"""Test of the model against a model with one probability for each pair.

    If it is known who went first, a pair has two probabilities, one for each order, whether or not the model has
    an order effect. The test can therefore detect an order effect that the model ignores.

    Parameters
    ----------
    statistic : {"pearson", "deviance"}
        Pearson's :math:`X^2`, the sum of (observed - expected)² / expected over the wins, losses and ties of each
        pair, or the deviance.
    p_value : {"auto", "chi2", "bootstrap"}
        From the chi-squared distribution with `df_resid` degrees of freedom, or from tables that are simulated
        from the fitted model and fitted in turn. "auto" simulates if expected counts are small, by Cochran's
        rule: one is below 1, or more than a fifth of them are below 5.
    n_draws : int
        Number of simulated tables.
    random_state : int or None
        Seed of the simulation. If None, the results differ from call to call.
    n_jobs : int, optional
        Number of jobs for the simulation, as in joblib; the result does not depend on it.
    progress : bool
        Show a progress bar.

    Returns
    -------
    TestResult
        Its `notes` say why the p-value was simulated, or why it is not reliable: tables cannot be simulated if
        numbers of comparisons are fractions, or from a fit with ``ties="half"`` to data with ties.

    Notes
    -----
    Chi-squared is a poor approximation of the deviance in sparse tables, where pairs met only a few times: with 12
    items and 5 games for each pair it rejects a true model in more than a quarter of all samples at the level 0.05.
    Pearson's statistic is closer to chi-squared, but not always close enough. A simulated p-value is the share of
    tables, including the observed one, whose statistic is at least as large [1]_. It is approximate, too, as the
    tables are drawn from estimates.

    References
    ----------
    .. [1] A. C. Davison and D. V. Hinkley, "Bootstrap Methods and their Application", Cambridge University Press,
       1997, section 4.2. https://doi.org/10.1017/CBO9780511802843
    """
    _params.choice(statistic, STATISTICS, "statistic")
    _params.choice(p_value, get_args(PValue), "p_value")
    n_draws, seed = _params.count(n_draws, "n_draws", LEAST_DRAWS), _params.seed(random_state)
    n_jobs = _params.jobs(n_jobs)
    check_nonrobust(results, "a test of goodness of fit")
    if results.spec.prior is not None:
        raise InputError(
            f"a test of goodness of fit needs unshrunken estimates, got {arg('method', results.method)}; fit with "
            f"{arg('method', 'mle')} or {arg('method', 'firth')}."
        )
    if results.df_resid < 1:
        raise InputError("there are as many parameters as pairs that met, so no degree of freedom is left for a test.")
    distance, symbol, name = STATISTICS[statistic]
    table = results._likelihood.table
    observed = distance(table.counts, results._expected)
    by_order = ", by who went first," if table.ordered.any() else ""
    what = "pairs" if results.spec.contest is None else "pairs and contest covariates"
    null = f"the probabilities of all {what}{by_order} follow the model"
    sparse, obstacle = _sparse(results), find_obstacle(results)
    if p_value == "bootstrap" and obstacle:
        raise InputError(f"the fit cannot be simulated: {obstacle}; use {arg('p_value', 'chi2')}.")
    if p_value == "bootstrap" or (p_value == "auto" and sparse and not obstacle):
        drawn, n_failed = _simulated(results, distance, n_draws, seed, n_jobs, progress)
        notes = [f"the p-value was simulated because {sparse}"] if p_value == "auto" else []
        if n_failed:
            notes.append(f"{n_failed} further tables had no finite estimates and were left out")
        return TestResult(
            statistic=observed,
            # The observed table counts as a draw. The factor counts equal statistics as such despite rounding.
            p_value=(1.0 + float((drawn >= observed * (1.0 - 1e-9)).sum())) / (1.0 + len(drawn)),
            method=f"{name} with simulated p-value (based on {len(drawn)} draws)",
            null=null,
            statistic_name=symbol,
            notes=tuple(map(Message, notes)),
        )
    doubt = f"the p-value is not reliable: {sparse}" + (f", and {obstacle}" if obstacle else "")
    return TestResult(
        statistic=observed,
        p_value=chi2_sf(observed, results.df_resid),
        df=results.df_resid,
        method=name,
        null=null,
        statistic_name=symbol,
        notes=(Message(doubt),) if sparse else (),
    )


def _sparse(results: "BradleyTerryResults") -> str:
    """How the expected counts violate Cochran's rule; empty if they do not."""
    expected = results._expected[:, : 3 if results.spec.tie_model.has_parameter else 2]
    share = float((expected < SMALL_EXPECTED).mean())
    if share > SMALL_SHARE:
        return f"{100 * share:.0f}% of the expected counts are below {SMALL_EXPECTED:g}"
    if expected.min() < LEAST_EXPECTED:
        return f"the smallest expected count is {expected.min():.2g}"
    return ""


def _simulated(
    results: "BradleyTerryResults",
    distance: Distance,
    n_draws: int,
    seed: int | None,
    n_jobs: int | None,
    progress: bool,
) -> tuple[Array, int]:
    """Statistics of tables drawn from the fitted model, and the number of tables without finite estimates.

    These are drawn again, because an observed table without finite estimates would not be tested either.
    """
    table = results._likelihood.table
    sample = count_sampler(results)

    def draw(one: np.random.SeedSequence) -> float:
        counts = sample(one)
        fit = refit(results.spec, table, counts)
        return np.nan if fit is None else distance(counts, expected_counts(*fit))

    source = np.random.SeedSequence(seed)
    drawn, n_trials = np.empty(0), 0
    while len(drawn) < n_draws and n_trials < MOST_TRIALS * n_draws:
        seeds = source.spawn(n_draws - len(drawn))
        new = np.array(for_each_seed(draw, seeds, n_jobs, progress, table.n_items))
        drawn, n_trials = np.append(drawn, new[~np.isnan(new)]), n_trials + len(seeds)
    if len(drawn) < LEAST_DRAWS:
        cure = "" if results.spec.firth else f"fit with {arg('method', 'firth')}, or "
        raise InputError(
            f"only {len(drawn)} of {n_trials} simulated tables have finite estimates, too few for a p-value; {cure}use "
            f"{arg('p_value', 'chi2')}."
        )
    return drawn, n_trials - len(drawn)

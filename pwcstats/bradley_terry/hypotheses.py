"""Tests of hypotheses about the parameters: contrasts, Wald tests and likelihood-ratio tests."""

from collections.abc import Hashable
from typing import TYPE_CHECKING, Any

import numpy as np

from pwcstats import _params
from pwcstats._arrays import Array, as_float
from pwcstats._kernels.tails import chi2_sf, f_sf
from pwcstats._results import TestResult
from pwcstats._text import listed, named, shown
from pwcstats.bradley_terry import covariance
from pwcstats.bradley_terry.table import same_comparisons
from pwcstats.errors import InputError, arg, code

if TYPE_CHECKING:
    from pwcstats.bradley_terry.ability_results import AbilityResults
    from pwcstats.bradley_terry.results import BradleyTerryResults


def standardised(results: "AbilityResults", z: float) -> dict[str, Any]:
    """Statistic, p-value and, if `use_t`, degrees of freedom of an estimate divided by its standard error."""
    found: dict[str, Any] = {"statistic": z, "p_value": float(2.0 * results._reference.sf(abs(z)))}
    return {**found, "df": results.df_resid_inference, "statistic_name": "t"} if results.use_t else found


def contrast(results: "AbilityResults", i: Hashable, j: Hashable, alpha: float = 0.05) -> TestResult:
    """Difference of the abilities of two items, with standard error, Wald interval and test.

    Parameters
    ----------
    i, j : item
        The difference is the ability of `i` minus the ability of `j`.
    alpha : float
        Significance level; the interval has level 1 - alpha.

    Returns
    -------
    TestResult
    """
    _params.level(alpha, "alpha")
    check_finite(results)
    items, ability = results.model.items, results._ability
    a, b = _params.index_of(i, items, "i"), _params.index_of(j, items, "j")
    if a == b:
        raise InputError(f"{code('contrast')} needs two different items, got {shown(i)} twice.")
    estimate = float(ability[a] - ability[b])
    se = float(np.sqrt(max(_difference_variance(results, a, b), 0.0)))
    if se == 0.0 or (se <= 1e-7 * float(np.abs(ability).max() + 1.0) and results.spec.z is not None):
        raise InputError(f"the difference of {i} and {j} has no standard error: {results._why_equal}.")
    half = results._reference.isf(alpha / 2.0) * se
    return TestResult(
        **standardised(results, estimate / se),
        estimate=estimate,
        conf_int=(estimate - half, estimate + half),
        method="Wald test of a contrast",
        null=f"{i} and {j} have the same ability",
        std_error=se,
    )


def _difference_variance(results: "AbilityResults", a: int, b: int) -> float:
    if results._estimate.cov is not None:
        cov = results._item_cov
        return float(cov[a, a] + cov[b, b] - 2.0 * cov[a, b])
    if results.spec.z is not None:
        raise covariance.no_standard_errors()
    # The variance of one difference needs one solution of the equations, not the whole covariance.
    unit = np.zeros(results._likelihood.n_params)
    unit[a], unit[b] = 1.0, -1.0
    x = results._likelihood.solve(results._point, covariance.SOLVE_TOLERANCE)(unit)
    return float(x[a] - x[b])


def wald_test(results: "AbilityResults", contrasts: Any) -> TestResult:
    """Wald test of the hypothesis that linear combinations of `params` are all 0.

    Parameters
    ----------
    contrasts : array-like of shape (m, parameters)
        One row for each combination.

    Returns
    -------
    TestResult
        With the chi-squared distribution or, if `use_t`, Hotelling's: F with m and G - m degrees of freedom, where
        G is the number of groups.

    Notes
    -----
    Let W be the chi-squared statistic. After ``cov_type="cluster"``, statsmodels compares W / m with the F
    distribution with m and G - 1 degrees of freedom. This rejects too often if m is not much smaller than G.
    Hotelling's statistic is W (G - m) / (m (G - 1)). For m = 1 the two are the same.
    """
    rows = np.atleast_2d(as_float(contrasts, "contrasts"))
    n_params = len(results.params)
    if rows.shape[1] != n_params:
        raise InputError(
            f"{arg('contrasts')} must have {n_params} columns, one for each parameter, got {rows.shape[1]}."
        )
    size = np.abs(rows).max(axis=1, keepdims=True)
    if not (np.isfinite(size) & (size > 0.0)).all():
        raise InputError(f"{arg('contrasts')} must be finite numbers, and not all 0 in a row.")
    rows = rows / size
    estimate = rows @ results.params.to_numpy()
    cov = rows @ results.cov_params().to_numpy() @ rows.T
    df = int(np.linalg.matrix_rank(cov, hermitian=True))
    if results.use_t and len(rows) > results.df_resid_inference:
        raise InputError(
            f"{results.df_resid_inference + 1} clusters allow a test of at most {results.df_resid_inference} "
            f"combinations, got {len(rows)}; test fewer."
        )
    if df < len(rows):
        raise InputError(
            f"the rows of {arg('contrasts')} must be linearly independent. If abilities sum to 0, at most one fewer "
            "than there are items can be tested."
        )
    statistic = float(estimate @ np.linalg.solve(cov, estimate))
    about: dict[str, Any] = {"method": "Wald test", "null": "all combinations are 0"}
    if results.use_t:
        both = (df, results.df_resid_inference - df + 1)
        f = statistic * both[1] / (df * results.df_resid_inference)
        return TestResult(f, f_sf(f, *both), both, statistic_name="F", **about)
    return TestResult(statistic, chi2_sf(statistic, df), df, **about)


def lr_test(results: "BradleyTerryResults", other: "BradleyTerryResults") -> TestResult:
    """Likelihood-ratio test of two fits to the same comparisons, one of which is nested in the other.

    Parameters
    ----------
    other : results
        A fit to the same data with more or fewer parameters: for example without order effect, or with covariates
        instead of abilities.

    Returns
    -------
    TestResult
    """
    if not isinstance(other, type(results)):
        raise InputError(f"{code('lr_test')} needs another fit by BradleyTerry, got {type(other).__name__}.")
    small, large = sorted((results, other), key=lambda fit: fit.df_model)
    _check_nested(small, large)
    # Rounding may make it slightly negative.
    statistic = max(2.0 * (large.llf - small.llf), 0.0)
    df = large.df_model - small.df_model
    return TestResult(
        statistic=statistic,
        p_value=chi2_sf(statistic, df),
        df=df,
        method="Likelihood-ratio test",
        null=f"the additional parameters ({df}) of the larger model are not needed",
    )


def _check_nested(small: "BradleyTerryResults", large: "BradleyTerryResults") -> None:
    a, b = small.spec, large.spec
    if small.model is not large.model and not same_comparisons(small.model._rows, large.model._rows, a.order):
        raise InputError("a likelihood-ratio test needs two fits to the same comparisons, got different ones.")
    if a.method != "mle" or b.method != "mle":
        raise InputError(
            "a likelihood-ratio test needs maximum likelihood fits, because penalties of different models cannot be "
            f"compared; fit both with {arg('method', 'mle')}, or use {code('wald_test')}."
        )
    if a.ties != b.ties:
        raise InputError(
            f"a likelihood-ratio test needs the same treatment of ties, got {arg('ties', a.ties)} and "
            f"{arg('ties', b.ties)}."
        )
    if a.random_effects != b.random_effects:
        raise InputError(
            f"a likelihood-ratio test needs two fits with or two without {arg('random_effects')}; use "
            f"{code('variance_component')} to test whether they are needed."
        )
    if a.random_effects == "pql":
        raise InputError(
            f"{arg('random_effects', 'pql')} does not maximise a likelihood; fit both models with "
            f"{arg('random_effects', 'laplace')}, or use {code('wald_test')}."
        )
    for fit in (small, large):
        check_nonrobust(fit, "a likelihood-ratio test")
    if small.df_model == large.df_model:
        raise InputError(f"both fits have {small.df_model} parameters, so neither is nested in the other.")
    if not _are_abilities_spanned(a.z, b.z) or not _is_spanned(_contest_columns(small), _contest_columns(large)):
        raise InputError(
            "the smaller model is not nested in the larger one: it has an order effect or covariates that the larger "
            "model does not have."
        )


def _are_abilities_spanned(small: Array | None, large: Array | None) -> bool:
    """Whether the covariates of the small model are combinations of those of the large one (None: any abilities)."""
    if large is None:
        return True
    return small is not None and _is_spanned(small - small.mean(axis=0), large - large.mean(axis=0))


def _contest_columns(results: "BradleyTerryResults") -> Array:
    """The order effect and the contest covariates as columns, one row for each row of the user's data."""
    rows, contest = results.model._rows, results.spec.contest_values
    columns = [] if contest is None else list(contest[rows.units].T)
    if results.spec.order:
        columns.append(rows.home * rows.sides)
    return np.array(columns).reshape(-1, len(rows.winner)).T


def _is_spanned(small: Array, large: Array) -> bool:
    """Whether the columns of one matrix are linear combinations of those of another."""
    large, small = (x / np.maximum(np.linalg.norm(x, axis=0), 1e-300) for x in (large, small))
    fitted = large @ np.linalg.lstsq(large, small, rcond=None)[0]
    return bool(np.allclose(fitted, small, rtol=0.0, atol=1e-8))


def check_finite(results: "AbilityResults") -> None:
    """Refuse methods that need standard errors of all abilities if some are infinite."""
    infinite = results.model.items[np.isinf(results._ability)]
    if len(infinite):
        raise InputError(
            f"the ability of {named(infinite[0]) if len(infinite) == 1 else listed(infinite)} is infinite, so "
            f"differences from it have no standard error; use {arg('method', 'firth')}, or leave these items out."
        )


def check_nonrobust(results: "AbilityResults", what: str) -> None:
    """Refuse likelihood methods after a robust covariance: they assume independent comparisons of equal weight."""
    if getattr(results.model, "_weighted_sources", False):
        raise InputError(
            f"{what} is not valid if sources have weights, because the likelihood is then a weighted one; use "
            f"{code('wald_test')} or {code('contrast')} with {arg('cov_type', 'HC0')}."
        )
    if results.cov_type != "nonrobust":
        raise InputError(
            f"{what} assumes independent comparisons and ignores {arg('cov_type', results.cov_type)}; use "
            f"{code('wald_test')} or {code('contrast')}."
        )

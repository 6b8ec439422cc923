"""Bradley–Terry models with random effects of the items."""

from collections.abc import Callable, Hashable, Sequence
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn, get_args

import numpy as np
import pandas as pd
from statsmodels.iolib.summary import Summary, fmt_params
from statsmodels.iolib.table import SimpleTable

from pwcstats import _params
from pwcstats._arrays import Array
from pwcstats._kernels.comparisons import WIN
from pwcstats._kernels.laplacian import NotDefiniteError
from pwcstats._kernels.mixed import Contests, MixedFit, UnboundedError
from pwcstats._kernels.mixed_laplace import fit_laplace, profile_interval
from pwcstats._kernels.mixed_pql import fit_pql
from pwcstats._kernels.newton import Ascent
from pwcstats._kernels.tails import chi2_isf, chi2_sf
from pwcstats._results import TestResult, whole
from pwcstats._summary import coefficients, head, number, width_of
from pwcstats.bradley_terry.ability_results import indices_of
from pwcstats.bradley_terry.covariance import CovarianceEstimate, CovarianceOptions
from pwcstats.bradley_terry.existence import find_obstacle
from pwcstats.bradley_terry.likelihood import Covariates, Likelihood, Point
from pwcstats.bradley_terry.profile import IntervalMethod
from pwcstats.bradley_terry.results import BradleyTerryResults
from pwcstats.bradley_terry.spec import RandomEffects, Spec
from pwcstats.bradley_terry.summary import own_abilities
from pwcstats.bradley_terry.table import Table
from pwcstats.errors import ConvergenceWarning, InputError, arg, code, warn

if TYPE_CHECKING:
    from pwcstats.bradley_terry.model import BradleyTerry

# Each step inverts a matrix with a row for each item.
LARGEST_MIXED = 5_000

# Name of the standard deviation of the random effects in tables.
SIGMA_TERM = "(sigma)"

# Then the intervals of abilities, which treat the estimate as known, show the errors of the fixed effects only.
ZERO_SIGMA = "the standard deviation of the random effects is estimated as 0"


class Approximation(NamedTuple):
    """A way to estimate the variance of the random effects; `alternative` is another one, if this one fails."""

    title: str
    fit: Callable[[Contests, int], MixedFit]
    alternative: RandomEffects
    # Whether the estimates maximise a likelihood, which then has profiles.
    is_likelihood: bool = False


APPROXIMATIONS: dict[str, Approximation] = {
    "laplace": Approximation("Laplace", fit_laplace, "pql", is_likelihood=True),
    "pql": Approximation("PQL", fit_pql, "laplace"),
}
assert tuple(APPROXIMATIONS) == get_args(RandomEffects)


class MixedLikelihood(Likelihood):
    """The likelihood given the random effects `fit.u`; parameters are the fixed effects.

    `effect` is the index of each item's random effect, -1 if it has none.
    """

    fit: MixedFit
    design: Covariates

    def __init__(self, spec: Spec, table: Table) -> None:
        z = np.zeros((table.n_items, 0)) if spec.z is None else spec.z
        design = Covariates(table, z, spec.infinite)
        super().__init__(table, design, spec.tie_model, order=spec.order, firth=False, infinite=spec.infinite)
        # One more for sigma.
        self.rank += 1
        has_effect = np.ones(table.n_items, np.bool_)
        has_effect[spec.own] = False
        has_effect[self.infinite != 0.0] = False
        self.effect = np.where(has_effect, np.cumsum(has_effect) - 1, -1)

    @cached_property
    def contests(self) -> Contests:
        """The comparisons that are not certain, as the kernels take them."""
        table = self.table
        kept = np.ones(len(table.first), np.bool_) if self.offset is None else self.offset == 0.0
        return Contests(
            np.hstack([self.design.x, self.x])[kept],
            self.effect[table.first[kept]],
            self.effect[table.second[kept]],
            table.counts[kept, WIN],
            table.n[kept],
            int(self.effect.max()) + 1,
        )

    def split(self, params: Array) -> tuple[Array, Array, float]:
        """Abilities, with the random effects; beta; and no tie parameter."""
        ability, beta, tie = super().split(params)
        return ability + self._centred(np.append(self.fit.u, 0.0)[self.effect]), beta, tie

    def abilities(self, params: Array) -> Array:
        """Abilities of the items, with the random effects; finite ones sum to 0."""
        return self.split(params)[0] + self.infinite

    def _centred(self, x: Array) -> Array:
        """Subtract the mean over the items with finite abilities, which becomes the value of the others."""
        is_finite = self.infinite == 0.0
        return np.where(is_finite.reshape(-1, *[1] * (x.ndim - 1)), x - x[is_finite].mean(axis=0), 0.0)

    def item_covariance(self, cov: Array) -> Array:
        """Covariance of the errors of the abilities and of beta, given sigma."""
        p, n, q = self.design.size, self.table.n_items, self.x.shape[1]
        wide = np.zeros((n + q, len(self.fit.joint)))
        wide[:n, :p] = self.design.z - self.design.z.mean(axis=0)
        wide[n:, p : p + q] = np.eye(q)
        indicators = np.zeros((n, len(self.fit.u)))
        has_effect = np.flatnonzero(self.effect >= 0)
        indicators[has_effect, self.effect[has_effect]] = 1.0
        wide[:n, p + q :] = self._centred(indicators)
        return self.without_infinite(wide @ self.fit.joint @ wide.T)


def fit_mixed(
    model: "BradleyTerry", spec: Spec, table: Table, options: CovarianceOptions
) -> "MixedBradleyTerryResults":
    """Fit a model with random effects."""
    kind = str(spec.random_effects)
    if options.robust or options.kind != "full":
        given = arg("cov_type", options.cov_type) if options.robust else arg("cov", options.kind)
        raise InputError(f"{arg('random_effects')} do not support {given}; leave it out.")
    if table.n_items > LARGEST_MIXED:
        raise InputError(
            f"{arg('random_effects')} need a matrix with a row for each item in each step, got {table.n_items} items "
            f"(at most {LARGEST_MIXED}); use {arg('method', 'ridge')}, which shrinks abilities, too."
        )
    likelihood = MixedLikelihood(spec, table)
    contests = likelihood.contests
    obstacle = find_obstacle(spec, likelihood) if contests.x.shape[1] else None
    if obstacle is not None:
        raise InputError(obstacle())
    try:
        fit = APPROXIMATIONS[kind].fit(contests, spec.maxiter)
    except UnboundedError:
        raise InputError(_unbounded(kind)) from None
    except NotDefiniteError:
        raise InputError(
            "the information about the fixed effects is singular to working precision; rescale the covariates, or "
            "leave out those that are almost linear combinations of others."
        ) from None
    if not fit.converged:
        warn(
            ConvergenceWarning(
                f"the fit of the random effects did not converge ({fit.reason}), so the estimates may be wrong; raise "
                f"{arg('maxiter')}, or use {arg('random_effects', APPROXIMATIONS[kind].alternative)}."
            )
        )
    likelihood.fit = fit
    point = replace(likelihood.evaluate_unpenalised(fit.beta, table.counts), value=fit.value, llf=fit.value)
    ascent = Ascent(point, fit.n_iter, fit.converged, fit.reason)
    variance = np.diagonal(fit.cov).copy()
    estimate = CovarianceEstimate(fit.cov, variance, np.zeros(len(variance)))
    return MixedBradleyTerryResults(model, spec, likelihood, ascent, estimate, options.cov_type)


def _unbounded(kind: str) -> str:
    cure = ""
    if kind == "laplace":
        cure = f"; use {arg('random_effects', 'pql')}, whose estimate is smaller, or {arg('method', 'ridge')}"
    return (
        "the standard deviation of the random effects would be infinite, because abilities of the items can explain "
        f"almost every outcome: items have too few comparisons, or there are hardly any upsets{cure}."
    )


class MixedBradleyTerryResults(BradleyTerryResults):
    r"""Results of :meth:`BradleyTerry.fit` with `random_effects`.

    Item i has the ability :math:`\lambda_i = x_i'\gamma + u_i`, where the random effects :math:`u_i` are normal with
    mean 0 and standard deviation :math:`\sigma`. Abilities and random effects are predictions: they are shrunken
    towards what the covariates say, and the more so the fewer comparisons an item has. Their standard errors are those
    of the prediction error, given :math:`\sigma`. This holds for contrasts, rank sets and probabilities, too.

    Attributes
    ----------
    params : Series
        Fixed effects: abilities of items whose covariates are missing, coefficients of the items' covariates, the order
        effect and coefficients of contest covariates. It is empty if there are none of these.
    sigma : float
        Standard deviation of the random effects. 0 means that items do not differ more than by chance; the fit is then
        that of the model without random effects.
    llf : float
        Laplace approximation of the marginal log-likelihood at the estimates. Those of ``random_effects="pql"`` do not
        maximise it.
    nobs, df_model : float
        Number of comparisons; number of fixed effects plus 1 for `sigma`.
    approximation : str
        "laplace" or "pql".
    converged, n_iter, reason : bool, int, str
        Whether the iteration converged, number of iterations, and why it did not converge.

    Notes
    -----
    Write :math:`l(\eta)` for the log-likelihood of the contests with the linear predictors
    :math:`\eta = X\beta + Zu`, where a row of Z has 1 for the first item and -1 for the second, and W for the diagonal
    matrix of minus its second derivatives. "laplace" maximises

    .. math::
       l(\hat\eta) - \frac{\hat u'\hat u}{2 \sigma^2} - K \log \sigma
       - \frac{1}{2} \log \left| Z'WZ + I / \sigma^2 \right|

    over :math:`\beta` and :math:`\sigma`, where :math:`\hat u` is the mode for given parameters and K the number of
    random effects. This is what ``glmer`` of R's lme4 does. "pql" is penalised quasi-likelihood [1]_ with restricted
    likelihood for :math:`\sigma`, as in R's BradleyTerry2 [2]_. It underestimates :math:`\sigma` and shrinks
    coefficients if items have few comparisons, but it has estimates in cases in which the likelihood has no maximum.

    References
    ----------
    .. [1] N. E. Breslow and D. G. Clayton, "Approximate inference in generalized linear mixed models", Journal of the
       American Statistical Association 88, 9-25, 1993. https://doi.org/10.1080/01621459.1993.10594284
    .. [2] H. Turner and D. Firth, "Bradley-Terry models in R: the BradleyTerry2 package", Journal of Statistical
       Software 48(9), 2012. https://doi.org/10.18637/jss.v048.i09

    Examples
    --------
    >>> from pwcstats import BradleyTerry
    >>> wins = [[0, 3, 5, 4], [2, 0, 4, 1], [0, 1, 0, 2], [1, 4, 3, 0]]
    >>> res = BradleyTerry(wins, items=["ant", "bee", "cat", "dog"]).fit(random_effects=True)
    >>> res.abilities().round(2)
         ability  std_error  conf_low  conf_high
    ant     0.69       0.35     -0.00       1.39
    bee    -0.08       0.34     -0.74       0.59
    cat    -0.69       0.35     -1.39       0.00
    dog     0.08       0.34     -0.59       0.74
    """

    _likelihood: MixedLikelihood

    def __init__(
        self,
        model: "BradleyTerry",
        spec: Spec,
        likelihood: MixedLikelihood,
        ascent: Ascent[Point],
        estimate: CovarianceEstimate,
        cov_type: str,
    ) -> None:
        super().__init__(model, spec, likelihood, ascent, estimate, cov_type)
        self.approximation = str(spec.random_effects)
        self._fit = likelihood.fit
        self.sigma = self._fit.sigma

    @property
    def _ability_notes(self) -> tuple[str, ...]:  # type: ignore[override]
        if self.sigma == 0.0:
            return (f"{ZERO_SIGMA}, so intervals are too short",)
        return ("the abilities are predictions, shrunken by the random effects",)

    @property
    def _why_equal(self) -> str:
        return ZERO_SIGMA if self.sigma == 0.0 else super()._why_equal

    @property
    def _item_design(self) -> Array | None:
        return self.spec.z if self.sigma == 0.0 else None

    def conf_int(
        self, alpha: float = 0.05, method: IntervalMethod = "wald", terms: Sequence[Hashable] | None = None
    ) -> pd.DataFrame:
        """Confidence intervals of `params`.

        Parameters
        ----------
        alpha : float
            Significance level; intervals have level 1 - alpha.
        method : {"wald", "profile"}
            "wald": the estimate plus and minus a normal quantile times its standard error. "profile": values at which
            the Laplace approximation, maximised over all other parameters, has fallen by half a quantile of
            chi-squared.
        terms : sequence, optional
            Parameters; by default all.

        Returns
        -------
        DataFrame
            Lower and upper bounds in columns 0 and 1, as in statsmodels.
        """
        if method != "profile":
            return super().conf_int(alpha, method, terms)
        _params.level(alpha, "alpha")
        if not APPROXIMATIONS[self.approximation].is_likelihood:
            raise InputError(
                f"{arg('random_effects', self.approximation)} does not maximise a likelihood, so it has no profile; "
                f"use {arg('random_effects', 'laplace')}, or {arg('method', 'wald')}."
            )
        if self.sigma == 0.0:
            raise InputError(
                "the standard deviation of the random effects is estimated as 0; fit without "
                f"{arg('random_effects')} for profile-likelihood intervals."
            )
        terms = [terms] if isinstance(terms, str) else terms
        chosen = np.arange(len(self._terms)) if terms is None else indices_of(terms, self._terms, "terms", "parameters")
        bounds = [self._profile(int(index), alpha) for index in chosen]
        return pd.DataFrame(np.array(bounds).reshape(-1, 2), index=self._terms[chosen])

    def abilities(
        self, ci: bool = True, alpha: float = 0.05, *, method: IntervalMethod = "wald", sort: bool = False
    ) -> pd.DataFrame:
        """Predicted ability of every item: what its covariates say plus its random effect.

        Parameters
        ----------
        ci : bool
            Whether to add standard errors of the prediction errors, given sigma, and intervals.
        alpha : float
            Significance level; intervals have level 1 - alpha.
        method : {"wald"}
            Predictions have no profile likelihood.
        sort : bool
            Whether to list the best item first; by default the items have the order of the model.

        Returns
        -------
        DataFrame
            `ability` and, with `ci`, `std_error`, `conf_low` and `conf_high`; one row for each item. They sum to 0.
        """
        if method == "profile":
            raise InputError(f"predicted abilities have no profile likelihood; use {arg('method', 'wald')}.")
        return super().abilities(ci, alpha, method=method, sort=sort)

    def _profile(self, index: int, alpha: float) -> tuple[float, float]:
        """Profile-likelihood interval of a fixed effect or, behind these, of sigma."""
        drop = 0.5 * chi2_isf(alpha, 1)
        return profile_interval(self._likelihood.contests, self._fit, index, drop, self.spec.maxiter)

    # Random effects

    def variance_component(self, alpha: float = 0.05) -> TestResult:
        r"""The standard deviation :math:`\sigma` of the random effects, with an interval and a test of 0.

        Parameters
        ----------
        alpha : float
            Significance level; the interval has level 1 - alpha.

        Returns
        -------
        TestResult
            The interval follows from the profile of the likelihood; with ``random_effects="pql"``, from the standard
            error of :math:`\log \sigma`. The statistic is the likelihood ratio of the models with and without random
            effects (for "pql", at its estimates). As :math:`\sigma` cannot be negative, its distribution is a mixture
            of chi-squared with one degree of freedom and 0, each with probability 1/2 [1]_.

        References
        ----------
        .. [1] S. G. Self and K.-Y. Liang, "Asymptotic properties of maximum likelihood estimators and likelihood ratio
           tests under nonstandard conditions", Journal of the American Statistical Association 82, 605-610, 1987.
           https://doi.org/10.1080/01621459.1987.10478472
        """
        _params.level(alpha, "alpha")
        fit, notes = self._fit, []
        if self.sigma == 0.0:
            notes.append("The estimate is 0, on the boundary of the possible values.")
        if APPROXIMATIONS[self.approximation].is_likelihood:
            interval: tuple[float, float] | None = self._profile(len(self.params), alpha)
            if self.sigma > 0.0 and interval is not None and interval[0] == 0.0:
                notes.append("The interval includes 0.")
        elif self.sigma > 0.0:
            factor = float(np.exp(self._reference.isf(alpha / 2.0) * fit.se_log_sigma))
            interval = (self.sigma / factor, self.sigma * factor)
            notes.append("The interval, symmetric on the log scale, cannot include 0; the test tells about 0.")
        else:
            interval = None
            notes.append(f"There is no interval; {arg('random_effects', 'laplace')} has one.")
        statistic, p = self._test_of_zero()
        return TestResult(
            statistic=statistic,
            p_value=p,
            estimate=self.sigma,
            std_error=None if self.sigma == 0.0 else self.sigma * fit.se_log_sigma,
            conf_int=interval,
            conf_level=1.0 - alpha,
            method="Likelihood-ratio test of the random effects",
            null="sigma is 0",
            statistic_name="LR",
            estimate_name="standard deviation",
            alternative="greater",
            notes=tuple(notes),
        )

    def _test_of_zero(self) -> tuple[float, float]:
        """Likelihood ratio of the models with and without random effects, and its p-value."""
        # Rounding may make it slightly negative.
        statistic = max(2.0 * (self._fit.value - self._fit.value_at_zero), 0.0)
        return statistic, 0.5 * chi2_sf(statistic, 1) if statistic > 0.0 else 1.0

    def random_effects(self, alpha: float = 0.05) -> pd.DataFrame:
        """Predicted random effects of the items: how much better they are than their covariates say.

        Items whose covariates are missing have an ability of their own instead.

        Parameters
        ----------
        alpha : float
            Significance level; intervals have level 1 - alpha.

        Returns
        -------
        DataFrame
            `effect`, `std_error` (of the prediction error, given sigma), `conf_low` and `conf_high`.
        """
        _params.level(alpha, "alpha")
        u = self._fit.u
        se = np.sqrt(np.maximum(np.diagonal(self._fit.joint)[len(self.params) :], 0.0))
        half = self._reference.isf(alpha / 2.0) * se
        return pd.DataFrame(
            {"effect": u, "std_error": se, "conf_low": u - half, "conf_high": u + half},
            index=self.model.items[self._likelihood.effect >= 0],
        )

    # What a model with random effects does not have

    def goodness_of_fit(self, *args: Any, **kwargs: Any) -> NoReturn:
        """Refused: there is no chi-squared distribution for a model with random effects."""
        raise InputError(
            f"there is no test of goodness of fit for {arg('random_effects')}; use {code('variance_component')} to "
            "test whether the covariates explain the abilities."
        )

    def bootstrap(self, *args: Any, **kwargs: Any) -> NoReturn:
        """Refused: comparisons are not independent in a model with random effects."""
        raise InputError(
            f"comparisons are not independent in a model with {arg('random_effects')}, so they cannot be resampled; "
            f"use {code('conf_int')}."
        )

    # Reports

    def tidy(self, alpha: float = 0.05) -> pd.DataFrame:
        """Fixed effects with tests and confidence intervals, one row each, and the standard deviation ``"(sigma)"``.

        Parameters
        ----------
        alpha : float
            Significance level; intervals have level 1 - alpha.

        Returns
        -------
        DataFrame
            With the columns `term`, `estimate`, `std_error`, `statistic`, `p_value`, `conf_low` and `conf_high`. The
            last row has an estimate and a standard error only; :meth:`variance_component` has a test and an interval.
        """
        fixed = super().tidy(alpha)
        row = {"term": SIGMA_TERM, "estimate": self.sigma, "std_error": self.sigma * self._fit.se_log_sigma}
        last = pd.DataFrame([row]).reindex(columns=fixed.columns)
        return pd.concat([fixed.astype({"term": object}), last], ignore_index=True) if len(fixed) else last

    def glance(self) -> pd.DataFrame:
        """One row about the fit."""
        return pd.DataFrame(
            {
                "n_items": [self.model.n_items],
                "nobs": [whole(self.nobs)],
                "sigma": [self.sigma],
                "log_lik": [self.llf],
                "aic": [self.aic],
                "bic": [self.bic],
                "method": [self.approximation],
                "converged": [self.converged],
                "n_iter": [self.n_iter],
            }
        )

    def summary(self, alpha: float = 0.05, max_rows: int = 100) -> Summary:
        """Summary of the fit, in the format of statsmodels.

        Parameters
        ----------
        alpha : float
            Significance level; intervals have level 1 - alpha.
        max_rows : int
            Largest number of parameters to show, the first ones.

        Returns
        -------
        statsmodels.iolib.summary.Summary
        """
        _params.level(alpha, "alpha")
        n_shown = min(_params.count(max_rows, "max_rows", 2), len(self.params))
        tables = [self._effects_table()]
        if n_shown:
            names = list(map(str, self.params.index[:n_shown]))
            fixed = coefficients(
                names, self._fit.beta[:n_shown], self.bse.to_numpy()[:n_shown], alpha, label="Fixed effects"
            )
            tables.insert(0, fixed)
        summary = Summary()
        summary.tables = [head("Bradley-Terry Results", *self._head(), width_of(tables)), *tables]
        summary.add_extra_txt(self._notes(len(self.params) - n_shown))
        return summary

    def _head(self) -> tuple[list[tuple[str, str]], list[tuple[str, str]]]:
        left = [
            ("Model:", "Mixed Bradley-Terry"),
            ("Method:", APPROXIMATIONS[self.approximation].title),
            ("Items:", f"{self.model.n_items}"),
            ("Comparisons:", number(self.nobs)),
            ("Ties:", self.spec.ties),
        ]
        right = [
            ("Df Model:", number(self.df_model)),
            ("Log-Likelihood:", f"{self.llf:.5g}"),
            ("AIC:", f"{self.aic:.5g}"),
            ("No. Iterations:", f"{self.n_iter}"),
            ("converged:", f"{self.converged}"),
        ]
        return left, right

    def _effects_table(self) -> SimpleTable:
        statistic, p = self._test_of_zero()
        se = "" if self.sigma == 0.0 else f"{self.sigma * self._fit.se_log_sigma:.3f}"
        cells = [[f"{len(self._fit.u)}", f"{self.sigma:.4f}", se, f"{statistic:.3f}", f"{p:.3f}"]]
        headers = ["effects", "std dev", "std err", "LR", "P>LR"]
        return SimpleTable(cells, headers=headers, stubs=["items"], title="Random effects", txt_fmt=fmt_params)

    def _notes(self, n_hidden: int) -> list[str]:
        notes = []
        if self.sigma == 0.0:
            notes.append("The standard deviation is 0, so this is the model without random effects.")
        if not APPROXIMATIONS[self.approximation].is_likelihood:
            notes.append("Log-likelihood and AIC are those of the Laplace approximation at the estimates.")
        notes += own_abilities(self)
        if n_hidden:
            notes.append(f"{n_hidden} fixed effects are not shown (max_rows).")
        return notes

    def _title(self) -> str:
        return "Mixed Bradley-Terry fit"

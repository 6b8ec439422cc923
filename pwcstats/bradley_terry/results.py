"""What a Bradley–Terry fit says."""

import warnings
from collections.abc import Hashable
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from pwcstats import _params
from pwcstats._arrays import Array
from pwcstats._kernels import comparisons
from pwcstats._results import TestResult
from pwcstats._text import listed
from pwcstats.bradley_terry import checks as fits
from pwcstats.bradley_terry import covariance, quasi, ranks
from pwcstats.bradley_terry.bootstrap import BootstrapResult, bootstrap
from pwcstats.bradley_terry.estimates import Estimates
from pwcstats.errors import ConvergenceWarning, InputError

if TYPE_CHECKING:
    from matplotlib.figure import Figure


class BradleyTerryResults(Estimates):
    """Results of :meth:`BradleyTerry.fit`.

    Attributes
    ----------
    model : BradleyTerry
        The model that was fitted.
    params : Series
        Abilities that sum to 0, or those of all items but the reference, or the covariates' coefficients; then
        ``"(order)"``, the order effect, and ``"(tie)"``, log nu, where the model has them.
    llf : float
        Log-likelihood of the comparisons one by one (no binomial coefficients), with Jeffreys' penalty for
        ``method="firth"``.
    llf_unpenalized : float
        The log-likelihood itself.
    nobs, df_model, df_resid : float
        Number of comparisons; of free parameters; distinct pairs (times 2 with a tie parameter) less parameters.
    deviance, pearson_chi2 : float
        Distances between the wins of each pair and what the model expects.
    converged, n_iter, reason : bool, int, str
        How the fit ended.
    method, cov_type : str
        What was asked.
    use_t : bool
        Whether tests and intervals use Student's t distribution (of several parameters, Hotelling's) in place of the
        normal one: after ``cov_type="cluster"``.
    df_resid_inference : int
        Its degrees of freedom, the number of groups less 1; without groups `df_resid`, as in statsmodels.
    """

    @cached_property
    def _ability(self) -> Array:
        """Abilities of all items as they are reported."""
        ability, _, _ = self._likelihood.split(self._point.params)
        return ability if self.spec.ref is None else ability - ability[self.spec.ref]

    @cached_property
    def _item_cov(self) -> Array:
        """Covariance of all abilities, summing to 0."""
        n = self.model.n_items
        return self._likelihood.design.expand(self._cov)[:n, :n]

    @cached_property
    def _item_se(self) -> Array:
        if self._estimate.cov is None:
            if self._estimate.variance is None:
                raise InputError("there are no standard errors after cov='none'; fit with cov='full' or cov='diag'.")
            return np.sqrt(self._estimate.variance[: self.model.n_items])
        n = self.model.n_items
        return np.sqrt(np.maximum(np.diagonal(covariance.relative(self._item_cov, self.spec.ref, n)), 0.0))

    def abilities(self, ci: bool = True, alpha: float = 0.05) -> pd.DataFrame:
        """Ability of every item, the reference included.

        Parameters
        ----------
        ci : bool
            Add standard errors and Wald intervals.
        alpha : float
            One less the level of the intervals.

        Returns
        -------
        DataFrame
            `ability` and, with `ci`, `std_error`, `conf_low`, `conf_high`; one row an item.
        """
        frame = pd.DataFrame({"ability": self._ability}, index=self.model.items)
        if ci:
            _params.level(alpha, "alpha")
            half = self._reference.isf(alpha / 2.0) * self._item_se
            frame["std_error"] = self._item_se
            frame["conf_low"], frame["conf_high"] = self._ability - half, self._ability + half
        return frame

    def contrast(self, i: Hashable, j: Hashable, alpha: float = 0.05) -> TestResult:
        """Difference of two items' abilities: its standard error, Wald interval and test.

        Parameters
        ----------
        i, j : item
            The difference is ability of `i` less ability of `j`.
        alpha : float
            One less the level of the interval.

        Returns
        -------
        TestResult
        """
        _params.level(alpha, "alpha")
        a, b = _params.index_of(i, self.model.items, "i"), _params.index_of(j, self.model.items, "j")
        if a == b:
            raise InputError(f"a contrast needs two different items, got {i!r} twice.")
        estimate = float(self._ability[a] - self._ability[b])
        se = float(np.sqrt(max(self._difference_variance(a, b), 0.0)))
        if se <= 1e-7 * float(np.abs(self._ability).max() + 1.0) and self.spec.z is not None:
            raise InputError(f"{i} and {j} have the same covariates, so that their abilities are equal by the model.")
        half = float(self._reference.isf(alpha / 2.0)) * se
        return TestResult(
            **self._wald(estimate / se),
            estimate=estimate,
            conf_int=(estimate - half, estimate + half),
            method="Wald test of a contrast",
            null=f"{i} and {j} have the same ability",
            std_error=se,
        )

    def _difference_variance(self, a: int, b: int) -> float:
        if self._estimate.cov is not None:
            cov = self._item_cov
            return float(cov[a, a] + cov[b, b] - 2.0 * cov[a, b])
        if self.spec.z is not None:
            raise InputError("there are no standard errors after cov='none'; fit with cov='full' or cov='diag'.")
        # One difference needs one solution of the information's equations.
        unit = np.zeros(self._likelihood.n_params)
        unit[a], unit[b] = 1.0, -1.0
        x = self._likelihood.solve(self._point, covariance.SOLVE_TOLERANCE)(unit)
        return float(x[a] - x[b])

    def _refuse_twins(self) -> None:
        """Items of equal covariates have a difference without variance, which nothing can be made of."""
        if self.spec.z is not None:
            z = pd.DataFrame(self.spec.z, index=self.model.items)
            if z.duplicated().any():
                raise InputError(f"{listed(z.index[z.duplicated(keep=False)])} include items with the same covariates.")

    def quasi_variances(self) -> pd.DataFrame:
        """Quasi-variances of the abilities [1]_.

        The variance of a difference is about the sum of the two quasi-variances, whichever item is the reference. See
        :meth:`comparison_intervals` for intervals that can be compared with each other by eye.

        Returns
        -------
        DataFrame
            `ability`, `std_error`, `quasi_se`, `quasi_variance`, one row an item; ``attrs["relative_error"]`` holds the
            smallest and largest relative error of the standard errors of differences that they give.

        References
        ----------
        .. [1] D. Firth and R. X. de Menezes, "Quasi-variances", Biometrika 91, 65-80, 2004.
           https://doi.org/10.1093/biomet/91.1.65
        """
        if self.model.n_items < 3:
            raise InputError("quasi-variances need at least 3 items: of two there is one difference; use contrast.")
        self._refuse_twins()
        q, errors, converged = quasi.quasi_variances(self._item_cov)
        if not converged:
            warnings.warn("the quasi-variances did not converge; use contrast.", ConvergenceWarning, stacklevel=2)
        negative = self.model.items[q < 0.0]
        if len(negative):
            warnings.warn(
                f"the quasi-variance of {listed(negative)} is negative, so that it has no quasi standard error and no "
                "comparison interval; its differences from others are right, see contrast.",
                ConvergenceWarning,
                stacklevel=2,
            )
        frame = self.abilities()[["ability", "std_error"]]
        with np.errstate(invalid="ignore"):
            frame["quasi_se"] = np.sqrt(q)
        frame["quasi_variance"] = q
        frame.attrs["relative_error"] = (float(errors.min()), float(errors.max()))
        return frame

    def comparison_intervals(self, alpha: float = 0.05) -> pd.DataFrame:
        """Intervals of the abilities that can be compared by eye: two items differ where they do not overlap.

        The intervals have the same number of quasi standard errors on either side of each ability. It is chosen so that
        two equal items have intervals that do not overlap with probability `alpha`, on average over all pairs [1]_. For
        5 % this is about 1.39 quasi standard errors, and each interval alone has a level of about 83 %: 95 % intervals
        that do not overlap would be a test at the level 0.006.

        Parameters
        ----------
        alpha : float
            Significance level of the test by overlap, of one pair that was chosen in advance. For all pairs together
            use :meth:`ranks`.

        Returns
        -------
        DataFrame
            `ability`, `quasi_se`, `conf_low`, `conf_high`, one row an item. ``attrs["multiplier"]`` is the number of
            quasi standard errors, ``attrs["level"]`` the level of each interval by itself, and ``attrs["pair_alpha"]``
            the smallest and largest significance level of the test by overlap over all pairs.

        See Also
        --------
        contrast : The exact test of one difference.
        quasi_variances : What the intervals are made of.

        References
        ----------
        .. [1] H. Goldstein and M. J. R. Healy, "The graphical presentation of a collection of means", Journal of the
           Royal Statistical Society A 158, 175-177, 1995. https://doi.org/10.2307/2983411

        Examples
        --------
        >>> from pwcstats import BradleyTerry
        >>> wins = [[0, 30, 25, 28], [10, 0, 18, 22], [15, 22, 0, 24], [12, 18, 16, 0]]
        >>> res = BradleyTerry(wins, items=["ant", "bee", "cat", "dog"]).fit()
        >>> intervals = res.comparison_intervals()
        >>> intervals.round(2)
             ability  quasi_se  conf_low  conf_high
        ant     0.61      0.17      0.37       0.85
        bee    -0.26      0.16     -0.49      -0.04
        cat     0.02      0.16     -0.20       0.24
        dog    -0.37      0.16     -0.60      -0.14
        >>> round(intervals.attrs["level"], 3)
        0.834
        """
        _params.level(alpha, "alpha")
        frame = self.quasi_variances()[["ability", "quasi_se"]]
        known = np.flatnonzero(frame["quasi_se"].notna())
        if len(known) < 2:
            raise InputError("comparison intervals need quasi standard errors of at least 2 items; use contrast.")
        se, cov = frame["quasi_se"].to_numpy()[known], self._item_cov[np.ix_(known, known)]
        multiplier, pairs = quasi.overlap_multiplier(se, cov, alpha, self._reference)
        half = multiplier * frame["quasi_se"]
        frame["conf_low"], frame["conf_high"] = frame["ability"] - half, frame["ability"] + half
        frame.attrs = {
            "multiplier": multiplier,
            "level": float(1.0 - 2.0 * self._reference.sf(multiplier)),
            "pair_alpha": (float(pairs.min()), float(pairs.max())),
        }
        return frame

    def ranks(
        self, level: float = 0.95, simultaneous: bool = True, n_draws: int = 10_000, random_state: int = 0
    ) -> pd.DataFrame:
        """Ranks that each item may hold, 1 being the best.

        An item's ranks are those that are left when all items that are significantly better stand before it, and all
        that are significantly worse behind it. "Significantly" is by the largest of the standardised differences
        [1]_: over all pairs, so that with probability `level` all sets are right together, or over the pairs of each
        item by itself.

        Parameters
        ----------
        level : float
            Probability that the sets (or, if not `simultaneous`, each set) hold the true ranks.
        simultaneous : bool
            Whether `level` is meant for all items together.
        n_draws : int
            Draws of the normal distribution of the estimates (if `use_t`, of the t distribution), from which the
            critical value is found.
        random_state : int
            Seed of these draws.

        Returns
        -------
        DataFrame
            `ability`, `rank`, `rank_low`, `rank_high`, best item first; ``attrs["critical_value"]`` is what a
            standardised difference had to exceed, if `simultaneous`.

        References
        ----------
        .. [1] M. Mogstad, J. P. Romano, A. M. Shaikh and D. Wilhelm, "Inference for ranks with applications to mobility
           across neighbourhoods and academic achievement across countries", The Review of Economic Studies 91, 476-518,
           2024. https://doi.org/10.1093/restud/rdad006
        """
        _params.level(level, "level")
        n_draws, seed = _params.count(n_draws, "n_draws"), _params.seed(random_state)
        df = self.df_resid_inference if self.use_t else None
        low, high, critical = ranks.rank_sets(self._ability, self._item_cov, level, simultaneous, n_draws, seed, df)
        frame = pd.DataFrame({"ability": self._ability}, index=self.model.items)
        frame["rank"] = frame["ability"].rank(ascending=False, method="min").astype(int)
        frame["rank_low"], frame["rank_high"] = low, high
        frame = frame.sort_values("ability", ascending=False, kind="stable")
        if simultaneous:
            frame.attrs["critical_value"] = float(critical[0])
        return frame

    def predict(self, first: Any, second: Any, *, outcome: str = "win", neutral: bool = False) -> Any:
        """Probabilities of an outcome of `first` against `second`.

        Parameters
        ----------
        first, second : item or sequence of items
            Who meets whom; `first` has the order effect, if the model has one.
        outcome : {"win", "loss", "tie", "link"}
            `first` wins, `second` wins, they tie; or the difference of abilities (and order effect) itself.
        neutral : bool
            Without the order effect.

        Returns
        -------
        float or ndarray
        """
        _params.choice(outcome, ("win", "loss", "tie", "link"), "outcome")
        alone = [isinstance(item, Hashable) for item in (first, second)]
        single = all(alone)
        a = fits.item_indices([first] if alone[0] else first, self.model.items, "first")
        b = fits.item_indices([second] if alone[1] else second, self.model.items, "second")
        if len(a) != len(b) and not any(alone):
            raise InputError(f"first and second must have the same length, got {len(a)} and {len(b)}.")
        _, order, log_nu = self._likelihood.split(self._point.params)
        d = self._ability[a] - self._ability[b] + (0.0 if neutral else order)
        if outcome != "link":
            p = np.empty((len(d), 3))
            comparisons.predict(d, log_nu, p)
            d = p[:, ("win", "loss", "tie").index(outcome)]
        return float(d[0]) if single else d

    def probabilities(self, outcome: str = "win", neutral: bool = True) -> pd.DataFrame:
        """Probability of an outcome for every pair, row against column, the diagonal missing.

        Parameters
        ----------
        outcome : {"win", "loss", "tie"}
            Seen from the row's item.
        neutral : bool
            Nobody goes first; if False, the row's item does.

        Returns
        -------
        DataFrame
        """
        _params.choice(outcome, ("win", "loss", "tie"), "outcome")
        items = self.model.items
        n = len(items)
        fits.refuse_large_square(n, "the probabilities")
        p = self.predict(items.repeat(n), items[np.tile(np.arange(n), n)], outcome=outcome, neutral=neutral)
        p = p.reshape(n, n)
        np.fill_diagonal(p, np.nan)
        return pd.DataFrame(p, index=items, columns=items)

    def tie_parameter(self, alpha: float = 0.05) -> TestResult:
        """Davidson's nu with its standard error (by the delta method) and an interval, from that of log nu.

        Two equal items tie nu / 2 times as often as they have a winner.

        Returns
        -------
        TestResult
        """
        if not self.spec.davidson:
            raise InputError("the model has no tie parameter; fit with ties='davidson'.")
        log_nu, se = float(self.params.iloc[-1]), float(self.bse.iloc[-1])
        low, high = self.conf_int(alpha).iloc[-1]
        return TestResult(
            **self._wald(log_nu / se),
            estimate=float(np.exp(log_nu)),
            conf_int=(float(np.exp(low)), float(np.exp(high))),
            method="Wald test of log nu",
            null="nu is 1",
            std_error=float(np.exp(log_nu)) * se,
        )

    def bootstrap(
        self,
        n: int = 1000,
        n_jobs: int | None = None,
        random_state: int | None = None,
        *,
        groups: Any = None,
        progress: bool = False,
    ) -> BootstrapResult:
        """Fit again to data drawn with replacement.

        What is drawn are single comparisons or, where they had a `weight`, rows of the data; with `groups`, all
        rows of a group together.

        Parameters
        ----------
        n : int
            Number of draws.
        n_jobs : int, optional
            As in joblib; the numbers do not depend on it.
        random_state : int, optional
            Seed.
        groups : column, optional
            A column of the data or an array with one entry a row.
        progress : bool
            Show a progress bar.

        Returns
        -------
        BootstrapResult
        """
        seed = _params.seed(random_state)
        return bootstrap(self, _params.count(n, "n"), _params.jobs(n_jobs), seed, groups, progress)

    def plot(
        self, intervals: str = "wald", alpha: float = 0.05, title: str | None = None, max_items: int = 200
    ) -> "Figure":
        """Abilities with intervals, the best item on top.

        Parameters
        ----------
        intervals : {"wald", "comparison", "quasi"}
            Confidence intervals of the abilities; :meth:`comparison_intervals`, of which two that do not overlap show a
            significant difference; or intervals of level 1 - `alpha` from the quasi standard errors, as R's qvcalc
            draws them, whose overlap is no test at the level `alpha`.
        alpha : float
            Significance level: for "comparison", of the test by overlap; else intervals have level 1 - `alpha`.
        title : str, optional
            Title of the figure.
        max_items : int
            Items to show; of more, the best and the worst are shown.

        Returns
        -------
        matplotlib.figure.Figure
        """
        _params.choice(intervals, ("wald", "comparison", "quasi"), "intervals")
        _params.level(alpha, "alpha")
        level, note = f"{100 * (1 - alpha):g}%", ""
        if intervals == "comparison":
            kind, frame = "comparison intervals", self.comparison_intervals(alpha)
            level = f"{100 * frame.attrs['level']:.0f}%"
            note = f"\ntwo items differ at about the {100 * alpha:g}% level where their intervals do not overlap"
        elif intervals == "quasi":
            kind, frame = "intervals from quasi-variances", self.quasi_variances()
            half = self._reference.isf(alpha / 2.0) * frame["quasi_se"]
            frame["conf_low"], frame["conf_high"] = frame["ability"] - half, frame["ability"] + half
        else:
            kind, frame = "confidence intervals", self.abilities(alpha=alpha)
        if len(frame) > _params.count(max_items, "max_items", 2):
            order = frame.sort_values("ability", ascending=False, kind="stable")
            frame = pd.concat([order.head(-(-max_items // 2)), order.tail(max_items // 2)])
            kind += f"; best and worst of {self.model.n_items}"
        from pwcstats import plot
        from pwcstats.plot.style import literal

        zero = "sum of all is 0" if self.spec.ref is None else f"{literal(self.model.items[self.spec.ref])} is 0"
        return plot.abilities(frame, label=f"ability ({zero}), {level} {kind}{note}", title=title)

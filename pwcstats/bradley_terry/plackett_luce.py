"""The Plackett–Luce model of rankings."""

from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from pwcstats import _params
from pwcstats._arrays import Array
from pwcstats._kernels.laplacian import NotDefiniteError
from pwcstats._summary import number
from pwcstats._text import counted, listed
from pwcstats.bradley_terry import covariance
from pwcstats.bradley_terry.choices import Penalty, RankingLikelihood, find_choices
from pwcstats.bradley_terry.covariance import CovType
from pwcstats.bradley_terry.methods import METHODS, GaussianPrior, GhostItem, Method, Prior, read_prior
from pwcstats.bradley_terry.model import few_clusters, warn_if_infinite
from pwcstats.bradley_terry.orderings import Orderings, Unranked, read_orderings, read_rankings, restrict
from pwcstats.bradley_terry.ranking_covariance import estimate_covariance
from pwcstats.bradley_terry.ranking_existence import find_obstacle, largest_component, tie_term
from pwcstats.bradley_terry.ranking_results import PlackettLuceResults
from pwcstats.errors import ConvergenceWarning, FewClustersWarning, InputError, LeftOutWarning, arg, code, warn

# The information of this many items takes 0.2 GB, and each Newton step a few seconds.
MOST_ITEMS = 5_000


@dataclass(frozen=True)
class RankingSpec:
    """Specification of a fit; `labels` are the items, and `ref` is the index of the reference item."""

    method: str
    maxiter: int
    labels: pd.Index
    ref: int | None
    prior: Prior | None
    extra_terms: list[str]

    # Abilities do not depend on covariates.
    z: Array | None = None

    @property
    def penalty(self) -> Penalty:
        """What the method adds to the log-likelihood."""
        if isinstance(self.prior, GaussianPrior):
            return Penalty(precision=self.prior.sd**-2)
        if isinstance(self.prior, GhostItem):
            return Penalty(pseudo=self.prior.pseudo)
        return Penalty(firth=METHODS[self.method].jeffreys)


class PlackettLuce:
    r"""Plackett–Luce model of rankings of any length, with ties.

    A ranking is a sequence of choices: the best item is chosen from all items of the ranking, the second from those
    that are left, and so on. Item i is chosen from a set A with probability :math:`\alpha_i / \sum_{j \in A}
    \alpha_j`, where :math:`\log \alpha_i` is its ability. For rankings of two items this is the Bradley–Terry model.

    Make a model with :meth:`from_orderings` or :meth:`from_rankings`.

    Attributes
    ----------
    items : Index
        The items.
    nobs : float
        Number of rankings, or the sum of their weights. Rankings of a single item are left out, because they say
        nothing about it.
    left_out : Index
        Items that :meth:`largest` left out; empty otherwise.

    See Also
    --------
    BradleyTerry : Paired comparisons, with order effects and covariates.

    Notes
    -----
    If several items share a place, a set S of items is chosen. Its probability is proportional to [1]_

    .. math:: f(S) = \delta_{|S|} \left(\prod_{i \in S} \alpha_i\right)^{1 / |S|}, \qquad \delta_1 = 1.

    Numbers of tied items that occur in the data have a parameter :math:`\log \delta_k`, reported as ``"(tie2)"``,
    ``"(tie3)"``, ...; others are impossible (:math:`\delta_k = 0`). For two items this is Davidson's model, where
    :math:`\delta_2 = \nu`. Time and memory grow with the number of ways to choose k tied items from those that are
    left, so ties of many items are refused.

    The log-likelihood is concave. Without ties it has a maximum if and only if the items cannot be split into two
    groups such that no item of one group ever ranked above an item of the other [2]_. This is checked before the fit,
    also with ties; if there is no maximum, the error names the items. ``method="firth"`` [3]_ has finite estimates
    whenever the rankings connect all items.

    References
    ----------
    .. [1] H. L. Turner, J. van Etten, D. Firth and I. Kosmidis, "Modelling rankings in R: the PlackettLuce package",
       Computational Statistics 35, 1027-1057, 2020. https://doi.org/10.1007/s00180-020-00959-3
    .. [2] D. R. Hunter, "MM algorithms for generalized Bradley-Terry models", The Annals of Statistics 32, 384-406,
       2004. https://doi.org/10.1214/aos/1079120141
    .. [3] D. Firth, "Bias reduction of maximum likelihood estimates", Biometrika 80, 27-38, 1993.
       https://doi.org/10.1093/biomet/80.1.27
    .. [4] R. L. Plackett, "The analysis of permutations", Journal of the Royal Statistical Society C 24, 193-202, 1975.
       https://doi.org/10.2307/2346567

    Examples
    --------
    >>> from pwcstats import PlackettLuce
    >>> orderings = [
    ...     ["apple", "banana"],
    ...     ["banana", "orange", "pear", "apple"],
    ...     [("banana", "orange", "pear"), "apple"],
    ...     ["apple", "banana", "orange"],
    ...     [("banana", "orange"), "apple"],
    ...     ["apple", "pear", "orange"],
    ... ]
    >>> res = PlackettLuce.from_orderings(orderings).fit(ref="apple")
    >>> res.params.round(3)
    banana    0.294
    orange   -0.734
    pear     -0.119
    (tie2)   -1.862
    (tie3)   -0.737
    Name: params, dtype: float64
    >>> res.predict(["apple", "banana"]).round(3)
    apple     0.396
    banana    0.532
    Name: probability, dtype: float64
    """

    # What an observation is, for titles.
    _observation = "ranking"

    def __init__(self, rankings: Orderings, data: pd.DataFrame | None = None) -> None:
        if not isinstance(rankings, Orderings):
            raise InputError(
                f"a Plackett–Luce model is made with {code('from_orderings')} or {code('from_rankings')}; pass the "
                "data to one of them."
            )
        if len(rankings.items) > MOST_ITEMS:
            raise InputError(
                f"a Plackett–Luce model may have at most {MOST_ITEMS} items, got {len(rankings.items)}; leave out "
                "items that were rarely ranked."
            )
        self._rankings, self._data = rankings, data
        self._choices = find_choices(rankings)
        self.items = rankings.items
        self.left_out: pd.Index = self.items[:0]
        self.nobs = float(rankings.weight.sum())
        if not np.isfinite(self.nobs):
            raise InputError("the weights add up to more than the largest number, 1.8e308; divide all of them by 1e10.")

    @classmethod
    def from_orderings(
        cls,
        orderings: Any,
        weight: Any = None,
        *,
        ranking: Hashable | None = None,
        item: Hashable | None = None,
        position: Hashable | None = None,
        unranked: Unranked = "absent",
    ) -> "PlackettLuce":
        """Model of lists of items, or of data with a row for each item of each ranking.

        Parameters
        ----------
        orderings : list of lists, or DataFrame
            Lists of items, the best first. A tuple, list or set within a list holds tied items. Or long data with
            the columns `ranking`, `item` and `position`.
        weight : array-like or column, optional
            Weight of each ranking in the likelihood, by default 1; 0 leaves the ranking out. For long data, a column
            that has the same value in all rows of a ranking.
        ranking, item, position : column, optional
            Columns of long data, by default those with these names: which ranking a row belongs to, the item, and its
            position. The smallest position is the best; items with the same position are tied.
        unranked : {"absent", "last"}
            What a ranking says about items that it does not name. "absent": nothing, because they were not available.
            "last": they were available and came behind all others, in unknown order, as in lists of the top ten.

        Returns
        -------
        PlackettLuce

        Examples
        --------
        >>> import pandas as pd
        >>> from pwcstats import PlackettLuce
        >>> races = pd.DataFrame(
        ...     {
        ...         "ranking": [1, 1, 1, 2, 2, 3, 3, 3],
        ...         "item": ["ann", "bob", "cy", "bob", "ann", "cy", "ann", "bob"],
        ...         "position": [1, 2, 3, 1, 2, 1, 2, 3],
        ...     }
        ... )
        >>> PlackettLuce.from_orderings(races)
        <PlackettLuce: 3 items, 3 rankings>
        """
        return cls(*read_orderings(orderings, weight, ranking, item, position, unranked))

    @classmethod
    def from_rankings(cls, ranks: Any, weight: Any = None, *, unranked: Unranked = "absent") -> "PlackettLuce":
        """Model of a table of ranks, with a row for each ranking and a column for each item.

        Parameters
        ----------
        ranks : DataFrame or array-like of shape (n, K)
            Positive numbers; the smallest is the best, equal numbers are ties, and missing values (NaN) are items that
            were not ranked.
        weight : array-like or column, optional
            Weight of each ranking in the likelihood, by default 1; 0 leaves the ranking out.
        unranked : {"absent", "last"}
            What a missing value means: the item was not available, or it came behind all items that were ranked.

        Returns
        -------
        PlackettLuce

        Examples
        --------
        >>> from pwcstats import PlackettLuce
        >>> PlackettLuce.from_rankings([[1, 2, 3], [2, 1, 3], [2, 3, 1], [1, 1, 2]]).fit().params.round(3)
        0         0.700
        1         0.218
        2        -0.918
        (tie2)   -1.393
        Name: params, dtype: float64
        """
        return cls(read_rankings(ranks, weight, unranked))

    @property
    def n_items(self) -> int:
        """Number of items."""
        return len(self.items)

    def _n_games(self) -> Array:
        """Number of rankings of each item, or the sum of their weights."""
        if self._rankings.is_open:
            return np.full(self.n_items, self.nobs)
        weight = np.repeat(self._rankings.weight, np.diff(self._rankings.start))
        return np.bincount(self._rankings.item, weight, self.n_items).astype(np.float64)

    def __repr__(self) -> str:
        left_out = f", {counted(len(self.left_out), 'item')} left out" if len(self.left_out) else ""
        return f"<PlackettLuce: {self.n_items} items, {number(self.nobs)} rankings{left_out}>"

    def largest(self) -> "PlackettLuce":
        """Model of the largest set of items whose abilities exist; the other items are taken out of the rankings.

        In this set, a chain of rankings leads from each item down to each other. `left_out` of the new model has the
        items that are not in it.

        Returns
        -------
        PlackettLuce

        Warns
        -----
        LeftOutWarning
            If items are left out; it names them.

        Examples
        --------
        >>> import warnings
        >>> from pwcstats import PlackettLuce
        >>> model = PlackettLuce.from_orderings([["ann", "bob", "cy"], ["bob", "ann", "cy"], ["ann", "cy"]])
        >>> with warnings.catch_warnings():
        ...     warnings.simplefilter("ignore")
        ...     model.largest()
        <PlackettLuce: 2 items, 2 rankings, 1 item left out>
        """
        kept = largest_component(self._rankings, self._choices)
        if kept.sum() < 2:
            raise InputError(
                "no two items have finite abilities by themselves, because no chain of rankings leads from an item to "
                f"another and back; use {arg('method', 'firth')}, {arg('method', 'ridge')} or {arg('method', 'ghost')} "
                "for finite estimates of all items."
            )
        model = PlackettLuce(restrict(self._rankings, kept), self._data)
        left_out = self.items[~kept]
        model.left_out = self.left_out.append(left_out)
        if len(left_out):
            warn(
                LeftOutWarning(
                    f"{counted(len(left_out), 'item')} of {self.n_items} and {number(self.nobs - model.nobs)} of "
                    f"{number(self.nobs)} rankings are left out: the abilities of {listed(left_out)} relative to the "
                    "other items would be infinite, or are unknown."
                )
            )
        return model

    def fit(
        self,
        method: Method = "mle",
        ref: Hashable | None = None,
        *,
        prior_sd: float | None = None,
        pseudo: float = 0.5,
        cov_type: CovType | None = None,
        cov_kwds: Mapping[str, Any] | None = None,
        maxiter: int = 500,
    ) -> PlackettLuceResults:
        """Fit the model.

        Parameters
        ----------
        method : {"mle", "firth", "ridge", "ghost"}
            "mle": maximum likelihood. "firth": Firth's bias-reduced (Jeffreys-penalised) likelihood, with finite
            estimates even for items that always came first or last. "ridge": a normal prior for the abilities, with
            standard deviation `prior_sd`. "ghost": every item wins and loses `pseudo` comparisons against a ghost item,
            as in R's PlackettLuce. The last two have finite abilities even if no ranking connects some items.
        ref : item, optional
            The item with ability 0; by default abilities sum to 0.
        prior_sd : float, optional
            Standard deviation of the abilities for ``method="ridge"``.
        pseudo : float
            Number of wins, and of losses, of each item against the ghost for ``method="ghost"``.
        cov_type : {"nonrobust", "HC0", "cluster"}, optional
            "nonrobust", the default: from the information. "HC0": the sandwich, where each ranking is an observation.
            "cluster": the sandwich for groups of rankings, ``cov_kwds={"groups": ...}``, an array with an entry for
            each ranking, or a column of long data. After "cluster", tests and intervals use the t distribution with the
            number of groups minus 1 degrees of freedom.
        cov_kwds : dict, optional
            Options of `cov_type`: ``"groups"`` and, as in statsmodels, ``"use_correction"`` (default True).
        maxiter : int
            Maximum number of Newton steps.

        Returns
        -------
        PlackettLuceResults

        Raises
        ------
        InputError
            If an estimate would be infinite; the message names the items or tie parameters.

        Warns
        -----
        SeparationWarning
            If an estimate is practically infinite.
        ConvergenceWarning
            If the iteration did not converge.
        FewClustersWarning
            If ``cov_type="cluster"`` has fewer than 20 groups, or groups of very unequal size.

        Notes
        -----
        Estimates with ``method="ghost"`` are those of R's PlackettLuce, whose default is ``npseudo = 0.5``. Standard
        errors differ: here they take the comparisons with the ghost into account, as they do the prior with
        ``method="ridge"``. In R they do not, so that they do not exist if no ranking connects some items.

        Examples
        --------
        The last item of every race has no maximum likelihood estimate.

        >>> from pwcstats import PlackettLuce
        >>> model = PlackettLuce.from_orderings([["ann", "bob", "cy"], ["bob", "ann", "cy"], ["ann", "cy"]])
        >>> model.fit()
        Traceback (most recent call last):
        ...
        pwcstats.errors.InputError: there is no maximum likelihood estimate: cy never ranked above any of the others...
        >>> model.fit(method="firth").params.round(3)
        ann    0.712
        bob    0.708
        cy    -1.420
        Name: params, dtype: float64
        """
        method = _params.choice(method, METHODS, "method")  # type: ignore[assignment]
        prior = read_prior(method, prior_sd, pseudo)
        options = covariance.read_options("full", cov_type or "nonrobust", cov_kwds, 2, 0)
        terms = [tie_term(int(order)) for order in self._choices.order]
        spec = RankingSpec(
            method,
            _params.count(maxiter, "maxiter"),
            self.items,
            None if ref is None else _params.index_of(ref, self.items, "ref"),
            prior,
            terms,
        )
        taken = [name for name in terms if name in {label for label in self.items if isinstance(label, str)}]
        if taken:
            raise InputError(f"an item has the name of a parameter, {listed(taken)}; rename it.")
        likelihood = RankingLikelihood(self._choices, spec.penalty)
        obstacle = find_obstacle(self._rankings, self._choices, spec.penalty)
        if obstacle is not None:
            raise InputError(obstacle())
        ascent = likelihood.maximise(spec.maxiter)
        if not ascent.converged:
            cure = f"raise {arg('maxiter')}" if ascent.n_iter == spec.maxiter else f"use {arg('method', 'ridge')}"
            warn(
                ConvergenceWarning(
                    f"the Plackett–Luce fit did not converge ({ascent.reason}), so the estimates may be wrong; {cure}."
                )
            )
        try:
            estimate = estimate_covariance(self._rankings, self._data, likelihood, ascent.point, spec.ref, options)
        except NotDefiniteError:
            raise InputError(
                "the information is singular to working precision: some items are joined to the rest only by choices "
                f"that are almost certain; use {arg('method', 'ridge')}, or leave out these items."
            ) from None
        if estimate.few_groups:
            warn(FewClustersWarning(few_clusters(estimate)))
        results = PlackettLuceResults(self, spec, likelihood, ascent, estimate, options.cov_type)
        warn_if_infinite(self.items, results._item_se, spec.method != "mle")
        return results

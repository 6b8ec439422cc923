"""The model: comparisons in, fits out."""

import warnings
from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np
import pandas as pd

from pwcstats import _params
from pwcstats._kernels.laplacian import NotDefiniteError
from pwcstats._summary import number
from pwcstats.bradley_terry import checks as fits
from pwcstats.bradley_terry import covariance, existence
from pwcstats.bradley_terry import reading as comparisons
from pwcstats.bradley_terry.likelihood import Covariates, Items, Likelihood
from pwcstats.bradley_terry.reading import Rows
from pwcstats.bradley_terry.results import BradleyTerryResults
from pwcstats.bradley_terry.spec import Spec, read_spec
from pwcstats.bradley_terry.table import Table, make_table
from pwcstats.coupling.reading import read_pairs, read_weights, soft_wins
from pwcstats.errors import ConvergenceWarning, FewClustersWarning, InputError, SeparationWarning

COVARIANCES = ("full", "diag", "none")
COV_TYPES = ("nonrobust", "HC0", "cluster")


class BradleyTerry:
    r"""Bradley–Terry model of paired comparisons.

    Item i beats item j with probability :math:`\pi_i / (\pi_i + \pi_j)`, where :math:`\log \pi_i = \lambda_i` is its
    ability. Wins may be fractions: they are weights in the likelihood.

    Parameters
    ----------
    wins : array-like or DataFrame of shape (K, K)
        ``wins[i, j]`` is how often i beat j; what is on the diagonal is ignored. A frame's labels are the items' names.
    tied : array-like or DataFrame of shape (K, K), optional
        How often i and j tied: symmetric, each tie written on both sides.
    items : sequence, optional
        Names of the items; by default a frame's labels, or 0, 1, ...

    Attributes
    ----------
    items : Index
        The items.
    nobs : float
        Number of comparisons, or the sum of their weights.

    See Also
    --------
    BradleyTerry.from_comparisons : One row a comparison.
    BradleyTerry.from_pairwise : Hastie and Tibshirani's probabilities with weights.
    pwcstats.couple : Many such fits at once, without inference.

    Notes
    -----
    The log-likelihood is concave in the abilities, and it has a maximum if and only if the items cannot be split in two
    parts so that no item of one ever beat an item of the other (Ford [2]_). This is checked before the fit; where it
    fails the error names the items.

    With ``ties="davidson"`` [3]_, i wins, j wins and a tie have probabilities in the ratio :math:`\pi_i : \pi_j : \nu
    \sqrt{\pi_i \pi_j}`. With ``order_effect=True``, :math:`\pi_i` of the item that goes first (or is at home) is
    multiplied by :math:`e^\delta`. With ``method="firth"`` [4]_ half the log determinant of the information is added
    to the log-likelihood, which takes off most of the bias and is finite whenever the graph of comparisons is
    connected.

    References
    ----------
    .. [1] R. A. Bradley and M. E. Terry, "Rank analysis of incomplete block designs: I. The method of paired
       comparisons", Biometrika 39, 324-345, 1952. https://doi.org/10.2307/2334029
    .. [2] L. R. Ford, "Solution of a ranking problem from binary comparisons", The American Mathematical Monthly 64
       (8, part 2), 28-33, 1957. https://doi.org/10.2307/2308513
    .. [3] R. R. Davidson, "On extending the Bradley–Terry model to accommodate ties in paired comparison experiments",
       Journal of the American Statistical Association 65, 317-328, 1970. https://doi.org/10.1080/01621459.1970.10481082
    .. [4] D. Firth, "Bias reduction of maximum likelihood estimates", Biometrika 80, 27-38, 1993.
       https://doi.org/10.1093/biomet/80.1.27
    .. [5] S. M. Stigler, "Citation patterns in the journals of statistics and probability", Statistical Science 9,
       94-108, 1994. https://doi.org/10.1214/ss/1177010655

    Examples
    --------
    Citations between four statistical journals [5]_: a row is cited by a column.

    >>> import pandas as pd
    >>> from pwcstats import BradleyTerry
    >>> journals = ["Biometrika", "Comm Statist", "JASA", "JRSS-B"]
    >>> wins = pd.DataFrame(
    ...     [[0, 730, 498, 221], [33, 0, 68, 17], [320, 813, 0, 142], [284, 276, 325, 0]],
    ...     index=journals,
    ...     columns=journals,
    ... )
    >>> res = BradleyTerry(wins).fit()
    >>> res.abilities().round(3)
                  ability  std_error  conf_low  conf_high
    Biometrika      0.790      0.043     0.705      0.875
    Comm Statist   -2.159      0.073    -2.301     -2.017
    JASA            0.310      0.042     0.229      0.392
    JRSS-B          1.059      0.053     0.955      1.163
    >>> print(res.contrast("JRSS-B", "Biometrika"))
    Wald test of a contrast: statistic = 3.797, p-value = 0.0001464
    null hypothesis: JRSS-B and Biometrika have the same ability
    estimate: 0.269 (0.1301, 0.4078)
    """

    def __init__(self, wins: Any, tied: Any = None, *, items: Sequence[Hashable] | None = None) -> None:
        self._start(comparisons.read_wins(wins, tied, items), None)

    def _start(self, rows: Rows, data: pd.DataFrame | None) -> None:
        if not np.isfinite(rows.total):
            raise InputError("the counts add up to more than the largest number, 1.8e308; divide all of them by 1e10.")
        self._rows = rows
        self._data = data
        self._tables: dict[bool, Table] = {}
        self.items = rows.items
        self.nobs = rows.total

    @classmethod
    def from_comparisons(
        cls,
        data: Any = None,
        winner: Any = None,
        loser: Any = None,
        weight: Any = None,
        tie: Any = None,
        *,
        first: Any = None,
        second: Any = None,
        wins: Any = None,
        neutral: Any = None,
    ) -> "BradleyTerry":
        """Model of long data, one row a comparison, in one of three forms.

        - `winner` and `loser`: two columns of items.
        - `first`, `second` and `winner`: both items, and who won: the item, or the name of the column it is in (a label
          that is both is taken for the item). Other codes are mapped first, a football season's for example by
          ``df["FTR"].map({"H": "HomeTeam", "A": "AwayTeam", "D": "draw"})`` with ``tie="draw"``.
        - `first`, `second` and `wins`: both items, and the columns of how often each won, perhaps a third of ties.

        Parameters
        ----------
        data : DataFrame, optional
            The comparisons. Every other argument is the name of one of its columns, or an array.
        winner, loser : column
            Items, with labels of any type. The items are ordered by category where both columns are categorical, else
            sorted.
        weight : column, optional
            How much the row counts in the likelihood, 1 by default; 0 leaves it out. Bootstrap and robust covariances
            still take the row as one.
        tie : column, (column, value) or value, optional
            Which rows are ties: a column of true and false, a column with the value it has in ties, or, in the second
            form, the value (or list of values) that `winner` has in ties.
        first : column, optional
            The item that goes first or is at home, for ``fit(order_effect=True)``. With `winner` and `loser` it is
            one of the two, or missing where nobody goes first.
        second : column, optional
            The other item.
        wins : two or three columns, optional
            Wins of `first`, wins of `second`, and ties.
        neutral : column, optional
            True where `first` has no advantage.

        Returns
        -------
        BradleyTerry

        Examples
        --------
        >>> import pandas as pd
        >>> from pwcstats import BradleyTerry
        >>> games = pd.DataFrame(
        ...     {
        ...         "model_a": ["x", "y", "z", "x", "y", "z"],
        ...         "model_b": ["y", "z", "x", "z", "x", "y"],
        ...         "winner": ["model_a", "model_a", "tie", "model_b", "model_a", "model_a"],
        ...     }
        ... )
        >>> model = BradleyTerry.from_comparisons(
        ...     games, first="model_a", second="model_b", winner="winner", tie="tie"
        ... )
        >>> model.fit(ties="half", ref="y").params.round(3)
        x   -0.343
        z    0.343
        Name: params, dtype: float64
        """
        model = cls.__new__(cls)
        frame = comparisons.read_frame(data)
        rows = comparisons.read_comparisons(frame, winner, loser, weight, tie, first, second, wins, neutral)
        # Not deep, and yet safe from what is done to the user's frame as a whole, such as sorting it.
        model._start(rows, None if frame is None else frame.copy(deep=False))
        return model

    @classmethod
    def from_pairwise(
        cls, r: Any, n: Any = None, *, condensed: bool = False, items: Sequence[Hashable] | None = None
    ) -> "BradleyTerry":
        r"""Model of Hastie and Tibshirani's :math:`n_{ij} r_{ij}` wins.

        Parameters
        ----------
        r : array-like or DataFrame of shape (K, K)
            ``r[i, j]`` estimates the probability that i beats j, ``r[i, j] + r[j, i] = 1``; with `condensed` the
            K(K-1)/2 numbers above the diagonal.
        n : array-like, optional
            Weights of the pairs, real numbers, (K, K) and symmetric or condensed; 1 by default. 0 says that a pair was
            not compared; only then may its r be missing.
        condensed : bool
            Is r condensed?
        items : sequence, optional
            Names of the items.

        Returns
        -------
        BradleyTerry

        Examples
        --------
        >>> from pwcstats import BradleyTerry
        >>> r = [[0, 0.9, 0.4], [0.1, 0, 0.7], [0.6, 0.3, 0]]
        >>> res = BradleyTerry.from_pairwise(r, [[0, 20, 30], [20, 0, 40], [30, 40, 0]]).fit()
        >>> round(res.predict(0, 1), 4)
        0.5776
        """
        pairs = read_pairs(r, condensed, items)
        if not pairs.single:
            raise InputError(f"r must be the pairs of one sample, got {pairs.n_samples} samples; use couple for many.")
        weight = np.ones((1, len(pairs.upper))) if n is None else read_weights(n, pairs, condensed, "n")
        wins = soft_wins(pairs, weight[0])
        model = cls.__new__(cls)
        model._start(comparisons.read_wins(wins, None, pairs.classes), None)
        return model

    @property
    def n_items(self) -> int:
        """Number of items."""
        return len(self.items)

    def __repr__(self) -> str:
        return f"<BradleyTerry: {self.n_items} items, {number(self.nobs)} comparisons>"

    def fit(
        self,
        method: str = "mle",
        ties: str = "none",
        order_effect: bool = False,
        covariates: Any = None,
        ref: Hashable | None = None,
        cov: str = "full",
        *,
        item_data: Any = None,
        eval_env: Any = 0,
        cov_type: str = "nonrobust",
        cov_kwds: dict[str, Any] | None = None,
        max_iter: int = 500,
        n_projections: int = 64,
        random_state: int = 0,
    ) -> BradleyTerryResults:
        """Fit the model.

        Parameters
        ----------
        method : {"mle", "firth"}
            Maximum likelihood, or Firth's bias-reduced (Jeffreys-penalised) likelihood, which is finite for items that
            won or lost everything too.
        ties : {"none", "davidson", "half"}
            Ties are an error, have a parameter of their own (``"(tie)"``, which is log nu), or count half a win for
            each.
        order_effect : bool
            Estimate the advantage of going first (``"(order)"``), on the scale of the abilities.
        covariates : DataFrame, array-like or str, optional
            Abilities are a linear function of these, one row an item; or a formula without response, such as
            ``"age + weight"``, for `item_data`. An intercept would cancel and is left out.
        ref : item, optional
            The item with ability 0; by default abilities sum to 0.
        cov : {"full", "diag", "none"}
            The whole covariance, standard errors only, or neither. Standard errors of more than 2000 items are
            estimated by random projections; ``res.bse_error`` states how well.
        item_data : DataFrame, optional
            Data of a formula, indexed by item. Its columns come before variables of the same name.
        eval_env : int
            Where a formula's functions, and variables that are not columns of `item_data`, are looked up: 0 where
            `fit` is called, 1 where the function that calls it is called, and so on; -1 nowhere, as in statsmodels.
        cov_type : {"nonrobust", "HC0", "cluster"}
            From the information; the sandwich; the sandwich with ``cov_kwds={"groups": column}``, a column of the
            data or an array of one entry a row, and, as in statsmodels, ``"use_correction"`` (True). After
            "cluster", tests and intervals use the t distribution with one degree of freedom less than there are
            groups.
        cov_kwds : dict, optional
            See `cov_type`.
        max_iter : int
            Newton steps before giving up.
        n_projections : int
            Random projections for ``cov="diag"``.
        random_state : int
            Seed of these projections.

        Returns
        -------
        BradleyTerryResults

        Raises
        ------
        InputError
            When an estimate would be infinite or is not identified: the message names the items or covariates.

        Warns
        -----
        SeparationWarning
            When an estimate is practically infinite.
        ConvergenceWarning
            When the iteration ended before its goal.
        FewClustersWarning
            When ``cov_type="cluster"`` has fewer than 20 groups.

        Notes
        -----
        ``ties="half"`` treats half a win like a win: its standard errors are somewhat too large (``cov_type="HC0"``
        mends that), and its likelihood cannot be compared with Davidson's. ``method="firth"`` needs the covariance of
        all items in each step, and takes at most 5000 items.

        Examples
        --------
        Abilities by a covariate of the items:

        >>> import pandas as pd
        >>> from pwcstats import BradleyTerry
        >>> model = BradleyTerry([[0, 3, 5], [2, 0, 4], [1, 2, 0]], items=["ant", "bee", "cat"])
        >>> size = pd.DataFrame({"size": [1.5, 1.0, 0.2]}, index=["ant", "bee", "cat"])
        >>> res = model.fit(covariates="size", item_data=size)
        >>> res.tidy().round(3)[["term", "estimate", "std_error", "p_value"]]
           term  estimate  std_error  p_value
        0  size     1.073      0.608    0.077
        """
        _params.choice(cov, COVARIANCES, "cov")
        _params.choice(cov_type, COV_TYPES, "cov_type")
        environment = fits.read_environment(eval_env, 1) if isinstance(covariates, str) else None
        spec = read_spec(self._rows, method, ties, order_effect, covariates, item_data, environment, ref)
        dense = spec.firth or cov == "full" or cov_type != "nonrobust"
        fits.refuse_too_many(self.n_items, spec.z is None and dense, spec.firth)
        if cov_type != "nonrobust" and cov != "full":
            raise InputError(f"cov_type={cov_type!r} needs cov='full', got cov={cov!r}.")
        table = self._table(spec)
        likelihood = self._likelihood(spec, table)
        self._check_existence(spec, likelihood)
        max_iter = _params.count(max_iter, "max_iter")
        ascent = likelihood.maximise(max_iter)
        if not ascent.converged:
            cure = "raise max_iter" if ascent.n_iter == max_iter else _cure(spec, table)
            warnings.warn(
                f"the Bradley–Terry fit did not converge ({ascent.reason}), so the estimates may be wrong; {cure}.",
                ConvergenceWarning,
                stacklevel=2,
            )
        n_groups = None
        try:
            estimate = covariance.estimate(
                likelihood,
                ascent.point,
                cov,
                spec.ref,
                _params.count(n_projections, "n_projections", 2),
                _params.seed(random_state),
            )
            if estimate.cov is not None and cov_type != "nonrobust":
                scored = covariance.scored_rows(self._rows, self._data, cov_type, cov_kwds, likelihood.rank)
                estimate = covariance.sandwich(likelihood, ascent.point, estimate.cov, spec.ref, scored)
                if cov_type == "cluster":
                    n_groups = int(scored.group.max()) + 1
        except NotDefiniteError:
            raise InputError(
                "the information is singular to working precision: some items are joined to the rest only by "
                f"comparisons whose outcome is almost certain; {_cure(spec, table)}, or use cov='none' for the "
                "abilities alone."
            ) from None
        if n_groups is not None and n_groups < fits.FEW_CLUSTERS:
            warnings.warn(
                f"cov_type='cluster' has only {n_groups} clusters: standard errors are imprecise, more so if clusters "
                f"differ in size. Tests use the t distribution with {n_groups - 1} degrees of freedom; with about "
                f"{fits.FEW_CLUSTERS} clusters or more they can be trusted.",
                FewClustersWarning,
                stacklevel=2,
            )
        results = BradleyTerryResults(self, spec, likelihood, ascent, estimate, cov_type, max_iter, n_groups)
        if estimate.variance is not None:
            # Of abilities, since coefficients of covariates have the scale of these.
            message = fits.all_but_infinite(self.items, results._item_se, spec.firth)
            if message is not None:
                warnings.warn(message, SeparationWarning, stacklevel=2)
        return results

    def _table(self, spec: Spec) -> Table:
        half = spec.ties == "half"
        if half not in self._tables:
            self._tables[half] = make_table(self._rows, half)
        return self._tables[half]

    def _likelihood(self, spec: Spec, table: Table) -> Likelihood:
        design = Items(table) if spec.z is None else Covariates(table, spec.z)
        return Likelihood(table, design, order=spec.order, tie=spec.davidson, firth=spec.firth)

    def _check_existence(self, spec: Spec, likelihood: Likelihood) -> None:
        table, design = likelihood.table, likelihood.design
        if isinstance(design, Covariates):
            names = spec.names + ["(order)"] * spec.order + ["(tie)"] * spec.davidson
            existence.check_covariates(table, design.x, names, spec.order, spec.davidson, not spec.firth)
        elif spec.firth:
            existence.check_connected(table, self.items)
            if spec.order:
                existence.check_identified(table)
        elif isinstance(design, Items):
            existence.check_items(table, design.graph, self.items)
            if spec.order:
                existence.check_identified(table)
            if spec.order or spec.davidson:
                existence.check_order_and_ties(table, spec.order, spec.davidson)


def _cure(spec: Spec, table: Table) -> str:
    """What to do when the estimates cannot be computed."""
    if spec.firth or not table.addable:
        return "leave out pairs that were compared far more or far less often than the others"
    return "use method='firth'"

"""The Bradley–Terry model."""

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from pwcstats import _params
from pwcstats._arrays import Array
from pwcstats._kernels.laplacian import NotDefiniteError
from pwcstats._summary import number
from pwcstats._text import counted, listed, named
from pwcstats.bradley_terry import covariance
from pwcstats.bradley_terry.covariance import LARGEST_FULL, Cov, CovType
from pwcstats.bradley_terry.existence import find_obstacle, find_separation, set_infinite
from pwcstats.bradley_terry.formulas import read_environment
from pwcstats.bradley_terry.frames import column_names, open_frame, read_frame
from pwcstats.bradley_terry.habits import fill_in, named_columns
from pwcstats.bradley_terry.likelihood import LARGEST_FIRTH, make_likelihood
from pwcstats.bradley_terry.methods import Method
from pwcstats.bradley_terry.mixed import fit_mixed
from pwcstats.bradley_terry.parts import largest_part, left_out_warning, some_units
from pwcstats.bradley_terry.reading import Columns, Rows, read_wins
from pwcstats.bradley_terry.results import BradleyTerryResults
from pwcstats.bradley_terry.sources import SOURCE, combine_rows, read_source_weights, source_factors
from pwcstats.bradley_terry.spec import RandomEffects, Spec, read_spec
from pwcstats.bradley_terry.table import Table, make_table
from pwcstats.bradley_terry.ties import Ties
from pwcstats.bradley_terry.updating import warm_start
from pwcstats.coupling.reading import read_pairs, read_weights, soft_wins
from pwcstats.errors import (
    ConvergenceWarning,
    InputError,
    Message,
    SeparationWarning,
    arg,
    code,
    warn,
)

# After this many steps, a fit that has not converged is checked for separation.
TRIAL_STEPS = 40


class BradleyTerry:
    r"""Bradley–Terry model of paired comparisons.

    Item i beats item j with probability :math:`\pi_i / (\pi_i + \pi_j)`, where :math:`\log \pi_i = \lambda_i` is its
    ability. Wins may be fractions; they are weights in the likelihood.

    Parameters
    ----------
    wins : array-like or DataFrame of shape (K, K)
        ``wins[i, j]`` is the number of times that i beat j; the diagonal is ignored. The labels of a data frame are the
        names of the items.
    tied : array-like or DataFrame of shape (K, K), optional
        Numbers of ties of i and j: a symmetric matrix.
    items : sequence, optional
        Names of the items; by default the labels of the data frame, or 0, 1, ...

    Attributes
    ----------
    items : Index
        The items.
    nobs : float
        Number of comparisons, or the sum of their weights.
    left_out : Index
        The items that :meth:`largest` has left out.

    See Also
    --------
    BradleyTerry.from_comparisons : Data with one row per comparison.
    BradleyTerry.from_pairwise : Pairwise probabilities with weights, as in Hastie and Tibshirani.
    BradleyTerry.combine : Several sources of comparisons, with a weight for each.
    pwcstats.couple : Many such fits at once, without inference.

    Notes
    -----
    The log-likelihood is concave in the abilities. It has a maximum if and only if the items cannot be split into two
    groups such that no item of one group ever beat an item of the other (Ford [2]_). This is checked before the fit; if
    there is no maximum, the error names the items.

    With ``ties="davidson"`` [3]_, i wins, j wins and a tie have probabilities in the ratio :math:`\pi_i : \pi_j : \nu
    \sqrt{\pi_i \pi_j}`. With ``ties="rao-kupper"`` [6]_, i wins with probability :math:`\pi_i / (\pi_i + \theta
    \pi_j)`, and j with probability :math:`\pi_j / (\pi_j + \theta \pi_i)`. With ``order_effect=True``, :math:`\pi_i` of
    the item that goes first (or is at home) is multiplied by :math:`e^\delta`, and contest covariates x multiply it by
    :math:`e^{x'\beta}`.

    With ``method="firth"`` [4]_, half the log determinant of the information is added to the log-likelihood. This
    removes most of the bias, and estimates are finite whenever the graph of comparisons is connected. With
    ``method="ridge"``, :math:`-\sum_i (\lambda_i - \bar\lambda)^2 / (2 s^2)` is added, where s is `prior_sd`. With
    ``method="ghost"``, every item has additional comparisons with a ghost item, as in R's PlackettLuce [7]_. These
    cannot be ties, so that they do not change the tie parameter directly; in R's PlackettLuce, and in
    :class:`PlackettLuce`, they have three outcomes and reduce it.

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
    .. [6] P. V. Rao and L. L. Kupper, "Ties in paired-comparison experiments: a generalization of the Bradley–Terry
       model", Journal of the American Statistical Association 62, 194-204, 1967.
       https://doi.org/10.1080/01621459.1967.10482901
    .. [7] H. L. Turner, J. van Etten, D. Firth and I. Kosmidis, "Modelling rankings in R: the PlackettLuce package",
       Computational Statistics 35, 1027-1057, 2020. https://doi.org/10.1007/s00180-020-00959-3

    Examples
    --------
    Citations between four statistical journals [5]_: the journal of the row is cited by the journal of the column.

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

    # What an observation is, for titles.
    _observation = "comparison"

    def __init__(self, wins: Any, tied: Any = None, *, items: Iterable[Hashable] | None = None) -> None:
        self._set_rows(read_wins(wins, tied, items), None)

    def _set_rows(self, rows: Rows, data: pd.DataFrame | None) -> None:
        if not np.isfinite(rows.total):
            raise InputError("the counts add up to more than the largest number, 1.8e308; divide all of them by 1e10.")
        self._rows = rows
        self._data = data
        self._tables: dict[bool, Table] = {}
        # The arguments of `from_comparisons` except the data, and the fit at which the next one starts.
        self._columns: dict[str, Any] | None = None
        self._previous: BradleyTerryResults | None = None
        self.items = rows.items
        self.nobs = rows.total
        self.left_out: pd.Index = rows.items[:0]
        # Columns that were found by their names, because the user did not give any.
        self._found: Columns | None = None
        # The information gives wrong standard errors if sources have weights: `fit` uses the sandwich by default.
        self._weighted_sources = False
        # By which the weights of the comparisons of each source were multiplied.
        self._source_factors: dict[Any, float] = {}

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
        keep: Any = None,
    ) -> "BradleyTerry":
        """Model of data with one row per comparison or per pair, in one of three forms.

        If no columns of items are given, they are found by common names, such as `model_a`, `model_b` and `winner`.

        - `winner` and `loser`: two columns of items.
        - `first`, `second` and `winner`: both items, and the winner. The winner is an item, or the name of the column
          that contains it; a label that is both is taken for the item. Map other codes first; for example, for a
          football season use ``df["FTR"].map({"H": "HomeTeam", "A": "AwayTeam", "D": "draw"})`` with ``tie="draw"``.
        - `first`, `second` and `wins`: both items, and columns with their numbers of wins and, optionally, of ties.

        Parameters
        ----------
        data : DataFrame, optional
            The comparisons. Every other argument is the name of one of its columns, or an array. Frames of pandas,
            polars and pyarrow give the same results. Lazy frames of polars, DuckDB, dask, Spark or Ibis are not loaded;
            see Notes.
        winner, loser : column
            Items, with labels of any type. If both columns are categorical, the items have the order of the categories;
            else they are sorted.
        weight : column, optional
            Weight of the row in the likelihood, by default 1; 0 leaves the row out. For the bootstrap and for robust
            covariances, the row is one observation, also in a lazy frame.
        tie : column, (column, value) or value, optional
            Rows that are ties: a column of true and false; a column and the value that it has in ties; or, in the
            second form, the value (or list of values) that `winner` has in ties.
        first : column, optional
            The item that goes first or is at home, for ``fit(order_effect=True)``. With `winner` and `loser` it is
            one of the two, or missing if nobody goes first.
        second : column, optional
            The other item.
        wins : two or three columns, optional
            Numbers of wins of `first`, wins of `second`, and ties.
        neutral : column, optional
            True in rows in which `first` has no advantage.
        keep : list of columns, optional
            Further columns of a lazy frame that later steps need, such as the groups of ``cov_type="cluster"``.

        Returns
        -------
        BradleyTerry

        Notes
        -----
        A lazy frame is counted by its own engine, with one group-by. Only the counts of each pair and outcome come to
        memory, so the number of comparisons does not matter. All arguments must be names of columns then. Columns that
        are not in `keep` are gone; the rows of the model are the groups.

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
        columns = Columns(winner, loser, weight, tie, first, second, wins, neutral, keep)
        given, found = vars(columns), None
        if data is not None and not columns.given:
            data = open_frame(data)
            columns = found = fill_in(columns, column_names(data))
        columns.check()
        model = cls._from_rows(*read_frame(open_frame(data), columns))
        model._columns, model._found = given, found
        return model

    @classmethod
    def _from_rows(cls, rows: Rows, data: pd.DataFrame | None) -> "BradleyTerry":
        model = cls.__new__(cls)
        model._set_rows(rows, data)
        return model

    @classmethod
    def combine(cls, models: Mapping[Hashable, "BradleyTerry"], weights: Any = None) -> "BradleyTerry":
        """Model of several sources of comparisons, with a weight for each source.

        The influence of a source depends on its weight, and not on its number of comparisons.

        Parameters
        ----------
        models : dict of BradleyTerry
            A model of each source. Their items may differ; the new model has all of them.
        weights : dict, optional
            Weight of each source; by default all sources have the same weight.

        Returns
        -------
        BradleyTerry
            Its data have the columns of all models, and the column ``"source"``.

        Notes
        -----
        The estimates maximise the sum of the sources' mean log-likelihoods, multiplied by their weights. A mean is
        taken over the comparisons of the source, with their own weights if they have any. The sum is scaled such
        that the weights of all comparisons add up to their number.

        If sources have weights, the inverse of the information is not the covariance of the estimates. So
        `fit` uses ``cov_type="HC0"`` by default then. Use ``cov_type="cluster"`` if all sources have a column of
        groups. "HC0" assumes independent comparisons. If the sources disagree, its standard errors are somewhat too
        large, because the number of comparisons of each source is not random.

        Examples
        --------
        Two experts count as much as a hundred votes:

        >>> from pwcstats import BradleyTerry
        >>> votes = BradleyTerry([[0, 40], [60, 0]], items=["x", "y"])
        >>> experts = BradleyTerry([[0, 1], [1, 0]], items=["x", "y"])
        >>> model = BradleyTerry.combine({"votes": votes, "experts": experts})
        >>> model
        <BradleyTerry: 2 items, 102 comparisons>
        >>> round(model.fit(cov_type="HC0").predict("x", "y"), 4)
        0.45
        """
        if not isinstance(models, Mapping) or not all(isinstance(m, BradleyTerry) for m in models.values()):
            raise InputError(f"{arg('models')} must be a dict of BradleyTerry models, got {type(models).__name__}.")
        if len(models) < 2:
            raise InputError(f"{arg('models')} must have at least 2 models, got {len(models)}.")
        shares = read_source_weights(weights, list(models))
        parts = {name: (model._rows, model._data) for name, model in models.items()}
        factors = source_factors(parts, shares)
        combined = cls._from_rows(*combine_rows(parts, factors))
        combined._weighted_sources = True
        combined._source_factors = dict(zip(models, map(float, factors), strict=True))
        return combined

    @classmethod
    def from_pairwise(
        cls, r: Any, n: Any = None, *, condensed: bool = False, items: Sequence[Hashable] | None = None
    ) -> "BradleyTerry":
        r"""Model of pairwise probabilities: i beats j :math:`n_{ij} r_{ij}` times, as in Hastie and Tibshirani.

        Parameters
        ----------
        r : array-like or DataFrame of shape (K, K)
            ``r[i, j]`` estimates the probability that i beats j, with ``r[i, j] + r[j, i] = 1``. If `condensed`, the
            K(K-1)/2 numbers above the diagonal.
        n : array-like, optional
            Weights of the pairs: real numbers, as a symmetric matrix of shape (K, K) or condensed; by default 1. 0
            means that a pair was not compared; only then may its `r` be missing.
        condensed : bool
            Whether `r` and `n` are condensed.
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
        condensed = _params.flag(condensed, "condensed")
        pairs = read_pairs(r, condensed, items)
        if not pairs.single:
            raise InputError(
                f"{arg('r')} must be the pairs of one sample, got {pairs.n_samples} samples; use {code('couple')} for "
                "several."
            )
        weight = np.ones((1, len(pairs.upper))) if n is None else read_weights(n, pairs, condensed, "n")
        return cls(soft_wins(pairs, weight[0]), items=pairs.classes)

    @property
    def n_items(self) -> int:
        """Number of items."""
        return len(self.items)

    def __repr__(self) -> str:
        found = "" if self._found is None else f", read with {Message(named_columns(self._found))}"
        left_out = f", {counted(len(self.left_out), 'item')} left out" if len(self.left_out) else ""
        return f"<BradleyTerry: {self.n_items} items, {number(self.nobs)} comparisons{left_out}{found}>"

    def largest(self) -> "BradleyTerry":
        """Model of the largest part of the items whose abilities exist.

        In this part, a chain of wins or ties leads from every item to every other. These are the items that maximum
        likelihood can compare with each other. If nothing has to be left out, the model is the same.

        Returns
        -------
        BradleyTerry
            Its attribute `left_out` has the items that are left out. Comparisons with these are left out, too.

        Raises
        ------
        InputError
            If no two items have finite abilities.

        Warns
        -----
        LeftOutWarning
            If items are left out; the message names them.

        See Also
        --------
        BradleyTerry.fit : ``method="firth"`` has finite estimates of items that won or lost everything.

        Examples
        --------
        The item d won its only game.

        >>> import warnings
        >>> from pwcstats import BradleyTerry
        >>> games = {"winner": ["a", "b", "c", "a", "d"], "loser": ["b", "c", "a", "c", "a"]}
        >>> with warnings.catch_warnings():
        ...     warnings.simplefilter("ignore")
        ...     part = BradleyTerry.from_comparisons(games, "winner", "loser").largest()
        >>> part
        <BradleyTerry: 3 items, 4 comparisons, 1 item left out>
        >>> part.left_out
        Index(['d'], dtype=...)
        """
        rows, left_out = largest_part(self._rows, self._counts(half=False))
        model = self._part(rows, self._data)
        model.left_out = self.left_out.append(left_out)
        if len(left_out):
            before, after = self._n_comparisons(), model._n_comparisons()
            warn(left_out_warning(left_out, self.n_items, before, after, "comparisons"))
        return model

    def _select(self, units: NDArray[np.bool_]) -> "BradleyTerry":
        """Model of some rows of the user's data, without items that have no comparisons there."""
        return self._part(*some_units(self._rows, self._data, units))

    def _part(self, rows: Rows, data: pd.DataFrame | None) -> "BradleyTerry":
        model = self._from_rows(rows, data)
        model.left_out, model._found, model._weighted_sources = self.left_out, self._found, self._weighted_sources
        model._columns, model._source_factors = self._columns, self._source_factors
        return model

    def fit(
        self,
        method: Method = "mle",
        ties: Ties = "none",
        order_effect: bool = False,
        covariates: Any = None,
        ref: Hashable | None = None,
        cov: Cov = "full",
        *,
        item_data: pd.DataFrame | None = None,
        contest: Any = None,
        random_effects: RandomEffects | bool | None = None,
        prior_sd: float | None = None,
        pseudo: float = 0.5,
        eval_env: Any = 0,
        cov_type: CovType | None = None,
        cov_kwds: Mapping[str, Any] | None = None,
        maxiter: int = 500,
        n_projections: int = 64,
        random_state: int | None = 0,
    ) -> BradleyTerryResults:
        """Fit the model.

        Parameters
        ----------
        method : {"mle", "firth", "ridge", "ghost"}
            "mle": maximum likelihood. "firth": Firth's bias-reduced (Jeffreys-penalised) likelihood, with finite
            estimates even for items that won or lost everything. "ridge": a normal prior for the abilities, with
            standard deviation `prior_sd`. "ghost": every item wins and loses `pseudo` comparisons against a ghost item.
            The last two have finite estimates even if some items never met, and shrink abilities towards their mean.
        ties : {"none", "davidson", "rao-kupper", "half"}
            "none": ties are an error. "davidson" and "rao-kupper": ties have a parameter, ``"(tie)"``, which is log nu
            or log theta. "half": a tie is half a win for each item.
        order_effect : bool
            Whether to estimate the advantage of going first, ``"(order)"``, on the scale of the abilities.
        covariates : DataFrame, array-like or str, optional
            If given, abilities are a linear function of these covariates, which have one row for each item. A string is
            a formula without response, such as ``"age + weight"``, for `item_data`. An intercept would cancel and is
            left out. An item with a missing covariate has an ability of its own instead, named after the item: the
            difference from an item whose covariates are all 0.
        ref : item, optional
            The item with ability 0; by default abilities sum to 0.
        cov : {"full", "diag", "none"}
            The whole covariance, standard errors only, or neither. With "diag", standard errors of more than 2000 items
            are estimated by random projections; ``res.bse_error`` gives their accuracy.
        item_data : DataFrame, optional
            Data of the formula, indexed by item. Its columns take precedence over variables of the same name.
        contest : str, list, dict, DataFrame or array-like, optional
            Covariates of the single comparisons, such as differences of length ("style control") or days of rest. A
            value describes `first` minus `second` (in the form with `loser`: the winner minus the loser), and changes
            sign if the two change places. Give a formula over columns of the comparisons (``"rest + C(surface)"``), a
            list of columns, a dict of names and columns (or pairs of columns, for example ``{"length": ("len_a",
            "len_b")}``, whose difference is taken), or a data frame or array with one row for each comparison. In a
            formula, the order effect takes the place of the intercept. So with ``order_effect=False``, all levels of a
            factor have a coefficient: the advantage of `first` at this level.
        random_effects : {"laplace", "pql"} or bool, optional
            Whether abilities have a random effect of each item beside the covariates, and how its variance is
            estimated: by the Laplace approximation of the likelihood (which True stands for), or by penalised
            quasi-likelihood, as in R's BradleyTerry2. Without covariates, abilities are shrunken towards their mean.
        prior_sd : float, optional
            Standard deviation of the abilities for ``method="ridge"``, on the scale of logits.
        pseudo : float
            Number of wins, and of losses, of each item against the ghost for ``method="ghost"``.
        eval_env : int
            Where functions in formulas, and variables that are not columns of the data, are looked up: 0 where `fit` is
            called, 1 where the function that calls `fit` is called, and so on; -1 nowhere, as in statsmodels.
        cov_type : {"nonrobust", "HC0", "cluster"}, optional
            "nonrobust", the default: from the information. "HC0", the default after :meth:`combine`: the sandwich.
            "cluster": the sandwich for groups of comparisons, ``cov_kwds={"groups": column}``, where the groups are a
            column of the data or an array with one entry for each row; as in statsmodels, ``"use_correction"`` (default
            True) is a further option. After "cluster", tests and intervals use the t distribution; its degrees of
            freedom are the number of groups minus 1.
        cov_kwds : dict, optional
            Options of `cov_type`.
        maxiter : int
            Maximum number of Newton steps.
        n_projections : int
            Number of random projections for ``cov="diag"``.
        random_state : int or None
            Seed of these projections. If None, the results differ from call to call.

        Returns
        -------
        BradleyTerryResults
            With `random_effects`, a :class:`MixedBradleyTerryResults`.

        Raises
        ------
        InputError
            If an estimate would be infinite or is not identified; the message names the items or covariates.

        Warns
        -----
        SeparationWarning
            If an estimate is practically infinite, or if the ability of an item with missing covariates is infinite.
            The latter item is left out of the fit.
        ConvergenceWarning
            If the iteration did not converge.
        FewClustersWarning
            If ``cov_type="cluster"`` has fewer than 20 groups, or groups of very unequal size, so that their effective
            number is below 20: ``sum(n)**2 / sum(n**2)`` for groups of n comparisons.

        Notes
        -----
        ``ties="half"`` treats half a win like a win. Its standard errors are somewhat too large (``cov_type="HC0"``
        corrects this), and its likelihood cannot be compared with that of ``ties="davidson"``. ``method="firth"`` needs
        the covariance of all items in each step, so it is limited to 5000 items.

        Examples
        --------
        Abilities that depend on a covariate of the items:

        >>> import pandas as pd
        >>> from pwcstats import BradleyTerry
        >>> model = BradleyTerry([[0, 3, 5], [2, 0, 4], [1, 2, 0]], items=["ant", "bee", "cat"])
        >>> size = pd.DataFrame({"size": [1.5, 1.0, 0.2]}, index=["ant", "bee", "cat"])
        >>> res = model.fit(covariates="size", item_data=size)
        >>> res.tidy().round(3)[["term", "estimate", "std_error", "p_value"]]
           term  estimate  std_error  p_value
        0  size     1.073      0.608    0.077
        """
        arguments = {name: given for name, given in locals().items() if name != "self"}
        if cov_type is None:
            cov_type = "HC0" if self._weighted_sources and cov != "none" else "nonrobust"
        options = covariance.read_options(cov, cov_type, cov_kwds, n_projections, random_state)
        has_formula = isinstance(covariates, str) or isinstance(contest, str)
        environment = read_environment(eval_env, 1) if has_formula else None
        spec = read_spec(
            self._rows,
            self._data,
            method=method,
            ties=ties,
            order_effect=order_effect,
            covariates=covariates,
            item_data=item_data,
            contest=contest,
            random_effects=random_effects,
            environment=environment,
            ref=ref,
            prior_sd=prior_sd,
            pseudo=pseudo,
            maxiter=maxiter,
        )
        if spec.z is None:
            _check_size(self.n_items, spec.firth, spec.firth or options.kind == "full")
        table = self._table(spec)
        spec = set_infinite(spec, table)
        if len(spec.infinite):
            warn(SeparationWarning(_infinite_own(self.items, spec)))
        # A further fit is made elsewhere, but the names of a formula are looked up where this one was.
        arguments = arguments if environment is None else {**arguments, "eval_env": environment}
        if spec.random_effects is not None:
            mixed = fit_mixed(self, spec, table, options)
            mixed._arguments = arguments
            return mixed
        likelihood = make_likelihood(spec, table)
        scored = None
        if options.robust:
            scored = covariance.scored_rows(self._rows, self._data, spec.contest_values, options, likelihood.rank)
        obstacle = find_obstacle(spec, likelihood)
        if obstacle is not None:
            raise InputError(obstacle())
        start = None if self._previous is None else warm_start(self._previous, likelihood, self.items)
        # Separated covariates make steps that never end, so look for them after a few.
        ascent = likelihood.maximise(min(spec.maxiter, TRIAL_STEPS), start)
        obstacle = find_separation(spec, likelihood, ascent)
        if obstacle is not None:
            raise InputError(obstacle())
        if ascent.n_iter == TRIAL_STEPS < spec.maxiter and not ascent.converged:
            rest = likelihood.maximise(spec.maxiter - TRIAL_STEPS, ascent.point.params)
            n_iter = rest.n_iter + TRIAL_STEPS
            reason = f"stopped after {n_iter} steps" if n_iter == spec.maxiter and rest.reason else rest.reason
            ascent = replace(rest, n_iter=n_iter, reason=reason)
        if not ascent.converged:
            cure = f"raise {arg('maxiter')}" if ascent.n_iter == spec.maxiter else _cure(spec, table)
            warn(
                ConvergenceWarning(
                    f"the Bradley–Terry fit did not converge ({ascent.reason}), so the estimates may be wrong; {cure}."
                )
            )
        try:
            estimate = covariance.estimate(likelihood, ascent.point, spec.ref, options, scored)
        except NotDefiniteError:
            raise InputError(
                "the information is singular to working precision: some items are joined to the rest only by "
                f"comparisons whose outcome is almost certain; {_cure(spec, table)}, or use {arg('cov', 'none')} to "
                "estimate the abilities without standard errors."
            ) from None
        covariance.warn_if_few_clusters(estimate)
        if options.cov_type == "cluster" and scored is not None and spec.z is None:
            covariance.warn_if_in_one_cluster(self.items, self._rows, scored.group)
        results = BradleyTerryResults(self, spec, likelihood, ascent, estimate, options.cov_type)
        results._arguments = arguments
        if estimate.variance is not None:
            # Standard errors of abilities, because those of coefficients depend on the scale of the covariates.
            covariance.warn_if_infinite(self.items, results._item_se, spec.method != "mle")
        return results

    def _n_games(self) -> Array:
        """Number of comparisons of each item, or the sum of their weights."""
        weight = self._own_weights() if len(self._rows.weight) else None
        sides = (self._rows.winner, self._rows.loser)
        return np.asarray(sum(np.bincount(side, weight, self.n_items) for side in sides), dtype=np.float64)

    def _n_comparisons(self) -> float:
        """Number of comparisons, or the sum of their weights, without the weights of sources."""
        return float(self._own_weights().sum()) if self._source_factors else self.nobs

    def _own_weights(self) -> Array:
        """Weights of the rows without the weights of sources, which do not change the number of comparisons."""
        weights = self._rows.weights
        if not self._source_factors or self._data is None:
            return weights
        factor = self._data[SOURCE].map(self._source_factors).to_numpy(np.float64)[self._rows.units]
        # Rounding must not make numbers of comparisons fractions.
        own = weights / factor
        whole = np.round(own)
        return np.where(np.abs(own - whole) <= 1e-9 * whole, whole, own)

    def _table(self, spec: Spec) -> Table:
        half = spec.tie_model.halves
        return self._counts(half) if spec.contest is None else make_table(self._rows, half, spec.contest.values)

    def _counts(self, half: bool) -> Table:
        if half not in self._tables:
            self._tables[half] = make_table(self._rows, half)
        return self._tables[half]


def _check_size(n_items: int, firth: bool, full: bool) -> None:
    """Refuse a covariance that does not fit into memory."""
    if firth and n_items > LARGEST_FIRTH:
        raise InputError(
            f"{arg('method', 'firth')} needs the covariance of all items in each step, got {n_items} items (at most "
            f"{LARGEST_FIRTH}); use {arg('method', 'mle')} and leave out items that won or lost everything."
        )
    if full and n_items > LARGEST_FULL:
        raise InputError(
            f"the full covariance of {n_items} items would take {8e-9 * n_items**2:.0f} GB; set {arg('cov', 'diag')} "
            f"for standard errors, or {arg('cov', 'none')}."
        )


def _cure(spec: Spec, table: Table) -> str:
    """What to do if the estimates cannot be computed."""
    if spec.method != "mle" or not table.addable:
        return "leave out pairs that were compared far more or far less often than the others"
    return f"use {arg('method', 'firth')}"


def _infinite_own(items: pd.Index, spec: Spec) -> str:
    found = []
    for bound, verb in ((np.inf, "lost to"), (-np.inf, "beat")):
        some = items[spec.infinite == bound]
        if len(some):
            found.append(f"{named(some[0]) if len(some) == 1 else listed(some)} never {verb} any of the others")
    cure = f"; {arg('method', 'firth')} makes it finite" if spec.random_effects is None else ""
    return (
        "items with missing covariates have an ability of their own, which is infinite if they only won or only lost: "
        f"{' and '.join(found)}. The other estimates do not depend on it{cure}."
    )

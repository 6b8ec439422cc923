"""Leaderboards: ranks, rank sets, games and abilities on a chosen scale, also by category."""

import warnings
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from pwcstats import _params, _tables
from pwcstats._arrays import Array
from pwcstats._results import LONGEST, Result, plain, whole
from pwcstats._summary import number
from pwcstats._text import counted, listed, named, percent, shown
from pwcstats.bradley_terry.existence import weak_components
from pwcstats.bradley_terry.hypotheses import check_finite
from pwcstats.bradley_terry.reading import read_categories
from pwcstats.errors import InputError, LeftOutWarning, Message, PwcWarning, arg, quoted, value

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from pwcstats.bradley_terry.ability_results import AbilityResults

ScaleName = Literal["logit", "elo", "win"]

# Elo's scale: a difference of 400 means odds of 10 to 1.
ELO = 400.0 / np.log(10.0)
# The column of categories has this entry in the rows of the fit to all comparisons.
OVERALL = "overall"
# If items have fewer games, on average, normal approximations are rough.
FEW_GAMES = 10.0


class Scale(NamedTuple):
    """A scale of the abilities: `transform` takes differences from the anchor on the logit scale and its rating."""

    name: ScaleName
    # Name of the column.
    column: str
    transform: Callable[["AbilityResults", Array, float], Array]
    # Its derivative by the difference.
    slope: Callable[["AbilityResults", Array], Array]
    # Decimals in printed tables.
    decimals: int
    # Rating of the anchor, unless users choose another one.
    anchor: float
    # Titles of tables and plots: what the numbers mean, for a given anchor (by default the mean) and its rating.
    describe: Callable[[str | None, float], str]
    # Whether users may choose the anchor, and whether it is the reference item of the fit otherwise.
    has_anchor: bool = False
    keeps_reference: bool = False


SCALES: dict[str, Scale] = {
    scale.name: scale
    for scale in (
        Scale(
            "logit",
            "ability",
            lambda results, d, zero: d,
            lambda results, d: np.ones_like(d),
            decimals=2,
            anchor=0.0,
            describe=lambda item, zero: "sum 0" if item is None else f"{item} 0",
            keeps_reference=True,
        ),
        Scale(
            "elo",
            "rating",
            lambda results, d, zero: zero + ELO * d,
            lambda results, d: np.full_like(d, ELO),
            decimals=0,
            anchor=1000.0,
            describe=lambda item, zero: f"Elo's scale, {'mean' if item is None else item} {zero:g}",
            has_anchor=True,
        ),
        Scale(
            "win",
            "win_probability",
            lambda results, d, zero: results._expected_points(d)[0],
            lambda results, d: results._expected_points(d)[1],
            decimals=3,
            anchor=0.5,
            describe=lambda item, zero: "against average ability; a tie counts half",
        ),
    )
}


class Anchor(NamedTuple):
    """What the differences are taken from: an item, or the mean of all items (None); and its rating."""

    item: Any
    rating: float


def leaderboard(
    results: "AbilityResults",
    scale: ScaleName = "logit",
    anchor: Any = None,
    by: Any = None,
    alpha: float = 0.05,
) -> "Leaderboard":
    """Leaderboard: rank, rank set, games and ability with an interval, the best item first.

    Parameters
    ----------
    scale : {"logit", "elo", "win"}
        "logit": abilities as the fit reports them. "elo": ratings on Elo's scale, on which a difference of 400 points
        means odds of 10 to 1. "win": probability of beating an item of average ability if neither goes first; a tie
        counts half a win.
    anchor : float, dict or (item, rating), optional
        With ``scale="elo"``, the mean rating, by default 1000; or an item and its rating, such as ``{"gpt-4": 1200}``.
        Intervals are then those of differences from this item, and its own rating is exact.
    by : column, optional
        A column of the comparisons, or an array with one entry for each row. The same model is also fitted to the
        comparisons of each category, and the results are listed side by side.
    alpha : float
        Significance level; intervals, and all rank sets of a category together, have level 1 - alpha.

    Returns
    -------
    Leaderboard

    Notes
    -----
    Standard errors on the scale "win" come from the delta method, and its intervals are those of the abilities,
    transformed. They treat the tie parameter as known.

    If the abilities of a category do not exist, because an item won or lost everything there, the largest part that
    can be fitted is used. The notes say which items were left out. If a category lacks some items, the mean of its
    abilities is that of the same items overall, so that ratings of different categories can be compared.

    Examples
    --------
    >>> from pwcstats import BradleyTerry, datasets
    >>> votes = datasets.load("arena").frame
    >>> model = BradleyTerry.from_comparisons(
    ...     votes, first="first", second="second", winner="winner", tie="tie"
    ... )
    >>> res = model.fit(ties="davidson", order_effect=True)
    >>> res.leaderboard("elo").head(3)
    Leaderboard of 12 items, 3000 comparisons: rating (Elo's scale, mean 1000)
    rank  ranks  item    games  rating  95 % interval
       1    1–2  Maple     537    1235   [1197, 1272]
       2    1–4  Willow    236    1203   [1150, 1257]
       3    2–5  Birch     545    1134   [1100, 1168]
    note: ranks: simultaneous 95 % confidence sets
    note: the best 3 of 12 items
    """
    check_finite(results)
    chosen = SCALES[_params.choice(scale, SCALES, "scale")]
    alpha = _params.level(alpha, "alpha")
    where = _read_anchor(results, chosen, anchor)
    notes = _notes_of_fit(results)
    frame, more = _board(results, chosen, where, alpha, 0.0)
    notes += more
    n_obs: dict[Any, float] = {}
    if by is not None:
        frame, more, n_obs = _side_by_side(results, frame, chosen, where, alpha, by)
        notes += more
    return Leaderboard(
        frame=frame,
        scale=chosen.name,
        alpha=alpha,
        anchor=where.item,
        anchor_rating=where.rating,
        by=None if by is None else _name(by),
        n_items=results.model.n_items,
        nobs=results.nobs,
        observation=results.model._observation,
        notes=tuple(map(Message, dict.fromkeys(notes))),
        category_nobs=n_obs,
    )


def _name(by: Any) -> str:
    """Name of the column of categories; an array has none."""
    return str(by if isinstance(by, Hashable) else getattr(by, "name", None) or "category")


def _read_anchor(results: "AbilityResults", scale: Scale, anchor: Any) -> Anchor:
    items, ref = results.model.items, results.spec.ref
    if not scale.has_anchor:
        if anchor is not None:
            needed = " or ".join(arg("scale", name) for name, one in SCALES.items() if one.has_anchor)
            raise InputError(f"{arg('anchor')} is a rating, so it needs {needed}, got {arg('scale', scale.name)}.")
        return Anchor(items[ref] if ref is not None and scale.keeps_reference else None, scale.anchor)
    if isinstance(anchor, Mapping):
        if len(anchor) != 1:
            raise InputError(f"{arg('anchor')} must be one item and its rating, got {counted(len(anchor), 'item')}.")
        anchor = next(iter(anchor.items()))
    if isinstance(anchor, tuple) and len(anchor) == 2:
        index = _params.index_of(anchor[0], items, "anchor")
        return Anchor(items[index], _params.number(anchor[1], "anchor", "an item and its rating, a finite number"))
    what = f"the mean rating, a finite number, or one item and its rating, such as {value({'a': 1200})}"
    return Anchor(None, scale.anchor if anchor is None else _params.number(anchor, "anchor", what))


def _board(
    results: "AbilityResults", scale: Scale, anchor: Anchor, alpha: float, mean: float
) -> tuple[pd.DataFrame, list[str]]:
    """The rows of one fit, and notes; without anchor item, abilities have this `mean`."""
    model, notes = results.model, []
    ability = results._ability
    index = None if anchor.item is None else _params.index_of(anchor.item, model.items, "anchor")
    d = ability - ability.mean() + mean if index is None else ability - ability[index]
    se = _standard_errors(results, index)
    if se is None:
        notes.append(f"no intervals: they need the covariance of all items; fit with {arg('cov', 'full')}")
        se = np.full(len(d), np.nan)
    half = results._reference.isf(alpha / 2.0) * se
    frame = pd.DataFrame({"rank": pd.Series(ability).rank(ascending=False, method="min").astype(int)})
    frame["rank_low"] = frame["rank_high"] = pd.array([pd.NA] * len(d), dtype="Int64")
    if results._estimate.cov is None:
        notes.append(f"no rank sets: they need the covariance of all items; fit with {arg('cov', 'full')}")
    else:
        sets = results.ranks(alpha).loc[model.items]
        frame["rank_low"], frame["rank_high"] = (sets[name].to_numpy() for name in ("rank_low", "rank_high"))
        notes.append(f"ranks: simultaneous {percent(1 - alpha)} confidence sets")
    frame["item"] = model.items
    games = model._n_games()
    frame["games"] = games.astype(np.int64) if (games == np.floor(games)).all() else games
    frame[scale.column] = scale.transform(results, d, anchor.rating)
    frame["std_error"] = scale.slope(results, d) * se
    frame["conf_low"], frame["conf_high"] = (scale.transform(results, x, anchor.rating) for x in (d - half, d + half))
    order = np.argsort(-ability, kind="stable")
    return frame.iloc[order].reset_index(drop=True), notes


def _standard_errors(results: "AbilityResults", index: int | None) -> Array | None:
    """Standard errors of differences from an item, or from the mean of all; None if the fit does not have them."""
    if results._estimate.cov is None:
        same = index == results.spec.ref and results._estimate.variance is not None
        return results._item_se if same else None
    cov = results._item_cov
    if index is None:
        centred = cov - cov.mean(axis=0)
        variance = np.diagonal(centred - centred.mean(axis=1, keepdims=True))
    else:
        variance = np.diagonal(cov) + cov[index, index] - 2.0 * cov[index]
    return np.sqrt(np.maximum(variance, 0.0))


def _notes_of_fit(results: "AbilityResults") -> list[str]:
    """What readers of the whole table should know."""
    notes = []
    if results.cov_type == "cluster":
        notes.append(f"standard errors: clustered ({results.df_resid_inference + 1} groups)")
    elif results.cov_type != "nonrobust":
        notes.append(f"standard errors: {results.cov_type}")
    if results.spec.prior is not None:
        notes.append(results.spec.prior.note.removesuffix("."))
    elif results.method != "mle":
        notes.append(f"the abilities are penalised ({arg('method', results.method)})")
    notes += results._ability_notes
    if not results.converged:
        notes.append(f"the fit did not converge ({results.reason})")
    return notes


# Categories


def _side_by_side(
    results: "AbilityResults", overall: pd.DataFrame, scale: Scale, anchor: Anchor, alpha: float, by: Any
) -> tuple[pd.DataFrame, list[str], dict[Any, float]]:
    """The rows of all comparisons and those of each category; notes; and the numbers of comparisons."""
    codes, categories = read_categories(results.model._data, by, results.model._rows)
    if OVERALL in categories:
        raise InputError(f"{arg('by')} has the category {shown(OVERALL)}, which names all comparisons; rename it.")
    parts, notes, n_obs = [overall.assign(category=OVERALL)], [], {OVERALL: float(results.nobs)}
    if (codes < 0).any():
        notes.append(f"{counted(int((codes < 0).sum()), 'row')} without a category: only in {OVERALL}")
    everything = pd.Series(results._ability - results._ability.mean(), index=results.model.items)
    for code_, category in enumerate(categories):
        fit, more = _fit_category(results, codes == code_, anchor)
        if fit is not None and anchor.item is not None and anchor.item not in fit.model.items:
            fit, more = None, [*more, f"left out, because {named(anchor.item)}, the anchor, is not in it"]
        if fit is not None:
            items = fit.model.items
            board, _ = _board(fit, scale, anchor, alpha, float(everything[items].mean()))
            parts.append(board.assign(category=category))
            n_obs[category] = n = float(fit.model._n_comparisons())
            if 2.0 * n / len(items) < FEW_GAMES:
                few = f"only {number(n)} comparisons of {counted(len(items), 'item')}"
                more.append(f"{few}, so intervals and rank sets are rough")
        notes += [f"{named(category)}: {note}" for note in more]
    frame = pd.concat(parts, ignore_index=True)
    sizes = ", ".join(f"{named(category)} {number(n)}" for category, n in n_obs.items())
    return frame[["category", *overall.columns]], [f"comparisons: {sizes}", *notes], n_obs


def _fit_category(
    results: "AbilityResults", mask: NDArray[np.bool_], anchor: Anchor
) -> tuple["AbilityResults | None", list[str]]:
    """The same specification fitted to some rows, or to the largest part of them that has estimates; and notes."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", PwcWarning)
        try:
            try:
                fit = _fit_rows(results, mask, anchor)
            except InputError:
                fit = _fit_rows(results, mask & _largest_part(results, mask), anchor)
        except InputError as error:
            return None, [f"left out, because {quoted(error).removesuffix('.')}"]
    missing = results.model.items.difference(fit.model.items, sort=False)
    notes = [f"without {listed(missing)}"] if len(missing) else []
    return fit, notes + [quoted(w.message) for w in caught if isinstance(w.message, PwcWarning)]


def _fit_rows(results: "AbilityResults", mask: NDArray[np.bool_], anchor: Anchor) -> "AbilityResults":
    """The same specification fitted to some rows of the user's data."""
    model, spec = results.model._select(mask), results.spec
    if not model.n_items:
        raise InputError("it has no comparison of a weight above 0.")
    arguments = {**results._arguments, "ref": None}
    if spec.z is not None:
        arguments |= {"covariates": spec.covariate_frame(results.model.items), "item_data": None}
    elif anchor.item in model.items:
        arguments["ref"] = anchor.item
    if spec.contest is not None:
        # The values, because terms of a formula may depend on all rows.
        index = None if model._data is None else model._data.index
        arguments["contest"] = pd.DataFrame(spec.contest.values[mask], index, spec.contest.names)
    groups = (arguments["cov_kwds"] or {}).get("groups")
    if groups is not None and not isinstance(groups, Hashable):
        arguments["cov_kwds"] = {**arguments["cov_kwds"], "groups": np.asarray(groups)[mask]}
    return model.fit(**arguments)


def _largest_part(results: "AbilityResults", mask: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Which rows of the user's data compare items of the largest part whose abilities exist."""
    rows, part = results.model._rows, results.model._select(mask)
    if results.spec.firth:
        # Firth's estimates exist if the items are connected.
        _, component = weak_components(part._counts(half=False))
        items = part.items[component == np.bincount(component).argmax()]
    else:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", LeftOutWarning)
            items = part.largest().items
    kept = rows.items.isin(items)
    found = np.zeros(rows.n_units, np.bool_)
    found[rows.units] = kept[rows.winner] & kept[rows.loser]
    return found


@dataclass(frozen=True, repr=False)
class Leaderboard(Result):
    """What :meth:`BradleyTerryResults.leaderboard` returns.

    Attributes
    ----------
    frame : DataFrame
        The best item first, with the columns `rank`, `rank_low` and `rank_high` (the rank set), `item`, `games`,
        `ability`, `rating` or `win_probability`, `std_error`, `conf_low` and `conf_high`. With categories, the first
        column is `category`; the rows of all comparisons are called "overall" and come first.
    scale : {"logit", "elo", "win"}
        The scale.
    anchor, anchor_rating : item or None, float
        The item from which the differences are taken, or None for the mean of all items; and its rating.
    alpha : float
        Significance level of intervals and rank sets.
    by : str or None
        Name of the column of categories.
    n_items, nobs : int, float
        Numbers of items and of comparisons (or rankings).
    observation : {"comparison", "ranking"}
        What `nobs` counts.
    notes : tuple of str
        What readers of the table should know: level of the rank sets, clusters, items that were left out.
    category_nobs : dict
        Number of comparisons of each category.
    """

    frame: pd.DataFrame
    scale: str
    alpha: float
    anchor: Any
    anchor_rating: float
    by: str | None
    n_items: int
    nobs: float
    observation: str
    notes: tuple[str, ...]
    category_nobs: dict[Any, float]

    @property
    def estimate_name(self) -> str:
        """The column of the estimates: "ability", "rating" or "win_probability"."""
        return SCALES[self.scale].column

    @property
    def about(self) -> str:
        """What the estimates are, for titles: "rating (Elo's scale, mean 1000)"."""
        item = None if self.anchor is None else named(self.anchor)
        described = SCALES[self.scale].describe(item, self.anchor_rating)
        return f"{self.estimate_name.replace('_', ' ')} ({described})"

    @property
    def categories(self) -> list[Any]:
        """The categories, with "overall" first; empty if there are none."""
        return list(self.category_nobs)

    def tidy(self) -> pd.DataFrame:
        """The rows of `frame`; the estimates are called `estimate` on every scale."""
        return self.frame.rename(columns={self.estimate_name: "estimate"})

    def glance(self) -> pd.DataFrame:
        """One row about the leaderboard."""
        row = {
            "scale": self.scale,
            "anchor": None if self.anchor is None else str(self.anchor),
            "anchor_rating": self.anchor_rating,
            "conf_level": 1.0 - self.alpha,
            "n_items": self.n_items,
            "nobs": whole(self.nobs),
            "by": self.by,
            "n_categories": len(self.categories) - 1 if self.by else None,
        }
        return pd.DataFrame([{name: x for name, x in row.items() if x is not None}])

    def to_dict(self) -> dict[str, Any]:
        """The columns of `glance`, the rows of `frame` as ``"items"``, and the notes; ready for JSON."""
        return {**plain(self.glance())[0], "items": plain(self.frame), "notes": plain(self.notes)}

    def head(self, n: int = 10) -> "Leaderboard":
        """The leaderboard of the best `n` items (of all comparisons).

        Parameters
        ----------
        n : int
            Number of items.

        Returns
        -------
        Leaderboard
        """
        n = _params.count(n, "n")
        if n >= self.n_items:
            return self
        best = self._overall["item"].head(n)
        note = Message(f"the best {n} of {self.n_items} items")
        return replace(self, frame=self.frame[self.frame["item"].isin(best)], notes=(*self.notes, note))

    @property
    def _overall(self) -> pd.DataFrame:
        return self.frame if self.by is None else self.frame[self.frame["category"] == OVERALL]

    # Formats

    def _title(self) -> str:
        size = f"{counted(self.n_items, 'item')}, {number(self.nobs)} {self.observation}{'' if self.nobs == 1 else 's'}"
        return f"Leaderboard of {size}: {self.about}"

    def _columns(self, longest: int | None = None) -> list[_tables.Column]:
        """The cells as texts, of all rows or of the first `longest`."""
        overall = self._overall.head(len(self.frame) if longest is None else longest)
        if self.by is None:
            return self._cells_of_one(overall)
        columns = [
            _tables.Column("item", [str(item) for item in overall["item"]], is_number=False),
        ]
        for category in self.categories:
            part = self.frame[self.frame["category"] == category].set_index("item").reindex(overall["item"])
            group = str(category)
            columns.append(_tables.Column("rank", [_rank_and_set(row) for _, row in part.iterrows()], group))
            name, texts = self.estimate_name.replace("_probability", ""), part[self.estimate_name]
            columns.append(_tables.Column(name, [self._written(x) for x in texts], group))
        return columns

    def _cells_of_one(self, frame: pd.DataFrame) -> list[_tables.Column]:
        columns = [_tables.Column("rank", [str(rank) for rank in frame["rank"]])]
        if frame["rank_low"].notna().all():
            columns.append(_tables.Column("ranks", [rank_set(*row) for row in _bounds(frame, "rank_low", "rank_high")]))
        columns += [
            _tables.Column("item", [str(item) for item in frame["item"]], is_number=False),
            _tables.Column("games", [number(x) for x in frame["games"]]),
            _tables.Column(self.estimate_name.replace("_", " "), [self._written(x) for x in frame[self.estimate_name]]),
        ]
        if frame["conf_low"].notna().all():
            texts = [
                f"[{self._written(low)}, {self._written(high)}]"
                for low, high in _bounds(frame, "conf_low", "conf_high")
            ]
            columns.append(_tables.Column(f"{percent(1 - self.alpha)} interval", texts))
        return columns

    def _written(self, x: float) -> str:
        if np.isnan(x):
            return ""
        text = f"{x:.{SCALES[self.scale].decimals}f}"
        # Small negative numbers are not "-0.00".
        return text.lstrip("-") if float(text) == 0.0 else text

    def __repr__(self) -> str:
        more = len(self._overall) - LONGEST
        return self._in_text(self._columns(LONGEST), [f"... {more} more rows; frame has all."] if more > 0 else [])

    def to_text(self) -> str:
        """The leaderboard as plain text with aligned columns, with its title and notes."""
        return self._in_text(self._columns())

    def _in_text(self, columns: list[_tables.Column], rest: Sequence[str] = ()) -> str:
        notes = map(_tables.NOTES["text"], self.notes)
        return "\n".join([self._title(), _tables.to_text(columns), *rest, *notes])

    def _repr_html_(self) -> str:
        more = len(self._overall) - LONGEST
        rest = f"\n<p>{more} more rows; <code>frame</code> has all.</p>" if more > 0 else ""
        return self._in_html(self._columns(LONGEST), rest)

    def to_html(self) -> str:
        """The leaderboard as an HTML table, with its title and notes."""
        return self._in_html(self._columns())

    def _in_html(self, columns: list[_tables.Column], rest: str = "") -> str:
        notes = [_tables.NOTES["html"](note) for note in self.notes]
        return "\n".join([_tables.NOTES["html"](self._title()), _tables.to_html(columns) + rest, *notes])

    def to_markdown(self) -> str:
        """The leaderboard as a Markdown table, with its notes."""
        return "\n".join([_tables.to_markdown(self._columns()), *map(_tables.NOTES["markdown"], self.notes)])

    def to_latex(self) -> str:
        """The leaderboard as a LaTeX tabular; the notes follow as comments."""
        return "\n".join([_tables.to_latex(self._columns()), *(f"% {' '.join(note.split())}" for note in self.notes)])

    def plot(self, title: str | None = None, *, top: int | None = None, ax: "Axes | None" = None) -> "Axes":
        """Plot the leaderboard; see :func:`pwcstats.plot.leaderboard`.

        Parameters
        ----------
        title : str, optional
            Title of the panel.
        top : int, optional
            Number of items to show, the best ones; by default all.
        ax : matplotlib.axes.Axes, optional
            Axes to draw in; by default a new figure.

        Returns
        -------
        matplotlib.axes.Axes
        """
        from pwcstats import plot  # imports matplotlib

        return plot.leaderboard(self, title, top=top, ax=ax)


def _bounds(frame: pd.DataFrame, low: str, high: str) -> "zip[tuple[Any, Any]]":
    return zip(frame[low], frame[high], strict=True)


def rank_set(low: float, high: float) -> str:
    """A set of ranks: "1", or "1–3"."""
    return f"{low:g}" if low == high else f"{low:g}–{high:g}"


def _rank_and_set(row: pd.Series) -> str:
    """Rank and rank set of an item in a category; empty if it is not there."""
    if pd.isna(row["rank"]):
        return ""
    known = not pd.isna(row["rank_low"])
    return f"{row['rank']:g}" + (f" ({rank_set(row['rank_low'], row['rank_high'])})" if known else "")

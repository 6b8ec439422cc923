"""Scores of two methods or of many, checked: they must pair up. The words where they do not."""

import re
from collections.abc import Hashable, Mapping, Sequence
from typing import Any, NamedTuple, NoReturn

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from pwcstats import _params
from pwcstats._arrays import Array, as_float
from pwcstats._text import counted, listed, named, shape_of, shown
from pwcstats.errors import InputError

ALTERNATIVES = ("two-sided", "greater", "less")
# What may tell the scores of one method apart, in this order.
PLACES = ("dataset", "repeat", "fold", "case")
# What rows= of compare_methods may say, and other words for what a row is.
ROWS = {"folds": "fold", "datasets": "dataset"}
SYNONYMS = {
    **{word: "dataset" for word in ("dataset", "data", "problem", "task")},
    **{word: "fold" for word in ("fold", "folds")},
    **{word: "repeat" for word in ("rep", "repeat", "repetition", "resample", "split", "run", "seed", "iteration")},
}
# Differences closer than this, relative to the scores, differ by rounding alone (also where scores are means).
ROUNDING = 64 * np.finfo(float).eps
# Sums and differences of scores up to this size do not overflow.
LARGEST = 1e304


class NoSpreadError(InputError):
    """Differences without spread, of which a test of a mean can say nothing."""


class UnnamedRowsError(InputError):
    """Rows that may be folds or data sets."""


class Pair(NamedTuple):
    """Scores of two methods that pair up, and the methods' names."""

    a: Array
    b: Array
    name_a: str
    name_b: str

    @property
    def differences(self) -> Array:
        """Scores of a less those of b. Sizes that differ by rounding alone are equal: 0.9 - 0.8 is not 0.8 - 0.7."""
        a, b = self.a.ravel(), self.b.ravel()
        d = a - b
        return np.copysign(_without_rounding(np.abs(d), ROUNDING * np.maximum(np.abs(a), np.abs(b))), d)


def _without_rounding(sizes: Array, near: Array) -> Array:
    """Numbers from 0 on, in which those are equal that differ from the next lower one by no more than their error."""
    order = np.argsort(sizes)
    error = near[order]
    steps = np.diff(sizes[order], prepend=0.0) > np.maximum(error, np.append(0.0, error[:-1]))
    firsts = np.concatenate([[0.0], sizes[order][steps]])
    same = np.empty_like(sizes)
    same[order] = firsts[np.cumsum(steps)]
    return same


def read_alternative(alternative: Any) -> str:
    """Which side the alternative is on; R's spelling is taken, too."""
    if alternative == "two.sided":
        return "two-sided"
    return _params.choice(alternative, ALTERNATIVES, "alternative")


def read_pair(a: Any, b: Any, least: int = 2, dims: Sequence[int] = (1,)) -> Pair:
    """Scores of two methods on the same splits or data sets; two pandas objects are joined by their labels."""
    a, b = aligned(a, b)
    names = [_name(x, default) for x, default in ((a, "a"), (b, "b"))]
    if names[0] == names[1]:
        names = ["a", "b"]
    values = [as_float(x, name) for x, name in zip((a, b), ("a", "b"), strict=True)]
    for x, name in zip(values, ("a", "b"), strict=True):
        if x.ndim not in dims:
            wanted = " or ".join({1: "a vector", 2: "a table (repeats x folds)"}[d] for d in dims)
            raise InputError(f"{name} must be {wanted} of scores, got {shape_of(x)}; give one score for each split.")
    if values[0].shape != values[1].shape:
        raise InputError(
            f"a and b must pair up, got {shape_of(values[0])} scores in a and {shape_of(values[1])} in b; give the "
            "scores of both methods on the same splits, in the same order."
        )
    for x, name in zip(values, ("a", "b"), strict=True):
        _refuse_not_finite(x, name)
        _refuse_large(x)
    if values[0].size < least:
        raise InputError(f"the test needs {counted(least, 'pair')} of scores or more, got {values[0].size}.")
    return Pair(values[0], values[1], names[0], names[1])


def _name(x: Any, default: str) -> str:
    own = getattr(x, "name", None)
    return default if own is None else str(own)


def aligned(a: Any, b: Any) -> tuple[Any, Any]:
    """Two series or frames in the order of the first; refused where they have other labels."""
    if type(a) is not type(b) or not isinstance(a, (pd.Series, pd.DataFrame)):
        return a, b
    if isinstance(a, pd.DataFrame) and a.columns.is_unique and set(a.columns) == set(b.columns):
        b = b[a.columns]
    if a.index.equals(b.index):
        return a, b
    for x, name in ((a, "a"), (b, "b")):
        if not x.index.is_unique:
            raise InputError(f"the labels of {name} must differ to be paired, got one twice; reset_index(drop=True).")
    only = [*a.index.difference(b.index, sort=False), *b.index.difference(a.index, sort=False)]
    if only:
        raise InputError(
            f"a and b must have the same labels to pair up, but {listed(only)} are in one of them only; give both "
            "methods' scores on the same splits, or, if they pair up in their order, without labels (.to_numpy())."
        )
    return a, b.loc[a.index]


def _refuse_not_finite(x: Array, name: str) -> None:
    bad = ~np.isfinite(x)
    if bad.any():
        where = np.argwhere(bad)[0].tolist()
        place = where[0] if len(where) == 1 else tuple(where)
        raise InputError(
            f"{name} must hold finite scores, got {x[tuple(where)]:g} at place {place} (counted from 0); drop that "
            "split from both methods, or find out why it failed."
        )


def _refuse_large(scores: Array) -> None:
    largest = np.abs(scores).max(initial=0.0)
    if largest > LARGEST:
        raise InputError(
            f"scores must lie between -{LARGEST:g} and {LARGEST:g}, got one of size {largest:.4g}; divide all scores "
            "by the same number, which changes no p-value."
        )


def refuse_no_spread(d: Array, test: str) -> NoReturn:
    """Differences that are all the same, or the same within each repeat, and not 0."""
    if np.ptp(d) > 0.0:
        raise NoSpreadError(
            f"the two folds of each repeat differ by the same: without any spread {test} is not defined; check that "
            "the scores of the second fold are not those of the first."
        )
    raise NoSpreadError(
        f"all {d.size} differences are {d.flat[0]:.6g}: without any spread {test} is not defined; check that the "
        "scores are not the same ones copied, or, if they are independent, use the sign test."
    )


def read_fraction(test_fraction: Any, shape: tuple[int, ...]) -> tuple[float, str]:
    """Share of the cases in each test set, and how the splits were made, in words."""
    if test_fraction is None:
        if len(shape) == 2 and shape[1] > 1:
            return 1.0 / shape[1], f"{shape[0]} x {shape[1]}-fold cross-validation"
        raise InputError(
            "test_fraction must say which share of the cases is in each test set: 1/k for k folds, 0.3 for random "
            "splits that hold out 30 %; or give tables of scores with a row for each repeat and a column for each fold."
        )
    if isinstance(test_fraction, bool) or not isinstance(test_fraction, (int, float, np.number)):
        raise InputError(f"test_fraction must be a number between 0 and 1, got {shown(test_fraction)}.")
    if not 0.0 < float(test_fraction) < 1.0:
        raise InputError(
            f"test_fraction must be between 0 and 1, got {float(test_fraction):g}; it is the share of the cases in "
            "each test set, 0.1 for ten folds."
        )
    n = int(np.prod(shape))
    return float(test_fraction), f"{n} splits with {100.0 * float(test_fraction):.3g} % of the cases in the test set"


def read_five_by_two(a: Any, b: Any) -> Pair:
    """Scores of five repeats of two-fold cross-validation."""
    pair = read_pair(a, b, dims=(1, 2))
    if pair.a.shape not in ((5, 2), (10,)):
        raise InputError(
            f"a and b must be 5 x 2 tables of scores, a row for each repeat of two-fold cross-validation, got "
            f"{shape_of(pair.a)}; for other numbers of folds use corrected_resampled_t."
        )
    return pair._replace(a=pair.a.reshape(5, 2), b=pair.b.reshape(5, 2))


def read_wide(scores: Any, least_rows: int = 2, what: str = "data sets") -> pd.DataFrame:
    """A table of scores, a row for each data set (or split, or case) and a column for each method."""
    scores = as_frame(scores)
    if isinstance(scores, pd.DataFrame) and {"method", "score"} <= set(scores.columns):
        return read_tidy(scores).means(what)
    values = as_float(scores, "scores")
    if values.ndim != 2:
        raise InputError(
            f"scores must be a table with a row for each of several {what} and a column for each method, got "
            f"{shape_of(values)}."
        )
    labels = (scores.index, scores.columns) if isinstance(scores, pd.DataFrame) else (None, None)
    frame = pd.DataFrame(values, *labels).rename_axis(columns="method")
    if not frame.columns.is_unique:
        twice = frame.columns[frame.columns.duplicated()]
        raise InputError(f"scores must have a column for each method, got {listed(twice)} twice; rename one.")
    if frame.shape[1] < 2:
        raise InputError(
            f"scores must be a table with a column for each of two methods or more, got {shape_of(frame.to_numpy())}."
        )
    if frame.shape[0] < least_rows:
        raise InputError(f"the test needs {least_rows} {what} or more, got {frame.shape[0]}; methods are the columns.")
    bad = np.argwhere(~np.isfinite(values))
    if len(bad):
        row, column = bad[0]
        raise InputError(
            f"scores must be finite, got {values[row, column]:g} for {named(frame.columns[column])} in row "
            f"{named(frame.index[row])}; drop that row or that method."
        )
    _refuse_large(values)
    return frame


def named_rows(wide: pd.DataFrame) -> pd.DataFrame:
    """A table whose index levels are named dataset, repeat, fold, case, by their names or their labels.

    Numbers are not names: an index that has nothing else is left without a name.
    """
    names = list(wide.index.names)
    if len(names) > 1:
        if all(name in PLACES for name in names):
            return wide
        raise InputError(
            f"the levels of the rows of scores must be called as what they are, {', '.join(PLACES)}, got "
            f"{listed(map(str, names))}; rename them."
        )
    if names[0] in PLACES:
        return wide
    labels = [str(label).strip().lower() for label in wide.index]
    # As R's caret names the folds of repeated cross-validation.
    both = [re.fullmatch(r"fold[ ._-]*(\d+)[ ._-]+rep(?:eat)?[ ._-]*(\d+)", label) for label in labels]
    if all(both):
        parts = [(int(match[2]), int(match[1])) for match in both if match]
        return wide.set_axis(pd.MultiIndex.from_tuples(parts, names=["repeat", "fold"]), axis=0)
    kinds = {_kind(label) for label in labels}
    if kinds in ({"fold"}, {"repeat"}):
        return wide.rename_axis(index=kinds.pop())
    kind = None if names[0] is None else _kind(str(names[0]).lower())
    if kind is not None:
        return wide.rename_axis(index=kind)
    numbered = pd.api.types.is_numeric_dtype(wide.index) or all(label.isdigit() for label in labels)
    return wide.rename_axis(index=None if numbered else "dataset")


def _kind(name: str) -> str | None:
    """What rows of such a name are: by one of its words, as in fold_id, outer-fold or Fold1; None if none is known."""
    known = [SYNONYMS[word] for word in re.split(r"[^a-z]+", name) if word in SYNONYMS]
    return known[0] if known else None


def read_datasets(scores: Any) -> pd.DataFrame:
    """A row for each data set; scores of splits, where the rows say that they are such, are averaged."""
    frame = named_rows(read_wide(scores))
    places = [str(name) for name in frame.index.names if name is not None]
    return frame if places in ([], ["dataset"]) else Tidy(frame, places).means()


def as_frame(scores: Any) -> Any:
    """Scores of a mapping as a frame; what a frame says of its rows is in columns if it is tidy, else in the index."""
    if isinstance(scores, Mapping):
        try:
            scores = pd.DataFrame(scores)
        except ValueError as error:
            raise InputError(f"scores must be a table with a column of scores for each method ({error}).") from None
    if not isinstance(scores, pd.DataFrame):
        return scores
    own = [name for name in (*PLACES, "method") if name in scores.index.names and name not in scores.columns]
    if "score" in scores.columns:
        return scores.reset_index(own) if own else scores
    if "method" in scores.columns:
        return scores
    columns = [name for name in PLACES if name in scores.columns]
    words = [name for name in scores.columns if name not in columns and not _is_numeric(scores[name])]
    if words:
        raise InputError(
            "scores must be a tidy frame with the columns method, score, and dataset, repeat, fold as there are, or a "
            f"table with a column of numbers for each method; got words in {listed(words)} of the columns "
            f"{listed(scores.columns)}; rename them, as in scores.rename(columns={{{shown(words[0])}: 'method'}})."
        )
    return scores.set_index(columns) if columns else scores


def _is_numeric(column: Any) -> bool:
    """Whether numbers can be made of a column (of several of one name, another message says so)."""
    if not isinstance(column, pd.Series):
        return True
    try:
        as_float(column, "scores")
    except InputError:
        return False
    return True


class Tidy(NamedTuple):
    """Scores in a table that pairs up: a row for each cell (data set, repeat, fold, case), a column for each method."""

    wide: pd.DataFrame
    places: list[str]
    sizes: pd.DataFrame | None = None  # n_train and n_test of each cell, where the frame has them

    def means(self, what: str = "data sets") -> pd.DataFrame:
        """The mean score of each method on each data set."""
        if "dataset" not in self.places:
            raise InputError(
                f"the test needs scores on several {what}, but the frame has no column dataset; add it, or use "
                "compare_methods, which finds the test for one data set."
            )
        means: pd.DataFrame = self.wide.groupby(level="dataset", sort=False).mean()
        if len(means) < 2:
            raise InputError(
                f"the test needs 2 {what} or more, got {len(means)} ({named(means.index[0])}); compare_methods finds "
                "the test for one data set."
            )
        return means


def read_tidy(scores: pd.DataFrame) -> Tidy:
    """A tidy frame as a table that pairs up; the methods in the order in which they come."""
    if not {"method", "score"} <= set(scores.columns):
        raise InputError(
            f"scores must have the columns method and score (and dataset, repeat, fold as there are), got "
            f"{listed(scores.columns)}; rename them."
        )
    several = [name for name in ("method", "score", *PLACES) if list(scores.columns).count(name) > 1]
    if several:
        raise InputError(f"scores must have one column {several[0]}, got several; drop or rename the others.")
    if not len(scores):
        raise InputError("scores must have a row for each method and split, got no rows.")
    _refuse_several_metrics(scores)
    places = [name for name in PLACES if name in scores.columns]
    if not places:
        raise InputError(
            f"scores must say what each score is of: a column dataset, repeat, fold or case, got "
            f"{listed(scores.columns)}."
        )
    for name in ("method", *places):
        if scores[name].isna().any():
            raise InputError(f"column {name} must not have missing values, got some; fill or drop these rows.")
    values = as_float(scores["score"], "score")
    keys = [*places, "method"]
    twice = scores.duplicated(keys)
    if twice.any():
        raise InputError(
            f"each method must have one score for each {' and '.join(places)}, got two for "
            f"{_cell(scores.loc[twice, keys].iloc[0])}; the column that tells them apart must be called "
            f"{' or '.join(name for name in PLACES if name not in places)}{_unread(scores, keys)}."
        )
    methods = pd.unique(scores["method"])
    if any(isinstance(name, tuple) for name in methods):
        raise InputError(f"names of methods must be words or numbers, got {listed(methods)}; join them into one word.")
    if len(methods) < 2:
        raise InputError(f"scores must be of two methods or more, got {listed(methods)}.")
    wide = _table(scores, places, methods, values)
    _refuse_holes(wide, places)
    _refuse_large(values)
    sizes = None
    if {"n_train", "n_test"} <= set(scores.columns):
        sizes = _sizes(scores, places)
    return Tidy(wide, places, sizes)


def _sizes(scores: pd.DataFrame, places: list[str]) -> pd.DataFrame:
    """Training and test cases of each cell, which all methods must share."""
    sizes = scores.groupby(places, sort=False, observed=True)[["n_train", "n_test"]]
    if (sizes.nunique(dropna=False) > 1).to_numpy().any():
        raise InputError(
            "n_train and n_test must be the same for all methods of a split, got others; score them on the same splits."
        )
    first = sizes.first()
    if not (first.to_numpy(dtype=float, na_value=np.nan) > 0.0).all():
        raise InputError("n_train and n_test must be numbers above 0, got others; correct or drop these columns.")
    return first


def _unread(scores: pd.DataFrame, keys: list[str]) -> str:
    """Other columns, one of which may be meant."""
    others = [name for name in scores.columns if name not in (*keys, "score", "metric", "n_train", "n_test")]
    return f" (others are {listed(others)})" if others else ""


def _table(scores: pd.DataFrame, places: list[str], methods: Any, values: Array) -> pd.DataFrame:
    """A row for each cell and a column for each method, both in the order of the frame; NaN where there is no score.

    Labels of several kinds cannot be sorted, and without sorting `unstack` of pandas 2 mixes up the values.
    """
    cells = pd.MultiIndex.from_frame(scores[places]) if len(places) > 1 else pd.Index(scores[places[0]])
    row, index = pd.factorize(cells)
    table = np.full((len(index), len(methods)), np.nan)
    table[row, pd.Index(methods).get_indexer(pd.Index(scores["method"]))] = values
    index = index.set_names(places)
    return pd.DataFrame(table, index=index, columns=pd.Index(methods, name="method"))


def _refuse_several_metrics(scores: pd.DataFrame) -> None:
    if "metric" in scores.columns and scores["metric"].nunique() > 1:
        kinds = pd.unique(scores["metric"])
        raise InputError(
            f"scores must be of one metric, got {listed(kinds)}; choose one, as in "
            f"scores[scores['metric'] == {shown(kinds[0])}]."
        )


def _refuse_holes(wide: pd.DataFrame, places: list[str]) -> None:
    """Every method needs a score in every cell."""
    infinite = np.isinf(wide.to_numpy())
    holes = np.argwhere(infinite if infinite.any() else np.isnan(wide.to_numpy()))
    if not len(holes):
        return
    index = wide.index.to_frame(index=False)
    cells = [_cell(pd.Series({**index.iloc[row].to_dict(), "method": wide.columns[column]})) for row, column in holes]
    few = "; ".join(cells[:6]) + ("; ..." if len(cells) > 6 else "")
    by_method = pd.unique(wide.columns.to_numpy()[holes[:, 1]])
    by_place = pd.unique(index[places[0]].to_numpy()[holes[:, 0]])
    if infinite.any():
        raise InputError(f"scores must be finite, got an infinite one for {few}; leave it out for all methods.")
    have = "has" if len(cells) == 1 else "have"
    raise InputError(
        f"the methods do not pair up: {len(cells)} of {wide.size} cells {have} no score ({few}); score them, or leave "
        f"out {_several('method', by_method)} or {_several(places[0], by_place)}."
    )


def _several(what: str, labels: Sequence[Hashable] | NDArray[Any]) -> str:
    return f"the {what} {named(labels[0])}" if len(labels) == 1 else f"the {what}s {listed(labels)}"


def _cell(row: pd.Series) -> str:
    return ", ".join(f"{name} {named(value)}" for name, value in row.items())


def read_right(x: Any, name: str) -> NDArray[np.bool_]:
    """Whether a method was right, case by case: True and False, or 1 and 0."""
    if isinstance(x, np.ma.MaskedArray) and np.ma.is_masked(x):
        raise InputError(f"{name} must not have missing values, got a mask; drop these cases from all methods.")
    values = np.asarray(x)
    if values.dtype != np.bool_:
        try:
            numbers = as_float(x, name)
        except InputError:
            numbers = np.array([np.nan])
        if not np.isin(numbers, (0.0, 1.0)).all():
            raise InputError(
                f"{name} must say for each case whether the method was right (True or 1) or not (False or 0), got "
                f"something else; to compare predictions give the true classes, too: y_true=."
            )
        values = numbers == 1.0
    return values


def read_answers(predictions: Any, y_true: Any, name: str) -> NDArray[np.bool_]:
    """Which of some predictions are right."""
    if y_true is None:
        return read_right(predictions, name)
    truth, values = np.asarray(y_true), np.asarray(predictions)
    if truth.ndim != 1 or values.shape[:1] != truth.shape:
        raise InputError(
            f"{name} must have a prediction for each of the {truth.shape[0] if truth.ndim else 1} cases of y_true, got "
            f"{' x '.join(map(str, values.shape))}."
        )
    if pd.isna(truth).any() or pd.isna(values).any():
        raise InputError(f"y_true and {name} must not have missing values; drop these cases from all methods.")
    if not np.isin(pd.unique(values.ravel()), pd.unique(truth)).any():
        raise InputError(
            f"no prediction in {name} is one of the classes of y_true {listed(map(shown, pd.unique(truth)))}; give "
            "labels of the same kind."
        )
    return values == (truth if values.ndim == 1 else truth[:, None])


def read_rope(rope: Any) -> float:
    """Half the width of a region of practical equivalence."""
    if isinstance(rope, bool) or not isinstance(rope, (int, float, np.number)) or not 0.0 <= float(rope) < np.inf:
        raise InputError(
            f"rope must be a number from 0 on, the largest difference that does not matter, got {shown(rope)}."
        )
    return float(rope)


def read_positive(value: Any, name: str) -> float:
    """A number above 0."""
    if isinstance(value, bool) or not isinstance(value, (int, float, np.number)) or not 0.0 < float(value) < np.inf:
        raise InputError(f"{name} must be a number above 0, got {shown(value)}.")
    return float(value)

"""Tables of scores: tidy frames and tables with one column per method, read into one form."""

import re
from collections.abc import Hashable, Mapping, Sequence
from typing import Any, Literal, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from pwcstats._arrays import Array, as_float
from pwcstats._text import listed, named, rename_hint, shape_of, shown
from pwcstats.compare.pairs import check_size
from pwcstats.errors import InputError, arg, code

Rows = Literal["folds", "datasets"]
# What may identify a score of a method, in this order: columns of a tidy frame, or levels of an index.
LEVELS = ("dataset", "repeat", "fold", "case")
# The level that each value of `rows` stands for.
ROWS = {"folds": "fold", "datasets": "dataset"}
# Words in the names of rows or of their index, and the level that they stand for.
SYNONYMS = {
    "dataset": "dataset",
    "data": "dataset",
    "problem": "dataset",
    "task": "dataset",
    "fold": "fold",
    "folds": "fold",
    "rep": "repeat",
    "repeat": "repeat",
    "repetition": "repeat",
    "resample": "repeat",
    "split": "repeat",
    "run": "repeat",
    "seed": "repeat",
    "iteration": "repeat",
}


class Scores(NamedTuple):
    """Scores of several methods that pair up.

    `table` has one column per method and one row per data set, split or case; `levels` are the names of its index;
    `sizes` has the columns n_train and n_test for each row, if these are known.
    """

    table: pd.DataFrame
    levels: list[str]
    sizes: pd.DataFrame | None = None

    def means(self, what: str = "data sets") -> pd.DataFrame:
        """The mean score of each method on each data set."""
        if "dataset" not in self.levels:
            raise InputError(
                f"the test needs scores on several {what}, but the frame has no column dataset; add it, or call "
                f"{code('compare_methods')}, which finds the test for one data set."
            )
        means: pd.DataFrame = self.table.groupby(level="dataset", sort=False).mean()
        if len(means) < 2:
            raise InputError(
                f"the test needs 2 {what} or more, got {len(means)} ({named(means.index[0])}); "
                f"{code('compare_methods')} finds the test for one data set."
            )
        return means


def read_scores(scores: Any, rows: str | None, *, are_splits: bool) -> Scores:
    """The scores that `compare_methods` is given: a tidy frame, or a table with one column per method.

    `rows` says what rows without names are. If it is None, they are folds if `are_splits`, and an error otherwise.
    """
    scores = _as_frame(scores)
    if isinstance(scores, pd.DataFrame) and ({"method", "score"} & set(scores.columns)):
        found = read_tidy(scores)
    else:
        found = _read_table(scores, rows, are_splits)
    if rows is not None and found.levels[-1] != ROWS[rows]:
        raise InputError(
            f"{arg('rows', rows)}, but the rows of {arg('scores')} are named {', '.join(found.levels)}; leave "
            f"{arg('rows')} out."
        )
    return found


def _read_table(scores: Any, rows: str | None, are_splits: bool) -> Scores:
    given = read_wide(scores)
    table = _with_level_names(given)
    # Labels that are not numbers are taken for data sets; the user may know better.
    is_guess = list(table.index.names) == ["dataset"] and given.index.names[0] != "dataset"
    if is_guess and rows is not None:
        table = table.rename_axis(index=ROWS[rows])
    if not table.index.is_unique:
        raise InputError(
            f"the rows of {arg('scores')} must have unique labels; rename them, or call "
            f"{code('reset_index(drop=True)')}."
        )
    if table.index.names == [None]:
        if rows is None and not are_splits:
            is_binary = np.isin(table.to_numpy(), (0.0, 1.0)).all()
            rename = "scores.rename_axis('case')"
            cases = f"; for right and wrong answers, name the rows: {code(rename)}"
            raise InputError(
                f"rows of {arg('scores')} without names may be folds or data sets, which need different tests; set "
                f"{arg('rows', 'folds')} for the folds of one cross-validation (corrected resampled t-test), or "
                f"{arg('rows', 'datasets')} for one row per data set (Wilcoxon's test or mean ranks)"
                f"{cases if is_binary else ''}."
            )
        table = table.rename_axis(index=ROWS[rows or "folds"])
    return Scores(table, [str(name) for name in table.index.names])


def read_wide(scores: Any, least_rows: int = 2, what: str = "data sets") -> pd.DataFrame:
    """A table with one column per method and one row per data set (or split, or case); a tidy frame is averaged."""
    scores = _as_frame(scores)
    if isinstance(scores, pd.DataFrame) and {"method", "score"} <= set(scores.columns):
        return read_tidy(scores).means(what)
    if isinstance(scores, pd.DataFrame):
        # pandas calls a column without a name like this; reserved words in other letters are misspelt.
        labels_of_rows = [name for name in scores.columns if str(name) == "Unnamed: 0" or str(name).lower() in LEVELS]
        if labels_of_rows:
            raise InputError(
                f"{listed(labels_of_rows)} of {arg('scores')} looks like labels of rows, not like a method; make it "
                f"the index with {code(f'set_index({str(labels_of_rows[0])!r})')}, or drop it."
            )
    values = as_float(scores, "scores")
    if values.ndim != 2:
        raise InputError(
            f"{arg('scores')} must be a table with a row for each of several {what} and a column for each method, got "
            f"{shape_of(values)}."
        )
    labels = (scores.index, scores.columns) if isinstance(scores, pd.DataFrame) else (None, None)
    frame = pd.DataFrame(values, *labels).rename_axis(columns="method")
    if not frame.columns.is_unique:
        twice = frame.columns[frame.columns.duplicated()]
        raise InputError(f"{arg('scores')} must have one column per method, got {listed(twice)} twice; rename one.")
    if frame.shape[1] < 2:
        raise InputError(
            f"{arg('scores')} must be a table with a column for each of two methods or more, got {shape_of(values)}."
        )
    if frame.shape[0] < least_rows:
        raise InputError(f"the test needs {least_rows} {what} or more, got {frame.shape[0]}; methods are the columns.")
    bad = np.argwhere(~np.isfinite(values))
    if len(bad):
        row, column = bad[0]
        raise InputError(
            f"{arg('scores')} must be finite, got {values[row, column]:g} for {named(frame.columns[column])} in row "
            f"{named(frame.index[row])}; drop that row or that method."
        )
    check_size(values)
    return frame


def read_datasets(scores: Any) -> pd.DataFrame:
    """A table with one row per data set; if the names of the rows say that they are splits, these are averaged."""
    table = _with_level_names(read_wide(scores))
    levels = [str(name) for name in table.index.names if name is not None]
    return table if levels in ([], ["dataset"]) else Scores(table, levels).means()


def _as_frame(scores: Any) -> Any:
    """A mapping as a frame. In a tidy frame the names of rows become columns, in a table they become the index."""
    if isinstance(scores, Mapping):
        try:
            scores = pd.DataFrame(scores)
        except ValueError as error:
            raise InputError(f"{arg('scores')} must be a table with a column of scores per method ({error}).") from None
    if not isinstance(scores, pd.DataFrame):
        return scores
    own = [name for name in (*LEVELS, "method") if name in scores.index.names and name not in scores.columns]
    if "score" in scores.columns:
        return scores.reset_index(own) if own else scores
    if "method" in scores.columns:
        return scores
    columns = [name for name in LEVELS if name in scores.columns]
    texts = [name for name in scores.columns if name not in columns and not _is_numeric(scores[name])]
    if texts:
        rename = f"scores.rename(columns={{{shown(texts[0])}: 'method'}})"
        raise InputError(
            f"{arg('scores')} must be a tidy frame with the columns method, score and any of dataset, repeat, fold, or "
            f"a table with a column of numbers per method; got text in {listed(texts)} of the columns "
            f"{listed(scores.columns)}; rename them, as in {code(rename)}."
        )
    return scores.set_index(columns) if columns else scores


def _is_numeric(column: Any) -> bool:
    """Whether a column can be read as numbers; several columns of one name are refused later."""
    if not isinstance(column, pd.Series):
        return True
    try:
        as_float(column, "scores")
    except InputError:
        return False
    return True


def _with_level_names(table: pd.DataFrame) -> pd.DataFrame:
    """A table whose index levels are named dataset, repeat, fold or case, by their names or their labels.

    Numbers are not names: an index of plain numbers gets no name.
    """
    names = list(table.index.names)
    if len(names) > 1:
        if all(name in LEVELS for name in names):
            return table
        raise InputError(
            f"the index levels of {arg('scores')} must be named {', '.join(LEVELS)}, got {listed(map(str, names))}; "
            "rename them."
        )
    if names[0] in LEVELS:
        return table
    labels = [str(label).strip().lower() for label in table.index]
    # R's caret names the folds of repeated cross-validation like this.
    both = [re.fullmatch(r"fold[ ._-]*(\d+)[ ._-]+rep(?:eat)?[ ._-]*(\d+)", label) for label in labels]
    if all(both):
        parts = [(int(match[2]), int(match[1])) for match in both if match]
        return table.set_axis(pd.MultiIndex.from_tuples(parts, names=["repeat", "fold"]), axis=0)
    of_labels = {_level_of(label) for label in labels}
    if of_labels in ({"fold"}, {"repeat"}):
        return table.rename_axis(index=of_labels.pop())
    of_index = None if names[0] is None else _level_of(str(names[0]).lower())
    if of_index is not None:
        return table.rename_axis(index=of_index)
    is_numbered = pd.api.types.is_numeric_dtype(table.index) or all(label.isdigit() for label in labels)
    return table.rename_axis(index=None if is_numbered else "dataset")


def _level_of(name: str) -> str | None:
    """The level that a word of a name stands for, as in fold_id, outer-fold or Fold1; None if no word is known."""
    return next((SYNONYMS[word] for word in re.split(r"[^a-z]+", name) if word in SYNONYMS), None)


def read_tidy(scores: pd.DataFrame) -> Scores:
    """A tidy frame; the methods keep the order in which they first occur."""
    missing = [name for name in ("method", "score") if name not in scores.columns]
    if missing:
        hint = rename_hint(missing, _others(scores))
        raise InputError(
            f"{arg('scores')} must have the columns method and score (and any of dataset, repeat, fold), got "
            f"{listed(scores.columns)}{f'.{hint}' if hint else '; rename them.'}"
        )
    several = [name for name in ("method", "score", *LEVELS) if list(scores.columns).count(name) > 1]
    if several:
        raise InputError(f"{arg('scores')} must have one column {several[0]}, got several; drop or rename the others.")
    if not len(scores):
        raise InputError(f"{arg('scores')} must have a row for each method and split, got no rows.")
    if "metric" in scores.columns and scores["metric"].nunique() > 1:
        metrics = pd.unique(scores["metric"])
        one = f"scores[scores['metric'] == {shown(metrics[0])}]"
        raise InputError(
            f"{arg('scores')} must be of one metric, got {listed(metrics)}; choose one, as in {code(one)}."
        )
    levels = [name for name in LEVELS if name in scores.columns]
    if not levels:
        raise InputError(
            f"{arg('scores')} must say what each score belongs to: a column dataset, repeat, fold or case, got "
            f"{listed(scores.columns)}.{rename_hint(LEVELS, _others(scores))}"
        )
    for name in ("method", *levels):
        check_complete(scores, name)
    values = as_float(scores["score"], "score")
    _refuse_duplicates(scores, levels)
    methods = pd.unique(scores["method"])
    if any(isinstance(name, tuple) for name in methods):
        raise InputError(f"names of methods must be text or numbers, got {listed(methods)}; join each into one text.")
    if len(methods) < 2:
        raise InputError(f"{arg('scores')} must be of two methods or more, got {listed(methods)}.")
    table = _unstacked(scores, levels, methods, values)
    _refuse_gaps(table, levels)
    check_size(values)
    has_sizes = {"n_train", "n_test"} <= set(scores.columns)
    return Scores(table, levels, _read_sizes(scores, levels) if has_sizes else None)


def _others(scores: pd.DataFrame) -> list[Any]:
    """The columns that a tidy frame does not need."""
    return [name for name in scores.columns if name not in ("method", "score", *LEVELS)]


def check_complete(scores: pd.DataFrame, column: Hashable) -> None:
    """Refuse a column with missing values."""
    if scores[column].isna().any():
        raise InputError(f"column {column} must not have missing values, got some; fill or drop these rows.")


def _refuse_duplicates(scores: pd.DataFrame, levels: list[str]) -> None:
    """Each method needs one score for each data set, split or case."""
    keys = [*levels, "method"]
    twice = scores.duplicated(keys)
    if not twice.any():
        return
    others = [name for name in scores.columns if name not in (*keys, "score", "metric", "n_train", "n_test")]
    raise InputError(
        f"each method must have one score for each {' and '.join(levels)}, got two for "
        f"{_describe_cell(scores.loc[twice, keys].iloc[0])}; the column that distinguishes them must be called "
        f"{' or '.join(name for name in LEVELS if name not in levels)}"
        f"{f' (other columns are {listed(others)})' if others else ''}."
    )


def _unstacked(scores: pd.DataFrame, levels: list[str], methods: Any, values: Array) -> pd.DataFrame:
    """One row per data set, split or case and one column per method, in the order of the frame; NaN for no score.

    pandas' `unstack` sorts, but labels of several types cannot be sorted; without sorting, pandas 2 mixes up values.
    """
    cells = pd.MultiIndex.from_frame(scores[levels]) if len(levels) > 1 else pd.Index(scores[levels[0]])
    row, index = pd.factorize(cells)
    table = np.full((len(index), len(methods)), np.nan)
    table[row, pd.Index(methods).get_indexer(pd.Index(scores["method"]))] = values
    return pd.DataFrame(table, index=index.set_names(levels), columns=pd.Index(methods, name="method"))


def _refuse_gaps(table: pd.DataFrame, levels: list[str]) -> None:
    """Every method needs a finite score in every row."""
    is_infinite = np.isinf(table.to_numpy())
    gaps = np.argwhere(is_infinite if is_infinite.any() else np.isnan(table.to_numpy()))
    if not len(gaps):
        return
    index = table.index.to_frame(index=False)
    cells = [
        _describe_cell(pd.Series({**index.iloc[row].to_dict(), "method": table.columns[column]}))
        for row, column in gaps
    ]
    few = "; ".join(cells[:6]) + ("; ..." if len(cells) > 6 else "")
    if is_infinite.any():
        raise InputError(
            f"{arg('scores')} must be finite, got an infinite one for {few}; leave it out for all methods."
        )
    methods = pd.unique(table.columns.to_numpy()[gaps[:, 1]])
    firsts = pd.unique(index[levels[0]].to_numpy()[gaps[:, 0]])
    raise InputError(
        f"the methods do not pair up: {len(cells)} of {table.size} cells {'has' if len(cells) == 1 else 'have'} no "
        f"score ({few}); score them, or leave out {_one_or_more('method', methods)} or "
        f"{_one_or_more(levels[0], firsts)}."
    )


def _one_or_more(what: str, labels: Sequence[Hashable] | NDArray[Any]) -> str:
    return f"the {what} {named(labels[0])}" if len(labels) == 1 else f"the {what}s {listed(labels)}"


def _describe_cell(row: pd.Series) -> str:
    return ", ".join(f"{name} {named(label)}" for name, label in row.items())


def _read_sizes(scores: pd.DataFrame, levels: list[str]) -> pd.DataFrame:
    """Numbers of training and test cases of each split, which must be the same for all methods."""
    sizes = scores.groupby(levels, sort=False, observed=True)[["n_train", "n_test"]]
    if (sizes.nunique(dropna=False) > 1).to_numpy().any():
        raise InputError(
            "n_train and n_test must be the same for all methods of a split, but they differ; score all methods on the "
            "same splits."
        )
    first = sizes.first()
    if not (first.to_numpy(dtype=float, na_value=np.nan) > 0.0).all():
        raise InputError("n_train and n_test must be positive numbers, got others; correct or drop these columns.")
    return first

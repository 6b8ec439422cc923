"""Data frames of any library, through narwhals.

Frames in memory become pandas data frames. Lazy ones are not loaded: their own engine finds out who won, and counts the
comparisons with one group-by. Only the counts come to memory.
"""

from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from pwcstats._arrays import Array
from pwcstats._text import did_you_mean, listed
from pwcstats.bradley_terry import faults
from pwcstats.bradley_terry.reading import (
    ADDED_UP,
    Codes,
    Columns,
    Rows,
    check_pairs,
    count_rows,
    missing_argument,
    read_comparisons,
    sorted_order,
)
from pwcstats.errors import InputError, arg, value

if TYPE_CHECKING:
    # Narwhals is imported when a frame needs it: pandas users do not.
    import narwhals as nw

    Frame = pd.DataFrame | nw.LazyFrame[Any] | None
    Expr = nw.Expr

# Names of the columns that the group-by makes. Those of wins are followed by the number of their outcome.
FIRST, SECOND, KIND = "pwcstats_first", "pwcstats_second", "pwcstats_kind"
N_ROWS, WEIGHT, SQUARE = "pwcstats_n", "pwcstats_weight", "pwcstats_square"
WINS, SQUARES_OF_WINS, N_ENTRIES, FRACTIONS = (f"pwcstats_{x}_" for x in ("wins", "squares", "entries", "fractions"))

# The outcome of a row. A kind of row is N_PLACES * outcome + place, and negative for rows that cannot be used.
FIRST_WON, SECOND_WON, TIED = 0, 1, 2
# Who went first: nobody, the item of the first column, or that of the second.
NOBODY, ONE, TWO = 0, 1, 2
N_PLACES = 3


def open_frame(data: Any) -> "Frame":
    """A pandas data frame, a lazy frame of narwhals, or None."""
    if data is None:
        return None
    frame = _known_frame(data)
    if frame is not None:
        return frame
    converted = data.to_pandas() if hasattr(data, "to_pandas") else None
    if not isinstance(converted, pd.DataFrame):
        raise InputError(f"{arg('data')} must be a data frame with one row per comparison, got {type(data).__name__}.")
    return converted


def load_frame(data: Any) -> pd.DataFrame | None:
    """A data frame of any library as a pandas data frame, all of it in memory; None for any other object."""
    frame = _known_frame(data)
    return frame if frame is None or isinstance(frame, pd.DataFrame) else _in_pandas(frame.collect())


def _known_frame(data: Any) -> "Frame":
    """A data frame of pandas, a dict or a frame that narwhals knows; lazy ones stay lazy. None for any other object."""
    if isinstance(data, pd.DataFrame):
        return data
    if isinstance(data, Mapping):
        return pd.DataFrame(data)
    import narwhals as nw

    frame = nw.from_native(data, pass_through=True)
    if isinstance(frame, nw.LazyFrame):
        return frame  # also if it was opened before
    return _in_pandas(frame) if isinstance(frame, nw.DataFrame) else None


def column_names(frame: "Frame") -> list[Hashable]:
    """The names of the columns."""
    if frame is None:
        return []
    return list(frame.columns) if isinstance(frame, pd.DataFrame) else list(frame.collect_schema())


def read_frame(frame: "Frame", columns: Columns) -> tuple[Rows, pd.DataFrame | None]:
    """Read comparisons from what `open_frame` returned; also returns the data that rows of comparisons refer to."""
    if frame is None or isinstance(frame, pd.DataFrame):
        # A shallow copy does not change if the user sorts the data frame or adds columns.
        return read_comparisons(frame, columns), None if frame is None else frame.copy(deep=False)
    return _read_lazy(frame, columns)


def _in_pandas(frame: "nw.DataFrame[Any]") -> pd.DataFrame:
    if not frame.implementation.is_polars():
        return frame.to_pandas()
    # The conversion of polars needs pyarrow, and sorts the categories of strings by their first appearance.
    return pd.DataFrame({name: _pandas_column(frame[name]) for name in frame.columns})


def _pandas_column(column: "nw.Series[Any]") -> pd.Series:
    """A column of a polars frame; only an Enum has ordered categories."""
    import narwhals as nw

    kind = column.dtype
    if isinstance(kind, nw.Enum):
        return pd.Series(pd.Categorical(column.cast(nw.String()).to_list(), categories=list(kind.categories)))
    if _is_text(kind) or kind.is_nested():
        return pd.Series(column.to_list(), dtype=None if len(column) else object)
    return pd.Series(column.to_numpy())


def _is_text(kind: Any) -> bool:
    import narwhals as nw

    return kind in (nw.String, nw.Categorical, nw.Enum)


# Lazy frames


@dataclass
class _Query:
    """A lazy frame, and the expressions for the group-by.

    In SQL, comparisons with missing values are missing. So all conditions say what they are for missing values.
    `faults` has a condition for each reason not to use a row, with a function that makes the error from such a row.
    """

    frame: "nw.LazyFrame[Any]"
    columns: Columns
    faults: list[tuple["Expr", Callable[[dict[str, Any]], InputError]]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.types = dict(self.frame.collect_schema())

    def name(self, given: Any, argument: str) -> str:
        """The name of a column; refuses arrays, and names that are not there."""
        if given is None:
            raise missing_argument(argument)
        if not isinstance(given, Hashable):
            raise InputError(
                f"{arg(argument)} must be the name of a column, got {type(given).__name__}: arrays cannot be combined "
                "with a lazy frame; make it a column of the frame."
            )
        if given not in self.types:
            raise InputError(
                f"{arg(argument)} must be one of the columns of the data, which are {listed(self.types)}, got "
                f"{value(given)}.{did_you_mean(given, self.types)}"
            )
        return str(given)

    def column(self, name: str) -> "Expr":
        """A column that can be compared with values; categories are compared as text."""
        import narwhals as nw

        return nw.col(name).cast(nw.String()) if _is_text(self.types[name]) else nw.col(name)

    def is_missing(self, name: str) -> "Expr":
        """Whether there is no value in a row."""
        missing = self.column(name).is_null()
        return missing | self.column(name).is_nan() if self.types[name].is_float() else missing

    def same(self, a: str, b: str) -> "Expr":
        """Whether two columns have equal values in a row; values of different kinds are never equal."""
        import narwhals as nw

        one, two = self.types[a], self.types[b]
        alike = (_is_text(one) and _is_text(two)) or (one.is_numeric() and two.is_numeric()) or one == two
        if not alike:
            return nw.lit(False)
        return (self.column(a) == self.column(b)) & ~self.is_missing(a) & ~self.is_missing(b)

    def is_one_of(self, name: str, values: Iterable[Any]) -> "Expr":
        """Whether a column has one of these values in a row; None stands for a missing one."""
        import narwhals as nw

        values = list(values)
        kind = self.types[name]
        alike = [x for x in values if x is not None and _may_equal(kind, x)]
        missing = self.is_missing(name)
        found = self.column(name).is_in(alike) & ~missing if alike else nw.lit(False)
        return found | missing if None in values else found

    def number(self, given: Any, argument: str) -> tuple[str, "Expr"]:
        """The name of a column of numbers, and the numbers."""
        import narwhals as nw

        name = self.name(given, argument)
        kind = self.types[name]
        if not (kind.is_numeric() or kind in (nw.Boolean, nw.Object, nw.Unknown)):
            raise InputError(f"{arg(argument)} must hold real numbers, got {kind}.")
        return name, nw.col(name).cast(nw.Float64())

    def amount(self, given: Any, argument: str, error: Callable[[str, float], InputError]) -> "Expr":
        """Numbers that must be finite and not negative."""
        name, numbers = self.number(given, argument)
        usable = numbers.is_finite() & (numbers >= 0.0) & ~self.is_missing(name)
        self.refuse(~usable, lambda row: error(faults.SOME_ROW, np.nan if row[name] is None else float(row[name])))
        return numbers

    def flag(self, given: Any, argument: str) -> "Expr":
        """A column of true and false, or of 1 and 0."""
        name, numbers = self.number(given, argument)
        present = ~self.is_missing(name)
        usable = numbers.is_in([0.0, 1.0]) & present
        self.refuse(~usable, lambda row: faults.not_a_flag(argument, row[name]))
        return (numbers == 1.0) & present

    def refuse(self, condition: "Expr", error: Callable[[dict[str, Any]], InputError]) -> None:
        """Note that rows that fulfil a condition cannot be used; `error` makes the error from such a row."""
        self.faults.append((condition, error))

    def need_labels(self, one: str, two: str) -> None:
        """Note that both items must have labels, and must not be the same."""
        self.refuse(self.is_missing(one) | self.is_missing(two), lambda row: faults.no_label(faults.SOME_ROW))
        self.refuse(self.same(one, two), lambda row: faults.against_itself(faults.SOME_ROW, row[one]))

    def is_tie(self) -> "Expr":
        """Which rows are ties: from a column of flags, or from a column and the value that it has in ties."""
        import narwhals as nw

        tie = self.columns.tie
        if tie is None:
            return nw.lit(False)
        if isinstance(tie, tuple) and len(tie) == 2:
            return self.is_one_of(self.name(tie[0], "tie"), [tie[1]])
        return self.flag(tie, "tie")

    def sums(self) -> dict[str, "Expr"]:
        """What is added up in each group beside the number of rows."""
        import narwhals as nw

        if self.columns.wins is not None:
            out: dict[str, Expr] = {}
            for k, given in enumerate(self.columns.wins):
                n = self.amount(given, "wins", faults.not_a_count)
                out |= {f"{WINS}{k}": n, f"{SQUARES_OF_WINS}{k}": n * n}
                out |= {
                    f"{N_ENTRIES}{k}": (n > 0.0).cast(nw.Int64()),
                    f"{FRACTIONS}{k}": (n % 1.0 > 0.0).cast(nw.Int64()),
                }
            return out
        if self.columns.weight is not None:
            w = self.amount(self.columns.weight, "weight", faults.not_a_weight)
            return {WEIGHT: w, SQUARE: w * w}
        return {}

    def kind(self, form: "_Form") -> "Expr":
        """The kind of each row: outcome and place, or a negative number if it cannot be used."""
        import narwhals as nw

        place = form.place
        if self.columns.neutral is not None:
            place = _choose((self.flag(self.columns.neutral, "neutral"), NOBODY), otherwise=place)
        reasons = [(condition, -k) for k, (condition, _) in enumerate(self.faults, 1)]
        return _choose(*reasons, otherwise=form.outcome * N_PLACES + place).cast(nw.Int32())

    def grouped(self, form: "_Form", kind: "Expr", kept: list[str], sums: dict[str, "Expr"]) -> "nw.DataFrame[Any]":
        """Number of rows, and `sums`, of each group of equal items, kind and columns to keep."""
        import narwhals as nw

        keys = {FIRST: self.key(form.one), SECOND: self.key(form.two), KIND: kind} | {x: self.key(x) for x in kept}
        table = self.frame.select(**keys, **sums)
        if WEIGHT in sums:
            table = table.filter((nw.col(WEIGHT) != 0.0) | (nw.col(KIND) < 0))
        return _collected(table.group_by(*keys).agg(nw.len().alias(N_ROWS), *(nw.col(name).sum() for name in sums)))

    def error(self, kinds: NDArray[Any], kind: "Expr") -> InputError:
        """The error about one of the rows that cannot be used."""
        import narwhals as nw

        reason = int(kinds[kinds < 0].max())
        found = self.frame.with_columns(kind.alias(KIND)).filter(nw.col(KIND) == reason)
        return self.faults[-reason - 1][1](_collected(found.head(1)).rows(named=True)[0])

    def is_empty(self) -> bool:
        """Whether the frame has no rows."""
        return len(_collected(self.frame.head(1))) == 0

    def key(self, name: str) -> "Expr":
        """A column to group by. Polars needs half the memory if strings are categories."""
        import narwhals as nw

        kind = self.types[name]
        if self.frame.implementation.is_polars():
            return nw.col(name).cast(nw.Categorical()) if kind == nw.String else nw.col(name)
        return self.column(name)

    def categories(self, name: str) -> pd.Index | None:
        """The ordered categories of a column, or None."""
        import narwhals as nw

        kind = self.types[name]
        if isinstance(kind, nw.Enum):
            return pd.Index(list(kind.categories))
        if kind == nw.Categorical and self.frame.implementation.is_dask():
            native = self.frame.to_native()[name]
            return native.cat.categories if native.cat.known else None
        return None


def _choose(*cases: tuple["Expr", int], otherwise: "Expr | int") -> "Expr":
    """The value of the first case whose condition is true."""
    import narwhals as nw

    chosen = nw.lit(otherwise) if isinstance(otherwise, int) else otherwise
    for condition, number in reversed(cases):
        chosen = nw.when(condition).then(nw.lit(number)).otherwise(chosen)
    return chosen


def _may_equal(kind: Any, x: Any) -> bool:
    """Whether a column of this kind can be compared with a value."""
    import narwhals as nw

    if isinstance(x, str) or _is_text(kind):
        return isinstance(x, str) and _is_text(kind)
    if kind == nw.Boolean:
        return isinstance(x, (bool, np.bool_))
    return isinstance(x, (int, float, np.number)) == kind.is_numeric()


@dataclass(frozen=True)
class _Form:
    """Where a form of data has its items, and expressions for the outcome and for who went first."""

    one: str
    two: str
    outcome: "Expr"
    place: "Expr"


def _winners(query: _Query) -> _Form:
    """A column of winners and one of losers."""
    columns = query.columns
    won, lost = query.name(columns.winner, "winner"), query.name(columns.loser, "loser")
    query.need_labels(won, lost)
    place = _choose(otherwise=NOBODY)
    if columns.first is not None:
        first = query.name(columns.first, "first")
        is_one, is_two = query.same(first, won), query.same(first, lost)
        place = _choose((is_one, ONE), (is_two, TWO), otherwise=NOBODY)
        query.refuse(
            ~(is_one | is_two | query.is_missing(first)),
            lambda row: faults.first_is_neither(faults.SOME_ROW, row[first], row[won], row[lost]),
        )
    return _Form(won, lost, _choose((query.is_tie(), TIED), otherwise=FIRST_WON), place)


def _outcomes(query: _Query) -> _Form:
    """Both items and who won: an item, the name of its column, or a value of `tie`."""
    columns = query.columns
    one, two = query.name(columns.first, "first"), query.name(columns.second, "second")
    who, tie = query.name(columns.winner, "winner"), columns.tie
    query.need_labels(one, two)
    if isinstance(tie, (list, set)):
        tied = query.is_one_of(who, tie)
    elif isinstance(tie, Hashable) and not isinstance(tie, tuple) and tie not in query.types:
        tied = query.is_one_of(who, [] if tie is None else [tie])
    else:
        tied = query.is_tie()
    won, lost = query.same(who, one), query.same(who, two)
    by_name = [query.is_one_of(who, [name]) for name in (one, two)]
    query.refuse(
        ~(tied | won | lost | by_name[0] | by_name[1]),
        lambda row: faults.unknown_winner(faults.SOME_ROW, row[who], row[one], row[two], one, two, tie),
    )
    cases = ((tied, TIED), (won, FIRST_WON), (lost, SECOND_WON), (by_name[0], FIRST_WON))
    return _Form(one, two, _choose(*cases, otherwise=SECOND_WON), _choose(otherwise=ONE))


def _counts(query: _Query) -> _Form:
    """Both items, and how often each won and perhaps how often they tied."""
    one, two = query.name(query.columns.first, "first"), query.name(query.columns.second, "second")
    query.need_labels(one, two)
    return _Form(one, two, _choose(otherwise=FIRST_WON), _choose(otherwise=ONE))


def _read_lazy(frame: "nw.LazyFrame[Any]", columns: Columns) -> tuple[Rows, pd.DataFrame]:
    """Let the engine of the frame count the comparisons of each pair, by outcome and by the columns to keep."""
    query = _Query(frame, columns)
    kept = [query.name(name, "keep") for name in columns.kept]
    form = (_counts if columns.wins is not None else _outcomes if columns.second is not None else _winners)(query)
    sums = query.sums()
    kind = query.kind(form)
    found = query.grouped(form, kind, kept, sums)
    kinds = found[KIND].to_numpy()
    if (kinds < 0).any():
        raise query.error(kinds, kind)
    if not len(kinds):
        raise faults.no_comparison() if query.is_empty() else faults.no_weight()
    a, b, items = _item_codes(query, found, form)
    data = pd.DataFrame({name: _kept_column(found[name]) for name in kept}, index=pd.RangeIndex(len(kinds)))
    # The engine returns the groups in any order. Sorted, they give the same results each time.
    pair = (a.astype(np.int64) * len(items) + b) * (N_PLACES * N_PLACES) + kinds
    order = np.lexsort([pd.factorize(data[name], sort=True)[0] for name in reversed(kept)] + [pair])
    data = data.iloc[order].reset_index(drop=True)
    data.attrs[ADDED_UP] = True
    amounts = {name: found[name].to_numpy()[order].astype(np.float64) for name in (N_ROWS, *sums)}
    make = _rows_of_outcomes if columns.wins is None else _rows_of_counts
    rows = make(items, a[order], b[order], kinds[order], amounts)
    if not len(rows.winner):
        raise faults.no_comparison()
    check_pairs(rows, data)
    return rows, data


def _rows_of_outcomes(items: pd.Index, a: Codes, b: Codes, kinds: Codes, amounts: dict[str, Array]) -> Rows:
    outcome, place = np.divmod(kinds, N_PLACES)
    swapped = outcome == SECOND_WON
    weighted = WEIGHT in amounts
    rows = Rows(
        items=items,
        winner=np.where(swapped, b, a),
        loser=np.where(swapped, a, b),
        tie=outcome == TIED,
        home=np.where(place == NOBODY, 0, np.where((place == ONE) == swapped, -1, 1)).astype(np.int8),
        weight=amounts[WEIGHT if weighted else N_ROWS],
        unit=np.empty(0, np.int64),
        n_units=len(a),
        counted=not weighted,
        side=np.where(swapped, -1, 1).astype(np.int8),
    )
    return replace(rows, n_added=amounts[N_ROWS], squares=amounts[SQUARE]) if weighted else rows


def _rows_of_counts(items: pd.Index, a: Codes, b: Codes, kinds: Codes, amounts: dict[str, Array]) -> Rows:
    def table(name: str) -> Array:
        return np.column_stack([x for key, x in amounts.items() if key.startswith(name)])

    whole = not table(FRACTIONS).any()
    counts = table(WINS)
    rows = count_rows(items, a, b, counts, whole)
    home = np.where(kinds[rows.unit] % N_PLACES == NOBODY, 0, rows.home).astype(np.int8)
    rows = replace(rows, home=home, side=rows.home)
    if whole:
        return rows
    met = np.nonzero(counts)
    return replace(rows, n_added=table(N_ENTRIES)[met], squares=table(SQUARES_OF_WINS)[met])


def _collected(frame: "nw.LazyFrame[Any]") -> "nw.DataFrame[Any]":
    """The result of a query; polars needs less memory if it streams."""
    return frame.collect(engine="streaming") if frame.implementation.is_polars() else frame.collect()


def _item_codes(query: _Query, found: "nw.DataFrame[Any]", form: _Form) -> tuple[Codes, Codes, pd.Index]:
    """Codes of the items, and the items: in the order of categories, else sorted if they can be."""
    (a, one), (b, two) = _encoded(found[FIRST]), _encoded(found[SECOND])
    orders = query.categories(form.one), query.categories(form.two)
    if orders[0] is not None and orders[1] is not None:
        shared = orders[0].union(orders[1], sort=False)
        items = shared[shared.isin(one) | shared.isin(two)]
    else:
        items = one.append(two).unique()
        items = items[sorted_order(items)]
    return items.get_indexer(one).astype(np.int32)[a], items.get_indexer(two).astype(np.int32)[b], items


def _encoded(column: "nw.Series[Any]") -> tuple[NDArray[Any], pd.Index]:
    """Codes and labels of a column, without an object for each entry; -1 is missing."""
    if _is_text(column.dtype) and column.implementation.is_polars():
        native = column.to_native()
        distinct = native.unique().drop_nulls()
        numbers = distinct.to_physical().to_numpy()
        # The last entry is for -1.
        new_code = np.full(numbers.max(initial=0) + 2, -1)
        new_code[numbers] = np.arange(len(numbers))
        codes = new_code[native.to_physical().cast(int).fill_null(-1).to_numpy()]
        return codes, pd.Index(distinct.cast(str).to_list())
    if _is_text(column.dtype) and column.implementation.is_pyarrow():
        encoded = column.to_native().combine_chunks().dictionary_encode()
        return encoded.indices.fill_null(-1).to_numpy(zero_copy_only=False), pd.Index(encoded.dictionary.to_pylist())
    codes, labels = pd.factorize(column.to_numpy() if column.implementation.is_polars() else column.to_pandas())
    return codes, pd.Index(labels)


def _kept_column(column: "nw.Series[Any]") -> Any:
    """A column to keep; text becomes categories."""
    if _is_text(column.dtype):
        codes, labels = _encoded(column)
        order = sorted_order(labels)
        new_code = np.append(np.argsort(order), -1)
        return pd.Categorical.from_codes(new_code[codes], labels[order])
    return column.to_numpy() if column.implementation.is_polars() else column.to_pandas().to_numpy()

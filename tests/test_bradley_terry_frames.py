"""Data frames of all libraries, lazy ones too, and columns that need no argument."""

import sys

import dask.dataframe as dd
import duckdb
import ibis
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from pwcstats import BradleyTerry, InputError
from pwcstats.bradley_terry import frames
from pwcstats.bradley_terry.habits import HABITS, _needed

# The same sums in another order.
CLOSE = {"rtol": 1e-10, "atol": 1e-12}
N_ITEMS = 6


def battles(n=400, seed=0):
    rng = np.random.default_rng(seed)
    names = np.array(["q", "p", "r", "s", "u", "t"])
    a = rng.integers(N_ITEMS, size=n)
    b = (a + rng.integers(1, N_ITEMS, size=n)) % N_ITEMS
    frame = pd.DataFrame(
        {
            "model_a": names[a],
            "model_b": names[b],
            "winner": rng.choice(["model_a", "model_b", "tie", "tie (bothbad)"], n),
            "user": rng.choice([f"user {k}" for k in range(40)], n),
            "weight": rng.choice([0.0, 0.5, 1.0, 2.3], n),
            "neutral": rng.random(n) < 0.3,
            "length": rng.integers(-3, 4, n),
            "wins_a": rng.integers(0, 3, n),
            "wins_b": rng.integers(0, 3, n),
            "even": rng.integers(0, 2, n),
        }
    )
    frame["tied"] = frame["winner"].str.startswith("tie")
    a_won = (frame["winner"] == "model_a") | frame["tied"]
    frame["won"] = np.where(a_won, frame["model_a"], frame["model_b"])
    frame["lost"] = np.where(a_won, frame["model_b"], frame["model_a"])
    frame["home"] = frame["model_a"].where(frame.index % 5 > 0)
    # Winners by their name, too.
    frame.loc[::7, "winner"] = np.where(frame["tied"], frame["winner"], frame["won"])[::7]
    return frame


BATTLES = battles()


def in_duckdb(frame):
    connection = duckdb.connect()
    connection.register("battles", frame)
    return connection.sql("select * from battles")


EAGER = {"polars": pl.from_pandas, "pyarrow": pa.Table.from_pandas, "dict": lambda frame: frame.to_dict("list")}
LAZY = {
    "polars": lambda frame: pl.from_pandas(frame).lazy(),
    "duckdb": in_duckdb,
    "dask": lambda frame: dd.from_pandas(frame, npartitions=3),
}
lazily = pytest.mark.parametrize("lazy", LAZY.values(), ids=LAZY)

FORMS = {
    "winner and loser": {"winner": "won", "loser": "lost", "tie": "tied"},
    "tie by value": {"winner": "won", "loser": "lost", "tie": ("tied", True)},
    "who went first": {"winner": "won", "loser": "lost", "first": "home", "tie": "tied", "neutral": "neutral"},
    "outcomes": {"first": "model_a", "second": "model_b", "winner": "winner", "tie": ["tie", "tie (bothbad)"]},
    "tie by column": {"first": "model_a", "second": "model_b", "winner": "won", "tie": "tied", "neutral": "neutral"},
    "weights": {"first": "model_a", "second": "model_b", "winner": "won", "tie": "tied", "weight": "weight"},
    "counts": {"first": "model_a", "second": "model_b", "wins": ("wins_a", "wins_b", "even"), "neutral": "neutral"},
    "fractions": {"first": "model_a", "second": "model_b", "wins": ("weight", "wins_b")},
}
formed = pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)


def same_fits(model, reference):
    assert list(model.items) == list(reference.items)
    assert model.nobs == pytest.approx(reference.nobs, rel=1e-12)
    options = {"ties": "half", "order_effect": bool(reference._rows.home.any())}
    for robust in (
        {"cov_type": "nonrobust"},
        {"cov_type": "HC0"},
        {"cov_type": "cluster", "cov_kwds": {"groups": "user"}},
    ):
        one, two = model.fit(**options, **robust), reference.fit(**options, **robust)
        np.testing.assert_allclose(one.params, two.params, **CLOSE)
        np.testing.assert_allclose(one.cov_params(), two.cov_params(), **CLOSE)


@formed
@pytest.mark.parametrize("eager", EAGER.values(), ids=EAGER)
def test_frames_in_memory(eager, form):
    model = BradleyTerry.from_comparisons(eager(BATTLES), **form)
    assert len(model._data) == len(BATTLES)
    same_fits(model, BradleyTerry.from_comparisons(BATTLES, **form))


@formed
@lazily
def test_lazy_frames(lazy, form):
    model = BradleyTerry.from_comparisons(lazy(BATTLES), **form, keep=["user"])
    assert len(model._data) < len(BATTLES)
    same_fits(model, BradleyTerry.from_comparisons(BATTLES, **form))


@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # ibis calls functions of DuckDB that have new names
def test_ibis(tmp_path):
    BATTLES.to_parquet(tmp_path / "battles.parquet")
    table = ibis.duckdb.connect().read_parquet(tmp_path / "battles.parquet")
    model = BradleyTerry.from_comparisons(table, **FORMS["outcomes"], keep="user")
    same_fits(model, BradleyTerry.from_comparisons(BATTLES, **FORMS["outcomes"]))


@lazily
def test_groups_of_lazy_frames_come_in_the_same_order_each_time(lazy):
    """So the bootstrap draws the same groups."""
    shuffled = BATTLES.sample(frac=1.0, random_state=0, ignore_index=True)
    one, two = (
        BradleyTerry.from_comparisons(lazy(frame), **FORMS["outcomes"], keep=["user", "length"])
        for frame in (BATTLES, shuffled)
    )
    for name in ("winner", "loser", "tie", "home", "weight"):
        np.testing.assert_array_equal(getattr(one._rows, name), getattr(two._rows, name))
    pd.testing.assert_frame_equal(one._data, two._data)
    draws = [model.fit(ties="half").bootstrap(3, random_state=0, groups="user").params for model in (one, two)]
    pd.testing.assert_frame_equal(*draws)


def test_only_counts_come_to_memory():
    """A million games of three items."""
    games = pl.DataFrame({"a": ["x", "y", "z"], "b": ["y", "z", "x"], "who": ["a", "b", "tie"]})
    many = pl.concat([games] * 1000).lazy()
    model = BradleyTerry.from_comparisons(many, first="a", second="b", winner="who", tie="tie")
    assert model.nobs == 3000
    assert len(model._rows.winner) == len(model._data) == 3
    assert list(model._rows.weight) == [1000.0] * 3


@lazily
def test_kept_columns(lazy):
    model = BradleyTerry.from_comparisons(lazy(BATTLES), **FORMS["outcomes"], keep=["user", "length"])
    counts = model._data.assign(n=model._rows.weight).groupby(["user", "length"], observed=True)["n"].sum()
    expected = BATTLES.groupby(["user", "length"]).size()
    np.testing.assert_array_equal(counts, expected)
    assert [tuple(x) for x in counts.index] == [tuple(x) for x in expected.index]


@lazily
def test_missing_values_of_kept_columns_stay_missing(lazy):
    frame = BATTLES.assign(user=BATTLES["user"].where(BATTLES.index != 3))
    model = BradleyTerry.from_comparisons(lazy(frame), **FORMS["outcomes"], keep="user")
    assert model._data["user"].isna().sum() == 1
    with pytest.raises(InputError, match="groups is missing in a row; fill it in"):
        model.fit(ties="half", cov_type="cluster", cov_kwds={"groups": "user"})


@lazily
@pytest.mark.parametrize(
    "names",
    [
        dict(zip("pqrstu", [3, 10, 2, 5, 4, 1], strict=True)),
        dict(zip("pqrstu", pd.date_range("2020-01-06", periods=6)[::-1], strict=True)),
        dict(zip("pqrstu", [0.5, 10.0, 2.0, 5.0, 4.0, 1.5], strict=True)),
    ],
    ids=["integers", "dates", "numbers"],
)
def test_labels_that_are_not_text(lazy, names):
    """The winner is text, so it names a column."""
    renamed = BATTLES.assign(
        model_a=BATTLES["model_a"].map(names),
        model_b=BATTLES["model_b"].map(names),
        winner=np.where(BATTLES["tied"], "tie", np.where(BATTLES["won"] == BATTLES["model_a"], "model_a", "model_b")),
    )
    model = BradleyTerry.from_comparisons(lazy(renamed), first="model_a", second="model_b", winner="winner", tie="tie")
    assert list(model.items) == sorted(names.values())
    old = BradleyTerry.from_comparisons(BATTLES, **FORMS["outcomes"]).fit(ties="half").params
    params = model.fit(ties="half").params
    for letter, label in names.items():
        assert params[label] == pytest.approx(old[letter])


def test_categories_give_the_order_of_items():
    order = ["u", "unused", "t", "s", "r", "q", "p"]
    kind = pd.CategoricalDtype(order)
    categorical = BATTLES.astype({"model_a": kind, "model_b": kind})
    reference = BradleyTerry.from_comparisons(categorical, **FORMS["outcomes"])
    assert list(reference.items) == ["u", "t", "s", "r", "q", "p"]
    enums = pl.from_pandas(BATTLES).with_columns(pl.col("model_a", "model_b").cast(pl.Enum(order)))
    connection = duckdb.connect()
    connection.register("battles", BATTLES)
    connection.sql(f"create type item as enum {tuple(order)}")
    for frame in (
        enums,
        enums.lazy(),
        pa.Table.from_pandas(categorical),
        dd.from_pandas(categorical, npartitions=2),
        connection.sql("select * replace (model_a::item as model_a, model_b::item as model_b) from battles"),
    ):
        same_fits(BradleyTerry.from_comparisons(frame, **FORMS["outcomes"], keep="user"), reference)


def test_categories_of_polars_without_an_order_are_sorted():
    strings = pl.from_pandas(BATTLES).with_columns(pl.col("model_a", "model_b").cast(pl.Categorical))
    for frame in (strings, strings.lazy()):
        assert list(BradleyTerry.from_comparisons(frame, **FORMS["outcomes"]).items) == list("pqrstu")


def test_polars_does_not_need_pyarrow(monkeypatch):
    reference = BradleyTerry.from_comparisons(BATTLES, **FORMS["outcomes"])
    frame = pl.from_pandas(BATTLES).with_columns(chat=pl.lit([1, 2]))
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    monkeypatch.setattr(pl.DataFrame, "to_pandas", None)
    same_fits(BradleyTerry.from_comparisons(frame, **FORMS["outcomes"]), reference)
    same_fits(BradleyTerry.from_comparisons(frame.lazy(), **FORMS["outcomes"], keep="user"), reference)


def test_empty_partitions_of_dask():
    frame = dd.from_pandas(BATTLES, npartitions=4)
    frame = frame[frame["length"] > 1]
    model = BradleyTerry.from_comparisons(frame, **FORMS["outcomes"])
    assert model.nobs == (BATTLES["length"] > 1).sum()


OUTCOMES = {"first": "model_a", "second": "model_b", "winner": "winner"}


UNUSABLE = [
    ({"model_b": None}, FORMS["outcomes"], "^a row has no label for an item; fill it in, or drop the row.$"),
    ({"model_b": BATTLES["model_a"][350]}, FORMS["outcomes"], "^a row compares .* with itself; drop such rows.$"),
    (
        {"winner": "nobody"},
        FORMS["outcomes"],
        r"\('model_a' or 'model_b'\); a row has 'nobody' for . and .; recode",
    ),
    ({"winner": "nobody"}, OUTCOMES, "winner must be an item, .*; set tie to the values that are ties"),
    ({"winner": None}, FORMS["outcomes"], "^winner is missing in a row; fill it in, or drop the row.$"),
    ({"home": "z"}, FORMS["who went first"], "first must be one of the two items .* a row has 'z' for . and ."),
    ({"weight": -1.0}, FORMS["weights"], "weight must be a finite number >= 0 in each row, got -1 in a row; 0"),
    ({"weight": None}, FORMS["weights"], "got nan in a row"),
    ({"weight": np.inf}, FORMS["weights"], "got inf in a row"),
    ({"wins_a": -2}, FORMS["counts"], "wins must be finite numbers >= 0, got -2 in a row"),
    ({"length": 2}, OUTCOMES | {"tie": "length"}, "tie must be true or false .* got -?[23]"),
    ({}, OUTCOMES | {"tie": "length"}, "tie must be true or false .* got -?[23]"),
    ({}, FORMS["outcomes"] | {"neutral": "length"}, "neutral must be true or false .* got -?[23]"),
    ({}, FORMS["outcomes"] | {"neutral": "user"}, "neutral must hold real numbers, got String"),
    ({}, FORMS["outcomes"] | {"weight": "user"}, "weight must hold real numbers, got String"),
    ({}, OUTCOMES | {"winner": "winer"}, "winner must be one of the columns .* Did you mean 'winner'"),
    ({}, FORMS["outcomes"] | {"keep": ["usr"]}, "keep must be one of the columns .* Did you mean 'user'"),
    ({}, FORMS["outcomes"] | {"keep": 3}, "keep must be a list of names of columns, got 3"),
    ({}, OUTCOMES | {"winner": ["p"]}, "winner must be the name of a column, got list: arrays cannot be combined"),
    ({}, {"winner": "won"}, "loser is missing: give winner and loser, or first, second and winner, or"),
]


@pytest.mark.parametrize(
    ("lazy", "change", "form", "message"),
    # Dask is slow: a row with a missing value of each kind, and one with a wrong value.
    [(LAZY[name], *case) for name in ("polars", "duckdb") for case in UNUSABLE]
    + [(LAZY["dask"], *case) for case in UNUSABLE if None in case[0].values() or "wins_a" in case[0]],
)
def test_errors_of_lazy_frames(lazy, change, form, message):
    """The row is in the last part of the frame."""
    changed = BATTLES.astype({name: object for name in change})
    for name, label in change.items():
        changed.loc[350, name] = label
    changed = changed.astype({name: float for name in change if name in ("weight", "wins_a", "length")})
    with pytest.raises(InputError, match=message):
        BradleyTerry.from_comparisons(lazy(changed), **form)


@lazily
def test_lazy_frames_without_comparisons(lazy):
    form = FORMS["weights"]
    with pytest.raises(InputError, match="no comparison in the data"):
        BradleyTerry.from_comparisons(lazy(BATTLES[:0]), **FORMS["outcomes"])
    with pytest.raises(InputError, match="no comparison in the data"):
        BradleyTerry.from_comparisons(lazy(BATTLES[:0]), **form)
    with pytest.raises(InputError, match="weight is 0 in every row"):
        BradleyTerry.from_comparisons(lazy(BATTLES[BATTLES["weight"] == 0]), **form)
    nothing = BATTLES.assign(wins_a=0, wins_b=0, even=0)
    with pytest.raises(InputError, match="no comparison in the data"):
        BradleyTerry.from_comparisons(lazy(nothing), **FORMS["counts"])


def test_columns_that_were_not_kept():
    model = BradleyTerry.from_comparisons(LAZY["polars"](BATTLES), **FORMS["outcomes"])
    with pytest.raises(InputError) as caught:
        model.fit(ties="half", cov_type="cluster", cov_kwds={"groups": "user"})
    assert str(caught.value) == (
        "the comparisons were added up by pair, so the column 'user' is gone; pass keep=['user'] to from_comparisons."
    )
    with pytest.raises(InputError, match="'length' is neither .* added up by pair; .* in keep of from_comparisons"):
        model.fit(ties="half", contest="length")
    with pytest.raises(InputError, match="the column 'user' is gone"):
        model._select(np.arange(len(model._data)) > 3).fit(ties="half").bootstrap(5, groups="user")
    with pytest.raises(InputError, match="so groups cannot be an array with one entry for each of them; make it a"):
        model.fit(ties="half").bootstrap(5, groups=np.arange(400))


def test_keep_is_checked_in_memory_too():
    with pytest.raises(InputError, match=r"keep must be one of the columns .* Did you mean 'user'"):
        BradleyTerry.from_comparisons(BATTLES, **FORMS["outcomes"], keep=["usr"])


def test_weighted_rows_that_were_added_up_cannot_be_drawn():
    model = BradleyTerry.from_comparisons(LAZY["polars"](BATTLES), **FORMS["weights"], keep="user")
    with pytest.raises(InputError, match="rows with weights were added up by pair; give groups"):
        model.fit(ties="half").bootstrap(5)
    assert model.fit(ties="half").bootstrap(3, groups="user", random_state=0).n_units == 40


def test_what_is_no_frame():
    for data in ("games.csv", pl.Series([1]), [1, 2]):
        with pytest.raises(InputError, match="data must be a data frame with one row per comparison, got"):
            BradleyTerry.from_comparisons(data, "w", "l")


def test_pandas_needs_no_narwhals(monkeypatch):
    monkeypatch.setitem(sys.modules, "narwhals", None)
    assert frames.open_frame(BATTLES) is BATTLES
    BradleyTerry.from_comparisons(BATTLES, **FORMS["outcomes"])


# Columns that need no argument


def test_columns_of_arenas_need_no_arguments():
    reference = BradleyTerry.from_comparisons(BATTLES, **FORMS["outcomes"])
    arena = BATTLES[["model_a", "model_b", "winner", "user"]]
    for frame in (arena, *(lazy(arena) for lazy in LAZY.values())):
        model = BradleyTerry.from_comparisons(frame, keep="user")
        same_fits(model, reference)
        assert repr(model) == (
            "<BradleyTerry: 6 items, 400 comparisons, read with winner='winner', first='model_a', second='model_b'>"
        )
    both_bad = arena.replace({"winner": {"tie (bothbad)": "both_bad"}})
    same_fits(BradleyTerry.from_comparisons(both_bad), reference)


def test_every_habit_reads_its_columns():
    games = {"x": ["i", "j", "k"], "y": ["j", "k", "i"]}
    for habit in HABITS:
        frame = pd.DataFrame({name: [1, 0, 1] for name in _needed(habit)})
        one, two = (habit.winner, habit.loser) if habit.second is None else (habit.first, habit.second)
        frame[one], frame[two] = games["x"], games["y"]
        if habit.second is not None and habit.winner is not None:
            frame[habit.winner] = [one, two, habit.tie[0]]
        model = BradleyTerry.from_comparisons(frame)
        assert list(model.items) == ["i", "j", "k"]
        assert model._found.first == habit.first
        assert model._rows.tie.any() == (habit.tie is not None or len(habit.wins or ()) == 3)


def test_what_the_user_says_goes_before_habits():
    frame = BATTLES[["model_a", "model_b", "winner", "weight"]].replace({"winner": {"tie": "remis"}})
    with pytest.raises(InputError, match="'remis'"):
        BradleyTerry.from_comparisons(frame)
    model = BradleyTerry.from_comparisons(frame, tie=["remis", "tie (bothbad)"], weight="weight")
    assert model.nobs == pytest.approx(BATTLES["weight"].sum())
    assert "read with" not in repr(BradleyTerry.from_comparisons(BATTLES, **FORMS["outcomes"]))


def test_columns_without_a_habit():
    with pytest.raises(
        InputError,
        match=r"the columns \(won, lost\) do not tell which items met and who won; give winner and loser, or",
    ):
        BradleyTerry.from_comparisons(BATTLES[["won", "lost"]])
    several = BATTLES.assign(first=BATTLES["model_a"], second=BATTLES["model_b"])
    with pytest.raises(InputError) as caught:
        BradleyTerry.from_comparisons(several[["model_a", "model_b", "first", "second", "winner"]])
    assert str(caught.value) == (
        "the columns (model_a, model_b, first, second, winner) can be read in several ways; give one of them: "
        "winner='winner', first='model_a', second='model_b', or winner='winner', first='first', second='second'."
    )

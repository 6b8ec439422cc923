"""The largest part of the items whose abilities exist, and models of some rows."""

import warnings

import numpy as np
import pandas as pd
import polars as pl
import pytest

from pwcstats import BradleyTerry, InputError, LeftOutWarning

# a, b and c beat each other; d beats all, e loses to all, f and g met each other only.
GAMES = pd.DataFrame(
    {
        "w": ["a", "b", "c", "d", "d", "a", "b", "f", "g", "a", "c"],
        "l": ["b", "c", "a", "a", "b", "e", "e", "g", "f", "c", "b"],
        "user": [1, 1, 2, 2, 3, 3, 1, 2, 3, 1, 2],
    }
)


def part_of(model):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", LeftOutWarning)
        return model.largest()


def test_the_largest_part_is_that_of_its_games_alone():
    model = BradleyTerry.from_comparisons(GAMES, "w", "l")
    with pytest.warns(LeftOutWarning) as caught:
        part = model.largest()
    assert str(caught[0].message) == (
        "4 items of 7 and 6 of 11 comparisons are left out: the abilities of (d, e, f, g) relative to the other items "
        "would be infinite, or are unknown."
    )
    assert caught[0].filename == __file__
    assert list(part.items) == ["a", "b", "c"]
    assert list(part.left_out) == ["d", "e", "f", "g"]
    assert repr(part) == "<BradleyTerry: 3 items, 5 comparisons, 4 items left out>"
    inside = GAMES[GAMES["w"].isin(list("abc")) & GAMES["l"].isin(list("abc"))]
    alone = BradleyTerry.from_comparisons(inside, "w", "l")
    pd.testing.assert_series_equal(part.fit().params, alone.fit().params)
    with pytest.warns(match="has only 2 clusters"):
        one = part.fit(cov_type="cluster", cov_kwds={"groups": "user"})
    with pytest.warns(match="has only 2 clusters"):
        two = alone.fit(cov_type="cluster", cov_kwds={"groups": "user"})
    np.testing.assert_allclose(one.bse, two.bse, rtol=1e-12)
    # Arrays still have one entry for each row of the user's data.
    with pytest.warns(match="has only 2 clusters"):
        three = part.fit(cov_type="cluster", cov_kwds={"groups": GAMES["user"].to_numpy()})
    np.testing.assert_allclose(three.bse, one.bse, rtol=1e-12)


def test_nothing_is_left_out_if_nothing_has_to_be():
    model = BradleyTerry([[0, 2, 1], [1, 0, 2], [1, 1, 0]], items=list("xyz"))
    part = model.largest()
    assert list(part.items) == ["x", "y", "z"]
    assert len(part.left_out) == len(model.left_out) == 0
    assert repr(part) == repr(model)
    pd.testing.assert_series_equal(part.fit().params, model.fit().params)


def test_ties_count_in_both_directions():
    wins = pd.DataFrame(0, index=list("xyz"), columns=list("xyz"))
    wins.loc["x", "y"] = wins.loc["x", "z"] = 1
    ties = wins * 0
    ties.loc["y", "z"] = ties.loc["z", "y"] = 2
    part = part_of(BradleyTerry(wins, ties))
    assert list(part.items) == ["y", "z"]
    assert part.nobs == 2


def test_among_parts_of_one_size_the_one_with_most_comparisons_is_chosen():
    games = {"w": list("abcdcd"), "l": list("badcdc")}
    assert list(part_of(BradleyTerry.from_comparisons(games, "w", "l")).items) == ["c", "d"]


def test_parts_of_parts_remember_all_that_was_left_out():
    model = BradleyTerry.from_comparisons(GAMES, "w", "l")
    again = part_of(part_of(model)._select(np.array([True] * 9 + [False] * 2)))
    assert list(again.items) == ["a", "b", "c"]
    assert list(again.left_out) == ["d", "e", "f", "g"]


def test_lazy_frames_and_weights():
    frame = GAMES.assign(weight=2.0)
    lazy = part_of(BradleyTerry.from_comparisons(pl.from_pandas(frame).lazy(), "w", "l", weight="weight"))
    rows = part_of(BradleyTerry.from_comparisons(frame, "w", "l", weight="weight"))
    one, two = (model.fit(cov_type="HC0") for model in (lazy, rows))
    np.testing.assert_allclose(one.params, two.params, atol=1e-10)
    np.testing.assert_allclose(one.bse, two.bse, rtol=1e-10)
    assert lazy.nobs == rows.nobs == 10


def test_no_part_is_left():
    chain = BradleyTerry.from_comparisons({"w": list("abc"), "l": list("bcd")}, "w", "l")
    with pytest.raises(InputError, match="leads from an item to another and back; use method='firth' for finite"):
        chain.largest()
    apart = BradleyTerry.from_comparisons({"w": list("ac"), "l": list("bd")}, "w", "l")
    with pytest.raises(InputError, match="and back; use method='ridge' or method='ghost' for finite estimates of all"):
        apart.largest()


def test_errors_of_fit_lead_here():
    model = BradleyTerry.from_comparisons(GAMES, "w", "l")
    with pytest.raises(
        InputError, match=r"rank the largest group by itself \(model.largest\(\)\), or use method='ridge'"
    ):
        model.fit()
    connected = model._select(~GAMES["w"].isin(["f", "g"]).to_numpy())
    with pytest.raises(InputError, match=r"model.largest\(\) keeps the 3 items that can be fitted together"):
        connected.fit()


def test_models_of_some_rows():
    model = BradleyTerry.from_comparisons(GAMES, "w", "l")
    chosen = GAMES["user"].isin([1, 2]).to_numpy()
    part, alone = model._select(chosen), BradleyTerry.from_comparisons(GAMES[chosen], "w", "l")
    assert list(part.items) == list(alone.items) == list("abcdefg")
    assert part.nobs == alone.nobs
    pd.testing.assert_frame_equal(part._data, alone._data)
    np.testing.assert_array_equal(part._rows.winner, alone._rows.winner)
    np.testing.assert_array_equal(part._rows.units, alone._rows.units)
    three = model._select(GAMES["user"].to_numpy() == 3)
    assert list(three.items) == ["a", "b", "d", "e", "f", "g"]


def test_rows_of_weight_zero_and_counts():
    frame = GAMES.assign(weight=np.arange(11) % 3.0, zero=0)
    chosen = np.arange(11) > 2
    for form in (
        {"winner": "w", "loser": "l", "weight": "weight"},
        {"first": "w", "second": "l", "wins": ("weight", "zero")},
    ):
        part = BradleyTerry.from_comparisons(frame, **form)._select(chosen)
        alone = BradleyTerry.from_comparisons(frame[chosen], **form)
        np.testing.assert_array_equal(part._rows.units, alone._rows.units)
        np.testing.assert_array_equal(part._rows.weight, alone._rows.weight)
        assert part._rows.n_units == alone._rows.n_units == 8

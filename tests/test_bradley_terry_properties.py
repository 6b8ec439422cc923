"""Properties that hold for every set of comparisons."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from pwcstats import BradleyTerry, InputError

pytestmark = pytest.mark.slow

# Sums in another order have rounding errors, which the condition number of a small league multiplies.
ROUNDING = 1e-7


@st.composite
def leagues(draw):
    """Comparisons with labels, weights and ties for which the estimates exist."""
    n_items = draw(st.integers(2, 6))
    item = st.integers(0, n_items - 1)
    rows = draw(st.lists(st.tuples(item, item, st.booleans(), st.floats(0.1, 10)), min_size=2 * n_items, max_size=40))
    frame = pd.DataFrame(rows, columns=["winner", "loser", "tie", "weight"])
    frame = frame[frame["winner"] != frame["loser"]].reset_index(drop=True)
    # A cycle in both directions makes the graph strongly connected.
    circle = np.arange(n_items)
    around = pd.DataFrame({"winner": circle, "loser": np.roll(circle, 1), "tie": False, "weight": 1.0})
    back = around.rename(columns={"winner": "loser", "loser": "winner"})
    return pd.concat([frame, around, back], ignore_index=True)


def fit(frame, ties="half", **options):
    model = BradleyTerry.from_comparisons(frame, "winner", "loser", weight="weight", tie="tie")
    return model.fit(ties=ties, **options)


def same(one, other):
    np.testing.assert_allclose(one.params, other.params, rtol=0, atol=ROUNDING)
    np.testing.assert_allclose(one.bse, other.bse, rtol=ROUNDING, atol=ROUNDING)
    assert one.llf == pytest.approx(other.llf, rel=1e-9)
    assert one.deviance == pytest.approx(other.deviance, rel=1e-7, abs=1e-9)


@given(leagues(), st.randoms(use_true_random=False))
def test_order_of_rows_does_not_matter(frame, random):
    order = list(range(len(frame)))
    random.shuffle(order)
    same(fit(frame), fit(frame.iloc[order]))


@given(leagues(), st.floats(0.1, 0.9))
def test_a_row_may_be_split(frame, share):
    parts = pd.concat(
        [frame.assign(weight=share * frame["weight"]), frame.assign(weight=(1 - share) * frame["weight"])]
    )
    same(fit(frame), fit(parts))


@given(leagues(), st.permutations(range(6)))
def test_names_do_not_matter(frame, names):
    renamed = frame.assign(
        winner=frame["winner"].map(dict(enumerate(names))), loser=frame["loser"].map(dict(enumerate(names)))
    )
    one, other = fit(frame), fit(renamed)
    np.testing.assert_allclose(one.params, other.params[[names[k] for k in one.params.index]], rtol=0, atol=ROUNDING)


@given(leagues())
def test_expected_wins_are_observed_wins(frame):
    """The likelihood equations of Zermelo and Ford, for whole and half wins."""
    res = fit(frame)
    won = pd.Series(0.0, index=res.model.items)
    expected = won.copy()
    for row in frame.itertuples():
        won[row.winner] += row.weight * (0.5 if row.tie else 1)
        won[row.loser] += row.weight * (0.5 if row.tie else 0)
        p = res.predict(row.winner, row.loser)
        expected[row.winner] += row.weight * p
        expected[row.loser] += row.weight * (1 - p)
    np.testing.assert_allclose(won, expected, rtol=1e-8, atol=1e-8)


@given(leagues(), st.sampled_from(["mle", "firth"]))
def test_davidson_ties_are_observed_ties(frame, method):
    assume(0 < frame["tie"].sum())
    try:
        res = fit(frame, "davidson", method=method)
    except InputError:
        assume(False)
    ties = sum(row.weight * res.predict(row.winner, row.loser, outcome="tie") for row in frame.itertuples())
    if method == "mle":
        assert ties == pytest.approx(frame["weight"][frame["tie"]].sum(), rel=1e-6)
    else:
        assert np.isfinite(res.params).all()
        assert (res.bse > 0).all()


@given(leagues(), st.floats(0.01, 100))
def test_weights_scale_the_information(frame, factor):
    one, other = fit(frame), fit(frame.assign(weight=factor * frame["weight"]))
    np.testing.assert_allclose(one.params, other.params, rtol=0, atol=ROUNDING)
    np.testing.assert_allclose(one.bse, np.sqrt(factor) * other.bse, rtol=1e-6, atol=1e-9)


@given(leagues())
def test_reversing_all_outcomes_reverses_the_abilities(frame):
    turned = frame.rename(columns={"winner": "loser", "loser": "winner"})
    for method in ("mle", "firth"):
        np.testing.assert_allclose(fit(frame, method=method).params, -fit(turned, method=method).params, atol=ROUNDING)


@given(leagues())
def test_matrix_and_rows_say_the_same(frame):
    k = int(max(frame["winner"].max(), frame["loser"].max())) + 1
    wins, ties = np.zeros((k, k)), np.zeros((k, k))
    for row in frame.itertuples():
        if row.tie:
            ties[row.winner, row.loser] += row.weight
            ties[row.loser, row.winner] += row.weight
        else:
            wins[row.winner, row.loser] += row.weight
    same(fit(frame), BradleyTerry(wins, ties).fit(ties="half"))


@given(leagues())
def test_the_input_is_left_alone(frame):
    copy = frame.copy(deep=True)
    fit(frame)
    pd.testing.assert_frame_equal(frame, copy)
    wins = np.ones((3, 3))
    BradleyTerry(wins).fit()
    np.testing.assert_array_equal(wins, np.ones((3, 3)))

"""Properties that hold for every r, tested by hypothesis."""

import numpy as np
from hypothesis import assume, given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from pwcstats import couple
from pwcstats.coupling import METHODS
from pwcstats.coupling.methods import TABLE

from . import reference

CLIP = 1e-7
# r near its clip is known to 1e-16 / 1e-7 only; results that depend on it are known to about this.
NEAR_THE_CLIP = 1e-8


def condensed(low=2, high=8, elements=None):
    """One condensed row of r for some number of classes, with exact 0, 1/2 and 1 among the values."""
    values = st.one_of(st.floats(0, 1), st.sampled_from([0.0, 0.5, 1.0])) if elements is None else elements
    return st.integers(low, high).flatmap(
        lambda k: st.tuples(st.just(k), arrays(np.float64, k * (k - 1) // 2, elements=values))
    )


def call(r, method, mass):
    return couple(r, method, pair_mass=mass if TABLE[method].uses_pair_mass else None)


@given(condensed(), st.sampled_from(METHODS), st.randoms(use_true_random=False))
def test_permuting_classes_permutes_p(case, method, random):
    k, row = case
    r = reference.full(row, k)
    if method == "rv":
        sums = np.sort(reference.row_sums(np.clip(r, CLIP, 1 - CLIP)))
        assume(sums[-1] - sums[-2] > 1e-9)
    order = random.sample(range(k), k)
    mass = np.add.outer(np.arange(1.0, k + 1), np.arange(1.0, k + 1))
    permuted = call(r[np.ix_(order, order)], method, mass[np.ix_(order, order)])
    np.testing.assert_allclose(permuted, call(r, method, mass)[order], rtol=0, atol=NEAR_THE_CLIP)


@given(condensed(), st.sampled_from(METHODS))
def test_p_is_a_distribution(case, method):
    k, row = case
    p = call(reference.full(row, k), method, np.ones((k, k)))
    assert abs(p.sum() - 1) < 1e-14
    assert (p >= 0).all()
    if TABLE[method].clips:
        assert (p > 0).all()


@given(condensed())
def test_ht_has_the_order_of_the_row_sums(case):
    k, row = case
    r = np.clip(reference.full(row, k), CLIP, 1 - CLIP)
    p, sums = couple(r, "ht"), reference.row_sums(r)
    for i in range(k):
        for j in range(k):
            if sums[i] - sums[j] > 1e-9:
                assert p[i] > p[j]


@given(condensed(elements=st.sampled_from([0.0, 1.0])), st.sampled_from([CLIP, 0.0]))
def test_votes_give_the_class_of_max_wins(case, clip):
    _, row = case
    p = couple(row, "ht", condensed=True, clip=clip)
    wins = couple(row, "vote", condensed=True)
    np.testing.assert_array_equal(np.isclose(p, p.max(), rtol=1e-6), wins == wins.max())


@given(
    condensed(elements=st.one_of(st.floats(1e-3, 1 - 1e-3), st.sampled_from([0.0, 1.0]))),
    st.sampled_from(["ht", "wlw1", "wlw2"]),
)
def test_exact_limits_are_limits(case, method):
    """The result of clip=0 is the limit of smaller and smaller clips; other values of r are far from the clip."""
    k, row = case
    exact = couple(row, method, condensed=True, clip=0)
    for clip in (1e-5, 1e-7, 1e-9):
        near = couple(row, method, condensed=True, clip=clip)
        # Each pair with r = 1e-3 may multiply errors by 1e3.
        np.testing.assert_allclose(near, exact, rtol=0, atol=clip * 1e3 * k**2)


@given(condensed(), st.lists(st.floats(1e-3, 1e3), min_size=28, max_size=28))
def test_weighted_ht_solves_its_score_equations(case, weights):
    k, row = case
    n = np.zeros((k, k))
    n[np.triu_indices(k, 1)] = weights[: len(row)]
    n += n.T
    r = reference.full(row, k)
    result = couple(r, "ht", n=n, return_info=True)
    assert result.converged
    assert np.abs(reference.score(r, result.proba, n)).max() < 1e-10

"""What Wu, Lin & Weng (2003) say about the methods: the relations (13) to (16), and Theorem 3."""

import numpy as np
import pytest

from pwcstats import couple

from . import reference

# Minima of quadratic forms by a general solver, for numbers of size 1.
ROUNDING = 1e-11
SIZES = [3, 4, 7, 12]


def random_r(k, seed, n=25):
    rng = np.random.default_rng(seed)
    return [reference.full(rng.uniform(0.02, 0.98, k * (k - 1) // 2), k) for _ in range(n)]


def compatible(k, seed, n=25):
    p = np.random.default_rng(seed).dirichlet(np.ones(k), n)
    return [(row, row[:, None] / (row[:, None] + row)) for row in p]


def minimum(residuals, k):
    """The p with sum 1 that has the least sum of squares of residuals, which are linear in p: their KKT conditions."""
    constant = residuals(np.zeros(k))
    slopes = np.array([residuals(unit) - constant for unit in np.eye(k)]).T
    system = np.zeros((k + 1, k + 1))
    system[:k, :k] = slopes.T @ slopes
    system[:k, k] = system[k, :k] = 1
    return np.linalg.solve(system, np.append(-slopes.T @ constant, 1.0))[:k]


def residuals_13(r):
    k = len(r)
    return lambda p: np.array([sum(r[i, j] / k - p[i] / 2 for j in reference.others(i, k)) for i in range(k)])


def residuals_14(r):
    k = len(r)
    return lambda p: np.array([sum(r[i, j] * p[j] - r[j, i] * p[i] for j in reference.others(i, k)) for i in range(k)])


def residuals_15(r):
    k = len(r)
    return lambda p: np.array([r[i, j] * p[j] - r[j, i] * p[i] for i in range(k) for j in reference.others(i, k)])


def residuals_16(r):
    return residuals_15(np.where(np.isnan(r), np.nan, r > 0.5))


@pytest.mark.parametrize("k", SIZES)
class TestRelations:
    def test_13_gives_the_sums_and_so_the_class_of_ht(self, k):
        for r in random_r(k, 13):
            p = minimum(residuals_13(r), k)
            np.testing.assert_allclose(p, couple(r, "sum"), rtol=0, atol=ROUNDING)
            np.testing.assert_array_equal(np.argsort(p), np.argsort(couple(r, "ht")))

    def test_14_gives_wlw1_and_is_0_there(self, k):
        for r in random_r(k, 14):
            p = minimum(residuals_14(r), k)
            np.testing.assert_allclose(p, couple(r, "wlw1"), rtol=0, atol=ROUNDING)
            np.testing.assert_allclose(residuals_14(r)(couple(r, "wlw1")), 0, atol=ROUNDING)

    def test_15_gives_wlw2(self, k):
        for r in random_r(k, 15):
            np.testing.assert_allclose(minimum(residuals_15(r), k), couple(r, "wlw2"), rtol=0, atol=ROUNDING)

    def test_16_gives_c_over_the_defeats_and_so_the_class_of_the_votes(self, k):
        """If each class is beaten; a class that beats all others has p = 1, as their footnote says."""
        sure = [reference.full(np.maximum(r[np.triu_indices(k, 1)], 0.6), k) for r in random_r(k, 18, n=5)]
        n_beaten = 0
        for r in [*sure, *random_r(k, 16, n=60)]:
            votes = couple(r, "vote")
            defeats = (k - 1) * (1 - votes * k / 2)
            if defeats.min() > 0.5:
                n_beaten += 1
                p = minimum(residuals_16(r), k)
                np.testing.assert_allclose(p, (1 / defeats) / (1 / defeats).sum(), rtol=0, atol=ROUNDING)
            else:
                p = np.eye(k)[votes.argmax()]
                np.testing.assert_array_equal(residuals_16(r)(p), 0)
            np.testing.assert_allclose(votes[p > p.max() - ROUNDING], votes.max(), rtol=0, atol=ROUNDING)
        assert 5 < n_beaten <= 60

    def test_13_is_14_for_equal_p_and_r(self, k):
        """They let p_j be 1/k and r_ji be 1/2 in (14)."""
        for r in random_r(k, 17, n=5):
            p = np.random.default_rng(0).dirichlet(np.ones(k))
            replaced = [sum(r[i, j] * (1 / k) - 0.5 * p[i] for j in reference.others(i, k)) for i in range(k)]
            np.testing.assert_allclose(residuals_13(r)(p), replaced, rtol=0, atol=1e-15)


def satisfies_theorem_3(r):
    """For each i there are s and j with r_si r_js / r_is other than r_ji r_sj / r_ij.

    The text has r_sj and r_js in each other's place. So printed, compatible r satisfy the condition too, although their
    Q is singular.
    """
    k = len(r)
    return all(
        any(
            abs(r[s, i] * r[j, s] / r[i, s] - r[j, i] * r[s, j] / r[i, j]) > 1e-9
            for s in reference.others(i, k)
            for j in reference.others(i, k)
            if s != j
        )
        for i in range(k)
    )


def as_printed(r, i, s, j):
    return abs(r[s, i] * r[s, j] / r[i, s] - r[j, i] * r[j, s] / r[i, j]) > 1e-9


@pytest.mark.parametrize("k", SIZES)
class TestTheorem3:
    def test_q_is_positive_definite(self, k):
        for r in random_r(k, 3):
            assert satisfies_theorem_3(r)
            assert np.linalg.eigvalsh(reference.wlw2_matrix(r)).min() > 1e-6

    def test_q_of_compatible_pairs_is_singular_and_wlw2_is_its_null_vector(self, k):
        for p, r in compatible(k, 3):
            assert not satisfies_theorem_3(r)
            q = reference.wlw2_matrix(r, clip=0)
            np.testing.assert_allclose(q @ p, 0, atol=1e-15)
            np.testing.assert_allclose(couple(r, "wlw2", clip=0), p, rtol=0, atol=ROUNDING)

    def test_the_printed_condition_does_not_do(self, k):
        _, r = compatible(k, 4, n=1)[0]
        assert all(as_printed(r, i, (i + 1) % k, (i + 2) % k) for i in range(k))
        assert abs(np.linalg.eigvalsh(reference.wlw2_matrix(r)).min()) < 1e-15

"""couple(): correct results, shapes, labels and memory layouts."""

import itertools
import tracemalloc
import warnings

import numpy as np
import pandas as pd
import pytest

from pwcstats import ConvergenceWarning, couple
from pwcstats._kernels.threads import chunks, over_samples
from pwcstats.coupling import METHODS
from pwcstats.coupling.methods import TABLE

from . import reference

# Direct solutions: rounding of K^3 operations on numbers of size 1.
ROUNDING = 1e-13
# Accuracy of the slow reference implementations.
REFERENCE = 1e-10
# Promised: compatible r give p back.
COMPATIBLE = 1e-9
# Promised: the score equations of ht.
SCORE = 1e-10

# What `converged` promises for log p if rounding ends the iteration.
LAST_STEP = 1e-6

# These return p for compatible r.
RECOVERING = ("ht", "wlw1", "wlw2", "logit", "pkpd", "rv")
WITHOUT_MASS = [row.name for row in TABLE.values() if not row.uses_pair_mass]
CIRCLE = np.array([[0.0, 0.9, 0.4], [0.1, 0.0, 0.7], [0.6, 0.3, 0.0]])


def compatible(p):
    """Full r of class probabilities, one row a sample."""
    p = np.atleast_2d(p)
    return p[:, :, None] / (p[:, :, None] + p[:, None, :])


def random_pairs(n_classes, n_samples, seed=0, low=0.02):
    rng = np.random.default_rng(seed)
    return rng.uniform(low, 1 - low, (n_samples, n_classes * (n_classes - 1) // 2))


def in_full(condensed, n_classes):
    return np.array([reference.full(row, n_classes) for row in condensed])


def mass_of(p):
    return p[..., :, None] + p[..., None, :]


REFERENCES = {
    "ht": (reference.ht_sweep, REFERENCE),
    "wlw1": (reference.wlw1_chain, ROUNDING),
    "wlw2": (reference.wlw2_kkt, ROUNDING),
    "logit": (reference.logit_least_squares, ROUNDING),
    "pkpd": (reference.pkpd, ROUNDING),
    "rv": (reference.rv, ROUNDING),
    "vote": (reference.vote, ROUNDING),
    "sum": (reference.row_sums, ROUNDING),
}


class TestCorrectResults:
    def test_hastie_and_tibshiranis_example(self):
        np.testing.assert_allclose(couple(CIRCLE, "ht"), [0.48107, 0.24164, 0.27729], rtol=0, atol=1e-5)

    @pytest.mark.parametrize("method", RECOVERING)
    @pytest.mark.parametrize("n_classes", range(2, 41))
    def test_compatible_pairs_give_p_back(self, method, n_classes):
        p = np.random.default_rng(n_classes).dirichlet(np.ones(n_classes), 25)
        np.testing.assert_allclose(couple(compatible(p), method), p, rtol=0, atol=COMPATIBLE)

    @pytest.mark.parametrize("method", REFERENCES)
    @pytest.mark.parametrize("n_classes", [2, 3, 4, 7, 12])
    def test_equals_its_slow_reference(self, method, n_classes):
        slow, tolerance = REFERENCES[method]
        r = random_pairs(n_classes, 20)
        expected = [slow(reference.full(row, n_classes)) for row in r]
        np.testing.assert_allclose(couple(r, method, condensed=True), expected, rtol=0, atol=tolerance)

    @pytest.mark.parametrize("method", ["wlw1", "wlw2", "logit", "pkpd", "rv", "sum"])
    def test_small_probabilities_are_accurate(self, method):
        """Relative agreement, not only absolute, if r is near 0 and 1."""
        r = 1 / (1 + np.exp(-np.random.default_rng(3).normal(scale=9, size=(40, 10))))
        exact = {"wlw1": reference.wlw1_chain, "wlw2": reference.wlw2_algorithm1}.get(method, REFERENCES[method][0])
        expected = np.array([exact(reference.full(row, 5)) for row in r])
        np.testing.assert_allclose(couple(r, method, condensed=True), expected, rtol=1e-6, atol=0)

    def test_wlw2_is_exact_beside_sure_losers(self):
        """Against rational arithmetic, with r down to 1e-15 and no clip: six digits of every class, all positive."""
        rng = np.random.default_rng(0)
        r = np.where(rng.uniform(size=(40, 6)) < 0.5, rng.uniform(size=(40, 6)), 10.0 ** rng.uniform(-15, -1, (40, 6)))
        p = couple(r, "wlw2", condensed=True, clip=0)
        assert (p > 0).all()
        expected = [reference.wlw2_exact(reference.full(row, 4)) for row in r]
        assert np.min(expected) < 1e-12
        np.testing.assert_allclose(p, expected, rtol=1e-6)

    def test_wlw2_is_the_limit_of_algorithm_1(self):
        r = random_pairs(5, 10)
        expected = [reference.wlw2_algorithm1(reference.full(row, 5)) for row in r]
        np.testing.assert_allclose(couple(r, condensed=True), expected, rtol=0, atol=1e-11)

    @pytest.mark.parametrize("spread", [1, 100, 1e6])
    def test_weighted_ht_equals_the_sweep(self, spread):
        rng = np.random.default_rng(5)
        for n_classes in (3, 6):
            r = reference.full(random_pairs(n_classes, 1, seed=n_classes)[0], n_classes)
            n = np.exp(rng.uniform(0, np.log(spread), (n_classes, n_classes)))
            n += n.T
            np.testing.assert_allclose(couple(r, "ht", n=n), reference.ht_sweep(r, n), rtol=0, atol=1e-9)

    @pytest.mark.parametrize("kind", ["moderate", "near 0 and 1", "votes", "a ladder of votes"])
    def test_ht_solves_the_score_equations(self, kind):
        rng = np.random.default_rng(8)
        for n_classes in (2, 3, 6, 15, 40):
            size = (12, n_classes * (n_classes - 1) // 2)
            r = {
                "moderate": rng.uniform(size=size),
                "near 0 and 1": 1 / (1 + np.exp(-rng.normal(scale=12, size=size))),
                "votes": rng.integers(0, 2, size).astype(float),
                "a ladder of votes": np.ones(size),
            }[kind]
            n = rng.exponential(size=size[1])
            weights = np.zeros((n_classes, n_classes))
            weights[np.triu_indices(n_classes, 1)] = n
            result = couple(r, "ht", condensed=True, n=n, return_info=True)
            assert result.converged.all()
            for row, p in zip(r, result.proba, strict=True):
                left = reference.score(reference.full(row, n_classes), p, weights + weights.T)
                assert np.abs(left).max() < SCORE

    def test_incomplete_designs(self):
        """A chain of four classes: only neighbours are compared, so the ratios are exact; other r may be missing."""
        r = np.full((4, 4), np.nan)
        n = np.zeros((4, 4))
        for i, value in enumerate([0.6, 0.7, 0.8]):
            r[i, i + 1], r[i + 1, i] = value, 1 - value
            n[i, i + 1] = n[i + 1, i] = 10.0 ** (3 * i)
        p = couple(r, "ht", n=n)
        np.testing.assert_allclose(p[:-1] / p[1:], [0.6 / 0.4, 0.7 / 0.3, 0.8 / 0.2], rtol=1e-10)

    def test_incomplete_design_with_a_circle(self):
        rng = np.random.default_rng(4)
        r = reference.full(rng.uniform(0.1, 0.9, 15), 6)
        n = np.where(rng.uniform(size=(6, 6)) < 0.4, 0.0, rng.uniform(1, 9, (6, 6)))
        n = np.triu(n, 1) + np.triu(n, 1).T
        n[0, 1:] = n[1:, 0] = 1
        np.testing.assert_allclose(couple(r, "ht", n=n), reference.ht_by_optimizer(r, n), rtol=0, atol=1e-7)

    @pytest.mark.parametrize("ratio", [1e10, 1e14, 1e20, 1e30, 1e100])
    def test_weights_of_very_different_size(self, ratio):
        """A chain 0 - 2 - 1: the ratios follow from two pairs for any weights, or there is a warning."""
        n = np.array([[0, 0, 1], [0, 0, ratio], [1, ratio, 0]])
        for r in (CIRCLE, CIRCLE.T):
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always")
                p = couple(r, "ht", n=n)
            if caught:
                assert ratio > 1e30
                assert "n differ by too many orders of magnitude" in str(caught[0].message)
            else:
                found, exact = [p[0] / p[2], p[1] / p[2]], [r[0, 2] / r[2, 0], r[1, 2] / r[2, 1]]
                np.testing.assert_allclose(found, exact, rtol=1e-9 if ratio < 1e50 else LAST_STEP)

    @pytest.mark.parametrize("link", [1e-12, 1e-13, 1e-14, 1e-15, 1e-16, 1e-17, 1e-18])
    @pytest.mark.parametrize("noise", [3e-8, 3e-7, 1e-3])
    def test_weak_link_of_groups_that_almost_agree(self, link, noise):
        """The first steps are short here, but their rounding errors may be larger than the link."""
        for seed in range(6):
            rng = np.random.default_rng(seed)
            p = rng.dirichlet(np.ones(6))
            r = p[:, None] / (p[:, None] + p)
            r = r + noise * np.triu(rng.uniform(-1, 1, (6, 6)), 1)
            n = np.kron(np.eye(2), np.ones((3, 3)))
            r[1, 4], n[1, 4], n[4, 1] = 0.7, link, link
            r = np.triu(r, 1) + np.tril(1 - r.T, -1)
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                result = couple(r, "ht", n=n, clip=0, return_info=True)
            assert result.converged or link < 1e-15
            if result.converged:
                assert result.proba[1] / result.proba[4] == pytest.approx(7 / 3, rel=1e-9)

    @pytest.mark.parametrize("link", [1e-4, 1e-8, 1e-12, 1e-16, 1e-20, 1e-30, 1e-100, 1e-300])
    def test_two_groups_joined_by_a_weak_link(self, link):
        """Two incompatible circles and one pair between them: its ratio is exact, or there is a warning."""
        r, n = np.full((6, 6), 0.5), np.zeros((6, 6))
        r[:3, :3], r[3:, 3:], n[:3, :3], n[3:, 3:] = CIRCLE, CIRCLE.T, 1, 1
        r[0, 3], r[3, 0], n[0, 3], n[3, 0] = 0.9, 0.1, link, link
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            result = couple(r, "ht", n=n, return_info=True)
        assert np.isfinite(result.proba).all()
        assert result.converged == (not caught)
        if result.converged:
            assert result.proba[0] / result.proba[3] == pytest.approx(9, rel=1e-9)
        else:
            assert link < 1e-16

    @pytest.mark.parametrize("scale", [1e-307, 1e-300, 1e-30, 1e30, 1e307])
    def test_only_ratios_of_weights_matter(self, scale):
        r, n = random_pairs(5, 7), 2.0 ** np.random.default_rng(0).integers(0, 3, 10)
        for method, name in (("ht", "n"), ("bayes", "pair_mass")):
            ones = couple(r, method, condensed=True, **{name: n})
            np.testing.assert_allclose(couple(r, method, condensed=True, **{name: n * scale}), ones, rtol=1e-12)

    def test_weights_of_each_sample(self):
        r, n = random_pairs(4, 30), np.random.default_rng(1).uniform(1, 9, (30, 6))
        one_by_one = [couple(a, "ht", n=b, condensed=True) for a, b in zip(r, n, strict=True)]
        np.testing.assert_array_equal(couple(r, "ht", n=n, condensed=True), one_by_one)
        in_matrices = in_full(n, 4)
        for i, j in itertools.combinations(range(4), 2):
            in_matrices[:, j, i] = in_matrices[:, i, j]
        np.testing.assert_array_equal(couple(in_full(r, 4), "ht", n=in_matrices), one_by_one)

    def test_votes_are_halved_at_one_half(self):
        r = reference.full([0.5, 0.7, 0.2], 3)
        np.testing.assert_allclose(couple(r, "vote"), np.array([1.5, 0.5, 1.0]) / 3)

    def test_sulzmanns_theorem_1(self):
        p = np.random.default_rng(2).dirichlet(np.ones(6), 20)
        np.testing.assert_allclose(couple(compatible(p), "bayes", pair_mass=mass_of(p)), p, rtol=0, atol=1e-15)

    def test_bayes_equals_its_slow_reference(self):
        rng = np.random.default_rng(6)
        r, p = in_full(random_pairs(5, 8), 5), rng.dirichlet(np.ones(5), 8)
        expected = [reference.bayes(a, m) for a, m in zip(r, mass_of(p), strict=True)]
        np.testing.assert_allclose(couple(r, "bayes", pair_mass=mass_of(p)), expected, rtol=0, atol=ROUNDING)

    def test_wlw1_is_bayes_with_its_own_mass(self):
        r = in_full(random_pairs(7, 20), 7)
        p = couple(r, "wlw1")
        np.testing.assert_allclose(couple(r, "bayes", pair_mass=mass_of(p)), p, rtol=0, atol=1e-14)

    def test_sulzmanns_weighted_votes(self):
        np.testing.assert_allclose(3 * couple([0.6, 0.6, 0.9], "sum", condensed=True), [1.2, 1.3, 0.5], rtol=1e-14)

    def test_order_is_that_of_the_row_sums(self):
        r = random_pairs(8, 200)
        np.testing.assert_array_equal(
            np.argsort(couple(r, "ht", condensed=True)), np.argsort(couple(r, "sum", condensed=True))
        )


class TestInfo:
    @pytest.mark.parametrize("method", [m for m in WITHOUT_MASS if m != "vote"])
    def test_kl_is_what_is_left(self, method):
        r = random_pairs(4, 6)
        result = couple(r, method, condensed=True, return_info=True)
        expected = [reference.kl(reference.full(a, 4), p) for a, p in zip(r, result.proba, strict=True)]
        np.testing.assert_allclose(result.kl, expected, rtol=1e-12)
        assert result.converged.all()
        assert (result.n_iter > 0).all() == TABLE[method].iterates

    def test_weighted_kl(self):
        r, n = reference.full([0.6, 0.6, 0.9], 3), np.array([[0, 2, 0.5], [2, 0, 7], [0.5, 7, 0]])
        result = couple(r, "ht", n=n, return_info=True)
        assert result.kl == pytest.approx(reference.kl(r, result.proba, n), rel=1e-12)

    def test_kl_of_each_samples_weights(self):
        r, n = random_pairs(3, 5), np.random.default_rng(0).uniform(1, 9, (5, 3))
        result = couple(r, "ht", n=n, condensed=True, return_info=True)
        for a, b, p, kl in zip(r, n, result.proba, result.kl, strict=True):
            assert kl == pytest.approx(reference.kl(reference.full(a, 3), p, reference.symmetric(b, 3)), rel=1e-11)

    @pytest.mark.parametrize("method", ["ht", "wlw2"])
    def test_kl_is_of_the_clipped_pairs(self, method):
        r = reference.full([1, 0.3, 0.4], 3)
        result = couple(r, method, clip=0.01, return_info=True)
        assert result.kl == pytest.approx(reference.kl(r, result.proba, clip=0.01), rel=1e-11)

    @pytest.mark.parametrize("method", ["ht", "wlw1"])
    def test_kl_of_classes_that_are_ruled_out(self, method):
        """A circle of votes above two losers: only 3 pairs count, with mu = 1/2 and r = 1."""
        r = reference.full([1, 0, 1, 1, 1, 1, 1, 1, 1, 0.3], 5)
        assert couple(r, method, clip=0, return_info=True).kl == pytest.approx(3 * np.log(2), rel=1e-12)

    def test_kl_if_probabilities_underflow(self):
        """A ladder of 100 sure wins: the lowest class has 1e-390, and its pairs still have a distance."""
        kl = [couple(np.ones(k * (k - 1) // 2), "ht", condensed=True, return_info=True).kl for k in (60, 80, 100)]
        assert 0.03 < kl[0] < kl[1] < kl[2] < 0.2

    def test_steps_are_counted(self):
        assert couple(compatible(np.array([0.5, 0.3, 0.2])), "ht", return_info=True).n_iter[0] <= 2
        assert 3 <= couple(CIRCLE, "ht", return_info=True).n_iter <= 6

    def test_ht_has_the_least_kl(self):
        r = random_pairs(6, 50)
        kl = {m: couple(r, m, condensed=True, return_info=True).kl for m in RECOVERING}
        for method in RECOVERING[1:]:
            assert (kl["ht"] <= kl[method]).all()

    def test_kl_of_compatible_pairs_is_zero(self):
        p = np.random.default_rng(0).dirichlet(np.ones(5), 10)
        kl = couple(compatible(p), "ht", return_info=True).kl
        assert ((kl >= 0) & (kl < 1e-14)).all()

    def test_a_vote_that_rules_out_what_r_allows(self):
        assert couple([0.9, 0.8, 0.7], "vote", condensed=True, return_info=True).kl == np.inf

    def test_one_sample_has_scalars(self):
        result = couple(CIRCLE, "ht", return_info=True)
        assert result.proba.shape == (3,)
        assert [type(x) for x in result[1:]] == [float, int, bool]
        assert result.converged

    def test_a_warning_says_what_did_not_converge(self):
        """A ladder of 200 sure wins: the lowest class would have a probability of 1e-600."""
        with pytest.warns(ConvergenceWarning, match=r"ht did not converge: .*raise clip, ask for the exact limit"):
            result = couple(np.ones(200 * 199 // 2), "ht", condensed=True, return_info=True)
        assert result.converged is False
        assert result.proba.argmax() == 0
        assert couple(np.ones(200 * 199 // 2), "ht", condensed=True, clip=0)[0] == 1.0


class TestLayouts:
    @pytest.mark.parametrize("method", WITHOUT_MASS)
    def test_full_condensed_and_every_memory_order_agree(self, method):
        r = random_pairs(5, 37)
        expected = couple(r, method, condensed=True)
        assert expected.shape == (37, 5)
        cube = in_full(r, 5)
        cube[:, range(5), range(5)] = np.nan
        wide = np.full((37, 20), np.nan)
        wide[:, ::2] = r
        for same, condensed in (
            (np.asfortranarray(r), True),
            (wide[:, ::2], True),
            (r[::-1][::-1], True),
            (cube, False),
            (np.asfortranarray(cube), False),
            (np.moveaxis(np.ascontiguousarray(np.moveaxis(cube, 0, 2)), 2, 0), False),
            (cube.tolist(), False),
        ):
            np.testing.assert_array_equal(couple(same, method, condensed=condensed), expected)

    def test_memory_orders_in_turns(self):
        """Each call must use the kernel that was compiled for its memory order."""
        r = random_pairs(3, 4)
        expected = couple(r, condensed=True)
        for _ in range(50):
            np.testing.assert_array_equal(couple(np.asfortranarray(r), condensed=True), expected)
            np.testing.assert_array_equal(couple(r.copy(), condensed=True), expected)

    @pytest.mark.parametrize("method", METHODS)
    def test_a_sample_has_the_same_bits_alone_in_a_batch_and_on_threads(self, method):
        r = random_pairs(10, 5000, low=0)
        i, j = np.triu_indices(10, 1)
        r[::7] = 1 / (1 + np.exp(4.0 * (i - j)))  # some steep samples, with probabilities down to 1e-16
        assert len(chunks(5000, 10, 3)) > 3
        more = {"clip": 1e-14, "pair_mass": np.ones(45) if TABLE[method].uses_pair_mass else None}
        batch = couple(r, method, condensed=True, **more)
        np.testing.assert_array_equal(couple(r, method, condensed=True, n_jobs=3, **more), batch)
        for s in (0, 1, 7, 2049, 4998, 4999):
            np.testing.assert_array_equal(couple(r[s], method, condensed=True, **more), batch[s])

    def test_an_error_on_a_thread_is_raised(self):
        def fail(first, stop):
            if first > 0:
                raise RuntimeError("on a thread")

        with pytest.raises(RuntimeError, match="on a thread"):
            over_samples(fail, 5000, 10, 2)

    def test_the_input_stays_as_it_is(self):
        r, n = in_full(np.eye(6), 4), np.ones((4, 4))
        before = r.copy()
        couple(r, "ht", n=n)
        np.testing.assert_array_equal(r, before)
        assert r.flags.writeable
        assert n.flags.writeable
        condensed_n = np.ones((6, 6))
        couple(np.eye(6), "ht", n=condensed_n, condensed=True)
        assert condensed_n.flags.writeable

    def test_read_only_input(self):
        r = random_pairs(3, 4)
        expected = couple(r, condensed=True)
        r.flags.writeable = False
        np.testing.assert_array_equal(couple(r, condensed=True), expected)

    @pytest.mark.parametrize("shape", [(0, 4, 4), (0, 6)])
    @pytest.mark.parametrize("method", WITHOUT_MASS)
    def test_empty_batch(self, shape, method):
        result = couple(np.empty(shape), method, condensed=len(shape) == 2, return_info=True)
        assert result.proba.shape == (0, 4)
        assert len(result.kl) == len(result.n_iter) == len(result.converged) == 0

    @pytest.mark.parametrize("dtype", [np.int64, bool, object, np.float32])
    def test_other_types(self, dtype):
        r = np.array([[0, 1, 1], [0, 0, 0], [0, 1, 0]])
        np.testing.assert_array_equal(couple(r.astype(dtype), "wlw1"), couple(r.astype(float), "wlw1"))

    @pytest.mark.parametrize("method", [m for m in WITHOUT_MASS if m != "vote"])
    def test_two_classes(self, method):
        np.testing.assert_allclose(couple([[0, 0.3], [0.7, 0]], method), [0.3, 0.7], rtol=1e-15)

    @pytest.mark.parametrize("method", ["wlw2", "ht"])
    def test_a_condensed_call_makes_no_large_copies(self, method):
        r = random_pairs(10, 40_000)
        couple(r[:32], method, condensed=True)
        tracemalloc.start()
        try:
            p = couple(r, method, condensed=True)
            peak = tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()
        # The input was allocated before, so it is added to the peak.
        assert peak + r.nbytes < 1.5 * (r.nbytes + p.nbytes)


class TestLabels:
    classes = ("setosa", "versicolor", "virginica")

    def test_matrix_frame(self):
        frame = pd.DataFrame(CIRCLE, index=self.classes, columns=self.classes)
        p = couple(frame, "ht")
        assert isinstance(p, pd.Series)
        assert tuple(p.index) == self.classes
        np.testing.assert_array_equal(p, couple(CIRCLE, "ht"))
        shuffled = frame.loc[[self.classes[i] for i in (2, 0, 1)]]
        pd.testing.assert_series_equal(couple(shuffled, "ht"), p)

    def test_weights_frame_is_aligned(self):
        frame = pd.DataFrame(CIRCLE, index=self.classes, columns=self.classes)
        n = pd.DataFrame([[0, 1, 2], [1, 0, 3], [2, 3, 0]], index=self.classes, columns=self.classes)
        order = [self.classes[i] for i in (1, 2, 0)]
        pd.testing.assert_series_equal(couple(frame, "ht", n=n.loc[order, order]), couple(frame, "ht", n=n))

    @pytest.mark.parametrize(
        "columns",
        [
            ["setosa/versicolor", "setosa/virginica", "versicolor/virginica"],
            pd.MultiIndex.from_tuples(itertools.combinations(classes, 2)),
        ],
    )
    def test_condensed_frame(self, columns):
        r = random_pairs(3, 4)
        frame = pd.DataFrame(r, columns=columns, index=list("wxyz"))
        result = couple(frame, "ht", condensed=True, return_info=True)
        assert tuple(result.proba.columns) == self.classes
        for part in result:
            assert list(part.index) == list("wxyz")
        np.testing.assert_array_equal(result.proba, couple(r, "ht", condensed=True))
        one = couple(frame.loc["x"], "ht", condensed=True)
        pd.testing.assert_series_equal(one, result.proba.loc["x"], check_names=False)

    def test_condensed_frame_without_pair_names(self):
        frame = pd.DataFrame(random_pairs(3, 2), index=["x", "y"])
        assert list(couple(frame, condensed=True).columns) == [0, 1, 2]
        assert tuple(couple(frame, condensed=True, classes=self.classes).columns) == self.classes
        frame.columns = ["1/2", "x/y", "y/x"]
        assert tuple(couple(frame, condensed=True, classes=self.classes).columns) == self.classes

    def test_stacked_frames(self):
        r = in_full(random_pairs(3, 4), 3)
        frames = {s: pd.DataFrame(a, self.classes, self.classes) for s, a in zip("wxyz", r, strict=True)}
        stacked = pd.concat(frames)
        p = couple(stacked, "wlw1")
        assert list(p.index) == list("wxyz")
        assert tuple(p.columns) == self.classes
        np.testing.assert_array_equal(p, couple(r, "wlw1"))
        jumbled = stacked.iloc[[2, 1, 0, *range(3, 12)]]
        pd.testing.assert_frame_equal(couple(jumbled, "wlw1"), p)

    def test_classes_label_an_array(self):
        assert tuple(couple(CIRCLE, classes=self.classes).index) == self.classes
        assert list(couple(CIRCLE[None], classes=[10, 20, 30]).columns) == [10, 20, 30]

"""Coupling by least squares on the log-odds: its closed form, weights, limits, and linear decision boundaries."""

from fractions import Fraction

import numpy as np
import pytest
from scipy.special import logit, softmax
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis

from pwcstats import ConvergenceWarning, InputError, PairwiseClassifier, couple
from pwcstats.datasets import hastie_tibshirani_mixtures

from . import reference

# A sum of K logits, each rounded to the last digit.
ROUNDING = 1e-14
# A reference with the logit of 1 replaced by this number loses as many digits.
INFINITY, LOST_DIGITS = 1e5, 1e-10


def pairs(n_classes, n_samples=20, seed=0, low=0.02):
    rng = np.random.default_rng(seed)
    return rng.uniform(low, 1 - low, (n_samples, n_classes * (n_classes - 1) // 2))


def exact_log_p(logits, n):
    """The normal equations in rational arithmetic, log p_0 = 0."""
    k = len(n)
    matrix = [[Fraction(0)] * k for _ in range(k)]
    for i in range(1, k):
        for j in range(k):
            if i != j and n[i][j] > 0:
                w = Fraction(n[i][j])
                matrix[i][i] += w
                matrix[i][0] += w * Fraction(logits[i][j])  # the column of log p_0 = 0 holds the right-hand side
                if j > 0:
                    matrix[i][j] -= w
    rows = [row[1:] + row[:1] for row in matrix[1:]]
    for c in range(k - 1):
        pivot = next(i for i in range(c, k - 1) if rows[i][c] != 0)
        rows[c], rows[pivot] = rows[pivot], rows[c]
        rows[c] = [x / rows[c][c] for x in rows[c]]
        for i in range(k - 1):
            if i != c and rows[i][c] != 0:
                rows[i] = [x - rows[i][c] * y for x, y in zip(rows[i], rows[c], strict=True)]
    return np.array([0.0, *(float(row[-1]) for row in rows)])


@pytest.mark.parametrize("n_classes", [2, 3, 10, 30])
def test_equal_weights_have_a_closed_form(n_classes):
    r = pairs(n_classes)
    expected = []
    for row in r:
        full = reference.full(row, n_classes)
        np.fill_diagonal(full, 0.5)
        expected.append(softmax(logit(full).sum(axis=1) / n_classes))
    np.testing.assert_allclose(couple(r, "logit", condensed=True), expected, rtol=0, atol=ROUNDING)


class TestWeights:
    @pytest.mark.parametrize("n_classes", [3, 5, 9])
    def test_equal_the_reference(self, n_classes):
        rng = np.random.default_rng(n_classes)
        r, n = pairs(n_classes), rng.uniform(0.1, 5, (20, n_classes * (n_classes - 1) // 2))
        n[:, 1::3] = 0.0
        n[:, : n_classes - 1] += 1.0  # all classes are compared with the first
        expected = [
            reference.logit_least_squares(reference.full(x, n_classes), reference.symmetric(w, n_classes))
            for x, w in zip(r, n, strict=True)
        ]
        r[n == 0.0] = np.nan
        np.testing.assert_allclose(couple(r, "logit", n=n, condensed=True), expected, rtol=0, atol=1e-12)

    @pytest.mark.parametrize("exponent", [20, 100, 300])
    def test_of_very_different_size_lose_no_digits(self, exponent):
        """Against rational arithmetic. Two groups of classes that a weak pair connects are the hardest case."""
        rng = np.random.default_rng(exponent)
        for _ in range(10):
            r = rng.uniform(0.02, 0.98, 10)
            n = 10.0 ** rng.uniform(-exponent, 0, 10)
            full, weights = reference.full(r, 5), reference.symmetric(n, 5)
            np.fill_diagonal(full, 0.5)
            expected = softmax(exact_log_p(np.triu(logit(full)) - np.triu(logit(full)).T, weights))
            np.testing.assert_allclose(couple(full, "logit", n=weights), expected, rtol=1e-13, atol=0)

    @pytest.mark.parametrize("method", ["ht", "logit"])
    def test_beyond_double_precision_are_refused(self, method):
        for n in ([1e300, 1e-300, 1e-300], [1, 1e-310, 1e-310], [1, 0.9e-300, 0.9e-300]):
            with pytest.raises(InputError, match=r"the positive numbers in n differ by more than 1e\+300; raise"):
                couple([0.5, 0.9, 0.9], method, n=n, condensed=True)
        # A weight of 0 is not a small one.
        couple([0.5, 0.9, 0.9], method, n=[1e300, 1e300, 0], condensed=True)

    def test_only_ratios_matter(self):
        r, n = pairs(4), np.array([1.0, 2, 3, 4, 5, 6])
        for scale in (1e-300, 1e300):
            np.testing.assert_allclose(
                couple(r, "logit", n=n * scale, condensed=True), couple(r, "logit", n=n, condensed=True), rtol=1e-14
            )

    def test_a_chain_needs_no_other_pair(self):
        p = couple([0.6, np.nan, 0.7], "logit", n=[1, 0, 5], condensed=True)
        np.testing.assert_allclose(p[:-1] / p[1:], [0.6 / 0.4, 0.7 / 0.3], rtol=ROUNDING)

    def test_classes_must_be_connected(self):
        with pytest.raises(InputError, match="the comparison graph is not connected"):
            couple([0.6, 0.5, 0.7], "logit", n=[1, 0, 0], condensed=True)


class TestLimits:
    @pytest.mark.parametrize("n_classes", [3, 4, 6])
    @pytest.mark.parametrize("weighted", [False, True])
    def test_equal_the_reference_with_a_large_logit(self, n_classes, weighted):
        rng = np.random.default_rng(n_classes)
        r = rng.choice([0.0, 1.0, 0.3, 0.5, 0.6], (60, n_classes * (n_classes - 1) // 2))
        n = rng.integers(1, 4, r.shape).astype(float) if weighted else None
        expected = [
            reference.logit_least_squares(
                reference.full(row, n_classes),
                None if n is None else reference.symmetric(n[k], n_classes),
                clip=0.0,
                infinity=INFINITY,
            )
            for k, row in enumerate(r)
        ]
        found = couple(r, "logit", n=n, condensed=True, clip=0)
        np.testing.assert_allclose(found, expected, rtol=0, atol=LOST_DIGITS)

    @pytest.mark.parametrize("weight", [1.0, 1e-3, 1e-6, 1e-9, 1e-12])
    def test_one_sure_win_decides_with_any_weight(self, weight):
        """The slopes differ by the ratio of the weights."""
        p = couple([1, 0.5, 0.5], "logit", n=[weight, 1, 1], condensed=True, clip=0)
        np.testing.assert_array_equal(p, [1, 0, 0])

    def test_slopes_that_tie_are_equal_to_rounding(self):
        """A ring of 40 classes, each of which surely beats the next one: all slopes are equal."""
        k = 40
        i, j = np.triu_indices(k, 1)
        r = np.where(j == i + 1, 1.0, np.where((i == 0) & (j == k - 1), 0.0, 0.5))
        n = np.where(r == 0.5, 0.3, 1.0)
        np.testing.assert_allclose(couple(r, "logit", n=n, condensed=True, clip=0), np.full(k, 1 / k), rtol=1e-12)

    def test_kl_is_infinite_if_p_contradicts_r(self):
        assert couple([1, 0.5, 0.5], "logit", condensed=True, clip=0, return_info=True).kl == np.inf

    def test_huge_odds_do_not_overflow(self):
        """log p covers a range of 1381, and exp(1381) overflows."""
        p = couple([1e-300, np.nan, 1e-300], "logit", n=[1, 0, 1], condensed=True, clip=0)
        np.testing.assert_allclose(p, [0, 1e-300, 1], rtol=1e-12)

    def test_do_not_depend_on_the_samples_beside_them(self):
        r = np.vstack([pairs(4, 10), np.random.default_rng(1).choice([0.0, 0.4, 1.0], (10, 6))])
        together = couple(r, "logit", condensed=True, clip=0)
        np.testing.assert_array_equal(together, [couple(row, "logit", condensed=True, clip=0) for row in r])

    def test_differ_from_those_of_ht(self):
        """One sure win decides here; ht keeps all classes that can still beat each other on a detour."""
        r = [1.0, 0.5, 0.5]
        np.testing.assert_array_equal(couple(r, "logit", condensed=True, clip=0), [1, 0, 0])
        assert couple(r, "ht", condensed=True, clip=0).min() > 0.1

    def test_are_those_of_a_clip_that_tends_to_0(self):
        """Both sure wins against the third class pull the first two together: their odds are 2^(2/3), not 2."""
        r = [2 / 3, 1.0, 1.0]
        p = couple(r, "logit", condensed=True, clip=0)
        np.testing.assert_allclose(p[0] / p[1], 2 ** (2 / 3), rtol=ROUNDING)
        assert p[2] == 0.0
        # The clipped probability of the third class is of the order of the clip.
        np.testing.assert_allclose(couple(r, "logit", condensed=True, clip=1e-14), p, rtol=0, atol=1e-12)

    def test_tiny_r_without_clip(self):
        p = couple([1e-300, 0.5, 0.5], "logit", condensed=True, clip=0)
        # log p_1 - log p_0 = (2/3) 690.8
        np.testing.assert_allclose(np.log(p[1] / p[0]), -2 / 3 * np.log(1e-300), rtol=1e-12)


def test_it_converges_always(recwarn):
    r = np.random.default_rng(0).choice([0.0, 1e-300, 1e-16, 0.5, 1.0], (200, 45))
    info = couple(r, "logit", condensed=True, clip=0, return_info=True)
    assert info.converged.all()
    assert not info.n_iter.any()
    assert not [w for w in recwarn if issubclass(w.category, ConvergenceWarning)]
    np.testing.assert_allclose(info.proba.sum(axis=1), 1.0, rtol=1e-14)


class TestLinearBoundaries:
    """Log-odds of a pairwise LDA are linear in x, so that those of the coupled classes are linear, too."""

    @staticmethod
    def curvature(coupling, figure=1):
        """Largest distance of log p_i - log p_0 from a linear function of x, over a grid between the classes."""
        sample = hastie_tibshirani_mixtures(figure, random_state=1)
        clf = PairwiseClassifier(LinearDiscriminantAnalysis(), coupling=coupling, weights="counts")
        clf.fit(sample.data[sample.train], sample.target[sample.train])
        low, high = np.quantile(sample.data, [0.1, 0.9], axis=0)
        x = np.stack(np.meshgrid(*np.linspace(low, high, 30).T), axis=-1).reshape(-1, 2)
        log_p = np.log(clf.predict_proba(x))
        design = np.column_stack([np.ones(len(x)), x])
        odds = log_p[:, 1:] - log_p[:, :1]
        residual = odds - design @ np.linalg.lstsq(design, odds, rcond=None)[0]
        return np.abs(residual).max(), np.abs(clf.pairwise_scores(x)).max()

    def test_of_logit(self):
        assert self.curvature("logit")[0] < 1e-10

    def test_beyond_the_clip_of_other_couplings(self):
        """Log-odds x near 20 are known to about 1e-16 exp(x), as r is near 1; LIBSVM's clip would cut them at 16."""
        distance, largest = self.curvature("logit", figure=2)
        assert largest > 19
        assert distance < 1e-16 * np.exp(largest)

    @pytest.mark.parametrize("coupling", ["ht", "wlw1", "wlw2", "pkpd"])
    def test_not_of_other_couplings(self, coupling):
        assert self.curvature(coupling)[0] > 0.01

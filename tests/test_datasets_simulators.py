"""Simulators against their formulas and against statements of the papers."""

from functools import partial

import numpy as np
import pytest
from scipy import stats
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis
from sklearn.naive_bayes import BernoulliNB, GaussianNB

from pwcstats import InputError, couple
from pwcstats.datasets import (
    chang_clover,
    chang_ordered,
    hastie_tibshirani_gaussians,
    hastie_tibshirani_mixtures,
    sulzmann_counts,
    szepannek_classes,
    wu_lin_weng_probabilities,
)

# Moments of a sample against the population's: five standard errors, so that a right simulator passes with any seed.
STANDARD_ERRORS = 5

SIMULATORS = {
    "gaussians": lambda seed: hastie_tibshirani_gaussians(5, 3, random_state=seed).data,
    "mixtures": lambda seed: hastie_tibshirani_mixtures(2, 5, 3, random_state=seed).data,
    "classes": lambda seed: szepannek_classes(0.3, 0.4, 5, random_state=seed)[0],
    "clover": lambda seed: chang_clover(1, 5, 3, random_state=seed).data,
    "ordered": lambda seed: chang_ordered(1, 5, 3, random_state=seed).data,
}


@pytest.mark.parametrize("simulate", SIMULATORS.values(), ids=SIMULATORS)
def test_same_seed_same_bits(simulate):
    np.testing.assert_array_equal(simulate(1), simulate(1))
    assert not np.isin(simulate(1), simulate(2)).any()


@pytest.mark.parametrize(
    "simulate",
    [
        hastie_tibshirani_gaussians,
        hastie_tibshirani_mixtures,
        partial(chang_clover, 2),
        partial(chang_ordered, 2),
    ],
)
def test_training_rows_do_not_depend_on_the_test_rows(simulate):
    few, many = (simulate(n_train=4, n_test=n, random_state=0) for n in (1, 50))
    np.testing.assert_array_equal(few.data[few.train], many.data[many.train])
    for sample, n_test in ((few, 1), (many, 50)):
        counts = np.unique(sample.target[sample.train], return_counts=True)[1]
        assert set(counts) == {4}
        assert set(np.unique(sample.target[~sample.train], return_counts=True)[1]) == {n_test}


def assert_normal(X, mean, covariance):
    """Means and covariances of normal rows, within their standard errors."""
    n, variance = len(X), np.diag(covariance)
    errors = np.sqrt((np.outer(variance, variance) + covariance**2) / n)
    assert (np.abs(X.mean(0) - mean) <= STANDARD_ERRORS * np.sqrt(variance / n)).all()
    assert (np.abs(np.cov(X.T) - covariance) <= STANDARD_ERRORS * errors + 1e-12).all()


def test_gaussians_have_their_means_and_covariances():
    sample = hastie_tibshirani_gaussians(50_000, 50_000, n_classes=3, n_features=4, random_state=0)
    for k in range(3):
        for rows in (sample.train, ~sample.train):
            assert_normal(sample.data[rows & (sample.target == k)], sample.means[k], sample.covariances[k])


def test_gaussians_parameters_are_drawn_as_the_paper_says():
    sample = hastie_tibshirani_gaussians(1, 0, n_classes=2000, n_features=5, random_state=0)
    values, vectors = np.linalg.eigh(sample.covariances)
    assert stats.kstest(np.sqrt(values).ravel(), stats.uniform(0.01, 1).cdf).pvalue > 1e-3
    assert stats.kstest(sample.means.ravel(), "uniform").pvalue > 1e-3
    # The square of a coordinate of a uniform direction is Beta(1/2, (d - 1)/2).
    assert stats.kstest(vectors[:, 0, 0] ** 2, stats.beta(0.5, 2).cdf).pvalue > 1e-3


def test_gaussians_give_the_papers_errors():
    """Bayes' rule errs on less than 1 % of the cases, LDA on more than a quarter."""
    bayes, lda = [], []
    for seed in range(5):
        sample = hastie_tibshirani_gaussians(random_state=seed)
        X, y, train = sample.data, sample.target, sample.train
        pairs = zip(sample.means, sample.covariances, strict=True)
        density = np.column_stack([stats.multivariate_normal(*pair).logpdf(X[~train]) for pair in pairs])
        bayes.append(np.mean(density.argmax(1) != y[~train]))
        lda.append(1 - LinearDiscriminantAnalysis().fit(X[train], y[train]).score(X[~train], y[~train]))
    assert max(bayes) < 0.01
    assert 0.25 < np.mean(lda) < 0.33


def test_mixtures_have_their_moments():
    sample = hastie_tibshirani_mixtures(1, 100_000, 1, random_state=0)
    for k, centres in enumerate(sample.centres):
        X = sample.data[sample.train & (sample.target == k)]
        half = (centres[1] - centres[0]) / 2
        covariance = np.eye(2) + np.outer(half, half)
        # Two separate humps have lighter tails than a normal distribution: its standard errors are more than enough.
        assert_normal(X, centres.mean(0), covariance)


@pytest.mark.parametrize("figure", [1, 2])
def test_mixtures_do_what_the_paper_says_of_its_figures(figure):
    sample = hastie_tibshirani_mixtures(figure, n_train=20_000, n_test=20_000, random_state=0)
    X, y, train = sample.data, sample.target, sample.train
    tested = y[~train]

    def pair(i, j):
        rows = train & ((y == i) | (y == j))
        return LinearDiscriminantAnalysis().fit(X[rows], y[rows]).predict_proba(X[~train])[:, 0]

    r = np.column_stack([pair(0, 1), pair(0, 2), pair(1, 2)])
    wins = couple(r, "vote", condensed=True)
    undecided = wins.max(1) < 0.5
    coupled = couple(r, "ht", condensed=True).argmax(1)
    # One third of the undecided cases are right by chance.
    max_wins = np.mean(np.where(undecided, 2 / 3, wins.argmax(1) != tested))
    pairwise = np.mean(coupled != tested)
    lda, qda = (
        1 - method.fit(X[train], y[train]).score(X[~train], tested)
        for method in (LinearDiscriminantAnalysis(), QuadraticDiscriminantAnalysis())
    )
    assert pairwise < lda - 0.04
    assert max_wins < lda - 0.04
    if figure == 1:
        assert 0.01 < undecided.mean() < 0.05
        assert max_wins <= pairwise
    else:
        assert undecided.mean() > 0.08
        assert np.mean(coupled[undecided] == 0) > 0.9
        assert qda < min(pairwise, max_wins) - 0.1


def test_mixtures_of_no_figure():
    with pytest.raises(InputError, match=r"figure must be 1 or 2, got 3"):
        hastie_tibshirani_mixtures(3)


@pytest.mark.parametrize(("alpha", "rho"), [(0, 0), (0.25, 0.9), (1, 0.5), (0, 1), (1, 1)])
def test_szepannek_covariances(alpha, rho):
    X, y = szepannek_classes(alpha, rho, n_per_class=100_000, random_state=3)
    s1, s2, s3, s4 = 5, 10, 1, 10
    first = np.array([[s1**2, rho * s1 * s2], [rho * s1 * s2, s2**2]])
    stars = [first, first, np.diag([s3**2, s4**2]), np.diag([s4**2, s3**2])]
    means = [(50, 50), (65, 50), (0, 20), (0, 0)]
    for k, (mean, star) in enumerate(zip(means, stars, strict=True), start=1):
        assert_normal(X[y == k], mean, alpha * first + (1 - alpha) * star)


def test_szepannek_classes_suit_one_learner_a_pair():
    """LDA tells 1 from 2 better than naive Bayes does, naive Bayes 3 from 4."""
    X, y = szepannek_classes(0, 0.9, n_per_class=5000, random_state=0)

    def errors(classes):
        rows = np.isin(y, classes)
        return [
            1 - m.fit(X[rows], y[rows]).score(X[rows], y[rows]) for m in (LinearDiscriminantAnalysis(), GaussianNB())
        ]

    lda, bayes = errors([1, 2])
    assert lda < bayes / 5
    lda, bayes = errors([3, 4])
    assert bayes < lda / 2


@pytest.mark.parametrize(
    ("alpha", "rho", "message"), [(-0.1, 0, "alpha .* got -0.1"), (0, np.float64(2), "rho .* got 2.0")]
)
def test_szepannek_parameters(alpha, rho, message):
    with pytest.raises(InputError, match=message):
        szepannek_classes(alpha, rho)
    with pytest.raises(InputError, match="alpha must be between 0 and 1, got nan"):
        szepannek_classes(np.nan, 0)
    with pytest.raises(InputError, match="rho must be between 0 and 1, got 'x'"):
        szepannek_classes(0, "x")


def test_sulzmann_counts():
    X, y = sulzmann_counts()
    assert X.shape == (30, 2)
    assert set(X.ravel()) == {0, 1}
    counts = [[10, 1, 8], [10, 10, 1], [10, 4, 3]]
    assert [[np.sum(y == k), *X[y == k].sum(0)] for k in "ABC"] == counts


def test_sulzmann_example():
    """Naive Bayes says C, one-against-all naive Bayes says B; the paper's fractions."""
    X, y = sulzmann_counts()
    point = [[1, 1]]
    # Frequencies, without smoothing: what is left of it, 1e-10, is far below the tolerance.
    naive = BernoulliNB(alpha=1e-10).fit(X, y).predict_proba(point)[0]
    np.testing.assert_allclose(naive, [4 / 15, 5 / 15, 6 / 15], rtol=0, atol=1e-8)
    one_against_all = [BernoulliNB(alpha=1e-10).fit(X, y == k).predict_proba(point)[0, 1] for k in "ABC"]
    np.testing.assert_allclose(one_against_all, [2 / 9, 4 / 15, 8 / 41], rtol=0, atol=1e-8)


@pytest.mark.parametrize("layout", ["diagonal", "printed"])
def test_clover_groups(layout):
    """Mean v d, the identity as covariance; the vectors v are those of the paper, or its pictures'."""
    d = 1.5
    sample = chang_clover(d, 100_000, 1, layout=layout, random_state=0)
    negatives = {"diagonal": {(1, 1), (1, -1), (-1, 1), (-1, -1)}, "printed": {(1, 0), (0, 1), (-1, 0), (0, -1)}}
    assert set(map(tuple, sample.means / d)) == {(0, 0), *negatives[layout]}
    assert sample.means[0].tolist() == [0, 0]
    for k, mean in enumerate(sample.means):
        assert_normal(sample.data[sample.train & (sample.target == k)], mean, np.eye(2))


def test_ordered_groups():
    sample = chang_ordered(0.5, 100_000, 1, random_state=0)
    for k in range(5):
        assert_normal(sample.data[sample.train & (sample.target == k)], [0.5 * k, 0], np.eye(2))


@pytest.mark.parametrize("simulate", [chang_clover, chang_ordered])
def test_chang_has_200_cases_of_each_group_in_both_parts(simulate):
    sample = simulate(1)
    for rows in (sample.train, ~sample.train):
        assert np.bincount(sample.target[rows]).tolist() == [200] * 5


@pytest.mark.parametrize("simulate", [chang_clover, chang_ordered])
@pytest.mark.parametrize("d", [-1, np.nan, np.inf, "2", None, [1.0]])
def test_distances_that_are_none(simulate, d):
    with pytest.raises(InputError, match="d must be a number of at least 0, got "):
        simulate(d)


@pytest.mark.parametrize("simulate", SIMULATORS.values(), ids=SIMULATORS)
@pytest.mark.parametrize("seed", ["x", -1, 1.5])
def test_seeds_that_are_none(simulate, seed):
    with pytest.raises(InputError, match="random_state must be a whole number of at least 0, or None, got"):
        simulate(seed)


@pytest.mark.parametrize("count", [-1, "3", 2.5])
def test_numbers_of_rows_that_are_none(count):
    for simulate in (partial(chang_clover, 1.0), partial(chang_ordered, 1.0), hastie_tibshirani_gaussians):
        with pytest.raises(InputError, match="n_train must be a whole number of at least 0"):
            simulate(count)
    with pytest.raises(InputError, match="n_test must be a whole number of at least 0"):
        hastie_tibshirani_mixtures(1, 5, count)
    with pytest.raises(InputError, match="n_per_class must be a whole number of at least 0"):
        szepannek_classes(0, 0, count)
    with pytest.raises(InputError, match="n_classes must be a whole number of at least 1"):
        hastie_tibshirani_gaussians(n_classes=count)


def test_clover_of_no_layout():
    with pytest.raises(InputError, match=r"layout must be one of 'diagonal', 'printed', got 'round'"):
        chang_clover(1, layout="round")


def test_probabilities_of_no_setting():
    with pytest.raises(InputError, match=r"setting must be one of 'balanced', .*, got 'level'"):
        wu_lin_weng_probabilities("level", 5)
    with pytest.raises(InputError, match=r"n_classes must be a whole number of at least 3, got 2"):
        wu_lin_weng_probabilities("unbalanced", 2)

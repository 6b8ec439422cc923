"""Agreement with other packages, and their known differences."""

import baycomp
import numpy as np
import pandas as pd
import pytest
import scikit_posthocs
from mlxtend import evaluate
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.model_selection import KFold, train_test_split
from sklearn.naive_bayes import GaussianNB

from pwcstats.compare import (
    bayes_correlated_t,
    bayes_signed_rank,
    cochran_q,
    corrected_resampled_t,
    cv5x2_f,
    cv5x2_t,
    friedman,
    mcnemar,
    nemenyi,
    paired_t,
)

X, Y = load_breast_cancer(return_X_y=True)
FIRST, SECOND = LinearDiscriminantAnalysis(), GaussianNB()
# Both sides compute the same formula in double precision.
CLOSE = 1e-6


def score(model, train, test):
    return clone(model).fit(X[train], Y[train]).score(X[test], Y[test])


def splits_of_mlxtend(seed):
    """The halves that mlxtend draws."""
    rng = np.random.RandomState(seed)
    rows = np.arange(len(Y))
    for _ in range(5):
        yield train_test_split(rows, test_size=0.5, random_state=rng.randint(low=0, high=32767))


@pytest.mark.parametrize("seed", [0, 1])
def test_mlxtend_5x2(seed):
    halves = list(splits_of_mlxtend(seed))
    a, b = ([[score(model, one, two), score(model, two, one)] for one, two in halves] for model in (FIRST, SECOND))
    for ours, theirs in (
        (cv5x2_t(a, b), evaluate.paired_ttest_5x2cv(FIRST, SECOND, X, Y, random_seed=seed)),
        (cv5x2_f(a, b), evaluate.combined_ftest_5x2cv(FIRST, SECOND, X, Y, random_seed=seed)),
    ):
        np.testing.assert_allclose([ours.statistic, ours.p_value], theirs, rtol=CLOSE)


def test_mlxtend_does_not_correct_for_resampling():
    """Its k-fold test is the plain paired t-test; the corrected one divides t by sqrt(1 + k / (k - 1))."""
    folds = list(KFold(10, shuffle=True, random_state=3).split(X))
    a, b = ([score(model, train, test) for train, test in folds] for model in (FIRST, SECOND))
    theirs = evaluate.paired_ttest_kfold_cv(FIRST, SECOND, X, Y, cv=10, shuffle=True, random_seed=3)
    plain, corrected = paired_t(a, b), corrected_resampled_t(a, b, test_fraction=0.1)
    np.testing.assert_allclose([plain.statistic, plain.p_value], theirs, rtol=CLOSE)
    assert corrected.statistic == pytest.approx(theirs[0] / np.sqrt(1 + 10 / 9), rel=CLOSE)
    assert corrected.p_value > 2 * theirs[1]


def test_mlxtend_mcnemar_and_cochran():
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 3, 200)
    a, b, c = (np.where(rng.random(200) < share, truth, 0) for share in (0.8, 0.7, 0.6))
    table = evaluate.mcnemar_table(truth, a, b)
    chi2, p = evaluate.mcnemar(table, corrected=True)
    ours = mcnemar(a, b, y_true=truth, method="asymptotic")
    np.testing.assert_allclose([ours.statistic, ours.p_value], [chi2, p], rtol=CLOSE)
    assert mcnemar(a, b, y_true=truth).p_value == pytest.approx(evaluate.mcnemar(table, exact=True)[1], rel=CLOSE)
    q = cochran_q(np.column_stack([a, b, c]), y_true=truth)
    np.testing.assert_allclose([q.statistic, q.p_value], evaluate.cochrans_q(truth, a, b, c), rtol=CLOSE)


@pytest.mark.parametrize("rope", [0.0, 0.01, 0.05])
def test_baycomp(rope):
    rng = np.random.default_rng(0)
    a, b = rng.normal(0.82, 0.03, 50), rng.normal(0.80, 0.03, 50)
    # Theirs is probability of b - a being below, within and above.
    ours = bayes_correlated_t(a, b, rope=rope, test_fraction=0.1)
    theirs = baycomp.CorrelatedTTest.probs(a, b, rope=rope, runs=5)
    got = [ours.p_greater, ours.p_rope, ours.p_less]
    np.testing.assert_allclose(got if rope else [got[0], got[2]], theirs, atol=CLOSE)
    for prior in (0.5, 2.0):
        ours = bayes_signed_rank(a[:12], b[:12], rope=rope, prior=prior, random_state=7)
        theirs = baycomp.SignedRankTest.probs(a[:12], b[:12], rope=rope, prior=prior, random_state=7)
        got = [ours.p_greater, ours.p_rope, ours.p_less]
        # The same draws; a tie between two of three probabilities may fall either way.
        np.testing.assert_allclose(got if rope else [got[0], got[2]], theirs, atol=2 / 50_000)


def test_borders_of_the_rope_are_not_left_to_rounding():
    """Differences of exactly the rope are half within and half outside, in per cent as in shares."""
    a = np.array([0.81, 0.8, 0.58, 0.75, 0.92, 0.63])
    shares = bayes_signed_rank(a, a - 0.01, rope=0.01, random_state=0)
    cents = bayes_signed_rank(np.round(100 * a), np.round(100 * a) - 1, rope=1, random_state=0)
    assert (shares.p_less, shares.p_rope, shares.p_greater) == (cents.p_less, cents.p_rope, cents.p_greater)
    assert shares.estimate == pytest.approx(0.01)
    for x, y in (([0.82, 0.5], [0.81, 0.49]), (a, a - 0.01)):
        result = bayes_correlated_t(x, y, rope=0.01, test_fraction=0.2)
        assert (result.p_rope, result.p_greater) == (0.5, 0.5)


def test_samples_come_in_parts():
    a, b = np.random.default_rng(2).normal(0.8, 0.05, (2, 9))
    result = bayes_signed_rank(a, b, n_samples=7_000, random_state=0)
    assert result.p_less + result.p_rope + result.p_greater == pytest.approx(1.0)
    assert bayes_signed_rank([0.5], [0.4], random_state=0).estimate == pytest.approx(0.1)


def test_baycomp_divides_by_folds_as_we_do_by_test_fraction():
    a, b = np.random.default_rng(1).normal(0.8, 0.05, (2, 10, 10))
    ours = bayes_correlated_t(a, b, rope=0.01)
    theirs = baycomp.CorrelatedTTest.probs(a.ravel(), b.ravel(), rope=0.01, runs=10)
    np.testing.assert_allclose([ours.p_greater, ours.p_rope, ours.p_less], theirs, atol=CLOSE)
    assert ours.p_less + ours.p_rope + ours.p_greater == pytest.approx(1.0)
    # With a flat prior, the credible interval is the confidence interval of the corrected t-test.
    assert ours.cred_int == pytest.approx(corrected_resampled_t(a, b).conf_int)
    assert bayes_correlated_t(a, b, alpha=0.2).cred_int == pytest.approx(
        corrected_resampled_t(a, b, alpha=0.2).conf_int
    )


@pytest.mark.parametrize("digits", [1, 8])
def test_scikit_posthocs_nemenyi(digits):
    wide = pd.DataFrame(np.random.default_rng(0).random((12, 5)).round(digits), columns=list("abcde"))
    theirs = scikit_posthocs.posthoc_nemenyi_friedman(wide)
    np.testing.assert_allclose(nemenyi(wide).p_values.loc[theirs.index, theirs.columns], theirs, atol=CLOSE)


def test_friedman_of_scipy():
    """The same statistic; scipy takes the methods one by one."""
    from scipy.stats import friedmanchisquare

    wide = np.random.default_rng(0).random((12, 5)).round(1)
    theirs = friedmanchisquare(*wide.T)
    ours = friedman(wide)
    np.testing.assert_allclose([ours.statistic, ours.p_value], theirs, rtol=1e-10)

"""Sulzmann, Fuernkranz & Huellermeier (2007): pairwise naive Bayes is naive Bayes, one against all is not."""

import numpy as np
import pytest
from scipy.stats import rankdata
from sklearn.datasets import load_digits, load_wine
from sklearn.multiclass import OneVsRestClassifier
from sklearn.naive_bayes import BernoulliNB, CategoricalNB, GaussianNB

from pwcstats import PairwiseClassifier, couple
from pwcstats.datasets import sulzmann_counts

# Log-odds beyond FAR give pairwise probabilities of 0 or 1; those below CLOSE may be ties except for rounding.
CLOSE, FAR = 1e-9, 30.0


def cases():
    x, y = load_wine(return_X_y=True)
    # Without smoothing a class has the same density in all of its pairs, as the theorems require.
    yield "gaussian", GaussianNB(var_smoothing=0.0), x[:, :6], y
    digits, labels = load_digits(return_X_y=True)
    codes = (digits[:, 10:40] // 6).astype(int)
    yield "categorical", CategoricalNB(alpha=1.0, min_categories=3), codes, labels
    yield "bernoulli", BernoulliNB(alpha=1.0), (digits > 8).astype(int), labels


CASES = {name: (learner, x, y) for name, learner, x, y in cases()}


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
@pytest.mark.parametrize("voting", ["sum", "vote"])
def test_voting_ranks_as_naive_bayes(case, voting):
    """Theorems 2 (weighted voting) and 3 (plain voting), ties included."""
    learner, x, y = case
    clf = PairwiseClassifier(learner, coupling=voting).fit(x, y)
    ours = clf.predict_proba(x)
    joint = learner.fit(x, y).predict_joint_log_proba(x)
    theirs = rankdata(joint, axis=1)
    order = np.argsort(joint, axis=1)
    gaps = np.diff(np.take_along_axis(joint, order, axis=1), axis=1)
    # Among very unlikely classes, sums of probabilities near 0 and 1 are equal in double precision.
    clear = (gaps > CLOSE).all(axis=1) & ((gaps.sum(axis=1) < FAR) | (voting == "vote"))
    assert clear.sum() > 20
    np.testing.assert_array_equal(rankdata(ours, axis=1)[clear], theirs[clear])
    np.testing.assert_array_equal(ours.argmax(axis=1), joint.argmax(axis=1))


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
@pytest.mark.parametrize("coupling", ["wlw2", "ht", "wlw1", "pkpd", "rv"])
def test_coupling_gives_naive_bayes_back(case, coupling):
    """The pairs of naive Bayes are compatible, so couplings return its own probabilities, cut at 1e-7 in each pair."""
    learner, x, y = case
    ours = PairwiseClassifier(learner, coupling=coupling).fit(x, y).predict_proba(x[:200])
    np.testing.assert_allclose(ours, learner.fit(x, y).predict_proba(x[:200]), atol=2e-6)


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_bayes_weights_give_naive_bayes_back(case):
    """Theorem 1: with P(c_i or c_j | x) as weights the sum of the pairs is P(c_i | x)."""
    learner, x, y = case
    r = PairwiseClassifier(learner).fit(x, y).pairwise_proba(x[:200])
    p = learner.fit(x, y).predict_proba(x[:200])
    mass = p[:, :, None] + p[:, None, :]
    np.testing.assert_allclose(couple(r, "bayes", pair_mass=mass), p, atol=1e-12)


def test_ties_agree():
    """Half a vote for r = 1/2: classes that naive Bayes cannot tell apart stay equal."""
    x, y = sulzmann_counts()
    y = np.unique(y, return_inverse=True)[1]
    x, y = np.vstack([x, x[y == 2]]), np.r_[y, np.full(10, 3)]
    proba = CategoricalNB().fit(x, y).predict_proba([[1, 1]])[0]
    for voting in ("vote", "sum"):
        ours = PairwiseClassifier(CategoricalNB(), coupling=voting).fit(x, y).predict_proba([[1, 1]])[0]
        np.testing.assert_allclose(ours[2], ours[3], atol=1e-12)
        np.testing.assert_array_equal(rankdata(ours.round(12)), rankdata(proba.round(12)))


def test_one_against_all_is_another_classifier():
    """Section 5: at X = Y = 1 naive Bayes and its pairs say C, one against all says B."""
    x, y = sulzmann_counts()
    learner = CategoricalNB(alpha=1e-12, force_alpha=True)
    new = [[1, 1]]
    np.testing.assert_allclose(learner.fit(x, y).predict_proba(new)[0], [4 / 15, 5 / 15, 6 / 15], atol=1e-9)
    for coupling in ("wlw2", "ht", "sum", "vote"):
        assert PairwiseClassifier(learner, coupling=coupling).fit(x, y).predict(new)[0] == np.unique(y)[2]
    rest = OneVsRestClassifier(learner).fit(x, y)
    each = [one.predict_proba(new)[0, 1] for one in rest.estimators_]
    np.testing.assert_allclose(each, [2 / 9, 4 / 15, 8 / 41], atol=1e-9)
    assert rest.predict(new)[0] == np.unique(y)[1]


def test_weighted_voting_is_no_coupling():
    """Their example: p12 = p13 = .6, p23 = .9 is transitive, yet weighted voting puts the second class first."""
    r = np.array([[0, 0.6, 0.6], [0.4, 0, 0.9], [0.4, 0.1, 0]])
    np.testing.assert_allclose(couple(r, "sum") * 3, [1.2, 1.3, 0.5])

"""Try an installed pwcstats: each part once, against a formula. Run it outside of a checkout, or with ``python -I``."""

import sys

import numpy as np
import pandas as pd
from sklearn.datasets import load_iris
from sklearn.svm import SVC

import pwcstats
from pwcstats import BradleyTerry, FirthLogit, HybridClassifier, PairwiseClassifier, couple, datasets

ROUNDING = 1e-10


def check_coupling():
    """If r_ij = p_i / (p_i + p_j), most methods return p."""
    p = np.random.default_rng(0).dirichlet(np.ones(5), size=21)
    both = p[:, :, None] + p[:, None, :]
    r = p[:, :, None] / both
    for method in ("wlw2", "ht", "wlw1", "logit", "pkpd", "rv"):
        np.testing.assert_allclose(couple(r, method), p, rtol=0, atol=ROUNDING, err_msg=method)
    np.testing.assert_allclose(couple(r, "bayes", pair_mass=both), p, rtol=0, atol=ROUNDING)
    others = ~np.eye(5, dtype=bool)
    np.testing.assert_allclose(couple(r, "sum"), (r * others).sum(axis=2) / 10, rtol=0, atol=ROUNDING)
    np.testing.assert_allclose(couple(r, "vote"), (r > 0.5).sum(axis=2) / 10, rtol=0, atol=ROUNDING)


def check_ranking():
    """The ability of one item over another is the log of the ratio of their wins."""
    games = pd.DataFrame({"winner": ["a"] * 3 + ["b"], "loser": ["b"] * 3 + ["a"]})
    abilities = BradleyTerry.from_comparisons(games, winner="winner", loser="loser").fit().params
    assert abs(abilities["a"] - abilities["b"] - np.log(3)) < ROUNDING


def check_data():
    """The data sets that ship with the package are there."""
    shipped = datasets.catalogue().query("package == 'pwcstats'")
    assert len(shipped) > 0
    for name, rows in zip(shipped["name"], shipped["rows"], strict=True):
        assert len(datasets.load(name).frame) == rows, name


def check_logit():
    """Firth's estimate of a log odds ratio adds 1/2 to each cell of the table."""
    x = np.repeat([0, 0, 1, 1], [6, 3, 2, 9])
    y = np.repeat([0, 1, 0, 1], [6, 3, 2, 9])
    params = FirthLogit(y, np.column_stack([np.ones(20), x])).fit().params
    np.testing.assert_allclose(params, np.log([3.5 / 6.5, (9.5 / 2.5) / (3.5 / 6.5)]), rtol=0, atol=1e-7)


def check_classifiers():
    """Both classifiers learn the irises."""
    X, y = load_iris(return_X_y=True)
    for classifier in (PairwiseClassifier(SVC()), HybridClassifier()):
        proba = classifier.fit(X, y).predict_proba(X)
        np.testing.assert_allclose(proba.sum(axis=1), 1)
        assert (classifier.predict(X) == y).mean() > 0.9


if __name__ == "__main__":
    check_coupling()
    check_ranking()
    check_data()
    check_logit()
    check_classifiers()
    assert not {"numba", "llvmlite"} & set(sys.modules)
    print(f"pwcstats {pwcstats.__version__} works with Python {sys.version.split()[0]}, NumPy {np.__version__}")

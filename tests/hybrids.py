"""Fitted hybrids for tests of figures."""

import numpy as np

from pwcstats import HybridClassifier, OrdinalHybridClassifier, datasets

NAMES = np.array(["in", "out"])


def quick(estimator=None, **options):
    """A hybrid that fits each machine once."""
    return HybridClassifier(estimator, threshold=0.5, distance_cv=None, random_state=0, **options)


def clover(d=3.0, n=40, seed=0):
    """Training and test rows; the positive class is "in"."""
    sample = datasets.chang_clover(d, n, n, random_state=seed)
    y = NAMES[(sample.target > 0).astype(int)]
    return sample.data[sample.train], y[sample.train], sample.data[~sample.train], y[~sample.train]


def fitted_hybrid():
    """The classifier, and its training and test rows."""
    X, y, X_test, y_test = clover()
    return HybridClassifier(random_state=0).fit(X, y), X, y, X_test, y_test


def fitted_ordinal():
    """The classifier, and test rows."""
    sample = datasets.chang_ordered(2, 40, 40, random_state=0)
    X, y, train = sample.data, sample.target, sample.train
    return OrdinalHybridClassifier(distance_cv=None).fit(X[train], y[train]), X[~train], y[~train]


def words(legend):
    return [text.get_text() for text in legend.get_texts()]

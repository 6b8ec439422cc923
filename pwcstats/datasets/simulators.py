"""Simulators of the papers: cases and their classes."""

import math
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import Bunch

from pwcstats import _params
from pwcstats._arrays import Array
from pwcstats.errors import InputError, arg, value

__all__ = [
    "chang_clover",
    "chang_ordered",
    "hastie_tibshirani_gaussians",
    "hastie_tibshirani_mixtures",
    "sulzmann_counts",
    "szepannek_classes",
]

# Centres of the two components of each class, for both figures of Hastie & Tibshirani.
_CENTRES = {
    1: [[[-2, 4], [1, 0]], [[1, 3], [4, -2]], [[-4, -3], [0, -2]]],
    2: [[[3, -3], [-4, -1]], [[-3, -4], [2, 1]], [[0, 2], [2, 2]]],
}

# Centres of the positive group and the four negative ones in Chang's Study 1; "printed" is a misprint.
_CLOVER = {
    "diagonal": [[0, 0], [1, 1], [1, -1], [-1, 1], [-1, -1]],
    "printed": [[0, 0], [1, 0], [0, 1], [-1, 0], [0, -1]],
}


def hastie_tibshirani_gaussians(
    n_train: int = 100,
    n_test: int = 200,
    *,
    n_classes: int = 10,
    n_features: int = 20,
    random_state: int | None = None,
) -> Bunch:
    r"""Gaussian classes with unequal covariances, as in Figure 3 of Hastie & Tibshirani (1998) [1]_.

    The means and covariances are random, too. Training and test rows must have the same ones, so one call draws both.

    Parameters
    ----------
    n_train, n_test : int
        Rows of each class in the training and in the test set.
    n_classes, n_features : int
        Number of classes and of features.
    random_state : int, optional
        Seed. The training rows do not depend on `n_test`.

    Returns
    -------
    sklearn.utils.Bunch
        data : ndarray of shape (n_classes * (n_train + n_test), n_features)
            The training rows, then the test rows, each sorted by class.
        target : ndarray of int
            The classes, 0 to n_classes - 1.
        train : ndarray of bool
            The training rows, as in :func:`load`.
        means : ndarray of shape (n_classes, n_features)
            The means of the classes.
        covariances : ndarray of shape (n_classes, n_features, n_features)
            The covariances of the classes.

    Notes
    -----
    Class k is :math:`N(\mu_k, V_k D_k^2 V_k^T)`: the entries of :math:`\mu_k` are uniform on [0, 1], those of the
    diagonal matrix :math:`D_k` on [0.01, 1.01], and :math:`V_k` is uniform among the orthogonal matrices. The example
    is from Friedman [2]_. [1]_ says that the eigenvalues are uniform, but it must be their square roots: only then is
    the error of the Bayes rule below 1 %, as the text says.

    References
    ----------
    .. [1] Hastie, T. and Tibshirani, R. (1998). Classification by pairwise coupling. Annals of Statistics 26,
       451-471. https://doi.org/10.1214/aos/1028144844
    .. [2] Friedman, J. H. (1996). Another approach to polychotomous classification. Technical report, Stanford
       University.

    Examples
    --------
    >>> from pwcstats.datasets import hastie_tibshirani_gaussians
    >>> from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
    >>> sample = hastie_tibshirani_gaussians(random_state=1)
    >>> X, y, train = sample.data, sample.target, sample.train
    >>> error = 1 - LinearDiscriminantAnalysis().fit(X[train], y[train]).score(X[~train], y[~train])
    >>> round(error, 2)
    0.27
    """
    _check_counts(n_train=n_train, n_test=n_test)
    for count, name in ((n_classes, "n_classes"), (n_features, "n_features")):
        _params.count(count, name)
    rng = np.random.default_rng(_params.seed(random_state))
    means = rng.uniform(size=(n_classes, n_features))
    roots = np.stack([_rotation(n_features, rng) for _ in range(n_classes)])
    roots *= rng.uniform(0.01, 1.01, size=(n_classes, 1, n_features))

    def rows(n: int) -> Array:
        return means[:, None] + rng.normal(size=(n_classes, n, n_features)) @ np.swapaxes(roots, 1, 2)

    return _split(rows(n_train), rows(n_test), means=means, covariances=roots @ np.swapaxes(roots, 1, 2))


def hastie_tibshirani_mixtures(
    figure: Literal[1, 2] = 1, n_train: int = 200, n_test: int = 5000, *, random_state: int | None = None
) -> Bunch:
    r"""Three classes in the plane, each a mixture of Gaussians, like those of Figures 1 and 2 of [1]_.

    The paper gives neither centres nor covariances, only the number of cases, 600. We chose centres for which the
    statements of the paper about its figures hold.

    Parameters
    ----------
    figure : {1, 2}
        1: max-wins is as good as coupled pairwise LDA, both are better than LDA, and max-wins leaves a region
        undecided. 2: the undecided region is larger, coupling assigns nearly all of it to the first class, and QDA is
        better than all of them.
    n_train, n_test : int
        Rows of each class in the training and in the test set, which come from the same mixtures.
    random_state : int, optional
        Seed. The training rows do not depend on `n_test`.

    Returns
    -------
    sklearn.utils.Bunch
        data : ndarray of shape (3 * (n_train + n_test), 2)
            The training rows, then the test rows, each sorted by class.
        target : ndarray of int
            The classes 0, 1, 2; the paper's are 1, 2, 3.
        train : ndarray of bool
            The training rows, as in :func:`load`.
        centres : ndarray of shape (3, 2, 2)
            The centres of the two components of each class.

    Notes
    -----
    Class k has the density :math:`\frac12 \phi(x - c_{k1}) + \frac12 \phi(x - c_{k2})` with the standard normal density
    :math:`\phi` of the plane.

    References
    ----------
    .. [1] Hastie, T. and Tibshirani, R. (1998). Classification by pairwise coupling. Annals of Statistics 26,
       451-471. https://doi.org/10.1214/aos/1028144844

    Examples
    --------
    >>> from pwcstats.datasets import hastie_tibshirani_mixtures
    >>> sample = hastie_tibshirani_mixtures(1, random_state=0)
    >>> sample.data[sample.train].shape
    (600, 2)
    >>> sample.centres.tolist()
    [[[-2.0, 4.0], [1.0, 0.0]], [[1.0, 3.0], [4.0, -2.0]], [[-4.0, -3.0], [0.0, -2.0]]]
    """
    if figure not in (1, 2):
        raise InputError(f"{arg('figure')} must be 1 or 2, got {value(figure)}.")
    _check_counts(n_train=n_train, n_test=n_test)
    centres = np.array(_CENTRES[figure], dtype=np.float64)
    rng = np.random.default_rng(_params.seed(random_state))

    def rows(n: int) -> Array:
        component = rng.integers(2, size=(3, n))
        return centres[np.arange(3)[:, None], component] + rng.normal(size=(3, n, 2))

    return _split(rows(n_train), rows(n_test), centres=centres)


def szepannek_classes(
    alpha: float, rho: float, n_per_class: int = 400, *, random_state: int | None = None
) -> tuple[Array, NDArray[np.int64]]:
    r"""Four Gaussian classes in the plane, two suited to LDA and two to naive Bayes, from Section 4 of [1]_.

    Parameters
    ----------
    alpha : float
        How similar the covariances are, from 0 to 1. At 1 they are equal, as LDA assumes.
    rho : float
        Correlation within the first two classes, from 0 to 1. At 0 the features are independent, as naive
        Bayes assumes.
    n_per_class : int
        Rows of each class.
    random_state : int, optional
        Seed.

    Returns
    -------
    X : ndarray of shape (4 * n_per_class, 2)
        Sorted by class, so split it at random or with ``stratify``. The paper trains on two thirds.
    y : ndarray of int
        The classes, 1 to 4 as in the paper.

    Notes
    -----
    The means are (50, 50), (65, 50), (0, 20) and (0, 0). The covariances are
    :math:`\Sigma_i = \alpha \Sigma^*_1 + (1 - \alpha) \Sigma^*_i` with

    .. math::

        \Sigma^*_1 = \Sigma^*_2 = \begin{pmatrix} 25 & 50 \rho \\ 50 \rho & 100 \end{pmatrix}, \quad
        \Sigma^*_3 = \begin{pmatrix} 1 & 0 \\ 0 & 100 \end{pmatrix}, \quad
        \Sigma^*_4 = \begin{pmatrix} 100 & 0 \\ 0 & 1 \end{pmatrix}.

    References
    ----------
    .. [1] Szepannek, G., Bischl, B. and Weihs, C. (2007). On the combination of locally optimal pairwise classifiers.
       MLDM 2007, LNAI 4571, 104-116. https://doi.org/10.1007/978-3-540-73499-4_9

    Examples
    --------
    >>> import numpy as np
    >>> from pwcstats.datasets import szepannek_classes
    >>> X, y = szepannek_classes(0, 0.9, n_per_class=100000, random_state=0)
    >>> np.cov(X[y == 1].T).round()
    array([[ 25.,  45.],
           [ 45., 100.]])
    """
    alpha, rho = _number(alpha, "alpha", 1), _number(rho, "rho", 1)
    _check_counts(n_per_class=n_per_class)
    means = np.array([[50.0, 50.0], [65.0, 50.0], [0.0, 20.0], [0.0, 0.0]])
    first = np.array([[25.0, 50.0 * rho], [50.0 * rho, 100.0]])
    own = np.stack([first, first, np.diag([1.0, 100.0]), np.diag([100.0, 1.0])])
    covariance = alpha * first + (1 - alpha) * own
    z = np.random.default_rng(_params.seed(random_state)).normal(size=(4, n_per_class, 2))
    # Draw the second coordinate given the first; at rho = 1 there is no Cholesky factor.
    variance, slope = covariance[:, 0, 0], covariance[:, 0, 1] / covariance[:, 0, 0]
    x = np.sqrt(variance)[:, None] * z[..., 0]
    rest = np.sqrt(np.maximum(covariance[:, 1, 1] - slope**2 * variance, 0))
    X = means[:, None] + np.stack([x, slope[:, None] * x + rest[:, None] * z[..., 1]], axis=-1)
    return X.reshape(-1, 2), np.repeat(np.arange(1, 5), n_per_class)


def sulzmann_counts() -> tuple[NDArray[np.int64], NDArray[np.str_]]:
    """The example of Section 5 of [1]_, for which one-against-all naive Bayes differs from naive Bayes.

    Returns
    -------
    X : ndarray of int of shape (30, 2)
        Two binary attributes. The first is 1 for 1, 10 and 4 cases of A, B and C, the second for 8, 1 and 3. The paper
        gives only these counts, and naive Bayes needs no more. Here, the ones come first in each class.
    y : ndarray of str
        Ten cases each of A, B and C.

    References
    ----------
    .. [1] Sulzmann, J.-N., Fürnkranz, J. and Hüllermeier, E. (2007). On pairwise naive Bayes classifiers. ECML 2007,
       LNCS 4701, 371-381. https://doi.org/10.1007/978-3-540-74958-5_35

    Examples
    --------
    At (1, 1) naive Bayes gives 4/15, 5/15 and 6/15. Some frequencies are 0 or 1, so a tiny amount of smoothing is
    needed:

    >>> from pwcstats.datasets import sulzmann_counts
    >>> from sklearn.naive_bayes import BernoulliNB
    >>> BernoulliNB(alpha=1e-10).fit(*sulzmann_counts()).predict_proba([[1, 1]]).round(4)
    array([[0.2667, 0.3333, 0.4   ]])
    """
    case = np.arange(10)
    X = np.concatenate([np.column_stack([case < x, case < y]) for x, y in ((1, 8), (10, 1), (4, 3))])
    return X.astype(np.int64), np.repeat(["A", "B", "C"], 10)


def chang_clover(
    d: float,
    n_train: int = 200,
    n_test: int = 200,
    *,
    layout: Literal["diagonal", "printed"] = "diagonal",
    random_state: int | None = None,
) -> Bunch:
    r"""A positive group in the middle of four negative ones, from Study 1 of [1]_.

    Parameters
    ----------
    d : float
        Distance of the negative groups from the middle along each axis; the paper has 0.5 to 4.5.
    n_train, n_test : int
        Rows of each group in the training and in the test set.
    layout : {"diagonal", "printed"}
        Negative groups at (±d, ±d), or at (±d, 0) and (0, ±d). The paper prints the latter, but its accuracies are
        those of the former.
    random_state : int, optional
        Seed. The training rows do not depend on `n_test`.

    Returns
    -------
    sklearn.utils.Bunch
        data : ndarray of shape (5 * (n_train + n_test), 2)
            The training rows, then the test rows, each sorted by group.
        target : ndarray of int
            The groups; 0 is the positive one.
        train : ndarray of bool
            The training rows, as in :func:`load`.
        means : ndarray of shape (5, 2)
            The means of the groups, which are normal with the identity as covariance.

    References
    ----------
    .. [1] Chang, Y.-C. I. (2003). Boosting SVM classifiers with logistic regression. Technical report, Institute of
       Statistical Science, Academia Sinica, Taipei.

    Examples
    --------
    >>> from pwcstats.datasets import chang_clover
    >>> chang_clover(2.0, random_state=0).means.tolist()
    [[0.0, 0.0], [2.0, 2.0], [2.0, -2.0], [-2.0, 2.0], [-2.0, -2.0]]
    """
    centres = np.array(_CLOVER[_params.choice(layout, _CLOVER, "layout")], dtype=np.float64)
    return _normal_groups(_number(d, "d") * centres, n_train, n_test, random_state)


def chang_ordered(d: float, n_train: int = 200, n_test: int = 200, *, random_state: int | None = None) -> Bunch:
    """Five ordered groups in a row, at (0, 0), (d, 0), ..., (4 d, 0), from Study 2 of [1]_.

    Parameters
    ----------
    d : float
        Distance between neighbouring groups; the paper has 0.5 to 4.
    n_train, n_test : int
        Rows of each group in the training and in the test set.
    random_state : int, optional
        Seed. The training rows do not depend on `n_test`.

    Returns
    -------
    sklearn.utils.Bunch
        As :func:`chang_clover` returns it; the groups 0 to 4 are ordered.

    References
    ----------
    .. [1] Chang, Y.-C. I. (2003). Boosting SVM classifiers with logistic regression. Technical report, Institute of
       Statistical Science, Academia Sinica, Taipei.

    Examples
    --------
    >>> from pwcstats.datasets import chang_ordered
    >>> chang_ordered(2, random_state=0).means[:, 0].tolist()
    [0.0, 2.0, 4.0, 6.0, 8.0]
    """
    means = np.column_stack([_number(d, "d") * np.arange(5.0), np.zeros(5)])
    return _normal_groups(means, n_train, n_test, random_state)


def _number(given: Any, name: str, most: float = math.inf) -> float:
    """Check a finite number of at least 0, and at most `most`."""
    needed = "a number of at least 0" if most == math.inf else f"between 0 and {most:g}"
    return _params.number(given, name, needed, lambda x: 0.0 <= x <= most and math.isfinite(x))


def _check_counts(**counts: Any) -> None:
    """Check numbers of rows, which may be 0."""
    for name, count in counts.items():
        _params.count(count, name, 0)


def _normal_groups(means: Array, n_train: int, n_test: int, random_state: int | None) -> Bunch:
    _check_counts(n_train=n_train, n_test=n_test)
    rng = np.random.default_rng(_params.seed(random_state))
    train, test = (means[:, None] + rng.normal(size=(len(means), n, 2)) for n in (n_train, n_test))
    return _split(train, test, means=means)


def _rotation(n: int, rng: np.random.Generator) -> Array:
    """A random orthogonal matrix, uniform by Haar measure: QR of a normal matrix, with signs that make it unique."""
    q, r = np.linalg.qr(rng.normal(size=(n, n)))
    return q * np.sign(np.diag(r))


def _split(train: Array, test: Array, **parameters: Array) -> Bunch:
    """Combine training and test rows, given by class, into data, target and train."""
    blocks = (train, test)
    return Bunch(
        data=np.concatenate([rows.reshape(-1, rows.shape[2]) for rows in blocks]),
        target=np.concatenate([np.repeat(np.arange(len(rows)), rows.shape[1]) for rows in blocks]),
        train=np.repeat([True, False], [rows.shape[0] * rows.shape[1] for rows in blocks]),
        **parameters,
    )

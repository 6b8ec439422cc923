"""Simulated pairwise probabilities of Wu, Lin and Weng."""

from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from pwcstats import _params

__all__ = ["Setting", "noisy_pairs", "wu_lin_weng_probabilities"]

Setting = Literal["balanced", "unbalanced", "highly unbalanced"]


def wu_lin_weng_probabilities(setting: Setting, n_classes: int) -> NDArray[np.float64]:
    """Class probabilities of Figure 1 in Wu, Lin & Weng (2003); class 0 is the most probable.

    Parameters
    ----------
    setting : {"balanced", "unbalanced", "highly unbalanced"}
        Panel (a), (b) or (c) of the figure.
    n_classes : int
        Number of classes, at least 3.

    Returns
    -------
    ndarray of shape (n_classes,)

    Examples
    --------
    >>> from pwcstats.datasets import wu_lin_weng_probabilities
    >>> wu_lin_weng_probabilities("balanced", 5)
    array([0.3  , 0.175, 0.175, 0.175, 0.175])
    """
    _params.choice(setting, get_args(Setting), "setting")
    k = _params.count(n_classes, "n_classes", 3)
    if setting == "balanced":
        first = 1.5 / k
        return np.array([first] + [(1 - first) / (k - 1)] * (k - 1))
    if setting == "unbalanced":
        half = (k + 1) // 2
        first = 0.95 * 1.5 / half
        return np.array([first] + [(0.95 - first) / (half - 1)] * (half - 1) + [0.05 / (k - half)] * (k - half))
    if k == 3:
        first = 0.95 * 1.5 / 2
        return np.array([first, 0.95 - first, 0.05])
    return np.array([0.475] + [0.475 / 2] * 2 + [0.05 / (k - 3)] * (k - 3))


def noisy_pairs(
    p: NDArray[np.float64], n_samples: int, *, noise: float = 0.1, clip: float = 1e-5, random_state: int | None = None
) -> NDArray[np.float64]:
    r"""Pairwise probabilities with normal errors, by (17)-(18) of Wu, Lin & Weng (2003).

    :math:`r_{ij} = p_i / (p_i + p_j) + \text{noise} \cdot z_{ij}` with standard normal :math:`z_{ij}`, clipped to
    [clip, 1 - clip].

    Parameters
    ----------
    p : ndarray of shape (K,)
        Class probabilities.
    n_samples : int
        Number of samples.
    noise : float
        Standard deviation of the errors.
    clip : float
        The smallest pairwise probability.
    random_state : int, optional
        Seed.

    Returns
    -------
    ndarray of shape (n_samples, K(K-1)/2)
        Condensed r; pass it to ``couple(r, condensed=True)``.

    Examples
    --------
    >>> import numpy as np
    >>> from pwcstats.datasets import noisy_pairs
    >>> noisy_pairs(np.array([0.6, 0.3, 0.1]), 2, random_state=0).round(3)
    array([[0.679, 0.844, 0.814],
           [0.677, 0.804, 0.786]])
    """
    n_samples, rng = _params.count(n_samples, "n_samples", 0), np.random.default_rng(_params.seed(random_state))
    i, j = np.triu_indices(len(p), 1)
    errors = rng.normal(scale=noise, size=(n_samples, len(i)))
    return np.clip(p[i] / (p[i] + p[j]) + errors, clip, 1 - clip)

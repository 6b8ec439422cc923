"""Calibration: from cross-validated scores of a pair to probabilities."""

import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import logit
from sklearn.isotonic import IsotonicRegression

from pwcstats._arrays import Array
from pwcstats._kernels import sigmoid as kernel
from pwcstats.errors import ConvergenceWarning
from pwcstats.pairwise.learners import bounded


def fit_sigmoid(scores: Array, positive: NDArray[np.bool_], weight: Array, pair: str) -> tuple[float, float]:
    r"""Platt's sigmoid by Lin, Lin & Weng's Newton method.

    :math:`P(\text{positive} \mid f) = 1 / (1 + \exp(A f + B))`, where the targets are :math:`(n_+ + 1) / (n_+ + 2)` and
    :math:`1 / (n_- + 2)`.

    Parameters
    ----------
    scores : ndarray of shape (n,)
        Cross-validated scores.
    positive : ndarray of bool, shape (n,)
        Whether a row is of the class that high scores favour.
    weight : ndarray of shape (n,)
        Weights of the rows.
    pair : str
        Words for the pair, for a warning.

    Returns
    -------
    tuple of float
        A and B.

    References
    ----------
    .. [1] Platt, J. (2000). Probabilistic outputs for support vector machines and comparison to regularized likelihood
       methods. In: Advances in Large Margin Classifiers, MIT Press, 61-74.
    .. [2] Lin, H.-T., Lin, C.-J. and Weng, R. C. (2007). A note on Platt's probabilistic outputs for support vector
       machines. Machine Learning 68, 267-276. https://doi.org/10.1007/s10994-007-5018-6
    """
    # In theory Newton's steps do not depend on unit and origin of the scores; the ridge in them and rounding do.
    # (The middle of equal scores is their value to the last digit; their mean may not be.)
    low, high = float(scores.min()), float(scores.max())
    centre, unit = 0.5 * low + 0.5 * high, 0.5 * high - 0.5 * low or 1.0
    a, b, converged = kernel.sigmoid((scores - centre) / unit, positive, weight)
    if not converged:
        warnings.warn(
            f"the sigmoid of the pair {pair} did not converge: its scores differ by too many orders of magnitude; "
            "scale the columns of X, or use calibration='isotonic'.",
            ConvergenceWarning,
            stacklevel=2,
        )
    return a / unit, b - a / unit * centre


def fit_isotonic(scores: Array, positive: NDArray[np.bool_], weight: Array) -> Any:
    """The increasing step function that is nearest to the outcomes."""
    step = IsotonicRegression(y_min=0.0, y_max=1.0, out_of_bounds="clip")
    return step.fit(scores, positive.astype(np.float64), sample_weight=weight)


def isotonic_log_odds(step: Any, scores: Array) -> Array:
    """Log-odds of a fitted step function."""
    with np.errstate(divide="ignore"):
        return bounded(logit(step.predict(scores)))

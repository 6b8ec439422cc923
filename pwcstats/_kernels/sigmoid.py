"""Platt's sigmoid by the Newton method of Lin, Lin & Weng (2007)."""

import math

import numpy as np

from pwcstats._kernels.lanes import compiled

MAX_ITER = 100
# Added to the diagonal of the Hessian, which is singular if all scores are equal.
RIDGE = 1e-12
SHORTEST_STEP = 1e-10
# If a Newton step promises less than this share of the loss, only rounding is left.
SMALLEST_GAIN = 1e-15


@compiled
def sigmoid(scores, positive, weight):
    """A and B of P(positive | f) = 1 / (1 + exp(A f + B)), and whether the Newton steps converged.

    The targets are Platt's, (n + 1) / (n + 2) and 1 / (n + 2) with the total weights n of the two classes, so separated
    scores have finite estimates. Loss and derivatives are written so that no exponential overflows.
    """
    n = scores.shape[0]
    n_positive, n_negative = 0.0, 0.0
    for k in range(n):
        if positive[k]:
            n_positive += weight[k]
        else:
            n_negative += weight[k]
    target = np.where(positive, (n_positive + 1.0) / (n_positive + 2.0), 1.0 / (n_negative + 2.0))
    a, b = 0.0, math.log((n_negative + 1.0) / (n_positive + 1.0))
    value = _loss(scores, target, weight, a, b)
    for _ in range(MAX_ITER):
        g_a, g_b, h_aa, h_ab, h_bb = _derivatives(scores, target, weight, a, b)
        h_aa += RIDGE
        h_bb += RIDGE
        determinant = h_aa * h_bb - h_ab * h_ab
        d_a = -(h_bb * g_a - h_ab * g_b) / determinant
        d_b = -(h_aa * g_b - h_ab * g_a) / determinant
        slope = g_a * d_a + g_b * d_b
        if -slope <= SMALLEST_GAIN * (1.0 + value):
            return a, b, True
        step = 1.0
        while step >= SHORTEST_STEP:
            new = _loss(scores, target, weight, a + step * d_a, b + step * d_b)
            if new < value + 1e-4 * step * slope:
                break
            step /= 2.0
        if step < SHORTEST_STEP:
            # No step decreases the loss: it is exact to the last digit, or the scores are too far apart or NaN.
            return a, b, -slope < 1e-9 * (1.0 + value)
        a, b, value = a + step * d_a, b + step * d_b, new
    return a, b, False


@compiled
def _loss(scores, target, weight, a, b):
    """Weighted cross-entropy."""
    total = 0.0
    for k in range(scores.shape[0]):
        x = scores[k] * a + b
        if x >= 0.0:
            total += weight[k] * (target[k] * x + math.log1p(math.exp(-x)))
        else:
            total += weight[k] * ((target[k] - 1.0) * x + math.log1p(math.exp(x)))
    return total


@compiled
def _derivatives(scores, target, weight, a, b):
    """Gradient and Hessian of the loss."""
    g_a, g_b, h_aa, h_ab, h_bb = 0.0, 0.0, 0.0, 0.0, 0.0
    for k in range(scores.shape[0]):
        x = scores[k] * a + b
        small = math.exp(-abs(x))
        q = 1.0 / (1.0 + small) if x >= 0.0 else small / (1.0 + small)
        residual = weight[k] * (target[k] - 1.0 + q)
        curve = weight[k] * small / ((1.0 + small) * (1.0 + small))
        g_a += scores[k] * residual
        g_b += residual
        h_aa += scores[k] * scores[k] * curve
        h_ab += scores[k] * curve
        h_bb += curve
    return g_a, g_b, h_aa, h_ab, h_bb

"""Likelihood of the multinomial logit, its derivatives, and Firth's penalty."""

import math

import numpy as np

from pwcstats._kernels.lanes import compiled

# Rows of a block; a block of about twenty columns stays in the cache.
ROWS = 512
# If all leverages are at most this, the curvature of the penalty is neglected; Newton steps then shrink by a factor of
# about the largest leverage.
SMALL_LEVERAGE = 0.03
# Number of parameters from which LAPACK is faster than a loop.
LAPACK = 64


@compiled
def evaluate(x, code, weight, offset, beta, firth, probability, score, information, slope):
    """Evaluate the likelihood and its derivatives at beta (columns x classes but the first).

    Fills the probabilities of the classes but the first, the score (class by class), the information and, with `firth`,
    `slope`, an approximation of the curvature of the penalised likelihood. Returns the log-likelihood, the log
    determinant of the information (NaN if it is singular) and the largest leverage of a row.
    """
    n, p = x.shape
    m = beta.shape[1]
    llf = 0.0
    score[:] = 0.0
    information[:] = 0.0
    residual = np.empty((min(n, ROWS), m))
    for start in range(0, n, ROWS):
        stop = min(start + ROWS, n)
        block = x[start:stop]
        eta = np.dot(block, beta)
        part = 0.0
        for i in range(stop - start):
            row = start + i
            largest = 0.0
            top = -1
            for j in range(m):
                eta[i, j] += offset[row]
                if eta[i, j] > largest:
                    largest = eta[i, j]
                    top = j
            # Sum of all terms but the largest, which is 1, so that small terms keep their digits.
            rest = 0.0 if top < 0 else math.exp(-largest)
            for j in range(m):
                if j == top:
                    probability[row, j] = 1.0
                else:
                    probability[row, j] = math.exp(eta[i, j] - largest)
                    rest += probability[row, j]
            chosen = eta[i, code[row] - 1] if code[row] > 0 else 0.0
            part += weight[row] * (chosen - largest - math.log1p(rest))
            for j in range(m):
                probability[row, j] /= 1.0 + rest
                residual[i, j] = weight[row] * ((1.0 if code[row] == j + 1 else 0.0) - probability[row, j])
        llf += part
        for j in range(m):
            score[j * p : (j + 1) * p] += np.dot(block.T, np.ascontiguousarray(residual[: stop - start, j]))
        _add_information(block, weight[start:stop], probability[start:stop], information)
    _mirror(information, p, m)
    if not firth:
        return llf, 0.0, 0.0
    log_determinant, root = _inverse_root(information)
    if math.isnan(log_determinant):
        return llf, log_determinant, 1.0
    cov = np.dot(root.T, root)
    leverage = np.empty(n)
    for start in range(0, n, ROWS):
        stop = min(start + ROWS, n)
        addition = _penalty(x[start:stop], weight[start:stop], probability[start:stop], cov, leverage[start:stop])
        for j in range(m):
            score[j * p : (j + 1) * p] += np.dot(x[start:stop].T, np.ascontiguousarray(addition[:, j]))
    highest = (weight * leverage).max()
    if leverage.max() <= SMALL_LEVERAGE:
        slope[:] = information
        return llf, log_determinant, highest
    # The penalty acts as if the weight of each row were larger by its leverage, half of it for either outcome.
    slope[:] = 0.0
    for start in range(0, n, ROWS):
        stop = min(start + ROWS, n)
        heavier = weight[start:stop] * (1.0 + leverage[start:stop])
        _add_information(x[start:stop], heavier, probability[start:stop], slope)
    _mirror(slope, p, m)
    return llf, log_determinant, highest


@compiled
def evaluate_rows(x, code, weight, offset, m, params, firth, value, score, slope):
    """Evaluate values (-inf if undefined), scores and curvatures at several points, the rows of `params`."""
    p = x.shape[1]
    probability = np.empty((x.shape[0], m))
    information = np.empty((m * p, m * p))
    for k in range(params.shape[0]):
        beta = np.ascontiguousarray(params[k].reshape((m, p)).T)
        llf, log_determinant, _ = evaluate(
            x, code, weight, offset, beta, firth, probability, score[k], information, slope[k]
        )
        value[k] = llf + 0.5 * log_determinant
        if math.isnan(value[k]):
            value[k] = -np.inf
        if not firth:
            slope[k] = information


@compiled
def _add_information(block, weight, probability, out):
    """Add X' diag(w (p_j 1[j=k] - p_j p_k)) X for each pair of classes j >= k."""
    rows, p = block.shape
    m = probability.shape[1]
    scaled = np.empty((rows, p))
    for j in range(m):
        for k in range(j + 1):
            for i in range(rows):
                w = weight[i] * probability[i, j] * ((1.0 if j == k else 0.0) - probability[i, k])
                for c in range(p):
                    scaled[i, c] = w * block[i, c]
            out[j * p : (j + 1) * p, k * p : (k + 1) * p] += np.dot(scaled.T, block)


@compiled
def _mirror(a, p, m):
    for i in range(m * p):
        for j in range(i):
            a[j, i] = a[i, j]


@compiled
def _inverse_root_of_many(a):
    """`_inverse_root` by LAPACK, for large matrices."""
    n = a.shape[0]
    factor = np.zeros((n, n))
    try:
        factor = np.ascontiguousarray(np.linalg.cholesky(a))
    except Exception:
        return np.nan, factor
    log_determinant = 0.0
    for j in range(n):
        pivot = factor[j, j] * factor[j, j]
        if not pivot > 1e-13 * a[j, j]:
            return np.nan, factor
        log_determinant += math.log(pivot)
    return log_determinant, np.ascontiguousarray(np.linalg.inv(factor))


@compiled
def _inverse_root(a):
    """Log determinant of a matrix and inverse of its Cholesky factor; NaN if it is numerically singular."""
    n = a.shape[0]
    if n > LAPACK:
        return _inverse_root_of_many(a)
    factor = np.zeros((n, n))
    log_determinant = 0.0
    for j in range(n):
        pivot = a[j, j]
        for k in range(j):
            pivot -= factor[j, k] * factor[j, k]
        if not pivot > 1e-13 * a[j, j]:
            return np.nan, factor
        factor[j, j] = math.sqrt(pivot)
        log_determinant += math.log(pivot)
        for i in range(j + 1, n):
            total = a[i, j]
            for k in range(j):
                total -= factor[i, k] * factor[j, k]
            factor[i, j] = total / factor[j, j]
    inverse = np.zeros((n, n))
    for j in range(n):
        inverse[j, j] = 1.0 / factor[j, j]
        for i in range(j + 1, n):
            total = 0.0
            for k in range(j, i):
                total -= factor[i, k] * inverse[k, j]
            inverse[i, j] = total / factor[i, i]
    return log_determinant, inverse


@compiled
def _penalty(block, weight, probability, cov, leverage):
    """Firth's additions to the residuals of some rows; fills in their leverages.

    `cov` is the covariance of the parameters. Let V be the covariance of the linear predictors of a row (0 for class
    0), d_o the residuals of the indicators if the outcome is o, and s_o = d_o'V d_o. The leverage is the mean of s_o
    over the outcomes, and the addition is half the mean of d_o s_o.
    """
    rows, p = block.shape
    m = probability.shape[1]
    # First, `out` holds V_jj - 2 (Vp)_j, the part of s_j that depends on j.
    out = np.zeros((rows, m))
    mean_variance, variance_of_mean = np.zeros(rows), np.zeros(rows)
    for j in range(m):
        for k in range(j + 1):
            part = np.dot(block, np.ascontiguousarray(cov[j * p : (j + 1) * p, k * p : (k + 1) * p]))
            for i in range(rows):
                v = 0.0
                for c in range(p):
                    v += part[i, c] * block[i, c]
                if j == k:
                    out[i, j] += v * (1.0 - 2.0 * probability[i, j])
                    mean_variance[i] += probability[i, j] * v
                    variance_of_mean[i] += probability[i, j] * probability[i, j] * v
                else:
                    out[i, j] -= 2.0 * probability[i, k] * v
                    out[i, k] -= 2.0 * probability[i, j] * v
                    variance_of_mean[i] += 2.0 * probability[i, j] * probability[i, k] * v
    for i in range(rows):
        leverage[i] = mean_variance[i] - variance_of_mean[i]
        for j in range(m):
            out[i, j] = 0.5 * weight[i] * probability[i, j] * (out[i, j] + variance_of_mean[i] - leverage[i])
    return out

"""Slow reference implementations of the logit models: the formulas as written, maximised by scipy."""

import numpy as np
from scipy.optimize import minimize


def probabilities(x, beta):
    """beta: columns x classes but the first."""
    eta = np.column_stack([np.zeros(len(x)), x @ beta])
    e = np.exp(eta - eta.max(axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True)


def information(x, p, weight):
    """Sum over rows of w (diag p - p p') kron x x', classes but the first."""
    q = p[:, 1:]
    inner = weight[:, None, None] * (np.eye(q.shape[1]) * q[:, :, None] - q[:, :, None] * q[:, None, :])
    blocks = np.einsum("ijk,ia,ib->jakb", inner, x, x)
    return blocks.reshape(q.shape[1] * x.shape[1], -1)


def log_likelihood(x, code, weight, offset, flat, firth, tau=0.5):
    m = code.max()
    eta = np.column_stack([np.zeros(len(x)), x @ flat.reshape(m, -1).T + offset[:, None]])
    p = np.exp(eta - eta.max(axis=1, keepdims=True))
    p /= p.sum(axis=1, keepdims=True)
    llf = np.sum(weight * np.log(p[np.arange(len(x)), code]))
    if not firth:
        return llf
    return llf + tau * np.linalg.slogdet(information(x, p, weight))[1]


def maximum(x, code, weight=None, offset=None, firth=True, held=None, start=None, seeds=6, tau=0.5):
    """Best of several BFGS runs; `held` coefficients stay at those of `start`."""
    weight = np.ones(len(x)) if weight is None else weight
    offset = np.zeros(len(x)) if offset is None else offset
    size = x.shape[1] * code.max()
    held = np.zeros(size, bool) if held is None else held
    base = np.zeros(size) if start is None else np.array(start, float)
    free = ~held

    def whole(z):
        full = base.copy()
        full[free] = z
        return full

    def f(z):
        value = log_likelihood(x, code, weight, offset, whole(z), firth, tau)
        return -value if np.isfinite(value) else 1e10

    best = None
    for seed in range(seeds):
        z0 = np.random.default_rng(seed).normal(size=free.sum()) * seed
        end = minimize(f, z0, method="BFGS", options={"gtol": 1e-7})
        if best is None or end.fun < best.fun:
            best = end
    return whole(best.x), -best.fun


# Ordered classes


def cumulative_probabilities(x, slopes, thresholds, offset=0.0):
    """P(Y <= j) = F(threshold_j - x'slopes), and their differences, in columns."""
    below = 1.0 / (1.0 + np.exp(-(thresholds - (x @ slopes + offset)[:, None])))
    below = np.column_stack([np.zeros(len(x)), below, np.ones(len(x))])
    return np.diff(below, axis=1)


def cumulative_information(x, slopes, thresholds, weight, offset=0.0):
    """Sum over rows and classes of w times dp dp' / p, the expected information."""
    below = 1.0 / (1.0 + np.exp(-(thresholds - (x @ slopes + offset)[:, None])))
    cuts = (below * (1.0 - below))[:, :, None] * np.concatenate(
        [np.repeat(-x[:, None], len(thresholds), axis=1), np.tile(np.eye(len(thresholds)), (len(x), 1, 1))], axis=2
    )
    nothing = np.zeros((len(x), 1, cuts.shape[2]))
    derivatives = np.diff(np.concatenate([nothing, cuts, nothing], axis=1), axis=1)
    proba = cumulative_probabilities(x, slopes, thresholds, offset)
    return np.einsum("i,ija,ijb,ij->ab", weight, derivatives, derivatives, 1.0 / proba)


def cumulative_log_likelihood(x, code, theta, firth, weight=None, offset=0.0):
    """theta: slopes, then thresholds."""
    p, weight = x.shape[1], np.ones(len(x)) if weight is None else weight
    if (np.diff(theta[p:]) <= 0).any():
        return -np.inf
    proba = cumulative_probabilities(x, theta[:p], theta[p:], offset)
    llf = np.sum(weight * np.log(proba[np.arange(len(x)), code]))
    return llf + (0.5 * np.linalg.slogdet(cumulative_information(x, theta[:p], theta[p:], weight, offset))[1] * firth)


def cumulative_maximum(x, code, firth=True, weight=None, offset=0.0, held=None, start=None):
    """Nelder-Mead, then BFGS, over slopes and thresholds; `held` entries stay at those of `start`."""
    p, m = x.shape[1], code.max()
    share = np.cumsum(np.bincount(code))[:-1] / len(code)
    base = np.concatenate([np.zeros(p), np.log(share / (1 - share))]) if start is None else np.array(start, float)
    free = np.ones(p + m, bool) if held is None else ~held

    def whole(z):
        full = base.copy()
        full[free] = z
        return full

    def f(z):
        with np.errstate(all="ignore"):
            value = cumulative_log_likelihood(x, code, whole(z), firth, weight, offset)
        return -value if np.isfinite(value) else 1e10

    z = minimize(f, base[free], method="Nelder-Mead").x
    z = minimize(f, z, method="BFGS", options={"gtol": 1e-7}).x
    return whole(z), -f(z)


def adjacent_coefficients(theta, m, parallel):
    """Coefficients of the classes against the lowest, classes x columns: sums of those of the steps."""
    steps = theta.reshape(m, -1)
    if parallel:
        steps = np.array([[constant, *theta[m:]] for constant in theta[:m]])
    return np.cumsum(steps, axis=0)


def adjacent_log_likelihood(x, code, theta, parallel, firth, weight=None, offset=0.0):
    """theta: constant and slopes of each step, or all constants and then common slopes."""
    m, weight = code.max(), np.ones(len(x)) if weight is None else weight
    z = np.column_stack([np.ones(len(x)), x])
    coefficients = adjacent_coefficients(theta, m, parallel)
    added = np.outer(offset * np.ones(len(x)), np.arange(1, m + 1))
    eta = np.column_stack([np.zeros(len(x)), z @ coefficients.T + added])
    p = np.exp(eta - eta.max(axis=1, keepdims=True))
    p /= p.sum(axis=1, keepdims=True)
    llf = np.sum(weight * np.log(p[np.arange(len(x)), code]))
    if not firth:
        return llf
    jacobian = np.array([adjacent_coefficients(one, m, parallel).ravel() for one in np.eye(len(theta))])
    return llf + 0.5 * np.linalg.slogdet(jacobian @ information(z, p, weight) @ jacobian.T)[1]


def adjacent_maximum(x, code, parallel, firth=True, weight=None, offset=0.0, held=None, start=None):
    """BFGS from several starts; `held` coefficients stay at those of `start`."""
    m, p = code.max(), x.shape[1]
    base = np.zeros(m + p if parallel else m * (p + 1)) if start is None else np.array(start, float)
    free = np.ones(len(base), bool) if held is None else ~held

    def whole(z):
        full = base.copy()
        full[free] = z
        return full

    def f(z):
        with np.errstate(all="ignore"):
            value = adjacent_log_likelihood(x, code, whole(z), parallel, firth, weight, offset)
        return -value if np.isfinite(value) else 1e10

    starts = [base[free], *(np.random.default_rng(seed).normal(size=(2, free.sum())) for seed in (0,))]
    ends = [minimize(f, z, method="BFGS", options={"gtol": 1e-7}) for z in np.vstack(starts)]
    best = min(ends, key=lambda end: end.fun)
    return whole(best.x), -best.fun

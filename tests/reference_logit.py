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

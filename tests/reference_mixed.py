"""Slow references for Bradley–Terry models with random effects, written as the formulas of the papers."""

import numpy as np
from scipy.optimize import brentq, minimize
from scipy.special import expit, logsumexp


def design(first, second, n_effects):
    """Z as a dense matrix; -1 means no effect."""
    z = np.zeros((len(first), n_effects))
    for row, (i, j) in enumerate(zip(first, second, strict=True)):
        if i >= 0:
            z[row, i] += 1.0
        if j >= 0:
            z[row, j] -= 1.0
    return z


def log_likelihood(eta, wins, trials):
    return float(np.sum(wins * eta - trials * np.logaddexp(0.0, eta)))


def laplace(x, z, wins, trials, beta, sigma):
    """l(eta) - u'u / (2 sigma²) - K log sigma - log|Z'WZ + I / sigma²| / 2 at the mode, by plain Newton steps."""
    u = np.zeros(z.shape[1])
    for _ in range(200):
        p = expit(x @ beta + z @ u)
        information = z.T @ (z * (trials * p * (1 - p))[:, None]) + np.eye(len(u)) / sigma**2
        step = np.linalg.solve(information, z.T @ (wins - trials * p) - u / sigma**2)
        # Short steps cannot overshoot.
        u = u + step / max(1.0, np.abs(step).max())
        if np.abs(step).max() < 1e-12:
            break
    _, log_determinant = np.linalg.slogdet(information)
    penalised = log_likelihood(x @ beta + z @ u, wins, trials) - u @ u / (2 * sigma**2)
    return penalised - len(u) * np.log(sigma) - 0.5 * log_determinant


def fit_laplace(x, z, wins, trials):
    """Direct maximisation without derivatives: beta and sigma."""

    def objective(params):
        return -laplace(x, z, wins, trials, params[:-1], np.exp(params[-1]))

    found = minimize(objective, np.zeros(x.shape[1] + 1), method="Powell", options={"xtol": 1e-10, "ftol": 1e-14})
    options = {"xatol": 1e-10, "fatol": 1e-13, "maxiter": 9999}
    found = minimize(objective, found.x, method="Nelder-Mead", options=options)
    return found.x[:-1], float(np.exp(found.x[-1])), -found.fun


def marginal(x, z, wins, trials, beta, sigma, n_nodes=120):
    """The marginal log-likelihood by the trapezoidal rule on a grid of all random effects."""
    nodes = np.linspace(-8.0, 8.0, n_nodes)
    v = np.stack(np.meshgrid(*[nodes] * z.shape[1]), axis=-1).reshape(-1, z.shape[1])
    eta = x @ beta + sigma * (v @ z.T)
    log_joint = eta @ wins - np.logaddexp(0.0, eta) @ trials - 0.5 * (v**2).sum(axis=1)
    constant = z.shape[1] * np.log((nodes[1] - nodes[0]) / np.sqrt(2.0 * np.pi))
    return float(logsumexp(log_joint) + constant)


def fit_pql(x, z, wins, trials):
    """Breslow and Clayton: generalised least squares for the working response, restricted likelihood for sigma.

    Returns beta, its covariance, sigma, its standard error, and u.
    """

    def converged_at(log_variance):
        variance = np.exp(log_variance)
        beta, u = np.zeros(x.shape[1]), np.zeros(z.shape[1])
        for _ in range(500):
            eta = x @ beta + z @ u
            p = expit(eta)
            w = trials * p * (1 - p)
            y = eta + (wins - trials * p) / w
            v_inverse = np.linalg.inv(np.diag(1 / w) + variance * z @ z.T)
            cov = np.linalg.inv(x.T @ v_inverse @ x)
            new = cov @ x.T @ v_inverse @ y
            new_u = variance * z.T @ v_inverse @ (y - x @ new)
            change = max(np.abs(new - beta).max(initial=0), np.abs(new_u - u).max())
            beta, u = new, new_u
            if change < 1e-13:
                break
        projection = v_inverse - v_inverse @ x @ cov @ x.T @ v_inverse
        zpz = z.T @ projection @ z
        score = 0.5 * (np.sum((z.T @ projection @ y) ** 2) - np.trace(zpz))
        return beta, cov, u, score, 0.5 * np.sum(zpz**2)

    root = brentq(lambda log_variance: converged_at(log_variance)[3], -6, 3, xtol=1e-13)
    beta, cov, u, _, information = converged_at(root)
    sigma = np.exp(0.5 * root)
    return beta, cov, sigma, 1 / (2 * sigma * np.sqrt(information)), u

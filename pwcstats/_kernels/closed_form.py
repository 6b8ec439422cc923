"""Couplings that need no system: pkpd, rv, vote, sum, bayes."""

import numpy as np

from pwcstats._kernels.blocks import LANES, compiled, load, load_clipped, load_weights, store


@compiled
def pkpd(values, upper, clip, first, stop, out):
    """Price, Knerr, Personnaz & Dreyfus (1995): p_i = 1 / (sum_j 1/r_ij - (K - 2)), normalised."""
    n_classes = out.shape[1]
    block = np.empty((upper.shape[0], LANES))
    p = np.empty((n_classes, LANES))
    for start in range(first, stop, LANES):
        load_clipped(values, upper, start, clip, block)
        p[:, :] = 2.0 - n_classes
        pair = 0
        for i in range(n_classes):
            for j in range(i + 1, n_classes):
                for lane in range(LANES):
                    p[i, lane] += 1.0 / block[pair, lane]
                    p[j, lane] += 1.0 / (1.0 - block[pair, lane])
                pair += 1
        for i in range(n_classes):
            for lane in range(LANES):
                p[i, lane] = 1.0 / p[i, lane]
        store(p, start, stop, out)


@compiled
def rv(values, upper, clip, first, stop, out):
    """Refregier & Vallet (1991): the K - 1 equations r_hi p_i = r_ih p_h of the class h with the largest sum_j r_hj."""
    n_classes = out.shape[1]
    block = np.empty((upper.shape[0], LANES))
    p = np.empty((n_classes, LANES))
    for start in range(first, stop, LANES):
        load_clipped(values, upper, start, clip, block)
        p[:, :] = 0.0
        _add_shares(block, p)
        for lane in range(LANES):
            hub = np.argmax(p[:, lane])
            for i in range(n_classes):
                if i != hub:
                    j, k = min(i, hub), max(i, hub)
                    r = block[j * (2 * n_classes - j - 1) // 2 + k - j - 1, lane]
                    p[i, lane] = r / (1.0 - r) if i < hub else (1.0 - r) / r
            p[hub, lane] = 1.0
            if np.sum(np.isinf(p[:, lane])) == 1:
                # The limit r -> 0 of one equation; two such equations leave the ratio of their classes open.
                for i in range(n_classes):
                    p[i, lane] = 1.0 if np.isinf(p[i, lane]) else 0.0
        store(p, start, stop, out)


@compiled
def shares(values, upper, first, stop, out):
    """p_i = 2 sum_j r_ij / (K (K - 1))."""
    block = np.empty((upper.shape[0], LANES))
    p = np.empty((out.shape[1], LANES))
    for start in range(first, stop, LANES):
        load(values, upper, start, block)
        p[:, :] = 0.0
        _add_shares(block, p)
        store(p, start, stop, out)


@compiled
def vote(values, upper, first, stop, out):
    """p_i = 2 wins_i / (K (K - 1)), half a win each where r = 1/2."""
    block = np.empty((upper.shape[0], LANES))
    p = np.empty((out.shape[1], LANES))
    for start in range(first, stop, LANES):
        load(values, upper, start, block)
        for pair in range(block.shape[0]):
            for lane in range(LANES):
                r = block[pair, lane]
                block[pair, lane] = 1.0 if r > 0.5 else (0.5 if r == 0.5 else 0.0)
        p[:, :] = 0.0
        _add_shares(block, p)
        store(p, start, stop, out)


@compiled
def bayes(values, upper, mass, first, stop, out):
    """Sulzmann, Fuernkranz & Huellermeier (2007), Theorem 1: p_i = sum_j m_ij r_ij / (K - 1), normalised."""
    n_classes = out.shape[1]
    block = np.empty((upper.shape[0], LANES))
    weight = np.empty((upper.shape[0], LANES))
    p = np.empty((n_classes, LANES))
    for start in range(first, stop, LANES):
        load(values, upper, start, block)
        load_weights(mass, start, weight)
        p[:, :] = 0.0
        pair = 0
        for i in range(n_classes):
            for j in range(i + 1, n_classes):
                for lane in range(LANES):
                    p[i, lane] += weight[pair, lane] * block[pair, lane]
                    p[j, lane] += weight[pair, lane] * (1.0 - block[pair, lane])
                pair += 1
        store(p, start, stop, out)


@compiled
def _add_shares(block, p):
    n_classes = p.shape[0]
    pair = 0
    for i in range(n_classes):
        for j in range(i + 1, n_classes):
            for lane in range(LANES):
                p[i, lane] += block[pair, lane]
                p[j, lane] += 1.0 - block[pair, lane]
            pair += 1

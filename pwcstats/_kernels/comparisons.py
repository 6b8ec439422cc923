"""Paired comparisons: aggregation of rows into a table of pairs, and the likelihood of the table.

The probabilities that the first item of a pair wins, that the second wins and that they tie are proportional to
exp(d / 2), exp(-d / 2) and nu. Here d is the difference of their abilities, plus the order effect if the first item has
it. With nu = 0 this is the model of Bradley and Terry, else that of Davidson. The sufficient statistics of d and log nu
are (win - loss) / 2 and tie.
"""

import math

import numpy as np

from pwcstats._kernels.lanes import compiled

# Columns of the counts of a table.
WIN, LOSS, TIE = 0, 1, 2


@compiled
def aggregate(winner, loser, tie, home, weight, n_items, cell):
    """Aggregate rows by pair: `first`, `second`, `ordered` and `counts` of each pair, sorted by `first`.

    `home` is 1 if the winner has the order effect, -1 if the loser has it, and 0 if nobody has. A pair without it has
    the lower item first. An empty `weight` means ones. `cell`, unless empty, receives the index of each row's count in
    the flattened counts. The time is linear in the numbers of rows and items.
    """
    n = winner.shape[0]
    slot = np.zeros(n_items + 1, np.int64)
    for row in range(n):
        slot[_oriented(winner[row], loser[row], home[row])[0] + 1] += 1
    for i in range(n_items):
        slot[i + 1] += slot[i]
    sorted_rows = np.empty(n, np.int32)
    for row in range(n):
        a, _ = _oriented(winner[row], loser[row], home[row])
        sorted_rows[slot[a]] = row
        slot[a] += 1
    # The last pair with each second item, and its first item; separately with and without the order effect.
    last = np.full(2 * n_items, -1, np.int32)
    last_first = np.full(2 * n_items, -1, np.int32)
    pair_of = np.empty(n, np.int32)
    n_pairs = 0
    for row in sorted_rows:
        a, b = _oriented(winner[row], loser[row], home[row])
        if last_first[b] != a:
            last_first[b], last[b] = a, n_pairs
            n_pairs += 1
        pair_of[row] = last[b]
    first = np.empty(n_pairs, np.int32)
    second = np.empty(n_pairs, np.int32)
    ordered = np.empty(n_pairs, np.float64)
    counts = np.zeros((n_pairs, 3))
    for row in sorted_rows:
        a, b = _oriented(winner[row], loser[row], home[row])
        pair = pair_of[row]
        first[pair], second[pair], ordered[pair] = a, b // 2, b % 2
        outcome = TIE if tie[row] else (WIN if winner[row] == a else LOSS)
        counts[pair, outcome] += weight[row] if weight.shape[0] > 0 else 1.0
        if cell.shape[0] > 0:
            cell[row] = 3 * pair + outcome
    return first, second, ordered, counts


@compiled
def _oriented(winner, loser, home):
    """The first item; and twice the second item, plus 1 if the first has the order effect."""
    if home == 1:
        return winner, 2 * loser + 1
    if home == -1:
        return loser, 2 * winner + 1
    return min(winner, loser), 2 * max(winner, loser)


@compiled
def evaluate(first, second, ordered, counts, ability, order, log_nu, begin, end, score, variance, cross):
    """Likelihood and derivatives of pairs begin..end-1; `log_nu` is minus infinity in a model without ties.

    Fills `score` for the ability of each item, and for each pair the `variance` of (win - loss) / 2 and, unless `cross`
    is empty, its covariance with tie. Returns the log-likelihood, the scores of order effect and log nu, and their
    information (order, both, log nu). Nearly equal numbers are never subtracted from each other.
    """
    score[:] = 0.0
    with_ties = cross.shape[0] > 0
    llf = score_order = score_tie = info_order = info_both = info_tie = 0.0
    for pair in range(begin, end):
        i, j, h = first[pair], second[pair], ordered[pair]
        n_win, n_loss = counts[pair, WIN], counts[pair, LOSS]
        n = n_win + n_loss
        d = ability[i] - ability[j] + h * order
        win, loss, tie, others = _probabilities(d, log_nu)
        u = n_win * loss - n_loss * win
        v = win * loss
        llf -= n_win * max(-d, 0.0) + n_loss * max(d, 0.0)
        if with_ties:
            n_tie, decided = counts[pair, TIE], win + loss
            u += 0.5 * (tie * (n_win - n_loss) + n_tie * (loss - win))
            v += 0.25 * tie * decided
            score_tie += n_tie * decided - n * tie
            reach = log_nu - 0.5 * abs(d)
            # If ties are likely, the log of their probability is a small difference of large terms; avoid that.
            if reach > 0.0:
                llf -= n_tie * math.log1p((1.0 + math.exp(-abs(d))) * math.exp(-reach))
            else:
                llf += n_tie * (reach - math.log1p(others))
            c = 0.5 * (n + n_tie) * tie * (loss - win)
            cross[pair] = c
            info_both += h * c
            info_tie += (n + n_tie) * tie * decided
            v *= n + n_tie
        else:
            v *= n
        # log1p takes twice as long as log, and is only needed if adding 1 would lose digits.
        llf -= n * (math.log(1.0 + others) if others > 0.01 else math.log1p(others))
        score[i] += u
        score[j] -= u
        variance[pair] = v
        score_order += h * u
        info_order += h * v
    return llf, score_order, score_tie, info_order, info_both, info_tie


@compiled
def _probabilities(d, log_nu):
    """Probabilities of win, loss and tie, and the odds against a win of the favourite."""
    other = math.exp(-abs(d))
    even = math.exp(log_nu - 0.5 * abs(d)) if log_nu > -np.inf else 0.0
    others = other + even
    favourite = 1.0 / (1.0 + others)
    outsider = other * favourite
    ahead = d >= 0.0
    return favourite if ahead else outsider, outsider if ahead else favourite, even * favourite, others


@compiled
def predict(d, log_nu, out):
    """Probabilities of win, loss and tie for each difference of abilities."""
    for k in range(d.shape[0]):
        win, loss, tie, _ = _probabilities(d[k], log_nu)
        out[k, WIN], out[k, LOSS], out[k, TIE] = win, loss, tie


@compiled
def bias(first, second, ordered, counts, d, log_nu, var_d, cov_d_tie, var_tie, out, leverage):
    """Firth's addition to the scores: half the trace of the covariance times the derivative of the information.

    `var_d`, `cov_d_tie` and `var_tie` are the (co)variances of each pair's d and of log nu. Fills `out` with the
    addition for d, and returns the addition for log nu. The derivatives of the information are third moments of
    (win - loss) / 2 and tie. `leverage` receives the leverage of each pair divided by its number of comparisons. The
    leverage of a pair is at most 1, or 2 with ties; more is a rounding error, if its variance is small compared with
    those of other pairs.
    """
    for_tie = 0.0
    most = 2.0 if log_nu > -np.inf else 1.0
    for pair in range(first.shape[0]):
        n = counts[pair, WIN] + counts[pair, LOSS] + counts[pair, TIE]
        win, loss, tie, _ = _probabilities(d[pair], log_nu)
        mean = 0.5 * (win - loss)
        sum_d, sum_tie, total = 0.0, 0.0, 0.0
        for outcome in range(3):
            p = win if outcome == WIN else (loss if outcome == LOSS else tie)
            x = (0.5 if outcome == WIN else (-0.5 if outcome == LOSS else 0.0)) - mean
            y = (1.0 if outcome == TIE else 0.0) - tie
            spread = p * (x * x * var_d[pair] + 2.0 * x * y * cov_d_tie[pair] + y * y * var_tie)
            total += spread
            sum_d += x * spread
            sum_tie += y * spread
        excess = max(n * total / most, 1.0)
        out[pair] = 0.5 * n * sum_d / excess
        leverage[pair] = total / excess
        for_tie += 0.5 * n * sum_tie / excess
    return for_tie


@compiled
def pair_variances(first, second, ordered, cov, order_column, tie_column, var_d, cov_d_tie):
    """Variance of each pair's d, and its covariance with log nu, from the covariance of all parameters."""
    for pair in range(first.shape[0]):
        i, j, h = first[pair], second[pair], ordered[pair]
        v = cov[i, i] + cov[j, j] - 2.0 * cov[i, j]
        if order_column >= 0:
            o = order_column
            v += h * (cov[o, o] + 2.0 * (cov[i, o] - cov[j, o]))
        var_d[pair] = v
        if tie_column >= 0:
            t = tie_column
            cov_d_tie[pair] = cov[i, t] - cov[j, t]
            if order_column >= 0:
                cov_d_tie[pair] += h * cov[order_column, t]


@compiled
def scatter(first, second, x, out):
    """Add x of each pair to its first item and subtract it from its second."""
    out[:] = 0.0
    for pair in range(first.shape[0]):
        out[first[pair]] += x[pair]
        out[second[pair]] -= x[pair]


@compiled
def totals(first, second, counts, won, lost):
    """Wins and losses of each item; a tie is half of each."""
    for pair in range(first.shape[0]):
        half = 0.5 * counts[pair, TIE]
        won[first[pair]] += counts[pair, WIN] + half
        lost[first[pair]] += counts[pair, LOSS] + half
        won[second[pair]] += counts[pair, LOSS] + half
        lost[second[pair]] += counts[pair, WIN] + half

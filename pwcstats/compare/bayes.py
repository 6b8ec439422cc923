"""Bayesian comparisons: the probability that one method is better, or that both are practically equivalent."""

import numbers
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import pandas as pd
from scipy import stats
from sklearn.utils import check_random_state

from pwcstats import _params
from pwcstats._arrays import Array
from pwcstats._results import Result, plain
from pwcstats.compare.means import SAME, scaled
from pwcstats.compare.pairs import ROUNDING, describe_splits, read_fraction, read_pair
from pwcstats.compare.signs import pseudomedian
from pwcstats.errors import InputError, arg, value

__all__ = ["BayesResult", "bayes_correlated_t", "bayes_signed_rank"]


@dataclass(frozen=True, repr=False)
class BayesResult(Result):
    """Posterior probabilities of a comparison.

    Attributes
    ----------
    p_less, p_rope, p_greater : float
        Probability that a is worse than b, that both are practically equivalent, and that a is better.
    rope : float
        Region of practical equivalence: differences from -rope to rope do not matter.
    estimate : float
        Posterior mean (t-test) or pseudomedian (signed-rank test) of the difference, a - b.
    cred_int : tuple of float or None
        Equal-tailed credible interval of the difference.
    method, question, first : str
        Name of the procedure, the question that the probabilities answer, and the name of a.
    notes : tuple of str
        What users should know about this result.
    """

    p_less: float
    p_rope: float
    p_greater: float
    rope: float
    estimate: float
    cred_int: tuple[float, float] | None = None
    method: str = ""
    question: str = ""
    first: str = "a"
    notes: tuple[str, ...] = ()

    def tidy(self) -> pd.DataFrame:
        """One row: the estimate with its credible interval, and the probabilities."""
        low, high = self.cred_int or (np.nan, np.nan)
        row = {
            "estimate": self.estimate,
            "p_less": self.p_less,
            "p_rope": self.p_rope,
            "p_greater": self.p_greater,
            "rope": self.rope,
            "conf_low": low,
            "conf_high": high,
            "method": self.method,
        }
        return pd.DataFrame([row])

    def glance(self) -> pd.DataFrame:
        """The same row as `tidy`."""
        return self.tidy()

    def to_dict(self) -> dict[str, Any]:
        """All fields, ready for JSON."""
        return plain(asdict(self))

    def __str__(self) -> str:
        lines = [
            f"{self.method}: P({self.first} worse) = {self.p_less:.4g}, P(equivalent) = {self.p_rope:.4g}, "
            f"P({self.first} better) = {self.p_greater:.4g}",
            f"question: {self.question}",
            self._estimate(),
        ]
        return "\n".join(lines + [f"note: {note}" for note in self.notes])

    __repr__ = __str__

    def summary(self) -> str:
        """The question, the probability of each answer, and the estimate, as text."""
        answers = {
            f"{self.first} is worse": self.p_less,
            f"equivalent (within {self.rope:g})": self.p_rope,
            f"{self.first} is better": self.p_greater,
        }
        table = pd.Series(answers).to_frame("probability").to_string(float_format="{:.4f}".format)
        lines = [self.method, f"question: {self.question}", "", table, "", self._estimate()]
        return "\n".join(lines + [f"note: {note}" for note in self.notes])

    def _estimate(self) -> str:
        text = f"estimate of the difference: {self.estimate:.4g}"
        return text if self.cred_int is None else text + " ({:.4g}, {:.4g})".format(*self.cred_int)

    def _title(self) -> str:
        return self.method


def bayes_correlated_t(
    a: Any, b: Any, *, rope: float = 0.01, test_fraction: float | None = None, alpha: float = 0.05
) -> BayesResult:
    r"""Bayesian correlated t-test, for scores on repeated splits of one data set.

    Parameters
    ----------
    a, b : array-like of float
        Scores of the two methods on the same splits: vectors, or tables with one row per repeat and one column per
        fold.
    rope : float
        Region of practical equivalence: differences from -rope to rope do not matter.
    test_fraction : float, optional
        Share of the cases in each test set, as for :func:`corrected_resampled_t`.
    alpha : float
        The credible interval has probability 1 - alpha.

    Returns
    -------
    BayesResult

    Notes
    -----
    The posterior of the mean difference is Student's t with :math:`J - 1` degrees of freedom, location :math:`\bar d`
    and scale :math:`\sqrt{(1/J + \rho / (1 - \rho))\, s^2}`, where :math:`\rho`, the correlation of the scores on two
    splits, is set to the share of the cases in the test set.

    References
    ----------
    .. [1] Corani, G. and Benavoli, A. (2015). A Bayesian approach for comparing cross-validated algorithms on multiple
       data sets. Machine Learning 100, 285-304. https://doi.org/10.1007/s10994-015-5486-z
    .. [2] Benavoli, A., Corani, G., Demšar, J. and Zaffalon, M. (2017). Time for a change: a tutorial for comparing
       multiple classifiers through Bayesian analysis. Journal of Machine Learning Research 18 (77), 1-36.

    Examples
    --------
    >>> from pwcstats.compare import bayes_correlated_t
    >>> a, b = [0.81, 0.84, 0.86, 0.79, 0.90], [0.78, 0.85, 0.80, 0.77, 0.86]
    >>> result = bayes_correlated_t(a, b, rope=0.01, test_fraction=1 / 5)
    >>> round(result.p_less, 3), round(result.p_rope, 3), round(result.p_greater, 3)
    (0.047, 0.132, 0.821)
    """
    rope, alpha, fraction = _read_rope(rope), _params.level(alpha), read_fraction(test_fraction)
    pair = read_pair(a, b, dims=(1, 2))
    fraction, splits = describe_splits(fraction, pair.a.shape)
    d = pair.differences
    x, unit = scaled(d)
    mean = float(x.mean() * unit)
    scale = float(np.sqrt((1.0 / d.size + fraction / (1.0 - fraction)) * x.var(ddof=1)))
    notes: tuple[str, ...] = ()
    if np.ptp(d) == 0.0:
        # The posterior is a point mass; on a border, half of it belongs to each side.
        error = ROUNDING * max(rope, float(np.abs(pair.a).max()), float(np.abs(pair.b).max()))
        less, greater = (float(_beyond(side, rope, error)) for side in (-mean, mean))
        interval = (mean, mean)
        notes = (SAME if mean == 0.0 else f"all differences are {mean:.6g}: the posterior has no spread",)
    else:
        # In multiples of the unit; a rope that overflows is infinite, and nothing lies beyond it.
        posterior = stats.t(d.size - 1, x.mean(), scale)
        with np.errstate(over="ignore"):
            border = np.float64(rope) / unit
        less, greater = float(posterior.cdf(-border)), float(posterior.sf(border))
        interval = (float(posterior.ppf(alpha / 2.0) * unit), float(posterior.isf(alpha / 2.0) * unit))
    return BayesResult(
        less,
        max(0.0, 1.0 - less - greater),
        greater,
        rope,
        mean,
        interval,
        f"Bayesian correlated t-test ({splits})",
        f"is the mean difference, {pair.name_a} - {pair.name_b}, below {0.0 - rope:g}, within, or above {rope:g}?",
        pair.name_a,
        notes,
    )


def bayes_signed_rank(
    a: Any,
    b: Any,
    *,
    rope: float = 0.01,
    prior: float = 0.5,
    n_samples: int = 50_000,
    random_state: Any = None,
) -> BayesResult:
    r"""Bayesian signed-rank test of paired scores, usually one pair per data set.

    Parameters
    ----------
    a, b : array-like of float
        Scores of the two methods, in pairs.
    rope : float
        Region of practical equivalence: differences from -rope to rope do not matter.
    prior : float
        Weight of the prior, which is one more difference of 0.
    n_samples : int
        Number of samples from the posterior. The standard error of the probabilities is at most
        :math:`1/(2\sqrt{n})`, 0.002 by default.
    random_state : int, RandomState or None
        Seed of the samples.

    Returns
    -------
    BayesResult
        The probabilities are the shares of samples in which the mean of two differences is most likely below -rope,
        within the region, or above rope.

    Notes
    -----
    The prior is a Dirichlet process. Each sample draws weights of the differences from a Dirichlet distribution, and
    computes with these weights the probability that the mean of two differences lies below, within and above the
    region. The largest of the three wins the sample.

    References
    ----------
    .. [1] Benavoli, A., Mangili, F., Corani, G., Zaffalon, M. and Ruggeri, F. (2014). A Bayesian Wilcoxon signed-rank
       test based on the Dirichlet process. ICML 2014, 1026-1034.

    Examples
    --------
    >>> from pwcstats.compare import bayes_signed_rank
    >>> a = [0.763, 0.599, 0.954, 0.628, 0.882, 0.936, 0.661, 0.583, 0.775, 1.000]
    >>> b = [0.768, 0.591, 0.971, 0.661, 0.888, 0.931, 0.668, 0.583, 0.838, 1.000]
    >>> result = bayes_signed_rank(a, b, rope=0.01, random_state=0)
    >>> round(result.p_less, 2), round(result.p_rope, 2), round(result.p_greater, 2)
    (0.28, 0.72, 0.0)
    """
    rope, n_samples = _read_rope(rope), _params.count(n_samples, "n_samples")
    if not _is_number(prior) or not 0.0 < float(prior) < np.inf:
        raise InputError(f"{arg('prior')} must be a number above 0, got {value(prior)}.")
    rng = check_random_state(random_state)
    pair = read_pair(a, b, least=1)
    d = np.concatenate([[0.0], pair.differences])
    notes = (SAME,) if not d.any() else ()
    sums = d[:, None] + d
    error = 2.0 * ROUNDING * max(rope, float(np.abs(pair.a).max()), float(np.abs(pair.b).max()))
    above, below = (_beyond(side, 2.0 * rope, error) for side in (sums, -sums))
    concentration = np.concatenate([[float(prior)], np.ones(d.size - 1)])
    wins = np.zeros(3)
    # A few thousand samples at a time, because with many data sets all of them would not fit into memory.
    for start in range(0, n_samples, 5_000):
        weights = rng.dirichlet(concentration, min(5_000, n_samples - start))
        wins += _most_likely(weights, below, above, rope)
    less, within, greater = (float(share) for share in wins / n_samples)
    return BayesResult(
        less,
        within,
        greater,
        rope,
        pseudomedian(d[1:]),
        None,
        "Bayesian signed-rank test",
        f"is the mean of two differences, {pair.name_a} - {pair.name_b}, most likely below {0.0 - rope:g}, within, or "
        f"above {rope:g}?",
        pair.name_a,
        notes,
    )


def _read_rope(rope: Any) -> float:
    if not _is_number(rope) or not 0.0 <= float(rope) < np.inf:
        raise InputError(
            f"{arg('rope')} must be a nonnegative number, the largest difference that does not matter, got "
            f"{value(rope)}."
        )
    return float(rope)


def _is_number(x: Any) -> bool:
    return isinstance(x, numbers.Real) and not isinstance(x, bool)


def _beyond(values: Any, border: float, error: float) -> Any:
    """1 above a border, 1/2 on it (up to rounding), 0 below."""
    excess = np.asarray(values) - border
    return np.heaviside(np.where(np.abs(excess) <= error, 0.0, excess), 0.5)


def _most_likely(weights: Array, below: Array, above: Array, rope: float) -> Array:
    """The numbers of samples in which below, within and above are the most likely."""
    less, greater = ((weights @ side * weights).sum(axis=1) for side in (below, above))
    within = 1.0 - less - greater if rope > 0.0 else np.full(len(less), -1.0)
    winner = np.column_stack([less, within, greater]).argmax(axis=1)
    return np.bincount(winner, minlength=3).astype(np.float64)

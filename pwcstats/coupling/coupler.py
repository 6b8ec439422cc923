"""Coupling: from the probabilities of each pair of classes to the probabilities of all classes."""

import warnings
from collections.abc import Callable, Hashable, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.sparse.csgraph import connected_components

from pwcstats import _params
from pwcstats._arrays import Array, read_only
from pwcstats._kernels import blocks, closed_form, divergence, limits, scan, threads, wlw
from pwcstats._kernels import ht as newton
from pwcstats.coupling import reading as checks
from pwcstats.coupling.reading import Pairs
from pwcstats.errors import ConvergenceWarning, InputError, arg

__all__ = ["METHODS", "CouplingResult", "couple"]

METHODS = ("ht", "wlw1", "wlw2", "pkpd", "rv", "vote", "sum", "bayes")
# These divide by r and need it inside (0, 1), or a limit; wlw2 follows LIBSVM, which clips at 1e-7 too.
_CLIPPED = ("ht", "wlw1", "wlw2", "pkpd", "rv")


class CouplingResult(NamedTuple):
    """Coupled probabilities and how they were reached.

    For a single sample `kl`, `n_iter` and `converged` are scalars; for many they have one entry per sample, with the
    samples' index where the input had one.

    Attributes
    ----------
    proba : ndarray, DataFrame or Series
        Class probabilities, as :func:`couple` returns them.
    kl : float, ndarray or Series
        The Kullback-Leibler distance that is left between r and p, weighted by `n`: 0 when the pairs are compatible
        with one set of class probabilities. It is infinite where p rules out what r allows, as votes do.
    n_iter : int, ndarray or Series
        Newton steps; 0 for the methods that need none.
    converged : bool, ndarray or Series
        Whether log p is known to 1e-6, and as a rule to 1e-12; True for the methods that do not iterate.
    """

    proba: Any
    kl: Any
    n_iter: Any
    converged: Any


def couple(
    r: Any,
    method: str = "wlw2",
    *,
    n: Any = None,
    condensed: bool = False,
    classes: Sequence[Hashable] | None = None,
    pair_mass: Any = None,
    clip: float = 1e-7,
    n_jobs: int | None = None,
    return_info: bool = False,
) -> Any:
    r"""Couple pairwise class probabilities into class probabilities.

    Parameters
    ----------
    r : array-like
        ``r[i, j]`` estimates P(class i | class i or class j). A (K, K) matrix for one sample, or (n, K, K); the
        diagonal is ignored, ``r[i, j] + r[j, i] = 1`` is checked (to 1e-6), and the upper triangle is used. With
        ``condensed=True`` an (n, K(K-1)/2) array, or one row of it: pairs in LIBSVM's order (0,1), (0,2), ...,
        (1,2), ...

        Data frames keep their labels: a K x K frame labelled by classes; several of them below each other, as
        ``pd.concat({sample: frame})`` makes them; or a condensed frame, its columns named by pairs, ``("a", "b")`` or
        ``"a/b"`` (or any names, with `classes`).
    method : {"wlw2", "ht", "wlw1", "pkpd", "rv", "vote", "sum", "bayes"}
        How to couple; see Notes.
    n : array-like, optional
        Weights for ``method="ht"``: the number n_ij of cases behind each r_ij, any reals >= 0, where 0 means "not
        compared" (and r_ij may be NaN). (K, K) and symmetric, condensed (K(K-1)/2,), or one for each sample. Only
        ratios matter. A 2-d array of K x K numbers is always read as a matrix.
    condensed : bool
        Whether `r` has one column per pair.
    classes : sequence, optional
        Names of the classes. They label the answer, and errors use them.
    pair_mass : array-like, optional
        For ``method="bayes"``: P(class i or class j) of each pair, in the shapes of `r`. Only ratios matter.
    clip : float
        r is kept within [clip, 1 - clip] by ht, wlw1, wlw2, pkpd and rv. The default is LIBSVM's. 0 asks for the
        exact limit, with an error where none exists. vote, sum and bayes use r as it is.
    n_jobs : int, optional
        Threads, as joblib counts them; None is one. The answer has the same bits whatever it is.
    return_info : bool
        Whether to return a :class:`CouplingResult`.

    Returns
    -------
    ndarray, Series, DataFrame or CouplingResult
        (K,) for one sample, (n, K) for many; labelled when `r` is a frame or `classes` is given.

    Raises
    ------
    InputError
        When the input cannot be coupled; the message names the sample and the pair.

    Warns
    -----
    ConvergenceWarning
        When ht did not reach its tolerance for some samples.

    Notes
    -----
    Write :math:`\mu_{ij} = p_i / (p_i + p_j)`. When some p has :math:`\mu_{ij} = r_{ij}` for all pairs, the r are
    *compatible*, and ht, wlw1, wlw2, pkpd and rv give that p. In general there is none, and the methods part:

    ``"ht"`` [1]_
        minimises :math:`\sum_{i<j} n_{ij} [r_{ij} \log(r_{ij}/\mu_{ij}) + r_{ji} \log(r_{ji}/\mu_{ji})]`, a
        Bradley-Terry model with weights. With equal weights p has the order of :math:`\sum_j r_{ij}`. Solved by
        Newton's method in log p, damped as [6]_ allows.
    ``"wlw1"`` [2]_
        solves :math:`p_i = \sum_{j \ne i} \frac{p_i + p_j}{K-1} r_{ij}`: the stationary distribution of a Markov
        chain. These are the weights of ``"bayes"`` made self-consistent: p is its own pair mass.
    ``"wlw2"`` [2]_
        minimises :math:`\sum_{i<j} (r_{ji} p_i - r_{ij} p_j)^2` subject to :math:`\sum p_i = 1`: the coupling of
        LIBSVM, e1071 and scikit-learn's ``SVC(probability=True)``, which stop an iteration when they are within
        about 3e-3 of it.
    ``"pkpd"`` [3]_
        :math:`p_i \propto 1 / (\sum_{j \ne i} 1/r_{ij} - (K-2))`.
    ``"rv"`` [4]_
        solves K - 1 equations :math:`r_{ji} p_i = r_{ij} p_j`, and depends on which. Here: those of the class h with
        the largest :math:`\sum_j r_{hj}` (the lowest such class), so :math:`p_i / p_h = r_{ih} / r_{hi}`. With
        ``clip=0`` it is the limit of these equations.
    ``"vote"``
        the share of pairs won, with half a win at r = 1/2.
    ``"sum"``
        :math:`p_i = 2 \sum_j r_{ij} / (K(K-1))`, weighted voting.
    ``"bayes"`` [5]_
        :math:`p_i \propto \sum_j m_{ij} r_{ij}` with the pair mass :math:`m_{ij}` = P(class i or j): exact when both
        r and the mass are.

    With ``clip=0`` exact zeros and ones give ht and wlw1 the limit in which all probability gathers in the smallest
    set of classes that surely beats all others.

    References
    ----------
    .. [1] Hastie, T. and Tibshirani, R. (1998). Classification by pairwise coupling. Annals of Statistics 26,
       451-471. https://doi.org/10.1214/aos/1028144844
    .. [2] Wu, T.-F., Lin, C.-J. and Weng, R. C. (2003). Probability estimates for multi-class classification by
       pairwise coupling. NIPS 16; the long version is JMLR 5 (2004), 975-1005.
    .. [3] Price, D., Knerr, S., Personnaz, L. and Dreyfus, G. (1995). Pairwise neural network classifiers with
       probabilistic outputs. NIPS 7, 1109-1116.
    .. [4] Refregier, P. and Vallet, F. (1991). Probabilistic approach for multiclass classification with neural
       networks. ICANN-91, 1003-1007.
    .. [5] Sulzmann, J.-N., Fuernkranz, J. and Huellermeier, E. (2007). On pairwise naive Bayes classifiers.
       ECML 2007, 371-381. https://doi.org/10.1007/978-3-540-74958-5_35
    .. [6] Sun, T. and Tran-Dinh, Q. (2019). Generalized self-concordant functions: a recipe for Newton-type methods.
       Mathematical Programming 178, 145-213. https://doi.org/10.1007/s10107-018-1282-4

    Examples
    --------
    Hastie and Tibshirani's example, whose pairs go round in a circle:

    >>> import numpy as np
    >>> from pwcstats import couple
    >>> r = np.array([[0.0, 0.9, 0.4], [0.1, 0.0, 0.7], [0.6, 0.3, 0.0]])
    >>> couple(r, "ht").round(5)
    array([0.48107, 0.24164, 0.27729])
    >>> couple(r, classes=["a", "b", "c"]).round(3)
    a    0.457
    b    0.202
    c    0.341
    dtype: float64
    >>> round(float(couple(r, "ht", return_info=True).kl), 3)
    0.376
    """
    method = _params.choice(method, METHODS, "method")
    clip = checks.read_clip(clip) if method in _CLIPPED else 0.0
    n_jobs = _params.jobs(n_jobs)
    pairs = checks.read_pairs(r, condensed, classes)
    weights = _read_weights(pairs, method, n, condensed)
    mass = _read_mass(pairs, method, pair_mass, condensed)
    _refuse_disconnected(pairs, weights, n_jobs)

    proba = np.empty((pairs.n_samples, pairs.n_classes))
    n_iter = np.zeros(pairs.n_samples, np.int64)
    converged = np.ones(pairs.n_samples, np.bool_)
    kl = np.empty(pairs.n_samples if return_info else 0)
    outputs = (proba, n_iter, converged, kl) if method == "ht" else (proba,)
    doubt = np.zeros(1, np.bool_)
    kernel = _kernel(method, pairs, doubt, clip, _scaled(weights), mass, n_jobs)
    threads.over_samples(kernel, pairs.n_samples, pairs.n_classes, n_jobs, *outputs)
    if doubt[0]:
        _refuse_bad_values(pairs, weights, n_jobs)
    _refuse_no_limit(pairs, method, proba)
    _warn_unconverged(pairs, converged)
    if not return_info:
        return _label(pairs, proba)
    if method == "ht":
        kl *= weights.max(axis=1)
    else:
        distance = partial(divergence.kl_distance, pairs.values, pairs.upper, clip, proba)
        threads.over_samples(distance, pairs.n_samples, pairs.n_classes, n_jobs, kl)
    return CouplingResult(*(_label(pairs, output) for output in (proba, kl, n_iter, converged)))


def _scaled(weights: Array) -> Array:
    """Weights as shares of the largest: only ratios matter, and products of numbers near 1e308 would overflow."""
    return read_only(weights / weights.max(axis=1, keepdims=True))


def _read_weights(pairs: Pairs, method: str, n: Any, condensed: bool) -> Array:
    if n is None:
        return read_only(np.ones((1, len(pairs.upper))))
    if method != "ht":
        raise InputError(
            f"only {arg('method', 'ht')} uses weights {arg('n')}, got {arg('method', method)}; leave {arg('n')} out or "
            "change the method."
        )
    return checks.read_weights(n, pairs, condensed, "n")


def _read_mass(pairs: Pairs, method: str, pair_mass: Any, condensed: bool) -> Array | None:
    if method != "bayes":
        if pair_mass is not None:
            raise InputError(
                f"pair_mass is for method='bayes', got method={method!r}; leave it out or change the method."
            )
        return None
    if pair_mass is None:
        raise InputError(
            f"{arg('method', 'bayes')} needs {arg('pair_mass')}, the probability of class i or class j for each pair."
        )
    mass = checks.read_weights(pair_mass, pairs, condensed, "pair_mass")
    empty = np.flatnonzero(mass.max(axis=1, initial=0.0) == 0.0)
    if len(empty):
        where = pairs.of_sample(empty[0]) if len(mass) > 1 else ""
        raise InputError(f"pair_mass{where} must be positive for some pair, got 0 for all of them.")
    return _scaled(mass)


def _kernel(
    method: str,
    pairs: Pairs,
    doubt: NDArray[np.bool_],
    clip: float,
    weights: Array,
    mass: Array | None,
    n_jobs: int | None,
) -> Callable[..., None]:
    """The compiled loop of a method, all arguments filled in but the bounds and the outputs."""
    source = (pairs.values, pairs.upper, pairs.lower, doubt)
    match method:
        case "ht":
            return partial(newton.ht, *source, clip, weights, _top_sets(pairs, weights, clip, n_jobs))
        case "wlw1":
            return partial(wlw.wlw1, *source, clip, _top_sets(pairs, weights, clip, n_jobs))
        case "wlw2":
            return partial(wlw.wlw2, *source, clip)
        case "pkpd":
            return partial(closed_form.pkpd, *source, clip)
        case "rv":
            return partial(closed_form.rv, *source, clip)
        case "vote":
            return partial(closed_form.vote, *source)
        case "sum":
            return partial(closed_form.row_sums, *source)
        case _:
            return partial(closed_form.bayes, *source, mass)


def _top_sets(pairs: Pairs, weights: Array, clip: float, n_jobs: int | None) -> NDArray[np.bool_]:
    """Classes that keep a probability in the limit, for each sample; no rows when r is clipped and all classes do."""
    if clip > 0.0:
        return np.empty((0, pairs.n_classes), np.bool_)
    _refuse_bad_values(pairs, weights, n_jobs)
    top = np.empty((pairs.n_samples, pairs.n_classes), np.bool_)
    exists = np.empty(pairs.n_samples, np.bool_)
    search = partial(limits.top_sets, pairs.values, pairs.upper, weights)
    threads.over_samples(search, pairs.n_samples, pairs.n_classes, n_jobs, top, exists)
    if not exists.all():
        reason = "two groups of classes are unbeaten and were never compared with each other"
        checks.refuse_no_limit(pairs, int(np.argmin(exists)), reason)
    return top


def _refuse_bad_values(pairs: Pairs, weights: Array, n_jobs: int | None) -> None:
    """Missing values, values outside [0, 1], and r_ij + r_ji that is not 1, in this order."""
    reports: list[Array] = []

    def look(first: int, stop: int) -> None:
        report = np.empty(scan.REPORT_SIZE)
        scan.scan(pairs.values, pairs.upper, pairs.lower, weights, first, stop, report)
        reports.append(report)

    threads.over_samples(look, pairs.n_samples, pairs.n_classes, n_jobs)
    found = np.array(reports).reshape(-1, scan.REPORT_SIZE)
    for refuse, sample, pair in (
        (checks.refuse_missing, scan.NAN_SAMPLE, scan.NAN_PAIR),
        (checks.refuse_outside, scan.RANGE_SAMPLE, scan.RANGE_PAIR),
    ):
        bad = found[found[:, sample] >= 0.0]
        if len(bad):
            first = bad[np.argmin(bad[:, sample])]
            refuse(pairs, int(first[sample]), int(first[pair]))
    gaps = found[:, scan.SUM_GAP]
    if len(gaps) and gaps.max() > blocks.TOLERANCE:
        worst = found[np.argmax(gaps)]
        checks.refuse_unequal_sum(pairs, int(worst[scan.SUM_SAMPLE]), int(worst[scan.SUM_PAIR]))


def _refuse_disconnected(pairs: Pairs, weights: Array, n_jobs: int | None) -> None:
    """The compared pairs of each sample must join all classes."""
    if weights.all():
        return
    joined = np.empty(len(weights), np.bool_)
    look = partial(limits.connected, weights, pairs.n_classes)
    threads.over_samples(look, len(weights), pairs.n_classes, n_jobs, joined)
    if joined.all():
        return
    row = int(np.argmin(joined))
    compared = np.zeros((pairs.n_classes, pairs.n_classes), np.bool_)
    compared[np.triu_indices(pairs.n_classes, 1)] = weights[row] > 0.0
    n_components, member = connected_components(compared, directed=False)
    groups = [np.flatnonzero(member == group).tolist() for group in range(n_components)]
    checks.refuse_disconnected(pairs, groups, row if len(weights) > 1 else None)


def _refuse_no_limit(pairs: Pairs, method: str, proba: Array) -> None:
    bad = np.flatnonzero(np.isnan(proba[:, 0]) | np.isnan(proba[:, -1]))
    if len(bad):
        reasons = {
            "pkpd": "each class is surely beaten by another",
            "rv": "two classes surely beat the class whose equations are used",
        }
        checks.refuse_no_limit(pairs, int(bad[0]), reasons.get(method, "they are beyond double precision"))


def _warn_unconverged(pairs: Pairs, converged: NDArray[np.bool_]) -> None:
    failed = np.flatnonzero(~converged)
    if len(failed):
        which = "" if pairs.single else f" for {len(failed)} samples, the first {pairs.sample_name(failed[0])}"
        warnings.warn(
            f"ht did not converge{which}: r or n differ by too many orders of magnitude; raise clip, ask for the exact "
            "limit with clip=0, or bring weights closer together.",
            ConvergenceWarning,
            stacklevel=3,
        )


def _label(pairs: Pairs, output: Any) -> Any:
    """The user's own labels, where there are any; one sample without its first axis."""
    if pairs.single:
        if output.ndim == 1:
            return output[0]
        return output[0] if pairs.classes is None else pd.Series(output[0], index=pairs.classes)
    if output.ndim == 1:
        return output if pairs.index is None else pd.Series(output, index=pairs.index)
    if pairs.classes is None and pairs.index is None:
        return output
    return pd.DataFrame(output, index=pairs.index, columns=pairs.classes)

"""Coupling: class probabilities from the probabilities of each pair of classes."""

from collections.abc import Hashable, Sequence
from functools import partial
from typing import Any, Literal, overload

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from pwcstats import _native, _params
from pwcstats._arrays import Array
from pwcstats._kernels.threads import over_samples
from pwcstats.coupling.methods import Method, MethodName, find_method, methods_with
from pwcstats.coupling.reading import Pairs, check_values, read_pairs, read_tree, read_weights, symmetrized
from pwcstats.coupling.result import CouplingResult
from pwcstats.errors import ConvergenceWarning, InputError, arg, warn

__all__ = ["couple"]

# What to do about r_ij + r_ji other than 1, besides correcting r.
UNEQUAL_CURE = f", or take the mean of both sides with {arg('symmetrize', True)}"

# Smaller shares of the largest weight would underflow in the kernels.
SMALLEST_SHARE = 1e-300


@overload
def couple(
    r: Any,
    method: MethodName = ...,
    *,
    n: Any = ...,
    condensed: bool = ...,
    classes: Sequence[Hashable] | None = ...,
    pair_mass: Any = ...,
    equations: Any = ...,
    symmetrize: bool = ...,
    clip: float = ...,
    n_jobs: int | None = ...,
    return_info: Literal[True],
) -> CouplingResult: ...
@overload
def couple(
    r: pd.DataFrame,
    method: MethodName = ...,
    *,
    n: Any = ...,
    condensed: Literal[True],
    classes: Sequence[Hashable] | None = ...,
    pair_mass: Any = ...,
    equations: Any = ...,
    symmetrize: bool = ...,
    clip: float = ...,
    n_jobs: int | None = ...,
    return_info: Literal[False] = ...,
) -> pd.DataFrame: ...
@overload
def couple(
    r: NDArray[Any] | Sequence[Any],
    method: MethodName = ...,
    *,
    n: Any = ...,
    condensed: bool = ...,
    classes: None = ...,
    pair_mass: Any = ...,
    equations: Any = ...,
    symmetrize: bool = ...,
    clip: float = ...,
    n_jobs: int | None = ...,
    return_info: Literal[False] = ...,
) -> Array: ...
@overload
def couple(
    r: Any,
    method: MethodName = ...,
    *,
    n: Any = ...,
    condensed: bool = ...,
    classes: Sequence[Hashable] | None = ...,
    pair_mass: Any = ...,
    equations: Any = ...,
    symmetrize: bool = ...,
    clip: float = ...,
    n_jobs: int | None = ...,
    return_info: Literal[False] = ...,
) -> Array | pd.Series | pd.DataFrame: ...
@overload
def couple(
    r: Any,
    method: MethodName = ...,
    *,
    n: Any = ...,
    condensed: bool = ...,
    classes: Sequence[Hashable] | None = ...,
    pair_mass: Any = ...,
    equations: Any = ...,
    symmetrize: bool = ...,
    clip: float = ...,
    n_jobs: int | None = ...,
    return_info: bool = ...,
) -> Array | pd.Series | pd.DataFrame | CouplingResult: ...


def couple(
    r: Any,
    method: MethodName = "wlw2",
    *,
    n: Any = None,
    condensed: bool = False,
    classes: Sequence[Hashable] | None = None,
    pair_mass: Any = None,
    equations: Any = None,
    symmetrize: bool = False,
    clip: float = 1e-7,
    n_jobs: int | None = None,
    return_info: bool = False,
) -> Array | pd.Series | pd.DataFrame | CouplingResult:
    r"""Couple pairwise class probabilities into class probabilities.

    Parameters
    ----------
    r : array-like
        ``r[i, j]`` estimates P(class i | class i or class j). A (K, K) matrix for one sample, or an (n, K, K) array
        for n samples. The diagonal is ignored, ``r[i, j] + r[j, i] = 1`` is checked (to 1e-6), and the upper triangle
        is used. With ``condensed=True`` an (n, K(K-1)/2) array, or one row of it, with the pairs in LIBSVM's order
        (0,1), (0,2), ..., (1,2), ...

        Data frames keep their labels. A frame may be K x K and labelled by classes; it may consist of several such
        frames below each other, as ``pd.concat({sample: frame})`` makes them; or it may be condensed, with columns
        named by pairs, ``("a", "b")`` or ``"a/b"`` (or by any names, if `classes` is given).
    method : {"wlw2", "ht", "wlw1", "logit", "pkpd", "rv", "vote", "sum", "bayes"}
        Coupling method; see Notes.
    n : array-like, optional
        Weights for ``method="ht"`` and ``"logit"``: the number n_ij of cases behind each r_ij, real numbers >= 0. 0
        means that the pair was not compared; its r_ij may be NaN. A symmetric (K, K) matrix, a condensed array
        (K(K-1)/2,), or one of these for each sample. Only ratios matter. A 2-d array of K x K numbers is always read as
        a matrix.
    condensed : bool
        Whether `r` has one column per pair.
    classes : sequence, optional
        Names of the classes. They label the result and appear in error messages.
    pair_mass : array-like, optional
        For ``method="bayes"``: P(class i or class j) of each pair, in the shapes of `r`. Only ratios matter.
    equations : class or list of pairs, optional
        For ``method="rv"``: which K - 1 equations are solved. A class means those of its pairs; a list such as
        ``[("a", "b"), ("b", "c")]`` or ``["a/b", "b/c"]`` means these pairs, which must connect all classes. Classes
        are given by their names, or by 0, 1, ... if they have none. By default each sample uses the pairs of its class
        with the largest sum of r. With `equations`, r may be NaN for pairs without an equation.
    symmetrize : bool
        Whether r_ij and r_ji come from two different estimates, as those of rule learners do [5]_, [7]_, and need not
        add up to 1. The first estimate says r_ij and the second says 1 - r_ji of the same probability; their mean
        (r_ij + 1 - r_ji) / 2 is used.
    clip : float
        The methods ht, wlw1, wlw2, logit, pkpd and rv clip r to [clip, 1 - clip]. The default is LIBSVM's. 0 asks for
        the exact limit, with an error if there is none. vote, sum and bayes use r as it is.
    n_jobs : int, optional
        Number of threads, as in joblib; None means 1. Results are bit-identical for any number of threads.
    return_info : bool
        Whether to return a :class:`CouplingResult`, which also tells how well the pairs agree.

    Returns
    -------
    ndarray, Series, DataFrame or CouplingResult
        Class probabilities of shape (K,) for one sample and (n, K) for n samples. They are labelled if `r` is a frame
        or `classes` is given.

    Raises
    ------
    InputError
        If the input cannot be coupled. The message names the sample and the pair.

    Warns
    -----
    ConvergenceWarning
        If ht did not reach its tolerance for some samples.

    Notes
    -----
    Write :math:`\mu_{ij} = p_i / (p_i + p_j)`. If some p has :math:`\mu_{ij} = r_{ij}` for all pairs, the r are
    *compatible*, and ht, wlw1, wlw2, logit, pkpd and rv return that p. In general there is no such p, and the methods
    differ:

    ``"ht"`` [1]_
        minimises :math:`\sum_{i<j} n_{ij} [r_{ij} \log(r_{ij}/\mu_{ij}) + r_{ji} \log(r_{ji}/\mu_{ji})]`, a
        Bradley-Terry model with weights. With equal weights, p has the same order as :math:`\sum_j r_{ij}`. It is
        solved by Newton's method in log p, damped as in [6]_.
    ``"wlw1"`` [2]_
        solves :math:`p_i = \sum_{j \ne i} \frac{p_i + p_j}{K-1} r_{ij}`: the stationary distribution of a Markov
        chain. It equals ``"bayes"`` with the pair mass :math:`p_i + p_j`.
    ``"wlw2"`` [2]_
        minimises :math:`\sum_{i<j} (r_{ji} p_i - r_{ij} p_j)^2` subject to :math:`\sum p_i = 1`. This is the coupling
        of LIBSVM, e1071 and scikit-learn's ``SVC(probability=True)``. They stop an iteration within about 3e-3 of the
        solution; this is the exact solution.
    ``"logit"`` [1]_
        minimises :math:`\sum_{i<j} n_{ij} (\log p_i - \log p_j - \mathrm{logit}\, r_{ij})^2`. With equal weights
        :math:`p_i \propto \exp(\frac{1}{K} \sum_{j \ne i} \mathrm{logit}\, r_{ij})`. If the log-odds of all pairs are
        linear in the features, as in pairwise LDA, so are the decision boundaries, as long as no r is clipped.
        ``PairwiseClassifier`` clips at 1e-10 for this method. The discussion of [1]_ suggests such a coupling.
    ``"pkpd"`` [3]_
        :math:`p_i \propto 1 / (\sum_{j \ne i} 1/r_{ij} - (K-2))`.
    ``"rv"`` [4]_
        solves K - 1 of the equations :math:`r_{ji} p_i = r_{ij} p_j`. The result depends on their choice, which
        `equations` makes. By default they are those of the class h with the largest :math:`\sum_j r_{hj}` (the first
        such class), so :math:`p_i / p_h = r_{ih} / r_{hi}`. With ``clip=0`` it is the limit of these equations.
    ``"vote"``
        is the share of pairs won, with half a win if r = 1/2.
    ``"sum"``
        :math:`p_i = 2 \sum_j r_{ij} / (K(K-1))`, weighted voting.
    ``"bayes"`` [5]_
        :math:`p_i \propto \sum_j m_{ij} r_{ij}` with the pair mass :math:`m_{ij}` = P(class i or j). It is exact if
        r and the mass are.

    With ``clip=0`` and exact zeros and ones, ht and wlw1 return the limit for r that tends to these values. It gives
    probability 0 to all classes outside the smallest set of classes that surely beats all others. logit returns the
    limit for a clip that tends to 0, in which the logits of all exact zeros and ones grow at the same rate; so does rv
    with `equations`.

    With ``symmetrize=True`` both estimates of a pair count equally. ``"sum"`` then adds the weighted votes of both
    (two learners for each pair are the double round robin of [7]_); ``"vote"`` gives each pair one vote, by the mean.

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
    .. [7] Fuernkranz, J. (2002). Round robin classification. Journal of Machine Learning Research 2, 721-747.

    Examples
    --------
    Hastie and Tibshirani's example, in which a beats b, b beats c, and c beats a:

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
    >>> round(couple(r, "ht", return_info=True).kl, 3)
    0.376

    Two of its three equations determine p, and each choice gives another one:

    >>> for equations in ("a", "b", ["a/c", "b/c"]):
    ...     print(couple(r, "rv", classes=["a", "b", "c"], equations=equations).round(2).tolist())
    [0.38, 0.04, 0.57]
    [0.86, 0.1, 0.04]
    [0.17, 0.58, 0.25]
    """
    row = find_method(method)
    _check_parameters(row, n, pair_mass, equations, clip)
    clip = float(clip) if row.clips else 0.0
    condensed = _params.flag(condensed, "condensed")
    n_jobs = _params.jobs(n_jobs)
    return_info = _params.flag(return_info, "return_info")
    symmetrize = _params.flag(symmetrize, "symmetrize")
    pairs = read_pairs(r, condensed, classes)
    weights = np.ones((1, len(pairs.upper))) if n is None else read_weights(n, pairs, condensed, "n")
    shares = check_weights(weights, pairs, "n", n_jobs)
    used, solve = shares, row.kernel
    if row.uses_pair_mass:
        used = _scaled(_read_mass(pairs, pair_mass, condensed))
    if equations is not None and row.tree_kernel is not None:
        used, solve = read_tree(equations, pairs), row.tree_kernel
        # Pairs that no equation needs may be missing.
        weights = shares = np.ascontiguousarray(np.maximum(used, pairs.present))
    if symmetrize:
        check_values(pairs, weights, _missing_cure(row), may_differ=True)
        pairs = symmetrized(pairs)
    top = _top_sets(row, pairs, shares, clip, n_jobs)
    proba = np.empty((pairs.n_samples, pairs.n_classes))
    n_iter = np.zeros(pairs.n_samples, np.int64)
    converged = np.ones(pairs.n_samples, np.bool_)
    kl = np.empty(pairs.n_samples if return_info else 0)
    kernel = partial(solve, pairs.values, pairs.upper, pairs.lower, clip, used, top)
    if any(over_samples(kernel, pairs.n_samples, pairs.n_classes, n_jobs, proba, n_iter, converged, kl)):
        check_values(pairs, weights, _missing_cure(row), UNEQUAL_CURE)
    without_limit = np.flatnonzero(np.isnan(proba[:, 0]) | np.isnan(proba[:, -1]))
    if len(without_limit):
        raise _no_limit(pairs, int(without_limit[0]), row.no_limit)
    _warn_unconverged(pairs, row.name, converged)
    if not return_info:
        return _label(pairs, proba)
    if not row.iterates:
        distance = partial(_native.kl_distance, pairs.values, pairs.upper, clip, shares)
        over_samples(distance, pairs.n_samples, pairs.n_classes, n_jobs, proba, kl)
    if n is not None:
        kl *= weights.max(axis=1)
    return CouplingResult(
        _label(pairs, proba), _label(pairs, kl), _label(pairs, n_iter), _label(pairs, converged), row.name
    )


def _check_parameters(row: Method, n: Any, pair_mass: Any, equations: Any, clip: Any) -> None:
    """Refuse parameters that the method does not use, a missing `pair_mass`, and a bad `clip`."""
    cure = "; 0 asks for the exact limit"
    _params.number(clip, "clip", "a number in [0, 0.5)", lambda x: 0.0 <= x < 0.5, cure=cure)
    if n is not None and not row.uses_weights:
        raise _unused("n", row, methods_with("uses_weights"))
    if pair_mass is not None and not row.uses_pair_mass:
        raise _unused("pair_mass", row, methods_with("uses_pair_mass"))
    if equations is not None and row.tree_kernel is None:
        raise _unused("equations", row, methods_with("tree_kernel"))
    if row.uses_pair_mass and pair_mass is None:
        raise InputError(
            f"{arg('method', row.name)} needs {arg('pair_mass')}, the probability of class i or class j for each pair."
        )


def _unused(name: str, row: Method, users: str) -> InputError:
    return InputError(
        f"only {users} uses {arg(name)}, got {arg('method', row.name)}; leave {arg(name)} out or change the method."
    )


def _missing_cure(row: Method) -> str:
    """What to do about a missing r."""
    if row.tree_kernel is not None:
        return f"fill it in, drop the sample, or choose {arg('equations')} of other pairs"
    use = "" if row.uses_weights else f"use {methods_with('uses_weights')} and "
    return f"fill it in, drop the sample, or {use}set {arg('n')} to 0 for pairs that were not compared"


def _scaled(weights: Array) -> Array:
    """Weights divided by the largest. Only ratios matter, and products of numbers near 1e308 would overflow."""
    return np.asarray(weights / weights.max(axis=1, keepdims=True))


def _read_mass(pairs: Pairs, pair_mass: Any, condensed: bool) -> Array:
    # Masses usually differ between samples, so that an ambiguous shape is that of condensed samples.
    mass = read_weights(pair_mass, pairs, condensed, "pair_mass", samples_first=True)
    empty = np.flatnonzero(mass.max(axis=1, initial=0.0) == 0.0)
    if len(empty):
        where = pairs.of_sample(empty[0]) if len(mass) > 1 else ""
        raise InputError(f"{arg('pair_mass')}{where} must be positive for some pair, got 0 for all of them.")
    return mass


def check_weights(weights: Array, pairs: Pairs, name: str, n_jobs: int | None = None) -> Array:
    """Refuse weights that leave classes unconnected or would underflow; returns shares of the largest weight.

    `name` is the name of the parameter.
    """
    _check_connected(pairs, weights, name, n_jobs)
    shares = _scaled(weights)
    if ((shares < SMALLEST_SHARE) & (weights > 0.0)).any():
        raise InputError(
            f"the positive numbers in {arg(name)} differ by more than {1 / SMALLEST_SHARE:.0e}; raise the smallest, or "
            "set them to 0 to leave these pairs out."
        )
    return shares


def _check_connected(pairs: Pairs, weights: Array, name: str, n_jobs: int | None) -> None:
    """The compared pairs of each sample must connect all classes."""
    if weights.all():
        return
    connected = np.empty(len(weights), np.bool_)
    search = partial(_native.connected, weights, pairs.n_classes)
    over_samples(search, len(weights), pairs.n_classes, n_jobs, connected)
    if connected.all():
        return
    # Loading it takes as long as loading all the rest.
    from scipy.sparse.csgraph import connected_components

    row = int(np.argmin(connected))
    compared = np.zeros((pairs.n_classes, pairs.n_classes), np.bool_)
    compared[np.triu_indices(pairs.n_classes, 1)] = weights[row] > 0.0
    n_components, component = connected_components(compared, directed=False)
    groups = " and ".join(
        "{" + ", ".join(pairs.class_name(i) for i in np.flatnonzero(component == k).tolist()) + "}"
        for k in range(n_components)
    )
    where = pairs.of_sample(row) if len(weights) > 1 else ""
    raise InputError(
        f"the comparison graph{where} is not connected: {arg(name)} leaves {groups} without a compared pair between "
        "them; give such a pair a positive weight, or use the classes of one group only."
    )


def _top_sets(row: Method, pairs: Pairs, weights: Array, clip: float, n_jobs: int | None) -> NDArray[np.bool_]:
    """Classes that keep a probability in the limit, one row per sample; no rows if all do."""
    if clip > 0.0 or not row.uses_top_sets:
        return np.empty((0, pairs.n_classes), np.bool_)
    check_values(pairs, weights, _missing_cure(row), UNEQUAL_CURE)
    top = np.empty((pairs.n_samples, pairs.n_classes), np.bool_)
    exists = np.empty(pairs.n_samples, np.bool_)
    search = partial(_native.top_sets, pairs.values, pairs.upper, weights)
    over_samples(search, pairs.n_samples, pairs.n_classes, n_jobs, top, exists)
    if not exists.all():
        reason = "two groups of classes are unbeaten and were never compared with each other"
        raise _no_limit(pairs, int(np.argmin(exists)), reason)
    return top


def _no_limit(pairs: Pairs, sample: int, reason: str) -> InputError:
    return InputError(
        f"{arg('r')}{pairs.of_sample(sample)} has exact zeros or ones for which there is no limit ({reason}); use "
        f"{arg('clip')} > 0."
    )


def _warn_unconverged(pairs: Pairs, method: MethodName, converged: NDArray[np.bool_]) -> None:
    failed = np.flatnonzero(~converged)
    if len(failed):
        which = "" if pairs.single else f" for {len(failed)} samples, the first {pairs.sample_name(failed[0])}"
        warn(
            ConvergenceWarning(
                f"{method} did not converge{which}: {arg('r')} or {arg('n')} differ by too many orders of magnitude; "
                f"raise {arg('clip')}, ask for the exact limit with {arg('clip', 0)}, or use weights of more "
                "similar size."
            )
        )


def _label(pairs: Pairs, output: Any) -> Any:
    """An output with the labels of the user, if there are any; a single sample without its axis."""
    if pairs.single:
        if output.ndim == 1:
            return output[0].item()
        return output[0] if pairs.classes is None else pd.Series(output[0], index=pairs.classes)
    if output.ndim == 1:
        return output if pairs.index is None else pd.Series(output, index=pairs.index)
    if pairs.classes is None and pairs.index is None:
        return output
    return pd.DataFrame(output, index=pairs.index, columns=pairs.classes)

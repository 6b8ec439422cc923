"""Reading pairwise probabilities r and weights of pairs: checked float64 arrays, with the labels of the user."""

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from pwcstats._arrays import Array, as_float
from pwcstats._native import TOLERANCE
from pwcstats._text import counted, listed, shape_of, shown
from pwcstats.errors import InputError, arg, value

# Number of values that are checked at a time.
CHECKED_VALUES = 2**20


@dataclass(frozen=True)
class Pairs:
    """Pairwise numbers of n samples, without a copy: r_ij of sample s is ``values[s, upper[pair]]``.

    `lower` holds the columns of r_ji; it is empty for condensed input. `classes` and `index` are the labels of classes
    and samples, or None. `single` says that the user gave one sample without an axis for samples.
    """

    values: Array
    upper: NDArray[np.int64]
    lower: NDArray[np.int64]
    n_classes: int
    classes: pd.Index | None
    index: pd.Index | None
    single: bool

    @classmethod
    def of_classes(cls, classes: Iterable[Hashable]) -> "Pairs":
        """One sample of these classes, whose numbers are yet unknown."""
        labels: pd.Index = pd.Index(list(classes))
        n_pairs = len(labels) * (len(labels) - 1) // 2
        unknown = np.full((1, n_pairs), np.nan)
        return cls(unknown, np.arange(n_pairs), np.empty(0, np.int64), len(labels), labels, None, True)

    @property
    def n_samples(self) -> int:
        """Number of samples."""
        return len(self.values)

    @property
    def present(self) -> NDArray[np.bool_]:
        """Whether both sides of each pair have a number, of shape (n, pairs)."""
        found = ~np.isnan(self.values[:, self.upper])
        return found & ~np.isnan(self.values[:, self.lower]) if len(self.lower) else found

    def class_name(self, i: int) -> str:
        """Label of class i, or its number."""
        return str(i if self.classes is None else self.classes[i])

    def pair_name(self, pair: int) -> str:
        """Both classes of a pair: a/b, or (0, 1) for numbers, because 0/1 would look like a fraction."""
        i, j = (int(index[pair]) for index in np.triu_indices(self.n_classes, 1))
        numbered = self.classes is None or pd.api.types.is_numeric_dtype(self.classes)
        names = self.class_name(i), self.class_name(j)
        return "({}, {})".format(*names) if numbered else "{}/{}".format(*names)

    def sample_name(self, sample: int) -> str:
        """Label of a sample, or its number."""
        return f"sample {sample if self.index is None else self.index[sample]}"

    def of_sample(self, sample: int) -> str:
        """' of sample s', or nothing if there is only one."""
        return "" if self.single else f" of {self.sample_name(sample)}"


def read_pairs(r: Any, condensed: bool, classes: Sequence[Hashable] | None) -> Pairs:
    """Read the pairwise probabilities of one sample or several, full or condensed, from arrays or frames."""
    index: pd.Index | None = None
    labels: pd.Index | None = None
    if condensed and isinstance(r, (pd.DataFrame, pd.Series)):
        columns = r.columns if isinstance(r, pd.DataFrame) else r.index
        labels = _classes_of_pairs(columns, "r", classes_given=classes is not None)
        index = r.index if isinstance(r, pd.DataFrame) else None
        values = as_float(r, "r")
    elif isinstance(r, pd.DataFrame) and r.columns.nlevels > 1:
        raise InputError(f"{arg('r')} must have one level of class labels in its columns, got several; join them.")
    elif isinstance(r, pd.DataFrame) and r.index.nlevels == 2:
        values, index, labels = _read_stacked(r, "r")
    elif isinstance(r, pd.DataFrame):
        labels = _read_classes(r.columns, r.shape[1])
        values = as_float(_align(r, labels, "r"), "r")
    else:
        values = as_float(r, "r")
    single = values.ndim == (1 if condensed else 2)
    n_classes = _count_classes(values, condensed)
    if classes is not None:
        names = _read_classes(classes, n_classes)
        # The default labels of pandas, 0, 1, ..., are not names.
        if labels is not None and not isinstance(labels, pd.RangeIndex) and _matched(labels, names) != list(names):
            raise InputError(
                f"{arg('r')} is labelled by the classes {listed(labels)}, but {arg('classes')} says {listed(names)}; "
                f"leave {arg('classes')} out, or remove the labels of {arg('r')}."
            )
        labels = names
    # On some platforms the indices are 32-bit integers.
    i, j = (index.astype(np.int64, copy=False) for index in np.triu_indices(n_classes, 1))
    if condensed:
        values, upper, lower = np.atleast_2d(values), np.arange(len(i), dtype=np.int64), np.empty(0, np.int64)
    else:
        values, step_i, step_j = _flatten(values.reshape(-1, n_classes, n_classes) if single else values)
        upper, lower = i * step_i + j * step_j, j * step_i + i * step_j
    return Pairs(values, upper, lower, n_classes, labels, index, single)


def _flatten(values: Array) -> tuple[Array, int, int]:
    """(n, K, K) as (n, K*K), without a copy in C order and in R's order, with the steps of i and j along a row."""
    n, k, _ = values.shape
    if values.flags.f_contiguous and not values.flags.c_contiguous:
        return values.reshape((n, k * k), order="F"), 1, k
    return np.ascontiguousarray(values).reshape(n, k * k), k, 1


def _classes_from_pairs(n_pairs: int) -> int:
    """The K for which K(K-1)/2 is `n_pairs`, rounded down."""
    return int((1 + np.sqrt(1 + 8 * n_pairs)) // 2)


def _count_classes(values: Array, condensed: bool) -> int:
    """Number of classes, from the shape of r."""
    shape = values.shape
    if condensed:
        if values.ndim not in (1, 2):
            raise InputError(f"condensed {arg('r')} must be n x K(K-1)/2, got {shape_of(values)}.")
        n_classes = _classes_from_pairs(shape[-1])
        if n_classes * (n_classes - 1) // 2 != shape[-1]:
            raise InputError(
                f"condensed {arg('r')} must have K(K-1)/2 columns (1, 3, 6, 10, ...), one for each pair, "
                f"got {shape[-1]}."
            )
    else:
        if values.ndim not in (2, 3) or shape[-1] != shape[-2]:
            samples_last = values.ndim == 3 and shape[0] == shape[1]
            cure = "put the samples first" if samples_last else f"for one column per pair use {arg('condensed', True)}"
            raise InputError(
                f"{arg('r')} must be K x K for one sample or n x K x K for many, got {shape_of(values)}; {cure}."
            )
        n_classes = shape[-1]
    if n_classes < 2:
        raise InputError(f"coupling needs at least 2 classes, got {n_classes}.")
    return n_classes


def _read_classes(classes: Iterable[Hashable], n_classes: int) -> pd.Index:
    """Read the names of the classes."""
    if isinstance(classes, (str, set, frozenset)) or not isinstance(classes, Iterable):
        raise InputError(
            f"{arg('classes')} must be a list of {n_classes} names in the order of {arg('r')}, got {value(classes)}."
        )
    names: pd.Index = pd.Index(list(classes))
    if len(names) != n_classes:
        raise InputError(
            f"{arg('classes')} must name the {n_classes} classes of {arg('r')}, got {counted(len(names), 'name')}."
        )
    if not names.is_unique:
        twice = names[names.duplicated()][0]
        raise InputError(f"{arg('classes')} must be different from each other, got {shown(twice)} twice.")
    return names


def _matched(labels: Iterable[Hashable], classes: Sequence[Hashable] | pd.Index) -> list[Hashable]:
    """The labels, with the class of the same text in place of each: in 'a/b' and in files, 0 is '0'."""
    by_text = {str(label): label for label in classes}
    return [by_text.get(str(label), label) if len(by_text) == len(classes) else label for label in labels]


def _classes_of_pairs(
    labels: pd.Index, name: str, classes_given: bool = False, known: pd.Index | None = None
) -> pd.Index | None:
    """Names of the classes, from columns named by pairs, (a, b) or 'a/b'; None if no column is named so.

    If the user gave the names of the classes, labels that do not name the pairs in order are ignored. An error about
    the order is that of the `known` classes.
    """
    pairs = [tuple(label.split("/")) if isinstance(label, str) else label for label in labels]
    is_pair = [isinstance(pair, tuple) and len(pair) == 2 for pair in pairs]
    if not any(is_pair) or (classes_given and not all(is_pair)):
        return None
    if not all(is_pair):
        odd = labels[is_pair.index(False)]
        raise InputError(
            f"{shown(odd)} in condensed {arg(name)} does not name a pair as the others do; drop it, or name the "
            "classes."
        )
    n_classes = _classes_from_pairs(len(pairs))
    first = pairs[0][0]
    # The name of each pair that is not `first`, even if the pair is reversed.
    names = [first, *(pair[pair[1] != first] for pair in pairs[: n_classes - 1])]
    expected = list(combinations(names, 2))
    if known is not None and len(known) == n_classes and pairs != expected:
        pairs, expected = [tuple(_matched(pair, known)) for pair in pairs], list(combinations(known, 2))
    for found, wanted in zip(pairs, expected, strict=False):
        if found != wanted:
            if classes_given:
                return None
            cure = "; for the other side of a pair take 1 - r" if found == wanted[::-1] else ""
            raise InputError(
                f"condensed {arg(name)} must have the pairs in the order a/b, a/c, ..., b/c, ...: "
                f"needed {wanted[0]}/{wanted[1]}, got {found[0]}/{found[1]}{cure}."
            )
    return pd.Index(names)


def _align(frame: pd.DataFrame, classes: pd.Index, name: str) -> pd.DataFrame:
    """Put the rows and columns of a K x K frame in the order of `classes`."""
    if frame.index.equals(classes) and frame.columns.equals(classes):
        return frame
    if frame.shape[0] != frame.shape[1]:
        raise InputError(
            f"a frame of {arg(name)} must have a row and a column for each class, got {shape_of(frame)}; class names "
            f"belong in the index; for one column per pair use {arg('condensed', True)}."
        )
    rows, columns = (dict(zip(labels, _matched(labels, classes), strict=True)) for labels in frame.axes)
    frame = frame.rename(index=rows, columns=columns)
    for axis, labels in (("rows", frame.index), ("columns", frame.columns)):
        if not labels.is_unique or not labels.isin(classes).all():
            raise InputError(
                f"the {axis} of {arg(name)} must be labelled by the classes {listed(classes)}, got {listed(labels)}."
            )
    return frame.loc[classes, classes]


def _read_stacked(frame: pd.DataFrame, name: str) -> tuple[Array, pd.Index, pd.Index]:
    """Read K x K frames below each other, as ``pd.concat({sample: frame})`` makes them."""
    classes = _read_classes(frame.columns, frame.shape[1])
    samples = frame.index.get_level_values(0).unique()
    wanted = pd.MultiIndex.from_product([samples, classes])
    if not frame.index.equals(wanted):
        if not frame.index.is_unique or len(wanted) != len(frame) or not wanted.isin(frame.index).all():
            raise InputError(f"each sample of {arg(name)} must have one row for each of the classes {listed(classes)}.")
        frame = frame.loc[wanted]
    k = len(classes)
    return as_float(frame, name).reshape(-1, k, k), samples, classes


def read_weights(weights: Any, pairs: Pairs, condensed: bool, name: str, *, samples_first: bool = False) -> Array:
    """Read weights as a (1, pairs) or (n, pairs) array of finite numbers >= 0.

    `name` is the name of the parameter. If K x K is also n x pairs, the numbers are those of K x K classes unless
    `samples_first` is True.
    """
    k, n_pairs, n = pairs.n_classes, len(pairs.upper), pairs.n_samples
    if isinstance(weights, pd.DataFrame) and weights.index.nlevels == 2:
        weights, samples, classes = _read_stacked(weights, name)
        _check_labels(samples, classes, pairs, name)
    elif isinstance(weights, pd.DataFrame) and weights.shape == (k, k) and pairs.classes is not None:
        weights = _align(weights, pairs.classes, name)
    elif isinstance(weights, pd.DataFrame):
        _check_labels(weights.index, _classes_of_pairs(weights.columns, name, known=pairs.classes), pairs, name)
    elif isinstance(weights, pd.Series):
        _check_labels(None, _classes_of_pairs(weights.index, name, known=pairs.classes), pairs, name)
    array = as_float(weights, name)
    by_sample = condensed and array.shape == (n, n_pairs)
    if array.shape in ((k, k), (n, k, k)) and not (by_sample and samples_first):
        i, j = np.triu_indices(k, 1)
        full = array.reshape(-1, k, k)
        array, other = full[:, i, j], full[:, j, i]
        cure = "both sides of a pair share one number"
        if by_sample:
            cure = f"{shape_of(full[0])} numbers are read as a matrix; give the weights of each sample as n x K x K"
        _check_symmetry(array, other, pairs, name, cure)
        array = np.ascontiguousarray(np.where(np.isnan(other), other, array))
    elif array.shape == (n_pairs,) or by_sample:
        array = np.ascontiguousarray(array.reshape(-1, n_pairs))
    else:
        forms = [f"a {k} x {k} matrix", f"a vector of {counted(n_pairs, 'number')}, one for each pair"]
        if n > 1:
            shape = f"{n} x {n_pairs}" if condensed else f"{n} x {k} x {k}"
            forms.append(f"{shape} numbers for the {n} samples")
        came = f"a vector of {len(array)}" if array.ndim == 1 else shape_of(array)
        raise InputError(f"{arg(name)} must be {', or '.join(forms)}, got {came}.")
    bad = ~(np.isfinite(array) & (array >= 0.0))
    if bad.any():
        row, pair = np.argwhere(bad)[0]
        where = pairs.of_sample(row) if len(array) > 1 else ""
        if np.isnan(array[row, pair]):
            raise InputError(
                f"{arg(name)} is missing for the pair {pairs.pair_name(pair)}{where}; fill it in, or set it to 0 to "
                "leave the pair out."
            )
        raise InputError(
            f"{arg(name)} must hold finite numbers >= 0, got {array[row, pair]} for the pair "
            f"{pairs.pair_name(pair)}{where}."
        )
    return array


def _check_labels(samples: pd.Index | None, classes: pd.Index | None, pairs: Pairs, name: str) -> None:
    """Labels of weights must be those of the pairs, in the same order."""
    for what, theirs, ours in (("classes", classes, pairs.classes), ("samples", samples, pairs.index)):
        if theirs is None or ours is None or len(theirs) != len(ours):
            continue
        if list(theirs) != list(ours) and _matched(theirs, ours) != list(ours):
            raise InputError(
                f"the {what} of {arg(name)} must be {listed(ours)}, in this order, got {listed(theirs)}; put them "
                "in this order, or remove the labels."
            )


def _check_symmetry(upper: Array, lower: Array, pairs: Pairs, name: str, cure: str) -> None:
    with np.errstate(invalid="ignore"):
        unequal = np.abs(upper - lower) > TOLERANCE * np.maximum(np.abs(upper), np.abs(lower))
    if unequal.any():
        row, pair = np.argwhere(unequal)[0]
        raise InputError(
            f"{arg(name)} must be symmetric, got {upper[row, pair]} and {lower[row, pair]} "
            f"for the pair {pairs.pair_name(pair)}; {cure}."
        )


def read_tree(equations: Any, pairs: Pairs) -> Array:
    """Read a class or K - 1 pairs as a (1, pairs) array: 1 for the pairs of the class, or these pairs, 0 for others."""
    k = pairs.n_classes
    labels = list(range(k)) if pairs.classes is None else pairs.classes.tolist()
    chosen: list[tuple[Any, ...]]
    # True equals 1, but does not mean class 1.
    is_flag = isinstance(equations, (bool, np.bool_)) and not any(isinstance(label, bool) for label in labels)
    if isinstance(equations, Hashable) and not is_flag and (hub := _matched([equations], labels)[0]) in labels:
        chosen = [(hub, label) for label in labels if label != hub]
    elif isinstance(equations, (list, tuple, np.ndarray)):
        given = equations.tolist() if isinstance(equations, np.ndarray) else equations
        chosen = [tuple(_matched(_pair_of(pair), labels)) for pair in given]
    else:
        raise InputError(
            f"{arg('equations')} must be one of the classes {listed(labels)}, or a list of {counted(k - 1, 'pair')} of "
            f"them, got {value(equations)}."
        )
    needed = f"{arg('equations')} must connect all classes by {counted(k - 1, 'pair')}"
    if len(chosen) != k - 1:
        raise InputError(f"{needed}, got {len(chosen)}.")
    tree, group = np.zeros((k, k)), list(range(k))
    for pair in chosen:
        if len(pair) != 2 or pair[0] == pair[1] or not all(label in labels for label in pair):
            raise InputError(
                f"{arg('equations')} must be pairs of the classes {listed(labels)}, got {'/'.join(map(str, pair))}."
            )
        i, j = sorted(map(labels.index, pair))
        if group[i] == group[j]:
            raise InputError(
                f"{needed}, but {pair[0]}/{pair[1]} closes a circle: {labels[i]} and {labels[j]} are connected by the "
                "pairs before it."
            )
        group = [group[i] if other == group[j] else other for other in group]
        tree[i, j] = 1.0
    return np.ascontiguousarray(tree[np.triu_indices(k, 1)])[None]


def _pair_of(pair: Any) -> tuple[Any, ...]:
    if isinstance(pair, str):
        return tuple(pair.split("/"))
    return tuple(pair) if isinstance(pair, (list, tuple)) else (pair,)


def symmetrized(pairs: Pairs) -> Pairs:
    """The same pairs with (r_ij + 1 - r_ji) / 2 in place of r_ij, condensed."""
    if not len(pairs.lower):
        raise InputError(
            f"{arg('symmetrize', True)} needs both sides of each pair, but condensed {arg('r')} has one; give "
            f"{arg('r')} as K x K, or leave {arg('symmetrize')} out."
        )
    mean = (pairs.values[:, pairs.upper] + (1.0 - pairs.values[:, pairs.lower])) / 2.0
    return replace(pairs, values=mean, upper=np.arange(mean.shape[1]), lower=np.empty(0, np.int64))


def check_values(
    pairs: Pairs,
    weights: Array,
    cure: str,
    unequal_cure: str = "",
    *,
    outside_cure: str = "and turn decision values into probabilities first",
    may_differ: bool = False,
) -> None:
    """Refuse missing values, values outside [0, 1], and r_ij + r_ji other than 1, in this order.

    Pairs of weight 0 are not checked. `cure` says what to do about a missing value, `unequal_cure` what else to do
    about a wrong sum, and `outside_cure` about a value outside [0, 1]. With `may_differ` sums are not checked.
    """
    missing = outside = unequal = None
    largest_gap = np.inf if may_differ else TOLERANCE
    rows = max(CHECKED_VALUES // len(pairs.upper), 1)
    for first in range(0, pairs.n_samples, rows):
        part = slice(first, first + rows)
        used = (weights if len(weights) == 1 else weights[part]) > 0.0
        r = pairs.values[part][:, pairs.upper]
        other = pairs.values[part][:, pairs.lower] if len(pairs.lower) else 1.0 - r
        # Infinite values are outside [0, 1], and their difference is no number.
        with np.errstate(invalid="ignore"):
            gap = np.where(used, np.abs(r + other - 1.0), 0.0)
        odd = used & ((np.minimum(r, other) < -TOLERANCE) | (np.maximum(r, other) > 1.0 + TOLERANCE))
        missing = missing or _first(used & (np.isnan(r) | np.isnan(other)), first)
        outside = outside or _first(odd, first)
        if (worst := np.nanmax(gap, initial=0.0)) > largest_gap:
            largest_gap, unequal = worst, _first(gap == worst, first)

    def both_sides(sample: int, pair: int) -> Array:
        return pairs.values[sample, [pairs.upper[pair], *pairs.lower[pair : pair + 1]]]

    def where(sample: int, pair: int) -> str:
        return f"the pair {pairs.pair_name(pair)}{pairs.of_sample(sample)}"

    if missing:
        if np.isnan(both_sides(*missing)).all():
            raise InputError(f"{arg('r')} is missing for {where(*missing)}; {cure}.")
        raise InputError(
            f"{arg('r')} is missing on one side of {where(*missing)}; fill it with 1 - r of the other side."
        )
    if outside:
        worst = max(both_sides(*outside), key=lambda r: abs(r - 0.5))
        raise InputError(
            f"{arg('r')} must be within [0, 1], got {worst:.9g} for {where(*outside)}; divide percentages by 100, "
            f"{outside_cure}."
        )
    if unequal:
        raise InputError(
            f"r_ij + r_ji must be 1 for each pair, got {both_sides(*unequal).sum():.9g} for {where(*unequal)}, the "
            f"worst one; divide both by their sum, or fill an empty triangle with 1 - r{unequal_cure}."
        )


def _first(mask: NDArray[np.bool_], first_sample: int) -> tuple[int, int] | None:
    """Sample and pair of the first True."""
    index = int(mask.argmax())
    sample, pair = divmod(index, mask.shape[1])
    return (first_sample + sample, pair) if mask.flat[index] else None


def soft_wins(pairs: Pairs, weight: Array) -> Array:
    """Matrix of the wins n_ij r_ij of a single sample."""
    cure = f"fill it in, or give weight {arg('n')} = 0 to a pair that was not compared"
    check_values(pairs, weight[None], cure, outside_cure=f"and numbers of wins by {arg('n')}")
    i, j = np.triu_indices(pairs.n_classes, 1)
    compared = weight > 0.0
    i, j, weight = i[compared], j[compared], weight[compared]
    # Rounding may leave r slightly outside [0, 1].
    r = np.clip(pairs.values[0, pairs.upper[compared]], 0.0, 1.0)
    wins = np.zeros((pairs.n_classes, pairs.n_classes))
    wins[i, j] = weight * r
    wins[j, i] = weight * (1.0 - r)
    return wins

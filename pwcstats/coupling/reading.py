"""Pairwise probabilities and their weights become checked float64 arrays; the wording of their errors."""

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from pwcstats._arrays import Array, as_float, read_only
from pwcstats._text import listed, shape_of
from pwcstats.errors import InputError

# n_ij may miss n_ji by this much: single precision keeps about seven digits.
SYMMETRY_TOLERANCE = 1e-6


@dataclass(frozen=True)
class Pairs:
    """Pairwise numbers of n samples, read where they are: r_ij of sample s is ``values[s, upper[pair]]``.

    `lower` holds the columns of r_ji, and is empty for condensed input. `classes` and `index` are the user's
    labels, if any.
    """

    values: Array
    upper: NDArray[np.int64]
    lower: NDArray[np.int64]
    n_classes: int
    classes: pd.Index | None
    index: pd.Index | None
    single: bool

    @property
    def n_samples(self) -> int:
        """Number of samples."""
        return len(self.values)

    def class_name(self, i: int) -> str:
        """Name of class i, or its number."""
        return str(i if self.classes is None else self.classes[i])

    def pair_name(self, pair: int) -> str:
        """Both classes of a pair, as e1071 writes them; numbers in brackets, since 0/1 would read as a fraction."""
        i, j = (int(index[pair]) for index in np.triu_indices(self.n_classes, 1))
        numbered = self.classes is None or pd.api.types.is_numeric_dtype(self.classes)
        names = self.class_name(i), self.class_name(j)
        return "({}, {})".format(*names) if numbered else "{}/{}".format(*names)

    def sample_name(self, sample: int) -> str:
        """Label of a sample, or its number."""
        return f"sample {sample if self.index is None else self.index[sample]}"

    def of_sample(self, sample: int) -> str:
        """' of sample s', or nothing where there is only one."""
        return "" if self.single else f" of {self.sample_name(sample)}"


def read_clip(clip: Any) -> float:
    """Check a number in [0, 0.5)."""
    value = as_float(clip, "clip")
    if value.ndim != 0 or not 0.0 <= value < 0.5:
        raise InputError(f"clip must be a number in [0, 0.5), got {clip!r}; 0 asks for the exact limit.")
    return float(value)


def read_pairs(r: Any, condensed: bool, classes: Sequence[Hashable] | None) -> Pairs:
    """Pairwise probabilities of one sample or many, full or condensed, arrays or frames."""
    index: pd.Index | None = None
    named: pd.Index | None = None
    if condensed and isinstance(r, (pd.DataFrame, pd.Series)):
        named = _classes_of_pairs(r.columns if isinstance(r, pd.DataFrame) else r.index, "r", given=classes is not None)
        index = r.index if isinstance(r, pd.DataFrame) else None
        values = as_float(r, "r")
    elif isinstance(r, pd.DataFrame) and r.columns.nlevels > 1:
        raise InputError("r must have one level of class labels in its columns, got several; join them into one.")
    elif isinstance(r, pd.DataFrame) and r.index.nlevels == 2:
        values, index, named = _read_stacked(r)
    elif isinstance(r, pd.DataFrame):
        named = _read_classes(r.columns, r.shape[1])
        values = as_float(_align(r, named, "r"), "r")
    else:
        values = as_float(r, "r")
    single = values.ndim == (1 if condensed else 2)
    n_classes = _n_classes(values, condensed)
    if classes is not None:
        wanted = _read_classes(classes, n_classes)
        # A frame that was made without labels counts from 0; those are no names.
        if named is not None and not isinstance(named, pd.RangeIndex) and list(named) != list(wanted):
            raise InputError(
                f"r is labelled by the classes {listed(named)}, but classes says {listed(wanted)}; "
                "leave classes out, or take the labels off r."
            )
        named = wanted
    i, j = np.triu_indices(n_classes, 1)
    if condensed:
        values, upper, lower = np.atleast_2d(values), np.arange(len(i)), np.empty(0, np.int64)
    else:
        values, step_i, step_j = _flatten(values.reshape(-1, n_classes, n_classes) if single else values)
        upper, lower = i * step_i + j * step_j, j * step_i + i * step_j
    return Pairs(read_only(values), upper, lower, n_classes, named, index, single)


def _flatten(values: Array) -> tuple[Array, int, int]:
    """(n, K, K) as (n, K*K) without a copy, in C order or in R's, with the steps of i and j along a row."""
    n, k, _ = values.shape
    if values.flags.f_contiguous and not values.flags.c_contiguous:
        return values.reshape((n, k * k), order="F"), 1, k
    return np.ascontiguousarray(values).reshape(n, k * k), k, 1


def _n_classes(values: Array, condensed: bool) -> int:
    shape = values.shape
    if condensed:
        if values.ndim not in (1, 2):
            raise InputError(f"condensed r must be n x K(K-1)/2, got {shape_of(values)}.")
        n_pairs = shape[-1]
        n_classes = int((1 + np.sqrt(1 + 8 * n_pairs)) // 2)
        if n_classes * (n_classes - 1) // 2 != n_pairs:
            raise InputError(
                f"condensed r must have K(K-1)/2 columns (1, 3, 6, 10, ...), one for each pair, got {n_pairs}."
            )
    else:
        if values.ndim not in (2, 3) or shape[-1] != shape[-2]:
            samples_last = values.ndim == 3 and shape[0] == shape[1]
            cure = "put the samples first" if samples_last else "for one column per pair use the option condensed"
            raise InputError(f"r must be K x K for one sample or n x K x K for many, got {shape_of(values)}; {cure}.")
        n_classes = shape[-1]
    if n_classes < 2:
        raise InputError(f"coupling needs at least 2 classes, got {n_classes}.")
    return n_classes


def _read_classes(classes: Iterable[Hashable], n_classes: int) -> pd.Index:
    if isinstance(classes, (str, set, frozenset)) or not isinstance(classes, Iterable):
        raise InputError(f"classes must be a list of {n_classes} names in the order of r, got {classes!r}.")
    names: pd.Index = pd.Index(list(classes))
    if len(names) != n_classes:
        raise InputError(f"classes must name the {n_classes} classes of r, got {len(names)} names.")
    if not names.is_unique:
        twice = names[names.duplicated()][0]
        raise InputError(f"classes must be different from each other, got {twice!r} twice.")
    return names


def _classes_of_pairs(labels: pd.Index, name: str, given: bool = False) -> pd.Index | None:
    """Class names from columns named by pairs, (a, b) or 'a/b'; None where no column is named so.

    With class names `given`, labels that name no pairs in order are the user's own affair.
    """
    pairs = [tuple(label.split("/")) if isinstance(label, str) else label for label in labels]
    named = [isinstance(pair, tuple) and len(pair) == 2 for pair in pairs]
    if not any(named) or (given and not all(named)):
        return None
    if not all(named):
        odd = labels[named.index(False)]
        raise InputError(
            f"{odd!r} in condensed {name} does not name a pair as the others do; drop it, or name the classes."
        )
    n_classes = int((1 + np.sqrt(1 + 8 * len(pairs))) // 2)
    first = pairs[0][0]
    # Of a pair that is turned round, the other name.
    names = [first, *(pair[pair[1] != first] for pair in pairs[: n_classes - 1])]
    expected = [(a, b) for i, a in enumerate(names) for b in names[i + 1 :]]
    for found, wanted in zip(pairs, expected, strict=False):
        if found != wanted:
            if given:
                return None
            turned = "; for the other side of a pair take 1 - r" if found == wanted[::-1] else ""
            raise InputError(
                f"condensed {name} must have the pairs in the order a/b, a/c, ..., b/c, ...: "
                f"needed {wanted[0]}/{wanted[1]}, got {found[0]}/{found[1]}{turned}."
            )
    return pd.Index(names)


def _align(frame: pd.DataFrame, classes: pd.Index, name: str) -> pd.DataFrame:
    """Put a K x K frame's rows and columns in the order of `classes`."""
    if frame.index.equals(classes) and frame.columns.equals(classes):
        return frame
    if frame.shape[0] != frame.shape[1]:
        raise InputError(
            f"a frame of {name} must have a row and a column for each class, got {frame.shape[0]} x {frame.shape[1]}; "
            "class names belong in the index; for one column per pair use the option condensed."
        )
    for axis, labels in (("rows", frame.index), ("columns", frame.columns)):
        if not labels.is_unique or not labels.isin(classes).all():
            raise InputError(
                f"the {axis} of {name} must be labelled by the classes {listed(classes)}, got {listed(labels)}."
            )
    return frame.loc[classes, classes]


def _read_stacked(frame: pd.DataFrame, name: str = "r") -> tuple[Array, pd.Index, pd.Index]:
    """K x K frames below each other, as ``pd.concat({sample: frame})`` makes them."""
    classes = _read_classes(frame.columns, frame.shape[1])
    samples = frame.index.get_level_values(0).unique()
    wanted = pd.MultiIndex.from_product([samples, classes])
    if not frame.index.equals(wanted):
        if not frame.index.is_unique or len(wanted) != len(frame) or not wanted.isin(frame.index).all():
            raise InputError(f"each sample of {name} must have one row for each of the classes {listed(classes)}.")
        frame = frame.loc[wanted]
    k = len(classes)
    return as_float(frame, name).reshape(-1, k, k), samples, classes


def read_weights(weights: Any, pairs: Pairs, condensed: bool, name: str) -> Array:
    """Weights as a (1, pairs) or (n, pairs) array of finite numbers >= 0; `name` is the user's word for them."""
    k, n_pairs, n = pairs.n_classes, len(pairs.upper), pairs.n_samples
    if isinstance(weights, pd.DataFrame) and weights.index.nlevels == 2:
        weights, samples, classes = _read_stacked(weights, name)
        _refuse_other_labels(samples, classes, pairs, name)
    elif isinstance(weights, pd.DataFrame) and weights.shape == (k, k) and pairs.classes is not None:
        weights = _align(weights, pairs.classes, name)
    elif isinstance(weights, (pd.DataFrame, pd.Series)):
        _refuse_other_pairs(weights, pairs, name)
    array = as_float(weights, name)
    # Per-sample numbers in the form of r go before a matrix for pair_mass, which belongs to a sample by its nature.
    of_samples = condensed and name == "pair_mass" and array.shape == (n, n_pairs)
    if array.shape in ((k, k), (n, k, k)) and not of_samples:
        i, j = np.triu_indices(k, 1)
        full = array.reshape(-1, k, k)
        array = np.ascontiguousarray(full[:, i, j])
        ambiguous = condensed and full.shape == (1, n, n_pairs)
        _refuse_asymmetric(array, full[:, j, i], pairs, name, ambiguous)
    elif array.shape == (n_pairs,) or (condensed and array.shape == (n, n_pairs)):
        array = np.ascontiguousarray(array.reshape(-1, n_pairs))
    else:
        per_sample = f"{n} x {n_pairs}" if condensed else f"{n} x {k} x {k}"
        raise InputError(
            f"{name} must be {k} x {k}, {n_pairs} long or {per_sample} to go with r, got {shape_of(array)}."
        )
    bad = ~(np.isfinite(array) & (array >= 0.0))
    if bad.any():
        row, pair = np.argwhere(bad)[0]
        where = pairs.of_sample(row) if len(array) > 1 else ""
        raise InputError(
            f"{name} must hold finite numbers >= 0, got {array[row, pair]} for the pair {pairs.pair_name(pair)}{where}."
        )
    return read_only(array)


def _refuse_other_pairs(weights: pd.DataFrame | pd.Series, pairs: Pairs, name: str) -> None:
    """Condensed weights that are named by pairs must name the pairs of r."""
    frame = isinstance(weights, pd.DataFrame)
    _refuse_other_labels(
        weights.index if frame else None,
        _classes_of_pairs(weights.columns if frame else weights.index, name),
        pairs,
        name,
    )


def _refuse_other_labels(samples: pd.Index | None, classes: pd.Index | None, pairs: Pairs, name: str) -> None:
    for what, theirs, ours in (("classes", classes, pairs.classes), ("samples", samples, pairs.index)):
        if theirs is not None and ours is not None and len(theirs) == len(ours) and list(theirs) != list(ours):
            raise InputError(
                f"the {what} of {name} are {listed(theirs)}, but those of r are {listed(ours)}, in this order; "
                "bring them in line, or take the labels off."
            )


def _refuse_asymmetric(upper: Array, lower: Array, pairs: Pairs, name: str, ambiguous: bool) -> None:
    with np.errstate(invalid="ignore"):
        gap = np.abs(upper - lower) > SYMMETRY_TOLERANCE * np.maximum(np.abs(upper), np.abs(lower))
    gap |= np.isnan(upper) != np.isnan(lower)
    if gap.any():
        row, pair = np.argwhere(gap)[0]
        hint = "both sides of a pair share one number"
        if ambiguous:
            hint = "3 x 3 numbers are read as a matrix; give the weights of each sample as n x K x K"
        raise InputError(
            f"{name} must be symmetric, got {upper[row, pair]} and {lower[row, pair]} "
            f"for the pair {pairs.pair_name(pair)}; {hint}."
        )


def refuse_missing(pairs: Pairs, sample: int, pair: int, coupling: bool = True) -> None:
    """Say which r_ij is NaN."""
    where = f"the pair {pairs.pair_name(pair)}{pairs.of_sample(sample)}"
    sides = pairs.values[sample, [pairs.upper[pair], *pairs.lower[pair : pair + 1]]]
    if np.isnan(sides).all():
        cure = "fill it in, drop the sample, or use method='ht' with weight n = 0 for a pair that was not compared"
        if not coupling:
            cure = "fill it in, or give weight n = 0 to a pair that was not compared"
        raise InputError(f"r is missing for {where}; {cure}.")
    raise InputError(f"r is missing on one side of {where}; fill it with 1 - r of the other side.")


def refuse_outside(pairs: Pairs, sample: int, pair: int) -> None:
    """Say which r_ij is no probability."""
    sides = pairs.values[sample, [pairs.upper[pair], *pairs.lower[pair : pair + 1]]]
    worst = max(sides, key=lambda v: abs(v - 0.5))
    raise InputError(
        f"r must be within [0, 1], got {worst:.9g} for the pair {pairs.pair_name(pair)}{pairs.of_sample(sample)}; "
        "divide percentages by 100, and turn decision values into probabilities first."
    )


def refuse_unequal_sum(pairs: Pairs, sample: int, pair: int) -> None:
    """Say where r_ij + r_ji misses 1 most."""
    total = pairs.values[sample, pairs.upper[pair]] + pairs.values[sample, pairs.lower[pair]]
    raise InputError(
        f"r_ij + r_ji must be 1 for each pair, got {total:.9g} for the pair {pairs.pair_name(pair)}"
        f"{pairs.of_sample(sample)}, the worst one; divide both by their sum, or fill an empty triangle with 1 - r."
    )


def refuse_disconnected(pairs: Pairs, components: Sequence[Sequence[int]], sample: int | None) -> None:
    """Name the groups of classes that were never compared with each other."""
    groups = " and ".join("{" + ", ".join(map(pairs.class_name, group)) + "}" for group in components)
    where = "" if sample is None else pairs.of_sample(sample)
    raise InputError(
        f"the comparison graph{where} is not connected: the weights n leave {groups} without a compared pair between "
        "them; give such a pair a positive weight, or couple each group by itself."
    )


def refuse_no_limit(pairs: Pairs, sample: int, reason: str) -> None:
    """Say why exact zeros and ones leave the answer open."""
    raise InputError(
        f"r{pairs.of_sample(sample)} has exact zeros or ones for which there is no limit ({reason}); use clip > 0."
    )


def soft_wins(pairs: Pairs, weight: Array) -> Array:
    """n_ij r_ij as a matrix of wins."""
    i, j = np.triu_indices(pairs.n_classes, 1)
    wins = np.zeros((pairs.n_classes, pairs.n_classes))
    r = pairs.values[0, pairs.upper]
    other = 1.0 - r if not len(pairs.lower) else pairs.values[0, pairs.lower]
    for pair in map(int, np.flatnonzero(weight)):
        if np.isnan(r[pair]) or np.isnan(other[pair]):
            refuse_missing(pairs, 0, pair, coupling=False)
        if not (0.0 <= r[pair] <= 1.0 and 0.0 <= other[pair] <= 1.0):
            refuse_outside(pairs, 0, pair)
        if abs(r[pair] + other[pair] - 1.0) > SYMMETRY_TOLERANCE:
            refuse_unequal_sum(pairs, 0, pair)
    met = weight > 0.0
    wins[i[met], j[met]] = weight[met] * r[met]
    wins[j[met], i[met]] = weight[met] * (1.0 - r[met])
    return wins

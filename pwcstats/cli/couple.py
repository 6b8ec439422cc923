"""``pwcstats couple``: class probabilities from pairwise probabilities."""

import argparse
from typing import Any

import pandas as pd

from pwcstats._text import listed
from pwcstats.cli import reading, writing
from pwcstats.coupling import couple as coupled
from pwcstats.coupling.methods import METHODS, TABLE
from pwcstats.errors import InputError


def add_to(commands: Any) -> None:
    """Add the command to the parser."""
    parser = writing.add_command(
        commands,
        "couple",
        "class probabilities from pairwise ones",
        "Couple pairwise probabilities into class probabilities, printed as CSV.\n\n"
        "FILE has one column per pair, named a/b, a/c, ..., b/c, ..., and one row per sample. A cell is the "
        "probability of the first class, given that the class is one of the two. The first column holds names of "
        "samples if it is not named like a pair or if it contains text. Alternatively, FILE is one K x K table with "
        "row names, which has the probability of the row's class against the column's.",
        "pwcstats couple pairs.csv --method ht",
    )
    parser.add_argument("file", metavar="FILE", help=writing.FILE)
    about = "\n".join(f"  {row.name:<7}{row.description}" for row in TABLE.values())
    parser.epilog = f"methods:\n{about}\n\n{parser.epilog}"
    parser.add_argument("--method", choices=METHODS, default="wlw2", help="coupling method, see below (%(default)s)")
    weighted, massed = (
        " and ".join(f"--method {row.name}" for row in TABLE.values() if getattr(row, feature))
        for feature in ("uses_weights", "uses_pair_mass")
    )
    parser.add_argument(
        "--weights",
        metavar="FILE",
        help=f"weights of the pairs for {weighted}, or masses of the pairs for {massed}: K x K, or columns a/b",
    )
    form = parser.add_mutually_exclusive_group()
    form.add_argument("--condensed", action="store_true", help="FILE has one column per pair")
    form.add_argument("--wide", action="store_true", help="FILE is a K x K table")
    writing.add_guard(parser)
    writing.add_sep(parser)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> None:
    """Couple and print."""
    if options.file == options.weights == "-":
        raise InputError("only one of FILE and --weights can be stdin, got - for both.")
    guard = writing.guard(options)
    r, condensed = _read_pairs(options.file, options.sep, condensed=options.condensed, wide=options.wide)
    weights = None if options.weights is None else _read_weights(options, r)
    mass = TABLE[options.method].uses_pair_mass
    p: Any = coupled(
        r,
        options.method,
        condensed=condensed,
        n=None if mass else weights,
        pair_mass=weights if mass else None,
    )
    if condensed:
        named = not isinstance(r.index, pd.RangeIndex)
        guarded = p.rename(index=guard, columns=guard)
        text = writing.as_csv(guarded, index=named, index_label=guard(r.index.name or "sample"))
        names = r.index if named else range(1, len(r) + 1)
        samples = [{"sample": sample, "proba": row} for sample, row in zip(names, p.to_dict("records"), strict=True)]
    else:
        text = writing.as_csv(p.rename("probability").rename(index=guard), index_label="class")
        samples = [{"sample": 1, "proba": dict(p)}]
    classes = list(p.columns if condensed else p.index)
    writing.emit(options, text, {"method": options.method, "classes": classes, "samples": samples}, is_csv=True)


def _read_pairs(
    path: str, sep: str | None, *, condensed: bool = False, wide: bool = False
) -> tuple[pd.DataFrame, bool]:
    """Read numbers of pairs with their labels; the second value tells whether they are condensed.

    `condensed` and `wide` are what the user says about the file; if both are False, the file decides.
    """
    frame = reading.read_table(path, sep)
    if wide or (not condensed and reading.is_square(frame)):
        if not reading.is_square(frame):
            raise InputError(
                f"{path} must be a K x K table: the first column must hold the names of the others, "
                f"{listed(frame.columns[1:])}, got {listed(frame.iloc[:, 0])}."
            )
        return reading.as_square(frame), False
    first = frame.columns[0]
    others = frame.columns[1:]
    if len(others) and ("/" not in first or not reading.is_numeric(frame[first])):
        names = pd.Index(frame[first], dtype=object, name=first)
        frame = frame.drop(columns=first).set_axis(names, axis=0)
    else:
        frame = frame.set_axis(pd.RangeIndex(1, len(frame) + 1), axis=0)
    odd = [name for name in frame.columns if len(name.split("/")) != 2]
    if odd:
        raise InputError(
            f"columns of {path} must be named by pairs, as a/b, got {listed(odd)}; for a K x K table the first "
            "column must hold the names of the others."
        )
    return reading.all_numbers(frame), True


def _read_weights(options: argparse.Namespace, r: pd.DataFrame) -> pd.DataFrame | pd.Series:
    weights, condensed = _read_pairs(options.weights, options.sep)
    if condensed and len(weights) == 1:
        return weights.iloc[0]
    if condensed and isinstance(weights.index, pd.RangeIndex) and len(weights) == len(r):
        return weights.set_axis(r.index, axis=0)
    return weights

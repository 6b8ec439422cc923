"""``pwcstats couple``: pairwise probabilities to class probabilities."""

import argparse
from typing import Any

import pandas as pd

from pwcstats._text import listed
from pwcstats.cli import reading, writing
from pwcstats.coupling import METHODS
from pwcstats.coupling import couple as coupled
from pwcstats.errors import InputError


def add_to(commands: Any) -> None:
    """Add the command to the parser."""
    parser = writing.add_command(
        commands,
        "couple",
        "class probabilities from pairwise ones",
        "Couple pairwise probabilities into class probabilities, printed as CSV.\n\n"
        "FILE has a column for each pair, named a/b, a/c, ..., b/c, ..., and a row for each sample: the "
        "probability of the first class given that it is one of the two. The first column may hold the samples' "
        "names: it does if it is not named as a pair, or has words in it. Or FILE is one K x K table with row "
        "names, row against column.",
        "pwcstats couple pairs.csv --method ht",
    )
    parser.add_argument("file", metavar="FILE", help=writing.FILE)
    parser.add_argument("--method", choices=METHODS, default="wlw2", help="how to couple (%(default)s)")
    parser.add_argument(
        "--weights", metavar="FILE", help="weights n_ij for ht (masses of the pairs for bayes): K x K, or columns a/b"
    )
    form = parser.add_mutually_exclusive_group()
    form.add_argument(
        "--condensed", dest="form", action="store_const", const="condensed", help="FILE has a column a pair"
    )
    form.add_argument("--wide", dest="form", action="store_const", const="wide", help="FILE is a K x K table")
    writing.add_guard(parser)
    writing.add_sep(parser)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> None:
    """Couple and print."""
    if options.file == options.weights == "-":
        raise InputError("only one of FILE and --weights can be stdin, got - for both.")
    guard = writing.guard(options)
    r, condensed = read_pairs(options.file, options.sep, options.form)
    weights = None if options.weights is None else _read_weights(options, r)
    mass = options.method == "bayes"
    p = coupled(
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


def read_pairs(path: str, sep: str | None, form: str | None) -> tuple[pd.DataFrame, bool]:
    """Numbers of pairs, labelled, and whether they are condensed."""
    frame = reading.read_table(path, sep)
    if form == "wide" or (form is None and reading.is_square(frame)):
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
    weights, condensed = read_pairs(options.weights, options.sep, None)
    if condensed and len(weights) == 1:
        return weights.iloc[0]
    if condensed and isinstance(weights.index, pd.RangeIndex) and len(weights) == len(r):
        return weights.set_axis(r.index, axis=0)
    return weights

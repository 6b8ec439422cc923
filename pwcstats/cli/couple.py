"""``pwcstats couple``: class probabilities from pairwise probabilities."""

import argparse
from typing import Any

import pandas as pd

from pwcstats._files import as_csv, has_row_names
from pwcstats.cli import reading, writing
from pwcstats.coupling import couple as coupled
from pwcstats.coupling.methods import METHODS, TABLE


def add_to(commands: Any) -> None:
    """Add the command to the parser."""
    parser = writing.add_command(
        commands,
        "couple",
        "turn pairwise probabilities into class probabilities",
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
    parser.add_argument(
        "--method",
        metavar="NAME",
        choices=METHODS,
        default="wlw2",
        help="coupling method, see below (default: %(default)s)",
    )
    weighted, massed = (
        " and ".join(f"--method {row.name}" for row in TABLE.values() if getattr(row, feature))
        for feature in ("uses_weights", "uses_pair_mass")
    )
    parser.add_argument(
        "--weights",
        metavar="FILE",
        help=f"file with weights of the pairs for {weighted}, or masses of the pairs for {massed}: K x K, or with "
        "columns a/b",
    )
    chosen = " and ".join(f"--method {row.name}" for row in TABLE.values() if row.tree_kernel)
    parser.add_argument(
        "--equations",
        metavar="PAIRS",
        help=f"the pairs whose equations {chosen} solves: a class, or K - 1 pairs a/b,b/c,... that connect all classes",
    )
    parser.add_argument(
        "--symmetrize",
        action="store_true",
        help="the two triangles of a K x K table are separate estimates, which need not add up to 1; use their mean",
    )
    form = parser.add_mutually_exclusive_group()
    form.add_argument("--condensed", action="store_true", help="FILE has one column per pair")
    form.add_argument("--wide", action="store_true", help="FILE is a K x K table")
    writing.add_guard(parser)
    writing.add_sep(parser)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> None:
    """Couple and print."""
    reading.refuse_stdin_twice(options.file, options.weights, "--weights")
    guard = writing.guard(options)
    r, condensed = reading.read_pairs(options.file, options.sep, condensed=options.condensed, wide=options.wide)
    weights = None if options.weights is None else _read_weights(options, r)
    mass = TABLE[options.method].uses_pair_mass
    p: Any = coupled(
        r,
        options.method,
        condensed=condensed,
        n=None if mass else weights,
        pair_mass=weights if mass else None,
        equations=_read_equations(options.equations),
        symmetrize=options.symmetrize,
    )
    if condensed:
        named = has_row_names(r)
        guarded = p.rename(columns=guard)
        guarded = guarded.rename(index=guard) if named else guarded.reset_index(drop=True)
        text = as_csv(guarded, guard(r.index.name or "sample"))
        names = r.index if named else range(1, len(r) + 1)
        samples = [{"sample": sample, "proba": row} for sample, row in zip(names, p.to_dict("records"), strict=True)]
    else:
        text = as_csv(p.rename("probability").rename(index=guard), "class")
        samples = [{"sample": 1, "proba": dict(p)}]
    classes = list(p.columns if condensed else p.index)
    writing.emit(options, text, {"method": options.method, "classes": classes, "samples": samples}, is_csv=True)


def _read_equations(text: str | None) -> str | list[str] | None:
    if text is None or "/" not in text:
        return text
    return [pair.strip() for pair in text.split(",") if pair.strip()]


def _read_weights(options: argparse.Namespace, r: pd.DataFrame) -> pd.DataFrame | pd.Series:
    weights = reading.read_weights(options.weights, options.sep)
    # Rows without names are those of the samples.
    if isinstance(weights, pd.DataFrame) and isinstance(weights.index, pd.RangeIndex) and len(weights) == len(r):
        return weights.set_axis(r.index, axis=0)
    return weights

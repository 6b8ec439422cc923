"""Summaries in statsmodels' own table classes: a head in two columns, and tables of coefficients."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy import stats
from statsmodels.iolib.summary import fmt_params
from statsmodels.iolib.table import SimpleTable
from statsmodels.iolib.tableformatting import fmt_2cols

Array = NDArray[np.float64]
Cells = Sequence[tuple[str, str]]

# Of the head, whose table may be narrower.
NARROWEST = 70

_HEAD = {**fmt_2cols, "data_fmts": ["%s", "%s"], "data_aligns": "ll", "colsep": "  "}


def number(x: float) -> str:
    """A number of cases: all its digits where it is whole."""
    return str(int(x)) if x == int(x) else f"{x:.7g}"


def width_of(tables: Sequence[SimpleTable]) -> int:
    """The width that the head should have above some tables."""
    return max([NARROWEST, *(len(str(table).split("\n", maxsplit=1)[0]) for table in tables)])


def head(title: str, left: Cells, right: Cells, width: int) -> SimpleTable:
    """Two columns of names and values, filling the width."""
    half = [width // 2 - 1, width - width // 2 - 1]
    cells = [
        [a + b.rjust(half[0] - len(a)), c + d.rjust(half[1] - len(c))]
        for (a, b), (c, d) in zip(left, right, strict=True)
    ]
    return SimpleTable(cells, title=title.center(width), txt_fmt=_HEAD)


def coefficients(
    names: Sequence[str],
    estimate: Array,
    se: Array | None,
    alpha: float,
    label: str | None = None,
    df: float | None = None,
) -> SimpleTable:
    """Estimates, with Wald's tests and intervals where there are standard errors; a `label` goes above.

    They use the normal distribution or, if `df` is given, the t distribution.
    """
    headers = ["coef"]
    columns = [[f"{x:.4f}" for x in estimate]]
    if se is not None:
        letter, reference = ("z", stats.norm) if df is None else ("t", stats.t(df))
        with np.errstate(invalid="ignore"):
            z = estimate / se
            half = reference.isf(alpha / 2.0) * se
            low, high = (np.where(np.isinf(se), bound, estimate + bound) for bound in (-half, half))
        headers += ["std err", letter, f"P>|{letter}|", f"[{alpha / 2:g}", f"{1 - alpha / 2:g}]"]
        columns += [[f"{x:.3f}" for x in c] for c in (se, z, 2.0 * reference.sf(np.abs(z)), low, high)]
    return SimpleTable(
        list(zip(*columns, strict=True)), headers=headers, stubs=list(names), title=label, txt_fmt=fmt_params
    )

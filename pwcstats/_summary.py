"""Tables of coefficients: as statsmodels' summaries, and as tidy data frames."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
from statsmodels.iolib.summary import Summary, fmt_params
from statsmodels.iolib.table import SimpleTable
from statsmodels.iolib.tableformatting import fmt_2cols

from pwcstats._arrays import Array
from pwcstats._kernels.tails import Reference

Cells = Sequence[tuple[str, str]]

# Minimal width of the head of a summary.
NARROWEST = 70

_HEAD = {**fmt_2cols, "data_fmts": ["%s", "%s"], "data_aligns": "ll", "colsep": "  "}


def number(x: float) -> str:
    """A number of observations, with all its digits if it is whole."""
    return str(int(x)) if x == int(x) else f"{x:.7g}"


def width_of(tables: Sequence[SimpleTable]) -> int:
    """Width of the head of a summary above some tables."""
    return max([NARROWEST, *(len(str(table).split("\n", maxsplit=1)[0]) for table in tables)])


def head(title: str, left: Cells, right: Cells, width: int) -> SimpleTable:
    """Head of a summary: two columns of names and values that fill the width."""
    half = [width // 2 - 1, width - width // 2 - 1]
    cells = [
        [a + b.rjust(half[0] - len(a)), c + d.rjust(half[1] - len(c))]
        for (a, b), (c, d) in zip(left, right, strict=True)
    ]
    return SimpleTable(cells, title=title.center(width), txt_fmt=_HEAD)


def report(title: str, left: Cells, right: Cells, cells: pd.DataFrame) -> Summary:
    """Summary of a head and one table, whose cells are text or whole numbers."""
    table = SimpleTable(
        cells.to_numpy().tolist(),
        headers=list(map(str, cells.columns)),
        stubs=list(map(str, cells.index)),
        txt_fmt=fmt_params,
    )
    summary = Summary()
    summary.tables = [head(title, left, right, width_of([table])), table]
    return summary


def coefficients(
    names: Sequence[str],
    estimate: Array,
    se: Array | None,
    alpha: float,
    label: str | None = None,
    df: float | None = None,
) -> SimpleTable:
    """Table of estimates for a summary, with Wald tests and intervals if there are standard errors.

    Tests and intervals use the normal distribution or, if `df` is given, the t distribution. `label` is the title.
    """
    headers = ["coef"]
    columns = [[f"{x:.4f}" for x in estimate]]
    if se is not None:
        letter, reference = "z" if df is None else "t", Reference(df)
        with np.errstate(invalid="ignore"):
            z = estimate / se
            half = reference.isf(alpha / 2.0) * se
            low, high = (np.where(np.isinf(se), bound, estimate + bound) for bound in (-half, half))
        headers += ["std err", letter, f"P>|{letter}|", f"[{alpha / 2:g}", f"{1 - alpha / 2:g}]"]
        columns += [[f"{x:.3f}" for x in c] for c in (se, z, 2.0 * reference.sf(np.abs(z)), low, high)]
    return SimpleTable(
        list(zip(*columns, strict=True)), headers=headers, stubs=list(names), title=label, txt_fmt=fmt_params
    )


def tidy_coefficients(
    terms: Sequence[Any],
    estimate: Array,
    std_error: Array,
    statistic: Array,
    p_value: Array,
    bounds: Array,
    exponentiate: bool = False,
) -> pd.DataFrame:
    """Data frame with broom's columns in snake case, one row per coefficient; `bounds` has two columns.

    With `exponentiate`, estimates and bounds are exponentials; standard errors are not, as in broom.
    """
    if exponentiate:
        with np.errstate(over="ignore"):
            estimate, bounds = np.exp(estimate), np.exp(bounds)
    return pd.DataFrame(
        {
            "term": terms,
            "estimate": estimate,
            "std_error": std_error,
            "statistic": statistic,
            "p_value": p_value,
            "conf_low": bounds[:, 0],
            "conf_high": bounds[:, 1],
        }
    )

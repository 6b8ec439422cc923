"""``pwcstats predict``: predictions of a saved model for new rows."""

import argparse
from typing import Any

import pandas as pd

from pwcstats._files import as_csv
from pwcstats._text import listed
from pwcstats.cli import models, reading, writing
from pwcstats.errors import PwcWarning, warn


def add_to(commands: Any) -> None:
    """Add the command to the parser."""
    parser = writing.add_command(
        commands,
        "predict",
        "predict new rows with a saved classifier",
        "Predict the classes of new rows, printed as CSV. MODEL is a file that `pwcstats fit --save` wrote. It holds "
        "no code, so the model is fitted again, which takes as long as the first fit. FILE needs the columns of the "
        "training table, in any order.",
        "pwcstats predict iris.model new.csv --proba",
    )
    parser.add_argument("model", metavar="MODEL", help="a file that `pwcstats fit --save` wrote")
    parser.add_argument("file", metavar="FILE", help=writing.FILE)
    parser.add_argument("--proba", action="store_true", help="also print the probabilities of all classes")
    writing.add_guard(parser)
    writing.add_sep(parser)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> None:
    """Predict and print."""
    guard = writing.guard(options)
    frame = reading.read_table(options.file, options.sep)
    model = models.load(options.model)
    names = [column.name for column in model.recipe.columns]
    reading.need_columns(frame.columns, names, options.file)
    extra = [name for name in frame.columns if name not in ("", model.recipe.target, *names)]
    if extra:
        warn(PwcWarning(f"columns that the model does not use were ignored: {listed(extra)}"))
    proba = model.predict_proba(frame)
    found = model.likeliest(proba)
    table = pd.DataFrame({"prediction": [guard(label) for label in found]})
    rows: list[dict[str, Any]] = [{"prediction": label} for label in found]
    if options.proba:
        columns = [f"proba_{label}" for label in model.classes]
        table = pd.concat([table, pd.DataFrame(proba, columns=columns)], axis=1)
        rows = [row | {"proba": dict(zip(model.classes, p, strict=True))} for row, p in zip(rows, proba, strict=True)]
    document = {"target": model.recipe.target, "classes": model.classes, "rows": rows}
    writing.emit(options, as_csv(table), document, is_csv=True)

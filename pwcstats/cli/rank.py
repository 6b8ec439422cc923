"""``pwcstats rank``: a Bradley–Terry model of paired comparisons."""

import argparse
from typing import Any

import numpy as np
import pandas as pd

from pwcstats.bradley_terry import BradleyTerry, BradleyTerryResults
from pwcstats.cli import reading, writing

# Of more items, standard errors alone are estimated: the covariance would be the square of these.
MANY = 2000


def add_to(commands: Any) -> None:
    """Add the command to the parser."""
    parser = writing.add_command(
        commands,
        "rank",
        "abilities from paired comparisons (Bradley-Terry)",
        "Rank items by a Bradley-Terry model: abilities (log scale, sum 0) with standard errors and intervals, "
        "the best first. FILE has a row for each comparison, with the winner and the loser; or it is a K x K "
        "table of wins with row names, row over column.",
        "pwcstats rank games.csv --winner won --loser lost --plot abilities.png",
    )
    parser.add_argument("file", metavar="FILE", help=writing.FILE)
    parser.add_argument("--winner", metavar="COL", help="column of the winners (winner)")
    parser.add_argument("--loser", metavar="COL", help="column of the losers (loser)")
    parser.add_argument("--tie", metavar="COL", help="column of true and false: whether the two tied")
    parser.add_argument("--weight", metavar="COL", help="column of weights: how often a row counts")
    parser.add_argument("--first", metavar="COL", help="column of the item that went first or was at home")
    parser.add_argument(
        "--ties", choices=("davidson", "half"), help="a parameter for ties, or half a win each (davidson, with --tie)"
    )
    parser.add_argument("--method", choices=("mle", "firth"), default="mle", help="maximum likelihood, or Firth's")
    parser.add_argument("--order-effect", action="store_true", help="estimate the advantage of --first")
    parser.add_argument(
        "--alpha", type=writing.level, default=0.05, help="one less the level of intervals (%(default)s)"
    )
    parser.add_argument("--plot", metavar="FILE", help="draw the abilities (.png, .pdf, .svg)")
    writing.add_sep(parser)
    parser.set_defaults(run=lambda options: run(options, parser))


def run(options: argparse.Namespace, parser: argparse.ArgumentParser) -> None:
    """Fit and print."""
    if options.ties and not options.tie:
        parser.error("--ties needs --tie, the column that says which rows are ties")
    if options.order_effect != (options.first is not None):
        parser.error("--order-effect and --first COL, who went first, go together")
    model = _model(options)
    res = model.fit(
        options.method,
        ties=(options.ties or "davidson") if options.tie else "none",
        order_effect=options.order_effect,
        cov="full" if model.n_items <= MANY or options.method == "firth" else "diag",
    )
    table = res.abilities(alpha=options.alpha).sort_values("ability", ascending=False, kind="stable")
    if options.plot:
        writing.save_picture(res.plot(alpha=options.alpha), options.plot)
    others = _others(res)
    text = [
        f"Bradley-Terry model of {model.n_items} items, {model.nobs:g} comparisons; log-likelihood {res.llf:.4f}",
        f"Abilities, the best first ({100 * (1 - options.alpha):g} % intervals)",
        table.to_string(float_format="{:.4f}".format),
        *(f"{name}: {row['estimate']:.4f} (standard error {row['std_error']:.4f})" for name, row in others.items()),
    ]
    document = {
        "method": options.method,
        "n_items": model.n_items,
        "n_comparisons": model.nobs,
        "log_likelihood": res.llf,
        "converged": res.converged,
        "alpha": options.alpha,
        "items": table.rename_axis(index="item").reset_index(),
        **{name.replace(" ", "_"): row for name, row in others.items()},
    }
    writing.emit(options, "\n".join(text), document)


def _model(options: argparse.Namespace) -> BradleyTerry:
    frame = reading.read_table(options.file, options.sep)
    asked = (options.winner, options.loser, options.tie, options.weight, options.first)
    if not any(asked) and reading.is_square(frame):
        return BradleyTerry(reading.as_square(frame).fillna(0.0))
    winner, loser = options.winner or "winner", options.loser or "loser"
    reading.need_columns(frame, [winner, loser, *filter(None, asked[2:])], options.file)
    for name in (winner, loser):
        reading.refuse_missing(frame[name])
    columns = {
        "winner": frame[winner],
        "loser": frame[loser],
        "weight": reading.as_numbers(frame[options.weight]) if options.weight else None,
        "tie": reading.as_flags(frame[options.tie]) if options.tie else None,
        "first": frame[options.first] if options.first else None,
    }
    # Rows are counted from 1 in what is said of them.
    found = {name: np.asarray(column) for name, column in columns.items() if column is not None}
    data = pd.DataFrame(found, index=range(1, len(frame) + 1))
    return BradleyTerry.from_comparisons(data, **{name: name for name in found})


def _others(res: BradleyTerryResults) -> dict[str, dict[str, float]]:
    """Order effect and tie parameter, where the model has them."""
    names = {"(order)": "order effect", "(tie)": "log tie parameter"}
    errors: pd.Series = res.bse
    return {
        words: {"estimate": float(res.params[name]), "std_error": float(errors[name])}
        for name, words in names.items()
        if name in res.params.index[-2:]
    }

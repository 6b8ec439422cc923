"""``pwcstats rank``: abilities of items from paired comparisons."""

import argparse
from typing import Any

import numpy as np
import pandas as pd

from pwcstats.bradley_terry import BradleyTerry, BradleyTerryResults
from pwcstats.bradley_terry.covariance import EXACT_ITEMS
from pwcstats.bradley_terry.spec import ORDER_TERM, TIE_TERM
from pwcstats.cli import reading, writing

# How the output names the parameters that are not abilities.
NAMES = {ORDER_TERM: "order effect", TIE_TERM: "log tie parameter"}
# Options that name columns of a table with one row per comparison.
ROW_OPTIONS = ("winner", "loser", "tie", "weight", "first")


def add_to(commands: Any) -> None:
    """Add the command to the parser."""
    parser = writing.add_command(
        commands,
        "rank",
        "abilities from paired comparisons (Bradley-Terry)",
        "Rank items by a Bradley-Terry model: abilities (log scale, sum 0) with standard errors and intervals, "
        "the best first. FILE has one row per comparison, with the winner and the loser; or it is a K x K "
        "table of wins with row names, row over column. With --counts, FILE holds proportions of wins: K x K, or one "
        "row with columns a/b.",
        "pwcstats rank games.csv --winner won --loser lost --plot abilities.png",
    )
    parser.add_argument("file", metavar="FILE", help=writing.FILE)
    parser.add_argument("--winner", metavar="COL", help="column of the winners (winner)")
    parser.add_argument("--loser", metavar="COL", help="column of the losers (loser)")
    parser.add_argument("--tie", metavar="COL", help="column of true and false: whether the items tied")
    parser.add_argument("--weight", metavar="COL", help="column of weights of the rows")
    parser.add_argument("--first", metavar="COL", help="column of the item that went first or was at home")
    # Messages about weights of pairs are about this option.
    parser.add_argument(
        "--counts",
        dest="weights",
        metavar="FILE",
        help="numbers of comparisons of the pairs, K x K or with columns a/b; FILE then holds proportions of wins",
    )
    parser.add_argument(
        "--ties",
        choices=("davidson", "half"),
        help="a tie parameter, or half a win for each item (davidson, with --tie)",
    )
    parser.add_argument(
        "--method", choices=("mle", "firth"), default="mle", help="maximum likelihood, or Firth's penalised likelihood"
    )
    parser.add_argument("--order-effect", action="store_true", help="estimate the advantage of --first")
    parser.add_argument(
        "--alpha",
        type=writing.level,
        default=0.05,
        help="significance level; intervals have level 1 - alpha (%(default)s)",
    )
    parser.add_argument("--plot", metavar="FILE", help="plot the abilities (.png, .pdf, .svg)")
    writing.add_sep(parser)
    parser.set_defaults(run=lambda options: run(options, parser))


def run(options: argparse.Namespace, parser: argparse.ArgumentParser) -> None:
    """Fit and print."""
    if options.ties and not options.tie:
        parser.error("--ties needs --tie, the column that marks the rows that are ties")
    if options.order_effect != (options.first is not None):
        parser.error("--order-effect and --first COL, the item that went first, go together")
    rows = [f"--{name}" for name in ROW_OPTIONS if getattr(options, name)]
    if options.weights and rows:
        parser.error(f"--counts needs a table of proportions, and {rows[0]} a table with one row per comparison")
    model = _model(options)
    res = model.fit(
        options.method,
        ties=(options.ties or "davidson") if options.tie else "none",
        order_effect=options.order_effect,
        # The full covariance of many items would take long and is not needed.
        cov="full" if model.n_items <= EXACT_ITEMS or options.method == "firth" else "diag",
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
    if options.weights:
        reading.refuse_stdin_twice(options.file, options.weights, "--counts")
        r, condensed = reading.read_pairs(options.file, options.sep)
        n = reading.read_weights(options.weights, options.sep)
        return BradleyTerry.from_pairwise(r.iloc[0] if condensed and len(r) == 1 else r, n, condensed=condensed)
    frame = reading.read_table(options.file, options.sep)
    chosen = {name: getattr(options, name) for name in ROW_OPTIONS}
    if not any(chosen.values()) and reading.is_square(frame):
        return BradleyTerry(reading.as_square(frame).fillna(0.0))
    winner, loser = options.winner or "winner", options.loser or "loser"
    for name, column in chosen.items():
        if column:
            reading.need_columns(frame, [column], options.file, f"--{name}")
    reading.need_columns(frame, [winner, loser], options.file)
    for name in (winner, loser):
        reading.refuse_missing(frame[name])
    columns = {
        "winner": frame[winner],
        "loser": frame[loser],
        "weight": reading.as_numbers(frame[options.weight]) if options.weight else None,
        "tie": reading.as_flags(frame[options.tie]) if options.tie else None,
        "first": frame[options.first] if options.first else None,
    }
    # Messages count rows from 1.
    found = {name: np.asarray(column) for name, column in columns.items() if column is not None}
    data = pd.DataFrame(found, index=range(1, len(frame) + 1))
    return BradleyTerry.from_comparisons(data, **{name: name for name in found})


def _others(res: BradleyTerryResults) -> dict[str, dict[str, float]]:
    """Order effect and tie parameter, if the model has them."""
    estimates, errors = res.params, res.bse
    return {
        NAMES[term]: {"estimate": float(estimates[term]), "std_error": float(errors[term])}
        for term in res.spec.extra_terms
    }

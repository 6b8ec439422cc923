"""``pwcstats rank``: abilities of items from paired comparisons."""

import argparse
from typing import Any

import numpy as np
import pandas as pd

from pwcstats._text import percent
from pwcstats.bradley_terry import BradleyTerry, BradleyTerryResults
from pwcstats.bradley_terry.covariance import EXACT_ITEMS
from pwcstats.bradley_terry.spec import ORDER_TERM, TIE_TERM
from pwcstats.cli import reading, writing

# How the output names the parameters that are not abilities.
NAMES = {ORDER_TERM: "order effect", TIE_TERM: "log tie parameter"}
# Options that name columns of a table with one row per comparison.
ROW_OPTIONS = ("winner", "loser", "tie", "weight", "first", "second")


def add_to(commands: Any) -> None:
    """Add the command to the parser."""
    parser = writing.add_command(
        commands,
        "rank",
        "rank items by paired comparisons (Bradley-Terry)",
        "Rank items by a Bradley-Terry model. The output lists the abilities (log scale, sum 0) with standard errors "
        "and intervals, the best item first.\n\n"
        "FILE has one row per comparison, in one of two forms: a column of winners and a column of losers (--winner, "
        "--loser); or two columns of items and one that says who won (--first, --second, --winner). In the second "
        "form, --winner holds the name of the item, or the name of the column that contains it. Alternatively, FILE is "
        "a K x K table of wins with row names, row over column. With --counts, FILE holds proportions of wins: K x K, "
        "or one row with columns a/b.",
        "pwcstats rank games.csv --winner won --loser lost --plot abilities.png\n"
        "  pwcstats rank votes.csv --first model_a --second model_b --winner winner --tie tie --ranks",
    )
    parser.add_argument("file", metavar="FILE", help=writing.FILE)
    parser.add_argument("--winner", metavar="COL", help="column of the winners (default: winner)")
    parser.add_argument("--loser", metavar="COL", help="column of the losers (default: loser)")
    parser.add_argument(
        "--tie", metavar="COL", help="column that is true for ties; or, with --second, the word for a tie in --winner"
    )
    parser.add_argument("--weight", metavar="COL", help="column of weights of the rows")
    parser.add_argument(
        "--first", metavar="COL", help="column of the item that was shown or moved first, or was at home"
    )
    parser.add_argument("--second", metavar="COL", help="column of the other item; --winner then says who won")
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
        help="with --tie: estimate a tie parameter, or count a tie as half a win for each (default: davidson)",
    )
    parser.add_argument(
        "--method",
        choices=("mle", "firth"),
        default="mle",
        help="maximum likelihood, or Firth's method, which ranks undefeated items, too (default: %(default)s)",
    )
    parser.add_argument("--order-effect", action="store_true", help="estimate the advantage of the item in --first")
    parser.add_argument(
        "--ranks",
        action="store_true",
        help="add each item's rank and its simultaneous rank interval (level 1 - alpha)",
    )
    parser.add_argument(
        "--alpha",
        type=writing.level,
        default=0.05,
        help="significance level; intervals have level 1 - alpha (default: %(default)s)",
    )
    parser.add_argument("--plot", metavar="FILE", help="plot the abilities (.png, .pdf, .svg)")
    writing.add_sep(parser)
    parser.set_defaults(run=lambda options: run(options, parser))


def run(options: argparse.Namespace, parser: argparse.ArgumentParser) -> None:
    """Fit and print."""
    if options.ties and not options.tie:
        parser.error("--ties needs --tie, the column that marks the rows that are ties")
    if options.order_effect and options.first is None:
        parser.error("--order-effect needs --first, the column of the item that went first")
    if options.first and not (options.order_effect or options.second):
        parser.error("--first needs --second, the column of the other item, or --order-effect")
    if options.second and not options.first:
        parser.error("--second needs --first, the column of the other item")
    if options.second and options.loser:
        parser.error("--loser and --second exclude each other; with --second, --winner says who won")
    rows = [f"--{name}" for name in ROW_OPTIONS if getattr(options, name)]
    if options.weights and rows:
        parser.error(f"--counts needs a table of proportions, and {rows[0]} a table with one row per comparison")
    model = _model(options)
    res = model.fit(
        options.method,
        ties=(options.ties or "davidson") if options.tie else "none",
        order_effect=options.order_effect,
        # The full covariance of many items would take long and is not needed.
        cov="full" if model.n_items <= EXACT_ITEMS or options.method == "firth" or options.ranks else "diag",
    )
    table = res.abilities(alpha=options.alpha).sort_values("ability", ascending=False, kind="stable")
    if options.ranks:
        table = table.join(res.ranks(alpha=options.alpha).drop(columns="ability"))
    if options.plot:
        writing.save_picture(res.plot(alpha=options.alpha), options.plot)
    others = _others(res)
    text = [
        f"Bradley-Terry model of {model.n_items} items, {model.nobs:g} comparisons; "
        f"{'penalised ' if options.method == 'firth' else ''}log-likelihood {res.llf:.4f}",
        f"Abilities, the best first ({percent(1 - options.alpha)} intervals)",
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
    writing.emit(options, "\n".join(text), document, headings=text[:2])


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
    # With --second, --tie may be a word instead of a column.
    for name, column in chosen.items():
        if column and not (name == "tie" and options.second):
            reading.need_columns(frame, [column], options.file, f"--{name}")
    # Messages count rows from 1.
    frame = frame.set_axis(range(1, len(frame) + 1), axis=0)
    if options.second:
        return _model_of_outcomes(options, frame)
    winner, loser = options.winner or "winner", options.loser or "loser"
    reading.need_columns(frame, [winner, loser], options.file, advice="Or name the columns with --winner and --loser.")
    for name in (winner, loser):
        reading.refuse_missing(frame[name])
    columns = {
        "winner": frame[winner],
        "loser": frame[loser],
        "weight": reading.as_numbers(frame[options.weight]) if options.weight else None,
        "tie": reading.as_flags(frame[options.tie]) if options.tie else None,
        "first": frame[options.first] if options.first else None,
    }
    found = {name: np.asarray(column) for name, column in columns.items() if column is not None}
    data = pd.DataFrame(found, index=frame.index)
    return BradleyTerry.from_comparisons(data, **{name: name for name in found})


def _model_of_outcomes(options: argparse.Namespace, frame: pd.DataFrame) -> BradleyTerry:
    """The model of a table that has both items of each comparison, and who won."""
    winner = options.winner or "winner"
    reading.need_columns(frame, [winner], options.file, advice="Or name the column with --winner.")
    for name in (options.first, options.second, winner):
        reading.refuse_missing(frame[name])
    tie = None
    if options.tie:
        tie = reading.as_flags(frame[options.tie]) if options.tie in frame.columns else [options.tie]
    return BradleyTerry.from_comparisons(
        frame,
        winner,
        first=options.first,
        second=options.second,
        tie=tie,
        weight=reading.as_numbers(frame[options.weight]) if options.weight else None,
    )


def _others(res: BradleyTerryResults) -> dict[str, dict[str, float]]:
    """Order effect and tie parameter, if the model has them."""
    estimates, errors = res.params, res.bse
    return {
        NAMES[term]: {"estimate": float(estimates[term]), "std_error": float(errors[term])}
        for term in res.spec.extra_terms
    }

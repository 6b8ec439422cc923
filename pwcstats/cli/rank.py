"""``pwcstats rank``: a leaderboard of items from paired comparisons."""

import argparse
import math
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple, get_args

import pandas as pd
import patsy

from pwcstats import _params
from pwcstats._files import as_csv
from pwcstats._text import listed
from pwcstats.bradley_terry import BradleyTerry, BradleyTerryResults
from pwcstats.bradley_terry.covariance import EXACT_ITEMS, Cov
from pwcstats.bradley_terry.leaderboard import SCALES, Leaderboard
from pwcstats.bradley_terry.methods import METHODS
from pwcstats.bradley_terry.spec import ORDER_TERM, TIE_TERM
from pwcstats.bradley_terry.ties import TIE_MODELS
from pwcstats.cli import comparisons, writing
from pwcstats.errors import Message

# How the output names the parameters that are neither abilities nor contest covariates.
NAMES = {ORDER_TERM: "order effect", TIE_TERM: "log tie parameter"}


class Format(NamedTuple):
    """A format of the output; `write` takes the leaderboard and lines about the other parameters."""

    extensions: tuple[str, ...]
    write: Callable[[Leaderboard, list[str]], str]


def _as_text(board: Leaderboard, lines: list[str]) -> str:
    return "\n".join([replace(board, notes=()).to_text(), *lines, *(f"note: {note}" for note in board.notes)])


def _with_notes(write: Callable[[Leaderboard], str]) -> Callable[[Leaderboard, list[str]], str]:
    """Write the lines as notes."""
    return lambda board, lines: write(replace(board, notes=(*lines, *board.notes)))


FORMATS = {
    "text": Format((), _as_text),
    "markdown": Format((".md", ".markdown"), _with_notes(Leaderboard.to_markdown)),
    "html": Format((".html", ".htm"), _with_notes(Leaderboard.to_html)),
    "latex": Format((".tex",), _with_notes(Leaderboard.to_latex)),
    "csv": Format((".csv",), lambda board, lines: as_csv(board.frame.reset_index(drop=True))),
}


def add_to(commands: Any) -> None:
    """Add the command to the parser."""
    parser = writing.add_command(
        commands,
        "rank",
        "rank items by paired comparisons (Bradley-Terry)",
        "Rank items by a Bradley-Terry model. The output is a leaderboard, the best item first: rank, set of possible "
        "ranks, number of games, and ability with an interval.\n\n"
        "FILE has one row per comparison, in one of three forms: a column of winners and a column of losers (--winner, "
        "--loser); two columns of items and one that says who won (--first, --second, --winner); or two columns of "
        "items and their numbers of wins (--first, --second, --wins). In the second form, --winner holds the name of "
        "the item, or the name of the column that contains it. Columns with common names, such as model_a, model_b and "
        "winner, need no options. Alternatively, FILE is a K x K table of wins with row names, row over column. With "
        "--counts, FILE holds proportions of wins: K x K, or one row with columns a/b.\n\n"
        "Several files count as one table. Parquet files are not loaded into memory; they need polars (pip install "
        "'pwcstats[parquet]').",
        "pwcstats rank games.csv --winner won --loser lost --plot abilities.png\n"
        "  pwcstats rank 'battles/*.parquet' --order-effect --cluster user --scale elo --by language",
    )
    parser.add_argument(
        "file",
        metavar="FILE",
        nargs="+",
        help="CSV or Parquet files, patterns in quotes such as 'battles/*.parquet', or - for stdin (CSV)",
    )
    _add_columns(parser)
    _add_model(parser)
    _add_output(parser)
    parser.set_defaults(run=lambda options: run(options, parser))


def _add_columns(parser: argparse.ArgumentParser) -> None:
    columns = parser.add_argument_group("columns")
    columns.add_argument("--winner", metavar="COL", help="column of the winners (default: winner)")
    columns.add_argument("--loser", metavar="COL", help="column of the losers (default: loser)")
    columns.add_argument(
        "--tie",
        metavar="COL",
        action="append",
        help="column that is true for ties; or, with --second, a word for a tie in --winner (may be repeated)",
    )
    columns.add_argument("--weight", metavar="COL", help="column of weights of the rows")
    columns.add_argument(
        "--first", metavar="COL", help="column of the item that was shown or moved first, or was at home"
    )
    columns.add_argument("--second", metavar="COL", help="column of the other item; --winner then says who won")
    columns.add_argument(
        "--wins",
        metavar="COL,COL[,COL]",
        type=_columns_of_wins,
        help="columns with the wins of --first, the wins of --second and, optionally, the ties",
    )
    # Messages about weights of pairs are about this option.
    columns.add_argument(
        "--counts",
        dest="weights",
        metavar="FILE",
        help="numbers of comparisons of the pairs, K x K or with columns a/b; FILE then holds proportions of wins",
    )
    writing.add_sep(columns)


def _add_model(parser: argparse.ArgumentParser) -> None:
    model = parser.add_argument_group("model")
    model.add_argument(
        "--ties",
        choices=tuple(TIE_MODELS),
        help="model of ties: estimate a tie parameter (davidson, rao-kupper), or count a tie as half a win for each "
        "(half) (default: davidson if there are ties)",
    )
    model.add_argument(
        "--method",
        choices=tuple(METHODS),
        default="mle",
        help="maximum likelihood; Firth's method, which ranks undefeated items, too; a normal prior for abilities "
        "(ridge); or pseudo-comparisons with a ghost item (default: %(default)s)",
    )
    model.add_argument(
        "--prior-sd", metavar="SD", type=writing.positive, help="standard deviation of the prior of --method ridge"
    )
    model.add_argument(
        "--pseudo",
        metavar="N",
        type=writing.positive,
        help="wins and losses of each item against the ghost of --method ghost (default: 0.5)",
    )
    model.add_argument(
        "--largest", action="store_true", help="rank only the largest part of the items whose abilities exist"
    )
    model.add_argument("--order-effect", action="store_true", help="estimate the advantage of the item in --first")
    model.add_argument(
        "--contest",
        metavar="FORMULA",
        action="append",
        help="covariates of the comparisons: columns with differences of --first minus --second, as in 'length + "
        "headers' (may be repeated)",
    )
    model.add_argument(
        "--cluster", metavar="COL", help="column of groups, such as voters: standard errors allow for similar votes"
    )
    model.add_argument(
        "--cov",
        choices=get_args(Cov),
        help="covariance of all items, standard errors only, or neither (default: full up to "
        f"{EXACT_ITEMS} items, then diag)",
    )


def _add_output(parser: argparse.ArgumentParser) -> None:
    output = parser.add_argument_group("output")
    output.add_argument(
        "--scale",
        choices=tuple(SCALES),
        default="logit",
        help="abilities, ratings on Elo's scale, or probabilities of beating an average item (default: %(default)s)",
    )
    output.add_argument(
        "--anchor",
        metavar="RATING",
        type=_anchor,
        help="with --scale elo: the mean rating, or ITEM=RATING (default: 1000)",
    )
    output.add_argument("--by", metavar="COL", help="column of categories, which are ranked side by side")
    output.add_argument("--top", metavar="N", type=writing.count, help="show only the best N items")
    output.add_argument(
        "--ranks", action="store_true", help=f"compute rank sets also for more than {EXACT_ITEMS} items (--cov full)"
    )
    output.add_argument(
        "--alpha",
        type=writing.level,
        default=0.05,
        help="significance level; intervals and rank sets have level 1 - alpha (default: %(default)s)",
    )
    output.add_argument(
        "--format", choices=tuple(FORMATS), help="format of the output (default: text, or by the extension of --out)"
    )
    writing.add_guard(output)
    output.add_argument("--plot", metavar="FILE", help="plot the leaderboard (.png, .pdf, .svg)")


def _columns_of_wins(text: str) -> list[str]:
    names = [name.strip() for name in text.split(",")]
    if len(names) not in (2, 3) or not all(names):
        raise argparse.ArgumentTypeError(f"must be two or three columns, separated by commas, got {text!r}")
    return names


def _anchor(text: str) -> float | tuple[str, float]:
    """Parse a rating, or an item and its rating."""
    item, _, number = text.rpartition("=")
    try:
        rating = float(number)
    except ValueError:
        rating = math.nan
    if not math.isfinite(rating):
        raise argparse.ArgumentTypeError(f"must be a rating, or an item and its rating as in a=1200, got {text!r}")
    return (item, rating) if item else rating


def run(options: argparse.Namespace, parser: argparse.ArgumentParser) -> None:
    """Fit and print."""
    _check(options, parser)
    guard = writing.guard(options)
    options.contest = " + ".join(options.contest) if options.contest else None
    model = comparisons.read_model(options)
    if options.largest:
        model = model.largest()
    anchor = _find_anchor(options.anchor, model)
    res = _fit(options, model, anchor)
    board = res.leaderboard(options.scale, anchor, options.by, options.alpha)
    board = board if options.top is None else board.head(options.top)
    notes = [f"without {listed(model.left_out)}"] * bool(len(model.left_out)) + list(board.notes)
    board = replace(board, notes=tuple(Message(note).render(options.vocabulary) for note in notes))
    if options.plot:
        writing.save_picture(board.plot(), options.plot)
    others = _others(res)
    lines = [f"{name}: {_estimate(row)}" for name, row in others.items()]
    likelihood = "log-likelihood" if options.method == "mle" else "penalised log-likelihood"
    lines.append(f"{likelihood}: {res.llf:.4f}")
    labels = [name for name in ("category", "item") if name in board.frame]
    guarded = replace(board, frame=board.frame.assign(**{name: board.frame[name].map(guard) for name in labels}))
    text = FORMATS[options.format].write(guarded, lines)
    headings = text.split("\n")[:1] if options.format == "text" else ()
    document = _document(options, res, board, others)
    writing.emit(options, text, document, is_csv=options.format == "csv", headings=headings)


def _check(options: argparse.Namespace, parser: argparse.ArgumentParser) -> None:
    """Refuse options that exclude each other, and set the format."""
    if options.first and not (options.order_effect or options.second):
        parser.error("--first needs --second, the column of the other item, or --order-effect")
    if options.second and not options.first:
        parser.error("--second needs --first, the column of the other item")
    if options.second and options.loser:
        parser.error("--loser and --second exclude each other; with --second, --winner says who won")
    if options.wins and not options.second:
        parser.error("--wins needs --first and --second, the columns of the items")
    rows = [name for name in comparisons.ROW_OPTIONS if getattr(options, name)]
    if options.weights and rows:
        option = f"--{rows[0].replace('_', '-')}"
        parser.error(f"--counts needs a table of proportions, and {option} a table with one row per comparison")
    if options.pseudo is not None and options.method != "ghost":
        parser.error("--pseudo is for --method ghost")
    if options.ranks and options.cov not in (None, "full"):
        parser.error(f"--ranks needs --cov full, got --cov {options.cov}")
    if options.json and options.format:
        parser.error("--json and --format exclude each other")
    extension = "" if options.out is None else Path(options.out).suffix.lower()
    if options.format is None:
        options.json = options.json or extension == ".json"
        by_extension = (name for name, kind in FORMATS.items() if extension in kind.extensions)
        options.format = "text" if options.json else next(by_extension, "text")
    if options.guard_formulas and options.format != "csv" and not options.json:
        parser.error("--guard-formulas needs --format csv")


def _find_anchor(anchor: float | tuple[str, float] | None, model: BradleyTerry) -> Any:
    """The anchor with the label of its item, which may be a number in a Parquet file."""
    if not isinstance(anchor, tuple):
        return anchor
    labels = model.items.astype(str)
    return model.items[_params.index_of(anchor[0], labels, "anchor")], anchor[1]


def _fit(options: argparse.Namespace, model: BradleyTerry, anchor: Any) -> BradleyTerryResults:
    has_ties = bool(model._rows.tie.any())
    # The full covariance of many items would take long, so it needs a request.
    full = model.n_items <= EXACT_ITEMS or options.method == "firth" or options.ranks or options.cluster
    cov: Cov = options.cov or ("full" if full else "diag")
    return model.fit(
        options.method,
        ties=options.ties or ("davidson" if has_ties else "none"),
        order_effect=options.order_effect,
        # Without the full covariance, standard errors are those of differences from the reference.
        ref=anchor[0] if isinstance(anchor, tuple) and cov != "full" else None,
        cov=cov,
        contest=options.contest,
        prior_sd=options.prior_sd,
        pseudo=0.5 if options.pseudo is None else options.pseudo,
        eval_env=patsy.EvalEnvironment([comparisons.FUNCTIONS]),
        cov_type="cluster" if options.cluster else None,
        cov_kwds={"groups": options.cluster} if options.cluster else None,
    )


def _others(res: BradleyTerryResults) -> dict[str, dict[str, float]]:
    """Order effect, contest coefficients and tie parameter, if the model has them."""
    estimates = res.params
    errors = pd.Series(math.nan, estimates.index) if res._estimate.variance is None else res.bse
    return {
        NAMES.get(term, term): {"estimate": float(estimates[term]), "std_error": float(errors[term])}
        for term in res.spec.extra_terms
    }


def _estimate(row: dict[str, float]) -> str:
    error = "" if math.isnan(row["std_error"]) else f" (standard error {row['std_error']:.4f})"
    return f"{row['estimate']:.4f}{error}"


def _document(
    options: argparse.Namespace, res: BradleyTerryResults, board: Leaderboard, others: dict[str, dict[str, float]]
) -> dict[str, Any]:
    contests = [] if res.spec.contest is None else res.spec.contest.names
    return {
        "method": options.method,
        "ties": res.spec.ties,
        "n_items": res.model.n_items,
        "n_comparisons": res.nobs,
        "log_likelihood": res.llf,
        "converged": res.converged,
        "alpha": options.alpha,
        "scale": board.scale,
        "anchor": board.anchor,
        "anchor_rating": board.anchor_rating,
        "cluster": options.cluster,
        "n_clusters": res.df_resid_inference + 1 if options.cluster else None,
        "by": board.by,
        "categories": board.categories,
        "left_out": list(res.model.left_out),
        "items": board.frame,
        **{name.replace(" ", "_"): row for name, row in others.items() if name in NAMES.values()},
        "contest": [{"term": name, **others[name]} for name in contests],
        "notes": list(board.notes),
    }

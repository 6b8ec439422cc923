"""``pwcstats compare``: compare methods by their scores."""

import argparse
import textwrap
from dataclasses import replace
from typing import Any

import pandas as pd

from pwcstats._multiplicity import read_adjust
from pwcstats.cli import reading, writing
from pwcstats.compare import ADJUSTMENTS, TESTS, ComparisonResult, compare_methods
from pwcstats.compare.comparison_result import WIDTH
from pwcstats.compare.registry import find_test, read_test
from pwcstats.compare.scores import LEVELS, ROWS
from pwcstats.errors import Message


def add_to(commands: Any) -> None:
    """Add the command to the parser."""
    parser = writing.add_command(
        commands,
        "compare",
        "compare methods by their scores, with a valid test",
        "Compare methods by their scores with the test that suits your design. Prints the methods with means, ranks "
        "and letters, all pairs with adjusted p-values, and which methods are best.\n\n"
        "FILE has one row per score, with the columns method, score and any of dataset, repeat, fold, case. Or it has "
        "a column for each method and a row for each data set, with the names of the data sets in the first column "
        "(for rows that are not data sets, use columns named repeat, fold or case). If the rows have no names, set "
        "--rows.",
        "pwcstats compare scores.csv --control svm --plot scores.png",
    )
    parser.epilog = f"tests:\n{_list_tests()}\n\nadjustments:\n{_list_adjustments()}\n\n{parser.epilog}"
    parser.add_argument("file", metavar="FILE", help=writing.FILE)
    parser.add_argument(
        "--test",
        metavar="TEST",
        choices=TESTS,
        default="auto",
        help="test of the pairs, see below (default: %(default)s)",
    )
    parser.add_argument(
        "--adjust",
        metavar="NAME",
        choices=ADJUSTMENTS,
        default="holm",
        help="adjustment of the p-values for the number of pairs, see below (default: %(default)s)",
    )
    parser.add_argument(
        "--rows",
        choices=tuple(ROWS),
        help="what the rows are if they have no names: the folds of one cross-validation, or data sets",
    )
    parser.add_argument("--control", metavar="METHOD", help="compare all others with this method")
    parser.add_argument("--lower-is-better", action="store_true", help="the scores are errors or losses")
    parser.add_argument("--alpha", type=writing.level, default=0.05, help="significance level (default: %(default)s)")
    parser.add_argument(
        "--test-fraction",
        metavar="SHARE",
        type=writing.level,
        help="share of the cases in each test set, for random splits",
    )
    parser.add_argument("--plot", metavar="FILE", help="plot mean ranks or means (.png, .pdf, .svg)")
    writing.add_sep(parser)
    parser.set_defaults(run=run)


def _list_tests() -> str:
    tests = [(name, read_test(name)) for name in TESTS]
    return "\n".join(
        f"  {name:<23}{test.description if test else 'the test that suits the design'}" for name, test in tests
    )


def _list_adjustments() -> str:
    return "\n".join(f"  {name:<12}{read_adjust(name).description}" for name in ADJUSTMENTS)


def run(options: argparse.Namespace) -> None:
    """Compare and print."""
    result = compare_methods(
        read_scores(options.file, options.sep),
        test=options.test,
        adjust=options.adjust,
        rows=options.rows,
        control=options.control,
        alpha=options.alpha,
        test_fraction=options.test_fraction,
        higher_is_better=not options.lower_is_better,
    )
    if options.plot:
        writing.save_picture(_picture(result), options.plot)
    reason, *notes = (Message(text).render(options.vocabulary) for text in (result.reason, *result.notes))
    result = replace(result, reason=reason, notes=tuple(notes))
    text = result.summary()
    headings = [paragraph.partition("\n")[0] for paragraph in text.split("\n\n")]
    headings += textwrap.wrap(result.verdict, WIDTH)
    writing.emit(options, text, result.to_dict(), headings=headings)


def read_scores(path: str, sep: str | None) -> pd.DataFrame:
    """Scores as `compare_methods` takes them."""
    frame = reading.read_table(path, sep)
    levels = [name for name in frame.columns if name in LEVELS]
    if {"method", "score"} & set(frame.columns):
        numbers = [name for name in ("score", "n_train", "n_test") if name in frame.columns]
        columns = {name: reading.as_labels(frame[name]) for name in levels}
        return frame.assign(**columns, **{name: reading.as_numbers(frame[name]) for name in numbers})
    if not levels and (not reading.is_numeric(frame.iloc[:, 0]) or frame.columns[0] == ""):
        # compare_methods finds out what the rows are, from their labels and from the header.
        names = pd.Index(reading.as_labels(frame.iloc[:, 0]), name=frame.columns[0] or None)
        return reading.all_numbers(frame.iloc[:, 1:]).set_axis(names, axis=0)
    scores = reading.all_numbers(frame.drop(columns=levels))
    if not levels:
        return scores
    labels = [pd.Index(reading.as_labels(frame[name]), name=name) for name in levels]
    return scores.set_axis(pd.MultiIndex.from_arrays(labels) if len(labels) > 1 else labels[0], axis=0)


def _picture(result: ComparisonResult) -> Any:
    """The diagram of mean ranks if these order the methods and all pairs are compared, otherwise the means."""
    from pwcstats import plot  # imports matplotlib

    if find_test(result.test).order == "mean rank" and result.control is None:
        return plot.critical_difference(result)
    return plot.score_intervals(result)

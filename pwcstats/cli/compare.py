"""``pwcstats compare``: methods compared by their scores."""

import argparse
from typing import Any

import pandas as pd

from pwcstats.cli import reading, writing
from pwcstats.compare import compare_methods
from pwcstats.compare.comparison_result import ComparisonResult
from pwcstats.compare.design import TESTS
from pwcstats.compare.multiplicity import METHODS
from pwcstats.compare.scores import PLACES, ROWS, UnnamedRowsError
from pwcstats.errors import InputError


def add_to(commands: Any) -> None:
    """Add the command to the parser."""
    parser = writing.add_command(
        commands,
        "compare",
        "compare methods by their scores on data sets or folds",
        "Compare methods by the test that suits your design: means, ranks, letters, pairs with "
        "adjusted p-values, who is best. FILE is tidy, with the columns method, score and whichever there are of "
        "dataset, repeat, fold, case; or it has a column for each method and a row for each data set, whose names "
        "stand in the first column (rows of other kinds: in columns named repeat, fold, case). If the rows have no "
        "names, --rows says what they are.",
        "pwcstats compare scores.csv --control svm --plot scores.png",
    )
    parser.add_argument("file", metavar="FILE", help=writing.FILE)
    parser.add_argument("--test", choices=TESTS, default="auto", help="test of the pairs (%(default)s)")
    parser.add_argument("--adjust", choices=METHODS, default="holm", help="adjustment of p-values (%(default)s)")
    parser.add_argument(
        "--rows",
        choices=tuple(ROWS),
        help="what rows without names are: the folds of one cross-validation, or data sets",
    )
    parser.add_argument("--control", metavar="METHOD", help="compare all others with this method only")
    parser.add_argument("--lower-is-better", action="store_true", help="for errors and losses")
    parser.add_argument("--alpha", type=writing.level, default=0.05, help="level of the tests (%(default)s)")
    parser.add_argument(
        "--test-fraction", type=writing.level, help="share of the cases in each test set, for random splits"
    )
    parser.add_argument("--plot", metavar="FILE", help="draw ranks (tests of data sets) or means (.png, .pdf, .svg)")
    writing.add_sep(parser)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> None:
    """Compare and print."""
    try:
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
    except UnnamedRowsError:
        raise InputError(
            "rows without names may be folds or data sets, which need different tests; add --rows folds for the folds "
            "of one cross-validation (corrected resampled t-test), or --rows datasets for a row for each data set "
            "(Wilcoxon's test or mean ranks), or a column dataset, fold or case."
        ) from None
    if options.plot:
        writing.save_picture(_picture(result), options.plot)
    writing.emit(options, result.summary(), result.to_dict())


def read_scores(path: str, sep: str | None) -> pd.DataFrame:
    """Scores as `compare_methods` takes them."""
    frame = reading.read_table(path, sep)
    places = [name for name in frame.columns if name in PLACES]
    if {"method", "score"} & set(frame.columns):
        numbers = [name for name in ("score", "n_train", "n_test") if name in frame.columns]
        columns = {name: reading.as_labels(frame[name]) for name in places}
        return frame.assign(**columns, **{name: reading.as_numbers(frame[name]) for name in numbers})
    if not places and (not reading.is_numeric(frame.iloc[:, 0]) or frame.columns[0] == ""):
        # What the rows are, compare_methods reads from their labels and from the header.
        labels = pd.Index(reading.as_labels(frame.iloc[:, 0]), name=frame.columns[0] or None)
        return reading.all_numbers(frame.iloc[:, 1:]).set_axis(labels, axis=0)
    scores = reading.all_numbers(frame.drop(columns=places))
    if not places:
        return scores
    levels = [pd.Index(reading.as_labels(frame[name]), name=name) for name in places]
    return scores.set_axis(pd.MultiIndex.from_arrays(levels) if len(places) > 1 else levels[0], axis=0)


def _picture(result: ComparisonResult) -> Any:
    """Ranks on a line where the test is one of data sets and of all pairs, else means with intervals."""
    from pwcstats import plot  # imports matplotlib

    of_data_sets = result.test in ("nemenyi", "mean_ranks", "wilcoxon", "sign")
    if of_data_sets and result.control is None:
        return plot.critical_difference(result)
    return plot.score_intervals(result)

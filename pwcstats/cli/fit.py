"""``pwcstats fit``: fit, cross-validate and save a pairwise classifier."""

import argparse
import os
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
from sklearn.metrics import accuracy_score, log_loss
from sklearn.model_selection import StratifiedKFold

from pwcstats._text import counted, listed
from pwcstats.cli import features, models, reading, terminal, writing
from pwcstats.coupling.methods import METHODS, TABLE
from pwcstats.coupling.reading import Pairs, read_weights
from pwcstats.errors import InputError
from pwcstats.pairwise.calibration import CALIBRATIONS, THRESHOLDS
from pwcstats.pairwise.named import LEARNERS


def add_to(commands: Any) -> None:
    """Add the command to the parser."""
    parser = writing.add_command(
        commands,
        "fit",
        "fit, cross-validate and save a classifier",
        "Fit one classifier for each pair of classes, and couple their probabilities into probabilities of all "
        "classes. If you name several learners, cross-validation chooses the best one for each pair. Prints the "
        "cross-validated accuracy and log loss, and a table of the pairs.\n\n"
        "All columns except the target are used (but not a first column without a name, which holds row names). A "
        "column that is not numeric becomes one column of 0 and 1 for each of its values except the first. Then all "
        "columns are scaled to mean 0 and variance 1. Missing values are an error.\n\n"
        "--save writes the settings and the training rows, but no code. `pwcstats predict` fits the model again, which "
        "takes as long as the fit (without cross-validation) and gives the same numbers. Anyone who has the file has "
        "the training rows.",
        "pwcstats fit iris.csv --target species --learners svm,lda,nb --save iris.model",
    )
    parser.add_argument("file", metavar="FILE", help=writing.FILE)
    parser.add_argument("--target", metavar="COL", required=True, help="column of the classes")
    parser.add_argument(
        "--learners",
        metavar="NAME,...",
        type=_learners,
        default=["svm"],
        help=f"one or more of {','.join(LEARNERS)} (default: svm)",
    )
    parser.add_argument(
        "--coupling",
        choices=METHODS,
        default="wlw2",
        help="how the pairs are coupled; `pwcstats couple --help` lists the methods (default: %(default)s)",
    )
    weighted = " and ".join(f"--coupling {row.name}" for row in TABLE.values() if row.uses_weights)
    parser.add_argument(
        "--pair-weights",
        metavar="counts|equal|FILE",
        default="counts",
        help=f"weights of the pairs for {weighted}: counts (numbers of rows), equal, or a file, K x K or with columns "
        "a/b (default: %(default)s)",
    )
    parser.add_argument(
        "--threshold",
        choices=("none", *THRESHOLDS),
        default="none",
        help="move the decision border of each pair to where it makes the fewest errors on training or held-out rows "
        "(default: %(default)s)",
    )
    parser.add_argument(
        "--calibration",
        choices=("auto", "none", *CALIBRATIONS),
        default="auto",
        help="how scores become probabilities; auto: firth for learners without probabilities (default: %(default)s)",
    )
    parser.add_argument(
        "--temperature",
        choices=models.TEMPERATURES,
        default="auto",
        help="fit one temperature to the coupled probabilities; auto: if it costs little (default: %(default)s)",
    )
    parser.add_argument(
        "--categorical", metavar="COL,...", default="", help="numeric columns that hold codes of categories"
    )
    parser.add_argument(
        "--cv",
        type=_folds,
        default=5,
        metavar="FOLDS",
        help="number of folds; 0 skips cross-validation (default: %(default)s)",
    )
    parser.add_argument(
        "--seed", type=writing.seed, default=0, help="seed of folds and learners (default: %(default)s)"
    )
    parser.add_argument("--save", metavar="MODEL", help="file to save the model to")
    terminal.add_progress(parser)
    writing.add_sep(parser)
    parser.set_defaults(run=run)


def _learners(text: str) -> list[str]:
    names = [name.strip() for name in text.split(",")]
    wrong = [name for name in names if name not in LEARNERS]
    if wrong or len(set(names)) < len(names):
        hint = writing.suggestion(wrong[0], LEARNERS) if wrong else ""
        raise argparse.ArgumentTypeError(f"must be some of {','.join(LEARNERS)}, each once, got {text!r}{hint}")
    return names


def _folds(text: str) -> int:
    if not text.isdecimal() or int(text) == 1:
        raise argparse.ArgumentTypeError(f"must be 0, or 2 or more, got {text!r}")
    return int(text)


def run(options: argparse.Namespace) -> None:
    """Fit, cross-validate, save, print."""
    reading.refuse_stdin_twice(options.file, options.pair_weights, "--pair-weights")
    frame = reading.read_table(options.file, options.sep)
    recipe = _recipe(options, frame)
    # Too many rows are an error before the fit, not after it.
    rows = models.rows_as_csv(recipe, frame) if options.save else b""
    with terminal.progress_bar(options, options.cv + 1, "fits") as bar:
        scores = cross_validate(recipe, frame, options.cv, bar.update) if options.cv else None
        model = models.train(recipe, frame)
        bar.update()
    if options.save:
        models.save(options.save, model, rows)
    classifier = model.estimator[-1]
    pairs, temperature = classifier.pairs_, classifier.temperature_
    text = [f"{len(frame)} rows, {len(recipe.columns)} columns, {len(model.classes)} classes {listed(model.classes)}"]
    if scores is not None:
        means, sds = scores.mean(), scores.std()
        text.append(
            f"{options.cv}-fold cross-validation, mean (sd over folds): accuracy {means['accuracy']:.4f} "
            f"({sds['accuracy']:.4f}), log loss {means['log_loss']:.4f} ({sds['log_loss']:.4f})"
        )
    if temperature != 1.0:
        text.append(f"Temperature {temperature:.4f}")
    text += ["Pairs", pairs.to_string(index=False, float_format="{:.4f}".format)]
    if options.save:
        text.append(f"Saved, with the training rows: {options.save}")
    document = {
        "target": recipe.target,
        "classes": model.classes,
        "n_rows": len(frame),
        "columns": [column._asdict() for column in recipe.columns],
        "learners": recipe.learners,
        **recipe.options(),
        "seed": recipe.seed,
        "cv": scores
        if scores is None
        else {
            name: {"mean": scores[name].mean(), "sd": scores[name].std(), "folds": scores[name].to_numpy()}
            for name in scores.columns
        },
        "fitted_temperature": temperature,
        "pairs": pairs,
        "saved": options.save,
    }
    writing.emit(options, "\n".join(text), document, headings=(text[0], "Pairs"))


def _recipe(options: argparse.Namespace, frame: pd.DataFrame) -> models.Recipe:
    codes = [name.strip() for name in options.categorical.split(",")] if options.categorical else []
    reading.need_columns(frame.columns, [options.target], options.file, "--target")
    reading.need_columns(frame.columns, codes, options.file, "--categorical")
    reading.refuse_missing(frame[options.target])
    counts = frame[options.target].value_counts()
    if len(counts) < 2:
        raise InputError(f"column {options.target} must have at least two classes, got {listed(counts.index)}.")
    if counts.min() < options.cv:
        raise InputError(
            f"--cv {options.cv} needs {options.cv} rows of each class, but class {counts.index[-1]} has "
            f"{counted(int(counts.min()), 'row')}; use fewer folds, or --cv 0."
        )
    used = [name for name in frame.columns if name not in ("", options.target)]
    columns = features.describe(frame[used], codes)
    return models.Recipe(
        options.target,
        columns,
        options.learners,
        options.coupling,
        options.seed,
        _pair_weights(options, sorted(counts.index)),
        options.threshold,
        options.calibration,
        options.temperature,
    )


def _pair_weights(options: argparse.Namespace, classes: list[str]) -> str | list[float]:
    """What the user said, or the numbers of the file in the order of the pairs."""
    given = options.pair_weights
    if given in models.PAIR_WEIGHTS:
        return str(given)
    if given != "-" and not os.path.exists(given):
        raise InputError(f"--pair-weights must be {', '.join(models.PAIR_WEIGHTS)} or a file, got {given!r}.")
    weights = reading.read_weights(given, options.sep)
    return [float(x) for x in read_weights(weights, Pairs.of_classes(classes), True, "weights")[0]]


def cross_validate(
    recipe: models.Recipe, frame: pd.DataFrame, cv: int, on_fold_done: Callable[[], Any]
) -> pd.DataFrame:
    """Accuracy and log loss on stratified folds, one row per fold."""
    X, y = recipe.rows(frame)
    classes = np.unique(y)
    rows = []
    for train, test in StratifiedKFold(cv, shuffle=True, random_state=recipe.seed).split(X, y):
        p = recipe.estimator().fit(X[train], y[train]).predict_proba(X[test])
        found = classes[np.argmax(p, axis=1)]
        rows.append((accuracy_score(y[test], found), log_loss(y[test], p, labels=classes)))
        on_fold_done()
    return pd.DataFrame(rows, columns=["accuracy", "log_loss"])

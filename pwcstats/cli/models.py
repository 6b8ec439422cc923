"""Saved models: the recipe and the training rows; loading fits the same model again.

A pickle can run any code; this file holds none. It is a zip archive of ``model.json`` (what to fit, and the versions
that fitted it) and ``training.csv`` (the rows). Every step of a fit is seeded, so the model is bit-identical as long as
the versions are the same.
"""

import csv
import io
import json
import struct
import zipfile
import zlib
from collections.abc import Callable, Collection
from importlib.metadata import version
from typing import Any, NamedTuple, cast

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import StandardScaler

from pwcstats._arrays import Array
from pwcstats._files import write_file
from pwcstats._text import listed
from pwcstats.cli import features, reading
from pwcstats.cli.features import Column
from pwcstats.coupling import METHODS
from pwcstats.errors import InputError, PwcWarning, warn
from pwcstats.pairwise import PairwiseClassifier
from pwcstats.pairwise.calibration import CALIBRATIONS, THRESHOLDS
from pwcstats.pairwise.named import LEARNERS, make_learner

FORMAT = "pwcstats-model"
FORMAT_VERSION = 2
# Packages whose version may change the results.
PACKAGES = ("pwcstats", "scikit-learn")
# Entries of model.json that are options of the classifier.
OPTIONS = ("coupling", "pair_weights", "threshold", "calibration", "temperature")
# What the words for weights of the pairs mean to the classifier.
PAIR_WEIGHTS: dict[str, str | None] = {"counts": "counts", "equal": None}
# What the words for a temperature mean to the classifier.
TEMPERATURES: dict[str, Any] = {"auto": "auto", "yes": True, "no": False}
# The members of the archive and their limits in bytes: a small archive can hold gigabytes of zeros.
MEMBERS = {"model.json": 8 * 2**20, "training.csv": 64 * 2**20}
# Short rows take far more memory than bytes in a file.
MOST_ROWS = 1_000_000
LIMITS = f"at most {MEMBERS['training.csv'] // 2**20} MiB and {MOST_ROWS:,} lines of training rows"
# All that zipfile, zlib and json raise if bytes are damaged.
DAMAGE = (zipfile.BadZipFile, zlib.error, struct.error, EOFError, OSError, RuntimeError, LookupError, ValueError)


class Recipe(NamedTuple):
    """Everything that a fit needs except the rows."""

    target: str
    columns: list[Column]
    learners: list[str]
    coupling: Any
    seed: int
    # A row of PAIR_WEIGHTS, or one number for each pair.
    pair_weights: str | list[float]
    threshold: str
    calibration: str
    temperature: str

    def options(self) -> dict[str, Any]:
        """The options of the classifier, as they are saved and printed."""
        return {name: getattr(self, name) for name in OPTIONS}

    def estimator(self) -> Pipeline:
        """The classifier, not yet fitted; columns are scaled once for all pairs and learners."""
        candidates = {name: make_learner(name) for name in self.learners}
        weights = self.pair_weights
        classifier = PairwiseClassifier(
            candidates,
            coupling=self.coupling,
            weights=PAIR_WEIGHTS[weights] if isinstance(weights, str) else weights,
            threshold=cast("Any", None if self.threshold == "none" else self.threshold),
            calibration=cast("Any", None if self.calibration == "none" else self.calibration),
            temperature=TEMPERATURES[self.temperature],
            random_state=self.seed,
        )
        return make_pipeline(StandardScaler(), classifier)

    def names(self) -> list[str]:
        """Names of the columns of the training rows, the target last."""
        return [*(column.name for column in self.columns), self.target]

    def rows(self, frame: pd.DataFrame) -> tuple[Array, NDArray[Any]]:
        """Numbers and classes of the training rows."""
        return features.encode(frame, self.columns), frame[self.target].to_numpy(dtype=str)


class Model(NamedTuple):
    """A fitted model with its recipe."""

    recipe: Recipe
    estimator: Pipeline

    @property
    def classes(self) -> list[str]:
        """The classes, sorted."""
        return [str(label) for label in self.estimator.classes_]

    def predict_proba(self, frame: pd.DataFrame) -> Array:
        """Probabilities of all classes, one row per row of the table."""
        return self.estimator.predict_proba(features.encode(frame, self.recipe.columns))

    def likeliest(self, proba: Array) -> list[str]:
        """The most probable class of each row, of several the first: no prediction depends on other rows."""
        return [self.classes[index] for index in np.argmax(proba, axis=1)]


def train(recipe: Recipe, frame: pd.DataFrame) -> Model:
    """Fit a recipe to rows."""
    return Model(recipe, recipe.estimator().fit(*recipe.rows(frame)))


def rows_as_csv(recipe: Recipe, frame: pd.DataFrame) -> bytes:
    """The training rows as CSV; more than `load` can read is an error."""
    table = io.StringIO(newline="")
    writer = csv.writer(table, quoting=csv.QUOTE_ALL)
    names = recipe.names()
    writer.writerow(names)
    writer.writerows(frame[names].itertuples(index=False))
    content = table.getvalue().encode("utf-8")
    if _is_large(content):
        raise InputError(
            f"a saved model holds {LIMITS}, got {len(content) / 2**20:.0f} MiB and {len(frame):,} rows; use fewer rows "
            "or columns, or omit --save."
        )
    return content


def _is_large(rows: bytes) -> bool:
    # Rows end with a carriage return and a newline.
    return len(rows) > MEMBERS["training.csv"] or rows.count(b"\r") + rows.count(b"\n") > 2 * (1 + MOST_ROWS)


def save(path: str, model: Model, rows: bytes) -> None:
    """Write a model and the rows that it was fitted to, as `rows_as_csv` returns them."""
    recipe = model.recipe
    document = {
        "format": FORMAT,
        "format_version": FORMAT_VERSION,
        "versions": {package: version(package) for package in PACKAGES},
        "target": recipe.target,
        "classes": model.classes,
        "columns": [{"name": name, "categories": categories} for name, categories in recipe.columns],
        "learners": recipe.learners,
        **recipe.options(),
        "seed": recipe.seed,
    }
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as archive:
        # ZipInfo has a fixed date, so that equal models are equal files.
        for name, member in (("model.json", json.dumps(document, indent=2).encode("utf-8")), ("training.csv", rows)):
            if len(member) > MEMBERS[name]:
                raise _too_large(path)
            archive.writestr(zipfile.ZipInfo(name), member, zipfile.ZIP_DEFLATED)
    write_file(path, content.getvalue())


def load(path: str) -> Model:
    """Read a model and fit it again.

    Warns
    -----
    PwcWarning
        If other versions saved it, because its predictions may differ.
    """
    with open(path, "rb") as file:
        content = file.read(sum(MEMBERS.values()) + 1)
    if len(content) > sum(MEMBERS.values()):
        raise _too_large(path)
    try:
        document, text = _unpack(content, path)
    except InputError:
        raise
    except DAMAGE:
        raise _no_model(path) from None
    recipe, classes, saved_by = _read_document(document, path)
    frame = reading.parse_table(text, f"{path}: training.csv", ",")
    names, codes = recipe.names(), [column.name for column in recipe.columns if column.categories is not None]
    reading.need_columns(frame.columns, names, f"{path}: training.csv")
    reading.refuse_missing(frame[recipe.target])
    _, y = recipe.rows(frame)
    if list(frame.columns) != names or features.describe(frame[names[:-1]], codes) != recipe.columns:
        raise InputError(
            f"{path} is damaged: the columns and values of its training rows differ from those that it lists."
        )
    if sorted(set(y)) != classes:
        raise InputError(
            f"{path} is damaged: its training rows have the classes {listed(sorted(set(y)))}, but it lists "
            f"{listed(classes)}."
        )
    _warn_versions(path, saved_by)
    return train(recipe, frame)


def _no_model(path: str) -> InputError:
    return InputError(f"{path} is not a model that `pwcstats fit --save` wrote.")


def _too_large(path: str) -> InputError:
    return InputError(f"{path} is too large: a saved model holds {LIMITS}.")


def _unpack(content: bytes, path: str) -> tuple[Any, str]:
    """The document and the rows of an archive, within the size limits."""
    found = []
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        if sorted(archive.namelist()) != sorted(MEMBERS):
            raise _no_model(path)
        for name, limit in MEMBERS.items():
            member = archive.getinfo(name)
            if member.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
                raise _no_model(path)
            if member.file_size > limit:
                raise _too_large(path)
            # The stated size may be wrong: read at most one byte more than the limit.
            with archive.open(member) as stream:
                part = stream.read(limit + 1)
            if len(part) != member.file_size:
                raise _no_model(path)
            found.append(part)
    document, rows = found
    if _is_large(rows):
        raise _too_large(path)
    if b"\0" in rows:
        raise _no_model(path)
    return json.loads(document.decode("utf-8"), parse_constant=_refuse_constant), rows.decode("utf-8")


def _refuse_constant(word: str) -> Any:
    raise ValueError(f"{word} is not JSON")


def _read_document(document: Any, path: str) -> tuple[Recipe, list[str], dict[str, str]]:
    """Recipe, classes and versions, checked to have the types that `save` writes."""
    if not isinstance(document, dict) or document.get("format") != FORMAT:
        raise _no_model(path)
    found = document.get("format_version")
    if type(found) is int and found != FORMAT_VERSION:
        raise InputError(
            f"{path} has format {found} of saved models, but this version of pwcstats reads format "
            f"{FORMAT_VERSION}; fit the model again, or use the version that saved it."
        )
    if set(document) != set(FIELDS) or not all(valid(document[name]) for name, valid in FIELDS.items()):
        raise _no_model(path)
    chosen = {name: document[name] for name in (*OPTIONS, "learners", "seed", "target")}
    recipe = Recipe(columns=[Column(**column) for column in document["columns"]], **chosen)
    classes, weights = document["classes"], recipe.pair_weights
    if not isinstance(weights, str) and len(weights) != len(classes) * (len(classes) - 1) // 2:
        raise _no_model(path)
    known: dict[str, Collection[str]] = {
        "coupling": METHODS,
        "pair_weights": PAIR_WEIGHTS,
        "threshold": ("none", *THRESHOLDS),
        "calibration": ("auto", "none", *CALIBRATIONS),
        "temperature": TEMPERATURES,
    }
    unknown = [name for name in recipe.learners if name not in LEARNERS]
    unknown += [
        given for name, given in recipe.options().items() if isinstance(given, str) and given not in known[name]
    ]
    if unknown:
        raise InputError(f"the saved model asks for {listed(unknown)}, which this version of pwcstats does not have.")
    return recipe, classes, document["versions"]


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _are_labels(values: Any) -> bool:
    """Whether this is a non-empty list of different texts."""
    return isinstance(values, list) and all(map(_is_text, values)) and 0 < len(values) == len(set(values))


def _is_column(column: Any) -> bool:
    return (
        isinstance(column, dict)
        and set(column) == set(Column._fields)
        and _is_text(column["name"])
        and (column["categories"] is None or _are_labels(column["categories"]))
    )


def _is_weight(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and 0 <= value < float("inf")


# The entries of model.json, and their validators.
FIELDS: dict[str, Callable[[Any], bool]] = {
    "format": _is_text,
    "format_version": lambda value: type(value) is int,
    "versions": lambda value: isinstance(value, dict) and all(map(_is_text, value.values())),
    "target": _is_text,
    "classes": _are_labels,
    "columns": lambda value: isinstance(value, list) and all(map(_is_column, value)),
    "learners": _are_labels,
    "coupling": _is_text,
    "pair_weights": lambda value: _is_text(value) or (isinstance(value, list) and all(map(_is_weight, value))),
    "threshold": _is_text,
    "calibration": _is_text,
    "temperature": _is_text,
    "seed": lambda value: type(value) is int and 0 <= value < 2**32,
}


def _warn_versions(path: str, saved_by: dict[str, str]) -> None:
    other = [
        f"{package} {saved_by.get(package)} (here {version(package)})"
        for package in PACKAGES
        if saved_by.get(package) != version(package)
    ]
    if other:
        warning = PwcWarning(
            f"{path} was saved by {', '.join(other)}; it is fitted again here, and may predict differently."
        )
        warn(warning)

"""Saved models: the recipe and the training rows, from which loading fits the same model again.

A pickle runs whatever code is in it; this file holds none. It is a zip archive of ``model.json`` (what to fit, and by
which versions it was fitted) and ``training.csv`` (the rows). Every step of a fit is seeded, so that the model is the
same, to the bit, as long as the versions are.
"""

import csv
import io
import json
import warnings
import zipfile
import zlib
from importlib.metadata import version
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

from pwcstats._files import write_file
from pwcstats._validate.common import Array, listed
from pwcstats.classify import PairwiseClassifier
from pwcstats.cli import features, reading
from pwcstats.cli.features import Column
from pwcstats.coupling import METHODS
from pwcstats.errors import InputError

FORMAT = "pwcstats-model"
FORMAT_VERSION = 1
# Those whose change may change the numbers.
PACKAGES = ("pwcstats", "scikit-learn")

LEARNERS: dict[str, Any] = {
    "svm": SVC(),
    "lda": LinearDiscriminantAnalysis(),
    "qda": QuadraticDiscriminantAnalysis(),
    "nb": GaussianNB(),
    "knn": KNeighborsClassifier(),
    "logistic": LogisticRegression(max_iter=1000),
    "tree": DecisionTreeClassifier(),
}


class Recipe(NamedTuple):
    """All that a fit needs but the rows."""

    target: str
    columns: list[Column]
    learners: list[str]
    coupling: str
    seed: int

    def estimator(self) -> Pipeline:
        """The classifier, not fitted: columns are scaled once, for all pairs and learners."""
        candidates = {name: LEARNERS[name] for name in self.learners}
        return make_pipeline(
            StandardScaler(), PairwiseClassifier(candidates, coupling=self.coupling, random_state=self.seed)
        )

    def rows(self, frame: pd.DataFrame) -> tuple[Array, NDArray[Any]]:
        """Numbers and classes of training rows."""
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
        """Probabilities of all classes, a row for each row of the table."""
        return self.estimator.predict_proba(features.encode(frame, self.recipe.columns))

    def likeliest(self, proba: Array) -> list[str]:
        """The most probable class of each row; of equals the first, so that no row's answer depends on the others."""
        return [self.classes[place] for place in np.argmax(proba, axis=1)]


def train(recipe: Recipe, frame: pd.DataFrame) -> Model:
    """Fit a recipe to rows."""
    return Model(recipe, recipe.estimator().fit(*recipe.rows(frame)))


def save(path: str, model: Model, frame: pd.DataFrame) -> None:
    """Write a model and the rows that it was fitted to."""
    recipe = model.recipe
    document = {
        "format": FORMAT,
        "format_version": FORMAT_VERSION,
        "versions": {package: version(package) for package in PACKAGES},
        "target": recipe.target,
        "classes": model.classes,
        "columns": [{"name": name, "categories": categories} for name, categories in recipe.columns],
        "learners": recipe.learners,
        "coupling": recipe.coupling,
        "seed": recipe.seed,
    }
    table = io.StringIO(newline="")
    writer = csv.writer(table, quoting=csv.QUOTE_ALL)
    names = [*(column.name for column in recipe.columns), recipe.target]
    writer.writerow(names)
    writer.writerows(frame[names].itertuples(index=False))
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as archive:
        # Of a fixed date, so that equal models are equal files.
        for name, text in (("model.json", json.dumps(document, indent=2)), ("training.csv", table.getvalue())):
            archive.writestr(zipfile.ZipInfo(name), text.encode("utf-8"), zipfile.ZIP_DEFLATED)
    write_file(path, content.getvalue())


def load(path: str) -> Model:
    """Read a model and fit it again.

    Warns
    -----
    UserWarning
        Where it was saved by other versions, and predictions may differ from those that it gave then.
    """
    try:
        with zipfile.ZipFile(path) as archive:
            document = json.loads(archive.read("model.json").decode("utf-8"))
            text = archive.read("training.csv").decode("utf-8")
        if document["format"] != FORMAT:
            raise KeyError(document["format"])
        if document["format_version"] != FORMAT_VERSION:
            raise InputError(
                f"{path} has format {document['format_version']} of saved models, but this version of pwcstats reads "
                f"format {FORMAT_VERSION}; fit it again, or use the version that saved it."
            )
        recipe, saved_by = _read_recipe(document), dict(document["versions"])
        frame = reading.parse_table(text, "training.csv", ",")
        reading.need_columns(frame, [*(column.name for column in recipe.columns), recipe.target], "training.csv")
    except InputError:
        raise
    except (zipfile.BadZipFile, zlib.error, RuntimeError, KeyError, TypeError, AttributeError, ValueError):
        raise InputError(f"{path} is not a model that `pwcstats fit --save` wrote.") from None
    _warn_versions(path, saved_by)
    return train(recipe, frame)


def _read_recipe(document: dict[str, Any]) -> Recipe:
    columns = [Column(str(column["name"]), column["categories"]) for column in document["columns"]]
    learners, coupling = list(document["learners"]), str(document["coupling"])
    unknown = [name for name in learners if name not in LEARNERS] + [coupling] * (coupling not in METHODS)
    if unknown:
        raise InputError(f"the saved model asks for {listed(unknown)}, which this version of pwcstats does not have.")
    return Recipe(str(document["target"]), columns, learners, coupling, int(document["seed"]))


def _warn_versions(path: str, saved_by: dict[str, str]) -> None:
    other = [
        f"{package} {saved_by.get(package)} (here {version(package)})"
        for package in PACKAGES
        if saved_by.get(package) != version(package)
    ]
    if other:
        warnings.warn(
            f"{path} was saved by {', '.join(other)}; it is fitted again here, and may predict differently.",
            stacklevel=2,
        )

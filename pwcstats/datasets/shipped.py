"""Read the small data sets that ship with the package, from the folder `data`."""

from importlib.resources import files
from typing import NamedTuple

import numpy as np
import pandas as pd
from sklearn.utils import Bunch


class Source(NamedTuple):
    """Describes a table of the folder `data`, beside which a text of the same name describes the data."""

    about: str
    rows: int
    text: tuple[str, ...] = ()  # columns of text; the others are numbers
    axes: tuple[str, str] | None = None  # names of the rows and of the columns, if the first column names the rows
    target: str | None = None  # the column of classes
    n_features: int | None = None
    n_classes: int | None = None

    @property
    def size(self) -> tuple[int, int | None, int | None]:
        """Numbers of rows, features and classes; the latter may be None."""
        return self.rows, self.n_features, self.n_classes


def from_package(name: str) -> Bunch:
    """Read one of SOURCES."""
    source = SOURCES[name]
    folder = files("pwcstats.datasets") / "data"
    with (folder / f"{name}.csv").open("rb") as file:
        # Objects, because pandas 2 and 3 have different types for text.
        frame = pd.read_csv(file, dtype=dict.fromkeys(source.text, object), keep_default_na=False)
    bunch = Bunch(DESCR=(folder / f"{name}.rst").read_text(encoding="utf-8"))
    if source.axes is not None:
        rows, columns = source.axes
        frame = frame.set_index(rows).rename_axis(columns=columns)
        bunch.update(counts=frame)
    bunch.update(frame=frame)
    if source.target is not None:
        data, target = frame.drop(columns=source.target), frame[source.target]
        bunch.update(data=data, target=target, feature_names=list(data), target_names=np.unique(target))
    return bunch


SOURCES = {
    "arena": Source(
        "Votes of 160 users on 12 language models (simulated)",
        3000,
        ("user", "language", "first", "second", "winner"),
    ),
    "battles": Source(
        "Votes of 250 users on 10 language models, with lengths of answers (simulated)",
        4000,
        ("user", "language", "model_a", "model_b", "winner"),
    ),
    "citations": Source("Citations between 4 statistical journals", 4, ("cited",), ("cited", "citing")),
    "classifier_scores": Source("Accuracies of 5 classifiers on 10 data sets, 2 x 5 folds", 500, ("method", "dataset")),
    "endometrial": Source("Endometrial cancer of high or low grade", 79, target="HG", n_features=3, n_classes=2),
}

"""Chang (2003): Figures 1 to 6, and a figure of Table 5."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from sklearn.base import clone
from sklearn.svm import SVC
from sklearn.utils import Bunch

from pwcstats import plot
from pwcstats._jobs import seed_of
from pwcstats.datasets import chang_clover, chang_ordered
from pwcstats.hybrid import HybridClassifier
from pwcstats.plot.style import Panels, add_panels, new_figure, one_or_array
from pwcstats.studies.chang_runs import LINEAR, clusterer

__all__ = [
    "FIGURE_3", "FIGURE_6", "draw_confusions", "figure1", "figure2", "figure3", "figure4", "figure5", "figure6",
]  # fmt: skip

# Values of d in the figures.
FIGURE_3, FIGURE_6 = (0.5, 1.0, 2.0, 3.0), (0.5, 1.0, 1.5, 2.0, 3.0, 4.0)

# Centres of the negative groups in the sketches of Figures 1 and 2; the positives are at (0, 0).
SIDES = ((4.0, 0.0), (0.0, 4.0), (-4.0, 0.0), (0.0, -4.0))
SKETCHES = {
    1: {"(a) two directions": SIDES[:2], "(b) all directions": SIDES},
    2: {"(a) one direction": ((4.0, 0.0), (8.0, 0.0)), "(b) both": ((4.0, 0.0), (8.0, 0.0), (0.0, 4.0), (0.0, 8.0))},
}


def figure1(random_state: int = 0) -> Panels:
    """A sketch of negative groups in several directions, with the borders of machines for each group and for all rows.

    Parameters
    ----------
    random_state : int
        Seed.

    Returns
    -------
    matplotlib.axes.Axes or array of them
    """
    return _sketch(1, random_state)


def figure2(random_state: int = 0) -> Panels:
    """A sketch of negative groups in one direction, where some machines are redundant.

    Parameters
    ----------
    random_state : int
        Seed.

    Returns
    -------
    matplotlib.axes.Axes or array of them
    """
    return _sketch(2, random_state)


def _sketch(figure: int, random_state: int) -> Panels:
    # The legends are beside the panels.
    panels = add_panels(new_figure(6.2, 8.0), 2, 1)
    rng = np.random.default_rng(seed_of("sketch", random_state, figure))
    for panel, (title, centres) in zip(panels, SKETCHES[figure].items(), strict=True):
        names = np.repeat(["P", *(f"N{number + 1}" for number in range(len(centres)))], 60)
        x = np.repeat([(0.0, 0.0), *centres], 60, axis=0) + rng.normal(scale=0.8, size=(len(names), 2))
        hybrid = HybridClassifier(LINEAR, threshold=0.5, distance_cv=None, pos_label="P")
        plot.clusters(hybrid.fit(x, np.where(names == "P", "P", "N"), clusters=names), x, ax=panel)
        whole = clone(LINEAR).fit(x, names == "P")
        # A machine that calls everything negative has no border.
        if whole.predict(x).any():
            _draw_border(panel, whole)
        panel.set_title(title, fontsize=11)
    return one_or_array(panels)


def _draw_border(panel: Axes, machine: SVC) -> None:
    """The border of a linear machine, as a broken line."""
    normal = machine.coef_[0]
    foot = -machine.intercept_[0] * normal / (normal @ normal)
    along = np.array([normal[1], -normal[0]])
    panel.axline(foot, foot + along, color="black", linestyle="--")


def figure3(random_state: int = 0) -> Panels:
    """Training rows of Study 1 for four d.

    Parameters
    ----------
    random_state : int
        Seed.

    Returns
    -------
    matplotlib.axes.Axes or array of them
    """
    names = np.array(["0: positive", *(f"{group}: negative" for group in range(1, 5))])
    return _maps(chang_clover, FIGURE_3, names, random_state)


def figure6(random_state: int = 0) -> Panels:
    """Training rows of Study 2 for six d.

    Parameters
    ----------
    random_state : int
        Seed.

    Returns
    -------
    matplotlib.axes.Axes or array of them
    """
    return _maps(chang_ordered, FIGURE_6, np.array([f"group {group}" for group in range(5)]), random_state)


def _maps(simulate: Callable[..., Bunch], distances: Sequence[float], names: Any, random_state: int) -> Panels:
    samples = {d: simulate(d, random_state=seed_of(simulate.__name__, random_state, d)) for d in distances}
    return plot.samples({f"d = {d:g}": (s.data[s.train], names[s.target[s.train]]) for d, s in samples.items()})


def figure4(clusters: Sequence[int] = (3, 4, 5), *, d: float = 4.0, runs: int = 10, random_state: int = 0) -> Panels:
    """ROC curves of Study 1: single runs and their mean for each number of clusters, with the corner enlarged below.

    Parameters
    ----------
    clusters : sequence of int
        Numbers of k-means clusters.
    d : float
        Distance of the negative groups from the middle.
    runs : int
        Number of runs, each with its own training and test rows.
    random_state : int
        Seed.

    Returns
    -------
    matplotlib.axes.Axes or array of them
    """
    panels = new_figure(4.2 * len(clusters), 8.4).subplots(2, len(clusters), squeeze=False)
    seeds = [seed_of("roc", random_state, run) for run in range(runs)]
    samples = [chang_clover(d, random_state=seed) for seed in seeds]
    for whole, corner, k in zip(*panels, clusters, strict=True):
        hybrids = [_hybrid(sample, k, seed) for seed, sample in zip(seeds, samples, strict=True)]
        rows = [sample.data[~sample.train] for sample in samples]
        for panel in (whole, corner):
            plot.roc(hybrids, rows, [_labels(sample)[~sample.train] for sample in samples], ax=panel)
            panel.set_title(f"k = {k}", fontsize=11)
        corner.set(title=f"k = {k}, the corner", xlim=(-0.004, 0.2), ylim=(0.8, 1.004))
        corner.get_legend().remove()
    return panels.ravel()


def figure5(clusters: Sequence[int] = (3, 4, 5), *, d: float = 1.5, random_state: int = 0) -> Panels:
    """Clusters of the negatives of Study 1 and the borders of the local machines.

    Parameters
    ----------
    clusters : sequence of int
        Numbers of k-means clusters, one panel each.
    d : float
        Distance of the negative groups from the middle.
    random_state : int
        Seed.

    Returns
    -------
    matplotlib.axes.Axes or array of them
    """
    # The legends are beside the panels.
    panels = add_panels(new_figure(6.2, 4.0 * len(clusters)), len(clusters), 1)
    sample = chang_clover(d, random_state=random_state)
    for panel, k in zip(panels, clusters, strict=True):
        plot.clusters(_hybrid(sample, k, random_state), sample.data[sample.train], ax=panel)
        panel.set_title(f"k = {k}", fontsize=11)
    return one_or_array(panels)


def _labels(sample: Bunch) -> Any:
    return np.where(sample.target == 0, "positive", "negative")


def _hybrid(sample: Bunch, k: int, seed: int) -> HybridClassifier:
    """Procedure I fitted to the training rows, as in the paper."""
    clf = HybridClassifier(
        LINEAR,
        n_clusters=clusterer(k),
        threshold=0.5,
        distance_cv=None,
        pos_label="positive",
        random_state=seed,
    )
    return clf.fit(sample.data[sample.train], _labels(sample)[sample.train])


def draw_confusions(frame: pd.DataFrame) -> Panels:
    """Our confusion matrix of Table 5 beside that of the paper."""
    cells = frame.dropna(subset="true").astype({"true": int, "predicted": int})
    sides = {"ours": "estimate", "paper": "paper"}
    return plot.confusion(
        {title: cells.pivot(index="true", columns="predicted", values=column) for title, column in sides.items()}
    )

"""Wu, Lin & Weng (2003): Figure 1."""

from collections.abc import Iterator, Sequence
from typing import Any, get_args

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from pwcstats.coupling import couple
from pwcstats.datasets import Setting, noisy_pairs, wu_lin_weng_probabilities

__all__ = ["figure1"]


def figure1(
    n_classes: Sequence[int] = (3, 5, 8, 10, 12, 15, 20),
    methods: Sequence[str] = ("ht", "wlw1", "wlw2", "vote"),
    *,
    replicates: int = 1000,
    random_state: int = 0,
) -> pd.DataFrame:
    """How often each coupling finds the true class from noisy pairs.

    Parameters
    ----------
    n_classes : sequence of int
        Numbers of classes.
    methods : sequence of str
        Couplings that need no more than r.
    replicates : int
        Samples for each setting and number of classes; all methods couple the same ones.
    random_state : int
        Seed.

    Returns
    -------
    DataFrame
        Columns setting, n_classes, method, accuracy, std_error. Ties for the first place are broken at random, as in
        the paper.
    """

    def rows() -> Iterator[dict[str, Any]]:
        for setting in get_args(Setting):
            for k in n_classes:
                r = noisy_pairs(wu_lin_weng_probabilities(setting, k), replicates, random_state=random_state)
                for method in methods:
                    hit = _first_place(couple(r, method, condensed=True), random_state) == 0
                    error = np.sqrt(hit.mean() * (1 - hit.mean()) / replicates)
                    yield {
                        "setting": setting,
                        "n_classes": k,
                        "method": method,
                        "accuracy": hit.mean(),
                        "std_error": error,
                    }

    return pd.DataFrame(rows())


def _first_place(p: NDArray[np.float64], random_state: int) -> NDArray[np.int64]:
    """Class of the largest probability, one of them by lot where several share it."""
    lots = np.random.default_rng(random_state).uniform(size=p.shape)
    # Sums of the same votes in another order differ in the last digit.
    shares = p >= p.max(axis=1, keepdims=True) * (1 - 1e-12)
    return np.argmax(np.where(shares, lots, -1.0), axis=1)

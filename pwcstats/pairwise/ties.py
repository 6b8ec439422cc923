"""Which class is the most probable, also where several are."""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_random_state

from pwcstats._arrays import Array


def likeliest(proba: Array, random_state: Any) -> NDArray[np.int64]:
    """Place of the largest probability in each row; of equals the first, or with a `random_state` one that is drawn."""
    best = proba.argmax(axis=1)
    if random_state is not None:
        equal = proba == proba.max(axis=1, keepdims=True)
        tied = np.flatnonzero(equal.sum(axis=1) > 1)
        draws = check_random_state(random_state).random_sample((len(tied), proba.shape[1]))
        best[tied] = (equal[tied] * (1.0 + draws)).argmax(axis=1)
    return best

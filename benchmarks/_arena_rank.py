"""A process that fits arena-rank's contextual Bradley–Terry model on demand; style_control.py starts it.

It runs in an environment of its own, because arena-rank needs fixed versions of NumPy and JAX. Each line of its input
is the options of one call as JSON; the answer has the seconds, the estimates and, if there are intervals, the standard
errors.
"""

import json
import sys
import time
from contextlib import redirect_stdout

import numpy as np
import pandas as pd
from arena_rank.models.contextual_bradley_terry import ContextualBradleyTerry
from arena_rank.utils.data_utils import ContextualPairDataset


def fit(battles, features, intervals, tolerance, cpu):
    """Seconds and results of one fit by maximum likelihood: without weights of pairs, and without penalty."""
    clock = time.process_time if cpu else time.perf_counter
    start = clock()
    data = ContextualPairDataset.from_pandas(battles, features, reweighted=False, normalize_features=False)
    model = ContextualBradleyTerry(data.n_competitors, len(features), reg=0.0, ftol=tolerance, gtol=tolerance)
    model.fit(data)
    errors = []
    if intervals:
        board = model.compute_ratings_and_cis(data)
        errors = (np.sqrt(board["variances"]) / model.alpha).tolist()
    ratings, coefficients = (np.asarray(model.params[name]) for name in ("ratings", "coeffs"))
    seconds = clock() - start
    estimates = np.concatenate([ratings - ratings.mean(), coefficients])
    return {"seconds": seconds, "estimates": estimates.tolist(), "errors": errors}


def main():
    battles = pd.read_pickle(sys.argv[1])
    for line in sys.stdin:
        with redirect_stdout(sys.stderr):
            answer = fit(battles, **json.loads(line))
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()

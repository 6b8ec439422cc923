"""What is asked of a fit."""

from collections.abc import Hashable
from dataclasses import dataclass
from typing import Any

import numpy as np
from patsy import EvalEnvironment

from pwcstats import _params
from pwcstats._arrays import Array
from pwcstats.bradley_terry import checks as fits
from pwcstats.bradley_terry.reading import Rows
from pwcstats.errors import InputError

METHODS = ("mle", "firth")
TIES = ("none", "davidson", "half")


@dataclass(frozen=True)
class Spec:
    """What was asked of a fit, checked."""

    method: str
    ties: str
    order: bool
    z: Array | None
    names: list[str]
    ref: int | None

    @property
    def davidson(self) -> bool:
        """Whether there is a tie parameter."""
        return self.ties == "davidson"

    @property
    def firth(self) -> bool:
        """Whether the likelihood is penalised."""
        return self.method == "firth"


def read_spec(
    rows: Rows,
    method: Any,
    ties: Any,
    order: Any,
    covariates: Any,
    item_data: Any,
    environment: EvalEnvironment | None,
    ref: Hashable | None,
) -> Spec:
    """Check what was asked against the comparisons that there are."""
    _params.choice(method, METHODS, "method")
    _params.choice(ties, TIES, "ties")
    z, names = fits.read_covariates(covariates, item_data, rows.items, environment)
    fits.refuse_names(rows.items if z is None else names, order, ties == "davidson")
    place = None if ref is None else _params.index_of(ref, rows.items, "ref")
    if z is not None and ref is not None:
        raise InputError(
            "with covariates no item is the reference: the coefficients do not depend on one; leave ref out."
        )
    n_ties = rows.weight[rows.tie].sum() if len(rows.weight) else np.count_nonzero(rows.tie)
    fits.refuse_ties(ties, float(n_ties), rows.total, method)
    if not isinstance(order, (bool, np.bool_)):
        raise InputError(f"order_effect must be True or False, got {order!r}.")
    if order and not rows.home.any():
        raise InputError(
            "order_effect needs comparisons in which one item went first; give first=... to "
            "from_comparisons, and not neutral=... in all rows (a matrix of wins cannot tell)."
        )
    return Spec(method, ties, bool(order), z, names, place)

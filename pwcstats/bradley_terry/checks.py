"""Options and covariates of Bradley–Terry fits, checked; the wording of what stands in the way of one."""

import numbers
import re
from collections.abc import Mapping, Sequence
from typing import Any, NoReturn

import numpy as np
import pandas as pd
import patsy
from numpy.typing import NDArray

from pwcstats import _params
from pwcstats._arrays import Array, as_float
from pwcstats._text import listed, named, shape_of
from pwcstats.errors import InputError, arg

# A full covariance of so many items takes 3 GB; with more, nobody looks at it.
LARGEST_FULL = 20_000
LARGEST_FIRTH = 5_000
# With fewer clusters than this, robust standard errors are rough.
FEW_CLUSTERS = 20


def item_indices(wanted: Any, items: pd.Index, name: str, what: str = "items") -> NDArray[np.int64]:
    """Indices of several items (or of `what`)."""
    labels = pd.Index(wanted)
    indices = items.get_indexer(labels)
    if (indices < 0).any():
        _params.index_of(labels[int(np.argmax(indices < 0))], items, name, what)
    return indices


def refuse_names(names: Any, order: Any, tie: bool) -> None:
    """Names of items or covariates must differ from each other and from those of the other parameters."""
    labels = pd.Index(names)
    taken = ["(order)"] * bool(order) + ["(tie)"] * tie
    if any(isinstance(name, str) and name in taken for name in labels):
        raise InputError(f"an item or covariate has the name of a parameter, {listed(taken)}; rename it.")
    if not labels.is_unique:
        raise InputError(f"the covariates must have different names, got {labels[labels.duplicated()][0]!r} twice.")


def read_environment(eval_env: Any, n_frames: int) -> patsy.EvalEnvironment:
    """Where a formula's names are looked up: `eval_env` frames out from `n_frames` above the caller of this."""
    if isinstance(eval_env, patsy.EvalEnvironment):
        return eval_env
    if isinstance(eval_env, (bool, np.bool_)) or not isinstance(eval_env, numbers.Integral) or eval_env < -1:
        raise InputError(f"eval_env must be a whole number of at least -1 or an EvalEnvironment, got {eval_env!r}.")
    if eval_env == -1:
        return patsy.EvalEnvironment([{}])
    try:
        return patsy.EvalEnvironment.capture(int(eval_env), reference=n_frames + 1)
    except ValueError:
        raise InputError(f"eval_env is {eval_env}, but fewer functions are being called; give a smaller one.") from None


def read_covariates(
    covariates: Any, item_data: Any, items: pd.Index, environment: patsy.EvalEnvironment | None
) -> tuple[Array | None, list[str]]:
    """Covariates of the items, one row each in the order of `items`, and their names."""
    if covariates is None:
        if item_data is not None:
            raise InputError("item_data is the data of a formula; give the formula as covariates.")
        return None, []
    if isinstance(covariates, str):
        return _from_formula(covariates, item_data, items, environment)
    if item_data is not None:
        raise InputError("item_data goes with covariates that are a formula; leave it out.")
    if isinstance(covariates, (pd.DataFrame, pd.Series)):
        frame = covariates.to_frame() if isinstance(covariates, pd.Series) else covariates
        frame = _rows_of_items(frame, "covariates", items)
        values, names = as_float(frame, "covariates"), [str(name) for name in frame.columns]
    else:
        values = as_float(covariates, "covariates")
        if values.ndim not in (1, 2) or len(values) != len(items):
            raise InputError(
                f"covariates must have one row for each of the {len(items)} items, got {shape_of(values)}."
            )
        values = values.reshape(len(items), -1)
        names = [f"x{k + 1}" for k in range(values.shape[1])]
    return _complete(values, names, items), names


def _rows_of_items(frame: Any, name: str, items: pd.Index) -> pd.DataFrame:
    if not isinstance(frame, pd.DataFrame):
        raise InputError(f"{name} must be a data frame indexed by item, got {type(frame).__name__}.")
    missing = items[~items.isin(frame.index)]
    if len(missing):
        raise InputError(f"{name} must have a row for each item; its index lacks {listed(missing)}.")
    if not frame.index.is_unique:
        twice = frame.index[frame.index.duplicated()][0]
        raise InputError(f"{name} must have one row for each item, got {twice!r} more than once.")
    return frame.loc[items]


def _from_formula(
    formula: str, item_data: Any, items: pd.Index, environment: patsy.EvalEnvironment | None
) -> tuple[Array, list[str]]:
    if item_data is None:
        raise InputError("covariates is a formula, so item_data is needed: a data frame indexed by item.")
    frame = _rows_of_items(item_data, "item_data", items)
    for name in frame.columns[frame.isna().any()]:
        # patsy would take a missing word for the base level.
        if re.search(rf"(?<!\w){re.escape(str(name))}(?!\w)", formula):
            odd = items[frame[name].isna().to_numpy()]
            raise InputError(
                f"{name!r} is missing in item_data for {listed(odd)}; fill it in, or leave these items out."
            )
    try:
        matrix = patsy.dmatrix(formula, frame, environment, patsy.NAAction(NA_types=[]), return_type="dataframe")
    except patsy.PatsyError as error:
        reason = " ".join(error.message.split())
        if isinstance(error.__cause__, NameError) and error.__cause__.name:
            columns = listed(frame.columns)
            reason = f"{error.__cause__.name!r} is neither one of its columns {columns} nor a variable of the caller"
        raise InputError(f"the formula {formula!r} cannot be used with item_data: {reason}.") from None
    matrix = matrix.drop(columns="Intercept", errors="ignore")
    names = [str(name) for name in matrix.columns]
    return _complete(as_float(matrix, "covariates"), names, items), names


def _complete(values: Array, names: Sequence[str], items: pd.Index) -> Array:
    bad = ~np.isfinite(values)
    if bad.any():
        i, column = np.argwhere(bad)[0]
        raise InputError(
            f"covariates must be finite numbers, got {values[i, column]:g} in {names[column]!r} of item "
            f"{items[i]}; fill it in, or leave the item's comparisons out."
        )
    if not values.shape[1]:
        raise InputError("covariates has no column; leave it out for one ability an item.")
    return values


def refuse_ties(ties: str, n_ties: float, nobs: float, method: str) -> None:
    """Ties need a model for them, and a tie parameter needs ties."""
    if ties == "none" and n_ties > 0.0:
        raise InputError(
            f"{n_ties:g} of {nobs:g} comparisons are ties, which ties='none' has no place for; set "
            "ties='davidson' for a tie parameter, or ties='half' to count half a win for each."
        )
    if ties == "davidson" and method == "mle" and n_ties == 0.0:
        raise InputError("no comparison is a tie, so that the tie parameter would be 0; leave out ties='davidson'.")
    if ties == "davidson" and method == "mle" and n_ties == nobs:
        raise InputError(
            "all comparisons are ties, so that the tie parameter would be infinite; set ties='half', or method='firth'."
        )


def refuse_too_many(n_items: int, dense: bool, firth: bool) -> None:
    """Say before the work that it needs the square of too many items."""
    if firth and dense and n_items > LARGEST_FIRTH:
        raise InputError(
            f"method='firth' needs the covariance of all items in each step, got {n_items} items (at most "
            f"{LARGEST_FIRTH}); use method='mle' and leave out items that won or lost everything."
        )
    if dense and n_items > LARGEST_FULL:
        raise InputError(
            f"the full covariance of {n_items} items would take {8e-9 * n_items**2:.0f} GB; set cov='diag' "
            "for standard errors, or cov='none'."
        )


def read_cov_kwds(cov_type: str, cov_kwds: Any) -> dict[str, Any]:
    """Check the options of a robust covariance."""
    if cov_kwds is not None and not isinstance(cov_kwds, Mapping):
        raise InputError(f"cov_kwds must be a dict such as {{'groups': ...}}, got {cov_kwds!r}.")
    options = {} if cov_kwds is None else dict(cov_kwds)
    known = {"groups", "use_correction"} if cov_type == "cluster" else set()
    if set(options) - known:
        raise InputError(
            f"cov_type={cov_type!r} has the options {listed(sorted(known))}, got {listed(sorted(options))}."
        )
    if cov_type == "cluster" and options.get("groups") is None:
        raise InputError("cov_type='cluster' needs cov_kwds={'groups': ...}, a column of the data or an array.")
    return options


def refuse_disconnected(items: pd.Index, groups: Sequence[NDArray[np.int64]]) -> NoReturn:
    """Name the groups of items that no comparison joins."""
    raise InputError(
        f"the comparison graph is not connected: it falls into {len(groups)} groups that were never compared with each "
        f"other, {_named_groups(items, groups)}; add comparisons between them, or rank each group by itself."
    )


def refuse_no_mle(
    items: pd.Index, unbeaten: list[NDArray[np.int64]], winless: list[NDArray[np.int64]], largest: int
) -> NoReturn:
    """Name the items whose abilities would be infinite; `largest` items can be fitted by themselves."""
    if len(unbeaten) == len(winless) == 1 and len(unbeaten[0]) + len(winless[0]) == len(items):
        # Two sides of one fact: the smaller side says it.
        unbeaten, winless = (unbeaten, []) if len(unbeaten[0]) <= len(winless[0]) else ([], winless)
    found = []
    if unbeaten:
        found.append(f"{_named_groups(items, unbeaten)} never lost to any of the others")
    if winless:
        found.append(f"{_named_groups(items, winless)} never beat any of the others")
    cure = f"use {arg('method', 'firth')} for finite ones, " if len(items) <= LARGEST_FIRTH else ""
    alone = f" (the largest set that can be fitted by itself has {largest} items)" if largest > 1 else ""
    raise InputError(
        f"there is no maximum likelihood estimate: {', and '.join(found)}, so that some abilities would be infinite; "
        f"{cure}drop these items{alone}, or add comparisons that go the other way."
    )


def _named_groups(items: pd.Index, groups: Sequence[NDArray[np.int64]]) -> str:
    first = [named(items[g[0]]) if len(g) == 1 else "{" + listed(items[g])[1:-1] + "}" for g in groups[:5]]
    more = f" and {len(groups) - 5} more" if len(groups) > 5 else ""
    return ", ".join(first) + more


def refuse_unidentified_order() -> NoReturn:
    """Say that the order effect cannot be told from the abilities."""
    raise InputError(
        "the order effect cannot be told from the abilities: shifting these makes up for it in every comparison; "
        "add comparisons with the items the other way round, or leave out order_effect."
    )


def refuse_no_order_mle(direction: tuple[int, int]) -> NoReturn:
    """Say that the order effect or the tie parameter diverges."""
    what = [name for name, u in zip(("order effect", "tie parameter"), direction, strict=True) if u]
    raise InputError(
        f"there is no maximum likelihood estimate: the {' and the '.join(what)} would be infinite, with abilities that "
        "follow, since no outcome speaks against it; use method='firth' for a finite one, or leave it out."
    )


def refuse_aliased(name: str) -> NoReturn:
    """Say which covariate adds nothing."""
    raise InputError(
        f"the covariate {name!r} is not identified: among the pairs that met, its differences are all 0 or a "
        "combination of those before it; leave it out."
    )


def refuse_separated(names: Sequence[str]) -> NoReturn:
    """Say which covariates predict the outcomes perfectly."""
    raise InputError(
        f"there is no maximum likelihood estimate: a combination of {listed(names)} is never on the losing "
        "side, so that its coefficients would be infinite; use method='firth' for finite ones, or leave a "
        "covariate out."
    )


def refuse_not_nested(small: Any, large: Any, same_data: bool) -> None:
    """Refuse a likelihood-ratio test of fits that do not belong together, saying why."""
    a, b = small.spec, large.spec
    if not same_data:
        raise InputError("a likelihood-ratio test needs two fits to the same comparisons; these are of different ones.")
    if "firth" in (a.method, b.method):
        raise InputError(
            "a likelihood-ratio test needs maximum likelihood fits: the penalties of these two are not the same; "
            "fit both with method='mle', or use wald_test."
        )
    if a.ties != b.ties:
        raise InputError(f"a likelihood-ratio test needs one treatment of ties, got {a.ties!r} and {b.ties!r}.")
    for fit in (small, large):
        refuse_robust(fit, "a likelihood-ratio test")
    if small.df_model == large.df_model:
        raise InputError(f"both fits have {small.df_model} parameters, so that neither is nested in the other.")
    if (a.order and not b.order) or not _spanned(a.z, b.z):
        raise InputError(
            "the smaller model is not nested in the larger one: it has an order effect or covariates that "
            "the larger lacks."
        )


def _spanned(small: Array | None, large: Array | None) -> bool:
    """Whether the covariates of the small model are combinations of those of the large one (None: any abilities)."""
    if large is None:
        return True
    if small is None:
        return False
    large, small = (x - x.mean(axis=0) for x in (large, small))
    large, small = (x / np.linalg.norm(x, axis=0) for x in (large, small))
    fitted = large @ np.linalg.lstsq(large, small, rcond=None)[0]
    return bool(np.allclose(fitted, small, rtol=0.0, atol=1e-8))


def refuse_robust(fit: Any, name: str) -> None:
    """Refuse what rests on independent comparisons where a robust covariance says that they are not."""
    if fit.cov_type != "nonrobust":
        raise InputError(
            f"{name} rests on the likelihood, not on cov_type={fit.cov_type!r}; use wald_test or contrast."
        )


# Standard errors of logits: beyond this, nothing is known of an ability but its sign.
LARGEST_ERROR = 100.0


def all_but_infinite(terms: pd.Index, bse: Array, firth: bool) -> str | None:
    """Warning about standard errors that are practically infinite, if there are any."""
    worst = terms[np.flatnonzero(bse > LARGEST_ERROR)]
    if not len(worst):
        return None
    cure = "they have too few comparisons to be estimated" if firth else "use method='firth'"
    return f"the estimates of {listed(worst)} are practically infinite (standard errors up to {bse.max():.3g}); {cure}."


def refuse_large_square(n_items: int, name: str) -> None:
    """Refuse a number for each pair of very many items."""
    if n_items > LARGEST_FULL:
        raise InputError(
            f"{name} of {n_items} items would take {8e-9 * n_items**2:.0f} GB; use predict for some pairs."
        )

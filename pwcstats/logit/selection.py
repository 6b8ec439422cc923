"""Stepwise selection of a model's terms."""

import warnings
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from patsy import PatsyError
from scipy import stats
from statsmodels.discrete.discrete_model import Logit, MNLogit
from statsmodels.miscmodels.ordinal_model import OrderedModel

from pwcstats import _params
from pwcstats._text import listed
from pwcstats.errors import InputError, SeparationWarning
from pwcstats.logit import reading as designs
from pwcstats.logit.ordered import OrderedLogit
from pwcstats.logit.ordinal import ContinuationRatio
from pwcstats.logit.penalised import PenalisedModel, term_slices
from pwcstats.logit.separation import detect_separation

__all__ = ["StepwiseResult", "stepwise"]

# A criterion must fall by this much, lest two models of the same likelihood take turns.
SMALL_GAIN = 1e-7


@dataclass(frozen=True)
class StepwiseResult:
    """What :func:`stepwise` did.

    Attributes
    ----------
    results : Results
        The fit of the model that was selected, as its own `fit` gives it.
    terms : list of str
        Terms that were selected, without the constant.
    path : DataFrame
        One row a step: what was added ("+ x") or dropped ("- x"), the criterion (AIC, BIC, or the p-value of the test),
        log-likelihood, number of parameters and terms afterwards; the first row is the start.
    """

    results: Any
    terms: list[str]
    path: pd.DataFrame


def stepwise(
    model: Any,
    criterion: str | float = "aic",
    direction: str = "both",
    *,
    enter: float = 0.05,
    remove: float = 0.10,
    keep: Any = (),
    max_steps: int = 1000,
    terms: Mapping[Any, Any] | None = None,
) -> StepwiseResult:
    """Select terms of a model step by step.

    Parameters
    ----------
    model : model
        With all terms that may be chosen, not fitted: FirthLogit, FirthMNLogit, ContinuationRatio, OrderedLogit, or
        statsmodels' Logit, MNLogit or OrderedModel. After a formula whole terms are chosen, such as all columns of a
        factor, and an interaction never without its main effects; otherwise columns, or `terms`.
    criterion : {"aic", "bic", "lr"} or float
        Akaike's or Schwarz's criterion, or likelihood-ratio tests. For Firth's models the criteria are of the
        unpenalised likelihood, as in R's brglm2, and the tests are penalised ones, in which both models have the
        penalty of the larger. A number is the price of a parameter, as `k` of R's ``step``: 2 is AIC; for BIC, where
        weights are not numbers of cases, give the logarithm of the number that is.
    direction : {"both", "forward", "backward"}
        "forward" begins with the constant alone and only adds; "backward" begins with all terms and only drops; "both"
        begins with all terms, as R's ``step`` does, and does either.
    enter, remove : float
        For criterion "lr": a term is added if its p-value is below `enter`, and dropped if it is above `remove`.
    keep : sequence of str
        Terms that are always in the model, besides the constant.
    max_steps : int
        Steps before giving up.
    terms : mapping, optional
        Names of terms and lists of their columns, for a design that was made elsewhere. A name with ":" is an
        interaction of what stands beside it. Columns in no term, such as the constant, are always in the model.

    Returns
    -------
    StepwiseResult

    Notes
    -----
    Tests and intervals of the selected model take no account of the selection. In `path`, the log-likelihood of a Firth
    fit may rise when a term is dropped: its estimates do not maximise it.

    Examples
    --------
    >>> import numpy as np, pandas as pd
    >>> from pwcstats import FirthLogit, stepwise
    >>> rng = np.random.default_rng(1)
    >>> df = pd.DataFrame(rng.normal(size=(80, 3)), columns=["x1", "x2", "x3"])
    >>> df["y"] = (df["x1"] + rng.logistic(size=80) > 0).astype(int)
    >>> found = stepwise(FirthLogit.from_formula("y ~ x1 + x2 + x3", df), criterion="bic")
    >>> found.terms
    ['x1']
    >>> found.path[["action", "criterion"]].round(2)
      action  criterion
    0            114.64
    1   - x3     111.32
    2   - x2     108.36
    """
    _check_criterion(criterion)
    _params.choice(direction, ("both", "forward", "backward"), "direction")
    _params.count(max_steps, "max_steps")
    enter, remove = _params.level(enter, "enter"), _params.level(remove, "remove")
    if criterion == "lr" and direction == "both" and remove < enter:
        raise InputError(f"remove must not be below enter, or terms would come and go; got {remove} and {enter}.")
    search = _Search(model, criterion, keep, terms)
    inside = list(search.keep) if direction == "forward" else list(search.terms)
    path = [search.row("", inside, search.fit(inside), np.nan)]
    for _ in range(max_steps):
        moves = []
        if direction != "forward":
            moves += [("-", term) for term in inside if search.may_drop(term, inside)]
        if direction != "backward":
            moves += [("+", term) for term in search.terms if term not in inside and search.may_add(term, inside)]
        step = search.by_test(moves, inside, enter, remove) if criterion == "lr" else search.by_criterion(moves, inside)
        if step is None:
            return StepwiseResult(search.final(inside), inside, pd.DataFrame(path))
        sign, term, p_value = step
        inside = search.moved(sign, term, inside)
        path.append(search.row(f"{sign} {term}", inside, search.fit(inside), p_value))
    raise InputError(f"{max_steps} steps were not enough; raise max_steps.")


class _Search:
    """Fits of a model with some of its terms; each is made once."""

    def __init__(self, model: Any, criterion: str | float, keep: Any, terms: Mapping[Any, Any] | None) -> None:
        known = (PenalisedModel, ContinuationRatio, Logit, MNLogit, OrderedModel)
        if not isinstance(model, known):
            raise InputError(
                "model must be an unfitted FirthLogit, FirthMNLogit, ContinuationRatio, OrderedLogit, or statsmodels' "
                f"Logit, MNLogit or OrderedModel, got {type(model).__name__}."
            )
        self.model: Any = model
        self.criterion = criterion
        # OrderedModel counts the thresholds' names among those of the columns.
        self.exog = pd.DataFrame(self.model.exog, columns=model.exog_names[: model.exog.shape[1]])
        self.given = terms is not None
        if terms is None:
            slices = {
                name: part for name, part in term_slices(model).items() if part and part[-1] < len(self.exog.columns)
            }
            constant = getattr(model.data, "const_idx", None)
            self.constant = [] if constant is None else [constant]
            self.columns = {name: part for name, part in slices.items() if part != self.constant}
        else:
            self.columns = _read_terms(terms, list(map(str, self.exog.columns)))
            inside = {place for part in self.columns.values() for place in part}
            self.constant = [place for place in range(len(self.exog.columns)) if place not in inside]
        self.terms = list(self.columns)
        # Terms are known by their names as text, columns with numbers for names too.
        keep = list(map(str, [keep] if isinstance(keep, (str, int)) else keep))
        if not set(keep) <= set(self.terms):
            raise InputError(f"keep must be some of the terms {listed(self.terms)}, got {listed(keep)}.")
        # An interaction is not kept without its parts.
        self.keep = [name for name in self.terms if any(_parts(name) <= _parts(kept) for kept in keep)]
        self._fits: dict[frozenset[str], Any] = {}

    # Which moves there are

    def may_drop(self, term: str, inside: list[str]) -> bool:
        """Not if it is kept, part of an interaction that stays, or all that there is."""
        if len(inside) == 1 and not (self.constant or self._intercepts):
            return False
        return term not in self.keep and not any(_parts(term) < _parts(other) for other in inside)

    def may_add(self, term: str, inside: list[str]) -> bool:
        """Not before all that it is an interaction of."""
        return all(other in inside for other in self.terms if _parts(other) < _parts(term))

    def moved(self, sign: str, term: str, inside: list[str]) -> list[str]:
        """The terms after a move, in their order."""
        after = {*inside, term} if sign == "+" else set(inside) - {term}
        return [name for name in self.terms if name in after]

    # Which move is best

    def by_criterion(self, moves: list[tuple[str, str]], inside: list[str]) -> tuple[str, str, float] | None:
        """The move with the least criterion, if that is less than now."""
        best, least = None, self.value(self.fit(inside)) - SMALL_GAIN
        for sign, term in moves:
            value = self.value(self.fit(self.moved(sign, term, inside)))
            if value < least:
                best, least = (sign, term, np.nan), value
        return best

    def by_test(
        self, moves: list[tuple[str, str]], inside: list[str], enter: float, remove: float
    ) -> tuple[str, str, float] | None:
        """The least significant term that may go or, if none must, the most significant one that may come."""
        tests = [(sign, term, self.p_value(term, {*inside, term})) for sign, term in moves]
        drops = [test for test in tests if test[0] == "-" and test[2] > remove]
        adds = [test for test in tests if test[0] == "+" and test[2] < enter]
        by_p: Callable[[tuple[str, str, float]], float] = lambda test: test[2]  # noqa: E731
        return max(drops, key=by_p) if drops else min(adds, key=by_p) if adds else None

    def p_value(self, term: str, inside: set[str]) -> float:
        """p-value of a term in the model of some terms, itself among them."""
        large = self.fit([name for name in self.terms if name in inside])
        names = [str(self.exog.columns[k]) for k in self.columns[term]]
        if hasattr(large, "lr_test"):
            return float(large.lr_test(names).p_value)
        small = self.fit([name for name in self.terms if name in inside and name != term])
        return float(stats.chi2.sf(2.0 * (large.llf - small.llf), np.size(large.params) - np.size(small.params)))

    def value(self, results: Any) -> float:
        """The criterion."""
        llf, size = getattr(results, "llf_unpenalized", results.llf), np.size(results.params)
        nobs = getattr(results, "nobs", len(self.exog))
        named = {"aic": 2.0, "bic": np.log(nobs)}
        price = named[self.criterion] if isinstance(self.criterion, str) else self.criterion
        return float(size * price - 2.0 * llf)

    def row(self, action: str, inside: list[str], results: Any, p_value: float) -> dict[str, Any]:
        """A row of the path."""
        return {
            "action": action,
            "criterion": p_value if self.criterion == "lr" else self.value(results),
            "log_lik": float(getattr(results, "llf_unpenalized", results.llf)),
            "n_params": int(np.size(results.params)),
            "terms": " + ".join(inside) or "1",
        }

    # Fits

    def fit(self, inside: list[str]) -> Any:
        """The fit of some terms."""
        key = frozenset(inside)
        if key not in self._fits:
            places = sorted([*self.constant, *(k for term in inside for k in self.columns[term])])
            self._fits[key] = self._fit_columns(places)
        return self._fits[key]

    def _fit_columns(self, places: list[int]) -> Any:
        if not places and isinstance(self.model, Logit | MNLogit):
            raise InputError("without a constant there is no model of no term; add a constant, or keep a term.")
        return _fitted(remade(self.model, self.exog.iloc[:, places]))

    def final(self, inside: list[str]) -> Any:
        """The selected model as the user would have made it: by formula, if the model was."""
        formula = None if self.given else getattr(self.model, "formula", None)
        # Without a constant the coding of a factor depends on what else is there; an OrderedModel needs a column.
        if not isinstance(formula, str) or not (self.constant or (self._intercepts and inside)):
            return self.fit(inside)
        response = formula.split("~")[0]
        right = " + ".join(inside or ["1"])
        dropped = getattr(self.model.data, "missing_row_idx", None)
        frame = self.model.data.frame
        if dropped is not None and len(dropped):
            frame = frame.iloc[np.delete(np.arange(len(frame)), dropped)]
        # A formula's functions are looked up where stepwise was called, two levels up from here (which is 1).
        # statsmodels' OrderedModel does not count its own from_formula.
        depth = 4 if isinstance(self.model, OrderedModel) and not isinstance(self.model, OrderedLogit) else 3
        try:
            made = type(self.model).from_formula(f"{response} ~ {right}", frame, eval_env=depth, **options(self.model))
        except PatsyError as error:
            raise InputError(
                f"the selected model '{response.strip()} ~ {right}' cannot be made where stepwise was called "
                f"({error.message}); call stepwise where the functions and variables of the formula are defined."
            ) from None
        return _fitted(made)

    @property
    def _intercepts(self) -> bool:
        """Whether the model has intercepts of its own, besides its columns."""
        return isinstance(self.model, ContinuationRatio | OrderedModel)


def options(model: Any) -> dict[str, Any]:
    """What a model was made with, besides its data."""
    if isinstance(model, OrderedModel):
        given = {"offset": model.offset} | ({} if isinstance(model, OrderedLogit) else {"distr": model.distr})
    else:
        given = model._get_init_kwds()
    of_formula = ("missing_idx", "formula", "model_spec", "design_info", "hasconst", "check_rank")
    return {key: value for key, value in given.items() if value is not None and key not in of_formula}


def remade(model: Any, exog: Any) -> Any:
    """The model with other columns, its classes by name."""
    code = np.asarray(model.endog)
    labels = getattr(model, "labels", None)
    if isinstance(model, MNLogit):
        labels = [str(model._ynames_map[k]) for k in range(int(model.J))]
    endog: Any = code
    if labels is not None:
        ordered = not isinstance(model, MNLogit)
        endog = pd.Series(
            pd.Categorical.from_codes(code.astype(np.int64), labels, ordered=ordered), name=model.endog_names
        )
    if not exog.shape[1]:
        exog = None if isinstance(model, OrderedModel) else pd.DataFrame({"const": np.ones(len(code))})
    return type(model)(endog, exog, **options(model))


def _check_criterion(criterion: Any) -> None:
    if isinstance(criterion, (int, float, np.number)) and not isinstance(criterion, bool):
        if not (np.isfinite(criterion) and criterion >= 0):
            raise InputError(f"a criterion that is a number must be finite and at least 0, got {criterion}.")
    else:
        _params.choice(criterion, ("aic", "bic", "lr"), "criterion")


def _read_terms(terms: Any, names: list[str]) -> dict[str, list[int]]:
    """Places of the columns of each term."""
    if not isinstance(terms, Mapping):
        raise InputError(f"terms must map names of terms to lists of columns, got {type(terms).__name__}.")
    places: dict[str, list[int]] = {}
    owner: dict[str, str] = {}
    for term, columns in terms.items():
        wanted = list(map(str, [columns] if np.ndim(columns) == 0 else columns))
        if not wanted or not set(wanted) <= set(names):
            raise InputError(
                f"each of terms must be some of the columns {listed(names)}; {term!r} is {listed(wanted)}."
            )
        for column in wanted:
            if column in owner:
                raise InputError(
                    f"terms has the column {column!r} twice, in {owner[column]!r} and {term!r}; leave one."
                )
            owner[column] = str(term)
        places[str(term)] = sorted(map(names.index, wanted))
    return places


def _parts(term: str) -> frozenset[str]:
    return frozenset(term.split(":"))


def _fitted(model: Any) -> Any:
    """Fit, and say where statsmodels' own model is separated."""
    of_statsmodels = isinstance(model, (Logit, MNLogit)) and not isinstance(model, PenalisedModel)
    if not of_statsmodels:
        return model.fit(disp=0, **({"method": "bfgs"} if type(model) is OrderedModel else {}))
    res = None
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        # Older versions of statsmodels stop where the information has become singular.
        with suppress(np.linalg.LinAlgError):
            res = model.fit(disp=0)
    if caught or res is None:
        found = detect_separation(model.endog, pd.DataFrame(model.exog, columns=model.exog_names))
        words = designs.separated_words(found.columns, found.kind, "", "use FirthLogit or FirthMNLogit.")
        if res is None:
            raise InputError(words if found.separated else "the fit ended at a singular matrix; use FirthLogit.")
        if found.separated:
            warnings.warn(words, SeparationWarning, stacklevel=4)
        else:
            for seen in caught:
                warnings.warn(seen.message, stacklevel=4)
    return res

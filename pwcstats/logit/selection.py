"""Stepwise selection of terms."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import pandas as pd
from patsy import PatsyError
from scipy import stats
from statsmodels.discrete.discrete_model import Logit, MNLogit
from statsmodels.iolib.summary import Summary
from statsmodels.miscmodels.ordinal_model import OrderedModel

from pwcstats import _params, _summary
from pwcstats._results import Result, plain
from pwcstats._text import counted, did_you_mean, listed
from pwcstats.errors import (
    ConvergenceWarning,
    InputError,
    PwcWarning,
    SeparationWarning,
    arg,
    code,
    value,
    warn,
)
from pwcstats.logit.aliased import refuse_aliased
from pwcstats.logit.formulas import columns_by_term
from pwcstats.logit.ordinal import ContinuationRatio
from pwcstats.logit.ordinal_model import OrdinalModel
from pwcstats.logit.penalized import PenalizedModel
from pwcstats.logit.separation import detect_separation, separation_message

__all__ = ["StepwiseResult", "stepwise"]

# A criterion must decrease by more than rounding, or two models with the same likelihood would alternate.
SMALL_GAIN = 1e-7
# A log-likelihood per row above this means that every outcome is predicted without error.
PERFECT = -1e-8


@dataclass(frozen=True, repr=False)
class StepwiseResult(Result):
    """Result of :func:`stepwise`.

    Attributes
    ----------
    results : Results
        Fit of the selected model.
    terms : list of str
        Selected terms, without the constant.
    path : DataFrame
        One row per step: the term that was added ("+ x") or dropped ("- x"), the criterion (AIC, BIC, or the p-value of
        the test), and the log-likelihood, number of parameters and terms after the step. The first row is the start.
    """

    results: Any
    terms: list[str]
    path: pd.DataFrame

    def tidy(self) -> pd.DataFrame:
        """One row per step: the `path`."""
        return self.path.copy()

    def glance(self) -> pd.DataFrame:
        """One row about the selected model: number of steps, log-likelihood, number of parameters and terms."""
        last = self.path[["log_lik", "n_params", "terms"]].tail(1).reset_index(drop=True)
        last.insert(0, "n_steps", len(self.path) - 1)
        return last

    def summary(self) -> Summary:
        """Summary with the path; `results.summary()` is about the selected model."""
        path = self.path.assign(action=["start", *self.path["action"][1:]]).set_index("action")
        path = path.assign(**{name: path[name].map("{:.4f}".format) for name in ("criterion", "log_lik")})
        left = [("Model:", type(self.results.model).__name__), ("Terms:", " + ".join(self.terms) or "1")]
        right = [("Steps:", str(len(path) - 1)), ("Parameters:", str(path["n_params"].iloc[-1]))]
        return _summary.report("Stepwise Selection", left, right, path.replace({"criterion": {"nan": ""}}))

    def to_dict(self) -> dict[str, Any]:
        """The terms, the path and, if they are ours, the results of the selected model, ready for JSON."""
        results = self.results.to_dict() if hasattr(self.results, "to_dict") else None
        return {"terms": plain(self.terms), "path": plain(self.path), "results": results}


def stepwise(
    model: Any,
    criterion: Literal["aic", "bic", "lr"] | float = "aic",
    direction: Literal["both", "forward", "backward"] = "both",
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
        Model with all candidate terms, not fitted: FirthLogit, FirthMNLogit, ContinuationRatio, OrderedLogit,
        AdjacentCategories, or statsmodels' Logit, MNLogit or OrderedModel. After a formula, whole terms are selected,
        such as all columns of a factor, and an interaction never without its main effects. Otherwise columns are
        selected, or `terms`.
    criterion : {"aic", "bic", "lr"} or float
        Akaike's or Schwarz's criterion, or likelihood-ratio tests. For models with Firth's penalty the criteria use the
        unpenalised likelihood, as in R's brglm2, and the tests are penalised likelihood-ratio tests, in which both
        models have the penalty of the larger one. A number is the penalty per parameter, like `k` in R's ``step``;
        2 is AIC. If the weights are not numbers of observations, give the logarithm of the number of observations for
        BIC.
    direction : {"both", "forward", "backward"}
        "forward" starts with the constant and only adds terms; "backward" starts with all terms and only drops terms;
        "both" starts with all terms, as R's ``step``, and adds or drops terms.
    enter, remove : float
        For criterion "lr": a term is added if its p-value is below `enter`, and dropped if it is above `remove`.
    keep : sequence of str
        Terms that are always in the model, besides the constant.
    max_steps : int
        Maximal number of steps.
    terms : mapping, optional
        Names of terms and lists of their columns, for a design matrix without a formula. A name with ":" is an
        interaction of the terms whose names it joins. Columns in no term, such as the constant, stay in the model.

    Returns
    -------
    StepwiseResult

    Notes
    -----
    Tests and intervals of the selected model ignore the selection. In `path`, the log-likelihood of a model with
    Firth's penalty may increase when a term is dropped, because the estimates do not maximise it.

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
    refuse_aliased(model, code("stepwise"))
    _params.choice(direction, ("both", "forward", "backward"), "direction")
    _params.count(max_steps, "max_steps")
    enter, remove = _params.level(enter, "enter"), _params.level(remove, "remove")
    if criterion == "lr" and direction == "both" and remove < enter:
        raise InputError(
            f"{arg('remove')} must not be below {arg('enter')}, otherwise terms would be added and dropped repeatedly; "
            f"got {remove} and {enter}."
        )
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
    raise InputError(f"the selection did not end after {counted(max_steps, 'step')}; raise {arg('max_steps')}.")


class _Search:
    """Fits of a model with subsets of its terms; each subset is fitted once."""

    def __init__(self, model: Any, criterion: str | float, keep: Any, terms: Mapping[Any, Any] | None) -> None:
        known = (PenalizedModel, ContinuationRatio, OrdinalModel, Logit, MNLogit, OrderedModel)
        if not isinstance(model, known):
            raise InputError(
                f"{arg('model')} must be a model that is not fitted: FirthLogit, FirthMNLogit, ContinuationRatio, "
                "OrderedLogit, AdjacentCategories, or statsmodels' Logit, MNLogit or OrderedModel, got "
                f"{type(model).__name__}."
            )
        self.model: Any = model
        self.criterion = criterion
        # In OrderedModel the names of the thresholds follow those of the columns.
        self.exog = pd.DataFrame(self.model.exog, columns=model.exog_names[: model.exog.shape[1]])
        self.given = terms is not None
        if terms is None:
            constant = getattr(model.data, "const_idx", None)
            self.constant = [] if constant is None else [constant]
            self.columns = {
                name: part
                for name, part in columns_by_term(model).items()
                if part and part[-1] < len(self.exog.columns) and part != self.constant
            }
        else:
            self.columns = _read_terms(terms, list(map(str, self.exog.columns)))
            inside = {index for part in self.columns.values() for index in part}
            self.constant = [index for index in range(len(self.exog.columns)) if index not in inside]
        self.terms = list(self.columns)
        # Names of terms are strings, even if columns have numbers for names.
        keep = list(map(str, [keep] if isinstance(keep, (str, int)) else keep))
        if not set(keep) <= set(self.terms):
            hint = did_you_mean(next(name for name in keep if name not in self.terms), self.terms)
            raise InputError(f"{arg('keep')} must be some of the terms {listed(self.terms)}, got {listed(keep)}.{hint}")
        # An interaction is kept with its main effects.
        self.keep = [name for name in self.terms if any(_parts(name) <= _parts(kept) for kept in keep)]
        self._fits: dict[frozenset[str], Any] = {}

    # Moves

    def may_drop(self, term: str, inside: list[str]) -> bool:
        """Whether a term may be dropped: it is not kept, not part of an interaction, and not the whole model."""
        if len(inside) == 1 and not (self.constant or self._intercepts):
            return False
        return term not in self.keep and not any(_parts(term) < _parts(other) for other in inside)

    def may_add(self, term: str, inside: list[str]) -> bool:
        """Whether a term may be added: if it is an interaction, its main effects are in the model."""
        return all(other in inside for other in self.terms if _parts(other) < _parts(term))

    def moved(self, sign: str, term: str, inside: list[str]) -> list[str]:
        """The terms after a move, in the order of the model."""
        after = {*inside, term} if sign == "+" else set(inside) - {term}
        return [name for name in self.terms if name in after]

    # Choice of a move

    def by_criterion(self, moves: list[tuple[str, str]], inside: list[str]) -> tuple[str, str, float] | None:
        """The move to the least criterion, if it is less than the current one."""
        best, least = None, self.value(self.fit(inside)) - SMALL_GAIN
        for sign, term in moves:
            value = self.value(self.fit(self.moved(sign, term, inside)))
            if value < least:
                best, least = (sign, term, np.nan), value
        return best

    def by_test(
        self, moves: list[tuple[str, str]], inside: list[str], enter: float, remove: float
    ) -> tuple[str, str, float] | None:
        """Drop the least significant term or, if none is above `remove`, add the most significant one."""
        tests = [(sign, term, self.p_value(term, {*inside, term})) for sign, term in moves]
        drops = [test for test in tests if test[0] == "-" and test[2] > remove]
        adds = [test for test in tests if test[0] == "+" and test[2] < enter]
        by_p: Callable[[tuple[str, str, float]], float] = lambda test: test[2]  # noqa: E731
        return max(drops, key=by_p) if drops else min(adds, key=by_p) if adds else None

    def p_value(self, term: str, inside: set[str]) -> float:
        """p-value of a term in the model of the terms `inside`, which include it."""
        large = self.fit([name for name in self.terms if name in inside])
        names = [str(self.exog.columns[k]) for k in self.columns[term]]
        if hasattr(large, "lr_test"):
            return float(large.lr_test(names).p_value)
        small = self.fit([name for name in self.terms if name in inside and name != term])
        return float(stats.chi2.sf(2.0 * (large.llf - small.llf), np.size(large.params) - np.size(small.params)))

    def value(self, results: Any) -> float:
        """Value of the criterion."""
        llf, size = getattr(results, "llf_unpenalized", results.llf), np.size(results.params)
        nobs = getattr(results, "nobs", len(self.exog))
        named = {"aic": 2.0, "bic": np.log(nobs)}
        price = named[self.criterion] if isinstance(self.criterion, str) else self.criterion
        return float(size * price - 2.0 * llf)

    def row(self, action: str, inside: list[str], results: Any, p_value: float) -> dict[str, Any]:
        """One row of the path."""
        return {
            "action": action,
            "criterion": p_value if self.criterion == "lr" else self.value(results),
            "log_lik": float(getattr(results, "llf_unpenalized", results.llf)),
            "n_params": int(np.size(results.params)),
            "terms": " + ".join(inside) or "1",
        }

    # Fits

    def fit(self, inside: list[str]) -> Any:
        """Fit of the model with some terms."""
        key = frozenset(inside)
        if key not in self._fits:
            columns = sorted([*self.constant, *(k for term in inside for k in self.columns[term])])
            if not columns and isinstance(self.model, Logit | MNLogit):
                raise InputError(
                    "a model without a constant needs at least one term; add a constant, or use "
                    f"{arg('keep')} for a term."
                )
            self._fits[key] = _fitted(_with_columns(self.model, self.exog.iloc[:, columns]))
        return self._fits[key]

    def final(self, inside: list[str]) -> Any:
        """Fit of the selected model; it is created from a formula if the model was."""
        formula = None if self.given else getattr(self.model, "formula", None)
        # Without a constant the coding of a factor depends on the other terms. An OrderedModel needs a column.
        if not isinstance(formula, str) or not (self.constant or (self._intercepts and inside)):
            return self.fit(inside)
        response = formula.split("~")[0]
        right = " + ".join(inside or ["1"])
        dropped = getattr(self.model.data, "missing_row_idx", None)
        frame = self.model.data.frame
        if dropped is not None and len(dropped):
            frame = frame.iloc[np.delete(np.arange(len(frame)), dropped)]
        # Functions of the formula are looked up in the scope of the caller of stepwise, two frames up (ours is 1).
        # statsmodels' OrderedModel does not count the frame of its own from_formula.
        depth = 4 if isinstance(self.model, OrderedModel) else 3
        # The name of the offset is kept, so that the selected model finds it in new data.
        name = getattr(self.model, "_offset_name", None)
        named = {} if name is None else {"offset": name}
        try:
            selected = type(self.model).from_formula(
                f"{response} ~ {right}", frame, eval_env=depth, **_options(self.model) | named
            )
        except PatsyError as error:
            raise InputError(
                f"the formula '{response.strip()} ~ {right}' of the selected model cannot be evaluated where stepwise "
                f"was called ({error.message}); call {code('stepwise')} where the functions and variables of the "
                "formula are defined."
            ) from None
        return _fitted(selected)

    @property
    def _intercepts(self) -> bool:
        """Whether the model has intercepts besides its columns."""
        return isinstance(self.model, ContinuationRatio | OrdinalModel | OrderedModel)


def _options(model: Any) -> dict[str, Any]:
    """Options of a model, besides its data."""
    if isinstance(model, OrderedModel):
        given = {"offset": model.offset, "distr": model.distr}
    else:
        given = model._get_init_kwds()
    of_formula = ("missing_idx", "formula", "model_spec", "design_info", "hasconst", "check_rank")
    return {key: option for key, option in given.items() if option is not None and key not in of_formula}


def _with_columns(model: Any, exog: Any) -> Any:
    """The model with other columns, and with labels for classes."""
    code = np.asarray(getattr(model, "successes", model.endog))
    labels = None if getattr(model, "trials", None) is not None else getattr(model, "labels", None)
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
    return type(model)(endog, exog, **_options(model))


def _check_criterion(criterion: Any) -> None:
    if isinstance(criterion, (int, float, np.number)) and not isinstance(criterion, bool):
        if not (np.isfinite(criterion) and criterion >= 0):
            raise InputError(
                f"{arg('criterion')}, if it is a number, must be finite and at least 0, got {value(criterion)}."
            )
    else:
        _params.choice(criterion, ("aic", "bic", "lr"), "criterion")


def _read_terms(terms: Any, names: list[str]) -> dict[str, list[int]]:
    """Indices of the columns of each term."""
    if not isinstance(terms, Mapping):
        raise InputError(f"{arg('terms')} must map names of terms to lists of columns, got {type(terms).__name__}.")
    indices: dict[str, list[int]] = {}
    owner: dict[str, str] = {}
    for term, columns in terms.items():
        wanted = list(map(str, [columns] if np.ndim(columns) == 0 else columns))
        if not wanted or not set(wanted) <= set(names):
            raise InputError(
                f"each of {arg('terms')} must be some of the columns {listed(names)}; {term!r} is {listed(wanted)}."
            )
        for column in wanted:
            if column in owner:
                raise InputError(
                    f"{arg('terms')} has the column {column!r} twice, in {owner[column]!r} and {term!r}; leave one."
                )
            owner[column] = str(term)
        indices[str(term)] = sorted(map(names.index, wanted))
    return indices


def _parts(term: str) -> frozenset[str]:
    return frozenset(term.split(":"))


def _fitted(model: Any) -> Any:
    """Fit a model; a fit of statsmodels' Logit or MNLogit is checked for separation."""
    of_statsmodels = isinstance(model, (Logit, MNLogit)) and not isinstance(model, PenalizedModel)
    if not of_statsmodels:
        return model.fit(disp=0, **({"method": "bfgs"} if type(model) is OrderedModel else {}))
    res = None
    try:
        # statsmodels' warnings about separation and convergence would not name the columns; ours below do.
        with np.errstate(all="ignore"):
            res = model.fit(disp=0, callback=lambda params: None, warn_convergence=False)
        if res.mle_retvals["converged"] and res.llf < PERFECT * len(model.endog):
            return res
    except np.linalg.LinAlgError:
        # Older versions of statsmodels stop if the information has become singular.
        pass
    found = detect_separation(model.endog, pd.DataFrame(model.exog, columns=model.exog_names))
    cure = f"use {code('FirthLogit')} or {code('FirthMNLogit')}"
    message = separation_message(found.columns, found.kind, cure)
    if res is None:
        singular = f"the information of the fit became singular; use {code('FirthLogit')} or {code('FirthMNLogit')}."
        raise InputError(message if found.separated else singular)
    trouble: PwcWarning | None = None
    if found.separated:
        trouble = SeparationWarning(message)
    elif not res.mle_retvals["converged"]:
        trouble = ConvergenceWarning(f"the fit of statsmodels' {type(model).__name__} did not converge; {cure}.")
    if trouble is not None:
        warn(trouble)
    return res

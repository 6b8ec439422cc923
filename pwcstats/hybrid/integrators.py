"""Integrators: logistic models that turn distances from the machines into probabilities of the groups."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.linalg import qr
from scipy.special import softmax
from statsmodels.discrete.discrete_model import Logit

from pwcstats._arrays import Array
from pwcstats._kernels.blas import threads_for
from pwcstats._text import listed, shown
from pwcstats.errors import InputError, SeparationWarning, arg, value, warn
from pwcstats.hybrid.groups import Codes
from pwcstats.logit import (
    ContinuationRatio,
    FirthLogit,
    FirthMNLogit,
    OrderedLogit,
    individualized_mnlogit,
    stepwise,
)
from pwcstats.logit.binary import fit_binary, warn_about
from pwcstats.logit.likelihood import MultinomialLikelihood
from pwcstats.logit.multinomial import StableMNLogit
from pwcstats.logit.reading import aliased_columns
from pwcstats.logit.separation import detect_separation, is_separated, separation_message

Penalty = Literal["auto", "firth"] | None
UsedPenalty = Literal["firth"] | None
Criterion = Literal["aic", "bic", "lr"] | None
# Newton steps before we check whether the data are separated, and most steps of a binary fit.
PATIENCE, MOST_STEPS = 30, 200
# Tolerance of statsmodels' fit from estimates that are already right, relative to the largest coefficient.
CLOSE = 1e-6
# Most parameters for which the linear programme of separation is fast.
MOST_CHECKED = 150
# Several maxima of a penalised likelihood are looked for if rows times squared parameters are at most this.
MOST_SEARCHED = 100_000


@dataclass(frozen=True, eq=False)
class Design:
    """What an integrator is fitted to.

    Attributes
    ----------
    exog : DataFrame
        A constant, and distances of the rows.
    code, labels : ndarray of int, list of str
        Group of each row, and names of the groups, the baseline or the lowest first.
    weight : ndarray or None
        Weights of the rows; None if all are 1.
    where : str
        Names the fit in messages.
    full : FittedIntegrator or None
        The fit to all rows, if this is a fit to a fold.
    """

    exog: pd.DataFrame
    code: Codes
    labels: list[str]
    weight: Array | None
    where: str
    full: "FittedIntegrator | None"

    @property
    def response(self) -> pd.Series:
        """Names of the rows' groups, as an ordered categorical."""
        values = pd.Categorical.from_codes(self.code, pd.Index(self.labels), ordered=True)
        return pd.Series(values, index=self.exog.index, name="group")

    @property
    def weights(self) -> Array:
        """Weights of the rows, also if all are 1."""
        return np.ones(len(self.code)) if self.weight is None else self.weight


@dataclass(frozen=True)
class Integrator:
    """A kind of integrator.

    Attributes
    ----------
    fit : callable
        Takes a Design, the penalty and the criterion of selection, both or None. Returns results (those of `stepwise`
        if there is a criterion) and the penalty that was used.
    proba : callable
        Takes results and a design matrix. Returns the probabilities of the groups, the baseline or the lowest first.
    ordered : bool
        Whether it is for ordered classes.
    binary : bool
        Whether it models two classes only.
    selects : bool
        Whether it can select distances.
    chain : bool
        Whether it has an equation for each class but the lowest, and its coefficients are one series, class by class.
    """

    fit: Callable[[Design, Penalty, Criterion], tuple[Any, UsedPenalty]]
    proba: Callable[[Any, pd.DataFrame], Array]
    ordered: bool = False
    binary: bool = False
    selects: bool = True
    chain: bool = False


@dataclass(frozen=True, eq=False)
class FittedIntegrator:
    """A fitted model of groups; `columns` are the distances in it, `aliased` those that are combinations of others."""

    kind: str
    results: Any
    labels: list[str]
    columns: list[str]
    aliased: list[str]
    penalty: UsedPenalty

    def proba(self, distances: pd.DataFrame) -> Array:
        """Probabilities of the groups."""
        return INTEGRATORS[self.kind].proba(self.results, _with_constant(distances[self.columns]))


def integrate(
    kind: str,
    distances: pd.DataFrame,
    code: Codes,
    labels: Sequence[str],
    *,
    penalty: Penalty,
    select: Criterion,
    reference: pd.DataFrame | None,
    weight: Array | None = None,
    where: str = "",
    full: FittedIntegrator | None = None,
) -> FittedIntegrator:
    """Fit an integrator.

    The `reference` has the distances from the machines that are used in prediction, if `distances` are held out. Those
    from more linear machines than there are dimensions are combinations of each other. Held-out distances need not be,
    as they come from machines of several folds.
    """
    aliased = _aliased(distances if reference is None else _most_different_first(reference, weight))
    aliased += _aliased(distances.drop(columns=aliased))
    design = Design(_with_constant(distances.drop(columns=aliased)), code, list(labels), weight, where, full)
    if design.exog.shape[1] == 1:
        select = None
    results, used = INTEGRATORS[kind].fit(design, penalty, select)
    columns = list(design.exog.columns[1:])
    if select is not None:
        results, columns = results.results, list(results.terms)
    aliased = [name for name in distances.columns if name in aliased]
    return FittedIntegrator(kind, results, design.labels, columns, aliased, used)


def _with_constant(distances: pd.DataFrame) -> pd.DataFrame:
    frame = distances.reset_index(drop=True)
    frame.insert(0, "const", 1.0)
    return frame


def _aliased(distances: pd.DataFrame) -> list[str]:
    """Columns that are constant or combinations of earlier columns."""
    x = np.column_stack([np.ones(len(distances)), distances.to_numpy()])
    r = np.asarray(np.linalg.qr(x, mode="r"))
    return [str(distances.columns[k - 1]) for k in aliased_columns(r, np.linalg.norm(x, axis=0), x.shape[1])]


def _most_different_first(distances: pd.DataFrame, weight: Array | None) -> pd.DataFrame:
    """The columns in another order, in which each differs as much as possible from those before it.

    In theory any columns that span the others will do. Held-out distances come from machines of several folds, which
    differ a little. Two columns that are nearly the same would differ by little else.
    """
    x = distances.to_numpy() - np.average(distances, axis=0, weights=weight)
    if weight is not None:
        x = x * np.sqrt(weight)[:, None]
    order = qr(x, mode="r", pivoting=True)[1]
    return distances.iloc[:, order]


# Joint models of all groups


class WeightedLogit(FirthLogit):
    """Maximum likelihood with weights, which statsmodels' ``Logit`` does not have."""

    _firth = False


class WeightedMNLogit(FirthMNLogit):
    """Maximum likelihood with weights, which statsmodels' ``MNLogit`` does not have."""

    _firth = False


def _fit_multinomial(design: Design, penalty: Penalty, select: Criterion) -> tuple[Any, UsedPenalty]:
    plain = StableMNLogit if design.weight is None else WeightedMNLogit
    return _fit_joint(design, design.code, design.response, penalty, select, plain, FirthMNLogit)


def _fit_logit(design: Design, penalty: Penalty, select: Criterion) -> tuple[Any, UsedPenalty]:
    """The baseline against all other groups."""
    positive = (design.code == 0).astype(np.int64)
    response = pd.Series(positive, name=design.labels[0])
    plain = Logit if design.weight is None else WeightedLogit
    return _fit_joint(design, positive, response, penalty, select, plain, FirthLogit)


def _fit_joint(
    design: Design, code: Codes, response: pd.Series, penalty: Penalty, select: Criterion, plain: Any, firth: Any
) -> tuple[Any, UsedPenalty]:
    """Maximum likelihood, or Firth's penalty if there is no maximum or it is asked for."""
    used, start = _choose_penalty(design, code, penalty)
    weights = {} if design.weight is None else {"freq_weights": design.weight}
    if used is None:
        try:
            return _fit_model(plain(response, design.exog, **weights), select, start), None
        except np.linalg.LinAlgError:
            # The data are almost separated, or a border is so far away that the distances are almost constant.
            if penalty is None:
                raise InputError(
                    f"the distances almost separate the groups{design.where}, or hardly vary, so the maximum "
                    f"likelihood fit is singular; use {arg('penalty', 'auto')} or {value('firth')}."
                ) from None
            used, start = "firth", _firth_start(design, design.exog.shape[1] * int(code.max()))
    return _fit_model(firth(response, design.exog, **weights), select, start), used


def _choose_penalty(design: Design, code: Codes, penalty: Penalty) -> tuple[UsedPenalty, Array | None]:
    """The penalty, and start values: for maximum likelihood its estimates, as statsmodels' own steps may overflow."""
    x, names = design.exog.to_numpy(), list(design.exog.columns)
    n_classes = int(code.max()) + 1
    n_params = len(names) * (n_classes - 1)
    if penalty == "firth":
        return penalty, _firth_start(design, n_params)
    likelihood = MultinomialLikelihood(x, code, design.weights, None, n_classes, False, lambda: names)
    ascent = likelihood.fit(maxiter=PATIENCE)
    if not ascent.converged:
        # With many parameters the check takes longer than either fit. Then a fit that takes long counts as separated.
        many = n_params > MOST_CHECKED
        if penalty is None if many else not is_separated(x, code, n_classes, names):
            ascent = likelihood.fit(likelihood.beta(ascent.point.params))
    if ascent.converged:
        return None, likelihood.beta(ascent.point.params)
    if penalty is None:
        raise InputError(
            f"a combination of the distances {listed(names[1:])} separates groups{design.where}, so there is no "
            f"maximum likelihood estimate; use {arg('penalty', 'auto')} or {value('firth')}."
        )
    return "firth", _firth_start(design, n_params)


def _firth_start(design: Design, n_params: int) -> Array | None:
    """Start values of a penalised fit; None if it should look for several maxima, which is slow."""
    if design.full is not None and design.full.penalty == "firth":
        params = np.asarray(design.full.results.params).ravel(order="F")
        if len(params) == n_params:
            return params
    search = design.full is None and len(design.exog) * n_params**2 <= MOST_SEARCHED
    return None if search else np.zeros(n_params)


def _fit_model(model: Any, select: Criterion, start: Array | None = None) -> Any:
    if select is not None:
        return stepwise(model, select)
    # Far from the borders, statsmodels' exponentials overflow, and the probabilities are 0.
    with threads_for(0), np.errstate(over="ignore"):
        if start is None:
            return model.fit(disp=0)
        if isinstance(model, (FirthLogit, FirthMNLogit)):
            # Estimates of all rows may give probabilities of 0 or 1 in a fold, where the penalty is infinite.
            return model.fit(start_params=start if np.isfinite(model.loglike(start)) else np.zeros_like(start))
        # The start is the maximum; the last step is a rounding error.
        return model.fit(start_params=start, disp=0, tol=CLOSE * max(1.0, float(np.abs(start).max())))


# Chains of binary fits


def _fit_individualized(design: Design, penalty: Penalty, select: Criterion) -> tuple[Any, UsedPenalty]:
    if penalty == "auto":
        pairs = [(design.code == 0) | (design.code == k) for k in range(1, len(design.labels))]
        penalty = "firth" if _any_separated(design, pairs) else None
    results = individualized_mnlogit(
        design.response,
        design.exog,
        design.labels[0],
        "firth" if penalty else None,
        freq_weights=design.weight,
        aliased="drop",
        warn_convergence=False,
    )
    # In a fold there is no warning, as the fit to all rows has already warned.
    for label, fit in results._fits.items() if design.full is None else ():
        if fit.separation != "none":
            # Users of hybrids cannot leave out a distance, and do not know of the constant.
            distances = [
                name for name, infinite in zip(design.exog.columns[1:], fit.infinite[1:], strict=True) if infinite
            ]
            cure = f"use {arg('penalty', 'firth')} or {value('auto')}"
            where = f" in class {shown(label)} against {shown(design.labels[0])}"
            warn(SeparationWarning(separation_message(distances, fit.separation, cure, where)))
        else:
            warn_about([fit])
    return results, penalty


def _fit_cratio(design: Design, penalty: Penalty, select: Criterion) -> tuple[Any, UsedPenalty]:
    if penalty == "auto":
        stages = [design.code <= k for k in range(1, len(design.labels))]
        penalty = "firth" if _any_separated(design, stages) else None
    model = ContinuationRatio(design.response, design.exog, penalty=penalty, freq_weights=design.weight, aliased="drop")
    return _fit_model(model, select), penalty


def _any_separated(design: Design, rows_of: Sequence[NDArray[np.bool_]]) -> bool:
    """Whether a binary fit of group 1, 2, ... against the other given rows is separated."""
    x, names = design.exog.to_numpy(), list(design.exog.columns)
    for k, rows in enumerate(rows_of, 1):
        outcome = (design.code[rows] == k).astype(np.int64)
        weight = design.weights[rows]
        if fit_binary(x[rows], outcome, weight, False, names, design.where, MOST_STEPS, drop=True).infinite.any():
            return True
    return False


def _fit_ordered(design: Design, penalty: Penalty, select: Criterion) -> tuple[Any, UsedPenalty]:
    exog = design.exog.drop(columns="const")
    if penalty != "firth" and exog.shape[1] and detect_separation(design.response, exog, ordered=True).separated:
        if penalty is None:
            raise InputError(
                f"the distances separate the classes{design.where}, so the ordered logit has no maximum likelihood "
                f"estimate; use {arg('penalty', 'auto')} or {value('firth')}."
            )
        penalty = "firth"
    used: UsedPenalty = "firth" if penalty == "firth" else None
    return _fit_model(OrderedLogit(design.response, exog, used, design.weight), select), used


# Probabilities


def _softmax(results: Any, exog: pd.DataFrame) -> Array:
    predictor = exog.to_numpy() @ np.asarray(results.params)
    return np.asarray(softmax(np.column_stack([np.zeros(len(predictor)), predictor]), axis=1))


def _expit(results: Any, exog: pd.DataFrame) -> Array:
    predictor = exog.to_numpy() @ np.asarray(results.params)
    return np.exp(-np.logaddexp(0.0, np.column_stack([-predictor, predictor])))


def _predict(results: Any, exog: pd.DataFrame) -> Array:
    return np.asarray(results.predict(exog), dtype=np.float64)


def _predict_ordered(results: Any, exog: pd.DataFrame) -> Array:
    return _predict(results, exog.drop(columns="const"))


INTEGRATORS = {
    "multinomial": Integrator(_fit_multinomial, _softmax),
    "individualized": Integrator(_fit_individualized, _predict, selects=False),
    "logit": Integrator(_fit_logit, _expit, binary=True),
    "cratio": Integrator(_fit_cratio, _predict, ordered=True, chain=True),
    "ordered": Integrator(_fit_ordered, _predict_ordered, ordered=True),
}

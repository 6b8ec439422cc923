"""Logistic models of distances: from how far a row is from each border to the probabilities of groups."""

import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.linalg import qr
from scipy.special import softmax
from statsmodels.discrete.discrete_model import Logit

from pwcstats._arrays import Array
from pwcstats._kernels.blas import threads_for
from pwcstats.errors import SeparationWarning
from pwcstats.hybrid import checks
from pwcstats.logit import (
    ContinuationRatio,
    FirthLogit,
    FirthMNLogit,
    OrderedLogit,
    individualized_mnlogit,
    stepwise,
)
from pwcstats.logit.likelihood import MultinomialLikelihood
from pwcstats.logit.multinomial import StableMNLogit
from pwcstats.logit.reading import aliased_columns
from pwcstats.logit.separation import is_separated

Codes = NDArray[np.int64]
# Newton's steps after which it is worth asking whether the data are separated.
PATIENCE = 30
# Of the largest coefficient, statsmodels' last step from estimates that are right already.
CLOSE = 1e-6
# Parameters up to which the linear programme of separation ends soon.
MOST_ASKED = 150
# Rows times squared parameters up to which several maxima of a penalised likelihood are looked for.
MOST_SEARCHED = 100_000


@dataclass(frozen=True, eq=False)
class Design:
    """Distances of the rows with a constant, the rows' groups, and the groups' names, the baseline or lowest first.

    `where` names the fit in what is said of it; `near`, for the fits of folds, is the fit of all rows.
    """

    exog: pd.DataFrame
    code: Codes
    labels: list[str]
    where: str
    near: "Integrator | None"

    @property
    def response(self) -> pd.Series:
        """Groups by name, in their order."""
        values = pd.Categorical.from_codes(self.code, pd.Index(self.labels), ordered=True)
        return pd.Series(values, index=self.exog.index, name="group")


@dataclass(frozen=True, eq=False)
class Integrator:
    """A fitted model. `columns` are the distances that it uses, `aliased` those that are combinations of others."""

    results: Any
    columns: list[str]
    aliased: list[str]
    penalty: str | None
    to_proba: Callable[[Any, pd.DataFrame], Array]

    def proba(self, distances: pd.DataFrame) -> Array:
        """Probabilities of the groups."""
        return self.to_proba(self.results, _with_constant(distances[self.columns]))


def integrate(
    kind: str,
    distances: pd.DataFrame,
    code: Codes,
    labels: Sequence[str],
    *,
    penalty: str | None,
    select: str | None,
    reference: pd.DataFrame,
    where: str = "",
    near: Integrator | None = None,
) -> Integrator:
    """Fit a model of groups to distances.

    `reference` has the rows' distances from the machines that will be asked in prediction: where these are combinations
    of each other, as those from more linear machines than there are dimensions, held-out distances from machines of
    several folds may not be so.
    """
    fit, to_proba = KINDS[kind]
    aliased = _aliased(reference if reference is distances else _unlike(reference))
    aliased += _aliased(distances.drop(columns=aliased))
    design = Design(_with_constant(distances.drop(columns=aliased)), code, list(labels), where, near)
    if design.exog.shape[1] == 1:
        select = None
    results, used = fit(design, penalty, select)
    columns = list(design.exog.columns[1:]) if select is None else list(results.terms)
    return Integrator(
        results if select is None else results.results,
        columns,
        [name for name in distances.columns if name in aliased],
        used,
        to_proba,
    )


def _with_constant(distances: pd.DataFrame) -> pd.DataFrame:
    frame = distances.reset_index(drop=True)
    frame.insert(0, "const", 1.0)
    return frame


def _aliased(distances: pd.DataFrame) -> list[str]:
    """Columns that are constant or combinations of those before."""
    x = np.column_stack([np.ones(len(distances)), distances.to_numpy()])
    r = np.asarray(np.linalg.qr(x, mode="r"))
    return [str(distances.columns[k - 1]) for k in aliased_columns(r, np.linalg.norm(x, axis=0), x.shape[1])]


def _unlike(distances: pd.DataFrame) -> pd.DataFrame:
    """The columns in another order, each as unlike those before as there is one.

    Of columns that are combinations of each other, any that span them do in theory. Held-out distances are measured by
    machines of several folds, which differ a little; of two columns that are nearly the same little else would be left
    to tell them apart.
    """
    x = distances.to_numpy() - distances.to_numpy().mean(axis=0)
    order = qr(x, mode="r", pivoting=True)[1]
    return distances.iloc[:, order]


# Fits: results (of a selection, if there is one) and the penalty that was used.


def _multinomial(design: Design, penalty: str | None, select: str | None) -> tuple[Any, str | None]:
    return _joint(design, design.code, design.response, penalty, select, (StableMNLogit, FirthMNLogit))


def _logit(design: Design, penalty: str | None, select: str | None) -> tuple[Any, str | None]:
    """The baseline against all others."""
    positive = (design.code == 0).astype(np.int64)
    response = pd.Series(positive, name=design.labels[0])
    return _joint(design, positive, response, penalty, select, (Logit, FirthLogit))


def _joint(
    design: Design, code: Codes, response: pd.Series, penalty: str | None, select: str | None, models: tuple[Any, Any]
) -> tuple[Any, str | None]:
    """One model of all groups: the first of two, or where there is no maximum likelihood estimate the second."""
    plain, penalised = models
    used, start = _settle(design, code, penalty)
    if used is None:
        try:
            return _fitted(plain(response, design.exog), select, start), None
        except np.linalg.LinAlgError:
            # All but separated, or a border so far away that the distances are all but constant.
            if penalty is None:
                raise checks.singular(design.where) from None
            used, start = "firth", _beginning(design, design.exog.shape[1] * int(code.max()))
    return _fitted(penalised(response, design.exog), select, start), used


def _individualized(design: Design, penalty: str | None, select: str | None) -> tuple[Any, str | None]:
    if select is not None:
        checks.refuse_select("individualized")
    return _unless_separated(
        lambda used: individualized_mnlogit(design.response, design.exog, design.labels[0], used, aliased="drop"),
        penalty,
    )


def _continuation(design: Design, penalty: str | None, select: str | None) -> tuple[Any, str | None]:
    return _unless_separated(
        lambda used: _fitted(ContinuationRatio(design.response, design.exog, penalty=used, aliased="drop"), select),
        penalty,
    )


def _ordered(design: Design, penalty: str | None, select: str | None) -> tuple[Any, str | None]:
    with warnings.catch_warnings():
        warnings.simplefilter("error", SeparationWarning)
        try:
            return _fitted(OrderedLogit(design.response, design.exog.drop(columns="const")), select), None
        except SeparationWarning:
            raise checks.separated_order(design.where) from None


def _settle(design: Design, code: Codes, penalty: str | None) -> tuple[str | None, Array | None]:
    """The penalty, and where to begin: for maximum likelihood at the end, as statsmodels' steps there may overflow."""
    x, names = design.exog.to_numpy(), list(design.exog.columns)
    n_classes = int(code.max()) + 1
    n_params = len(names) * (n_classes - 1)
    if penalty == "firth":
        return penalty, _beginning(design, n_params)
    likelihood = MultinomialLikelihood(x, code, np.ones(len(x)), np.zeros(len(x)), n_classes, False, names)
    ascent = likelihood.fit(max_iter=PATIENCE)
    if not ascent.converged:
        # With many parameters the question takes longer than either fit: then what ends soon is not separated.
        many = n_params > MOST_ASKED
        if penalty is None if many else not is_separated(x, code, n_classes, names):
            ascent = likelihood.fit(likelihood.beta(ascent.point.params))
    if ascent.converged:
        return None, likelihood.beta(ascent.point.params)
    if penalty is None:
        raise checks.separated(names[1:], design.where)
    return "firth", _beginning(design, n_params)


def _beginning(design: Design, n_params: int) -> Array | None:
    """Where a penalised fit begins; None to let it look for several maxima, which takes its time."""
    if design.near is not None and design.near.penalty == "firth":
        near = np.asarray(design.near.results.params).ravel(order="F")
        if len(near) == n_params:
            return near
    search = design.near is None and len(design.exog) * n_params**2 <= MOST_SEARCHED
    return None if search else np.zeros(n_params)


def _unless_separated(fit: Callable[[str | None], Any], penalty: str | None) -> tuple[Any, str | None]:
    """Maximum likelihood, or Firth's penalty where a fit is separated."""
    if penalty != "auto":
        return fit(penalty), penalty
    with warnings.catch_warnings():
        warnings.simplefilter("error", SeparationWarning)
        try:
            return fit(None), None
        except SeparationWarning:
            return fit("firth"), "firth"


def _fitted(model: Any, select: str | None, start: Array | None = None) -> Any:
    if select is not None:
        return stepwise(model, select)
    # Far out, statsmodels' exponentials are infinite on their way to probabilities of 0.
    with threads_for(0), np.errstate(over="ignore"):
        if start is None:
            return model.fit(disp=0)
        if isinstance(model, (FirthLogit, FirthMNLogit)):
            return model.fit(start_params=start)
        # It is there already; its last step is as long as rounding makes it.
        return model.fit(start_params=start, disp=0, tol=CLOSE * max(1.0, float(np.abs(start).max())))


# Probabilities, the baseline or the lowest class first.


def _softmax(results: Any, exog: pd.DataFrame) -> Array:
    predictor = exog.to_numpy() @ np.asarray(results.params)
    return np.asarray(softmax(np.column_stack([np.zeros(len(predictor)), predictor]), axis=1))


def _of_two(results: Any, exog: pd.DataFrame) -> Array:
    predictor = exog.to_numpy() @ np.asarray(results.params)
    return np.exp(-np.logaddexp(0.0, np.column_stack([-predictor, predictor])))


def _of_results(results: Any, exog: pd.DataFrame) -> Array:
    return np.asarray(results.predict(exog), dtype=np.float64)


def _of_ordered(results: Any, exog: pd.DataFrame) -> Array:
    return np.asarray(results.predict(exog.drop(columns="const")), dtype=np.float64)


KINDS: dict[str, tuple[Any, Any]] = {
    "multinomial": (_multinomial, _softmax),
    "individualized": (_individualized, _of_results),
    "logit": (_logit, _of_two),
    "cratio": (_continuation, _of_results),
    "ordered": (_ordered, _of_ordered),
}

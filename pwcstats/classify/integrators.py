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

from pwcstats._kernels.blas import threads_for
from pwcstats._validate import hybrids as checks
from pwcstats._validate.common import Array
from pwcstats._validate.designs import aliased_columns
from pwcstats.errors import SeparationWarning
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
from pwcstats.logit.separation import is_separated

Codes = NDArray[np.int64]
# Newton's steps after which it is worth asking whether the data are separated.
PATIENCE = 30
# Of the largest coefficient, statsmodels' last step from estimates that are right already.
CLOSE = 1e-6
# Rows times squared parameters up to which several maxima of a penalised likelihood are looked for.
MOST_SEARCHED = 100_000


@dataclass(frozen=True, eq=False)
class Design:
    """Distances of the rows with a constant, the rows' groups, and the groups' names, the baseline or lowest first.

    `where` names the fit in what is said of it; `final` is false for the fits of folds.
    """

    exog: pd.DataFrame
    code: Codes
    labels: list[str]
    where: str
    final: bool

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
    final: bool = True,
) -> Integrator:
    """Fit a model of groups to distances.

    `reference` has the rows' distances from the machines that will be asked in prediction: where these are combinations
    of each other, as those from more linear machines than there are dimensions, held-out distances from machines of
    several folds may not be so.
    """
    fit, to_proba, samples = KINDS[kind]
    aliased = _aliased(_unlike(reference) if reference is not distances else reference, _everything(code))
    aliased += _aliased(distances.drop(columns=aliased), samples(code))
    design = Design(_with_constant(distances.drop(columns=aliased)), code, list(labels), where, final)
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


def _aliased(distances: pd.DataFrame, samples: list[NDArray[np.bool_]]) -> list[str]:
    """Columns that are constant or combinations of those before, in some sample of the rows."""
    found: set[int] = set()
    for rows in samples:
        x = np.column_stack([np.ones(int(rows.sum())), distances.to_numpy()[rows]])
        r = np.asarray(np.linalg.qr(x, mode="r"))
        found |= set(aliased_columns(r, np.linalg.norm(x, axis=0), x.shape[1]))
    return [name for place, name in enumerate(distances.columns) if place + 1 in found]


def _unlike(distances: pd.DataFrame) -> pd.DataFrame:
    """The columns in another order, each as unlike those before as there is one.

    Of columns that are combinations of each other, any that span them do in theory. Held-out distances are measured by
    machines of several folds, which differ a little; of two columns that are nearly the same little else would be left
    to tell them apart.
    """
    x = distances.to_numpy()
    order = qr(x - x.mean(axis=0), mode="r", pivoting=True)[1]
    return distances.iloc[:, order]


# Samples to which the models are fitted: all rows, or those of two groups, or those up to a class.


def _everything(code: Codes) -> list[NDArray[np.bool_]]:
    return [np.ones(len(code), np.bool_)]


def _with_baseline(code: Codes) -> list[NDArray[np.bool_]]:
    return [(code == 0) | (code == group) for group in range(1, int(code.max()) + 1)]


def _up_to(code: Codes) -> list[NDArray[np.bool_]]:
    return [code <= group for group in range(1, int(code.max()) + 1)]


# Fits: results (of a selection, if there is one) and the penalty that was used.


def _multinomial(design: Design, penalty: str | None, select: str | None) -> tuple[Any, str | None]:
    penalty, start = _settle(design, design.code, penalty)
    model = (FirthMNLogit if penalty else StableMNLogit)(design.response, design.exog)
    return _fitted(model, select, start), penalty


def _logit(design: Design, penalty: str | None, select: str | None) -> tuple[Any, str | None]:
    """The baseline against all others."""
    positive = (design.code == 0).astype(np.int64)
    penalty, start = _settle(design, positive, penalty)
    response = pd.Series(positive, name=design.labels[0])
    model = (FirthLogit if penalty else Logit)(response, design.exog)
    return _fitted(model, select, start), penalty


def _individualized(design: Design, penalty: str | None, select: str | None) -> tuple[Any, str | None]:
    if select is not None:
        checks.refuse_select("individualized")
    return _unless_separated(
        lambda used: individualized_mnlogit(design.response, design.exog, design.labels[0], used), penalty
    )


def _continuation(design: Design, penalty: str | None, select: str | None) -> tuple[Any, str | None]:
    return _unless_separated(
        lambda used: _fitted(ContinuationRatio(design.response, design.exog, penalty=used), select), penalty
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
    # Firth's likelihood may have several maxima. FirthMNLogit looks for them unless it is told where to begin.
    search = design.final and len(x) * n_params**2 <= MOST_SEARCHED
    origin = None if search else np.zeros(n_params)
    if penalty == "firth":
        return penalty, origin
    likelihood = MultinomialLikelihood(x, code, np.ones(len(x)), np.zeros(len(x)), n_classes, False, names)
    ascent = likelihood.fit(max_iter=PATIENCE)
    if not ascent.converged and not is_separated(x, code, n_classes, names):
        ascent = likelihood.fit(likelihood.beta(ascent.point.params))
    if ascent.converged:
        return None, likelihood.beta(ascent.point.params)
    if penalty is None:
        raise checks.separated(names[1:], design.where)
    return "firth", origin


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


KINDS: dict[str, tuple[Any, Any, Any]] = {
    "multinomial": (_multinomial, _softmax, _everything),
    "individualized": (_individualized, _of_results, _with_baseline),
    "logit": (_logit, _of_two, _everything),
    "cratio": (_continuation, _of_results, _up_to),
    "ordered": (_ordered, _of_ordered, _everything),
}

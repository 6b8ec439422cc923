"""Predictions of the logistic models for large, infinite and missing entries, and weights and offsets of formulas."""

import numpy as np
import pandas as pd
import pytest
import statsmodels.api as sm
import statsmodels.formula.api as smf

from pwcstats import (
    AdjacentCategories,
    ContinuationRatio,
    FirthLogit,
    FirthMNLogit,
    HybridClassifier,
    OrderedLogit,
    OrdinalHybridClassifier,
    individualized_mnlogit,
)
from pwcstats.errors import InputError

# Sums in another order.
ROUNDING = 1e-12
# Newton's method and statsmodels' IRLS stop near the same maximum.
SAME_MAXIMUM = 1e-6


def data(n=200, seed=0):
    """Three ordered classes, and two, that depend on one column."""
    rng = np.random.default_rng(seed)
    x = rng.normal(size=n)
    y3 = np.digitize(x + rng.logistic(size=n), [-1.0, 1.0])
    return pd.DataFrame(
        {"x": x, "y3": y3, "y2": (y3 > 0).astype(int), "w": rng.integers(1, 4, n), "o": rng.normal(size=n)}
    )


D = data()
X = sm.add_constant(D[["x"]])
FITS = {
    "FirthLogit": FirthLogit(D.y2, X).fit(),
    "FirthMNLogit": FirthMNLogit(D.y3, X).fit(),
    "individualized_mnlogit": individualized_mnlogit(D.y3, X),
    "ContinuationRatio": ContinuationRatio(D.y3, X).fit(),
    "forward": ContinuationRatio(D.y3, X, direction="forward", parallel=True).fit(),
    "OrderedLogit": OrderedLogit(D.y3, X[["x"]]).fit(),
    "AdjacentCategories": AdjacentCategories(D.y3, X).fit(),
    "parallel steps": AdjacentCategories(D.y3, X, "firth", parallel=True).fit(),
}
FORMULAS = {
    "FirthLogit": FirthLogit.from_formula("y2 ~ x", D).fit(),
    "FirthMNLogit": FirthMNLogit.from_formula("y3 ~ x", D).fit(),
    "ContinuationRatio": ContinuationRatio.from_formula("y3 ~ x", D).fit(),
    "OrderedLogit": OrderedLogit.from_formula("y3 ~ x", D).fit(),
    "AdjacentCategories": AdjacentCategories.from_formula("y3 ~ x", D).fit(),
}


def row(name, value):
    return np.array([[value]]) if name == "OrderedLogit" else np.array([[1.0, value]])


@pytest.mark.parametrize("value", [1e3, 1e5, 1e300, -1e5, -1e300])
@pytest.mark.parametrize("name", FITS)
def test_large_entries_have_probabilities_of_0_and_1(name, value):
    """Larger x, higher class: the limits. statsmodels' exponentials overflow."""
    proba = np.asarray(FITS[name].predict(row(name, value)))[0]
    expected = float(value > 0) if name == "FirthLogit" else np.eye(3)[2 if value > 0 else 0]
    np.testing.assert_allclose(proba, expected, atol=1e-12)


@pytest.mark.parametrize("name", FITS)
def test_moderate_entries_are_as_in_the_formulas(name):
    """A softmax, a logistic function or a chain of them, at entries where nothing overflows."""
    res, x = FITS[name], np.linspace(-3.0, 3.0, 7)
    rows = np.vstack([row(name, value) for value in x])
    found = np.asarray(res.predict(rows))
    match name:
        case "FirthLogit":
            expected = 1.0 / (1.0 + np.exp(-rows @ res.params.to_numpy()))
        case "FirthMNLogit" | "individualized_mnlogit":
            odds = np.exp(np.column_stack([np.zeros(7), rows @ np.asarray(res.params)]))
            expected = odds / odds.sum(axis=1, keepdims=True)
        case "AdjacentCategories" | "parallel steps":
            odds = np.exp(np.cumsum(np.column_stack([np.zeros(7), rows @ res.coefs.to_numpy().T]), axis=1))
            expected = odds / odds.sum(axis=1, keepdims=True)
        case "OrderedLogit":
            below = 1.0 / (1.0 + np.exp(-(res.thresholds.to_numpy() - rows * res.params.iloc[0])))
            expected = np.diff(np.column_stack([np.zeros(7), below, np.ones(7)]), axis=1)
        case _:
            stage = 1.0 / (1.0 + np.exp(-rows @ res.coefs.to_numpy().T))
            if name == "forward":
                expected = np.column_stack([stage[:, 0], (1 - stage[:, 0]) * stage[:, 1], (1 - stage).prod(axis=1)])
            else:
                expected = np.column_stack([(1 - stage).prod(axis=1), stage[:, 0] * (1 - stage[:, 1]), stage[:, 1]])
    np.testing.assert_allclose(found, expected, atol=ROUNDING)


@pytest.mark.parametrize("value", [np.inf, -np.inf, np.nan])
@pytest.mark.parametrize("name", FITS)
def test_rows_of_a_design_must_be_finite(name, value):
    rows = np.vstack([row(name, 0.5), row(name, value)])
    with pytest.raises(InputError, match=f"exog must be finite numbers, got {value} in column .*, row 1; fill it in"):
        FITS[name].predict(rows)
    columns = ["x"] if name == "OrderedLogit" else ["const", "x"]
    with pytest.raises(InputError, match=f"got {value} in column 'x', row 1"):
        FITS[name].predict(pd.DataFrame(rows, columns=columns))


@pytest.mark.parametrize("name", FITS)
def test_other_columns_are_refused(name):
    wide = np.column_stack([row(name, 0.5), row(name, 0.5)])
    with pytest.raises(InputError, match="exog must have the .* columns of the fit"):
        FITS[name].predict(wide)


def test_predictors_that_overflow_are_refused():
    x = sm.add_constant(1e-3 * D[["x"]])
    for res in (FirthLogit(D.y2, x).fit(), FirthMNLogit(D.y3, x).fit(), ContinuationRatio(D.y3, x).fit()):
        with pytest.raises(InputError, match="exog is so large in row 1 that its linear predictor overflows"):
            res.predict([[1.0, 0.0], [1.0, 1e308]])


@pytest.mark.parametrize("name", FORMULAS)
def test_formulas_refuse_infinite_rows_and_keep_missing_ones(name):
    """As statsmodels' and R's do: the answer for a row in which something is missing is missing."""
    res = FORMULAS[name]
    with pytest.raises(InputError, match="exog must be finite numbers, got inf in column 'x', row 1"):
        res.predict(pd.DataFrame({"x": [0.0, np.inf]}))
    new = pd.DataFrame({"x": [0.5, np.nan, -2.0]}, index=list("abc"))
    found = res.predict(new)
    assert list(found.index) == list("abc")
    assert np.isnan(np.asarray(found)[1]).all()
    np.testing.assert_allclose(np.asarray(found)[[0, 2]], res.predict(new.dropna()), atol=ROUNDING)


def test_the_likeliest_class_of_a_missing_row_is_missing():
    new = pd.DataFrame({"x": [5.0, np.nan, -5.0]})
    found = FORMULAS["ContinuationRatio"].predict(new, which="class")
    assert found.isna().tolist() == [False, True, False]
    assert found.dropna().tolist() == [2, 0]
    assert FORMULAS["ContinuationRatio"].predict(new.dropna(), which="class").tolist() == [2, 0]


def test_offsets_of_new_rows():
    res = FirthLogit.from_formula("y2 ~ x", D, offset=D.o).fit()
    new = pd.DataFrame({"x": [0.0, 1.0]})
    np.testing.assert_array_equal(res.predict(new, offset=[1e6, -1e6]), [1.0, 0.0])
    ordered = OrderedLogit.from_formula("y3 ~ x", D, offset=D.o).fit()
    np.testing.assert_array_equal(ordered.predict(new, offset=np.array([1e6, -1e6])), [[0, 0, 1], [1, 0, 0]])
    for model in (res, ordered):
        with pytest.raises(InputError, match="offset must be finite numbers"):
            model.predict(new, offset=np.array([np.inf, 0.0]))
        with pytest.raises(InputError, match="offset must be one number, or one for each of the 2 rows, got 3"):
            model.predict(new, offset=np.zeros(3))
    with pytest.raises(InputError, match="exog must be finite numbers"):
        res.get_prediction(pd.DataFrame({"x": [np.inf]}))


@pytest.mark.parametrize("value", [1e5, 1e300])
def test_hybrids_of_large_entries(value):
    rows = np.array([[value, 0.0], [-value, 0.0], [value, -value]])
    x = np.column_stack([D.x, D.o])
    for clf in (
        HybridClassifier(random_state=0),
        HybridClassifier(random_state=0, integrator="individualized"),
        OrdinalHybridClassifier(),
        OrdinalHybridClassifier(integrator="ordered"),
    ):
        y = D.y2 if isinstance(clf, HybridClassifier) else D.y3
        proba = clf.fit(x, y).predict_proba(rows)
        np.testing.assert_allclose(proba.sum(axis=1), 1.0, atol=ROUNDING)
        assert proba[0, -1] > 0.99
        assert proba[1, 0] > 0.99


class TestBooleanResponse:
    def test_individualized(self):
        by_number = individualized_mnlogit(D.y2, X)
        for baseline, place in ((0, 0), (False, 0), (True, 1), (1, 1)):
            res = individualized_mnlogit(D.y2 == 1, X, baseline=baseline)
            assert res.baseline == bool(place)
            np.testing.assert_allclose(res.predict(), by_number.predict(), atol=1e-8)
            np.testing.assert_allclose(res.predict(X[:5]), by_number.predict(X[:5]), atol=1e-8)
            assert list(res.predict().columns) == [False, True]
            assert "against" in res.summary().as_text()
            assert len(res.tidy()) == len(res.conf_int()) == 2
            assert res.cov_params(not place).shape == (2, 2)

    @pytest.mark.parametrize("model", [FirthMNLogit, ContinuationRatio])
    def test_other_models(self, model):
        res, by_number = model(D.y2 == 1, X).fit(), model(D.y2, X).fit()
        np.testing.assert_allclose(res.predict(), by_number.predict(), atol=ROUNDING)
        np.testing.assert_allclose(res.predict(X[:5]), by_number.predict(X[:5]), atol=ROUNDING)
        assert res.summary().as_text()

    def test_two_ordered_classes(self):
        res, by_number = OrderedLogit(D.y2 == 1, D.x).fit(), OrderedLogit(D.y2, D.x).fit()
        np.testing.assert_allclose(res.predict(), by_number.predict(), atol=ROUNDING)


WEIGHTED = [
    (FirthLogit, "y2"),
    (FirthMNLogit, "y3"),
    (ContinuationRatio, "y3"),
    (OrderedLogit, "y3"),
    (AdjacentCategories, "y3"),
]
OFFSET = [(FirthLogit, "y2"), (OrderedLogit, "y3"), (AdjacentCategories, "y3")]


class TestFormulasWithMissingValues:
    """`age` is missing in some rows, which are left out of the weights and offsets too."""

    @pytest.fixture
    def holes(self):
        d = data(120, 1).rename(columns={"x": "age"})
        d.index = pd.Index(range(1000, 1120))
        d.loc[[1003, 1017, 1119], "age"] = np.nan
        return d

    @pytest.mark.parametrize("kind", [lambda s: s, np.asarray, list], ids=["series", "array", "list"])
    @pytest.mark.parametrize(
        ("model", "response", "option", "column"),
        [*((*each, "freq_weights", "w") for each in WEIGHTED), *((*each, "offset", "o") for each in OFFSET)],
    )
    def test_against_the_rows_without(self, holes, model, response, option, column, kind):
        whole = holes.dropna()
        expected = model.from_formula(f"{response} ~ age", whole, **{option: whole[column]}).fit()
        res = model.from_formula(f"{response} ~ age", holes, **{option: kind(holes[column])}).fit()
        np.testing.assert_allclose(res.params, expected.params, atol=ROUNDING)
        np.testing.assert_allclose(res.bse, expected.bse, atol=ROUNDING)
        # A row without a weight or an offset is left out as well.
        first = holes[column].astype(float).where(holes.index != 1000)
        fewer = model.from_formula(f"{response} ~ age", holes, **{option: kind(first)}).fit()
        rest = whole.iloc[1:]
        expected = model.from_formula(f"{response} ~ age", rest, **{option: rest[column]}).fit()
        np.testing.assert_allclose(fewer.params, expected.params, atol=ROUNDING)
        # And those outside a subset.
        part = model.from_formula(f"{response} ~ age", holes, subset=holes.o > -0.5, **{option: kind(holes[column])})
        rest = whole[whole.o > -0.5]
        expected = model.from_formula(f"{response} ~ age", rest, **{option: rest[column]}).fit()
        np.testing.assert_allclose(part.fit().params, expected.params, atol=ROUNDING)

    def test_against_statsmodels(self, holes):
        """The continuation ratio of two classes without a penalty is statsmodels' logistic regression."""
        expected = smf.glm("y2 ~ age", holes, family=sm.families.Binomial(), freq_weights=holes.w).fit()
        res = ContinuationRatio.from_formula("y2 ~ age", holes, freq_weights=holes.w).fit()
        np.testing.assert_allclose(res.params, expected.params, atol=SAME_MAXIMUM)
        np.testing.assert_allclose(res.bse, expected.bse, atol=SAME_MAXIMUM)
        assert res.nobs == holes.dropna().w.sum()

    def test_weights_that_do_not_fit_the_data(self, holes):
        with pytest.raises(
            InputError, match="the rows of freq_weights and data have different labels or another order"
        ):
            FirthLogit.from_formula("y2 ~ age", holes, freq_weights=holes.w[::-1])
        with pytest.raises(InputError, match="offset and data must have the same number of rows, got "):
            FirthLogit.from_formula("y2 ~ age", holes, offset=holes.dropna().o)
        with pytest.raises(InputError, match="freq_weights must have one number for each of the 120 rows, got 117"):
            FirthLogit.from_formula("y2 ~ age", holes, freq_weights=holes.dropna().w.to_numpy())
        with pytest.raises(InputError, match="freq_weights is missing in row 0"):
            FirthLogit.from_formula("y2 ~ age", holes.dropna(), missing="none", freq_weights=[np.nan] + [1.0] * 116)

    def test_the_data_are_not_changed(self, holes):
        before = holes.copy()
        FirthLogit.from_formula("y2 ~ age", holes, freq_weights=holes.w, offset=holes.o).fit()
        pd.testing.assert_frame_equal(holes, before)


def test_standard_errors_of_predictions_far_out():
    rng = np.random.default_rng(0)
    X = np.column_stack([np.ones(40), rng.normal(size=40)])
    res = FirthLogit((X[:, 1] + rng.normal(size=40) > 0).astype(int), X).fit()
    far = res.get_prediction([[1.0, 1e5], [1.0, -1e5]]).summary_frame()
    np.testing.assert_array_equal(far["predicted"], [1, 0])
    np.testing.assert_array_equal(far["se"], 0)
    near = res.get_prediction([[1.0, 0.3]]).summary_frame()
    p = res.predict([[1.0, 0.3]])[0]
    x = np.array([1.0, 0.3])
    assert near["se"].iloc[0] == pytest.approx(p * (1 - p) * np.sqrt(x @ res.cov_params() @ x), rel=1e-12)


def test_lists_and_no_rows():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 2)), rng.integers(3, size=60)
    fits = [
        FirthLogit((y == 1).astype(int), X).fit(),
        FirthMNLogit(y, X).fit(),
        individualized_mnlogit(y, X),
        ContinuationRatio(y, X).fit(),
        OrderedLogit(y, X).fit(),
    ]
    for fit in fits:
        assert len(fit.predict(np.zeros((0, 2)))) == 0
        rows = [[0.5, 1.0], [-1.0, 0.0]]
        np.testing.assert_array_equal(np.asarray(fit.predict(rows)), np.asarray(fit.predict(np.array(rows))))

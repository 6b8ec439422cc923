"""Bad input to the logit models: one sentence that names what is wrong."""

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from pwcstats import (
    AdjacentCategories,
    ContinuationRatio,
    FirthLogit,
    FirthMNLogit,
    InputError,
    OrderedLogit,
    detect_separation,
    individualized_mnlogit,
    stepwise,
)

RNG = np.random.default_rng(0)
X = pd.DataFrame({"const": 1.0, "a": RNG.normal(size=20), "b": RNG.normal(size=20)})
Y = np.tile([0, 1, 1, 0], 5)
THREE = np.arange(20) % 3

MODELS = {
    "FirthLogit": lambda x=X, y=Y, **kw: FirthLogit(y, x, aliased="raise", **kw).fit(),
    "FirthMNLogit": lambda x=X, y=THREE, **kw: FirthMNLogit(y, x, aliased="raise", **kw).fit(),
    "individualized": lambda x=X, y=THREE, **kw: individualized_mnlogit(y, x, penalty="firth", **kw),
    "ContinuationRatio": lambda x=X, y=THREE, **kw: ContinuationRatio(y, x, penalty="firth", **kw).fit(),
}
ALL = pytest.mark.parametrize("fit", MODELS.values(), ids=MODELS.keys())


@ALL
def test_the_good_case_is_good(fit):
    before = X.copy()
    assert np.isfinite(np.asarray(fit().params)).all()
    pd.testing.assert_frame_equal(X, before)


@ALL
def test_collinear_columns_are_named(fit):
    with pytest.raises(
        InputError, match=r"not of full rank.*; \(twice\) is constant or a combination.*leave \(twice\) out"
    ):
        fit(X.assign(twice=2 * X["a"] - X["b"], other=RNG.normal(size=20)))


@ALL
def test_a_second_constant_is_named(fit):
    with pytest.raises(InputError, match=r"\(level\) is constant"):
        fit(X.assign(level=3.0))


@ALL
def test_a_column_of_zeros_is_named(fit):
    with pytest.raises(InputError, match=r"\(nothing\) is constant"):
        fit(X.assign(nothing=0.0))


@ALL
def test_fewer_rows_than_columns(fit):
    wide = pd.DataFrame(RNG.normal(size=(20, 25)), columns=[f"x{k}" for k in range(25)])
    with pytest.raises(InputError, match=r"rows cannot determine 2[56] columns"):
        fit(wide)


@ALL
def test_missing_values_are_found(fit):
    bad = X.copy()
    bad.loc[3, "b"] = np.nan
    with pytest.raises(InputError, match="got nan in column 'b', row 3; fill it in, or (set missing='drop'|leave)"):
        fit(bad)
    bad.loc[3, "b"] = np.inf
    with pytest.raises(InputError, match="got inf in column 'b'"):
        fit(bad)


@ALL
def test_text_in_a_column_is_found(fit):
    for text in ("x", "3"):
        with pytest.raises(
            InputError, match=r"exog must hold real numbers, got strings in \(text\); code them as numbers"
        ):
            fit(X.assign(text=text))
        with pytest.raises(
            InputError, match="exog must hold real numbers, got strings; code them as numbers, or use a formula"
        ):
            fit(X.assign(text=text).to_numpy())


@ALL
def test_one_class_only(fit):
    with pytest.raises(InputError, match=r"endog must have at least 2 classes, got 1 class, [\w.]+\."):
        fit(y=np.ones(20))


@ALL
def test_rows_that_do_not_match(fit):
    with pytest.raises(InputError, match="endog and exog must have the same number of rows, got 19 and 20"):
        fit(y=THREE[:-1] if fit is not MODELS["FirthLogit"] else Y[:-1])


@ALL
def test_weights(fit):
    for weights, words in (
        (np.zeros(20), "0 in every row"),
        (-np.ones(20), "at least 0"),
        (np.ones(19), "one number for each of the 20 rows|same|length"),
        (np.full(20, np.inf), "finite"),
    ):
        with pytest.raises((InputError, ValueError), match=words):
            fit(freq_weights=weights)
    # What is left has one class only.
    with pytest.raises(InputError, match="endog must have at least 2 classes with positive weight, got 1 class, "):
        fit(freq_weights=(THREE == 0).astype(float), y=THREE if fit is not MODELS["FirthLogit"] else THREE == 0)


def test_weights_of_zero_leave_rows_out():
    weights = np.where(np.arange(20) < 4, 0.0, 1.0)
    for name, fit in MODELS.items():
        y = Y if name == "FirthLogit" else THREE
        a, b = fit(freq_weights=weights), fit(X.iloc[4:], y[4:])
        np.testing.assert_allclose(np.asarray(a.params), np.asarray(b.params), rtol=1e-8, err_msg=name)


def test_numbers_other_than_two_labels():
    with pytest.raises(InputError, match=r"two labels, got \(0, 1, 2\); for more than two classes use FirthMNLogit"):
        FirthLogit(THREE, X)
    with pytest.raises(InputError, match=r"got \(0.3\); for shares use two columns, successes and failures, or trials"):
        FirthLogit(np.where(Y == 1, 0.3, 0.0), X)
    with pytest.raises(InputError, match="must be one column, got a string; for a formula use from_formula"):
        FirthLogit("y ~ a", X)


def test_a_missing_response():
    y = Y.astype(float)
    y[2] = np.nan
    with pytest.raises(InputError, match="endog is missing in row 2"):
        FirthLogit(y, X)
    kept = FirthLogit(y, X, missing="drop").fit()
    np.testing.assert_allclose(kept.params, FirthLogit(np.delete(Y, 2), X.drop(index=2)).fit().params)
    with pytest.raises(InputError, match="endog is missing in row 2"):
        FirthMNLogit(pd.Series(["a", "b", None, "c"] * 5), X)


def test_dropped_rows_take_their_weights_along():
    y = Y.astype(float)
    y[2] = np.nan
    weights = np.arange(20) + 1.0
    a = FirthLogit(y, X, freq_weights=weights, missing="drop").fit()
    b = FirthLogit(np.delete(Y, 2), X.drop(index=2), freq_weights=np.delete(weights, 2)).fit()
    np.testing.assert_allclose(a.params, b.params)
    frame = X.assign(y=y)
    c = FirthLogit.from_formula("y ~ a + b", frame, freq_weights=weights).fit()
    np.testing.assert_allclose(c.params, b.params)


def test_the_order_of_words_is_asked_for():
    words = np.array(["low", "mid", "high"])[THREE]
    for model in (ContinuationRatio, OrderedLogit):
        with pytest.raises(InputError, match=r"\(low, mid, high\), whose order is not known; make it an ordered"):
            model(words, X)
        with pytest.raises(InputError, match="classes without an order"):
            model(pd.Series(words).astype("category"), X)
        with pytest.raises(InputError, match=r"not in categories, \(high\); add them"):
            model(words, X, categories=["low", "mid"])
        with pytest.raises(InputError, match=r"no row has the class \(never\)"):
            model(words, X, categories=["low", "mid", "high", "never"])


def test_options_are_checked():
    for bad in ({"direction": "up"}, {"penalty": "ridge"}, {"parallel": "yes"}):
        with pytest.raises(InputError, match=next(iter(bad))):
            ContinuationRatio(THREE, X, **bad)
    with pytest.raises(InputError, match="penalty must be one of 'firth'"):
        individualized_mnlogit(THREE, X, penalty="l1")
    with pytest.raises(InputError, match=r"baseline must be one of the classes \(0, 1, 2\), got 7"):
        individualized_mnlogit(THREE, X, baseline=7)
    with pytest.raises(InputError, match="has no offset"):
        FirthMNLogit(THREE, X, offset=np.ones(20))
    with pytest.raises(InputError, match="formula must be a string"):
        FirthLogit.from_formula(3, X)
    with pytest.raises(InputError, match="data must be a data frame"):
        FirthMNLogit.from_formula("y ~ x", {"y": [1], "x": [2]})


def test_detect_separation_checks_too():
    for y in (Y[:-1], pd.Series(Y[:-1])):
        with pytest.raises(InputError, match="endog and exog must have the same number of rows, got 19 and 20"):
            detect_separation(y, X)
    with pytest.raises(InputError, match=r"must have at least 2 classes, got 1 class, 0\.0\."):
        detect_separation(np.zeros(20), X)
    with pytest.raises(InputError, match="endog is missing in row 0"):
        detect_separation([np.nan, *Y[1:]], X)
    with pytest.raises(InputError, match=r"\(nothing\) is constant"):
        detect_separation(Y, X.assign(nothing=0.0))
    with pytest.raises(InputError, match=r"\(twice\) is constant or a combination"):
        detect_separation(THREE, X[["a", "b"]].assign(twice=2 * X["a"]), ordered=True)
    with pytest.raises(InputError, match="whose order is not known"):
        detect_separation(np.array(["a", "b", "c"])[THREE], X, ordered=True)


def test_stepwise_checks_too():
    model = FirthLogit(Y, X)
    with pytest.raises(
        InputError, match="model must be a model that is not fitted: FirthLogit.*got FirthLogitResultsWrapper"
    ):
        stepwise(model.fit())
    with pytest.raises(InputError, match="criterion must be one of"):
        stepwise(model, "cp")
    with pytest.raises(InputError, match="direction must be one of"):
        stepwise(model, direction="up")
    with pytest.raises(InputError, match="remove must not be below enter"):
        stepwise(model, "lr", enter=0.2, remove=0.1)
    with pytest.raises(InputError, match=r"keep must be some of the terms \(a, b\), got \(c\)"):
        stepwise(model, keep="c")
    with pytest.raises(InputError, match="add a constant, or use keep for a term"):
        stepwise(FirthLogit(Y, X[["a", "b"]]), direction="forward")


@pytest.mark.parametrize("model", [FirthLogit, FirthMNLogit, ContinuationRatio, OrderedLogit, AdjacentCategories])
def test_unknown_options_are_refused(model):
    y = Y if model is FirthLogit else THREE
    for odd in ("weights", "freq_weight", "penalties"):
        with pytest.raises(InputError, match=rf"{model.__name__} has no option \({odd}\); it has"):
            model(y, X, **{odd: np.ones(20)})
    with pytest.raises(InputError, match="missing must be one of"):
        model(y, X, missing="omit")


def test_what_ordinal_models_lack_is_said():
    with pytest.raises(InputError, match="for 'probit'"):
        OrderedLogit(THREE, X, distr="probit")
    with pytest.raises(InputError, match="ContinuationRatio has no option .offset"):
        ContinuationRatio(THREE, X, offset=np.ones(20))


def test_rows_in_another_order_are_refused():
    turned = X.index[::-1]
    weights = pd.Series(np.arange(20.0), index=turned)
    three = pd.Series(THREE, index=turned)
    for call in (
        lambda: FirthLogit(Y, X, freq_weights=weights),
        lambda: FirthLogit(Y, X, offset=weights),
        lambda: ContinuationRatio(three, X),
        lambda: OrderedLogit(three, X),
        lambda: individualized_mnlogit(three, X),
        lambda: detect_separation(three, X),
    ):
        with pytest.raises(InputError, match="different labels or another order; align them"):
            call()


def test_lengths_are_said():
    for name in ("freq_weights", "offset"):
        with pytest.raises(InputError, match=f"{name} must have one number for each of the 20 rows, got 2"):
            FirthLogit(Y, X, **{name: [1, 2]})


def test_responses_of_other_types_in_formulas():
    expected = FirthLogit(Y, X).fit().params
    for y in (
        Y == 1,
        pd.array(Y == 1, dtype="boolean"),
        pd.Categorical(Y),
        pd.array(Y, dtype="Int64"),
        Y.astype(object),
    ):
        got = FirthLogit.from_formula("y ~ a + b", X.assign(y=y)).fit().params
        np.testing.assert_allclose(got, expected, rtol=1e-9)
    words = pd.Series(np.array(["u", "v", "w"])[THREE], dtype="string")
    np.testing.assert_allclose(FirthMNLogit(words, X).fit().params, FirthMNLogit(THREE, X).fit().params)


def test_subset_takes_weights_along():
    mask = X["a"] > X["a"].median()
    weights = np.arange(20) + 1.0
    frame = X.assign(y=Y, three=THREE)
    a = FirthLogit.from_formula("y ~ b", frame, subset=mask, freq_weights=weights).fit()
    b = FirthLogit.from_formula("y ~ b", frame[mask], freq_weights=weights[mask]).fit()
    np.testing.assert_allclose(a.params, b.params)
    c = ContinuationRatio.from_formula("three ~ b", frame, subset=mask, freq_weights=weights, penalty="firth").fit()
    assert c.nobs == weights[mask].sum()


def test_new_rows_need_the_same_columns():
    res = ContinuationRatio(THREE, X, penalty="firth").fit()
    with pytest.raises(InputError, match=r"the 3 columns of the fit, \(const, a, b\), got 20 x 1"):
        res.predict(X[["a"]])


def test_far_out_starts_are_refused():
    with pytest.raises(InputError, match="start_params give probabilities of 0 or 1; start nearer to 0"):
        FirthLogit(Y, X).fit(start_params=[900, 50, 50])


CARELESS = {
    "FirthLogit": (FirthLogit, Y),
    "FirthMNLogit": (FirthMNLogit, THREE),
    "ContinuationRatio": (ContinuationRatio, THREE),
    "OrderedLogit": (OrderedLogit, THREE),
    "AdjacentCategories": (AdjacentCategories, THREE),
    "individualized": (individualized_mnlogit, THREE),
    "detect_separation": (detect_separation, THREE),
}


@pytest.mark.parametrize(("make", "y"), CARELESS.values(), ids=CARELESS.keys())
def test_careless_input(make, y):
    twice = pd.concat([X, X[["a"]].iloc[::-1].set_index(X.index)], axis=1)
    for endog, exog, words in (
        (
            y[:0],
            X.iloc[:0],
            "at least one row and one column, got 0 x 3; give|must have at least 2 classes, got 0 classes",
        ),
        (
            [],
            pd.DataFrame(),
            "at least one row and one column, got 0 x 0; give|must have at least 2 classes, got 0 classes",
        ),
        (y[:1], X.iloc[:1], r"must have at least 2 classes, got 1 class, 0\."),
        (y, twice, "exog has two columns named 'a'; rename one"),
        (y, twice.set_axis([0, 1, 2, 1], axis=1), "exog has two columns named 1; rename one"),
        (y, X.astype(str), r"got strings in \(const, a, b\); code them"),
        (y, X.astype(str).to_numpy(), "real numbers, got strings; code them as numbers, or use a formula"),
        (y, X.astype(str).to_numpy().astype("S"), "real numbers, got strings; code them as numbers, or use a formula"),
        (y, X.assign(g=pd.Categorical(["u", "v"] * 10)), r"got strings in \(g\); code them"),
        (y, X["a"].astype(str), "real numbers, got strings; code them as numbers, or use a formula"),
        (y, sparse.csr_matrix(X.to_numpy()), r"exog is sparse.*use exog.toarray\(\)"),
        (y, np.ones((20, 2, 2)), "must have rows and columns, got 20 x 2 x 2"),
        (y, [[1, 2], [3]] * 10, "rows of different lengths"),
        (y, {"a": 1}, "must have rows and columns, got dict"),
        (y, X.iloc[:, 1:] * 1j, "exog must hold real numbers"),
        (None, X, "endog is None; give the response"),
        ("y ~ a", X, r"got a string; for a formula use from_formula\.$"),
        (y[:-1], X, "same number of rows, got 19 and 20"),
    ):
        with pytest.raises(InputError, match=words):
            make(endog, exog)
    if make is AdjacentCategories:
        # Intercepts alone are a model.
        counts = np.bincount(THREE)
        for exog in (None, X[[]]):
            np.testing.assert_allclose(make(y, exog).fit().params, np.log(counts[1:] / counts[:-1]), atol=1e-6)
    elif make is OrderedLogit:
        # Thresholds alone are a model.
        for exog in (None, X[[]]):
            shares = np.bincount(THREE).cumsum()[:2] / 20
            np.testing.assert_allclose(make(y, exog).fit().thresholds, np.log(shares / (1 - shares)), atol=1e-6)
        with pytest.raises(InputError, match="same number of rows, got 20 and 19"):
            make(y, X[[]].iloc[1:])
    else:
        with pytest.raises(InputError, match="exog is None; give the columns of the design"):
            make(y, None)
        with pytest.raises(InputError, match="at least one row and one column, got 20 x 0; give"):
            make(y, X[[]])

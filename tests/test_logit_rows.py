"""Weights and offsets of the logit models: shapes, names of columns, missing entries, and new rows."""

import numpy as np
import pandas as pd
import pytest

from pwcstats import (
    AdjacentCategories,
    ContinuationRatio,
    ConvergenceWarning,
    FirthLogit,
    FirthMNLogit,
    InputError,
    OrderedLogit,
    individualized_mnlogit,
    stepwise,
)
from pwcstats._kernels.newton import Ascent
from pwcstats.logit.binary import cure_of

RNG = np.random.default_rng(8)
N = 40
FRAME = pd.DataFrame(
    {
        "a": RNG.normal(size=N),
        "times": RNG.integers(0, 4, N).astype(float),
        "shift": RNG.normal(size=N),
        "y": RNG.integers(0, 2, N),
        "three": RNG.integers(0, 3, N),
    }
)
X = np.column_stack([np.ones(N), FRAME["a"]])
RESPONSE = {
    FirthLogit: "y",
    FirthMNLogit: "three",
    ContinuationRatio: "three",
    OrderedLogit: "three",
    AdjacentCategories: "three",
}
ALL = pytest.mark.parametrize("model", RESPONSE)
WITH_OFFSET = pytest.mark.parametrize("model", [FirthLogit, OrderedLogit, AdjacentCategories])


def params(model, **options):
    return np.asarray(model(FRAME[RESPONSE[model]].to_numpy(), X, **options).fit().params)


@ALL
def test_a_table_of_one_column_is_a_column_of_weights(model):
    weights = FRAME["times"].to_numpy()
    expected = params(model, freq_weights=weights)
    assert not np.allclose(expected, params(model))
    np.testing.assert_array_equal(params(model, freq_weights=weights[:, None]), expected)
    np.testing.assert_array_equal(params(model, freq_weights=FRAME[["times"]]), expected)
    for wrong in (weights[None], np.ones((N, 2)), np.ones(N - 1)):
        with pytest.raises(InputError, match=f"freq_weights must have one number for each of the {N} rows, got "):
            params(model, freq_weights=wrong)


def test_individualized_takes_a_table_of_weights():
    weights = FRAME["times"].to_numpy()
    y = FRAME["three"].to_numpy()
    pd.testing.assert_frame_equal(
        individualized_mnlogit(y, X, freq_weights=weights[:, None]).params,
        individualized_mnlogit(y, X, freq_weights=weights).params,
    )


@WITH_OFFSET
def test_a_table_of_one_column_is_an_offset(model):
    offset = FRAME["shift"].to_numpy()
    expected = params(model, offset=offset)
    assert not np.allclose(expected, params(model))
    np.testing.assert_array_equal(params(model, offset=offset[:, None]), expected)
    np.testing.assert_array_equal(params(model, offset=FRAME[["shift"]]), expected)
    for wrong in (offset[None], np.ones((N, 2)), np.ones(N - 1)):
        with pytest.raises(InputError, match=f"offset must have one number for each of the {N} rows, got "):
            params(model, offset=wrong)


@WITH_OFFSET
def test_offsets_of_predictions_are_never_broadcast(model):
    res = model(FRAME[RESPONSE[model]].to_numpy(), X, offset=FRAME["shift"].to_numpy()).fit()
    other = np.arange(5.0)
    expected = res.predict(X[:5], offset=other)
    for given in (other[:, None], pd.DataFrame(other), list(other)):
        np.testing.assert_array_equal(res.predict(X[:5], offset=given), expected)
        np.testing.assert_allclose(
            np.ravel(res.get_prediction(X[:5], offset=given).predicted), np.ravel(expected), rtol=1e-12
        )
    # The rows of the fit, with another offset.
    np.testing.assert_array_equal(res.predict(offset=np.ones((N, 1))), res.predict(X, offset=1.0))
    for exog, wrong in ((X[:5], np.ones((5, 2))), (X[:5], np.ones(4)), (None, np.ones(4)), (None, np.ones((1, N)))):
        n = N if exog is None else 5
        with pytest.raises(InputError, match=f"offset must be one number, or one for each of the {n} rows, got "):
            res.predict(exog, offset=wrong)


@ALL
def test_weights_by_name(model):
    y = RESPONSE[model]
    named = model.from_formula(f"{y} ~ a", FRAME, freq_weights="times").fit()
    given = model.from_formula(f"{y} ~ a", FRAME, freq_weights=FRAME["times"]).fit()
    np.testing.assert_array_equal(named.params, given.params)
    assert named.nobs == FRAME["times"].sum()
    subset = FRAME["a"] > -0.5
    named = model.from_formula(f"{y} ~ a", FRAME, subset=subset, freq_weights="times").fit()
    assert named.nobs == FRAME["times"][subset].sum()
    for word, hint in (("time", "Did you mean 'times'"), ("nothing", "")):
        with pytest.raises(
            InputError,
            match=rf"freq_weights must be the name of a column of data, or a number .* got '{word}'\. ?{hint}",
        ):
            model.from_formula(f"{y} ~ a", FRAME, freq_weights=word)
    with pytest.raises(InputError, match="freq_weights must hold real numbers, got the string 'x'"):
        model.from_formula(f"{y} ~ a", FRAME.assign(times="x"), freq_weights="times")


@ALL
def test_missing_weights_follow_the_rule_for_missing_values(model):
    y = RESPONSE[model]
    holes = FRAME.assign(times=FRAME["times"].where(np.arange(N) != 3), a=FRAME["a"].where(np.arange(N) != 7))
    rest = FRAME.drop(index=[3, 7])
    expected = model.from_formula(f"{y} ~ a", rest, freq_weights="times").fit()
    res = model.from_formula(f"{y} ~ a", holes, freq_weights="times").fit()
    np.testing.assert_array_equal(res.params, expected.params)
    assert res.nobs == rest["times"].sum()
    for rule in ("raise", "none"):
        with pytest.raises(InputError, match=r"freq_weights is missing in row 3; fill it in, or set missing='drop'"):
            model.from_formula(f"{y} ~ a", holes.assign(a=FRAME["a"]), freq_weights="times", missing=rule)
    # The same for arrays.
    weights = holes["times"].to_numpy()
    kept = np.arange(N) != 3
    response = FRAME[y].to_numpy()
    np.testing.assert_array_equal(
        model(response, X, freq_weights=weights, missing="drop").fit().params,
        model(response[kept], X[kept], freq_weights=weights[kept]).fit().params,
    )


@WITH_OFFSET
def test_an_offset_by_name_comes_from_new_data(model):
    y = RESPONSE[model]
    named = model.from_formula(f"{y} ~ a", FRAME, offset="shift", freq_weights="times").fit()
    given = model.from_formula(f"{y} ~ a", FRAME, offset=FRAME["shift"], freq_weights="times").fit()
    np.testing.assert_array_equal(named.params, given.params)
    new = FRAME.head(4).assign(shift=[0.5, np.nan, -1.0, 2.0])
    expected = np.array(given.predict(new, offset=[0.5, 0.0, -1.0, 2.0]))
    expected[1] = np.nan
    np.testing.assert_array_equal(named.predict(new), expected)
    np.testing.assert_allclose(
        np.squeeze(named.get_prediction(new).predicted), np.squeeze(expected), rtol=1e-12, equal_nan=True
    )
    # Another column, other numbers, and the rows of the fit.
    np.testing.assert_array_equal(named.predict(new, offset="a"), given.predict(new, offset=new["a"]))
    np.testing.assert_array_equal(named.predict(new, offset=0.0), given.predict(new))
    np.testing.assert_array_equal(named.predict(), given.predict())
    for exog, transform in ((new[["a"]], True), (X, False)):
        for ask in (named.predict, named.get_prediction):
            with pytest.raises(
                InputError, match="has the column 'shift' as offset, but exog has no such column; add it"
            ):
                ask(exog, transform)
    turned = new["a"].iloc[::-1]
    with pytest.raises(InputError, match="the rows of offset and exog have different labels or another order"):
        given.predict(new, offset=turned)
    with pytest.raises(InputError, match="offset must be finite numbers"):
        given.predict(new, offset=np.inf)


@WITH_OFFSET
def test_stepwise_keeps_the_name_of_the_offset(model):
    frame = FRAME.assign(noise=RNG.normal(size=N))
    made = model.from_formula(f"{RESPONSE[model]} ~ a + noise", frame, offset="shift")
    res = stepwise(made, "bic", "backward", keep="a").results
    full = model.from_formula(f"{RESPONSE[model]} ~ a", frame, offset="shift").fit()
    np.testing.assert_allclose(res.predict(frame.head()), full.predict(frame.head()), rtol=1e-9)
    with pytest.raises(InputError, match="has the column 'shift' as offset"):
        res.predict(frame[["a"]])


@pytest.mark.parametrize("model", [FirthMNLogit, ContinuationRatio])
def test_models_without_an_offset_say_so(model):
    with pytest.raises(InputError, match=r"(has no offset; leave it out|has no option \(offset\))"):
        model.from_formula("three ~ a", FRAME, offset="shift")


def test_advice_after_too_few_steps_is_more_steps():
    """Advice to use the penalty would not apply: the fit has it, or has finite estimates without it."""
    signal = 3.0 * FRAME["a"].to_numpy() + np.tile([-2.0, 2.0], N // 2)
    y, three = (signal > 0.0).astype(int), np.digitize(signal, [-1.5, 1.5])
    for fit in (
        lambda: FirthLogit(y, X).fit(maxiter=1),
        lambda: FirthMNLogit(three, X).fit(maxiter=1),
        lambda: ContinuationRatio(three, X, penalty="firth", parallel=True).fit(maxiter=1),
        lambda: ContinuationRatio(three, X, parallel=True).fit(maxiter=1),
        lambda: OrderedLogit(three, X, penalty="firth").fit(maxiter=1),
        lambda: OrderedLogit(three, X).fit(maxiter=1),
    ):
        with pytest.warns(ConvergenceWarning, match=r"did not converge \(stopped after 1 step\); raise maxiter\.$"):
            fit()


def test_advice_after_a_bad_start_is_about_the_start():
    singular = Ascent(None, 3, False, "the information became singular")  # type: ignore[arg-type]
    for said, options in (
        ("leave out start_params, or start nearer to 0", {"started": True}),
        ("look for extreme numbers in exog, the weights and the offset", {}),
        ("look for extreme numbers in exog, the weights and the offset, or use it", {"or_else": ", or use it"}),
    ):
        assert str(ConvergenceWarning(cure_of(singular, **options))) == said

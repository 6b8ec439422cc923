"""Responses of the logit models: two labels of any kind, counts of successes and failures; and offsets."""

import pickle

import numpy as np
import pandas as pd
import pytest
import statsmodels.api as sm
from scipy.special import expit

from pwcstats import ContinuationRatio, FirthLogit, FirthMNLogit, InputError, OrderedLogit, stepwise

# Sums over rows in another order.
SAME = 1e-10

RNG = np.random.default_rng(3)
TRIALS = RNG.integers(1, 9, 12)
COUNTS = pd.DataFrame({"x": RNG.normal(size=12), "g": list("ab") * 6, "n": TRIALS, "yes": RNG.binomial(TRIALS, 0.4)})
COUNTS["no"] = COUNTS["n"] - COUNTS["yes"]
DESIGN = sm.add_constant(COUNTS[["x"]])


def single_rows(counts):
    """One row for each trial."""
    parts = [counts.loc[counts.index.repeat(counts[name])].assign(y=y) for name, y in (("yes", 1), ("no", 0))]
    return pd.concat(parts, ignore_index=True)


def same_fit(a, b):
    np.testing.assert_allclose(a.params, b.params, rtol=SAME, atol=SAME)
    np.testing.assert_allclose(a.cov_params(), b.cov_params(), rtol=SAME, atol=SAME)
    for name in ("llf", "llf_unpenalized", "llnull", "nobs", "df_resid", "aic", "bic"):
        assert getattr(a, name) == pytest.approx(getattr(b, name), rel=SAME), name


@pytest.mark.parametrize("correction", [None, "flic", "flac"])
def test_counts_equal_single_rows(correction):
    each = FirthLogit.from_formula("y ~ x + g", single_rows(COUNTS)).fit(correction=correction)
    same_fit(FirthLogit.from_formula("yes + no ~ x + g", COUNTS).fit(correction=correction), each)
    same_fit(FirthLogit.from_formula("yes ~ x + g", COUNTS, trials="n").fit(correction=correction), each)


def test_tests_and_intervals_of_counts_are_those_of_single_rows():
    each = FirthLogit.from_formula("y ~ x + g", single_rows(COUNTS)).fit()
    counts = FirthLogit.from_formula("yes + no ~ x + g", COUNTS).fit()
    np.testing.assert_allclose(counts.conf_int(method="profile"), each.conf_int(method="profile"), rtol=1e-6)
    assert counts.lr_test("x").statistic == pytest.approx(each.lr_test("x").statistic, rel=1e-8)
    smaller = FirthLogit.from_formula("yes + no ~ x", COUNTS).fit()
    assert smaller.lr_test(counts).statistic == pytest.approx(each.lr_test("g").statistic, rel=1e-8)
    other = COUNTS.assign(yes=COUNTS["no"], no=COUNTS["yes"])
    with pytest.raises(InputError, match="the response of the two fits differ"):
        counts.lr_test(FirthLogit.from_formula("yes + no ~ x", other).fit())
    np.testing.assert_array_equal(counts.pred_table(), each.pred_table())


def test_counts_by_arrays_frames_weights_and_offsets():
    weights, offset = np.arange(12) % 3 + 0.5, np.linspace(-1, 1, 12)
    expected = FirthLogit.from_formula(
        "y ~ x", single_rows(COUNTS.assign(w=weights, o=offset)), freq_weights="w", offset="o"
    ).fit()
    two = COUNTS[["yes", "no"]]
    for endog, trials in (
        (two, None),
        (two.to_numpy(), None),
        (two.to_numpy().tolist(), None),
        (COUNTS["yes"], COUNTS["n"]),
        (COUNTS["yes"].to_numpy(), COUNTS[["n"]].to_numpy()),
        (two, COUNTS["n"]),
    ):
        fit = FirthLogit(endog, DESIGN, freq_weights=weights, offset=offset, trials=trials).fit()
        same_fit(fit, expected)


def test_predictions_and_residuals_have_a_row_for_each_row_of_counts():
    """The residuals of statsmodels' GLM and of R's glm, at our estimates."""
    res = FirthLogit.from_formula("yes + no ~ x", COUNTS).fit()
    p = expit(DESIGN.to_numpy() @ res.params.to_numpy())
    np.testing.assert_allclose(res.predict(), p, rtol=1e-12)
    share, n = COUNTS["yes"] / COUNTS["n"], COUNTS["n"]
    family = sm.families.Binomial()
    family.n = n.to_numpy()
    np.testing.assert_allclose(res.resid_dev, family.resid_dev(share.to_numpy(), p), rtol=1e-6, atol=1e-12)
    np.testing.assert_allclose(res.resid_pearson, (COUNTS["yes"] - n * p) / np.sqrt(n * p * (1 - p)), rtol=1e-9)
    np.testing.assert_allclose(res.resid_response, share - p, rtol=1e-9, atol=1e-15)
    # Without trials they are statsmodels' own.
    single = FirthLogit(np.arange(12) % 2, DESIGN)
    ours, theirs = single.fit(), sm.Logit(np.arange(12) % 2, DESIGN).fit(disp=0)
    theirs._results.params = np.asarray(ours.params)
    for name in ("resid_dev", "resid_pearson", "resid_response", "resid_generalized"):
        np.testing.assert_allclose(getattr(ours, name), getattr(theirs, name), rtol=1e-9, err_msg=name)


def test_separated_counts_have_finite_estimates():
    data = pd.DataFrame({"x": [1, 2, 3, 4], "yes": [0, 0, 5, 3], "no": [4, 2, 0, 0]})
    same_fit(
        FirthLogit.from_formula("yes + no ~ x", data).fit(),
        FirthLogit.from_formula("y ~ x", single_rows(data)).fit(),
    )


def test_rows_with_missing_counts_are_dropped():
    holes = COUNTS.astype({"no": float, "n": float})
    holes.loc[4, ["no", "n"]] = np.nan
    expected = FirthLogit.from_formula("yes + no ~ x", COUNTS.drop(index=4)).fit()
    same_fit(FirthLogit.from_formula("yes + no ~ x", holes).fit(), expected)
    same_fit(FirthLogit.from_formula("yes ~ x", holes, trials="n").fit(), expected)
    gone = COUNTS.astype({"x": float})
    gone.loc[4, "x"] = np.nan
    same_fit(FirthLogit.from_formula("yes + no ~ x", gone).fit(), expected)
    same_fit(FirthLogit.from_formula("yes ~ x", gone, trials="n").fit(), expected)
    same_fit(FirthLogit(holes[["yes", "no"]], DESIGN, missing="drop").fit(), expected)
    with pytest.raises(InputError, match="endog is missing in row 4"):
        FirthLogit(holes[["yes", "no"]], DESIGN)


def test_stepwise_of_counts():
    data = COUNTS.assign(z=np.arange(12) % 5)
    each = stepwise(FirthLogit.from_formula("y ~ x + g + z", single_rows(data)), "aic").path
    for model in (
        FirthLogit.from_formula("yes + no ~ x + g + z", data),
        FirthLogit.from_formula("yes ~ x + g + z", data, trials="n"),
        FirthLogit.from_formula("yes + no ~ x + g + z", data.astype({"yes": "float"}).assign(w=1.0), freq_weights="w"),
    ):
        found = stepwise(model, "aic").path
        assert found["terms"].tolist() == each["terms"].tolist()
        np.testing.assert_allclose(found["criterion"], each["criterion"], rtol=1e-8)


def test_a_saved_fit_of_counts_predicts():
    res = FirthLogit(COUNTS[["yes", "no"]].to_numpy(), DESIGN).fit()
    again = pickle.loads(pickle.dumps(res))
    np.testing.assert_array_equal(again.predict(), res.predict())
    np.testing.assert_array_equal(again.resid_dev, res.resid_dev)


def test_averages_over_rows_of_counts_are_refused():
    res = FirthLogit.from_formula("yes + no ~ x", COUNTS).fit()
    with pytest.raises(InputError, match="Marginal effects are averages over rows, which would leave out trials"):
        res.get_margeff()


@pytest.mark.parametrize(
    ("endog", "trials", "message"),
    [
        ([[1, -2]] * 12, None, "failures must be whole numbers of at least 0, got -2 in row 0"),
        (
            [[0.5, 2]] * 12,
            None,
            "successes must be whole numbers .* got 0.5 in row 0; .*freq_weights",
        ),
        ([[1, 1]] * 11 + [[0, 0]], None, "row 11 of endog has no trials; leave it out"),
        ([[1, 2, 3]] * 12, None, "one column, or two columns of successes and failures, got 12 x 3"),
        ([1] * 12, [0] + [1] * 11, "endog must not be larger than trials, got 1 and 0 in row 0"),
        ([0] * 12, [0] + [1] * 11, "row 0 of endog has no trials"),
        ([1] * 12, [1.5] * 12, "trials must be whole numbers"),
        ([1.5] * 12, [2] * 12, "endog must be whole numbers"),
        ([1] * 12, [2] * 11, "trials must have one number for each of the 12 rows, got 11"),
        ([[1, 2]] * 12, [2] * 12, "trials must be the sum of the columns of endog"),
        ([[1, 0]] * 12, None, "at least 2 classes with positive weight, got 1 class, success"),
        ([0.25, 0.75] * 6, None, r"got \(0.25, 0.75\); for shares use two columns, successes and failures, or trials"),
    ],
)
def test_bad_counts(endog, trials, message):
    with pytest.raises(InputError, match=message):
        FirthLogit(endog, DESIGN, trials=trials)


def test_formulas_that_look_like_counts():
    with pytest.raises(InputError, match="does not divide; use two columns"):
        FirthLogit.from_formula("yes / n ~ x", COUNTS)
    with pytest.raises(InputError, match=r"trials must be the name of a column of data.*got 'm'"):
        FirthLogit.from_formula("yes ~ x", COUNTS, trials="m")
    with pytest.raises(InputError, match="must have two labels, got .*for more than two classes use FirthMNLogit"):
        FirthLogit.from_formula("C(n) ~ x", COUNTS)


OUTCOME = np.tile([0, 1, 1, 0, 1, 0], 2)

LABELS = {
    "strings": (np.where(OUTCOME, "sick", "healthy"), ["healthy", "sick"]),
    "strings in another order": (np.where(OUTCOME, "bad", "good"), ["bad", "good"]),
    "booleans": (OUTCOME == 1, [False, True]),
    "1 and 2": (OUTCOME + 1, [1, 2]),
    "-1 and 1": (2 * OUTCOME - 1, [-1, 1]),
    "types that cannot be compared": ([("yes" if y else 0) for y in OUTCOME], [0, "yes"]),
    "a Categorical": (
        pd.Categorical(np.where(OUTCOME, "a", "b"), categories=["never", "b", "a"]),
        ["b", "a"],
    ),
    "dates": (pd.to_datetime(np.where(OUTCOME, "2021-01-01", "2020-01-01")), None),
    "pandas' strings": (pd.array(np.where(OUTCOME, "y", "n"), dtype="string"), ["n", "y"]),
    "pandas' integers": (pd.array(OUTCOME, dtype="Int64"), [0, 1]),
}


@pytest.mark.parametrize(("y", "labels"), LABELS.values(), ids=LABELS.keys())
@pytest.mark.parametrize("model", [FirthLogit, ContinuationRatio, OrderedLogit])
def test_two_labels_of_any_kind(model, y, labels):
    """The second label is modelled, as glm() models the second level of a factor."""
    options = {} if model is FirthLogit else {"penalty": "firth"}
    codes = OUTCOME if labels != ["bad", "good"] else 1 - OUTCOME
    expected = np.asarray(model(codes, DESIGN, **options).fit().params)
    frame = DESIGN.assign(y=y)
    for fit in (
        model(frame["y"], DESIGN, **options).fit(),
        model(pd.Series(y).to_numpy() if labels != ["b", "a"] else y, DESIGN, **options).fit(),
        model.from_formula("y ~ x", frame, **options).fit(),
    ):
        np.testing.assert_allclose(fit.params, expected, rtol=1e-7, atol=1e-9)
        if labels is not None:
            assert list(map(str, fit.model.labels)) == list(map(str, labels))


@pytest.mark.parametrize("left", ["C(y)", "y == 'b'", "y"])
def test_two_labels_on_the_left_of_a_formula(left):
    frame = DESIGN.assign(y=np.where(OUTCOME, "b", "a"))
    res = FirthLogit.from_formula(f"{left} ~ x", frame).fit()
    np.testing.assert_allclose(res.params, FirthLogit(OUTCOME, DESIGN).fit().params, rtol=SAME)
    assert res.model.endog_names == left


def test_the_summary_names_the_label():
    frame = DESIGN.assign(y=np.where(OUTCOME, "sick", "healthy"), zero=OUTCOME)
    text = "The probability is that of sick, against healthy."
    assert text in str(FirthLogit.from_formula("y ~ x", frame).fit().summary())
    assert "The probability" not in str(FirthLogit.from_formula("zero ~ x", frame).fit().summary())


def test_missing_labels_are_dropped():
    y = pd.Series(np.where(OUTCOME, "b", "a"), dtype=object)
    y[3] = None
    for model in (FirthLogit, FirthMNLogit):
        expected = model(np.delete(OUTCOME, 3), DESIGN.drop(index=3)).fit().params
        for endog in (y, y.to_numpy(), list(y), pd.Categorical(y)):
            got = model(endog, DESIGN, missing="drop").fit().params
            np.testing.assert_allclose(np.ravel(got), np.ravel(expected), rtol=1e-8)


def test_more_than_two_labels_are_refused():
    for y in (np.array(["u", "v", "w"] * 4), np.arange(12) % 3, pd.Categorical(["u", "v", "w"] * 4)):
        with pytest.raises(InputError, match="two labels, got .*; for more than two classes use FirthMNLogit"):
            FirthLogit(y, DESIGN)


WITH_OFFSET = {
    "FirthLogit": lambda **kw: FirthLogit(OUTCOME, DESIGN, **kw),
    "FirthLogit, counts": lambda **kw: FirthLogit(COUNTS[["yes", "no"]], DESIGN, **kw),
    "OrderedLogit": lambda **kw: OrderedLogit(np.arange(12) % 3, DESIGN, **kw),
}


@pytest.mark.parametrize("make", WITH_OFFSET.values(), ids=WITH_OFFSET.keys())
def test_an_offset_of_one_column_is_a_vector(make):
    offset = np.linspace(-1, 1, 12)
    flat, column = make(offset=offset).fit(), make(offset=offset[:, None]).fit()
    framed = make(offset=pd.DataFrame({"o": offset})).fit()
    for fit in (column, framed):
        np.testing.assert_array_equal(fit.params, flat.params)
        np.testing.assert_array_equal(fit.predict(), flat.predict())
    for new in (offset[:, None], pd.DataFrame({"o": offset}), offset.tolist()):
        np.testing.assert_array_equal(column.predict(DESIGN, offset=new), flat.predict(DESIGN, offset=offset))
    new = column.get_prediction(DESIGN, offset=offset[:, None]).summary_frame()
    np.testing.assert_array_equal(new, flat.get_prediction(DESIGN, offset=offset).summary_frame())
    model, params = flat.model, np.asarray(flat.params)
    np.testing.assert_array_equal(
        model.predict(params, DESIGN, offset=offset[:, None]), model.predict(params, DESIGN, offset=offset)
    )


@pytest.mark.parametrize("make", WITH_OFFSET.values(), ids=WITH_OFFSET.keys())
@pytest.mark.parametrize("shape", [(12, 2), (12, 12), (1, 12), (11,), (12, 1, 1)])
def test_offsets_of_other_shapes_are_refused(make, shape):
    with pytest.raises(InputError, match="offset must have one number for each of the 12 rows, got"):
        make(offset=np.zeros(shape))
    res = make().fit()
    for ask in (
        lambda: res.predict(DESIGN, offset=np.zeros(shape)),
        lambda: res.model.predict(np.asarray(res.params), DESIGN, offset=np.zeros(shape)),
        lambda: res.get_prediction(DESIGN, offset=np.zeros(shape)),
    ):
        with pytest.raises(InputError, match="offset must be one number, or one for each of the 12 rows, got"):
            ask()

"""Columns that are constant or combinations of others: their coefficients are missing, as in R's glm."""

import pickle
import subprocess
import warnings

import numpy as np
import pandas as pd
import pytest

from pwcstats import AdjacentCategories, FirthLogit, FirthMNLogit, InputError, OrderedLogit, stepwise
from pwcstats.errors import AliasedWarning

pytestmark = pytest.mark.filterwarnings("ignore:the coefficient")

# The fit without the aliased columns is the same fit.
SAME = 1e-12
# Two fits of the same model from different starts, or profiles of them.
REFIT = 1e-7

RNG = np.random.default_rng(5)
DATA = pd.DataFrame(
    {
        "x": RNG.normal(size=60),
        "g": np.tile(list("abc"), 20),
        "site": np.tile(list("uvw"), 20),
        "z": RNG.normal(size=60),
        "y": RNG.integers(0, 2, 60),
        "k": RNG.integers(0, 3, 60),
    }
)
DATA["twice"] = 2 * DATA["x"]
# The levels of site are those of g.
FULL, REST = "x + twice + g + site + z", "x + g + z"
LEFT_OUT = ["site[T.v]", "site[T.w]", "twice"]

MODELS = {"FirthLogit": (FirthLogit, "y"), "FirthMNLogit": (FirthMNLogit, "k")}
ALL = pytest.mark.parametrize(("model", "left"), MODELS.values(), ids=MODELS.keys())


def fits(model, left):
    return model.from_formula(f"{left} ~ {FULL}", DATA).fit(), model.from_formula(f"{left} ~ {REST}", DATA).fit()


def flat(values, names):
    """Entries of some coefficients, class by class, and whether the others are missing."""
    frame = values if isinstance(values, pd.DataFrame) else values.to_frame()
    terms = frame.index.get_level_values(-1)
    assert frame[terms.isin(LEFT_OUT)].isna().all(axis=None)
    assert set(terms) == {*names, *LEFT_OUT}
    return frame[~terms.isin(LEFT_OUT)].to_numpy()


@ALL
def test_missing_coefficients_are_shown(model, left):
    with_aliased, plain = fits(model, left)
    names = list(plain.model.exog_names)
    assert with_aliased.model.left_out == LEFT_OUT
    for name in ("params", "bse", "tvalues", "pvalues"):
        ours, expected = getattr(with_aliased, name), getattr(plain, name)
        np.testing.assert_allclose(flat(ours, names), expected.to_numpy().reshape(len(names), -1), rtol=SAME)
    for method in ("wald", "profile"):
        intervals = with_aliased.conf_int(method=method)
        np.testing.assert_allclose(flat(intervals, names), np.asarray(plain.conf_int(method=method)), rtol=1e-8)
        table = with_aliased.tidy(method=method)
        known = table[~table["term"].isin(LEFT_OUT)].reset_index(drop=True)
        pd.testing.assert_frame_equal(known, plain.tidy(method=method), rtol=1e-7)
        assert (
            table[table["term"].isin(LEFT_OUT)].drop(columns=["term", "y_level"], errors="ignore").isna().all(axis=None)
        )
    cov = with_aliased.cov_params()
    assert cov.shape == (with_aliased.params.size,) * 2
    np.testing.assert_allclose(cov.dropna(how="all").dropna(axis=1, how="all"), plain.cov_params(), rtol=SAME)
    odds = with_aliased.odds_ratios()
    np.testing.assert_allclose(odds.dropna(), plain.odds_ratios(), rtol=SAME)
    assert "combinations of the columns before: site[T.v], site[T.w], twice." in str(with_aliased.summary())
    for name in ("llf", "llnull", "llr_pvalue", "df_model", "df_resid", "aic", "bic"):
        assert getattr(with_aliased, name) == pytest.approx(getattr(plain, name), rel=SAME)


@ALL
def test_predictions_are_those_of_the_other_columns(model, left):
    with_aliased, plain = fits(model, left)
    new = DATA.iloc[:5].copy()
    np.testing.assert_allclose(with_aliased.predict(), plain.predict(), rtol=SAME)
    np.testing.assert_allclose(with_aliased.predict(new), plain.predict(new), rtol=SAME)
    new.loc[2, "x"] = np.nan
    np.testing.assert_allclose(with_aliased.predict(new), plain.predict(new), rtol=SAME)
    again = pickle.loads(pickle.dumps(with_aliased))
    np.testing.assert_array_equal(again.predict(DATA), with_aliased.predict(DATA))
    pd.testing.assert_frame_equal(again.conf_int(), with_aliased.conf_int())


def test_standard_errors_of_predictions():
    with_aliased, plain = fits(FirthLogit, "y")
    for new in (None, DATA.iloc[3:9]):
        ours, expected = (fit.get_prediction(new).summary_frame() for fit in (with_aliased, plain))
        np.testing.assert_allclose(ours, expected, rtol=1e-10)


@ALL
def test_tests_of_terms_compare_column_spaces(model, left):
    """A term is tested against the model without its columns, in which an aliased column may take its place."""
    with_aliased, plain = fits(model, left)
    n_rest = with_aliased.model._likelihood.n_rest
    for terms, expected in (("z", "z"), (["x", "twice"], "x"), (["g", "site"], "g")):
        ours, theirs = with_aliased.lr_test(terms), plain.lr_test(expected)
        assert ours.statistic == pytest.approx(theirs.statistic, rel=REFIT)
        assert (ours.df, ours.p_value) == (theirs.df, pytest.approx(theirs.p_value, rel=REFIT))
    assert with_aliased.lr_test().statistic == pytest.approx(plain.lr_test().statistic, rel=1e-10)
    # Without the level b of g, its indicator v of site takes its place.
    for term in ("x", "twice", "g", "site", "g[T.b]"):
        with pytest.raises(InputError, match="the model is the same, because other columns take their place"):
            with_aliased.lr_test(term)
    smaller = model.from_formula(f"{left} ~ x + z", DATA).fit()
    assert with_aliased.lr_test(smaller).statistic == pytest.approx(plain.lr_test(smaller).statistic, rel=REFIT)
    assert with_aliased.lr_test(smaller).df == 2 * n_rest
    also = model.from_formula(f"{left} ~ x + twice + z", DATA).fit()
    assert plain.lr_test(also).statistic == pytest.approx(plain.lr_test(smaller).statistic, rel=REFIT)


def test_partly_aliased_terms_keep_their_other_columns():
    """A factor of which one indicator is another column: the test is that of its other columns."""
    data = DATA.assign(is_b=(DATA["g"] == "b") * 1.0)
    fit = FirthLogit.from_formula("y ~ is_b + g + x", data).fit()
    # g comes first, as patsy puts factors before numbers.
    assert fit.model.left_out == ["is_b"]
    rest = FirthLogit.from_formula("y ~ is_b + x", data).fit()
    whole = FirthLogit.from_formula("y ~ g + x", data).fit()
    expected = whole.lr_test(rest)
    assert (fit.lr_test("g").df, fit.lr_test("g").statistic) == (1, pytest.approx(expected.statistic, rel=REFIT))


def test_linear_combinations_of_what_is_not_missing():
    with_aliased, plain = fits(FirthLogit, "y")
    names = list(with_aliased.params.index)
    row = np.zeros(len(names))
    row[[names.index("x"), names.index("z")]] = 1.0, -1.0
    expected = plain.t_test("x - z = 0")
    for test in (with_aliased.t_test(row), with_aliased.t_test("x - z = 0"), with_aliased.t_test((row[None], [0]))):
        assert float(test.pvalue) == pytest.approx(float(expected.pvalue), rel=1e-10)
    wald = with_aliased.wald_test(np.eye(len(names))[[names.index("g[T.b]"), names.index("g[T.c]")]], scalar=True)
    assert wald.statistic == pytest.approx(plain.wald_test("g[T.b] = 0, g[T.c] = 0", scalar=True).statistic, rel=1e-9)
    for bad in ("twice = 0", np.eye(len(names))[[names.index("twice")]]):
        with pytest.raises(InputError, match=r"the coefficient of \(twice\) is missing, so it cannot be tested"):
            with_aliased.t_test(bad)
    with pytest.raises(InputError, match="must have a column for each coefficient, also for those"):
        with_aliased.t_test(np.ones(3))


@ALL
def test_one_warning_names_the_columns(model, left):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        fits(model, left)
    assert [w.category for w in caught] == [AliasedWarning]
    assert str(caught[0].message) == (
        "the coefficients of (site[T.v], site[T.w], twice) are missing, because they are constant or combinations of "
        "the columns before."
    )
    assert caught[0].filename == __file__


@ALL
def test_what_needs_all_columns_is_refused(model, left):
    fit, _ = fits(model, left)
    with pytest.raises(InputError, match=r"get_margeff needs the coefficients of all columns, but those of \(site"):
        fit.get_margeff()
    with pytest.raises(InputError, match="wald_test_terms needs"):
        fit.wald_test_terms()
    with pytest.raises(InputError, match="stepwise needs"):
        stepwise(model.from_formula(f"{left} ~ {FULL}", DATA))
    with pytest.raises(InputError, match=r"\(site\[T.v\], site\[T.w\], twice\) are constant or combinations"):
        model.from_formula(f"{left} ~ {FULL}", DATA, aliased="raise")
    with pytest.raises(InputError, match="aliased must be one of 'drop', 'raise'"):
        model.from_formula(f"{left} ~ {FULL}", DATA, aliased="no")


@ALL
def test_designs_without_names(model, left):
    x = np.column_stack([np.full(60, 3.0), DATA["x"], DATA["twice"], np.ones(60), np.zeros(60), DATA["z"]])
    fit = model(DATA[left].to_numpy(), x).fit()
    expected = model(DATA[left].to_numpy(), x[:, [0, 1, 5]]).fit()
    params = np.asarray(fit.params).reshape(6, -1)
    np.testing.assert_array_equal(np.isnan(params).any(axis=1), [False, False, True, True, True, False])
    np.testing.assert_allclose(params[[0, 1, 5]], np.asarray(expected.params).reshape(3, -1), rtol=SAME)
    np.testing.assert_allclose(fit.predict(x), expected.predict(), rtol=SAME)
    assert fit.llnull == pytest.approx(expected.llnull, rel=SAME)
    intervals = np.asarray(fit.conf_int()).reshape(-1, 6, 2)
    np.testing.assert_allclose(intervals[:, [0, 1, 5]], np.asarray(expected.conf_int()).reshape(-1, 3, 2), rtol=SAME)


def test_rows_of_weight_0_do_not_count():
    weights = np.where(DATA["g"] == "c", 0.0, 1.0)
    fit = FirthLogit.from_formula("y ~ x + g", DATA, freq_weights=weights).fit()
    expected = FirthLogit.from_formula("y ~ x + g", DATA[DATA["g"] != "c"]).fit()
    assert fit.model.left_out == ["g[T.c]"]
    np.testing.assert_allclose(fit.params.dropna(), expected.params, rtol=1e-9)


@pytest.mark.parametrize("correction", ["flic", "flac"])
def test_corrected_fits(correction):
    ours = FirthLogit.from_formula(f"y ~ {FULL}", DATA).fit(correction=correction).params
    np.testing.assert_allclose(
        ours.dropna(), FirthLogit.from_formula(f"y ~ {REST}", DATA).fit(correction=correction).params, rtol=SAME
    )


def test_more_columns_than_rows():
    wide = RNG.normal(size=(8, 12))
    fit = FirthLogit([0, 1] * 4, wide).fit()
    assert np.isnan(fit.params).sum() == 4 == len(fit.model.left_out)
    with pytest.raises(InputError, match="all columns of exog are 0"):
        FirthLogit([0, 1] * 4, np.zeros((8, 2)))


DESIGNS = {
    "a combination": np.column_stack([np.ones(60), DATA["x"], DATA["z"], DATA["x"] - DATA["z"], DATA["x"] ** 2]),
    "the constant last": np.column_stack([DATA["g"] == "a", DATA["g"] == "b", DATA["g"] == "c", np.ones(60)]) * 1.0,
    "units": np.column_stack([np.ones(60), DATA["x"] * 1e6, DATA["x"] * 1e-6, DATA["z"] * 1e3 + DATA["x"]]),
    "zeros": np.column_stack([np.zeros(60), np.ones(60), DATA["z"], np.full(60, 2.0)]),
    "nearly": np.column_stack([np.ones(60), DATA["x"], DATA["x"] + 1e-6 * DATA["z"], DATA["x"] + 1e-13]),
}
IN_R = """
args <- commandArgs(TRUE)
design <- as.matrix(read.csv(args[[1]], header = FALSE))
y <- design[, 1]
x <- design[, -1]
firth <- glm(y ~ 0 + x, binomial, method = brglm2::brglmFit, epsilon = 1e-12, maxit = 1000)
write.table(cbind(coef(glm(y ~ 0 + x, binomial)), coef(firth)), args[[2]], row.names = FALSE, col.names = FALSE)
"""


@pytest.mark.against_r
@pytest.mark.parametrize("design", DESIGNS.values(), ids=DESIGNS.keys())
def test_columns_and_estimates_are_those_of_glm_and_brglm2(design, tmp_path):
    y = DATA["y"].to_numpy()
    np.savetxt(tmp_path / "design.csv", np.column_stack([y, design]), delimiter=",", fmt="%.17g")
    subprocess.run(["Rscript", "-e", IN_R, tmp_path / "design.csv", tmp_path / "coef"], check=True)
    glm, brglm = pd.read_csv(tmp_path / "coef", sep=" ", header=None).to_numpy().T
    ours = np.asarray(FirthLogit(y, design).fit().params)
    np.testing.assert_array_equal(np.isnan(ours), np.isnan(glm))
    # brglm2 stops at a small score, and its columns have units.
    scale = np.linalg.norm(design, axis=0)
    np.testing.assert_allclose(ours * scale, brglm * scale, rtol=1e-5, atol=1e-5)


@pytest.mark.filterwarnings("ignore::pwcstats.PwcWarning")
@pytest.mark.parametrize("options", [{"cov_type": "HC0"}, {"correction": "flac"}, {"correction": "flic"}])
def test_inference_is_that_of_the_other_columns(options):
    rng = np.random.default_rng(3)
    df = pd.DataFrame({"x": rng.normal(size=40), "z": rng.normal(size=40)})
    df["y"], df["sum"] = (df["x"] + rng.logistic(size=40) > 0).astype(int), df["x"] + df["z"]
    res = FirthLogit.from_formula("y ~ x + z + sum", df).fit(**options)
    plain = FirthLogit.from_formula("y ~ x + z", df).fit(**options)
    assert np.isnan(res.params["sum"])
    assert np.isnan(res.bse["sum"])
    np.testing.assert_allclose(res.cov_params().iloc[:3, :3], plain.cov_params(), rtol=REFIT)
    if "correction" not in options:
        return
    np.testing.assert_allclose(res.conf_int(method="profile").iloc[:3], plain.conf_int(method="profile"), rtol=REFIT)
    assert res.lr_test(["z", "sum"]).p_value == pytest.approx(plain.lr_test("z").p_value, rel=REFIT)
    assert res.lr_test(["x", "z", "sum"]).p_value == pytest.approx(plain.lr_test(["x", "z"]).p_value, rel=REFIT)


ORDINAL = [
    (OrderedLogit, {}),
    (OrderedLogit, {"penalty": "firth"}),
    (AdjacentCategories, {}),
    (AdjacentCategories, {"penalty": "firth", "parallel": True}),
]


def ordinal_data():
    rng = np.random.default_rng(8)
    df = pd.DataFrame({"x": rng.normal(size=60), "z": rng.normal(size=60)})
    df["grade"] = np.digitize(df["x"] + rng.logistic(size=60), [-1.0, 1.0])
    return df.assign(sum=df["x"] + df["z"], const_too=3.0)


@pytest.mark.parametrize(("model", "options"), ORDINAL)
class TestOrdinal:
    """Columns without a coefficient, as with polr() in R."""

    FULL = "grade ~ x + const_too + z + sum"

    def fit(self, model, options):
        df = ordinal_data()
        with pytest.warns(AliasedWarning, match=r"coefficients of \(const_too, sum\) are missing"):
            res = model.from_formula(self.FULL, df, **options).fit()
        return res, model.from_formula("grade ~ x + z", df, **options).fit()

    def test_equals_the_fit_without_them(self, model, options):
        res, plain = self.fit(model, options)
        assert list(res.model.left_out) == ["const_too", "sum"]
        assert list(res.params.index) == list(plain.params.index)
        np.testing.assert_allclose(res.params, plain.params, rtol=SAME)
        np.testing.assert_allclose(res.cov_params(), plain.cov_params(), rtol=SAME)
        assert (res.df_model, res.df_resid) == (plain.df_model, plain.df_resid)
        assert "Missing, because" in str(res.summary())
        assert "const_too, sum" in str(res.summary())

    def test_predictions(self, model, options):
        res, plain = self.fit(model, options)
        new = ordinal_data()[:5]
        np.testing.assert_allclose(res.predict(), plain.predict(), rtol=SAME)
        np.testing.assert_allclose(res.predict(new), plain.predict(new), rtol=SAME)
        ours, theirs = (one.get_prediction(new).tidy()["conf_high"] for one in (res, plain))
        np.testing.assert_allclose(ours, theirs, rtol=SAME)

    def test_tests(self, model, options):
        res, plain = self.fit(model, options)
        smaller = model.from_formula("grade ~ z", ordinal_data(), **options).fit()
        assert res.lr_test().p_value == pytest.approx(plain.lr_test().p_value, rel=REFIT)
        assert res.lr_test(smaller).p_value == pytest.approx(plain.lr_test(smaller).p_value, rel=REFIT)
        np.testing.assert_allclose(
            res.tidy(method="profile").iloc[:, 1:], plain.tidy(method="profile").iloc[:, 1:], rtol=REFIT
        )
        for call in (lambda: res.lr_test("x"), res.get_margeff, res.wald_test_terms):
            with pytest.raises(InputError, match="needs the coefficients of all columns"):
                call()

    def test_can_be_an_error(self, model, options):
        with pytest.raises(InputError, match=r"\(const_too, sum\) are constant or combinations of the columns before"):
            model.from_formula(self.FULL, ordinal_data(), aliased="raise", **options)

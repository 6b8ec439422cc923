"""Robust and cluster covariances: against statsmodels without a penalty, and formulas with one.

The R package's tests compare them with sandwich.
"""

import warnings

import numpy as np
import pandas as pd
import pytest
import statsmodels.api as sm
from scipy import stats
from scipy.special import expit
from statsmodels.miscmodels.ordinal_model import OrderedModel

from pwcstats import (
    AdjacentCategories,
    ContinuationRatio,
    FewClustersWarning,
    FirthLogit,
    FirthMNLogit,
    InputError,
    OrderedLogit,
    SeparationWarning,
)

# statsmodels is asked for Newton steps of 1e-12; its derivatives of ordered models are numerical.
STATSMODELS, NUMERICAL = 1e-9, 1e-4
# Two ways to the same number.
SAME = 1e-9


@pytest.fixture(scope="module")
def data():
    rng = np.random.default_rng(1)
    n = 150
    clinic = rng.integers(0, 30, n)
    frame = pd.DataFrame({"a": rng.normal(size=n), "b": rng.normal(size=n) ** 2, "clinic": clinic})
    latent = frame["a"] + rng.logistic(size=n) + rng.normal(size=30)[clinic]
    return frame.assign(y=(latent > 0).astype(int), grade=np.digitize(latent, [-0.5, 1.0]), w=rng.integers(0, 4, n))


MODELS = [
    (FirthLogit, "y", {}),
    (FirthLogit, "y", {"tau": 0.2}),
    (FirthLogit, "y", {"tau": 0}),
    (FirthMNLogit, "grade", {}),
    (FirthMNLogit, "grade", {"tau": 0}),
    (ContinuationRatio, "grade", {}),
    (ContinuationRatio, "grade", {"penalty": "firth", "direction": "forward"}),
    (ContinuationRatio, "grade", {"penalty": "firth", "parallel": True}),
    (OrderedLogit, "grade", {}),
    (OrderedLogit, "grade", {"penalty": "firth"}),
    (AdjacentCategories, "grade", {}),
    (AdjacentCategories, "grade", {"penalty": "firth"}),
    (AdjacentCategories, "grade", {"penalty": "firth", "parallel": True}),
]
ROBUST = [("HC0", None), ("HC1", None), ("cluster", "clinic")]


def model(case, data, **more):
    kind, response, options = case
    return kind.from_formula(f"{response} ~ a + b", data, **options, **more)


def fit(case, data, cov_type, groups=None, **more):
    kwds = None if groups is None else {"groups": groups}
    return model(case, data, **more).fit(cov_type=cov_type, cov_kwds=kwds)


def cov(res):
    return np.asarray(res.cov_params())


@pytest.mark.parametrize("correction", [True, False])
@pytest.mark.parametrize(
    ("kind", "theirs", "response"), [(FirthLogit, sm.Logit, "y"), (FirthMNLogit, sm.MNLogit, "grade")]
)
def test_equals_statsmodels(kind, theirs, response, correction, data):
    x = sm.add_constant(data[["a", "b"]])
    kwds = {"groups": data["clinic"], "use_correction": correction}
    for cov_type, cov_kwds in (("HC0", None), ("cluster", kwds)):
        ours = kind(data[response], x, tau=0).fit(cov_type=cov_type, cov_kwds=cov_kwds)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # statsmodels passes cov_kwds to its optimiser, too
            other = theirs(data[response], x).fit(disp=0, tol=1e-12, cov_type=cov_type, cov_kwds=cov_kwds)
        np.testing.assert_allclose(cov(ours), cov(other), rtol=STATSMODELS)
        np.testing.assert_allclose(ours.pvalues, other.pvalues, rtol=STATSMODELS)
        np.testing.assert_allclose(ours.conf_int(), other.conf_int(), rtol=STATSMODELS)
        assert ours.cov_type == cov_type


def test_ordered_slopes_equal_statsmodels(data):
    for cov_type, cov_kwds in (("HC0", None), ("cluster", {"groups": data["clinic"]})):
        ours = OrderedLogit(data["grade"], data[["a", "b"]]).fit(cov_type=cov_type, cov_kwds=cov_kwds)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            other = OrderedModel(data["grade"], data[["a", "b"]], distr="logit").fit(
                disp=0, method="newton", tol=1e-12, cov_type=cov_type, cov_kwds=cov_kwds
            )
        np.testing.assert_allclose(cov(ours)[:2, :2], cov(other)[:2, :2], rtol=NUMERICAL)


@pytest.mark.filterwarnings("ignore::pwcstats.FewClustersWarning")
@pytest.mark.parametrize("cov_type", ["HC0", "HC1", "cluster"])
@pytest.mark.parametrize("weighted", [False, True])
def test_rows_of_counts_are_units(cov_type, weighted):
    """As in statsmodels, the trials of a row may depend on each other; a weight repeats the row with its trials."""
    rng = np.random.default_rng(5)
    x, trials, weight = rng.normal(size=60), rng.integers(1, 8, 60), np.full(60, 1)
    if weighted:
        weight[40:] = 0
    successes = rng.binomial(trials, expit(0.3 + 0.8 * x + rng.normal(size=60)))
    counts, design, group = np.column_stack([successes, trials - successes]), sm.add_constant(x), np.arange(60) // 3
    kwds = {"cov_kwds": {"groups": group}} if cov_type == "cluster" else {}
    ours = FirthLogit(counts, design, tau=0, freq_weights=weight).fit(cov_type=cov_type, **kwds)
    used = weight > 0
    kwds = {"cov_kwds": {"groups": group[used]}} if cov_type == "cluster" else {}
    theirs = sm.GLM(counts[used], design[used], family=sm.families.Binomial()).fit(cov_type=cov_type, tol=1e-12, **kwds)
    # Their HC1 has no factor.
    n = used.sum()
    factor = n / (n - 2) if cov_type == "HC1" else 1.0
    np.testing.assert_allclose(ours.cov_params(), factor * theirs.cov_params(), rtol=STATSMODELS)


@pytest.mark.parametrize("direction", ["backward", "forward"])
def test_stages_equal_statsmodels(direction, data):
    """Of separate stages, each block is that of a logit; stages of one row are not taken for independent."""
    res = ContinuationRatio.from_formula("grade ~ a + b", data, direction=direction).fit(cov_type="HC0")
    for stage, k in enumerate((1, 2) if direction == "backward" else (0, 1)):
        rows = data["grade"] <= k if direction == "backward" else data["grade"] >= k
        part = data[rows]
        other = sm.Logit((part["grade"] == k).astype(int), sm.add_constant(part[["a", "b"]]))
        block = slice(3 * stage, 3 * stage + 3)
        np.testing.assert_allclose(
            cov(res)[block, block], cov(other.fit(disp=0, tol=1e-12, cov_type="HC0")), rtol=STATSMODELS
        )
    assert np.abs(cov(res)[:3, 3:]).max() > 1e-4


@pytest.mark.parametrize("tau", [0.5, 0.2])
def test_penalised_scores_of_rows(tau, data):
    """The contributions of Heinze and Schemper (2002) to the modified score, with weights."""
    res = fit((FirthLogit, "y", {"tau": tau}), data, "cluster", "clinic", freq_weights="w")
    x, w = res.model.exog, data["w"].to_numpy(float)
    p = expit(x @ np.asarray(res.params))
    bread = np.linalg.inv((x * (w * p * (1 - p))[:, None]).T @ x)
    hat = w * p * (1 - p) * np.einsum("ij,jk,ik->i", x, bread, x)
    scores = (w * (data["y"].to_numpy() - p) + 2 * tau * hat * (0.5 - p))[:, None] * x
    np.testing.assert_allclose(scores.sum(axis=0), 0, atol=1e-7)
    sums = pd.DataFrame(scores).groupby(data["clinic"].to_numpy()).sum().to_numpy()
    n, g = w.sum(), data.loc[w > 0, "clinic"].nunique()
    expected = g / (g - 1) * (n - 1) / (n - 3) * bread @ sums.T @ sums @ bread
    np.testing.assert_allclose(cov(res), expected, rtol=1e-7)
    used = w > 0
    meat = (scores[used] / w[used, None]).T @ scores[used]
    hc1 = fit((FirthLogit, "y", {"tau": tau}), data, "HC1", freq_weights="w")
    np.testing.assert_allclose(cov(hc1), n / (n - 3) * bread @ meat @ bread, rtol=1e-7)


@pytest.mark.parametrize(("cov_type", "groups"), ROBUST)
@pytest.mark.parametrize("case", MODELS)
def test_weights_are_repeated_rows(case, cov_type, groups, data):
    weighted = fit(case, data, cov_type, groups, freq_weights="w")
    repeated = fit(case, data.loc[data.index.repeat(data["w"])].reset_index(drop=True), cov_type, groups)
    np.testing.assert_allclose(cov(weighted), cov(repeated), rtol=1e-6, atol=SAME)


@pytest.mark.parametrize("case", MODELS)
def test_the_scores_of_rows_add_up(case, data):
    """To 0 at the estimates; elsewhere they would bias the sandwich. With single rows as clusters it is HC0."""
    plain = model(case, data).fit()
    hc0 = fit(case, data, "HC0")
    alone = model(case, data).fit(
        cov_type="cluster", cov_kwds={"groups": np.arange(len(data)), "use_correction": False}
    )
    np.testing.assert_allclose(cov(hc0), cov(alone), rtol=SAME, atol=1e-12)
    np.testing.assert_array_equal(np.asarray(hc0.params), np.asarray(plain.params))
    fits = getattr(plain, "_fits", None)
    likelihoods = [(one.likelihood, one.point) for one in fits] if fits else [(plain.model._likelihood, plain._best)]
    for likelihood, point in likelihoods:
        scores = likelihood.row_scores(point)
        assert np.abs(scores).max() > 0.1
        np.testing.assert_allclose(scores.sum(axis=0), 0, atol=1e-6)
        # And elsewhere to the derivatives of the likelihood.
        other = likelihood.at(likelihood.beta(point.params) + 0.1)
        np.testing.assert_allclose(likelihood.row_scores(other).sum(axis=0), likelihood.score(other), atol=1e-8)


@pytest.mark.parametrize("case", MODELS)
def test_wald_intervals_and_tests_use_it(case, data):
    res = fit(case, data, "cluster", "clinic")
    plain = model(case, data).fit()
    se = np.sqrt(np.diag(cov(res)))
    np.testing.assert_allclose(np.ravel(res.bse, order="F"), se)
    table = res.tidy()
    estimate = np.ravel(res.params, order="F")
    np.testing.assert_allclose(table["std_error"], se)
    np.testing.assert_allclose(table["p_value"], 2 * stats.norm.sf(np.abs(estimate / se)), rtol=1e-9)
    np.testing.assert_allclose(table["conf_high"], estimate + stats.norm.isf(0.025) * se)
    assert np.abs(table["std_error"] / plain.tidy()["std_error"] - 1).max() > 0.05
    unit = np.eye(len(se))[[1]]
    assert float(np.squeeze(res.t_test(unit).sd)) == pytest.approx(se[1])
    assert "cluster" in str(res.summary())
    assert "cluster" not in str(plain.summary())
    assert res.llf == plain.llf


def test_predictions_use_it(data):
    for case in ((FirthLogit, "y", {}), (OrderedLogit, "grade", {"penalty": "firth"})):
        robust, plain = fit(case, data, "cluster", "clinic"), model(case, data).fit()
        new = pd.DataFrame({"a": [1.0], "b": [0.5]})
        errors = [np.ravel(res.get_prediction(new).se) for res in (robust, plain)]
        assert np.abs(errors[0] / errors[1] - 1).max() > 0.01
    res = fit((FirthLogit, "y", {}), data, "cluster", "clinic")
    x = np.array([1.0, 1.0, 0.5])
    p = float(res.predict(new).iloc[0])
    assert res.get_prediction(new).se[0] == pytest.approx(p * (1 - p) * np.sqrt(x @ cov(res) @ x))


@pytest.mark.parametrize("case", MODELS)
def test_methods_of_the_likelihood_are_refused(case, data):
    res = fit(case, data, "HC0")
    smaller = case[0].from_formula(f"{case[1]} ~ a", data, **case[2]).fit()
    calls = [
        lambda: res.lr_test("a"), lambda: res.lr_test(smaller), lambda: res.conf_int(method="profile"),
        lambda: res.tidy(method="profile"), lambda: res.odds_ratios(method="profile"), res.profile,
    ]  # fmt: skip
    for call in [*calls, *([res.parallel_test] if hasattr(res, "parallel_test") else [])]:
        with pytest.raises(InputError, match="ignores cov_type='HC0'; use wald_test"):
            call()
    with pytest.raises(InputError, match="same cov_type, got 'nonrobust' and 'HC0'"):
        model(case, data).fit().lr_test(fit((case[0], case[1], case[2]), data.assign(b=data["a"] ** 2), "HC0"))


def test_groups_follow_the_rows(data):
    """By name, as a series and as an array; rows with missing values are dropped from them, too."""
    holes = data.assign(a=data["a"].mask(data.index % 7 == 0))
    known = holes.dropna()
    expected = cov(fit(MODELS[0], known, "cluster", "clinic"))
    for groups in ("clinic", holes["clinic"], known["clinic"], known["clinic"].to_numpy(), list(known["clinic"])):
        np.testing.assert_array_equal(cov(fit(MODELS[0], holes, "cluster", groups)), expected)
    names = holes["clinic"].map(lambda k: f"clinic {k}")
    np.testing.assert_allclose(cov(fit(MODELS[0], holes, "cluster", names)), expected, rtol=1e-12)
    with pytest.raises(InputError, match="a value for each of the 128 rows of the fit, got 150"):
        fit(MODELS[0], holes, "cluster", holes["clinic"].to_numpy())
    with pytest.raises(InputError, match="different labels"):
        fit(MODELS[0], holes, "cluster", holes["clinic"].rename(lambda k: f"row {k}"))
    with pytest.raises(InputError, match=r"groups must be a column .* got 'clinc'. Did you mean 'clinic'"):
        fit(MODELS[0], holes, "cluster", "clinc")
    with pytest.raises(InputError, match="groups is missing in row 3"):
        fit(MODELS[0], data, "cluster", data["clinic"].mask(data.index == 3))
    # A row of weight 0 may have none.
    assert fit(
        MODELS[0], data.assign(w=data.index != 3), "cluster", data["clinic"].mask(data.index == 3), freq_weights="w"
    )


@pytest.mark.parametrize("case", MODELS)
def test_options_are_checked(case, data):
    refused = {
        "one of": {"cov_type": "HC3"},
        "needs cov_kwds with the key 'groups'": {"cov_type": "cluster"},
        "may have the keys": {"cov_type": "HC0", "cov_kwds": {"groups": data["clinic"]}},
        "must be a dict": {"cov_type": "cluster", "cov_kwds": data["clinic"]},
        "at least 2 groups": {"cov_type": "cluster", "cov_kwds": {"groups": np.ones(len(data))}},
    }
    for message, options in refused.items():
        with pytest.raises(InputError, match=message):
            model(case, data).fit(**options)


def test_few_clusters_warn(data):
    for case in (MODELS[0], MODELS[3], MODELS[7], MODELS[8]):
        with pytest.warns(FewClustersWarning, match=r"only 5 clusters: .* Tests use the normal distribution"):
            fit(case, data, "cluster", data["clinic"] % 5)
        uneven = data["clinic"].where(data["clinic"] > 15, 15)
        with pytest.warns(FewClustersWarning, match="15 clusters"):
            fit(case, data, "cluster", uneven)


def test_too_few_rows(data):
    small = pd.DataFrame({"a": [1.0, 2, 3], "b": [1.0, 0, 2], "y": [0, 1, 0]})
    with pytest.raises(InputError, match="'HC1' needs more rows than coefficients, got 3 and 3"):
        fit(MODELS[0], small, "HC1")


def test_separated_data_warn():
    """Their robust standard errors are far too small."""
    x = np.repeat([0, 1], [55, 5])
    frame = pd.DataFrame({"a": x, "b": np.arange(60) % 7, "y": np.where(x, 1, np.arange(60) % 2)})
    frame["grade"] = np.where(x, 2, np.arange(60) % 3)
    for case in (MODELS[0], MODELS[3], MODELS[7], MODELS[9]):
        with pytest.warns(SeparationWarning, match=r"far too small if .* infinite, as that of \(.*a.*\), because"):
            robust = fit(case, frame, "HC0")
        assert np.isfinite(cov(robust)).all()
    assert robust.bse["a"] < model(MODELS[9], frame).fit().bse["a"]


def test_infinite_estimates_have_none(data):
    frame = pd.DataFrame({"a": range(9), "b": [0, 1, 2] * 3, "grade": [0, 0, 0, 1, 1, 1, 2, 2, 2]})
    for kind in (ContinuationRatio, OrderedLogit):
        with (
            pytest.warns(SeparationWarning, match="separation"),
            pytest.raises(InputError, match="'HC0' needs finite estimates, but there is complete separation"),
        ):
            kind.from_formula("grade ~ a + b", frame).fit(cov_type="HC0")


def test_dropped_columns_keep_no_variance(data):
    """A column that is constant at a stage has coefficient 0 there; the others have the sandwich without it."""
    frame = data.assign(only=((data["grade"] == 2) & (data.index % 2 == 0)).astype(float))
    res = ContinuationRatio.from_formula("grade ~ a + only", frame, aliased="drop", penalty="firth")
    with pytest.warns(SeparationWarning):
        robust = res.fit(cov_type="HC0")
    assert np.isnan(robust.bse["only:1"])
    part = frame[frame["grade"] <= 1]
    alone = FirthLogit.from_formula("grade ~ a", part).fit(cov_type="HC0")
    np.testing.assert_allclose(robust.bse[["Intercept:1", "a:1"]], alone.bse, rtol=1e-7)


@pytest.mark.parametrize("correction", ["flic", "flac"])
def test_corrections_have_none(correction, data):
    with pytest.raises(InputError, match="'HC0' needs a fit without correction"):
        model(MODELS[0], data).fit(correction=correction, cov_type="HC0")

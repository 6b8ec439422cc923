"""The contract of the results of the logit models: tables, JSON, what is printed, and nothing inherited that fails."""

import inspect
import json
import pickle
import warnings
from importlib import import_module
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
import statsmodels.api as sm
from scipy import stats
from statsmodels.miscmodels.ordinal_model import OrderedModel

from pwcstats import (
    AdjacentCategories,
    ContinuationRatio,
    FirthLogit,
    FirthMNLogit,
    InputError,
    OrderedLogit,
    SeparationWarning,
    detect_separation,
    individualized_mnlogit,
    stepwise,
)
from pwcstats.errors import ConvergenceWarning, Vocabulary

BROOM = ["term", "estimate", "std_error", "statistic", "p_value", "conf_low", "conf_high"]
# They write files, or change the results.
CHANGES = {"save", "load", "remove_data", "initialize"}


def make_data(n=60):
    rng = np.random.default_rng(0)
    df = pd.DataFrame({"const": 1.0, "a": rng.normal(size=n), "b": rng.normal(size=n)})
    score = df["a"] + rng.logistic(size=n)
    return df.assign(y=(score > 0).astype(int), y3=np.digitize(score, [-1, 1]))


D = make_data()
X = D[["const", "a", "b"]]
# `sep` separates the highest class from the others, `every` all classes.
SEPARATED = D.assign(sep=np.where(D["y3"] == 2, 3.0, D["b"].clip(-2, 2)), every=3 * D["y3"] + D["b"].clip(-1, 1))


def quiet(model):
    return model.fit(warn_convergence=False)


RESULTS = {
    "FirthLogit": lambda: FirthLogit(D["y"], X).fit(),
    "FirthLogit, formula": lambda: FirthLogit.from_formula("y ~ a + b", D).fit(),
    "FirthLogit, flic": lambda: FirthLogit(D["y"], X).fit(correction="flic"),
    "FirthMNLogit": lambda: FirthMNLogit(D["y3"], X).fit(),
    "FirthMNLogit, arrays": lambda: FirthMNLogit(D["y3"].to_numpy(), X.to_numpy()).fit(),
    "individualized": lambda: individualized_mnlogit(D["y3"], X),
    "ContinuationRatio": lambda: ContinuationRatio(D["y3"], X).fit(),
    "ContinuationRatio, parallel": lambda: ContinuationRatio(D["y3"], X, parallel=True, penalty="firth").fit(),
    "ContinuationRatio, separated": lambda: quiet(ContinuationRatio(D["y3"], SEPARATED[["a", "sep"]])),
    "OrderedLogit": lambda: OrderedLogit(D["y3"], X[["a", "b"]]).fit(),
    "AdjacentCategories": lambda: AdjacentCategories(D["y3"], X).fit(),
    "AdjacentCategories, parallel": lambda: AdjacentCategories(D["y3"], X, "firth", parallel=True).fit(),
    "AdjacentCategories, separated": lambda: quiet(AdjacentCategories(D["y3"], SEPARATED[["a", "sep"]])),
    "OrderedLogit, separated": lambda: quiet(OrderedLogit(D["y3"], SEPARATED[["a", "every"]])),
    "separation": lambda: detect_separation(D["y3"], SEPARATED[["const", "a", "sep"]]),
    "no separation": lambda: detect_separation(D["y"], X),
    "ordered separation": lambda: detect_separation(D["y3"], SEPARATED[["a", "every"]], ordered=True),
    "stepwise": lambda: stepwise(FirthLogit.from_formula("y ~ a + b", D)),
    "stepwise, statsmodels": lambda: stepwise(sm.Logit(D["y"], X)),
}
EVERY = pytest.mark.parametrize("make", RESULTS.values(), ids=RESULTS.keys())
FITS = pytest.mark.parametrize(
    "make", [make for name, make in RESULTS.items() if "separation" not in name and "stepwise" not in name]
)


@EVERY
def test_tables_and_json(make):
    res = make()
    tidy, glance = res.tidy(), res.glance()
    assert len(tidy) > 0
    assert len(glance) == 1
    d = res.to_dict()
    assert json.loads(json.dumps(d, allow_nan=False)) == d
    # A copy: users may change it.
    tidy["more"] = 0
    assert "more" not in res.tidy()


@FITS
def test_tables_of_coefficients(make):
    res = make()
    tidy = res.tidy()
    assert [name for name in tidy.columns if name != "y_level"] == BROOM
    glance = res.glance().iloc[0]
    assert isinstance(res.glance()["converged"].iloc[0], (bool, np.bool_))
    converged = res.converged
    assert isinstance(converged, bool) or (isinstance(converged, pd.Series) and converged.dtype == bool)
    assert glance["nobs"] == 60
    assert len(res.summary().as_text()) > 300
    finite = np.isfinite(tidy["std_error"])
    half = (tidy["conf_high"] - tidy["conf_low"])[finite] / 2
    np.testing.assert_allclose(half, 1.959964 * tidy["std_error"][finite], rtol=1e-6)
    assert np.isinf(tidy[["conf_low", "conf_high"]].to_numpy()[~finite]).all()


@EVERY
def test_what_a_console_and_a_notebook_show(make):
    res = make()
    shown = repr(res)
    assert " at 0x" not in shown
    assert "\n" in shown or "no separation" in shown
    assert "<table" in res._repr_html_()
    again = pickle.loads(pickle.dumps(res))
    assert repr(again) == shown


def test_results_are_shown_by_name():
    res = FirthLogit(D["y"], X).fit()
    # The facts about the fit take two lines.
    first, _, head, *rows = repr(res).splitlines()
    assert first.startswith("FirthLogitResults: log_lik = -37.9")
    assert head.split() == BROOM
    assert [row.split()[0] for row in rows] == ["const", "a", "b"]
    res.remove_data()
    assert repr(res).splitlines()[0] == first
    found = detect_separation(D["y3"], SEPARATED[["const", "a", "sep"]])
    assert repr(found).startswith(str(found))


def needs_no_argument(method):
    kinds = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    parameters = inspect.signature(method).parameters.values()
    return not any(p.default is p.empty and p.kind in kinds for p in parameters)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.slow  # statsmodels' bootstrap is among the methods
@EVERY
def test_nothing_inherited_fails(make):
    """Every public method and property gives a value, or an error of ours that says what to do instead."""
    res = make()
    without_cure = []
    for owner in (res, getattr(res, "model", None)):
        for name in dir(getattr(owner, "_results", owner)):
            if name.startswith("_") or name in CHANGES:
                continue
            try:
                member = getattr(owner, name)
                if callable(member) and not inspect.isclass(member) and needs_no_argument(member):
                    member()
            except InputError as error:
                without_cure += [] if ";" in str(error) else [name]
    assert without_cure == []


def test_methods_with_arguments_that_failed():
    ratio, ordered = ContinuationRatio(D["y3"], X).fit(), OrderedLogit(D["y3"], X[["a", "b"]]).fit()
    assert not hasattr(ratio.model, "loglike")
    np.testing.assert_allclose(
        ordered.model.information(ordered.params), np.linalg.inv(ordered.cov_params()), rtol=1e-8
    )
    table = ordered.pred_table()
    assert table.to_numpy().sum() == 60
    np.testing.assert_array_equal(table.sum(axis=1), np.bincount(D["y3"]))
    frame = ordered.get_prediction(which="linear").summary_frame()
    np.testing.assert_allclose(frame["predicted"], D[["a", "b"]] @ ordered.params[["a", "b"]])
    multinomial = FirthMNLogit(D["y3"], X).fit()
    np.testing.assert_allclose(multinomial.fittedvalues, X.to_numpy() @ multinomial.params.to_numpy())
    value, score = multinomial.model.loglike_and_score(multinomial.params)
    assert value == pytest.approx(multinomial.llf)
    np.testing.assert_allclose(score, 0, atol=1e-6)
    with pytest.raises(InputError, match="t_test_pairwise needs a model from a formula; use from_formula"):
        FirthLogit(D["y"], X).fit().t_test_pairwise("a")
    data = D.assign(g=np.tile(list("abc"), 20))
    assert len(FirthLogit.from_formula("y ~ a + C(g)", data).fit().t_test_pairwise("C(g)").result_frame) == 3


@pytest.mark.parametrize(
    ("model", "options", "of_g", "of_constant"),
    [
        # Columns: constant, two of g, a.
        (FirthMNLogit, {}, [1, 2, 5, 6], [0, 4]),
        (ContinuationRatio, {}, [1, 2, 5, 6], [0, 4]),
        (ContinuationRatio, {"parallel": True, "penalty": "firth"}, [2, 3], [0, 1]),
        (FirthLogit, {}, [1, 2], [0]),
        (OrderedLogit, {}, [0, 1], None),
        (AdjacentCategories, {"penalty": "firth"}, [1, 2, 5, 6], [0, 4]),
        (AdjacentCategories, {"parallel": True}, [2, 3], [0, 1]),
    ],
)
def test_wald_tests_of_terms(model, options, of_g, of_constant):
    """statsmodels would take the first coefficients for those of the term, also if there are several equations."""
    data = D.assign(g=np.tile(list("abc"), 20))
    response = "y" if model is FirthLogit else "y3"
    res = model.from_formula(f"{response} ~ a + C(g)", data, **options).fit()
    table = res.wald_test_terms().table
    estimate, cov = np.ravel(res.params, order="F"), np.asarray(res.cov_params())
    for term, part in (("C(g)", of_g), ("Intercept", of_constant)):
        if part is not None:
            expected = estimate[part] @ np.linalg.solve(cov[np.ix_(part, part)], estimate[part])
            assert table.loc[term, "statistic"] == pytest.approx(expected)
            assert table.loc[term, "pvalue"] == pytest.approx(stats.chi2.sf(expected, len(part)))
            assert table.loc[term, "df_constraint"] == len(part)
    assert ("a" in res.wald_test_terms(skip_single=True).table.index) == (len(of_g) > 2)
    every = res.wald_test_terms(combine_terms=["g"]).table
    assert every.loc["g", "statistic"] == pytest.approx(table.loc["C(g)", "statistic"])


def test_terms_that_cannot_be_combined():
    res = FirthMNLogit(D["y3"], X).fit()
    assert list(res.wald_test_terms().table.index) == list(X.columns)
    with pytest.raises(InputError, match=r"combine_terms must be in names of terms, \(const, a, b\), got 'zz'"):
        res.wald_test_terms(combine_terms=["zz"])


def test_summary2_names_the_classes():
    data = D.assign(y3=np.array(["low", "mid", "high"])[D["y3"]])
    res = FirthMNLogit.from_formula("y3 ~ a", data).fit()
    text = str(res.summary2())
    assert "y3 = low" in text
    assert "y3 = mid" in text
    assert "P>|z|" in text
    for k in range(2):
        assert f"{res.params.iloc[1, k]:.4f}" in text
    for one in (FirthLogit(D["y"], X).fit(), OrderedLogit(D["y3"], X[["a", "b"]]).fit()):
        if hasattr(one, "summary2"):
            assert f"{one.params['b']:.4f}" in str(one.summary2())


def test_what_would_be_wrong_is_not_offered():
    logit, multinomial = FirthLogit(D["y"], X).fit(), FirthMNLogit(D["y3"], X).fit()
    ordered, ratio = OrderedLogit(D["y3"], X[["a", "b"]]).fit(), ContinuationRatio(D["y3"], X).fit()
    for owner, name, instead in (
        (logit, "score_test", "use lr_test or wald_test"),
        (logit, "get_influence", "fit again without the row"),
        (logit, "im_ratio", "use statsmodels' own model"),
        (logit.model, "fit_regularized", "use statsmodels' own model"),
        (logit.model, "score_obs", "use statsmodels' own model"),
        (multinomial, "get_prediction", "use predict, or get_margeff"),
        (multinomial, "t_test_pairwise", "use t_test with a matrix"),
        (multinomial.model, "pdf", "use predict"),
        (ordered, "t_test_pairwise", "use t_test with a matrix"),
        (ratio, "t_test_pairwise", "use t_test with a matrix"),
    ):
        assert not hasattr(owner, name)
        assert name not in dir(owner)
        with pytest.raises(InputError, match=instead):
            getattr(owner, name)
    for owner, name in (
        (logit, "t_test_pairwise"),
        (logit.model, "fit"),
        (ordered, "tidy"),
        (ratio, "wald_test_terms"),
    ):
        assert name in dir(owner)


class TestSeparationIsData:
    """`separated` tells it, and no warning is needed for it."""

    FITS = (
        lambda **kw: ContinuationRatio(D["y3"], SEPARATED[["a", "sep"]]).fit(**kw),
        lambda **kw: ContinuationRatio(D["y3"], SEPARATED[["a", "every"]], parallel=True).fit(**kw),
        lambda **kw: OrderedLogit(D["y3"], SEPARATED[["a", "every"]]).fit(**kw),
        lambda **kw: individualized_mnlogit(D["y3"], SEPARATED[["const", "a", "sep"]], **kw),
    )

    @pytest.mark.parametrize("fit", FITS)
    def test_separated(self, fit):
        with pytest.warns(SeparationWarning):
            loud = fit()
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            res = fit(warn_convergence=False)
        assert res.separated is loud.separated is True
        assert not np.all(res.converged)
        pd.testing.assert_frame_equal(res.tidy(), loud.tidy())

    def test_not_separated(self):
        for res in (
            ContinuationRatio(D["y3"], X).fit(),
            OrderedLogit(D["y3"], X[["a"]]).fit(),
            individualized_mnlogit(D["y3"], X),
        ):
            assert res.separated is False

    def test_the_option_is_checked(self):
        with pytest.raises(InputError, match="^warn_convergence must be True or False, got 'no'"):
            ContinuationRatio(D["y3"], X).fit(warn_convergence="no")

    def test_filters_are_left_alone(self, monkeypatch):
        """Filters belong to the process: a fit in one thread would change the warnings of other threads."""
        for module in ("ordered", "selection"):
            assert not hasattr(import_module(f"pwcstats.logit.{module}"), "warnings")
        monkeypatch.setattr("pwcstats.errors.warnings", SimpleNamespace(warn=warnings.warn))
        OrderedLogit(D["y3"], X[["a", "b"]]).fit()
        stepwise(sm.Logit(D["y"], X), "bic")
        stepwise(OrderedModel(D["y3"], X[["a", "b"]], distr="logit"), "bic")

    def test_a_fit_of_statsmodels_that_does_not_converge(self, monkeypatch):
        fit = sm.Logit.fit
        monkeypatch.setattr(sm.Logit, "fit", lambda self, **kw: fit(self, maxiter=1, **kw))
        with pytest.warns(ConvergenceWarning, match="the fit of statsmodels' Logit did not converge; use FirthLogit"):
            stepwise(sm.Logit(D["y"], X), "bic")


class InR(Vocabulary):
    """A front end with other names."""

    def parameter(self, name):
        return {"exog": "the model matrix", "endog": "the response", "maxiter": "maxit"}.get(name, name)

    def setting(self, name, value):
        return f"{self.parameter(name)} = {value}"

    def function(self, name):
        return {"FirthMNLogit": "firth_multinom()"}.get(name, name)


def said(call):
    with pytest.raises(InputError) as error:
        call()
    return error.value.message.render(InR())


def test_messages_have_references():
    assert said(lambda: FirthLogit(D["y3"], X)) == (
        "the response must have two labels, got (0, 1, 2); for more than two classes use firth_multinom(), for counts "
        "use two columns, successes and failures, or trials."
    )
    assert said(lambda: FirthLogit(D["y"], X.assign(c=2.0), aliased="raise")).startswith(
        "the model matrix is not of full rank; (c)"
    )
    assert said(lambda: FirthLogit(D["y"], X).fit(maxiter=0)).startswith("maxit must be")
    with pytest.warns(SeparationWarning) as caught:
        ContinuationRatio(D["y3"], SEPARATED[["a", "sep"]]).fit()
    assert "use penalty = 'firth' for finite estimates" in caught[0].message.message.render(InR())
    assert caught[0].filename == __file__

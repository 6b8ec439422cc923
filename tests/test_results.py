"""The contract that all results satisfy."""

import json
import re

import numpy as np
import pandas as pd
import pytest

from pwcstats import (
    AdjacentCategories,
    BradleyTerry,
    ContinuationRatio,
    CouplingResult,
    FirthLogit,
    FirthMNLogit,
    OrderedLogit,
    PlackettLuce,
    compare,
    compare_methods,
    couple,
    detect_separation,
    individualized_mnlogit,
    stepwise,
)
from pwcstats._results import Result, _short

SNAKE_CASE = re.compile(r"[a-z][a-z0-9_]*")
# Other names under which interval bounds are known elsewhere.
OTHER_BOUNDS = {"lower", "upper", "low", "high", "ci_low", "ci_high", "conf_lower", "conf_upper", "[0.025", "0.975]"}
R = np.array([[0.5, 0.9, 0.4], [0.1, 0.5, 0.7], [0.6, 0.3, 0.5]])
WINS = pd.DataFrame(
    [[0, 5, 3, 6], [2, 0, 4, 3], [4, 3, 0, 5], [1, 4, 2, 0]], index=list("abcd"), columns=list("abcd"), dtype=float
)


def _scores(n, seed):
    rng = np.random.default_rng(seed)
    return pd.DataFrame(
        {"lda": rng.normal(0.80, 0.03, n), "svm": rng.normal(0.84, 0.03, n), "nb": rng.normal(0.7, 0.05, n)},
        index=pd.Index([f"set {k}" for k in range(n)], name="dataset"),
    )


def _answers():
    rng = np.random.default_rng(3)
    return {name: (rng.random(60) < p).astype(int) for name, p in (("a", 0.8), ("b", 0.6), ("c", 0.7))}


def _design(n=80):
    rng = np.random.default_rng(0)
    x = pd.DataFrame({"const": 1.0, "age": rng.normal(size=n), "dose": rng.normal(size=n)})
    latent = x["age"] + rng.logistic(size=n)
    return x, pd.Series(np.digitize(latent, [-0.5, 0.8]), name="grade")


X, GRADE = _design()
SICK = (GRADE > 0).astype(int)
SCORES = _scores(12, 0)
A, B = SCORES["lda"].to_numpy(), SCORES["svm"].to_numpy()
ORDERED = pd.Series(pd.Categorical(GRADE, ordered=True), name="grade")

# One entry for each kind of result.
RESULTS = {
    "CouplingResult of one sample": lambda: couple(R, "ht", return_info=True),
    "CouplingResult of many samples": lambda: couple(
        np.stack([R] * 30), "wlw2", classes=["a", "b", "c"], return_info=True
    ),
    "BradleyTerryResults": lambda: BradleyTerry(WINS).fit(),
    "BradleyTerryResults with Firth's penalty": lambda: BradleyTerry(np.array([[0, 20], [0, 0]])).fit(method="firth"),
    "PlackettLuceResults": lambda: PlackettLuce.from_orderings([["a", "b", "c"], ["c", ("b", "a")], ["b", "a"]]).fit(
        method="firth"
    ),
    "MixedBradleyTerryResults": lambda: BradleyTerry(WINS).fit(covariates=[0.0, 1.0, 0.5, 2.0], random_effects=True),
    "MixedBradleyTerryResults without fixed effects": lambda: BradleyTerry(WINS).fit(random_effects="pql"),
    "variance component": lambda: BradleyTerry(WINS).fit(random_effects=True).variance_component(),
    "BootstrapResult": lambda: BradleyTerry(WINS).fit(method="firth").bootstrap(20, random_state=0),
    "Leaderboard": lambda: BradleyTerry(WINS).fit().leaderboard("elo"),
    "ContrastsResult": lambda: BradleyTerry(WINS).fit().contrasts(),
    "contrast of items": lambda: BradleyTerry(WINS).fit().contrast("a", "b"),
    "goodness of fit": lambda: BradleyTerry(WINS).fit().goodness_of_fit(random_state=0),
    "FirthLogitResults": lambda: FirthLogit(SICK, X).fit(),
    "FirthLogitResults of a formula": lambda: FirthLogit.from_formula("y ~ age", X.assign(y=SICK)).fit(),
    "FirthMNLogitResults": lambda: FirthMNLogit(GRADE, X).fit(),
    "IndividualizedResults": lambda: individualized_mnlogit(GRADE, X),
    "ContinuationRatioResults": lambda: ContinuationRatio(ORDERED, X).fit(),
    "AdjacentCategoriesResults": lambda: AdjacentCategories(ORDERED, X).fit(),
    "OrderedLogitResults": lambda: OrderedLogit(ORDERED, X.drop(columns="const")).fit(),
    "OrdinalPrediction": lambda: OrderedLogit(ORDERED, X).fit().get_prediction(),
    "MarginalEffects": lambda: OrderedLogit(ORDERED, X).fit().get_margeff(),
    "SeparationResult": lambda: detect_separation((X["age"] > 0).astype(int), X),
    "SeparationResult without separation": lambda: detect_separation(SICK, X),
    "StepwiseResult": lambda: stepwise(FirthLogit(SICK, X)),
    "paired_t": lambda: compare.paired_t(A, B),
    "corrected_resampled_t": lambda: compare.corrected_resampled_t(A, B, test_fraction=0.1),
    "cv5x2_t": lambda: compare.cv5x2_t(A[:10].reshape(5, 2), B[:10].reshape(5, 2)),
    "cv5x2_f": lambda: compare.cv5x2_f(A[:10].reshape(5, 2), B[:10].reshape(5, 2)),
    "wilcoxon": lambda: compare.wilcoxon(A, B),
    "sign": lambda: compare.sign(A, B),
    "mcnemar": lambda: compare.mcnemar(_answers()["a"], _answers()["b"]),
    "cochran_q": lambda: compare.cochran_q(pd.DataFrame(_answers())),
    "friedman": lambda: compare.friedman(SCORES),
    "nemenyi": lambda: compare.nemenyi(SCORES),
    "rank_tests": lambda: compare.rank_tests(SCORES),
    "bayes_correlated_t": lambda: compare.bayes_correlated_t(A, B, rope=0.01, test_fraction=0.1),
    "bayes_signed_rank": lambda: compare.bayes_signed_rank(A, B, rope=0.01, random_state=0),
    "compare_methods": lambda: compare_methods(SCORES),
    "compare_methods with a control": lambda: compare_methods(SCORES, control="nb"),
}


@pytest.fixture(scope="module", params=RESULTS)
def result(request):
    return RESULTS[request.param]()


def test_it_is_a_result(result):
    inner = getattr(result, "_results", result)  # statsmodels wraps the results of models
    assert isinstance(inner, Result)


def test_tidy_is_a_frame_in_snake_case(result):
    frame = result.tidy()
    assert isinstance(frame, pd.DataFrame)
    assert all(SNAKE_CASE.fullmatch(name) for name in frame.columns), list(frame.columns)


# Columns that tidy and glance have at least, and whether there is a summary, by class.
MODEL = {"term", "estimate", "std_error", "statistic", "p_value", "conf_low", "conf_high"}
TEST = {"statistic", "p_value", "method"}
PAIRS = {"method_a", "method_b", "estimate", "conf_low", "conf_high", "statistic", "p_value", "p_adjusted"}
FIT = {"log_lik", "aic", "bic", "nobs", "converged"}
BAYES = {"estimate", "p_less", "p_rope", "p_greater", "conf_low", "conf_high", "method"}
EXPECTED = {
    "CouplingResult": ({"sample", "class", "estimate"}, {"method", "n_samples", "n_classes", "converged"}, False),
    "BradleyTerryResults": (MODEL, FIT | {"n_items", "deviance"}, True),
    "PlackettLuceResults": (MODEL, FIT | {"n_items", "deviance"}, True),
    "MixedBradleyTerryResults": (MODEL, FIT | {"n_items", "sigma"}, True),
    "ContrastsResult": (
        {"item_1", "item_2", "estimate", "std_error", "statistic", "p_value", "p_adjusted", "conf_low", "conf_high"},
        {"n_contrasts", "adjust", "conf_level"},
        False,
    ),
    "Leaderboard": (
        {"rank", "rank_low", "rank_high", "item", "games", "estimate", "std_error", "conf_low", "conf_high"},
        {"scale", "n_items", "nobs", "conf_level"},
        False,
    ),
    "BootstrapResult": ({"term", "estimate", "std_error", "conf_low", "conf_high"}, {"n_draws", "n_failed"}, True),
    "FirthLogitResults": (MODEL, FIT | {"penalized_log_lik", "statistic", "p_value"}, True),
    "FirthMNLogitResults": (MODEL | {"y_level"}, FIT | {"penalized_log_lik", "statistic", "p_value"}, True),
    "IndividualizedResults": (MODEL | {"y_level"}, FIT, True),
    "ContinuationRatioResults": (MODEL, FIT, True),
    "AdjacentCategoriesResults": (MODEL, FIT, True),
    "OrderedLogitResults": (MODEL, FIT, True),
    "OrdinalPrediction": ({"row", "y_level", "estimate", "std_error", "conf_low", "conf_high"}, {"nobs"}, False),
    "MarginalEffects": (MODEL | {"y_level"}, {"at", "n_effects"}, False),
    "SeparationResult": ({"term", "estimate"}, {"separated", "kind", "nobs"}, True),
    "StepwiseResult": ({"action", "criterion", "log_lik"}, {"n_steps", "log_lik"}, True),
    "TestResult": (TEST, TEST, False),
    "FriedmanResult": (TEST, TEST, True),
    "RankTests": (PAIRS, {"n_methods", "nobs", "alpha", "method"}, True),
    "BayesResult": (BAYES, BAYES, True),
    "ComparisonResult": (PAIRS | {"significant"}, {"n_methods", "nobs", "test", "adjust", "alpha"}, True),
}


def test_expected_columns_and_summary(result):
    tidy, glance, has_summary = EXPECTED[type(getattr(result, "_results", result)).__name__]
    assert tidy <= set(result.tidy().columns)
    assert len(result.tidy())
    assert glance <= set(result.glance().columns)
    assert hasattr(result, "summary") == has_summary
    # What a row of glance says is in the dict, too, or its table has it.
    assert len(result.to_dict()) >= 3


def test_intervals_have_one_name(result):
    for frame in (result.tidy(), result.glance()):
        assert not OTHER_BOUNDS & set(frame.columns)
        assert ("conf_low" in frame.columns) == ("conf_high" in frame.columns)


def test_glance_is_one_row_in_snake_case(result):
    frame = result.glance()
    assert isinstance(frame, pd.DataFrame)
    assert len(frame) == 1
    assert all(SNAKE_CASE.fullmatch(name) for name in frame.columns), list(frame.columns)


def test_to_dict_survives_json(result):
    found = result.to_dict()
    assert json.loads(json.dumps(found, allow_nan=False)) == found


def test_repr_reads_well(result):
    text = repr(result)
    assert not re.search(r"object at 0x|np\.float64|array\(|Timestamp|\bdtype\b", text), text
    assert len(text) > 20
    assert len(text.splitlines()) <= 80
    assert max(map(len, text.splitlines())) <= 200, text


def test_notebooks_show_a_table(result):
    assert "<table" in result._repr_html_()


def test_summary_prints(result):
    if hasattr(result, "summary"):
        assert len(str(result.summary()).splitlines()) > 2


@pytest.mark.parametrize(
    ("name", "columns"),
    [
        ("BootstrapResult", ("a", "coef", "[0.025", "Failed draws:")),
        ("StepwiseResult", ("start", "criterion", "FirthLogit", "Terms:")),
        ("SeparationResult", ("age", "inf", "complete")),
        ("SeparationResult without separation", ("age", "finite", "none")),
    ],
)
def test_summaries_have_tables(name, columns):
    text = str(RESULTS[name]().summary())
    assert all(column in text for column in columns), text
    assert "nan" not in text


def test_numbers_are_shown_with_the_digits_that_matter():
    assert _short(39750.0, "nobs") == "39750"
    assert _short(1234.5678, "statistic") == "1235"
    assert _short(-12345.678912, "log_lik") == "-12345.68"
    assert _short(1e300) == "1e+300"
    assert _short(float("inf")) == "inf"


def test_counts_are_whole_in_json():
    found = BradleyTerry(WINS).fit()
    assert type(found.to_dict()["nobs"]) is int
    assert f"nobs = {int(WINS.to_numpy().sum())}," in repr(found)


def test_converged_is_a_bool(result):
    if hasattr(result, "converged"):
        if isinstance(result, CouplingResult):  # one for each sample
            assert np.asarray(result.converged).dtype == bool
        else:
            assert isinstance(result.converged, bool)


def test_all_result_classes_are_tried():
    """A new result class must be added to RESULTS, unless another one is tried that derives from it."""
    tried = {type(getattr(made, "_results", made)) for made in (make() for make in RESULTS.values())}

    def leaves(kind):
        below = kind.__subclasses__()
        return {kind} if not below else set().union(*map(leaves, below)) | ({kind} & tried)

    missing = [kind.__name__ for kind in leaves(Result) if kind not in tried and kind.__module__.startswith("pwcstats")]
    assert not missing

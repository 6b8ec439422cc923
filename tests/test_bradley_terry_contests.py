"""Contest covariates: compared with BTm, logistic regressions and a general optimiser; existence; bad input."""

import numpy as np
import pandas as pd
import pytest
import statsmodels.api as sm
from scipy import optimize
from threadpoolctl import threadpool_limits

from pwcstats import BradleyTerry, InputError
from pwcstats._kernels.comparisons import divide

from .conftest import stored
from .parity import BRADLEY_TERRY

# Both fits stop when steps are below 1e-12.
SAME = 1e-9
# BFGS with numerical derivatives stops at 1e-6.
OPTIMISER = 2e-6

NAMES = [f"m{k}" for k in range(6)]


@pytest.fixture(params=["stored", pytest.param("live", marks=pytest.mark.against_r)])
def from_r(request, run_r):
    return stored("contests") if request.param == "stored" else run_r("contests")


def close(ours, theirs, name):
    tolerance = BRADLEY_TERRY[name].tolerance
    np.testing.assert_allclose(np.asarray(ours, float), np.asarray(theirs, float), rtol=tolerance, atol=tolerance)


@pytest.fixture(scope="module")
def votes():
    """Votes whose style (length and language) matters, with users."""
    rng = np.random.default_rng(25)
    n = 1200
    a = rng.integers(0, 6, n)
    b = (a + rng.integers(1, 6, n)) % 6
    frame = pd.DataFrame(
        {
            "a": np.array(NAMES)[a],
            "b": np.array(NAMES)[b],
            "length_a": rng.normal(size=n).round(1),
            "length_b": rng.normal(size=n).round(1),
            "topic": rng.choice(["code", "law", "prose"], n),
            "user": rng.integers(0, 60, n),
        }
    )
    frame["longer"] = frame["length_a"] - frame["length_b"]
    d = 0.4 * (a - b) + 0.5 * frame["longer"] + 0.2 + 0.3 * (frame["topic"] == "law")
    noise = d + rng.logistic(size=n)
    frame["winner"] = np.where(noise > 0.4, "a", np.where(noise < -0.4, "b", "tie"))
    return frame


@pytest.fixture(scope="module")
def decided(votes):
    return votes[votes["winner"] != "tie"].reset_index(drop=True)


def model_of(frame, **options):
    return BradleyTerry.from_comparisons(frame, first="a", second="b", winner="winner", **options)


def design(frame):
    """Differences of indicators of all items but the first."""
    return np.column_stack([(frame["a"] == name).astype(float) - (frame["b"] == name) for name in NAMES[1:]])


def glm(frame, x, **options):
    family = sm.families.Binomial()
    return sm.GLM((frame["winner"] == "a").astype(float), x, family=family).fit(tol=1e-13, **options)


# Against R


def football(from_r):
    frame = pd.DataFrame(from_r["football"]["data"])
    frame["rest"] = frame["rest1"] - frame["rest2"]
    frame["winner"] = np.select([frame["result"] > 0, frame["result"] < 0], ["team1", "team2"], "tie")
    return frame


def test_abilities_and_contest_covariates_of_btm(from_r):
    frame, theirs = football(from_r), from_r["football"]
    model = BradleyTerry.from_comparisons(
        frame[frame["winner"] != "tie"], first="team1", second="team2", winner="winner"
    )
    for method, name, name_se, entry in (
        ("mle", "contest", "contest se", "fit"),
        ("firth", "contest firth", "contest firth", "firth"),
    ):
        res = model.fit(method, contest=["home", "rest"], ref=theirs["teams"][0])
        assert [term.removeprefix("team") for term in theirs[entry]["term"]] == list(res.params.index)
        close(res.params, theirs[entry]["coef"], name)
        close(res.bse, theirs[entry]["se"], name_se)
    # BTm counts rows, and every row is a contest of its own there; differences of deviances do not depend on this.
    without = model.fit(contest=["home"], ref=theirs["teams"][0])
    assert without.deviance > model.fit(contest=["home", "rest"]).deviance


def test_covariates_of_items_and_contests(from_r):
    theirs = from_r["chameleons"]
    data = pd.DataFrame({key: theirs[key] for key in ("winner", "loser", "wins_winner", "wins_loser")})
    items = pd.DataFrame({"ch": theirs["ch.res"], "prop": theirs["prop.main"]}, index=theirs["items"])
    model = BradleyTerry.from_comparisons(data, winner="winner", loser="loser")
    res = model.fit(covariates="ch + prop", item_data=items, contest={"prev.wins.2": ("wins_winner", "wins_loser")})
    order = ["prev.wins.2", "ch", "prop"]
    close(res.params[order], theirs["fit"]["coef"], "contest")
    close(res.bse[order], theirs["fit"]["se"], "contest se")


def test_rao_kupper_is_a_cumulative_logit_model(from_r):
    frame, theirs = football(from_r), from_r["rao_kupper"]
    model = BradleyTerry.from_comparisons(frame, first="team1", second="team2", winner="winner", tie="tie")
    res = model.fit(ties="rao-kupper", contest="home + rest", ref=from_r["football"]["teams"][0])
    ours = np.append(res.params.iloc[-1], res.params.iloc[:-1])
    close(ours, theirs["coef"], "rao-kupper")
    close(np.append(res.bse.iloc[-1], res.bse.iloc[:-1]), theirs["se"], "rao-kupper")
    close(res.llf, theirs["loglik"], "rao-kupper")


# Against logistic regressions and an optimiser


def test_a_formula_with_a_factor_and_order_effect(decided):
    res = model_of(decided).fit(contest="C(topic) + longer", order_effect=True, ref="m0")
    x = np.column_stack(
        [
            design(decided),
            np.ones(len(decided)),
            decided["topic"] == "law",
            decided["topic"] == "prose",
            decided["longer"],
        ]
    ).astype(float)
    theirs = glm(decided, x)
    assert list(res.params.index[5:]) == ["(order)", "C(topic)[T.law]", "C(topic)[T.prose]", "longer"]
    np.testing.assert_allclose(res.params, theirs.params, rtol=0, atol=SAME)
    np.testing.assert_allclose(res.bse, theirs.bse, rtol=0, atol=SAME)
    assert res.llf == pytest.approx(theirs.llf, abs=SAME)


def test_without_order_effect_all_levels_of_a_factor_have_a_coefficient(decided):
    res = model_of(decided).fit(contest="topic", ref="m0")
    assert list(res.params.index[5:]) == ["topic[code]", "topic[law]", "topic[prose]"]
    same = model_of(decided).fit(contest="topic", order_effect=True, ref="m0")
    assert res.llf == pytest.approx(same.llf, abs=1e-9)
    assert res.params["topic[code]"] == pytest.approx(same.params["(order)"], abs=1e-9)


def test_a_constant_is_the_order_effect(decided):
    frame = decided.assign(home=1.0)
    res, order = model_of(frame).fit(contest=["home"]), model_of(frame).fit(order_effect=True)
    np.testing.assert_allclose(res.params, order.params, rtol=0, atol=1e-12)
    with pytest.raises(InputError, match="contest covariate 'home' is not identified"):
        model_of(frame).fit(contest=["home"], order_effect=True)


def test_all_forms_of_contest_agree(decided):
    model = model_of(decided)
    expected = model.fit(contest="longer").params
    for contest in (
        ["longer"],
        {"longer": ("length_a", "length_b")},
        {"longer": "longer"},
        decided[["longer"]],
        decided["longer"],
    ):
        pd.testing.assert_series_equal(model.fit(contest=contest).params, expected, atol=1e-12)
    numbers = model.fit(contest=decided["longer"].to_numpy()).params
    np.testing.assert_allclose(numbers, expected, rtol=0, atol=1e-12)
    assert numbers.index[-1] == "x1"


def test_values_change_sign_with_the_places_of_the_items(decided):
    expected = model_of(decided).fit(contest=["longer"]).params
    flip = np.arange(len(decided)) % 3 == 0
    swapped = decided.copy()
    swapped.loc[flip, ["a", "b"]] = decided.loc[flip, ["b", "a"]].to_numpy()
    swapped.loc[flip, "longer"] *= -1
    swapped.loc[flip, "winner"] = decided.loc[flip, "winner"].map({"a": "b", "b": "a"})
    np.testing.assert_allclose(model_of(swapped).fit(contest=["longer"]).params, expected, rtol=0, atol=1e-12)
    sign = np.where(decided["winner"] == "a", 1, -1)
    names = decided[["a", "b"]].to_numpy()
    rows = np.arange(len(names))
    won = pd.DataFrame(
        {
            "winner": names[rows, (sign < 0).astype(int)],
            "loser": names[rows, (sign > 0).astype(int)],
            "longer": sign * decided["longer"],
        }
    )
    other = BradleyTerry.from_comparisons(won, winner="winner", loser="loser").fit(contest=["longer"])
    np.testing.assert_allclose(other.params, expected, rtol=0, atol=1e-12)


def test_neutral_rows_and_weights_keep_their_side(decided):
    rng = np.random.default_rng(0)
    frame = decided.assign(neutral=rng.random(len(decided)) < 0.3, weight=rng.integers(0, 3, len(decided)))
    res = model_of(frame, neutral="neutral", weight="weight").fit(contest=["longer"], order_effect=True, ref="m0")
    x = np.column_stack([design(frame), ~frame["neutral"], frame["longer"]]).astype(float)
    kept = frame["weight"].to_numpy() > 0
    family = sm.families.Binomial()
    y = (frame["winner"] == "a").to_numpy(float)
    theirs = sm.GLM(y[kept], x[kept], family=family, freq_weights=frame["weight"].to_numpy()[kept]).fit(tol=1e-13)
    np.testing.assert_allclose(res.params, theirs.params, rtol=0, atol=SAME)


def test_counts_with_covariates_of_rows():
    frame = pd.DataFrame(
        {
            "a": list("xyzxyz"),
            "b": list("yzxzxy"),
            "u": [4, 5, 2, 6, 1, 3],
            "v": [3, 1, 5, 2, 4, 4],
            "w": [1, 0, 2, 1, 3, 0.5],
        }
    )
    res = BradleyTerry.from_comparisons(frame, first="a", second="b", wins=("u", "v")).fit(contest=["w"], ref="x")
    x = np.column_stack([(frame["a"] == s).astype(float) - (frame["b"] == s) for s in "yz"] + [frame["w"]])
    theirs = sm.GLM(frame[["u", "v"]], x, family=sm.families.Binomial()).fit(tol=1e-13)
    np.testing.assert_allclose(res.params, theirs.params, rtol=0, atol=SAME)
    np.testing.assert_allclose(res.bse, theirs.bse, rtol=0, atol=SAME)


@pytest.mark.parametrize(("cov_type", "options"), [("HC0", {}), ("cluster", {"groups": "user"})])
def test_robust_covariances(decided, cov_type, options):
    res = model_of(decided).fit(contest=["longer"], ref="m0", cov_type=cov_type, cov_kwds=options)
    x = np.column_stack([design(decided), decided["longer"]])
    groups = {"cov_kwds": {"groups": decided["user"]}} if options else {}
    theirs = glm(decided, x, cov_type=cov_type, **groups)
    np.testing.assert_allclose(res.bse, theirs.bse, rtol=0, atol=SAME)


def test_hc0_is_the_cluster_covariance_of_single_comparisons(votes):
    model = BradleyTerry.from_comparisons(votes, first="a", second="b", winner="winner", tie="tie")
    options = {"ties": "davidson", "contest": ["longer"], "order_effect": True}
    groups = {"groups": np.arange(len(votes)), "use_correction": False}
    alone = model.fit(**options, cov_type="cluster", cov_kwds=groups)
    res = model.fit(**options, cov_type="HC0")
    np.testing.assert_allclose(res.cov_params(), alone.cov_params(), rtol=SAME, atol=1e-15)


def test_pairs_are_divided_by_all_covariates():
    rng = np.random.default_rng(1)
    pair, x = rng.integers(0, 50, 20_000), rng.integers(-2, 3, (20_000, 3)) * 0.1 + 0.0
    group, source = divide(pair, x, 50)
    frame = pd.DataFrame(np.column_stack([pair, x]))
    expected = frame.drop_duplicates().sort_values(0, kind="stable").index
    np.testing.assert_array_equal(source, expected)
    np.testing.assert_array_equal(frame.to_numpy()[source[group]], frame.to_numpy())


def test_results_do_not_depend_on_the_number_of_blas_threads():
    rng = np.random.default_rng(2)
    n = 300_000
    a = rng.integers(0, 6, n)
    b = (a + rng.integers(1, 6, n)) % 6
    frame = pd.DataFrame(rng.normal(size=(n, 3)), columns=["x", "y", "z"])
    frame["winner"], frame["loser"] = np.where(rng.random(n) < 0.6, (a, b), (b, a))
    model, found = BradleyTerry.from_comparisons(frame, "winner", "loser"), []
    for n_threads in (1, 2):
        with threadpool_limits(n_threads, user_api="blas"):
            res = model.fit(contest=["x", "y", "z"], cov_type="HC0")
        found.append(np.concatenate([res.params, res.bse]))
    np.testing.assert_array_equal(*found)


def test_firth_maximises_the_penalised_likelihood(decided):
    small = decided.head(120)
    res = model_of(small).fit("firth", contest=["longer"], order_effect=True, ref="m0")
    x = np.column_stack([design(small), np.ones(len(small)), small["longer"]])
    y = (small["winner"] == "a").to_numpy(float)

    def loss(beta):
        eta = x @ beta
        p = 1.0 / (1.0 + np.exp(-eta))
        return -(
            y @ eta - np.logaddexp(0.0, eta).sum() + 0.5 * np.linalg.slogdet((x * (p * (1 - p))[:, None]).T @ x)[1]
        )

    best = optimize.minimize(loss, np.zeros(x.shape[1]), method="BFGS", options={"gtol": 1e-9})
    np.testing.assert_allclose(res.params, best.x, rtol=0, atol=OPTIMISER)
    # The constant of the penalty depends on how abilities are written.
    assert res.llf_unpenalized == pytest.approx(-loss(best.x) - 0.5 * _log_det(x, best.x), abs=1e-6)


def _log_det(x, beta):
    p = 1.0 / (1.0 + np.exp(-x @ beta))
    return np.linalg.slogdet((x * (p * (1 - p))[:, None]).T @ x)[1]


def test_davidson_with_covariates_maximises_the_likelihood(votes):
    small = votes.head(300)
    res = model_of(small, tie="tie").fit(ties="davidson", contest=["longer"], order_effect=True, ref="m0")
    x = np.column_stack([design(small), np.ones(len(small)), small["longer"]])
    code = small["winner"].map({"a": 0, "b": 1, "tie": 2}).to_numpy()

    def loss(beta):
        d = x @ beta[:-1]
        scores = np.column_stack([d / 2, -d / 2, np.full(len(d), beta[-1])])
        return -(scores[np.arange(len(d)), code] - np.logaddexp.reduce(scores, axis=1)).sum()

    best = optimize.minimize(loss, np.zeros(x.shape[1] + 1), method="BFGS", options={"gtol": 1e-9})
    np.testing.assert_allclose(res.params, best.x, rtol=0, atol=OPTIMISER)
    assert res.llf == pytest.approx(-best.fun, abs=1e-9)


# Inference


def test_likelihood_ratio_tests_know_what_is_nested(decided):
    model = model_of(decided)
    large = model.fit(contest="longer + C(topic)", order_effect=True)
    for small, df in (({"contest": "longer"}, 3), ({"order_effect": True}, 3), ({"contest": "topic"}, 1)):
        fit = model.fit(**small)
        test = large.lr_test(fit)
        assert test.df == df
        assert test.statistic == pytest.approx(2 * (large.llf - fit.llf))
    with pytest.raises(InputError, match="not nested"):
        model.fit(contest="longer").lr_test(model.fit(contest="topic"))


def test_profile_intervals_are_where_the_likelihood_has_fallen(decided):
    model = model_of(decided)
    res = model.fit(contest=["longer"])
    low, high = res.conf_int(method="profile", terms=["longer"]).iloc[0]
    for bound in (low, high):
        # Hold the coefficient by an offset: compare with a fit to data in which it is known.
        x = design(decided)
        fixed = sm.GLM(
            (decided["winner"] == "a").astype(float), x, family=sm.families.Binomial(), offset=bound * decided["longer"]
        ).fit(tol=1e-13)
        assert 2 * (res.llf - fixed.llf) == pytest.approx(3.841459, abs=1e-4)


def test_predictions_of_new_contests(decided):
    res = model_of(decided).fit(contest="longer + C(topic)", order_effect=True)
    new = pd.DataFrame({"longer": [0.5, -1.0], "topic": ["law", "code"]})
    p = res.predict(["m1", "m2"], "m0", contest=new)
    b = res.params
    expected = [
        b["m1"] - b["m0"] + b["(order)"] + 0.5 * b["longer"] + b["C(topic)[T.law]"],
        b["m2"] - b["m0"] + b["(order)"] - b["longer"],
    ]
    np.testing.assert_allclose(p, 1 / (1 + np.exp(-np.array(expected))), rtol=0, atol=1e-12)
    assert res.predict("m1", "m0") == pytest.approx(res.predict("m1", "m0", contest={"longer": 0.0, "topic": "code"}))
    with pytest.raises(InputError, match="one row for each of the 2 contests, got 3"):
        res.predict(["m1", "m2"], "m0", contest=pd.DataFrame({"longer": [1, 2, 3], "topic": ["law"] * 3}))
    with pytest.raises(InputError, match="formula of contest cannot be used"):
        res.predict("m1", "m0", contest={"longer": 1.0})
    with pytest.raises(InputError, match="formula of contest cannot be used"):
        res.predict("m1", "m0", contest={"longer": 1.0, "topic": "poetry"})
    with pytest.raises(InputError, match="no contest covariates; leave contest out"):
        model_of(decided).fit().predict("m1", "m0", contest={"longer": 1.0})


@pytest.mark.parametrize("ties", ["davidson", "rao-kupper"])
@pytest.mark.parametrize("outcome", ["win", "loss", "tie", "link"])
def test_standard_errors_of_predictions_follow_from_derivatives(votes, ties, outcome):
    res = model_of(votes, tie="tie").fit(ties=ties, contest=["longer"], order_effect=True, ref="m0")
    found = res.predict("m3", "m1", outcome=outcome, contest=[0.7], se=True).iloc[0]
    model = res.spec.tie_model

    def predicted(params):
        d = params["m3"] - params["m1"] + params["(order)"] + 0.7 * params["longer"]
        if outcome == "link":
            return d
        return model.probabilities(np.array([d]), params["(tie)"])[0, ["win", "loss", "tie"].index(outcome)]

    step = 1e-6
    gradient = []
    for term in res.params.index:
        up, down = res.params.copy(), res.params.copy()
        up[term] += step
        down[term] -= step
        gradient.append((predicted(up) - predicted(down)) / (2 * step))
    gradient = np.array(gradient)
    assert found["estimate"] == pytest.approx(predicted(res.params), abs=1e-12)
    assert found["std_error"] == pytest.approx(np.sqrt(gradient @ res.cov_params().to_numpy() @ gradient), rel=1e-6)
    assert found["conf_low"] < found["estimate"] < found["conf_high"]


def test_without_ties_the_interval_of_a_probability_is_that_of_the_link(decided):
    res = model_of(decided).fit(contest=["longer"])
    link = res.predict(["m1", "m4"], "m0", outcome="link", se=True)
    p = res.predict(["m1", "m4"], "m0", se=True)
    for column in ("estimate", "conf_low", "conf_high"):
        np.testing.assert_allclose(p[column], 1 / (1 + np.exp(-link[column])), rtol=0, atol=1e-12)


def test_bootstrap_with_contest_covariates(decided):
    res = model_of(decided).fit(contest=["longer"])
    boot = res.bootstrap(200, random_state=0, groups="user")
    np.testing.assert_allclose(boot.bse["longer"] / res.bse["longer"], 1.0, atol=0.35)


# Trouble


def separated():
    return pd.DataFrame({"winner": list("abcabc"), "loser": list("bcabca"), "x": [1, 2, 3, 1, 2, 1.0]})


def test_a_separated_covariate_is_named_and_firth_is_finite():
    model = BradleyTerry.from_comparisons(separated(), winner="winner", loser="loser")
    with pytest.raises(InputError, match=r"'x' is never on the losing side, .* use method='firth'"):
        model.fit(contest="x")
    assert np.isfinite(model.fit("firth", contest="x").params).all()
    many = pd.concat([separated()] * 200)
    with pytest.raises(InputError, match="'x' is never on the losing side"):
        BradleyTerry.from_comparisons(many, winner="winner", loser="loser").fit(contest="x")


def test_existence_agrees_with_a_linear_program():
    """Random small data: the fit fails exactly if a linear program finds a direction of recession."""
    rng = np.random.default_rng(5)
    outcomes = []
    for _ in range(150):
        n = int(rng.integers(8, 16))
        a = rng.integers(0, 3, n)
        b = (a + rng.integers(1, 3, n)) % 3
        x = rng.integers(-2, 3, (n, 2)).astype(float)
        won = rng.random(n) < 1 / (1 + np.exp(-(a - b) - x @ [1.5, -1.0]))
        frame = pd.DataFrame({"a": a, "b": b, "x": x[:, 0], "y": x[:, 1], "winner": np.where(won, a, b)})
        d = np.column_stack([(a == k).astype(float) - (b == k) for k in (1, 2)] + [x])
        if len(np.unique(np.append(a, b))) < 3 or np.linalg.matrix_rank(d) < 4:
            continue
        signed = np.where(won, 1, -1)[:, None] * d
        answer = optimize.linprog(-signed.sum(axis=0), -signed, np.zeros(n), bounds=(-1, 1))
        exists = -answer.fun < 1e-9
        model = BradleyTerry.from_comparisons(frame, first="a", second="b", winner="winner")
        if exists:
            assert model.fit(contest=["x", "y"]).converged
        else:
            with pytest.raises(InputError, match="no maximum likelihood"):
                model.fit(contest=["x", "y"])
        outcomes.append(exists)
    assert 20 < sum(outcomes) < len(outcomes) - 20


@pytest.mark.parametrize(
    ("contest", "message"),
    [
        ("missing", r"'missing', which contest uses, is missing in 1 of 6 rows \(the first is row 1\)"),
        (["missing"], "contest must be finite numbers, got nan in 'missing' of row 1; fill it in, or drop the row"),
        (["lenght"], "contest must be one of the columns of the data.* Did you mean 'length'"),
        ("lenght", "'lenght' is neither one of the columns .* nor a known variable. Did you mean 'length'"),
        ("C(length", "formula of contest cannot be used"),
        ("length ~ double", "formula of contest cannot be used"),
        (["zero"], "contest covariate 'zero' is not identified: it is 0 in all comparisons"),
        (["length", "double"], "contest covariate 'double' is not identified"),
        ({"length": ("length", "zero", "double")}, "a pair of columns"),
        ([], "contest has no covariate"),
        (np.zeros((5, 1)), "one row for each of the 6 comparisons, got 5 x 1"),
        (["word"], "contest must hold real numbers, got the string 'w'"),
        ({"(order)": "length", "a": "double"}, "has the name of another parameter"),
    ],
)
def test_bad_input(contest, message):
    frame = pd.DataFrame(
        {
            "winner": list("abcabc"),
            "loser": list("bcacab"),
            "length": [1, -2, 0.5, 1, 0, -1],
            "missing": [1, np.nan, 2, 3, 4, 5],
            "zero": 0.0,
            "word": "w",
        }
    )
    frame["double"] = 2 * frame["length"]
    with pytest.raises(InputError, match=message):
        BradleyTerry.from_comparisons(frame, winner="winner", loser="loser").fit(contest=contest)


def test_a_matrix_has_no_contests():
    with pytest.raises(InputError, match="a matrix of wins has none; use from_comparisons"):
        BradleyTerry([[0, 2], [1, 0]]).fit(contest="x")


def test_arrays_need_numbers():
    model = BradleyTerry.from_comparisons(winner=list("abab"), loser=list("baba"))
    with pytest.raises(InputError, match="contest is a formula, but the comparisons were given as arrays"):
        model.fit(contest="x")
    assert "x1" in model.fit(contest=np.array([0.5, 0.2, -0.4, -0.3])).params.index


@pytest.mark.slow
@pytest.mark.one_environment
def test_coverage_of_the_interval_of_a_contest_covariate():
    """2000 samples of 400 votes on 6 items; the binomial standard error of the coverage is 0.5 points."""
    rng = np.random.default_rng(1)
    covered = []
    for _ in range(2000):
        a = rng.integers(0, 6, 400)
        b = (a + rng.integers(1, 6, 400)) % 6
        x = rng.normal(size=400)
        won = rng.random(400) < 1 / (1 + np.exp(-0.3 * (a - b) - 0.5 * x))
        frame = pd.DataFrame({"a": a, "b": b, "x": x, "w": np.where(won, a, b)})
        res = BradleyTerry.from_comparisons(frame, first="a", second="b", winner="w").fit(contest=["x"])
        low, high = res.conf_int(terms=["x"]).iloc[0]
        covered.append(low < 0.5 < high)
    assert 0.935 < np.mean(covered) < 0.965


def test_rows_in_another_order_are_refused():
    """Rows are matched by position, so that a shuffled column would give wrong estimates silently."""
    rng = np.random.default_rng(0)
    first, step = rng.integers(4, size=80), rng.integers(1, 4, size=80)
    games = pd.DataFrame({"winner": first, "loser": (first + step) % 4, "x": rng.normal(size=80), "g": first % 2})
    model, shuffled = BradleyTerry.from_comparisons(games), games.sample(frac=1, random_state=0)
    message = "has the rows of the data in another order: row 0 is"
    for contest in (shuffled["x"], shuffled[["x"]]):
        with pytest.raises(InputError, match=f"contest {message}"):
            model.fit(contest=contest)
    with pytest.raises(InputError, match=f"groups {message}"):
        model.fit(cov_type="cluster", cov_kwds={"groups": shuffled["x"]})
    with pytest.raises(InputError, match=f"by {message}"):
        model.fit().leaderboard(by=shuffled["g"])
    with pytest.raises(InputError, match=f"weight {message}"):
        BradleyTerry.from_comparisons(games, "winner", "loser", weight=shuffled["g"])
    expected = model.fit(contest=["x"]).params
    for contest in (games[["x"]], games["x"].set_axis(range(100, 180)), games["x"].to_numpy()):
        np.testing.assert_array_equal(model.fit(contest=contest).params, expected)
    # The categories of sorted data have covariates in the order of the data.
    sorted_games = pd.concat([games[::-1].assign(part=0), games.set_axis(range(80, 160)).assign(part=1)])
    board = BradleyTerry.from_comparisons(sorted_games).fit(contest=["x"]).leaderboard(by="part")
    assert not any("another order" in note for note in board.notes)

"""Several sources of comparisons with a weight for each."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
import statsmodels.api as sm
from scipy.optimize import minimize

from pwcstats import BradleyTerry, InputError
from pwcstats.errors import LeftOutWarning

# statsmodels and BFGS stop early.
CLOSE = {"rtol": 1e-6, "atol": 1e-7}
# BFGS with forward differences of step 1e-8, whose rounding errors move the minimum by less than this (found: 4e-8).
OPTIMISER = 1e-6
EXACT = {"rtol": 1e-10, "atol": 1e-12}
# The standard deviation of n draws has a relative standard error of 1 / sqrt(2 n); this allows three of them.
THREE_ERRORS = 3.0 / 2.0**0.5
ITEMS = list("abcd")


def games(n, seed, spread=1.0):
    """Games of four items; user and source are independent."""
    rng = np.random.default_rng(seed)
    ability = spread * np.linspace(-1, 1, 4)
    i = rng.integers(4, size=n)
    j = (i + rng.integers(1, 4, size=n)) % 4
    won = rng.random(n) < 1 / (1 + np.exp(ability[j] - ability[i]))
    names = np.array(ITEMS)
    return pd.DataFrame(
        {"w": names[np.where(won, i, j)], "l": names[np.where(won, j, i)], "user": rng.integers(30, size=n)}
    )


VOTES, EXPERTS = games(600, 1), games(80, 2, spread=-0.4)
WEIGHTS = {"votes": 1.0, "experts": 3.0}


def model_of(frame, **options):
    return BradleyTerry.from_comparisons(frame, "w", "l", **options)


def combined(weights=WEIGHTS):
    return BradleyTerry.combine({"votes": model_of(VOTES), "experts": model_of(EXPERTS)}, weights)


def design():
    """One row for each game: a column for each item but the first."""
    both = pd.concat([VOTES, EXPERTS], ignore_index=True)
    x = np.array([(both["w"] == item).astype(float) - (both["l"] == item).astype(float) for item in ITEMS[1:]]).T
    factor = 680 / 4 * np.repeat([1 / 600, 3 / 80], [600, 80])
    # Half of the games in reverse, so that not all are wins.
    sign = np.where(np.arange(680) % 2, 1.0, -1.0)
    return both, x * sign[:, None], (sign > 0).astype(float), factor


def test_the_estimates_minimise_the_weighted_means():
    """The loss as arenas write it."""

    def loss(params):
        ability = dict(zip(ITEMS, [0.0, *params], strict=True))
        return sum(
            WEIGHTS[name]
            * np.mean([np.log1p(np.exp(ability[b] - ability[a])) for a, b in zip(f["w"], f["l"], strict=True)])
            for name, f in (("votes", VOTES), ("experts", EXPERTS))
        )

    best = minimize(loss, np.zeros(3), tol=1e-12).x
    model = combined()
    np.testing.assert_allclose(model.fit(ref="a").params, best, rtol=0, atol=OPTIMISER)
    assert model.nobs == pytest.approx(680)


def test_estimates_and_sandwich_of_a_weighted_logistic_regression():
    _, x, y, factor = design()
    fit = sm.GLM(y, x, family=sm.families.Binomial(), var_weights=factor).fit(tol=1e-12)
    model = combined()
    res = model.fit(ref="a", cov_type="HC0")
    np.testing.assert_allclose(res.params, fit.params, **CLOSE)
    # Bread times meat times bread.
    score = x * (factor * (y - fit.fittedvalues))[:, None]
    np.testing.assert_allclose(
        res.cov_params(), fit.normalized_cov_params @ (score.T @ score) @ fit.normalized_cov_params, **CLOSE
    )
    # The information knows nothing of the weights: its standard errors are others.
    assert np.abs(model.fit(ref="a", cov_type="nonrobust").bse / res.bse - 1).max() > 0.3


def test_the_sandwich_is_the_default():
    model = combined()
    pd.testing.assert_series_equal(model.fit().bse, model.fit(cov_type="HC0").bse)
    pd.testing.assert_series_equal(model.fit(cov="none").params, model.fit().params)


@pytest.mark.filterwarnings("ignore:cov_type='cluster' has")
def test_clusters_across_sources():
    both, x, y, factor = design()
    fit = sm.GLM(y, x, family=sm.families.Binomial(), var_weights=factor).fit(tol=1e-12)
    score = pd.DataFrame(x * (factor * (y - fit.fittedvalues))[:, None]).groupby(both["user"]).sum().to_numpy()
    bread = fit.normalized_cov_params
    expected = bread @ (score.T @ score) @ bread * 30 / 29 * 679 / (680 - 3)
    res = combined().fit(ref="a", cov_type="cluster", cov_kwds={"groups": "user"})
    np.testing.assert_allclose(res.cov_params(), expected, **CLOSE)


@pytest.mark.slow
def test_the_sandwich_has_the_standard_deviation_of_the_estimates():
    params, errors = [], []
    for seed in range(300):
        models = {"votes": model_of(games(600, 2 * seed + 10)), "experts": model_of(games(80, 2 * seed + 11))}
        res = BradleyTerry.combine(models, WEIGHTS).fit(ref="a", cov_type="HC0")
        params.append(res.params)
        errors.append(res.bse)
    np.testing.assert_allclose(np.mean(errors, axis=0), np.std(params, axis=0), rtol=300**-0.5 * THREE_ERRORS)


def test_one_weight_for_all_is_no_weight_if_sources_have_the_same_size():
    halves = {"one": model_of(VOTES[:300]), "two": model_of(VOTES[300:])}
    for weights in (None, {"one": 7, "two": 7}):
        res = BradleyTerry.combine(halves, weights).fit(cov_type="HC0")
        whole = model_of(VOTES).fit(cov_type="HC0")
        np.testing.assert_allclose(res.params, whole.params, **EXACT)
        np.testing.assert_allclose(res.cov_params(), whole.cov_params(), **EXACT)


def test_sources_may_be_counts():
    """A matrix, counts of wins and a lazy frame are the same comparisons as rows."""
    reference = combined().fit(cov_type="HC0")
    wins = pd.crosstab(EXPERTS["w"], EXPERTS["l"]).reindex(index=ITEMS, columns=ITEMS, fill_value=0)
    n = VOTES.groupby(["w", "l"]).size().rename("n").reset_index().assign(none=0)
    for votes in (
        BradleyTerry.from_comparisons(pl.from_pandas(VOTES).lazy(), "w", "l"),
        BradleyTerry.from_comparisons(n, first="w", second="l", wins=("n", "none")),
    ):
        res = BradleyTerry.combine({"votes": votes, "experts": BradleyTerry(wins)}, WEIGHTS).fit(cov_type="HC0")
        np.testing.assert_allclose(res.params, reference.params, **EXACT)
        np.testing.assert_allclose(res.cov_params(), reference.cov_params(), **EXACT)


def test_weights_within_sources():
    """Two rows of weight 1/2 are less information than one of weight 1, but the same likelihood."""
    twice = pd.concat([VOTES, VOTES], ignore_index=True).assign(weight=0.5)
    models = {"votes": model_of(twice, weight="weight"), "experts": model_of(EXPERTS)}
    res = BradleyTerry.combine(models, WEIGHTS).fit(cov_type="HC0")
    reference = combined().fit(cov_type="HC0")
    np.testing.assert_allclose(res.params, reference.params, **EXACT)
    assert (res.bse < reference.bse).all()


def test_items_are_those_of_all_sources():
    other = pd.DataFrame({"w": ["b", "0", "b"], "l": ["0", "b", "c"], "user": 1})
    model = BradleyTerry.combine({"votes": model_of(VOTES), "few": model_of(other)})
    assert list(model.items) == ["0", *ITEMS]
    assert model.fit().params["0"] == pytest.approx(model.fit().params["b"])
    kind = pd.CategoricalDtype(["d", "c", "b", "a"])
    ordered = model_of(VOTES.astype({"w": kind, "l": kind}))
    assert list(BradleyTerry.combine({"votes": ordered, "experts": model_of(EXPERTS)}).items) == list("dcba")


def test_rows_keep_their_source():
    model = combined()
    assert list(model._data["source"]) == ["votes"] * 600 + ["experts"] * 80
    assert list(model._data["user"]) == [*VOTES["user"], *EXPERTS["user"]]
    assert model._weighted_sources
    assert not model_of(VOTES)._weighted_sources


def test_groups_that_a_source_does_not_have():
    models = {"votes": model_of(VOTES), "experts": model_of(EXPERTS[["w", "l"]])}
    with pytest.raises(InputError, match="groups is missing in row 600; fill it in"):
        BradleyTerry.combine(models).fit(cov_type="cluster", cov_kwds={"groups": "user"})


def test_rows_are_drawn_by_the_bootstrap():
    drawn = combined().fit(ref="a", cov_type="HC0").bootstrap(200, random_state=0)
    assert drawn.n_units == 680
    np.testing.assert_allclose(drawn.bse, combined().fit(ref="a", cov_type="HC0").bse, rtol=200**-0.5 * THREE_ERRORS)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda m: BradleyTerry.combine([m, m]), "models must be a dict of BradleyTerry models, got list"),
        (lambda m: BradleyTerry.combine({"a": m, "b": VOTES}), "models must be a dict of BradleyTerry models"),
        (lambda m: BradleyTerry.combine({"a": m}), "models must have at least 2 models, got 1"),
        (
            lambda m: BradleyTerry.combine({"a": m, "b": m}, {"a": 1}),
            r"weights must be a dict with a weight for each of the models \(a, b\), got \(a\)",
        ),
        (lambda m: BradleyTerry.combine({"a": m, "b": m}, [1, 2]), r"weights must be a dict .* got \[1, 2\]"),
        (lambda m: BradleyTerry.combine({"a": m, "b": m}, {"a": 1, "b": 0}), "finite numbers > 0, got 0 for b; leave"),
        (lambda m: BradleyTerry.combine({"a": m, "b": m}, {"a": 1, "b": "x"}), "finite numbers > 0, got 'x' for b"),
        (
            lambda m: BradleyTerry.combine({"a": m, "b": model_of(VOTES.assign(source=1))}),
            "the data of b have a column 'source'",
        ),
    ],
)
def test_input_errors(call, message):
    with pytest.raises(InputError, match=message):
        call(model_of(VOTES))


def test_weights_of_sources_do_not_change_numbers_of_comparisons():
    votes = BradleyTerry([[0, 40, 9], [60, 0, 8], [7, 6, 0]], items=list("xyz"))
    experts = BradleyTerry([[0, 1, 1], [1, 0, 1], [1, 1, 0]], items=list("xyz"))
    model = BradleyTerry.combine({"votes": votes, "experts": experts}, weights={"votes": 1, "experts": 3})
    board = model.fit().leaderboard(by="source")
    assert board.category_nobs == {"overall": 136, "votes": 130, "experts": 6}
    assert "experts: only 6 comparisons of 3 items, so intervals and rank sets are rough" in board.notes
    overall = board.frame[board.frame["category"] == "overall"].set_index("item")["games"]
    assert overall.to_dict() == {"x": 120, "y": 118, "z": 34}
    unbeaten = BradleyTerry([[0, 1], [0, 0]], items=["w", "x"])
    with pytest.warns(LeftOutWarning, match=r"1 item of 4 and 1 of 131 comparisons are left out"):
        part = BradleyTerry.combine({"votes": votes, "other": unbeaten}).largest()
    np.testing.assert_array_equal(part._n_games(), [116, 114, 30])


def test_likelihood_methods_are_refused():
    """The likelihood is a weighted one, so that its ratios have no chi-squared distribution."""
    res = combined().fit(cov_type="nonrobust")
    for call in (res.goodness_of_fit, lambda: res.conf_int(method="profile"), lambda: res.abilities(method="profile")):
        with pytest.raises(InputError, match="is not valid if sources have weights"):
            call()
    smaller = combined().fit(cov_type="nonrobust", covariates=pd.DataFrame({"x": np.arange(4.0)}, index=ITEMS))
    with pytest.raises(InputError, match="a likelihood-ratio test is not valid if sources have weights"):
        res.lr_test(smaller)

"""Why numbers of Chang (2003) differ: the Bayes rule, radial machines, and the rules of Table 3."""

import re

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from sklearn.model_selection import KFold
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from pwcstats import datasets
from pwcstats._jobs import seed_of
from pwcstats.studies import chang, chang_causes, chang_runs
from pwcstats.studies.chang_runs import SCORES

from .test_study_chang_verdicts import radials

pytestmark = pytest.mark.one_environment

CENTRES = {
    "printed": np.array([(0, 0), (1, 0), (0, 1), (-1, 0), (0, -1)]),
    "diagonal": np.array([(0, 0), (1, 1), (1, -1), (-1, 1), (-1, -1)]),
}
# Of a sum over squares of this width, at the border of the region; and of the integral.
STEP, GRID_ERROR = 0.02, 5e-5


def densities(x, y, d, layout):
    """Of the five groups, the positive one first."""
    return [np.exp(-((x - d * a) ** 2 + (y - d * b) ** 2) / 2) / (2 * np.pi) for a, b in CENTRES[layout]]


class TestBestAccuracy:
    @pytest.mark.parametrize("layout", ["printed", "diagonal"])
    @pytest.mark.parametrize("d", [0.5, 1.5, 2.0, 3.0])
    def test_by_a_sum_over_squares(self, d, layout):
        grid = np.arange(-11, 11, STEP)
        own, *others = densities(grid[:, None], grid, d, layout)
        expected = np.maximum(own, sum(others)).sum() * STEP**2 / 5
        assert chang.best_accuracy(d, layout) == pytest.approx(expected, abs=GRID_ERROR)

    @pytest.mark.parametrize("layout", ["printed", "diagonal"])
    def test_by_simulation(self, layout):
        sample = datasets.chang_clover(2.0, 1, 40_000, layout=layout, random_state=0)
        own, *others = densities(*sample.data.T, 2.0, layout)
        share = np.mean((own > sum(others)) == (sample.target == 0))
        # Three standard errors.
        assert chang.best_accuracy(2.0, layout) == pytest.approx(share, abs=3 * 0.4 / np.sqrt(200_000))

    @pytest.mark.parametrize(
        ("layout", "limit"), [("printed", np.sqrt(2 * np.log(4))), ("diagonal", np.sqrt(np.log(4)))]
    )
    def test_where_nothing_is_called_positive(self, layout, limit):
        """Near (0, 0), the density of the positives is four times that of a negative group at this distance."""
        assert chang.best_accuracy(limit - 1e-6, layout) == 0.8
        assert 0.8 < chang.best_accuracy(limit + 0.05, layout) < 0.801


class TestLayout:
    def test_no_rule_has_the_printed_accuracies(self):
        found = chang.layout().set_index(["layout", "d"])
        assert (found["verdict"] == "").all()
        beyond = found["difference"] < -found["allowed"]
        assert beyond["printed"].to_dict() == {d: d >= 2 for d in beyond["printed"].index}
        assert not beyond["diagonal"].any()
        assert (beyond == (found["note"] != "")).all()
        row = found.loc[("printed", 2.0)]
        assert (row["paper"], row["estimate"]) == (89.1, 100 * chang.best_accuracy(2.0, "printed"))
        share = row["estimate"] / 100
        chance = stats.norm.ppf(0.995) * 100 * np.sqrt(share * (1 - share) / 1000)
        assert row["allowed"] == pytest.approx(chance + 0.05, abs=1e-9)

    def test_the_cause_is_given_where_it_holds(self):
        assert chang_causes.misprinted(1.5) == ""
        cause = chang_causes.misprinted(2.0)
        assert "81.5 % at d = 2 (in print 89.1), 90.5 % at d = 3 (in print 97.5)" in cause
        assert re.search("`pwcstats reproduce chang.layout`", cause)


class TestRadial:
    def test_a_run_against_its_parts(self):
        """Ten folds, nine machines each, columns standardised for each of them."""
        tuned, overfitted = chang_runs._radial(3.0, run=1, seed=4)
        own = seed_of("clover", 4, 3.0, 1)
        sample = datasets.chang_clover(3.0, random_state=own)
        x, positive, train = sample.data, sample.target == 0, sample.train

        def fitted(rows, new, **settings):
            scaler = StandardScaler().fit(x[rows])
            return SVC(**settings).fit(scaler.transform(x[rows]), positive[rows]).predict(scaler.transform(x[new]))

        rows, folds = np.flatnonzero(train), KFold(10, shuffle=True, random_state=own)
        right = {}
        for C in (4.0, 8.0, 16.0):
            for gamma in (0.5, 1.0, 2.0):
                shares = [
                    np.mean(fitted(rows[a], rows[b], C=C, gamma=gamma) == positive[rows[b]])
                    for a, b in folds.split(rows)
                ]
                right[C, gamma] = round(np.mean(shares), 12)
        assert (tuned["C"], tuned["gamma"]) == max(right, key=right.get)
        assert (overfitted["C"], overfitted["gamma"]) == (8.0, 8.0)
        for record in (tuned, overfitted):
            called = fitted(train, ~train, C=record["C"], gamma=record["gamma"])
            truth = positive[~train]
            assert record["false positives"] == (called & ~truth).sum()
            assert record["true positives"] == (called & truth).sum()

    def test_a_disagreement_needs_machines_that_show_its_cause(self, monkeypatch):
        nothing = (800, 0, 200, 0)
        monkeypatch.setattr(chang_causes, "radial", radials(nothing))
        near, far = (chang.svm().query(f"verdict != '' and {where}") for where in ("d <= 1", "d > 1"))
        assert near["verdict"].tolist() == ["disagree"] * 4
        assert near["cause"].str.contains("`pwcstats reproduce chang.svm --size paper`").all()
        assert set(far["verdict"]) <= {"agree", "no power"}
        # Now the others do not have the printed counts either.
        monkeypatch.setattr(chang_causes, "radial", radials(nothing, overfitted=20.0))
        table = chang.svm()
        assert table[(table["verdict"] != "") & (table["d"] <= 1)]["verdict"].tolist() == ["open"] * 4
        assert (table["cause"] == "").all()


@pytest.fixture(scope="module")
def runs():
    return chang.ordered(distances=(0.5,), runs=15)


class TestRules:
    def test_the_printed_rules_are_mixed(self, runs):
        p = chang_causes.p_values(runs).unstack()
        assert set(p.index) == {"argmax", *chang_runs.CUTS}
        # Groups 1 and 2 have thresholds, group 3 has not, and no rule gives all.
        assert (p.loc["argmax", [1, 2]] < 0.001).all()
        assert (p.loc["thresholds", [1, 2]] > 0.1).all()
        assert p.loc["argmax", 3] > 0.1
        assert p.loc["thresholds", 3] < 0.001
        assert (p.min(axis=1) < 0.001).all()
        assert "`pwcstats reproduce chang.rules --size paper`" in chang_causes.mixed(runs)

    def test_no_cause_if_the_rules_are_not_mixed(self, runs):
        """If argmax does not give group 3; if it gives group 1, too; and if one rule gives all."""
        key = runs["rule"] + runs["group"].astype(str)
        scores = list(SCORES)

        def with_scores(names, source):
            changed = runs.copy()
            for name in names:
                changed.loc[key == name, scores] = runs.loc[key == source, scores].to_numpy()
            return changed

        assert chang_causes.mixed(with_scores([], "")) != ""
        assert chang_causes.mixed(with_scores(["argmax3"], "thresholds3")) == ""
        assert chang_causes.mixed(with_scores(["argmax1"], "thresholds1")) == ""
        printed = pd.DataFrame(chang.PAPER_3).T.loc[0.5]
        noise = np.random.default_rng(0).normal(scale=0.01, size=(15, 4))
        one = runs.copy()
        for group in range(5):
            one.loc[key == f"balanced{group}", scores] = printed.loc[group].to_numpy() + noise
        assert chang_causes.mixed(one) == ""

    def test_table(self, monkeypatch, runs):
        monkeypatch.setattr(chang_causes, "ordered", lambda size, **how: runs)
        table = chang.rules()
        assert (table["verdict"] == "").all()
        assert len(table) == 6 * 5
        p = chang_causes.p_values(runs)
        np.testing.assert_array_equal(table.set_index(["rule", "group"])["estimate"], p)
        assert ((table["note"] != "") == (table["estimate"] < 0.01)).all()

    def test_p_values(self):
        """Of one score that of a t-test of one more run; of two those of the region with this probability."""
        rng = np.random.default_rng(0)
        one = rng.normal(size=(12, 1))
        expected = stats.ttest_ind(one[:, 0], [1.7], equal_var=True).pvalue
        assert chang_causes._hotelling(one, np.array([1.7])) == pytest.approx(expected, rel=1e-6)
        mixing = np.array([[1.0, 0.9], [0.0, 0.2]])
        p = [
            chang_causes._hotelling(rng.normal(size=(12, 2)) @ mixing, rng.normal(size=2) @ mixing) for _ in range(3000)
        ]
        for level in (0.01, 0.1, 0.5):
            assert np.mean(np.array(p) < level) == pytest.approx(level, abs=3.5 * np.sqrt(level * (1 - level) / 3000))

    def test_scores_that_do_not_vary(self):
        """Rounding is the only difference then."""
        runs = np.full((10, 2), 0.8)
        assert chang_causes._hotelling(runs, np.array([0.8002, 0.7999])) > 0.1
        assert chang_causes._hotelling(runs, np.array([0.8, 0.81])) < 1e-6

    def test_thresholds(self):
        proba = np.array([0.9, 0.8, 0.6, 0.4, 0.3, 0.2])
        truth = np.array([True, False, True, True, False, False])
        expected = {"thresholds": 0.4, "balanced": 0.4, "accuracy": 0.4, "half": 0.5}
        for name, threshold in expected.items():
            assert chang_runs.CUTS[name](proba, truth) == threshold, name
        assert (proba >= chang_runs.CUTS["prevalence"](proba, truth)).sum() == 3
        # Of one positive among five, the second with one false positive before it: the accuracy does not gain by it.
        rare = np.array([True, False, True, False, False, False])
        assert chang_runs.CUTS["accuracy"](proba, rare) == 0.9
        assert chang_runs.CUTS["balanced"](proba, rare) == 0.6

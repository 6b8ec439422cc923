"""Hastie & Tibshirani: the example (1) and Figures 1 to 3, against the paper and slow reference implementations."""

from functools import partial
from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis
from sklearn.neighbors import KNeighborsClassifier

from pwcstats import BiasedNeighborsClassifier, PairwiseClassifier
from pwcstats._jobs import seed_of
from pwcstats.datasets import hastie_tibshirani_gaussians, hastie_tibshirani_mixtures
from pwcstats.studies import hastie_tibshirani as study
from pwcstats.studies import hastie_tibshirani_runs as runs
from pwcstats.studies.tables import COLUMNS
from tests import reference
from tests.plotting import draw

pytestmark = pytest.mark.one_environment

# Rounding of sums in another order.
EXACT = 1e-12
# The slow sweep ends at 1e-13 of the least probability.
SWEEP = 1e-11
# Errors in Figure 3 that other code found, with standard errors below 0.01: ours may differ by so many of our own.
ERRORS_3 = {
    ("LDA", "all classes", "none"): 0.275,
    ("LDA", "coupled", "cv"): 0.164,
    ("QDA", "all classes", "none"): 0.01,
}
STANDARD_ERRORS = 3.0
# Numbers of sweeps by start.
SWEEPS = {"2 sweeps from the order shortcut": 2, "3 sweeps from equal probabilities": 3}


class TestExample:
    def test_the_printed_answer_is_not_converged(self):
        """What is in print as the solution is judged once, as that."""
        found = study.example().set_index(["answer", "event"])
        np.testing.assert_array_equal(found["paper"], study.PAPER_1 * 3)
        for sweeps in SWEEPS:
            assert found.loc[sweeps, "estimate"].round(2).tolist() == list(study.PAPER_1)
            assert found.loc[sweeps, "verdict"].tolist() == ["", "", ""]
        # The third follows from the others.
        assert found.loc["minimum", "verdict"].tolist() == ["disagree", "disagree", ""]
        assert found.loc["minimum", "cause"].str.startswith("the printed numbers are not converged").tolist() == [
            True, True, False
        ]  # fmt: skip

    def test_the_sweeps(self):
        """The paper's step 2 in fractions of loops."""
        r, found = study.R_1, study.example().set_index("answer")["estimate"]
        starts = [2 * sum(row) / 6 for row in r], [1 / 3] * 3
        for (answer, sweeps), p in zip(SWEEPS.items(), starts, strict=True):
            for i in (0, 1, 2) * sweeps:
                others = [j for j in range(3) if j != i]
                p[i] *= sum(r[i][j] for j in others) / sum(p[i] / (p[i] + p[j]) for j in others)
                p = [value / sum(p) for value in p]
            np.testing.assert_allclose(found[answer], p, atol=EXACT)
        np.testing.assert_allclose(found["minimum"], reference.ht_sweep(r), atol=SWEEP)
        np.testing.assert_allclose(found["minimum"], [0.48107, 0.24164, 0.27729], atol=5e-6)


def pairs_by_hand(sample):
    """r of all test cases, one LDA for each pair."""
    x, y, new = sample.data[sample.train], sample.target[sample.train], sample.data[~sample.train]
    k = y.max() + 1
    r = np.full((len(new), k, k), 0.5)
    for i, j in combinations(range(k), 2):
        rows = (y == i) | (y == j)
        r[:, i, j] = LinearDiscriminantAnalysis().fit(x[rows], y[rows]).predict_proba(new)[:, 0]
        r[:, j, i] = 1 - r[:, i, j]
    return r, sample.target[~sample.train]


class TestPlane:
    @pytest.mark.parametrize("figure", [1, 2])
    def test_one_sample(self, figure):
        (found,) = runs.mixture(figure, number=2, seed=5)
        sample = hastie_tibshirani_mixtures(figure, random_state=seed_of("mixtures", figure, 5, 2))
        r, truth = pairs_by_hand(sample)
        votes = np.array([3 * reference.vote(row) for row in r]).round().astype(int)
        wrong, tied = [], []
        for vote, true in zip(votes, truth, strict=True):
            best = [k for k in range(3) if vote[k] == max(vote)]
            wrong.append(1 - 1 / len(best) if true in best else 1)
            tied.append(len(best) > 1)
        # All pairs have 400 cases: coupled probabilities have the order of the sums of r.
        coupled = r.sum(axis=2).argmax(axis=1)
        tied = np.array(tied)
        expected = {
            "max-wins": np.mean(wrong),
            "coupled": np.mean(coupled != truth),
            "undecided": tied.mean(),
            "to_first": np.mean(coupled[tied] == 0),
        }
        assert 0.01 < tied.mean() < 0.5
        for name, learner in (("LDA", LinearDiscriminantAnalysis()), ("QDA", QuadraticDiscriminantAnalysis())):
            learner.fit(sample.data[sample.train], sample.target[sample.train])
            expected[name] = 1 - learner.score(sample.data[~sample.train], truth)
            if name == "LDA":
                expected["same"] = np.mean(learner.predict(sample.data[~sample.train]) == coupled)
        assert found == pytest.approx(expected, abs=EXACT)

    def test_what_the_paper_says(self):
        for table in (study.figure1(), study.figure2()):
            assert tuple(table.columns) == ("rule", *COLUMNS)
            assert table["paper"].isna().all()  # no number of these figures is in the text
            assert (table["verdict"] == "").all()
            words = table[table["rule"].isna()].set_index("quantity")["note"]
            held = words.str.startswith("holds, and our centres were chosen so that it does")
            assert held.sum() >= 3
            # How similar boundaries are cannot be judged.
            assert [quantity for quantity in words.index if "similar" in quantity] == words.index[~held].tolist()

    def test_what_does_not_hold_is_said(self):
        table = study.figure2()
        false = study._with_claims(table.head(1), study.claim("QDA is worse", 0.1, 0.0, "difference", below=0.0))
        assert false["verdict"].tolist()[-1] == "open"
        assert false["note"].tolist()[-1] == "difference"

    def test_means_and_differences(self):
        table = study.figure1(samples=4, random_state=3)
        cells = [runs.mixture(1, place, 3)[0] for place in range(4)]
        frame = pd.DataFrame(cells)
        errors = table[table["quantity"] == "test error"].set_index("rule")
        for rule in ("max-wins", "coupled", "LDA", "QDA"):
            assert errors.loc[rule, "estimate"] == pytest.approx(frame[rule].mean(), abs=EXACT)
            assert errors.loc[rule, "std_error"] == pytest.approx(frame[rule].std() / 2, abs=EXACT)
        row = table.set_index("quantity").loc["coupling performs better than LDA"]
        gap = frame["coupled"] - frame["LDA"]
        assert row["estimate"] == pytest.approx(gap.mean(), abs=EXACT)
        assert row["std_error"] == pytest.approx(gap.std() / 2, abs=EXACT)
        share = table.set_index("quantity").loc["undecided that go to class 1", "estimate"]
        assert share == pytest.approx(frame["to_first"].mean(), abs=EXACT)
        row = table.set_index("quantity").loc["coupling has decision boundaries similar to those of LDA"]
        assert row["estimate"] == pytest.approx(frame["same"].mean(), abs=EXACT)

    @pytest.mark.parametrize(
        ("differences", "agrees"),
        [
            ([-0.02, -0.021, -0.02], True),
            ([0.02, 0.021, 0.02], False),
            ([-0.02, 0.03, -0.02], False),
            # t-tests with two degrees of freedom: p is 0.011 and 0.009.
            ([-0.0118, -0.01, -0.0082], False),
            ([-0.0116, -0.01, -0.0084], True),
        ],
    )
    def test_claims_can_fail(self, differences, agrees):
        differences = pd.Series(differences)
        assert (stats.ttest_1samp(differences, 0.0).pvalue < 0.01) == (agrees or differences.mean() > 0)
        assert study._compared("", differences)["verdict"].item() == ("agree" if agrees else "open")

    def test_one_sample_tells_nothing(self):
        with np.errstate(invalid="ignore"):
            assert study._compared("", pd.Series([-0.02]))["verdict"].item() == "open"


def by_lot(score, truth):
    """Error if one of the classes with the largest score is drawn."""
    wrong = 0.0
    for row, true in zip(score, truth, strict=True):
        best = [k for k in range(len(row)) if row[k] > max(row) - EXACT]
        wrong += 1 - 1 / len(best) if true in best else 1
    return wrong / len(truth)


def error_of_ratio(top, bottom):
    """Standard error of a ratio of means, term by term."""
    ratio, n = top.mean() / bottom.mean(), len(top)
    (first, both), (_, second) = np.cov(top, bottom)
    return np.sqrt((first + ratio**2 * second - 2 * ratio * both) / n) / bottom.mean()


@pytest.fixture
def small(monkeypatch):
    """Figure 3 with fewer classes, cases and J."""
    draw_one = partial(hastie_tibshirani_gaussians, 30, 40, n_classes=4, n_features=6)
    monkeypatch.setattr(runs, "hastie_tibshirani_gaussians", draw_one)
    monkeypatch.setattr(runs, "NEIGHBOURS", (1, 3, 5))
    return draw_one


class TestFigure3:
    def test_one_simulation(self, small):
        """The rules of one fit are those of classifiers fitted one by one."""
        found = pd.DataFrame(runs.gaussians(4, 7)).set_index(["learner", "rule", "threshold"]).sort_index()
        own = seed_of("gaussians", 7, 4)
        sample = small(random_state=own)
        train = sample.data[sample.train], sample.target[sample.train]
        new, truth = sample.data[~sample.train], sample.target[~sample.train]
        nearest = {str(j): KNeighborsClassifier(j) for j in (1, 3, 5)}
        for name, learner in (("LDA", LinearDiscriminantAnalysis()), ("J-NN", nearest)):
            for threshold in (None, "cv"):
                clf = PairwiseClassifier(learner, coupling="ht", threshold=threshold, selection_cv=5, random_state=own)
                clf.fit(*train)
                for rule, score in (("coupled", clf.predict_proba(new)), ("max-wins", clf.votes(new))):
                    error = found["error"].dropna()[name, rule, threshold or "none"]
                    assert error == pytest.approx(by_lot(score, truth), abs=EXACT)
        assert found["neighbours"]["J-NN", "pairs", "none"].item() == clf.pairs_["learner"].astype(int).mean() / 2

        clf = PairwiseClassifier(BiasedNeighborsClassifier((1, 3, 5)), coupling="ht").fit(*train)
        error = found["error"].dropna()["J-NN", "coupled", "distances"]
        assert error == pytest.approx(by_lot(clf.predict_proba(new), truth), abs=EXACT)
        (row,) = found.loc[[("J-NN", "pairs", "distances")]].to_dict("records")
        assert row["neighbours"] == np.mean([one.n_neighbors_ for one in clf.estimators_.values()]) / 2
        assert row["bias"] == pytest.approx(np.mean([abs(one.bias_) for one in clf.estimators_.values()]), abs=EXACT)

        normal = [
            [
                -np.linalg.slogdet(c)[1] - (x - m) @ np.linalg.solve(c, x - m)
                for m, c in zip(sample.means, sample.covariances, strict=True)
            ]
            for x in new
        ]
        bayes = np.mean(np.argmax(normal, axis=1) != truth)
        assert found["error"].dropna()["Bayes", "true densities", "none"] == pytest.approx(bayes, abs=EXACT)

    @pytest.mark.usefixtures("small")
    def test_table_and_picture(self):
        table = study.figure3(simulations=5, random_state=1)
        assert tuple(table.columns) == (*study.BY, *study.BOX, *COLUMNS)
        frame = pd.concat(pd.DataFrame(runs.gaussians(place, 1)) for place in range(5)).groupby(list(study.BY))
        errors = table[table["quantity"] == "test error"].set_index(list(study.BY))
        assert len(errors) == 14
        for key, row in errors.iterrows():
            values = frame.get_group(key)["error"].dropna()
            assert len(values) == 5
            assert row["estimate"] == pytest.approx(values.mean(), abs=EXACT)
            np.testing.assert_allclose(
                row[list(study.BOX)].astype(float), np.quantile(values, [0, 0.25, 0.5, 0.75, 1]), atol=EXACT
            )
        lda = frame.get_group(("LDA", "coupled", "cv"))["error"].mean() / (
            frame.get_group(("LDA", "all classes", "none"))["error"].mean()
        )
        row = table.set_index("quantity").loc["coupled pairs nearly halve the error rate of LDA"]
        assert row["estimate"] == pytest.approx(lda, abs=EXACT)
        clear = abs(lda - 2 / 3) > stats.t.ppf(0.995, 4) * row["std_error"]
        assert row["verdict"] == ("agree" if clear and lda < 2 / 3 else "open")
        printed = table.dropna(subset=["paper"]).set_index(["quantity", "rule"])
        assert len(printed) == 5
        # Friedman's median stands beside ours, without a verdict.
        median = printed.loc["median test error", "max-wins"]
        assert median["paper"] == 0.16
        assert median["runs"] == 5
        assert median["estimate"] == errors["median"]["J-NN", "max-wins", "distances"]
        assert median["verdict"] == ""
        # A printed standard error counts, and where there is none, the paper's twenty simulations.
        for quantity, rule, paper, error in (
            ("nearest neighbours", "all classes", 6.70, 0.590),
            ("nearest neighbours", "pairs", 4.47, 0.122),
            ("bias of distances", "pairs", 0.07, None),
        ):
            row = printed.loc[quantity, rule]
            theirs = row["std_error"] * np.sqrt(5 / 20) if error is None else error
            chance = stats.t.ppf(0.995, 4) * np.hypot(row["std_error"], theirs)
            assert row["paper"] == paper
            assert row["allowed"] == pytest.approx(chance + 0.005, abs=1e-9)
        figure = draw(study._draw_3(table))
        words = [label.get_text() for label in figure.axes[0].get_yticklabels()]
        assert {"Bayes", "true densities", "J-NN", "coupled, biased distances", "max-wins, thresholds"} <= set(words)
        diamonds = next(line for line in figure.axes[0].lines if line.get_marker() == "D")
        places = dict(zip(figure.axes[0].get_yticks(), words, strict=True))
        shown = zip(*diamonds.get_data(), strict=True)
        assert [(x, places[y]) for x, y in shown if np.isfinite(x)] == [(0.16, "max-wins, biased distances")]

    @pytest.mark.parametrize("times", [1.0, 4.0])
    def test_six_times_as_many_neighbours(self, times):
        """Noise of ours, with the covariance of both, and of the paper's, which prints two standard errors."""
        pairs, whole = np.array([4.0, 4.4, 3.9, 4.2]), 10 / times * np.array([4.1, 4.0, 4.3, 3.8])
        rows = [
            (simulation, *key, value)
            for key, values in ((study.PAIRS, pairs), (study.ALL, whole))
            for simulation, value in enumerate(values)
        ]
        found = study._times(pd.DataFrame(rows, columns=["simulation", *study.BY, "neighbours"])).iloc[0]
        ratio = 10 * pairs.mean() / whole.mean()
        assert found["estimate"] == pytest.approx(ratio, abs=EXACT)
        assert found["std_error"] == pytest.approx(error_of_ratio(10 * pairs, whole), rel=1e-12)
        theirs = 44.7 / 6.70 * np.hypot(0.122 / 4.47, 0.590 / 6.70)
        allowed = stats.t.ppf(0.995, 3) * np.hypot(found["std_error"], theirs)
        assert found[["paper", "difference", "allowed"]].tolist() == pytest.approx([6, ratio - 6, allowed], rel=1e-12)
        assert found["verdict"] == ""

    @pytest.mark.parametrize(("left", "bayes"), [(0.64, 0.0099), (0.70, 0.0101)])
    def test_statements_have_limits(self, left, bayes):
        """A third less, or more, is nearly half; and 1 % is the limit of the Bayes error."""
        rng = np.random.default_rng(0)
        whole = 0.25 + rng.normal(scale=0.02, size=6)
        coupled = whole + rng.normal(scale=0.001, size=6)
        coupled *= left * whole.mean() / coupled.mean()
        values = {("Bayes", "true densities", "none"): np.full(6, bayes)}
        for learner, threshold in (("LDA", "cv"), ("J-NN", "distances")):
            values[learner, "all classes", "none"] = whole
            values[learner, "coupled", threshold], values[learner, "max-wins", threshold] = coupled, coupled + 0.01
        rows = [(place, *key, value) for key, found in values.items() for place, value in enumerate(found)]
        found = pd.concat(study._claims_3(pd.DataFrame(rows, columns=["simulation", *study.BY, "error"])))
        assert found["verdict"].tolist()[1:3] == ["agree" if left < 0.67 else "open"] * 2
        # The reading was chosen by it: no evidence where it holds.
        first = found.iloc[0]
        assert (first["verdict"] == "") == first["note"].startswith("holds, and our reading") == (bayes < 0.01)
        halves = found[found["quantity"].str.contains("halve")]
        np.testing.assert_allclose(halves["estimate"], left, rtol=1e-12)
        np.testing.assert_allclose(halves["std_error"], error_of_ratio(coupled, whole), rtol=1e-9)

    @pytest.mark.slow
    def test_the_papers_size_of_problem(self):
        """Three of the paper's twenty simulations."""
        table = study.figure3(simulations=3)
        errors = table[table["quantity"] == "test error"].set_index(list(study.BY))
        for key, known in ERRORS_3.items():
            row = errors.loc[key]
            assert row["estimate"] == pytest.approx(known, abs=STANDARD_ERRORS * row["std_error"])
        row = errors.loc["J-NN", "max-wins", "distances"]
        assert row["estimate"] == pytest.approx(study.PAPER_3, abs=STANDARD_ERRORS * row["std_error"])
        # Biased distances are what helps nearest neighbours; thresholds of their shares do less.
        nearest = errors["estimate"]["J-NN"]
        assert nearest["coupled", "distances"] < nearest["coupled", "cv"] - 0.01 < nearest["coupled", "none"] - 0.02


def test_pictures_of_the_plane():
    for number, panels in ((1, 3), (2, 4)):
        figure = draw(study.EXHIBITS[number].draw(None, 4))
        titles = [axes.get_title().split("\n")[0] for axes in figure.axes]
        assert titles == ["pairs of LDA, max-wins", "pairs of LDA, coupled by ht", "LDA", "QDA"][:panels]
        (found,) = runs.mixture(number, 0, 4)
        shown = [float(axes.get_title().rsplit(": ", 1)[1]) for axes in figure.axes]
        expected = [found[rule] for rule in ("max-wins", "coupled", "LDA", "QDA")][:panels]
        np.testing.assert_allclose(shown, expected, atol=0.0005 + EXACT)
        assert [text.get_text() for text in figure.legends[0].get_texts()][:3] == ["1", "2", "3"]


def test_exhibits():
    names = [exhibit.name for exhibit in study.EXHIBITS]
    assert names == ["example", "figure1", "figure2", "figure3"]
    assert all(exhibit.table is getattr(study, exhibit.name) for exhibit in study.EXHIBITS)
    assert [exhibit.picture is None for exhibit in study.EXHIBITS] == [True, False, False, True]
    assert [exhibit.figure is None for exhibit in study.EXHIBITS] == [False, True, True, False]
    assert all(len(exhibit.about) > 100 for exhibit in study.EXHIBITS)
    how = {"random_state": 0, "n_jobs": 1, "progress": False, "cache": None}
    for exhibit in study.EXHIBITS[:3]:
        table = exhibit.table("quick", **how)
        assert tuple(table.columns[-len(COLUMNS) :]) == COLUMNS


def test_picture_of_the_example():
    figure = draw(study.EXHIBITS[0].figure(None))
    right = figure.axes[1]
    shown = {line.get_label(): line.get_ydata() for line in right.lines if not line.get_label().startswith("_")}
    estimates = study.example().set_index("answer")["estimate"]
    for sweeps in SWEEPS:
        np.testing.assert_array_equal(shown[sweeps], estimates[sweeps])
    np.testing.assert_allclose(shown["minimum (ht)"], estimates["minimum"], atol=EXACT)
    np.testing.assert_allclose(shown["vote"], 1 / 3, atol=EXACT)

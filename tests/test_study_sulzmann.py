"""Sulzmann, Fürnkranz & Hüllermeier: theorems and examples, against fractions, loops and scikit-learn."""

from fractions import Fraction
from itertools import permutations, product
from math import prod

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.multiclass import OneVsRestClassifier

from pwcstats._jobs import seed_of
from pwcstats.datasets import load, sulzmann_counts
from pwcstats.studies import sulzmann as study
from pwcstats.studies import sulzmann_runs as runs
from pwcstats.studies.tables import COLUMNS
from tests import reference
from tests.plotting import draw

pytestmark = pytest.mark.one_environment

# Rounding of logarithms and sums in another order.
EXACT = 1e-12
# Fractions are printed exactly, and the smoothing of 1e-12 is felt in the thirteenth digit.
PRINTED = 1e-11


def posterior(x, y, case, sizes, alpha=1):
    """Naive Bayes of relative frequencies in fractions, smoothed; the sizes are numbers of categories."""
    score = {}
    for label in np.unique(y):
        rows = x[y == label]
        share = [
            Fraction(int((rows[:, column] == case[column]).sum()) + alpha, len(rows) + alpha * sizes[column])
            for column in range(x.shape[1])
        ]
        score[label] = Fraction(len(rows), len(y)) * prod(share)
    total = sum(score.values())
    return [value / total for value in score.values()]


@pytest.fixture(scope="module")
def exact():
    """Some cases of simulated data: posteriors of all classes, and of each pair by a fit of its own, in fractions."""
    task = runs._task("simulated, 5 classes", "categorical", 12, 4)
    sizes, labels = [3] * 8, np.unique(task.y)
    whole = [posterior(task.x, task.y, case, sizes) for case in task.new]
    pairs = []
    for case in task.new:
        r = [[None] * 5 for _ in range(5)]
        for i, j in permutations(range(5), 2):
            rows = np.isin(task.y, labels[[i, j]])
            r[i][j] = posterior(task.x[rows], task.y[rows], case, sizes)[0 if i < j else 1]
        pairs.append(r)
    return task, whole, pairs


def judged(table):
    """The verdicts on rows that are judged."""
    return table.loc[table["verdict"] != "", "verdict"].tolist()


class TestTheorems:
    def test_theorem1_in_fractions(self, exact):
        """Not only in doubles: the sums are equal, and need not be made to sum to 1."""
        _, whole, pairs = exact
        for p, r in zip(whole, pairs, strict=True):
            assert [sum((p[i] + p[j]) / 4 * r[i][j] for j in range(5) if j != i) for i in range(5)] == p

    def test_theorems2_and_3_in_fractions(self, exact):
        _, whole, pairs = exact
        for p, r in zip(whole, pairs, strict=True):
            sums = [sum(r[i][j] for j in range(5) if j != i) for i in range(5)]
            votes = [sum((r[i][j] > 0.5) + Fraction(r[i][j] == 0.5) / 2 for j in range(5) if j != i) for i in range(5)]
            for score in (sums, votes):
                assert all((p[i] < p[j]) == (score[i] < score[j]) for i, j in permutations(range(5), 2))

    def test_posteriors_are_those_of_fractions(self, exact):
        task, whole, pairs = exact
        joint, r = runs._posteriors(task)
        np.testing.assert_allclose(
            np.exp(joint) / np.exp(joint).sum(axis=1, keepdims=True), np.array(whole, dtype=float), atol=EXACT
        )
        for i, j in permutations(range(5), 2):
            np.testing.assert_allclose(r[:, i, j], [float(one[i][j]) for one in pairs], atol=EXACT)

    @pytest.mark.parametrize("theorem", [study.theorem1, study.theorem2, study.theorem3])
    def test_tables(self, theorem):
        table = theorem(sets=["iris", "nursery"], random_state=2)
        assert tuple(table.columns) == ("data", "learner", *COLUMNS)
        rows, said = table.iloc[:-1], table.iloc[-1]
        assert list(zip(rows["data"], rows["learner"], strict=True)) == [
            *((data, "categorical") for data in (*runs.SIMULATED, runs.TWINS, "iris", "nursery")),
            ("iris", "Gaussian"),
        ]
        # None of them is in print: all together they are one verdict.
        assert (rows["verdict"] == "").all()
        assert rows["paper"].isna().all()
        assert said["verdict"] == "agree"
        assert said["estimate"] == (rows["estimate"].max() if theorem is study.theorem1 else 0)
        cases = rows["note"].str.extract(r"(\d+) cases")[0].astype(int).sum()
        assert said["note"].endswith(f"in {cases} cases, of 7 sets of data with one or two learners")
        words = dict(zip(rows["data"], rows["note"], strict=True))
        assert words["simulated, 20 classes"].startswith("500 cases, 20 classes")
        if theorem is not study.theorem1:
            assert words[runs.TWINS] == "267 cases, 8 classes; 267 cases with ties"

    def test_they_can_fail(self, monkeypatch):
        """LDA, whose pairs have covariances of their own, keeps none of the theorems."""
        task = runs._task("vowel", "Gaussian", 200, 0)._replace(learner=LinearDiscriminantAnalysis())
        monkeypatch.setattr(runs, "_task", lambda *_: task)
        assert runs.weighted("", "", 0, 0)[0]["deviation"] > 0.01
        for voting in ("sum", "vote"):
            assert runs.voted("", "", 0, 0, voting)[0]["differ"] > 100
        for theorem, most in ((study.theorem1, "max"), (study.theorem2, "sum"), (study.theorem3, "sum")):
            table = theorem(sets=["iris"])
            assert judged(table) == ["open"]
            assert table["estimate"].iloc[-1] == table["estimate"].iloc[:-1].agg(most)

    def test_one_case_is_enough(self, monkeypatch):
        """Theorems hold in every case, or they do not hold."""
        record = {"deviation": 0.0, "differ": 0, "ties": 0, "cases": 50, "classes": 3}

        def but_one(data, learner, most, seed, voting=""):
            return [record | ({"deviation": 1e-9, "differ": 1} if data == "iris" and learner == "Gaussian" else {})]

        for name in ("weighted", "voted"):
            monkeypatch.setattr(study, name, but_one)
        for theorem, estimate in ((study.theorem1, 1e-9), (study.theorem2, 1), (study.theorem3, 1)):
            said = theorem(sets=["iris"]).iloc[-1]
            assert said["verdict"] == "open"
            assert said["estimate"] == estimate

    def test_votes_without_halves_break_ties(self, monkeypatch):
        """The twins tie in every case; a vote that is not split ranks one before the other."""
        (found,) = runs.voted(runs.TWINS, "categorical", 100, 0, "vote")
        assert found == {"differ": 0, "ties": 100, "cases": 100, "classes": 8}
        split, tilt = runs.couple, 0.1 * (np.triu(np.ones((8, 8))) - np.tril(np.ones((8, 8))))
        monkeypatch.setattr(runs, "couple", lambda r, method: split(np.where(r == 0.5, r + tilt, r), method))
        assert runs.voted(runs.TWINS, "categorical", 100, 0, "vote")[0]["differ"] == 100

    def test_a_tie_but_for_the_last_digit_is_split(self, monkeypatch):
        r = np.full((1, 3, 3), 0.5)
        r[0, 0, 1], r[0, 1, 0] = 0.5 + 1e-15, 0.5 - 1e-15
        r[0, :2, 2], r[0, 2, :2] = 0.8, 0.2
        monkeypatch.setattr(runs, "_posteriors", lambda task: (np.log([[0.4, 0.4, 0.1]]), r))
        for voting in ("vote", "sum"):
            (found,) = runs.voted("iris", "Gaussian", 5, 0, voting)
            assert found == {"differ": 0, "ties": 1, "cases": 1, "classes": 3}

    def test_order(self):
        score = np.array([[0.1, 0.3, 0.3 + 1e-13], [2.0, -1.0, 0.0]])
        order = runs.in_order(score)
        for row, i, j in product(range(2), range(3), range(3)):
            gap = score[row, i] - score[row, j]
            assert order[row, i, j] == (0 if abs(gap) < 1e-9 else 1 if gap > 0 else -1)


class TestData:
    def test_numbers_are_cut_in_parts_of_equal_size(self):
        data = load("vehicle").data
        train = np.arange(0, len(data), 2)
        codes, sizes = runs._codes(data, train)
        for column, (name, values) in enumerate(data.items()):
            # Larger numbers have larger codes, and equal ones the same.
            order = np.argsort(values.to_numpy(), kind="stable")
            assert (np.diff(codes[order, column]) >= 0).all(), name
            assert pd.Series(codes[:, column]).groupby(values.to_numpy()).nunique().max() == 1
            assert codes[:, column].max() == sizes[column] - 1 <= 4
        counts = np.bincount(codes[train, 9]) / len(train)
        assert counts == pytest.approx(np.full(5, 0.2), abs=0.04)

    def test_categories_stay(self):
        data = load("nursery").data
        codes, sizes = runs._codes(data, np.arange(10))
        assert sizes == [data[name].nunique() for name in data]
        for column, name in enumerate(data):
            assert pd.crosstab(codes[:, column], data[name].to_numpy()).gt(0).sum().eq(1).all()

    def test_simulated_attributes_are_independent_within_classes(self):
        x, y = runs._simulated(2, np.random.default_rng(0))
        assert x.shape == (400, 8)
        codes = x.astype(int).to_numpy()
        assert set(np.unique(codes)) == {0, 1, 2}
        for label in (0, 1):
            rows = codes[y == label].astype(float)
            correlation = np.corrcoef(rows.T)[np.triu_indices(8, 1)]
            assert np.abs(correlation).max() < 4 / np.sqrt(len(rows))
        # The classes differ, or there would be nothing to learn.
        assert max(abs(codes[y == 0].mean(axis=0) - codes[y == 1].mean(axis=0))) > 0.3

    def test_training_and_test_cases_are_apart(self):
        task = runs._task("iris", "Gaussian", 500, 3)
        assert (len(task.x), len(task.new)) == (100, 50)
        together = np.sort(np.vstack([task.x, task.new]), axis=0)
        np.testing.assert_array_equal(together, np.sort(load("iris").data.to_numpy(), axis=0))


class TestTransitivity:
    def test_against_loops(self):
        rng = np.random.default_rng(1)
        r = rng.uniform(size=(50, 4, 4))
        r = np.where(np.triu(np.ones((4, 4)), 1) > 0, r, 1 - np.swapaxes(r, 1, 2))
        r[:, range(4), range(4)] = 0.5
        found = runs.intransitive(r)
        for row, one in zip(r, found, strict=True):
            broken = [
                (i, j, k)
                for i, j, k in permutations(range(4), 3)
                if row[i, j] < 0.5 and row[j, k] < 0.5 and not row[i, k] < 0.5
            ]
            assert one == bool(broken)
        assert 0 < found.sum() < 50

    def test_table(self):
        table = study.transitivity()
        rows = table.dropna(subset="data").set_index(["quantity", "data", "learner"])
        assert len(rows) == 3 * 3 * 3
        # None of them is in print.
        assert (rows["verdict"] == "").all()
        assert rows["paper"].isna().all()
        assert (rows.drop("LDA", level="learner")["estimate"] == 0).all()
        linear = rows.xs("LDA", level="learner")["estimate"].unstack()
        # The learner of all classes may be at odds with a pair only if the pairs' covariances differ, as they do.
        assert (linear.loc["cases with a pair that other classes reverse"] > 0).all()
        # Circles are there with the eleven vowels only, as the words about the table say.
        circles = linear.loc["cases against (5)"]
        assert circles["vowel"] > 0.3
        assert circles[["iris", "wine"]].tolist() == [0, 0]
        said = table[table["data"].isna()].set_index("quantity")
        assert said["verdict"].tolist() == ["agree", "", "", "agree", ""]
        assert said["estimate"].tolist() == [0, 0, 0, *linear.max(axis=1).iloc[[0, 2]]]
        notes = said["note"]
        assert notes.iloc[2].endswith("of QDA, which is such a learner on 3 sets of data; follows from that")
        assert notes.iloc[3].endswith("LDA's pairs: on vowel, of 3 sets of data")

    @pytest.mark.parametrize(
        ("learner", "column", "verdicts"),
        [
            ("naive Bayes", "reversed", ["open", "agree"]),
            ("LDA", "circles", ["agree", "open"]),
        ],
    )
    def test_what_is_said_can_be_wrong(self, monkeypatch, learner, column, verdicts):
        """By one set of data."""

        def found(data, learner, most, seed):
            shares = dict.fromkeys(study.CIRCLES, 0.6 if learner == "LDA" else 0.0)
            if (learner, data) == (own, "wine"):
                shares[column] = 0.1
            return [shares | ({"circles": 0.0} if own == learner == "LDA" else {})]

        own = learner
        monkeypatch.setattr(study, "circles", found)
        assert judged(study.transitivity()) == verdicts

    def test_lda_by_hand(self):
        """Cases whose pairs LDA of all classes orders otherwise, by loops."""
        (found,) = runs.circles("wine", "LDA", 500, 0)
        task = runs._task("wine", "Gaussian", 500, 0)
        whole = LinearDiscriminantAnalysis().fit(task.x, task.y)
        reversed_, labels = np.zeros(len(task.new), bool), np.unique(task.y)
        for i, j in ((0, 1), (0, 2), (1, 2)):
            rows = np.isin(task.y, labels[[i, j]])
            pair = LinearDiscriminantAnalysis().fit(task.x[rows], task.y[rows]).predict(task.new) == labels[i]
            score = whole.decision_function(task.new)
            reversed_ |= pair != (score[:, i] > score[:, j])
        assert found["reversed"] == pytest.approx(reversed_.mean(), abs=EXACT)
        assert 0 < reversed_.mean() < 0.5

    def test_example(self):
        table = study.example()
        # The third sum, (5) and the ranking of the sums follow from the others.
        assert table["verdict"].tolist() == ["agree", "agree", "", "agree", "", ""]
        assert table["note"][4:].tolist() == [
            "not against (5); follows from the ranking", "here 2, 1, 3; follows from the sums"
        ]  # fmt: skip
        full = reference.full(study.R_EXAMPLE, 3)
        np.testing.assert_allclose(table["estimate"][:3], 3 * reference.row_sums(full), atol=EXACT)
        assert table["paper"][:3].tolist() == [1.2, 1.3, 0.5]

    def test_the_example_can_fail(self, monkeypatch):
        """With 3 before 1 there is a circle, and other sums."""
        monkeypatch.setattr(study, "R_EXAMPLE", (0.6, 0.4, 0.9))
        table = study.example()
        assert judged(table) == ["open", "agree", "open"]
        assert table["note"][4] == "against (5); follows from the ranking"


class TestSpearman:
    def test_by_loops(self, monkeypatch):
        """All rankings, pairs and correlations of one distribution by loops and SciPy."""
        seen = []
        couple = runs.couple
        monkeypatch.setattr(runs, "couple", lambda r, *args, **how: seen.append(r) or couple(r, *args, **how))
        found = {row["voting"]: row["below"] for row in runs.random_rankings("any", 4, 1, 11)}
        rng = np.random.default_rng(seed_of("spearman", "any", 4, 11))
        rng.dirichlet(np.ones(4))
        # A ranking names the classes from the best to the worst, but is drawn as the ranks of the classes.
        ranks = list(permutations(range(4)))
        weights = rng.dirichlet(np.full(24, 5 / 24))
        r = np.full((4, 4), 0.5)
        for i, j in permutations(range(4), 2):
            r[i, j] = sum(w for rank, w in zip(ranks, weights, strict=True) if rank[i] < rank[j])
        np.testing.assert_allclose(seen[0], r, atol=EXACT)
        expected = {
            mine: sum(w * stats.spearmanr(mine, other)[0] for other, w in zip(ranks, weights, strict=True))
            for mine in ranks
        }
        for voting, score in (("weighted", reference.row_sums(r)), ("plain", reference.vote(r))):
            order = sorted(range(4), key=lambda label, by=score: -by[label])
            mine = tuple(order.index(label) for label in range(4))
            assert found[voting] == pytest.approx(max(expected.values()) - expected[mine], abs=EXACT)

    def test_plackett_luce(self):
        """Its pairs are p_i / (p_i + p_j), as the text of the exhibit says."""
        p, ranks = np.array([0.5, 0.2, 0.2, 0.1]), np.array(list(permutations(range(4))), dtype=float)
        weights = runs._plackett_luce(ranks, p)
        assert weights.sum() == pytest.approx(1, abs=EXACT)
        # The first, then the second of the remaining ones, ...
        assert weights[0] == pytest.approx(0.5 * 0.2 / 0.5 * 0.2 / 0.3, abs=EXACT)
        for i, j in permutations(range(4), 2):
            assert weights[ranks[:, i] < ranks[:, j]].sum() == pytest.approx(p[i] / (p[i] + p[j]), abs=EXACT)

    def test_table(self):
        table = study.spearman(samples=20)
        rows = table.dropna(subset="rankings").set_index(["rankings", "n_classes", "voting"])["estimate"]
        assert len(rows) == 4 * 2 + 4 * 3
        assert rows.drop("plain", level="voting").max() < EXACT
        # The statement is about weighted voting only: where pairs are intransitive, plain voting is no optimum.
        assert (rows.xs("plain", level="voting")["any"] > 0.02).all()
        assert judged(table) == ["agree"]
        assert table["note"].iloc[-2].startswith("largest shortfall of 160 distributions; that of plain")
        assert table["verdict"].iloc[-1] == ""

    def test_what_is_said_can_be_wrong(self, monkeypatch):
        """In one distribution of rankings."""

        def found(rankings, n_classes, samples, seed):
            worse = 1e-6 if (rankings, n_classes) == ("any", 5) else 0.0
            below = {"weighted": worse, "plain": 0.1, "none, class probabilities": 0.0}
            return [{"voting": voting, "below": value} for voting, value in below.items()]

        monkeypatch.setattr(study, "random_rankings", found)
        assert judged(study.spearman()) == ["open"]


class TestSection5:
    def test_in_fractions(self):
        x, y = sulzmann_counts()
        f, f_bar = {}, {}
        for label in "ABC":
            for scores, rows in ((f, x[y == label]), (f_bar, x[y != label])):
                shares = [Fraction(int(rows[:, column].sum()), len(rows)) for column in (0, 1)]
                scores[label] = Fraction(len(rows), len(x)) * shares[0] * shares[1]
        assert list(f.values()) == [Fraction(2, 75), Fraction(1, 30), Fraction(1, 25)]
        assert list(f_bar.values()) == [Fraction(7, 75), Fraction(11, 120), Fraction(33, 200)]
        exact = {
            "naive Bayes": {label: f[label] / sum(f.values()) for label in "ABC"},
            "one against all": {label: f[label] / (f[label] + f_bar[label]) for label in "ABC"},
        }
        for method, posteriors in exact.items():
            assert posteriors == {label: Fraction(*study.PAPER_5[method][label]) for label in "ABC"}
            found = runs.three_classes()[method]
            np.testing.assert_allclose(found, [float(value) for value in posteriors.values()], atol=PRINTED)
        np.testing.assert_allclose(runs.three_classes()["pairs"], runs.three_classes()["naive Bayes"], atol=PRINTED)

    def test_table(self):
        table = study.section5()
        assert tuple(table.columns) == ("method", "class", *COLUMNS)
        # What naive Bayes predicts, and its third posterior, follow from two; the others of three need not sum up to 1.
        assert set(judged(table)) == {"agree"}
        counted = table[table["verdict"] != ""]
        assert list(zip(counted["method"], counted["class"], strict=True)) == [
            ("naive Bayes", "A"), ("naive Bayes", "B"), *(("one against all", label) for label in "ABC")
        ]  # fmt: skip
        said = table[table["method"].isna()].set_index("quantity")["note"]
        assert said["naive Bayes predicts C"].startswith("here C;")
        assert said["one against all predicts B"].startswith("here B;")
        note = table.loc[(table["method"] == "one against all") & (table["class"] == "C"), "note"]
        assert note.item() == "printed as 8/41"
        assert table["estimate"].iloc[-1] == pytest.approx(2 / 9 + 4 / 15 + 8 / 41, abs=PRINTED)


class TestOneAgainstAll:
    @pytest.mark.parametrize("data", ["iris", "vehicle", "simulated, 5 classes"])
    def test_one_split(self, data):
        (found,) = runs.compared(data, 500, 7, 11)
        task = runs._task(data, "categorical", 500, seed_of("split", 11, 7))
        whole = task.learner.fit(task.x, task.y)
        rest = OneVsRestClassifier(task.learner).fit(task.x, task.y)
        says, rest_says = whole.predict(task.new), rest.predict(task.new)
        own, others = whole.predict_log_proba(task.new), np.log(rest.predict_proba(task.new))
        k = len(whole.classes_)
        other = [
            any((a[i] < a[j] - 1e-9) != (b[i] < b[j] - 1e-9) for i, j in permutations(range(k), 2))
            for a, b in zip(own, others, strict=True)
        ]
        assert found == pytest.approx(
            {
                "other": np.mean(says != rest_says),
                "ranked": np.mean(other),
                "right": np.mean(says == task.truth),
                "gain": np.mean(rest_says == task.truth) - np.mean(says == task.truth),
            },
            abs=EXACT,
        )
        assert 0 < found["other"] <= found["ranked"]

    def test_table_and_picture(self):
        table = study.one_against_all(sets=["iris"], splits=3, random_state=5)
        assert judged(table) == []
        assert table["note"].iloc[-1].endswith("follows from the example")
        frame = pd.DataFrame([runs.compared("iris", 500, split, 5)[0] for split in range(3)])
        rows = table[table["data"] == "iris"].set_index("quantity")
        for column, quantity in study.COMPARED.items():
            assert rows.loc[quantity, "estimate"] == pytest.approx(frame[column].mean(), abs=EXACT)
            assert rows.loc[quantity, "std_error"] == pytest.approx(frame[column].std() / np.sqrt(3), abs=EXACT)
        draw(study.EXHIBITS[-1].figure(table))


@pytest.mark.parametrize("theorem", [study.theorem1, study.theorem2, study.theorem3, study.transitivity])
def test_sizes(monkeypatch, theorem):
    """As many cases as the size has, and at the paper's size the large sets of data."""
    asked = []

    def look(function, cells):
        asked.append(cells)
        raise InterruptedError

    monkeypatch.setattr(study, "run_cells", look)
    for size in ("quick", "paper"):
        with pytest.raises(InterruptedError):
            theorem(size)
    quick, paper = asked
    assert {cell["most"] for cell in quick} == {500}
    assert {cell["most"] for cell in paper} == {2000}
    if theorem is not study.transitivity:
        assert {cell["data"] for cell in paper} - {cell["data"] for cell in quick} == set(study.LARGE)


def test_exhibits():
    names = [exhibit.name for exhibit in study.EXHIBITS]
    assert names == [
        "theorem1", "theorem2", "theorem3", "spearman", "example", "transitivity", "section5", "one_against_all"
    ]  # fmt: skip
    assert all(exhibit.table is getattr(study, exhibit.name) for exhibit in study.EXHIBITS)
    assert all(len(exhibit.about) > 100 for exhibit in study.EXHIBITS)


@pytest.mark.parametrize("exhibit", study.EXHIBITS, ids=lambda exhibit: exhibit.name)
@pytest.mark.slow
def test_everything_that_is_proved_holds(exhibit):
    """On all sets of the quick size."""
    table = exhibit.table("quick", random_state=0, n_jobs=1, progress=False, cache=None)
    assert tuple(table.columns[-len(COLUMNS) :]) == COLUMNS
    verdicts = {"theorem1": 1, "theorem2": 1, "theorem3": 1, "spearman": 1, "example": 3, "transitivity": 2}
    verdicts |= {"section5": 5}
    assert judged(table) == ["agree"] * verdicts.get(exhibit.name, 0)
    figure = exhibit.draw(table, 0)
    if figure is not None:
        draw(figure)

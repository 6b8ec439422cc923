"""Chang's tables: Study 1 (cloverleaf), Study 2 (ordered groups), breast cancer, pen digits; and the figures."""

from functools import partial
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from matplotlib.colors import same_color
from scipy.stats import norm
from sklearn.cluster import KMeans
from sklearn.model_selection import StratifiedKFold, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from pwcstats import HybridClassifier, OrdinalHybridClassifier, datasets
from pwcstats._jobs import seed_of
from pwcstats.plot.style import MARKERS
from pwcstats.studies import chang, chang_runs
from pwcstats.studies.chang_printed import called_positive
from pwcstats.studies.chang_runs import COUNTS, SCORES
from pwcstats.studies.tables import COLUMNS
from tests.plotting import draw

pytestmark = pytest.mark.one_environment

# Points of accuracy between our mean over 8 runs and the paper's single run of 1000 cases.
CLEAR, WEAK = 1.5, 3.0
# Our runs vary by 1.2 points here, and the paper's own run with known groups got 81.0: 82.9 is one lucky run.
LUCKY = (1.5, "hybrid k=4")
LUCKY_RUN = 2.0
RUNS = 8
PLACES = "the negative groups are at (±d, 0) and (0, ±d)"


def said(table):
    """Verdicts on what the text says."""
    return table[table["runs"].isna()]["verdict"].tolist()


@pytest.fixture(scope="module")
def table1():
    return chang.table1(runs=RUNS)


@pytest.fixture(scope="module")
def table2():
    return chang.table2(runs=RUNS)


def accuracies(table, point):
    found = table[(table["quantity"] == "accuracy (%)") & (table["point"] == point)]
    return found.set_index(["d", "method"])


@pytest.mark.slow
class TestStudy1:
    def test_where_groups_are_apart(self, table1, table2):
        found = pd.concat([accuracies(table, "prevalence") for table in (table1, table2)])
        found = found[found.index.get_level_values("d") >= 1.5]
        assert len(found) == 5 + 3 * 4
        for key, row in found.iterrows():
            assert row["paper"] == (chang.PAPER_1 | chang.PAPER_2)[key][-1]
            assert abs(row["difference"]) < (LUCKY_RUN if key == LUCKY else CLEAR), key

    def test_where_they_overlap_at_the_papers_operating_point(self, table1, table2):
        found = pd.concat([accuracies(table, "paper") for table in (table1, table2)])
        found = found[found.index.get_level_values("d") < 1.5]
        assert len(found) == 2 + 3 * 2
        assert (found["difference"].abs() < WEAK).all()

    def test_counts(self, table1, table2):
        for table in (table1, table2):
            counts = table.dropna(subset="d").pivot(
                index=["d", "method", "point"], columns="quantity", values="estimate"
            )
            np.testing.assert_allclose(counts["true negatives"] + counts["false positives"], 800)
            np.testing.assert_allclose(counts["true positives"] + counts["false negatives"], 200)
            np.testing.assert_allclose(
                counts["accuracy (%)"], (counts["true negatives"] + counts["true positives"]) / 10
            )
            for (d, method, point), row in counts.iterrows():
                if point == "paper":
                    assert row["false positives"] + row["true positives"] == called_positive(d, method) > 0

    def test_all_of_the_paper_is_there(self, table1, table2):
        for table, printed, places in ((table1, chang.PAPER_1, 2 * 7 + 7 + 1), (table2, chang.PAPER_2, 2 * 18)):
            assert list(table.columns) == ["d", "method", "point", *COLUMNS]
            rows = table.dropna(subset=["d", "paper"])
            assert len(rows) == 5 * places
            for row in rows.itertuples():
                assert row.paper == printed[row.d, row.method][COUNTS.index(row.quantity)]
            assert rows["runs"].eq(RUNS).all()

    def test_machines_of_all_rows(self, table1):
        """A linear one calls nothing positive at any d; a radial one is like the hybrid where groups are apart."""
        found = accuracies(table1, "own")["estimate"].unstack()
        np.testing.assert_allclose(found["SVM L"], 80.0)
        hybrid = accuracies(table1, "prevalence")["estimate"].unstack()["hybrid"]
        for d in (2.0, 3.0, 4.0, 4.5):
            assert abs(found["SVM R"][d] - chang.PAPER_1[d, "SVM R"][-1]) < CLEAR
            assert abs(found["SVM R"][d] - hybrid[d]) < 1.0

    def test_what_the_paper_says(self, table1, table2):
        """Those of Table 2 hold. Of Table 1 the first is wrong at d = 1, the second where all are nearly right."""
        assert said(table2) == ["agree", "agree"]
        assert said(table1) == ["disagree", "open", "disagree"]
        claims = table1[table1["d"].isna()].set_index("quantity")
        assert claims["estimate"].iloc[0] == pytest.approx(
            80.0 - accuracies(table1, "prevalence")["estimate"][1.0, "hybrid"]
        )
        assert 3.1 < claims["estimate"].iloc[0] < 7
        assert claims["estimate"].iloc[1] < 0.005
        # Further from the printed accuracy than chance allows, against the statement.
        assert claims.loc[PLACES, "difference"] < -2 * claims.loc[PLACES, "allowed"]


@pytest.mark.parametrize("k", [0, 4])
def test_a_run_against_its_parts(k):
    """Groups, machines and thresholds of one run, and the counts of its test rows."""
    records = pd.DataFrame(chang_runs._clover(2.0, k, "diagonal", "multinomial", run=3, seed=7, called=150))
    own = seed_of("clover", 7, 2.0, 3)
    sample = datasets.chang_clover(2.0, random_state=own)
    x, positive, train = sample.data, sample.target == 0, sample.train
    machine = SVC(kernel="linear")
    groups = sample.target[train] if k == 0 else KMeans(4, n_init=10)
    clf = HybridClassifier(machine, n_clusters=groups, threshold=0.5, distance_cv=None, random_state=own)
    proba = clf.fit(x[train], positive[train]).predict_proba(x)[:, 1]
    # Between the last training row that is called and the next.
    cut = np.sort(proba[train])[-201:-199].mean()
    calls = {"prevalence": proba[~train] > cut, "paper": proba[~train] >= np.sort(proba[~train])[-150]}
    if k == 0:
        # As of e1071: C = 1, and gamma is 1 / 2 for columns of variance 1.
        radial = SVC(C=1.0, kernel="rbf", gamma=1 / (2 * x[train].var()))
        calls["SVM R"] = radial.fit(x[train], positive[train]).predict(x[~train])
        calls["SVM L"] = np.zeros(len(calls["SVM R"]), bool)
        assert not np.array_equal(
            radial.set_params(C=10.0).fit(x[train], positive[train]).predict(x[~train]), calls["SVM R"]
        )
    records.loc[records["point"] == "own", "point"] = records["method"]
    assert set(records["point"]) == set(calls)
    for point, called in calls.items():
        row = records[records["point"] == point].iloc[0]
        truth = positive[~train]
        expected = ((~called & ~truth).sum(), (called & ~truth).sum(), (~called & truth).sum(), (called & truth).sum())
        np.testing.assert_array_equal(row[list(COUNTS[:4])].astype(int), expected)
        assert row["accuracy (%)"] == pytest.approx((expected[0] + expected[3]) / 10)


def test_known_groups_and_clusters_have_the_same_rows():
    found = chang.clover(distances=(3.0,), clusters=(0, 4), runs=1)
    assert found[["method", "point"]].to_numpy().tolist() == [
        ["hybrid", "prevalence"], ["hybrid", "paper"], ["SVM R", "own"], ["SVM L", "own"],
        ["hybrid k=4", "prevalence"], ["hybrid k=4", "paper"],
    ]  # fmt: skip
    again = chang.clover(distances=(3.0,), clusters=(0, 4), runs=1)
    pd.testing.assert_frame_equal(found, again)
    other = chang.clover(distances=(3.0,), clusters=(0,), runs=1, random_state=1)
    assert not found[list(COUNTS)][:4].equals(other[list(COUNTS)])


def test_the_binary_reading_cannot_work():
    found = chang.clover(distances=(3.0,), clusters=(0,), integrator="logit", runs=3)
    found = found[(found["method"] == "hybrid") & (found["point"] == "prevalence")]
    assert (found["accuracy (%)"] < 75).all()


@pytest.fixture(scope="module")
def table3():
    return chang.table3(runs=12)


class TestStudy2:
    @pytest.mark.parametrize("rule", ["argmax", "thresholds"])
    @pytest.mark.parametrize(("d", "limit"), [(4.0, 0.02), (2.0, 0.06)])
    def test_f(self, table3, rule, d, limit):
        """The paper's is one run of 200 cases a group: F has a standard error of 0.03 at d = 2, and 0.01 at 4."""
        found = table3[(table3["quantity"] == "F") & (table3["rule"] == rule) & (table3["d"] == d)]
        assert len(found) == 5
        assert found["difference"].abs().max() < limit
        assert abs(found["difference"].mean()) < limit / 2

    def test_thresholds_are_what_the_paper_has_where_groups_overlap(self, table3):
        """The three groups whose rows in print make sense: F is that of a threshold, not of the likeliest group."""
        f = table3[(table3["quantity"] == "F") & (table3["d"] == 0.5)].set_index(["rule", "group"])["difference"]
        for group in (1, 2):
            assert abs(f["thresholds", group]) < 0.03
            assert abs(f["argmax", group]) > 0.08

    def test_all_of_the_paper_is_there(self, table3):
        assert list(table3.columns) == ["d", "group", "rule", *COLUMNS]
        rows = table3.dropna(subset="d")
        assert len(rows) == 3 * 5 * 2 * 4
        for row in rows.itertuples():
            assert row.paper == chang.PAPER_3[row.d, row.group][SCORES.index(row.quantity)]

    def test_what_is_judged(self, table3):
        judged = table3[(table3["verdict"] != "") & table3["d"].notna()]
        assert set(judged["rule"]) == {"thresholds"}
        for key, quantities in judged.groupby(["d", "group"])["quantity"]:
            # What else is in print of this group is that of another.
            assert sorted(quantities) == (["accuracy"] if key == (0.5, 4) else ["F", "accuracy"])
        assert len(judged) == 29

    def test_what_the_paper_says_holds(self, table3):
        claims = table3[table3["d"].isna()]
        assert claims["verdict"].tolist() == ["agree", "agree"]
        notes = [note.rpartition("; ")[2] for note in claims["note"]]
        assert notes == [f"beyond noise above 0 in {n} of {n} comparisons" for n in (18, 10)]
        mean = table3[(table3["quantity"] == "accuracy") & (table3["rule"] == "thresholds")]
        mean = mean.pivot(index="d", columns="group", values="estimate")
        # The least clear lead, which need not be the least, because noise differs.
        leads = pd.concat([mean[end] - mean[middle] for end in (0, 4) for middle in (1, 2, 3)]), mean.diff().stack()
        for estimate, all_leads in zip(claims["estimate"], leads, strict=True):
            assert np.isclose(all_leads, estimate, rtol=0, atol=1e-12).any()
            assert all_leads.min() <= estimate + 1e-12
            assert estimate < all_leads.min() + 0.002
        f = table3[(table3["quantity"] == "F") & (table3["d"] == 2.0) & (table3["rule"] == "argmax")]
        f = f.set_index("group")["estimate"]
        assert f[[1, 2, 3]].max() < f[[0, 4]].min() - 0.05

    def test_what_no_rule_can_exceed(self, table3):
        """Wherever group 0 is said to end, there are others on its side; in print it is better than that at d = 2."""
        end = np.linspace(0.0, 2.0, 2001)
        right, wrong = norm.cdf(end), sum(norm.cdf(end, 2 * group) for group in range(1, 5))
        f, accuracy = 2 * right / (1 + right + wrong), 1 - (1 - right + wrong) / 5
        note = table3[(table3["d"] == 2.0) & (table3["group"] == 0)]["note"]
        assert note.str.contains(f"F above {f.max():.3f}, or an accuracy above {accuracy.max():.3f}").all()
        assert chang.PAPER_3[2.0, 0][0] > accuracy.max()
        assert chang.PAPER_3[2.0, 0][3] > f.max()

    def test_the_likeliest_group_is_one(self):
        sample = datasets.chang_ordered(1.0, 60, 60, random_state=0)
        rules = dict(chang_runs._ordered_rules(sample))
        np.testing.assert_array_equal(rules["argmax"].sum(axis=1), 1)
        assert rules["thresholds"].sum() > 1.05 * len(rules["thresholds"])

    def test_groups_are_cut_where_f_is_best_in_training(self):
        """Each training row's probability is tried as the threshold, from the top; test rows have no part in it."""
        sample = datasets.chang_ordered(1.0, 60, 60, random_state=0)
        x, y, train = sample.data, sample.target, sample.train
        clf = OrdinalHybridClassifier(SVC(kernel="linear"), distance_cv=None).fit(x[train], y[train])
        trained, new = clf.predict_proba(x[train]), clf.predict_proba(x[~train])
        expected = np.zeros(new.shape, bool)
        for group in range(5):
            proba, truth = trained[:, group], y[train] == group
            # F is twice the true ones over those called and those there are.
            f = {cut: 2 * truth[proba >= cut].sum() / ((proba >= cut).sum() + truth.sum()) for cut in np.sort(proba)}
            expected[:, group] = new[:, group] >= max(f, key=f.get)
        np.testing.assert_array_equal(dict(chang_runs._ordered_rules(sample))["thresholds"], expected)


def test_the_threshold_of_the_best_f():
    proba, truth = np.array([0.9, 0.8, 0.6, 0.4, 0.3]), np.array([True, False, True, True, False])
    # F is 1/2, 2/5, 2/3, 6/7, 3/4 from the top.
    assert chang_runs._best_f(proba, truth) == 0.4


class TestBreastCancer:
    @pytest.mark.parametrize("by_machine", [False, True])
    def test_folds_are_those_of_scikit_learn(self, by_machine):
        data, own = datasets.load("wdbc"), seed_of("wdbc", 0, 2)
        machine = SVC(kernel="linear", C=0.1)
        scaled = make_pipeline(StandardScaler(), machine)
        found = [chang_runs._wdbc(0.1, scaling, run=2, seed=0)[0] for scaling in chang_runs.SCALINGS]
        assert found[0] != found[1]
        record = found[by_machine]
        hybrid = HybridClassifier(
            scaled if by_machine else machine, split="folds", threshold=0.5, distance_cv=None, random_state=own
        )
        splitter = StratifiedKFold(10, shuffle=True, random_state=own)
        clf = hybrid if by_machine else make_pipeline(StandardScaler(), hybrid)
        scores = cross_val_score(clf, data.data, data.target, cv=splitter)
        assert record["mean accuracy"] == pytest.approx(scores.mean())
        assert record["sd of the accuracy"] == pytest.approx(scores.std(ddof=1))
        sizes = [len(test) for _, test in splitter.split(data.data, data.target)]
        assert record["false positives"] + record["false negatives"] == pytest.approx(((1 - scores) * sizes).sum())

    def test_table(self):
        found = chang.table4(runs=5)
        assert list(found.columns) == ["C", "scaling", *COLUMNS]
        numbers = found.dropna(subset="paper").pivot(index="quantity", columns=["C", "scaling"], values="estimate")
        assert numbers.shape == (4, 4)
        # The standard error of five runs is 0.002; the recorded means are at least 0.973.
        assert (numbers.loc["mean accuracy"] >= 0.968).all()
        assert numbers.loc["sd of the accuracy"].between(0.01, 0.03).all()
        judged = found[found["verdict"] != ""]
        assert judged["quantity"].tolist()[:3] == ["sd of the accuracy", "false positives", "false negatives"]
        assert judged["C"].eq(1.0).all()
        assert judged["scaling"].eq("each machine").all()
        claim = found.iloc[-1]
        assert claim["estimate"] == pytest.approx(numbers.loc["mean accuracy", (1.0, "each machine")] - 0.975)
        # In print it is better than that.
        assert claim["verdict"] == "open"


@pytest.mark.slow
def test_pen_digits():
    found = chang.table5("paper", costs=(1.0,))
    assert list(found.columns) == ["method", "C", "true", "predicted", *COLUMNS]
    accuracy = found[found["quantity"] == "accuracy"].set_index("method")
    share = accuracy["estimate"]
    assert accuracy.loc["hybrid", "paper"] == 3423 / 3498
    assert accuracy.loc["hybrid", "verdict"] == "agree"
    assert share["hybrid, held-out distances"] >= 0.975
    assert share["one-vs-one"] >= share["hybrid"]
    assert share["coupled"] >= share["one-vs-one"] - 0.002
    cells = found[found["quantity"] == "cases"]
    assert (cells["verdict"] == "").all()
    ours, printed = (
        cells.pivot(index="true", columns="predicted", values=column).to_numpy() for column in ("estimate", "paper")
    )
    np.testing.assert_array_equal(printed, chang.PAPER_5)
    np.testing.assert_array_equal(ours.sum(axis=1), printed.sum(axis=1))
    assert np.trace(ours) / 3498 == share["hybrid"]
    panels = draw(chang.draw_confusions(found)).axes
    assert panels[0].get_title() == f"ours\n{share['hybrid']:.2%} of 3498 right"
    assert panels[1].get_title() == "paper\n97.86% of 3498 right"


class TestFigures:
    @pytest.mark.parametrize(
        ("figure", "distances"), [(chang.figure3, (0.5, 1, 2, 3)), (chang.figure6, (0.5, 1, 1.5, 2, 3, 4))]
    )
    def test_data(self, figure, distances):
        panels = draw(figure()).axes
        assert [panel.get_title() for panel in panels] == [f"d = {d:g}" for d in distances]
        for panel, d in zip(panels, distances, strict=True):
            last = np.concatenate([line.get_xydata() for line in panel.lines if line.get_marker() == MARKERS[4]])
            assert len(last) == 200
            mean = (-d, -d) if figure is chang.figure3 else (4 * d, 0)
            np.testing.assert_allclose(last.mean(axis=0), mean, atol=4 / np.sqrt(200))

    @pytest.mark.parametrize(
        ("figure", "normal", "lines"), [(chang.figure1, (1, 1), [3, 4]), (chang.figure2, (1, 0), [3, 5])]
    )
    def test_sketches(self, figure, normal, lines):
        """Each group has a border; that of all rows is between the positives and the others, unless there is none."""
        panels = draw(figure()).axes
        for panel, groups in zip(panels, (2, 4), strict=True):
            assert {text.get_text() for text in panel.texts} == {f"N{number + 1}" for number in range(groups)}
        # Points have no lines, and white lines set borders apart from points.
        borders = [
            [
                line
                for line in panel.lines
                if line.get_linestyle() != "None" and not same_color(line.get_color(), "white")
            ]
            for panel in panels
        ]
        assert [len(found) for found in borders] == lines
        # In all directions, the machine of all rows calls everything negative.
        assert [sum(line.get_linestyle() == "--" for line in found) for found in borders] == [1, lines[1] - 4]
        whole = borders[0][-1]
        one, two = np.array(whole.get_xy1()), np.array(whole.get_xy2())
        unit = np.array(normal) / np.linalg.norm(normal)
        assert abs((two - one) @ unit) < 0.3 * np.linalg.norm(two - one)
        assert 1.0 < one @ unit < 3.0

    def test_roc(self):
        figure = draw(chang.figure4((3, 4), runs=3))
        assert [panel.get_title() for panel in figure.axes] == [
            "k = 3", "k = 4", "k = 3, the corner", "k = 4, the corner"
        ]  # fmt: skip
        for panel in figure.axes:
            # Three runs, their mean and the diagonal.
            assert len(panel.lines) == 5
        assert figure.axes[2].get_xlim()[1] == 0.2

    def test_clusters(self):
        figure = draw(chang.figure5((3, 5)))
        for panel, k in zip(figure.axes, (3, 5), strict=True):
            # Centres are numbered.
            assert {text.get_text() for text in panel.texts} == {str(number + 1) for number in range(k)}
            assert panel.get_legend().get_texts()[0].get_text() == "positive (200 rows)"

    def test_tables_of_accuracies(self):
        figure = draw(chang.EXHIBITS[0].draw(chang.table1(runs=1), 0))
        assert [panel.get_xlabel() for panel in figure.axes] == ["accuracy (%)", "false negatives", "false positives"]

    def test_the_seed_governs_pictures(self, monkeypatch):
        def points(figure, seed):
            return [line.get_xydata() for panel in figure(seed).axes for line in panel.lines]

        few = {"figure4": partial(chang.figure4, (3,), runs=1), "figure5": partial(chang.figure5, (3,))}
        for name, figure in few.items():
            monkeypatch.setattr(chang, name, figure)
        pictures = [exhibit for exhibit in chang.EXHIBITS if exhibit.picture is not None]
        assert len(pictures) == 6
        for exhibit in pictures:
            first, again, other = (points(partial(exhibit.draw, None), seed) for seed in (0, 0, 1))
            assert all(map(np.array_equal, first, again))
            assert not all(map(np.array_equal, first, other)), exhibit.name


def test_exhibits():
    assert [exhibit.name for exhibit in chang.EXHIBITS] == [
        "table1", "table2", "table3", "table4", "table5", "svm", "layout", "rules", "figure1", "figure2", "figure3",
        "figure4", "figure5", "figure6",
    ]  # fmt: skip


def test_printed_numbers():
    """Sums of Table 5 as it is in print, and the mean accuracy of Table 4."""
    assert chang.PAPER_5.sum(axis=0).tolist() == [351, 384, 379, 336, 364, 330, 337, 345, 340, 332]
    assert chang.PAPER_5.sum(axis=1).tolist() == [363, 364, 364, 336, 364, 335, 336, 364, 336, 336]
    printed = chang.table4(runs=1).drop_duplicates("quantity").set_index("quantity")["paper"]
    assert printed[["mean accuracy", "sd of the accuracy", "false positives", "false negatives"]].tolist() == [
        0.982, 0.023, 6, 4,
    ]  # fmt: skip


def test_an_unknown_method_of_the_pen_digits_is_an_error(monkeypatch):
    data = SimpleNamespace(data=pd.DataFrame({"x": [0.0]}), target=pd.Series([0]), train=np.array([True]))
    monkeypatch.setattr(chang_runs, "load", lambda name: data)
    with pytest.raises(ValueError, match="there is no method 'hybrids'"):
        chang_runs._pen_digits(1.0, "hybrids", 0)

"""Verdicts on Chang's printed numbers: consistency of the numbers, and verdicts on artificial runs."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from pwcstats import datasets
from pwcstats.studies import chang, chang_causes, chang_verdicts
from pwcstats.studies.chang_runs import COUNTS, SCALINGS, SCORES

from .test_study_chang import PLACES, said

pytestmark = pytest.mark.one_environment

# Half of the last digit in print, and a last bit.
PRINTED = 0.0005 + 1e-9


class TestPrinted:
    """The numbers in print go together, but for what the notes say."""

    @pytest.mark.parametrize("table", [chang.PAPER_1, chang.PAPER_2])
    def test_counts(self, table):
        wrong = []
        for key, (tn, fp, fn, tp, accuracy) in table.items():
            assert (tn + tp) / 10 == pytest.approx(accuracy, abs=1e-9)
            if (tn + fp, fn + tp) != (800, 200):
                wrong.append((key, tn + fp + fn + tp))
        assert wrong == ([((1.5, "SVM R"), 973)] if table is chang.PAPER_1 else [])

    def test_scores_of_groups(self):
        apart, called = [], {0.5: 0, 2.0: 0, 4.0: 0}
        for (d, group), (accuracy, precision, recall, f) in chang.PAPER_3.items():
            assert 2 / (1 / precision + 1 / recall) == pytest.approx(f, abs=0.0015)
            right = round(200 * recall)
            named = round(right / precision)
            called[d] += named
            if abs(accuracy - (1 - (200 - right + named - right) / 1000)) > 0.0015:
                apart.append((d, group))
        assert apart == [(0.5, 4)]
        assert chang.PAPER_3[0.5, 4][1:] == chang.PAPER_3[0.5, 0][1:]
        assert called == {0.5: 1908, 2.0: 1059, 4.0: 1016}

    def test_accuracy_and_f_give_the_others(self):
        """Precision and recall from accuracy and F, as they are in print."""
        for key, (accuracy, precision, recall, f) in chang.PAPER_3.items():
            if key != (0.5, 4):
                wrong = 1000 * (1 - accuracy)
                right = f * wrong / (2 * (1 - f))
                assert right / 200 == pytest.approx(recall, abs=0.03)
                assert right / (right + wrong - (200 - right)) == pytest.approx(precision, abs=0.03)

    def test_folds(self):
        folds = np.array(chang.PAPER_4)
        tp, fp, fn, tn = folds[:, :4].sum(axis=0)
        assert (tp + fn, fp + tn) == (357, 212)
        share = (folds[:, 0] + folds[:, 3]) / folds[:, :4].sum(axis=1)
        # What is called precision is the share of right answers, if not to the last digit: 56 of 57 are 0.982.
        np.testing.assert_allclose(share, folds[:, 4], atol=0.002)
        assert folds[:, 4].mean() == pytest.approx(0.982, abs=PRINTED)
        assert folds[:, 4].std(ddof=1) == pytest.approx(0.023, abs=PRINTED)

    def test_digits(self):
        data = datasets.load("pendigits")
        np.testing.assert_array_equal(chang.PAPER_5.sum(axis=1), np.bincount(data.target[~data.train]))
        assert np.trace(chang.PAPER_5) == 3423


def printed_runs(shift=0.0, runs=6):
    """The counts in print as if they were runs of ours, but for so many more cases that the hybrids have right."""
    rows = []
    for (d, method), (tn, fp, fn, tp, _) in (chang.PAPER_1 | chang.PAPER_2).items():
        more = shift if method.startswith("hybrid") else 0.0
        values = (tn + more, fp - more, fn, tp, (tn + more + tp) / 10)
        k = int(method[-1]) if "=" in method else 0
        for point in ("prevalence", "paper") if method.startswith("hybrid") else ("own",):
            row = {"d": d, "clusters": k, "method": method, "point": point, **dict(zip(COUNTS, values, strict=True))}
            rows += [row | {"run": run} for run in range(runs)]
    return pd.DataFrame(rows)


def clovers(change=lambda found: found, diagonal=0.0, printed=0.0):
    """In place of :func:`chang.clover`: runs in print, shifted by so much with either layout, and changed."""

    def clover(size, clusters=(0, 3, 4, 5), layout="diagonal", distances=(*chang.DISTANCES, 4.5), **how):
        found = change(printed_runs(diagonal if layout == "diagonal" else printed, how.get("runs") or 6))
        return found[found["clusters"].isin(clusters) & found["d"].isin(distances)]

    return clover


def radials(tuned=None, spread=0.0, overfitted=0.0):
    """In place of :func:`chang_causes.radial`: runs in print, or other counts of tuned machines up to d = 1."""
    rows = []
    for (d, method), (tn, fp, fn, tp, _) in chang.PAPER_1.items():
        for run in range(10 if method == "SVM R" else 0):
            shift = spread * (-1) ** run
            for machine, more in (("tuned", 0.0), ("overfitted", overfitted)):
                counts = tuned if tuned and machine == "tuned" and d <= 1 else (tn, fp + more, fn, tp)
                counts = [count + shift for count in counts]
                values = (*counts, (counts[0] + counts[3]) / 10)
                rows.append({"d": d, "machine": machine, "run": run, **dict(zip(COUNTS, values, strict=True))})
    return lambda size, **how: pd.DataFrame(rows)


class TestPapersOwnRuns:
    """What the tables say if our runs were the paper's."""

    def test_counts(self, monkeypatch):
        monkeypatch.setattr(chang, "clover", clovers(printed=40.0))
        for table, verdicts in ((chang.table1(), ["open", "agree", "open"]), (chang.table2(), ["open", "open"])):
            np.testing.assert_allclose(table.dropna(subset="paper")["difference"], 0.0, atol=1e-9)
            assert set(table.dropna(subset="paper")["verdict"]) <= {"", "agree", "no power"}
            # Of these runs the diagonal places are right.
            assert said(table) == verdicts

    def test_other_counts(self, monkeypatch):
        def change(found):
            found.loc[found["method"] == "SVM R", ["false positives", "false negatives"]] = [0, 0]
            found.loc[found["method"] == "hybrid k=5", "accuracy (%)"] += 9.0
            return found

        monkeypatch.setattr(chang, "clover", clovers(change, diagonal=40.0))
        tables = chang.table1(), chang.table2()
        # Only the places in print are right then.
        assert [verdict for table in tables for verdict in said(table)] == ["open", "open", "agree", "open", "open"]
        hybrid = tables[0][(tables[0]["method"] == "hybrid") & (tables[0]["quantity"] == "false positives")]
        np.testing.assert_allclose(hybrid["difference"], -40.0)
        assert "agree" not in set(hybrid["verdict"])

    def test_noise_is_no_evidence(self, monkeypatch):
        """Runs whose means are in print, but vary: accuracies may be further apart, and rates less balanced."""

        def change(found):
            up = np.where(found["run"] % 2, 1.0, -1.0) * (found["method"] == "SVM R")
            return found.assign(**{
                "accuracy (%)": found["accuracy (%)"] + 1.5 * up,
                "false negatives": found["false negatives"] + 60 * up,
            })  # fmt: skip

        monkeypatch.setattr(chang, "clover", clovers(change))
        assert said(chang.table1())[:2] == ["open", "open"]

    def test_balance_is_judged_at_each_d(self, monkeypatch):
        """The two d at which radial machines call nothing positive do not stand for all seven."""

        def change(found):
            apart = (found["method"] == "SVM R") & (found["d"] > 1)
            found.loc[apart, ["false positives", "false negatives"]] = [80, 20]
            return found

        monkeypatch.setattr(chang, "clover", clovers(change))
        table = chang.table1()
        assert said(table)[1] == "open"
        assert "beyond noise above 0 in 2 of 7 comparisons" in table["note"].iloc[-2]

    def test_one_run_is_no_evidence(self, monkeypatch):
        monkeypatch.setattr(chang, "clover", clovers())
        for table in (chang.table1(runs=1), chang.table2(runs=1)):
            claims = table[table["d"].isna()].set_index("quantity")["verdict"]
            assert (claims.drop(PLACES, errors="ignore") == "open").all()

    @pytest.mark.parametrize("rule", chang.RULES)
    @pytest.mark.parametrize("better", [True, False])
    def test_groups(self, monkeypatch, rule, better):
        def papers(*_, **how):
            rows = [
                {"d": d, "group": group, "rule": rule, "run": run, **dict(zip(SCORES, values, strict=True))}
                for (d, group), values in chang.PAPER_3.items()
                for rule in chang.RULES
                for run in range(6)
            ]
            found = pd.DataFrame(rows)
            if not better:
                found.loc[(found["d"] == 2.0) & (found["group"] == 2) & (found["rule"] == rule), "accuracy"] = 0.99
            return found

        monkeypatch.setattr(chang, "ordered", papers)
        found = chang.table3()
        differs = found.dropna(subset="paper")["difference"].abs() > 1e-9
        assert differs.sum() == (0 if better else 1)
        # The likeliest group is not judged.
        right = better or rule == "argmax"
        assert said(found) == ["agree" if right else "open"] * 2
        assert ("open" in set(found.dropna(subset="d")["verdict"])) == (not right)


class TestJudgedOnce:
    """No number in print is judged twice, nor by one that it follows from."""

    def test_counts(self, monkeypatch):
        monkeypatch.setattr(chang, "clover", clovers())
        for table, printed in ((chang.table1(), chang.PAPER_1), (chang.table2(), chang.PAPER_2)):
            judged = table[(table["verdict"] != "") & table["d"].notna()]
            assert not judged.duplicated(["d", "method", "quantity"]).any()
            named = judged.groupby(["d", "method"])[["quantity", "point"]].agg(set)
            # SVM R is judged elsewhere.
            assert set(named.index) == {key for key in printed if key[1] != "SVM R"}
            for (d, method), (quantities, points) in named.iterrows():
                if d <= 1 and method != "SVM L":
                    assert (quantities, points) == ({"accuracy (%)"}, {"paper"})
                else:
                    assert quantities == {"false positives", "false negatives"}
                    assert points == ({"own"} if method == "SVM L" else {"prevalence"})

    def test_radial_machines(self, monkeypatch):
        monkeypatch.setattr(chang_causes, "radial", radials())
        table = chang.svm()
        judged = table[table["verdict"] != ""]
        assert set(judged["machine"]) == {"tuned"}
        named = judged.groupby("d")["quantity"].agg(set)
        assert set(named.index) == {d for d, method in chang.PAPER_1 if method == "SVM R"}
        for d, quantities in named.items():
            # Of this row in print the counts do not add up.
            assert quantities == {"false positives", "true positives" if d == 1.5 else "false negatives"}

    @pytest.mark.parametrize(("lead", "holds"), [(0.004, True), (0.0005, False), (-0.004, False)])
    def test_folds(self, monkeypatch, lead, holds):
        def runs(*_, **how):
            rows = [
                {"C": C, "scaling": scaling, "run": run, "mean accuracy": chang.KNOWN + lead + 0.001 * (-1) ** run}
                | {"sd of the accuracy": 0.023, "false positives": 6, "false negatives": 4}
                for C in (0.1, 1.0)
                for scaling in SCALINGS
                for run in range(6)
            ]
            return pd.DataFrame(rows)

        monkeypatch.setattr(chang, "wdbc", runs)
        table = chang.table4()
        judged = table[table["verdict"] != ""]
        assert judged["C"].eq(1.0).all()
        assert judged["scaling"].eq("each machine").all()
        assert judged["quantity"].tolist()[:3] == ["sd of the accuracy", "false positives", "false negatives"]
        assert judged["verdict"].tolist() == ["agree", "agree", "agree", "agree" if holds else "open"]
        assert table["estimate"].iloc[-1] == pytest.approx(lead)
        assert table["std_error"].iloc[-1] == pytest.approx(0.001 / np.sqrt(5))

    def test_digits(self, monkeypatch):
        def runs(*_, **how):
            cases = [(i, j) for i in range(10) for j in range(10)]
            return pd.DataFrame([
                {"C": C, "method": method, "true": i, "predicted": j, "cases": chang.PAPER_5[i, j]}
                for C in (1.0, 10.0) for method in ("hybrid", "one-vs-one") for i, j in cases
            ])  # fmt: skip

        monkeypatch.setattr(chang, "pen_digits", runs)
        found = chang.table5()
        judged = found[found["verdict"] != ""]
        assert judged[["method", "C", "quantity", "verdict"]].to_numpy().tolist() == [
            ["hybrid", 1.0, "accuracy", "agree"]
        ]


@pytest.mark.parametrize(("printed", "holds"), [(1.0, False), (1.2, True)])
def test_alike_is_no_further_apart_than_in_print(printed, holds):
    """By the upper end of an interval of 99 %."""
    spread = np.array([-0.2, -0.1, 0.0, 0.1, 0.2]) * 0.864
    differences = pd.DataFrame({"a": 0.9 + spread, "b": -0.2 + spread})
    reach = stats.t(4, 0.9, differences["a"].sem()).ppf(0.995)
    assert 1.0 < reach < 1.2
    row = chang_verdicts.claim_similar("alike", differences, printed).iloc[0]
    assert (row["verdict"], row["estimate"]) == ("agree" if holds else "open", pytest.approx(0.9, abs=1e-12))

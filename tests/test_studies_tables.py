"""Tables of studies: allowed differences, verdicts, statements, and recorded tables."""

import math
import os

import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure
from scipy import stats

from pwcstats.errors import InputError
from pwcstats.studies import hastie_tibshirani, sulzmann
from pwcstats.studies.recorded import read_about, read_record, record, recorded
from pwcstats.studies.tables import COLUMNS, Exhibit, claim, claim_everywhere, compare_with_paper

pytestmark = pytest.mark.one_environment

# Sums in another order.
ROUNDING = 1e-12


class TestBeside:
    runs = pd.DataFrame({"method": list("aaabbbbb"), "error": [0.10, 0.12, 0.14, 0.3, 0.3, 0.3, 0.3, 0.3]})

    def test_numbers(self):
        found = compare_with_paper(self.runs, ["method"], "error", {"a": 0.13}).set_index("method")
        assert list(found.columns) == list(COLUMNS)
        row = found.loc["a"]
        assert row["estimate"] == pytest.approx(0.12, abs=ROUNDING)
        assert row["std_error"] == pytest.approx(0.02 / math.sqrt(3), abs=ROUNDING)
        assert (row["runs"], row["paper"]) == (3, 0.13)
        assert row["difference"] == pytest.approx(-0.01, abs=ROUNDING)
        assert pd.isna(found.loc["b", "agrees"])

    @pytest.mark.parametrize("paper_runs", [1, 30])
    def test_agreement_is_a_prediction_interval_and_the_rounding(self, paper_runs):
        runs = pd.DataFrame({"method": "a", "error": [0.08, 0.1, 0.12, 0.14, 0.16]})
        width = stats.t.ppf(0.995, 4) * math.sqrt(0.001) * math.sqrt(1 / 5 + 1 / paper_runs) + 0.005
        for sign in (-1, 1):
            for factor, agrees in ((0.999, True), (1.001, False)):
                paper = {"a": 0.12 + sign * factor * width}
                found = compare_with_paper(runs, ["method"], "error", paper, paper_runs=paper_runs)
                assert found["agrees"][0] == agrees

    def test_what_is_allowed_decides(self):
        runs = pd.DataFrame({"method": list("aaaaabbbbb"), "error": np.arange(10) / 100})
        found = compare_with_paper(runs, ["method"], "error", {"a": 0.05, "b": 0.4})
        assert found["agrees"].tolist() == [True, False]
        assert (found["difference"].abs() <= found["allowed"]).tolist() == [True, False]
        assert compare_with_paper(runs, ["method"], "error", {})["allowed"].isna().all()

    def test_printed_runs_are_a_second_sample(self):
        """The limit is where a t-test with a pooled variance has p = 0.01."""
        rng = np.random.default_rng(1)
        ours, printed = rng.normal(0.2, 0.02, 7), rng.normal(0.2, 0.05, 5)
        row = compare_with_paper(
            pd.DataFrame({"method": "a", "error": ours}), ["method"], "error", {"a": printed}, digits=15
        ).loc[0]
        assert row["paper"] == pytest.approx(printed.mean(), abs=ROUNDING)
        assert row["std_error"] == pytest.approx(ours.std(ddof=1) / math.sqrt(7), abs=ROUNDING)
        apart = printed - printed.mean() + ours.mean() + row["allowed"]
        # The limit has 1e-12 for rounding.
        assert stats.ttest_ind(ours, apart).pvalue == pytest.approx(0.01, abs=1e-9)

    def test_one_run_of_ours_beside_several(self):
        run = pd.DataFrame({"method": ["a"], "error": [0.3]})
        found = compare_with_paper(run, ["method"], "error", {"a": [0.1, 0.11, 0.12, 0.13, 0.14]}).loc[0]
        assert found["agrees"] is np.False_ or found["agrees"] is False
        assert math.isnan(found["std_error"])

    def test_printed_standard_errors_are_used(self):
        runs = pd.DataFrame({"method": "a", "error": [0.08, 0.1, 0.12, 0.14, 0.16]})
        row = compare_with_paper(runs, ["method"], "error", {"a": 0.2}, paper_runs=9, paper_errors={"a": 0.03}).loc[0]
        chance = stats.t.ppf(0.995, 4) * math.sqrt(0.001 / 5 + 0.03**2)
        assert row["allowed"] == pytest.approx(chance + 0.005, abs=2 * ROUNDING)
        other = compare_with_paper(runs, ["method"], "error", {"a": 0.2}, paper_runs=9, paper_errors={"b": 0.03}).loc[0]
        assert other["allowed"] == pytest.approx(
            stats.t.ppf(0.995, 4) * math.sqrt(0.001) * math.sqrt(1 / 5 + 1 / 9) + 0.005, abs=2 * ROUNDING
        )

    def test_a_run_that_is_missing_is_no_verdict(self):
        runs = pd.DataFrame({"method": "a", "error": [0.1, 0.2, math.nan, 0.1, 0.2, 0.3]})
        assert (
            compare_with_paper(runs, ["method"], "error", {"a": 0.2})[["agrees", "allowed", "estimate"]]
            .isna()
            .all(axis=None)
        )

    @pytest.mark.parametrize("n", [2, 4])
    def test_few_runs_tell_nothing(self, n):
        runs = pd.DataFrame({"method": "a", "error": np.arange(n)})
        assert compare_with_paper(runs, ["method"], "error", {"a": 0.5})[["agrees", "allowed"]].isna().all(axis=None)

    @pytest.mark.parametrize(("paper", "agrees"), [(0.305, True), (0.295, True), (0.306, False), (0.294, False)])
    def test_where_runs_do_not_vary_only_rounding_counts(self, paper, agrees):
        assert compare_with_paper(self.runs, ["method"], "error", {"b": paper})["agrees"][1] == agrees

    def test_one_run_tells_nothing_unless_it_is_exact(self):
        found = compare_with_paper(self.runs.head(1), ["method"], "error", {"a": 0.1})
        assert found[["agrees", "allowed", "std_error"]].isna().all(axis=None)
        for paper, agrees in ((0.105, True), (0.106, False)):
            found = compare_with_paper(self.runs.head(1), ["method"], "error", {"a": paper}, exact=True)
            assert found["agrees"][0] == agrees
            assert found["allowed"][0] == pytest.approx(0.005, abs=2 * ROUNDING)
            assert math.isnan(found["std_error"][0])

    def test_intervals_hold_what_they_promise(self):
        """The paper's and our runs from one distribution: 99 % of the pairs agree."""
        rng, n = np.random.default_rng(0), 2000
        ours = pd.DataFrame({"method": np.repeat(np.arange(n), 10), "error": rng.normal(size=10 * n)})
        hits = compare_with_paper(ours, ["method"], "error", dict(enumerate(rng.normal(size=n))), digits=12)["agrees"]
        # Three standard errors of a share of 0.99.
        assert hits.mean() == pytest.approx(0.99, abs=3 * math.sqrt(0.99 * 0.01 / n))

    def test_several_columns_and_notes(self):
        runs = self.runs.assign(d=[1, 1, 1, 2, 2, 2, 2, 2])
        found = compare_with_paper(
            runs, ["d", "method"], "error", {(2, "b"): 0.12}, quantity="wrong", note="{}{}".format
        )
        assert found["note"].tolist() == ["1a", "2b"]
        assert found["quantity"].unique().tolist() == ["wrong"]
        assert found["agrees"].isna().tolist() == [True, False]


def test_claims_are_rows_like_others():
    found = pd.concat(
        [TestBeside.runs.pipe(compare_with_paper, ["method"], "error", {}), claim("it is so", False, 3.0)]
    )
    assert list(found.columns) == ["method", *COLUMNS]
    assert found["agrees"].tolist()[-1] is False
    assert found["agrees"].dtype == "boolean"
    assert claim("nobody can tell", None)["agrees"].isna().all()


@pytest.mark.parametrize(("second", "holds"), [(0.15, True), (0.05, False)])
def test_what_holds_everywhere_holds_beyond_noise(second, holds):
    """One-sided t-tests at 5 %, one for each comparison."""
    spread = np.array([-0.1, -0.05, 0.0, 0.05, 0.1])
    leads = pd.DataFrame({"a": 1.0 + spread, "b": second + spread})
    p_values = [stats.ttest_1samp(leads[name], 0.0, alternative="greater").pvalue for name in leads]
    assert all(p < 0.05 for p in p_values) == holds
    row = claim_everywhere("it leads", leads, "least lead").iloc[0]
    assert row["agrees"] == holds
    assert row["estimate"] == pytest.approx(second, abs=ROUNDING)
    assert row["std_error"] == pytest.approx(leads["b"].sem(), abs=ROUNDING)
    assert row["note"] == f"least lead; above 0 beyond noise in {1 + holds} of 2 comparisons"
    with np.errstate(invalid="ignore"):
        assert claim_everywhere("it leads", leads.head(1), "")["agrees"].isna().all()


class TestExhibit:
    def test_what_is_drawn(self):
        drawn, axes = [], Figure().subplots(1, 2)

        def draw(what):
            drawn.append(what)
            return axes

        of_frame = Exhibit("table1", "", "", figure=draw)
        of_seed = Exhibit("figure1", "", "", figure=draw, picture=draw)
        frame = claim("so", True)
        assert of_frame.draw(frame, 3) is axes[0].figure
        assert of_seed.draw(frame, 3) is axes[0].figure
        assert drawn[0] is frame
        assert drawn[1] == 3
        assert Exhibit("theorem1", "", "").draw(frame, 3) is None


class TestRecords:
    def test_round_trip(self, tmp_path):
        frame = pd.concat([compare_with_paper(TestBeside.runs, ["method"], "error", {"a": 0.13}), claim("so", True)])
        record(frame, tmp_path / "a.csv", date="2026-01-02", size="paper", seconds=3)
        found = read_record(tmp_path / "a.csv")
        assert (found.attrs["date"], found.attrs["size"], found.attrs["seconds"]) == ("2026-01-02", "paper", 3)
        assert "numpy" in found.attrs["versions"]
        found.attrs = {}
        # Six digits are written.
        pd.testing.assert_frame_equal(found, frame.reset_index(drop=True), rtol=1e-5, check_dtype=False)
        assert found["agrees"].dtype == "boolean"

    def test_whole_numbers_stay_whole(self, tmp_path):
        runs = pd.DataFrame({"k": [3, 4], "word": ["a", "b"], "d": [0.5, 1.0], "error": [0.1, 0.2]})
        frame = pd.concat([compare_with_paper(runs, ["k", "word", "d"], "error", {}), claim("so", True)]).astype(
            {"k": "Int64"}
        )
        record(frame, tmp_path / "a.csv")
        found = read_record(tmp_path / "a.csv")
        assert [str(found[name].dtype) for name in ("k", "d", "runs")] == ["Int64", "float64", "Int64"]
        assert found["k"].tolist()[:2] == [3, 4]

    @pytest.mark.parametrize("what", ["cut", "edited", "no json", "json of nothing", "json cut", "no table"])
    def test_what_is_not_whole_is_not_read(self, tmp_path, what):
        file, about = tmp_path / "a.csv", tmp_path / "a.json"
        record(compare_with_paper(TestBeside.runs, ["method"], "error", {"b": 0.3}), file)
        assert len(read_record(file)) == 2
        lines = file.read_text().splitlines()
        match what:
            case "cut":
                file.write_text("\n".join(lines[:-1]) + "\n")
            case "edited":
                file.write_text(file.read_text().replace("True", "False"))
            case "no json":
                about.unlink()
            case "json of nothing":
                about.write_text("[]")
            case "json cut":
                about.write_text(about.read_text()[:20])
            case _:
                file.unlink()
        with pytest.raises(InputError, match=r"a\.csv does not match a\.json beside it; compute"):
            read_record(file)

    @pytest.mark.parametrize("at", [0, 1])
    def test_a_kill_never_leaves_a_table_beside_what_is_told_of_another(self, tmp_path, monkeypatch, at):
        """Killed before either file takes its place."""
        first, second = (compare_with_paper(TestBeside.runs, ["method"], "error", {"b": paper}) for paper in (0.3, 0.5))
        record(first, tmp_path / "a.csv", size="quick")
        calls, replace = [], os.replace

        def killed(*files):
            calls.append(files)
            if len(calls) == at + 1:
                raise KeyboardInterrupt
            replace(*files)

        monkeypatch.setattr(os, "replace", killed)
        with pytest.raises(KeyboardInterrupt):
            record(second, tmp_path / "a.csv", size="paper")
        if at == 0:
            found = read_record(tmp_path / "a.csv")
            assert (found.attrs["size"], found["agrees"][1]) == ("quick", True)
        else:
            with pytest.raises(InputError, match=r"a\.csv does not match a\.json"):
                read_record(tmp_path / "a.csv")

    def test_pictures_tell_how_they_were_made(self, tmp_path):
        record(None, tmp_path / "a.csv", seed=3)
        assert read_about(tmp_path / "a.png")["seed"] == 3
        assert [file.name for file in tmp_path.iterdir()] == ["a.json"]
        assert read_about(tmp_path / "b.png") == {}

    def test_unknown_names(self):
        with pytest.raises(InputError, match="study must be one of"):
            recorded("einstein", "table1")
        with pytest.raises(InputError, match=r"exhibit must be one of .*'table3'"):
            recorded("szepannek", "table9")


class TestFindings:
    """What the site says about each paper, from the recorded results."""

    def test_hastie_tibshirani(self):
        solution = recorded("hastie_tibshirani", "example").query("answer == 'minimum'")["estimate"]
        assert ", ".join(f"{p:.3f}" for p in solution) in hastie_tibshirani.FINDING

    def test_sulzmann(self):
        changed = recorded("sulzmann", "one_against_all").query("quantity == 'cases that get another class'")[
            "estimate"
        ]
        assert f"{changed.max():.1%}".replace("%", " %") in sulzmann.FINDING

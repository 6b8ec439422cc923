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
from pwcstats.studies.tables import COLUMNS, POWER, Exhibit, claim, claim_everywhere, compare_with_paper, tally

pytestmark = pytest.mark.one_environment

# Sums in another order.
ROUNDING = 1e-12
# A range that lets every number count.
ALL = {"plausible": (-math.inf, math.inf)}


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
        assert found.loc["b", "verdict"] == ""

    @pytest.mark.parametrize("paper_runs", [1, 30])
    def test_agreement_is_a_prediction_interval_and_the_rounding(self, paper_runs):
        runs = pd.DataFrame({"method": "a", "error": [0.08, 0.1, 0.12, 0.14, 0.16]})
        width = stats.t.ppf(0.995, 4) * math.sqrt(0.001) * math.sqrt(1 / 5 + 1 / paper_runs) + 0.005
        for sign in (-1, 1):
            for factor, verdict in ((0.999, "agree"), (1.001, "open")):
                paper = {"a": 0.12 + sign * factor * width}
                found = compare_with_paper(runs, ["method"], "error", paper, paper_runs=paper_runs, **ALL)
                assert found["verdict"][0] == verdict

    def test_what_is_allowed_decides(self):
        runs = pd.DataFrame({"method": list("aaaaabbbbb"), "error": np.arange(10) / 100})
        found = compare_with_paper(runs, ["method"], "error", {"a": 0.05, "b": 0.4}, **ALL)
        assert found["verdict"].tolist() == ["agree", "open"]
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
        found = compare_with_paper(run, ["method"], "error", {"a": [0.1, 0.11, 0.12, 0.13, 0.14]}, **ALL).loc[0]
        assert found["verdict"] == "open"
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
        found = compare_with_paper(runs, ["method"], "error", {"a": 0.2})
        assert found[["allowed", "estimate"]].isna().all(axis=None)
        assert found["verdict"].tolist() == [""]

    @pytest.mark.parametrize("n", [2, 4])
    def test_few_runs_tell_nothing(self, n):
        runs = pd.DataFrame({"method": "a", "error": np.arange(n)})
        found = compare_with_paper(runs, ["method"], "error", {"a": 0.5})
        assert found["allowed"].isna().all()
        assert found["verdict"].tolist() == [""]

    @pytest.mark.parametrize(("paper", "agrees"), [(0.305, True), (0.295, True), (0.306, False), (0.294, False)])
    def test_where_runs_do_not_vary_only_rounding_counts(self, paper, agrees):
        found = compare_with_paper(self.runs, ["method"], "error", {"b": paper})
        assert found["verdict"][1] == ("agree" if agrees else "open")

    def test_one_run_tells_nothing_unless_it_is_exact(self):
        found = compare_with_paper(self.runs.head(1), ["method"], "error", {"a": 0.1})
        assert found[["allowed", "std_error"]].isna().all(axis=None)
        assert found["verdict"].tolist() == [""]
        for paper, verdict in ((0.105, "agree"), (0.106, "open")):
            found = compare_with_paper(self.runs.head(1), ["method"], "error", {"a": paper}, exact=True)
            assert found["verdict"][0] == verdict
            assert found["allowed"][0] == pytest.approx(0.005, abs=2 * ROUNDING)
            assert math.isnan(found["std_error"][0])

    def test_intervals_hold_what_they_promise(self):
        """The paper's and our runs from one distribution: 99 % of the pairs agree."""
        rng, n = np.random.default_rng(0), 2000
        ours = pd.DataFrame({"method": np.repeat(np.arange(n), 10), "error": rng.normal(size=10 * n)})
        paper = dict(enumerate(rng.normal(size=n)))
        found = compare_with_paper(ours, ["method"], "error", paper, digits=12, **ALL)["verdict"]
        # Three standard errors of a share of 0.99.
        assert (found == "agree").mean() == pytest.approx(0.99, abs=3 * math.sqrt(0.99 * 0.01 / n))

    def test_several_columns_and_notes(self):
        runs = self.runs.assign(d=[1, 1, 1, 2, 2, 2, 2, 2])
        found = compare_with_paper(
            runs, ["d", "method"], "error", {(2, "b"): 0.12}, quantity="wrong", note="{}{}".format
        )
        assert found["note"].tolist() == ["1a", "2b"]
        assert found["quantity"].unique().tolist() == ["wrong"]
        assert found["verdict"].tolist() == ["", "open"]

    @pytest.mark.parametrize(
        ("paper", "plausible", "counts"),
        [
            (0.0101, (0.0, math.inf), True),
            (0.0099, (0.0, math.inf), False),
            (0.9, (0.0, 1.0), True),
            (0.9899, (0.0, 1.0), True),
            (0.9901, (0.0, 1.0), False),
            (0.9901, (0.0, math.inf), True),
            (0.5, (0.4901, 1.0), False),
        ],
    )
    def test_a_number_counts_if_it_could_be_told_from_the_ends_of_its_range(self, paper, plausible, counts):
        """Half a unit of the last digit is allowed, 0.005."""
        run = pd.DataFrame({"method": ["a"], "error": [0.3]})
        found = compare_with_paper(run, ["method"], "error", {"a": paper}, exact=True, plausible=plausible)
        assert found["verdict"].tolist() == ["open" if counts else "no power"]
        # A difference of 0 would not count either.
        found = compare_with_paper(
            run.assign(error=paper), ["method"], "error", {"a": paper}, exact=True, plausible=plausible
        )
        assert found["verdict"].tolist() == ["agree" if counts else "no power"]

    def test_half_of_the_distance_makes_a_test_of_the_ends(self):
        """If the truth is 0, a number that just counts is rejected in 99 % of all repetitions."""
        rng, n, m = np.random.default_rng(0), 2000, 40
        ours = pd.DataFrame({"method": np.repeat(np.arange(n), m), "error": rng.normal(size=n * m)})
        allowed = stats.t.ppf(0.995, m - 1) * math.sqrt(1 / m + 1)
        paper = dict(enumerate(allowed / POWER + rng.normal(size=n)))
        found = compare_with_paper(ours, ["method"], "error", paper, digits=12, **ALL)["verdict"]
        assert (found == "open").mean() >= 0.99

    def test_a_difference_with_a_cause_is_settled(self):
        runs = pd.DataFrame({"method": ["a", "b", "c"], "error": [0.3, 0.3, 0.3]})
        found = compare_with_paper(
            runs,
            ["method"],
            "error",
            {"a": 0.5, "b": 0.5, "c": 0.3},
            exact=True,
            cause=lambda method: "" if method == "b" else "known",
        )
        assert found["verdict"].tolist() == ["disagree", "open", "agree"]
        # A cause is told only where there is a difference.
        assert found["cause"].tolist() == ["known", "", ""]


def test_claims_are_rows_like_others():
    found = pd.concat(
        [TestBeside.runs.pipe(compare_with_paper, ["method"], "error", {}), claim("it is so", 3.0, 0.1, below=2.0)]
    )
    assert list(found.columns) == ["method", *COLUMNS]
    assert found["verdict"].tolist()[-1] == "open"
    assert claim("nobody can tell", 3.0)["verdict"].tolist() == [""]


@pytest.mark.parametrize("side", ["above", "below"])
@pytest.mark.parametrize(("z", "verdict"), [(2.6, "agree"), (2.5, "open"), (-2.5, "open"), (-2.6, "disagree")])
def test_statements_are_judged_beyond_noise(side, z, verdict):
    """2.576 standard errors are the half-width of a normal interval of 99 %."""
    estimate = 7.0 + (z if side == "above" else -z) * 0.3
    row = claim("so", estimate, 0.3, cause="known", **{side: 7.0}).iloc[0]
    assert (row["verdict"], row["cause"]) == (verdict, "known" if verdict == "disagree" else "")
    assert row["difference"] == pytest.approx(z * 0.3, abs=ROUNDING)
    assert row["allowed"] == pytest.approx(stats.norm.ppf(0.995) * 0.3, abs=ROUNDING)
    without = claim("so", estimate, 0.3, **{side: 7.0})["verdict"].item()
    assert without == ("open" if verdict == "disagree" else verdict)


def test_statements_of_few_runs_have_wide_intervals():
    row = claim("so", 1.0, 0.2, above=0.0, runs=5).iloc[0]
    assert row["allowed"] == pytest.approx(0.2 * stats.t.ppf(0.995, 4), abs=ROUNDING)
    assert claim("so", 1.0, 0.2, above=0.0)["allowed"].item() < row["allowed"]
    # One run has no noise to go by; what is not random has none.
    assert claim("so", 1.0, math.nan, above=0.0, runs=1)["verdict"].item() == "open"
    assert claim("so", 1.0, 0.0, above=0.0)["verdict"].item() == "agree"


@pytest.mark.parametrize(("second", "verdict"), [(0.2, "agree"), (0.1, "open"), (-0.1, "open"), (-0.2, "disagree")])
def test_what_holds_everywhere_holds_beyond_noise(second, verdict):
    """Two-sided t-tests at 1 %, one for each comparison."""
    spread = np.array([-0.1, -0.05, 0.0, 0.05, 0.1])
    leads = pd.DataFrame({"a": 1.0 + spread, "b": second + spread})
    clear = stats.ttest_1samp(leads["b"], 0.0).pvalue < 0.01
    assert clear == (verdict != "open")
    row = claim_everywhere("it leads", leads, "lead", "known").iloc[0]
    assert row["verdict"] == verdict
    assert row["estimate"] == pytest.approx(second, abs=ROUNDING)
    assert row["std_error"] == pytest.approx(leads["b"].sem(), abs=ROUNDING)
    count = 1 + (verdict == "agree")
    below = ", below 0 in 1" if verdict == "disagree" else ""
    assert row["note"] == f"lead; beyond noise above 0 in {count} of 2 comparisons{below}"
    with np.errstate(invalid="ignore"):
        assert claim_everywhere("it leads", leads.head(1), "")["verdict"].tolist() == ["open"]


def test_tally():
    verdicts = pd.Series(["agree", "", "no power", "open", "agree", "disagree", "no power"])
    assert tally(verdicts) == "2 of 4 agree with the paper, 1 disagree, 1 open, 2 without power"
    assert tally(pd.Series(["", ""])) == "no printed numbers"
    assert tally(pd.Series(["agree"])) == "1 of 1 agree with the paper"


class TestExhibit:
    def test_what_is_drawn(self):
        drawn, axes = [], Figure().subplots(1, 2)

        def draw(what):
            drawn.append(what)
            return axes

        of_frame = Exhibit("table1", "", "", figure=draw)
        of_seed = Exhibit("figure1", "", "", figure=draw, picture=draw)
        frame = claim("so", 1.0, 0.0, above=0.0)
        assert of_frame.draw(frame, 3) is axes[0].figure
        assert of_seed.draw(frame, 3) is axes[0].figure
        assert drawn[0] is frame
        assert drawn[1] == 3
        assert Exhibit("theorem1", "", "").draw(frame, 3) is None


class TestRecords:
    def test_round_trip(self, tmp_path):
        frame = pd.concat(
            [compare_with_paper(TestBeside.runs, ["method"], "error", {"a": 0.13}), claim("so", 1.0, 0.0, above=0.0)]
        )
        record(frame, tmp_path / "a.csv", date="2026-01-02", size="paper", seconds=3)
        found = read_record(tmp_path / "a.csv")
        assert (found.attrs["date"], found.attrs["size"], found.attrs["seconds"]) == ("2026-01-02", "paper", 3)
        assert "numpy" in found.attrs["versions"]
        found.attrs = {}
        # Six digits are written.
        pd.testing.assert_frame_equal(found, frame.reset_index(drop=True), rtol=1e-5, check_dtype=False)

    def test_whole_numbers_stay_whole(self, tmp_path):
        runs = pd.DataFrame({"k": [3, 4], "word": ["a", "b"], "d": [0.5, 1.0], "error": [0.1, 0.2]})
        frame = pd.concat(
            [compare_with_paper(runs, ["k", "word", "d"], "error", {}), claim("so", 1.0, 0.0, above=0.0)]
        ).astype({"k": "Int64"})
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
                file.write_text(file.read_text().replace("agree", "open"))
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
            assert (found.attrs["size"], found["verdict"][1]) == ("quick", "agree")
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

"""`compare_methods`: the test that suits the design, the best methods, letters, notes."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from pwcstats import InputError
from pwcstats.compare import (
    adjust,
    cochran_q,
    compare_methods,
    corrected_resampled_t,
    cv5x2_f,
    cv5x2_t,
    friedman,
    mcnemar,
    nemenyi,
    paired_t,
    rank_tests,
    sign,
    wilcoxon,
    winners,
)

from .comparing import FIVE, THREE, column, tidy


class TestDesigns:
    def test_one_data_set_with_folds(self):
        scores = tidy(THREE, repeats=10, folds=10)
        result = compare_methods(scores)
        assert result.test == "corrected_resampled_t"
        assert "100 splits of one data set" in result.reason
        assert "10 %" in result.reason
        assert result.omnibus is None
        p = []
        for row in result.pairs.itertuples():
            # Intervals hold simultaneously: Bonferroni's level of three.
            a, b = column(scores, row.method_a), column(scores, row.method_b)
            want = corrected_resampled_t(a, b, test_fraction=0.1, alpha=0.05 / 3)
            assert (row.statistic, row.p_value) == (pytest.approx(want.statistic), pytest.approx(want.p_value))
            assert (row.conf_low, row.conf_high) == pytest.approx(want.conf_int)
            assert row.estimate == pytest.approx(row.mean_difference) == pytest.approx(a.mean() - b.mean())
            p.append(want.p_value)
        np.testing.assert_allclose(result.pairs["p_adjusted"], adjust(p, "holm"))
        # The interval of a method's own mean is corrected, too.
        own, row = column(scores, "svm"), result.table.loc["svm"]
        half = stats.t.isf(0.025, 99) * own.std(ddof=1) * np.sqrt(1 / 100 + 1 / 9)
        assert (row["conf_low"], row["conf_high"]) == pytest.approx((own.mean() - half, own.mean() + half))

    def test_sizes_tell_the_fraction(self):
        """Random splits have as many "folds" as one likes."""
        scores = tidy(THREE, folds=30, n_train=70, n_test=30)
        assert "30 %" in compare_methods(scores).reason
        told = compare_methods(scores.drop(columns=["n_train", "n_test"]), test_fraction=0.3)
        pd.testing.assert_frame_equal(compare_methods(scores).pairs, told.pairs)

    def test_five_by_two(self):
        scores = tidy(THREE, repeats=5, folds=2)
        mixed = scores.sample(frac=1, random_state=0)
        # The corrected t-test keeps its level where the tests of this design do not.
        assert compare_methods(mixed).test == "corrected_resampled_t"
        assert "50 %" in compare_methods(mixed).reason
        for name, test in (("cv5x2_f", cv5x2_f), ("cv5x2_t", cv5x2_t)):
            result = compare_methods(mixed, test=name)
            assert result.test == name
            row = result.pairs.iloc[0]
            want = test(column(scores, row["method_a"]), column(scores, row["method_b"]), alpha=0.05 / 3)
            assert row["p_value"] == pytest.approx(want.p_value, rel=1e-12)
            assert (row["conf_low"], row["conf_high"]) == pytest.approx(want.conf_int)
        words = mixed.assign(repeat=mixed["repeat"].map({0: "x", 1: 1, 2: 2, 3: 3, 4: 4}))
        assert compare_methods(words, test="cv5x2_f").pairs["p_value"].min() == pytest.approx(
            compare_methods(mixed, test="cv5x2_f").pairs["p_value"].min()
        )
        with pytest.raises(InputError, match="with 10 % of the cases in each test set"):
            compare_methods(scores.assign(n_train=90, n_test=10), test="cv5x2_f")
        with pytest.raises(InputError, match="leave one of them out"):
            compare_methods(scores, test="cv5x2_f", test_fraction=0.5)

    def test_frames_as_they_come(self):
        scores = tidy(THREE, datasets=9)
        wide = scores.pivot(index="dataset", columns="method", values="score").rename_axis(columns=None)
        want = compare_methods(scores).pairs["p_value"]
        for same in (
            wide.reset_index(),
            scores.set_index(["dataset", "repeat"]),
            scores.set_index(["dataset", "method"]),
        ):
            np.testing.assert_allclose(compare_methods(same).pairs["p_value"], want)
        np.testing.assert_allclose(nemenyi(wide.reset_index()).ranks, nemenyi(wide).ranks)
        np.testing.assert_allclose(friedman(dict(wide)).statistic, friedman(wide).statistic)

    def test_folds_numbered_on_and_on(self):
        many = tidy(THREE, folds=50)
        with pytest.raises(InputError, match="50 folds of one data set may be repeats of fewer folds"):
            compare_methods(many)
        assert "10 %" in compare_methods(many, test_fraction=0.1).reason
        scores = tidy(THREE, repeats=3, folds=4)
        counted_on = scores.assign(fold=scores["fold"] + 4 * scores["repeat"])
        assert "25 %" in compare_methods(counted_on).reason
        with pytest.raises(InputError, match=r"same number of folds, 4, but \(1\) have fewer"):
            compare_methods(scores[(scores["repeat"] != 1) | (scores["fold"] != 2)])

    def test_repeats_without_folds_must_be_told(self):
        scores = tidy(THREE, repeats=12).drop(columns="fold")
        with pytest.raises(InputError, match=r"set test='paired_t' .* give test_fraction "):
            compare_methods(scores)
        assert compare_methods(scores, test_fraction=0.3).test == "corrected_resampled_t"
        result = compare_methods(scores, test="paired_t")
        assert "not" not in result.reason
        assert "folds are not" in compare_methods(tidy(THREE, folds=9), test="paired_t").reason
        row = result.pairs.iloc[0]
        want = paired_t(column(scores, row["method_a"]), column(scores, row["method_b"]), alpha=0.05 / 3)
        assert (row["p_value"], row["conf_low"]) == (pytest.approx(want.p_value), pytest.approx(want.conf_int[0]))

    def test_many_data_sets(self):
        scores = tidy(FIVE, datasets=12, folds=5)
        result = compare_methods(scores)
        assert result.test == "wilcoxon"
        assert "12 data sets" in result.reason
        means = scores.groupby(["dataset", "method"], sort=False)["score"].mean().unstack("method")
        row = result.pairs.iloc[3]
        want = wilcoxon(means[row["method_a"]], means[row["method_b"]], alpha=0.05 / 10)
        got = (row["p_value"], row["estimate"], row["conf_low"])
        assert got == pytest.approx((want.p_value, want.estimate, want.conf_int[0]))
        assert result.omnibus.p_value == pytest.approx(friedman(means, statistic="F").p_value)
        pd.testing.assert_series_equal(
            result.table["rank"], friedman(means).ranks[result.table.index], check_names=False
        )
        # The number of splits of a data set makes no more observations of it.
        assert len(result.scores) == 12

    def test_few_data_sets(self):
        """Six sets: the smallest p-value of ten signed-rank tests would be 10 x 2/64."""
        scores = tidy(FIVE, datasets=6)
        result = compare_methods(scores)
        assert result.test == "mean_ranks"
        assert "could not reach 0.05" in result.reason
        means = scores.pivot(index="dataset", columns="method", values="score")
        want = rank_tests(means).pairs.set_index(["method_a", "method_b"])
        for row in result.pairs.itertuples():
            # Methods that tie in their ranks may stand the other way round.
            pair = (row.method_a, row.method_b)
            known = pair if pair in want.index else pair[::-1]
            assert row.p_adjusted == pytest.approx(want.loc[known, "p_adjusted"])
            assert row.estimate == pytest.approx(want.loc[known, "estimate"] * (1 if known == pair else -1))
        # Against a control there are four tests only, but 4 x 2/64 is still above 0.05.
        assert compare_methods(scores, control="nb").test == "mean_ranks"
        assert compare_methods(tidy(FIVE, datasets=8), control="nb").test == "wilcoxon"

    def test_two_methods_on_data_sets(self):
        scores = tidy({"a": 0.8, "b": 0.78}, datasets=5)
        result = compare_methods(scores)
        assert result.test == "wilcoxon"
        assert result.omnibus is None
        assert any("no p-value can be below 0.0625" in note for note in result.notes)

    def test_tests_as_asked(self):
        scores = tidy(FIVE, datasets=12)
        means = scores.pivot(index="dataset", columns="method", values="score")
        found = compare_methods(scores, test="nemenyi")
        want = nemenyi(means)
        assert found.critical_difference == want.critical_difference
        assert found.adjust == "none"
        np.testing.assert_allclose(found.p_values, want.p_values.loc[found.table.index, found.table.index])
        signs = compare_methods(scores, test="sign").pairs.iloc[0]
        assert signs["p_value"] == sign(means[signs["method_a"]], means[signs["method_b"]]).p_value
        t = compare_methods(scores, test="paired_t").pairs.iloc[0]
        assert t["p_value"] == pytest.approx(paired_t(means[t["method_a"]], means[t["method_b"]]).p_value)

    def test_cases(self):
        rng = np.random.default_rng(0)
        right = pd.DataFrame(rng.random((80, 3)) < [0.9, 0.7, 0.65], columns=list("abc")).astype(int)
        scores = right.rename_axis("case").reset_index().melt("case", var_name="method", value_name="score")
        result = compare_methods(scores)
        assert result.test == "mcnemar"
        assert result.omnibus.p_value == cochran_q(right).p_value
        row = result.pairs.iloc[0]
        assert row["p_value"] == mcnemar(right[row["method_a"]], right[row["method_b"]]).p_value

    def test_wide_tables(self):
        scores = tidy(FIVE, datasets=12)
        wide = scores.pivot(index="dataset", columns="method", values="score")
        for one, rows in ((wide, None), (wide.reset_index(drop=True), "datasets")):
            np.testing.assert_allclose(
                compare_methods(one, rows=rows).pairs["p_adjusted"], compare_methods(scores).pairs["p_adjusted"]
            )
        assert wide.columns.name == "method"
        found = compare_methods(wide.to_numpy(), rows="datasets").table.index
        assert [wide.columns[index] for index in found] == list(compare_methods(scores).table.index)

    def test_wide_tables_of_splits(self):
        """Rows that are called repeat and fold are no data sets."""
        scores = tidy(THREE, repeats=2, folds=5)
        for index in (["repeat", "fold"], ["dataset", "repeat", "fold"]):
            result = compare_methods(scores.pivot(index=index, columns="method", values="score"))
            assert result.test == "corrected_resampled_t"
            np.testing.assert_allclose(result.pairs["p_value"], compare_methods(scores).pairs["p_value"])
        bare = scores.pivot(index=["repeat", "fold"], columns="method", values="score").reset_index(drop=True)
        with pytest.raises(InputError, match=r"rename_axis\('case'\)"):
            compare_methods((bare > 0.79).astype(int))
        with pytest.raises(InputError, match=r"levels of scores must be named .* got \(set, split\); rename them"):
            compare_methods(bare.set_index(pd.MultiIndex.from_product([[0, 1], range(5)], names=["set", "split"])))

    def test_rows_without_names(self):
        """Ten folds of cross_val_score are not ten data sets: Wilcoxon's test would take chance for a difference."""
        wide = tidy(THREE, folds=10).pivot(index="fold", columns="method", values="score").rename_axis(columns=None)
        want = compare_methods(wide)
        assert want.test == "corrected_resampled_t"
        digits = wide.set_axis([str(fold) for fold in wide.index], axis=0)
        bare = wide.reset_index(drop=True)
        both = "rows='folds' for the folds .* rows='datasets' for one row per data set"
        for scores in (dict(bare), bare.to_dict("list"), bare, bare.to_numpy(), digits, bare.iloc[::-1]):
            with pytest.raises(InputError, match=f"set {both}"):
                compare_methods(scores)
            for test in ("wilcoxon", "paired_t", "nemenyi"):
                with pytest.raises(InputError, match=both):
                    compare_methods(scores, test=test)
            for options in ({"rows": "folds"}, {"test": "corrected_resampled_t"}, {"test_fraction": 0.1}):
                np.testing.assert_allclose(compare_methods(scores, **options).pairs["p_value"], want.pairs["p_value"])
            as_sets = compare_methods(scores, rows="datasets")
            np.testing.assert_allclose(
                as_sets.pairs["p_value"], compare_methods(wide.rename_axis("dataset")).pairs["p_value"]
            )
        assert "20 %" in compare_methods(bare, rows="folds", test_fraction=0.2).reason
        with pytest.raises(InputError, match="30 folds of one data set may be repeats of fewer folds"):
            compare_methods(pd.concat([bare] * 3, ignore_index=True), rows="folds")
        with pytest.raises(InputError, match="'wilcoxon' is for independent scores"):
            compare_methods(bare, rows="folds", test="wilcoxon")
        with pytest.raises(InputError, match="rows must be one of 'folds', 'datasets', None, got 'cases'"):
            compare_methods(bare, rows="cases")

    def test_rows_that_contradict_names(self):
        scores = tidy(THREE, datasets=9)
        wide = scores.pivot(index="dataset", columns="method", values="score")
        assert compare_methods(wide, rows="datasets").test == "wilcoxon"
        for named in (wide, scores[["method", "dataset", "score"]]):
            with pytest.raises(InputError, match="rows='folds', but the rows of scores are named dataset; leave rows"):
                compare_methods(named, rows="folds")

    def test_labels_that_say_what_rows_are(self):
        """Names of folds, and of an index, in the words that people use."""
        bare = tidy(THREE, folds=10).pivot(index="fold", columns="method", values="score").reset_index(drop=True)
        want = compare_methods(bare, rows="folds").pairs
        for labels in ("Fold{}", "fold_{:02}", "fold {}"):
            named = bare.set_axis([labels.format(i) for i in range(10)], axis=0)
            pd.testing.assert_frame_equal(compare_methods(named).pairs, want)
            with pytest.raises(InputError, match="no column dataset"):
                friedman(named)
        pd.testing.assert_frame_equal(compare_methods(bare.rename_axis("Fold")).pairs, want)
        caret = bare.set_axis([f"Fold{i % 5 + 1}.Rep{i // 5 + 1}" for i in range(10)], axis=0)
        assert "20 %" in compare_methods(caret).reason
        for splits in (bare.rename_axis("seed"), bare.set_axis([f"Resample{i}" for i in range(10)], axis=0)):
            with pytest.raises(InputError, match="10 repeats without folds .* give test_fraction "):
                compare_methods(splits)
        assert compare_methods(bare.rename_axis("problem")).test == "wilcoxon"
        for name in ("fold_id", "cv_fold", "outer-fold"):
            pd.testing.assert_frame_equal(compare_methods(bare.rename_axis(name)).pairs, want)
        # Numbers under any other name are not names, and what the user says of labels counts.
        for name in ("index", "k"):
            with pytest.raises(InputError, match="rows='folds' for the folds"):
                compare_methods(bare.rename_axis(name))
        odd = bare.set_axis([f"cv{i}" for i in range(10)], axis=0)
        pd.testing.assert_frame_equal(compare_methods(odd, rows="folds").pairs, want)
        # Four repeats of five folds are not 20 folds.
        twice = pd.concat([bare, bare], ignore_index=True)
        with pytest.raises(InputError, match="20 folds of one data set may be repeats .*give test_fraction "):
            compare_methods(twice, rows="folds")

    def test_rank_tests_know_folds_from_data_sets(self):
        scores = tidy(THREE, datasets=4, folds=3)
        rows = scores.pivot(index=["dataset", "fold"], columns="method", values="score")
        for test in (nemenyi, friedman):
            pd.testing.assert_series_equal(test(rows).ranks.sort_index(), test(scores).ranks.sort_index())
            with pytest.raises(InputError, match="no column dataset"):
                test(rows.loc["set 0"])

    def test_the_order_of_rows_does_not_matter(self):
        scores = tidy(FIVE, datasets=12, repeats=2, folds=3)
        mixed = scores.sample(frac=1, random_state=1)
        mixed["dataset"] = mixed["dataset"].astype("category")
        one, other = compare_methods(scores), compare_methods(mixed)
        assert list(one.table.index) == list(other.table.index)
        np.testing.assert_allclose(one.pairs["p_adjusted"], other.pairs["p_adjusted"])

    def test_nothing_is_changed(self):
        scores = tidy(FIVE, datasets=12)
        before = scores.copy()
        compare_methods(scores)
        pd.testing.assert_frame_equal(scores, before)
        wide = scores.pivot(index="dataset", columns="method", values="score").rename_axis(columns=None)
        compare_methods(wide)
        nemenyi(wide)
        assert wide.columns.name is None

    @pytest.mark.parametrize("labels", [[1, 2, 3], [True, "b", 2.5]])
    def test_labels_of_any_kind(self, labels):
        scores = tidy(dict(zip(["x", "y", "z"], [0.8, 0.7, 0.5], strict=True)), datasets=9)
        scores["method"] = scores["method"].map(dict(zip(["x", "y", "z"], labels, strict=True)))
        result = compare_methods(scores)
        assert list(result.table.index) == labels
        assert result.best == labels[0]


class TestVerdict:
    def test_best(self):
        result = compare_methods(tidy({"a": 0.9, "b": 0.7, "c": 0.69}, datasets=12))
        assert result.best == "a"
        assert result.best_group == ["a"]
        assert list(result.table["letters"]) == ["a", "b", "b"]
        assert result.cliques == [("a",), ("b", "c")]
        assert result.verdict == "a is significantly better than every other method."
        assert result.verdict in result.summary()
        assert result.to_dict()["verdict"] == result.verdict

    def test_nobody_is_best(self):
        result = compare_methods(tidy(THREE, datasets=12))
        assert result.best is None
        assert result.best_group == ["svm", "lda"]
        assert list(result.table["letters"]) == ["a", "a", "b"]
        assert result.verdict == (
            "svm and lda are significantly better than nb. The other differences are not significant."
        )

    def test_who_is_better_than_whom(self):
        """Every group of better methods has a clause; if there are many, the verdict names the best."""
        result = compare_methods(tidy(FIVE, datasets=12))

        def verdict(*better):
            both = zip(result.pairs["method_a"], result.pairs["method_b"], strict=True)
            pairs = result.pairs.assign(estimate=1.0, significant=[pair in better for pair in both])
            return replace(result, pairs=pairs).verdict

        first, second, third, fourth, fifth = result.table.index
        assert verdict() == "No difference is significant."
        assert verdict((first, fourth), (first, fifth), (second, fifth), (third, fifth)) == (
            f"{first} is significantly better than {fourth} and {fifth}; {second} and {third} are significantly better "
            f"than {fifth}. The other differences are not significant."
        )
        many = [(first, second), (first, third), (first, fourth), (second, third), (second, fourth), (second, fifth)]
        many += [(third, fourth), (third, fifth), (fourth, fifth)]
        assert verdict(*many) == f"No other method is significantly better than {first}."
        assert verdict(*many[1:]) == f"No other method is significantly better than {first} or {second}."

    def test_who_is_better_is_what_the_test_says(self):
        """Many small gains of A, fewer but larger ones of B: A has the better mean rank, B wins the test."""
        d = np.r_[np.arange(1, 22), -np.arange(22, 41)] / 1000
        wide = pd.DataFrame({"A": 0.5 + d, "B": 0.5}).rename_axis("dataset")
        for result in (compare_methods(wide), compare_methods(1 - wide, higher_is_better=False)):
            assert list(result.table.index) == ["A", "B"]
            assert result.pairs["significant"].all()
            assert result.best == "B"
            assert result.best_group == ["B"]
            assert any("B is better than A by the test, though not by its mean rank" in note for note in result.notes)
        # The same of the first fold, which is all that Dietterich's test looks at.
        a = np.full((5, 2), 0.1) + 0.001 * np.arange(10).reshape(5, 2)
        a[0] = [-0.1, -0.099]
        five = pd.DataFrame({"A": a.ravel(), "B": 0.0}, index=pd.MultiIndex.from_product(
            [range(5), range(2)], names=["repeat", "fold"]))  # fmt: skip
        result = compare_methods(five, test="cv5x2_t")
        assert (result.table.index[0], result.best) == ("A", "B")
        long = five.stack().rename("score").rename_axis(["repeat", "fold", "method"]).reset_index().assign(x=0)
        found = winners(long, "x", test="cv5x2_t")
        assert (found["best"].item(), found["p_value"].item(), found["note"].item()) == (
            "A", 1.0, "the test prefers the second"
        )  # fmt: skip

    def test_mean_and_rank_may_order_otherwise(self):
        """One data set: by the mean; several: by the mean rank."""
        wide = pd.DataFrame({"a": [0.6, 0.6, 0.6, 0.6], "b": [0.5, 0.5, 0.5, 0.95]})
        assert list(compare_methods(wide, rows="datasets").table.index) == ["a", "b"]
        assert list(compare_methods(wide.rename_axis("fold")).table.index) == ["b", "a"]

    def test_levels(self):
        scores = tidy(FIVE, datasets=12)
        for test in ("nemenyi", "mean_ranks", "sign", "wilcoxon"):
            strict, loose = (compare_methods(scores, test=test, alpha=alpha) for alpha in (0.05, 0.3))
            width = strict.pairs["conf_high"] - strict.pairs["conf_low"]
            assert (width >= loose.pairs["conf_high"] - loose.pairs["conf_low"]).all()
            assert (width > loose.pairs["conf_high"] - loose.pairs["conf_low"]).any()
            assert (strict.pairs["conf_low"] < strict.pairs["conf_high"]).all()
        assert (
            compare_methods(scores, test="nemenyi", alpha=0.3).critical_difference
            < compare_methods(scores, test="nemenyi").critical_difference
        )
        # Of single tests, each interval has its own level.
        single = compare_methods(scores, adjust="bh").pairs.iloc[0]
        means = scores.pivot(index="dataset", columns="method", values="score")
        want = wilcoxon(means[single["method_a"]], means[single["method_b"]])
        assert (single["conf_low"], single["conf_high"]) == want.conf_int
        # p = alpha is significant.
        p = float(compare_methods(scores, adjust="none").pairs["p_value"].max())
        assert compare_methods(scores, adjust="none", alpha=p).pairs["significant"].all()

    def test_few_data_sets_and_what_is_said_of_them(self):
        wide = pd.DataFrame({"a": [0.9] * 6, "b": [0.8] * 6, "c": [0.7] * 6}) + np.arange(6)[:, None] / 100
        wide += np.array([0.001, 0.002, 0.004])[None, :] * np.arange(6)[:, None]
        wide = wide.rename_axis("dataset")
        holm, hochberg = (compare_methods(wide, test="wilcoxon", adjust=how) for how in ("holm", "hochberg"))
        assert any("no pair can be significant" in note for note in holm.notes)
        assert not holm.pairs["significant"].any()
        assert not any("no pair can be significant" in note for note in hochberg.notes)
        assert hochberg.pairs["significant"].all()
        assert compare_methods(wide, adjust="bh").test == compare_methods(wide, adjust="none").test == "wilcoxon"
        assert compare_methods(wide).test == "mean_ranks"
        assert any("mean ranks depend on all methods" in note for note in compare_methods(wide).notes)

    def test_omnibus(self):
        scores = tidy(THREE, datasets=12)
        assert compare_methods(scores, test="paired_t").omnibus is None
        losses = compare_methods(scores.assign(score=-scores["score"]), higher_is_better=False)
        assert losses.omnibus.ranks["svm"] == losses.table.loc["svm", "rank"] < 2
        assert "exact" in losses.omnibus.method

    def test_lower_is_better(self):
        scores = tidy(THREE, datasets=12)
        up, down = (
            compare_methods(scores),
            compare_methods(scores.assign(score=1 - scores["score"]), higher_is_better=False),
        )
        assert list(up.table.index) == list(down.table.index)
        np.testing.assert_allclose(up.table["rank"], down.table["rank"])
        np.testing.assert_allclose(up.pairs["p_adjusted"], down.pairs["p_adjusted"])
        np.testing.assert_allclose(up.pairs["estimate"], -down.pairs["estimate"], atol=1e-12)

    @pytest.mark.parametrize(
        ("test", "better"), [("wilcoxon", "lda, svm, knn and tree"), ("mean_ranks", "lda, svm and knn")]
    )
    def test_control(self, test, better):
        result = compare_methods(tidy(FIVE, datasets=12), control="nb", test=test)
        assert (result.pairs["method_a"] == "nb").all()
        assert len(result.pairs) == 4
        np.testing.assert_allclose(result.pairs["p_adjusted"], adjust(result.pairs["p_value"]))
        assert result.cliques == []
        assert result.best_group == []
        assert result.best is None
        assert result.verdict == f"{better} are significantly better than nb."
        assert replace(result, pairs=result.pairs.assign(significant=False)).verdict == (
            "No method differs significantly from nb."
        )
        # What is better than the control has a negative estimate.
        assert (result.pairs.set_index("method_b").loc["svm", ["estimate", "mean_difference"]] < 0).all()

    def test_what_summaries_say(self):
        scores = tidy(FIVE, datasets=12)
        text = compare_methods(scores, test="nemenyi", higher_is_better=False).summary()
        assert "by the test itself, critical difference of mean ranks 1.761" in text
        assert "best first (lower is better" in text
        assert repr(compare_methods(scores)) == compare_methods(scores).summary()
        rng = np.random.default_rng(2)
        wide = pd.DataFrame(rng.normal([0.03, 0.0, 0.0], 0.03, (40, 3)), columns=list("abc"))
        result = compare_methods(wide.rename_axis("dataset"), test="paired_t")
        crossed = result.pairs["significant"] & (result.pairs["conf_low"] < 0) & (result.pairs["conf_high"] > 0)
        assert any("significant pairs contain 0" in note for note in result.notes) == crossed.any()

    def test_tied_ranks_have_no_minus(self):
        wide = pd.DataFrame({"a": [1.0, 2.0, 3.0, 4.0], "b": [2.0, 1.0, 4.0, 3.0], "c": [0.0, 0.0, 0.0, 5.0]})
        assert "-0 " not in compare_methods(wide, test="mean_ranks", rows="datasets").summary()

    def test_reports(self):
        result = compare_methods(tidy(THREE, datasets=12))
        text = str(result)
        for part in ("wilcoxon", "12 data sets", "holm", "Friedman's test", "letters", "p_adjusted", "svm"):
            assert part in text
        assert list(result.tidy().columns) == [
            "method_a", "method_b", "mean_difference", "estimate", "conf_low", "conf_high", "statistic", "p_value",
            "p_adjusted", "significant",
        ]  # fmt: skip
        glance = result.glance().iloc[0]
        assert (glance["n_methods"], glance["nobs"], glance["n_significant"]) == (3, 12, 2)
        assert result.to_dict()["best_group"] == ["svm", "lda"]
        assert (result.p_values.to_numpy() == result.p_values.to_numpy().T).all()

    def test_equal_methods_are_not_different(self):
        scores = tidy({"a": 0.8, "b": 0.7}, folds=10)
        twin = scores[scores["method"] == "a"].assign(method="c")
        result = compare_methods(pd.concat([scores, twin]))
        row = result.pairs[(result.pairs[["method_a", "method_b"]] != "b").all(axis=1)].iloc[0]
        assert (row["p_value"], row["estimate"]) == (1.0, 0.0)
        assert any("a and c: all differences are 0" in note for note in result.notes)

    def test_no_spread_is_said_and_loses_nothing(self):
        scores = tidy({"a": 0.8, "b": 0.7}, folds=10)
        shifted = scores[scores["method"] == "a"].assign(method="c", score=lambda x: x["score"] - 0.25)
        result = compare_methods(pd.concat([scores, shifted]))
        assert result.pairs["p_value"].isna().sum() == 1
        assert result.pairs["p_adjusted"].notna().sum() == 2
        assert any("a and c: no test" in note and "without any spread" in note for note in result.notes)

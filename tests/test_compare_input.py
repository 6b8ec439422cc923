"""Bad input: one sentence that says what was needed, what came and what to do."""

import numpy as np
import pandas as pd
import pytest

from pwcstats import InputError
from pwcstats.compare import (
    adjust,
    bayes_correlated_t,
    bayes_signed_rank,
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

from .comparing import THREE, tidy

A, B = [0.8, 0.9, 0.7, 0.75, 0.6], [0.7, 0.85, 0.72, 0.7, 0.61]
TESTS = [
    paired_t,
    wilcoxon,
    sign,
    lambda a, b, **kw: corrected_resampled_t(a, b, test_fraction=0.2, **kw),
    lambda a, b, **kw: bayes_correlated_t(a, b, test_fraction=0.2, **kw),
    bayes_signed_rank,
]


def refused(match):
    return pytest.raises(InputError, match=match)


@pytest.mark.parametrize("test", TESTS)
class TestPairs:
    def test_unequal_numbers(self, test):
        with refused("a and b must pair up, got 5 scores in a and 4 in b"):
            test(A, B[:4])

    def test_nan(self, test):
        with refused("b must hold finite scores, got nan at index 2"):
            test(A, [0.7, 0.8, np.nan, 0.7, 0.6])
        with refused("a must hold finite scores, got inf"):
            test([np.inf, 1, 2, 3, 4], B)

    def test_other_labels(self, test):
        with refused(r"same labels to pair up, but \(4, 7\) are in one of them only"):
            test(pd.Series(A), pd.Series(B, index=[0, 1, 2, 3, 7]))

    def test_words(self, test):
        with refused("a must hold real numbers"):
            test(["x"] * 5, B)

    def test_nothing(self, test):
        with refused("at least [12] pairs? of scores, got 0"):
            test([], [])


@pytest.mark.parametrize("test", TESTS)
def test_all_ties_say_so(test):
    result = test(A, A)
    assert "all differences are 0" in result.notes[0]
    if hasattr(result, "p_value"):
        assert result.p_value == 1.0
        assert result.estimate == 0.0
        assert np.isfinite(result.statistic)
    else:
        assert (result.p_less, result.p_rope, result.p_greater) == (0.0, 1.0, 0.0)


@pytest.mark.parametrize("shift", [0.1, 0.25])
def test_constant_differences(shift):
    """0.8 - 0.7 and 0.7 - 0.6 are the same but for rounding."""
    other = np.array(A) - shift
    for test in TESTS[0], TESTS[3]:
        with refused("all 5 differences are .*: without any spread t is not defined; .*use the sign test"):
            test(A, other)
    assert wilcoxon(A, other).p_value == sign(A, other).p_value == 2 / 32
    assert bayes_correlated_t(A, other, test_fraction=0.2).p_greater == 1.0
    folds = np.arange(10).reshape(5, 2) / 16
    for test in (cv5x2_t, cv5x2_f):
        with refused("without any spread"):
            test(folds, folds - shift)
        assert test(folds, folds).p_value == 1.0


def test_constant_differences_within_repeats():
    """F of repeats that differ, but whose two folds do not."""
    a = np.repeat([1.0, 2.0, 3.0, 4.0, 5.0], 2).reshape(5, 2)
    for test in (cv5x2_t, cv5x2_f):
        with refused("the two folds of each repeat have the same difference"):
            test(a, np.zeros((5, 2)))


def test_options():
    with refused("alternative must be one of 'two-sided', 'greater', 'less', got 'both'"):
        paired_t(A, B, alternative="both")
    with refused("alpha must be a number between 0 and 1, got 5"):
        paired_t(A, B, alpha=5)
    with refused("zeros must be one of 'wilcox', 'pratt'"):
        wilcoxon(A, B, zeros="drop")
    with refused("method must be one of 'auto', 'exact', 'asymptotic'"):
        wilcoxon(A, B, method="approx")
    with refused("rope must be a nonnegative number, the largest difference that does not matter, got -1"):
        bayes_signed_rank(A, B, rope=-1)
    with refused("prior must be a number above 0, got 0"):
        bayes_signed_rank(A, B, prior=0)
    with refused("statistic must be one of 'chi-squared', 'F'"):
        friedman([[1, 2], [3, 4]], statistic="f")
    assert paired_t(A, B, alternative="two.sided") == paired_t(A, B)


def test_fractions():
    with refused("test_fraction must say which share"):
        corrected_resampled_t(A, B)
    with refused("test_fraction must be a number between 0 and 1, .*0.1 for ten folds.*, got 10"):
        corrected_resampled_t(A, B, test_fraction=10)
    with refused("test_fraction must be a number between 0 and 1, .*, got 'x'"):
        corrected_resampled_t(A, B, test_fraction="x")


def test_five_by_two():
    with refused("must be 5 x 2 tables of scores.*got 2 x 5; for other numbers of folds use corrected_resampled_t"):
        cv5x2_t(np.ones((2, 5)), np.zeros((2, 5)))
    with refused("a must be a vector of scores, got 5 x 2"):
        paired_t(np.ones((5, 2)), np.zeros((5, 2)))


def test_answers():
    with refused("give the true classes as y_true"):
        mcnemar(["x", "y"], ["y", "y"])
    with refused("2 x 2 table of counts"):
        mcnemar([[1, 2, 3]])
    with refused("of other numbers"):
        mcnemar([[1, -2], [3, 4]])
    with refused("the same cases, got 2 and 3 answers"):
        mcnemar([1, 0], [1, 0, 1])
    with refused("no prediction in a is one of the classes"):
        mcnemar(["0", "1"], [0, 1], y_true=[0, 1])
    with refused("missing values"):
        mcnemar([0, 1], [0, 1], y_true=[0, None])
    with refused("a row for each case and a column for each of two methods"):
        cochran_q([1, 0, 1])
    with refused("answers must say for each case"):
        cochran_q([[1, 2], [0, 1]])
    with refused("must not have missing values, got masked ones"):
        mcnemar(np.ma.array([1, 0, 1], mask=[0, 1, 0]).astype(bool), [True, False, True])
    assert "right on the same cases" in mcnemar([1, 0, 1], [1, 0, 1]).notes[0]
    assert "right on the same cases" in cochran_q([[1, 1], [0, 0]]).notes[0]


@pytest.mark.parametrize("test", [friedman, nemenyi, rank_tests])
def test_tables(test):
    with refused("needs 2 data sets or more, got 1"):
        test([[0.1, 0.2, 0.3]])
    with refused("column for each of two methods or more, got 3 x 1"):
        test([[0.1], [0.2], [0.3]])
    with refused("got nan for b in row 1; drop that row or that method"):
        test(pd.DataFrame({"a": [0.1, 0.2], "b": [0.2, np.nan]}))
    with refused("got .a. twice"):
        test(pd.DataFrame([[0.1, 0.2], [0.2, 0.1]], columns=["a", "a"]))
    with refused("got 3"):
        test([0.1, 0.2, 0.3])
    with refused("one data set"):
        test(tidy(THREE, folds=3).drop(columns="dataset"))


def test_all_methods_tie():
    result = friedman(np.ones((4, 3)))
    assert (result.p_value, result.statistic) == (1.0, 0.0)
    assert result.notes == ("all methods tie on all data sets",)
    assert friedman(np.ones((4, 3)), statistic="F").p_value == 1.0


def test_adjust():
    with refused("method must be one of 'holm', .*, got 'sidak'"):
        adjust([0.1], "sidak")
    with refused("p must hold probabilities, got 2"):
        adjust([0.1, 2])
    with refused("needs the p-values of all pairs of methods"):
        adjust([0.1, 0.2, 0.3, 0.4], "shaffer")
    assert np.isnan(adjust([np.nan, np.nan])).all()


class TestFrames:
    scores = tidy(THREE, datasets=3, repeats=2, folds=2)

    def test_missing_cells_are_named(self):
        holes = self.scores.drop(index=[0, 5])
        with refused(
            r"do not pair up: 2 of 36 cells have no score \(dataset set 0, repeat 0, fold 0, method svm; "
            r"dataset set 0, repeat 0, fold 1, method nb\).*leave out the methods \(svm, nb\) or the dataset set 0"
        ):
            compare_methods(holes)

    def test_nan_cells_are_named(self):
        """As of cells of benchmark() that failed."""
        failed = self.scores.copy()
        failed.loc[7, "score"] = np.nan
        with refused("1 of 36 cells has no score .dataset set 0, repeat 1, fold 0, method lda"):
            compare_methods(failed)

    def test_cells_that_come_twice_are_named(self):
        with refused("got two for dataset set 0, repeat 0, fold 0, method svm; .*must be called case"):
            compare_methods(pd.concat([self.scores, self.scores.iloc[:1]]))

    def test_columns(self):
        with refused("columns method and score"):
            compare_methods(self.scores.rename(columns={"score": "accuracy"}))
        with refused(r"got text in \(algorithm\) .* scores.rename\(columns=\{'algorithm': 'method'\}\)"):
            compare_methods(self.scores.rename(columns={"score": "accuracy", "method": "algorithm"}))
        with refused(r"must be called repeat or case \(other columns are \(seed\)\)"):
            compare_methods(self.scores.rename(columns={"repeat": "seed"}))
        with refused("got an infinite one for dataset set 0, repeat 0, fold 0, method svm"):
            compare_methods(self.scores.assign(score=self.scores["score"].where(self.scores.index > 0, np.inf)))
        with refused("a column dataset, repeat, fold or case"):
            compare_methods(self.scores[["method", "score"]])
        with refused("column dataset must not have missing values"):
            compare_methods(self.scores.assign(dataset=None))
        with refused("no rows"):
            compare_methods(self.scores.iloc[:0])
        with refused(r"two methods or more, got \(svm\)"):
            compare_methods(self.scores[self.scores["method"] == "svm"])
        with refused("names of methods must be text or numbers"):
            compare_methods(self.scores.assign(method=[(name, 1) for name in self.scores["method"]]))
        with refused("score must hold real numbers"):
            compare_methods(self.scores.assign(score="good"))

    def test_several_metrics(self):
        both = pd.concat([self.scores.assign(metric=name) for name in ("accuracy", "f1")])
        with refused(r"one metric, got \(accuracy, f1\); choose one"):
            compare_methods(both)
        assert compare_methods(both[both["metric"] == "f1"]).test

    def test_one_score(self):
        with refused("one score per method says nothing about chance"):
            compare_methods(tidy(THREE))
        with refused("needs 2 data sets or more, got 1"):
            compare_methods(pd.DataFrame({"a": [0.5], "b": [0.6]}))

    def test_tests_that_do_not_fit(self):
        with refused("'cv5x2_f' is for one data set, got 3"):
            compare_methods(self.scores, test="cv5x2_f")
        one = self.scores[self.scores["dataset"] == "set 0"]
        with refused("'wilcoxon' is for independent scores.*use test='corrected_resampled_t'"):
            compare_methods(one, test="wilcoxon")
        with refused("'cv5x2_t' is for 5 repeats of 2 folds, got 4 splits in 2 repeats"):
            compare_methods(one, test="cv5x2_t")
        with refused("needs a column case"):
            compare_methods(one, test="mcnemar")
        with refused("test must be one of"):
            compare_methods(one, test="anova")
        with refused("must be 1 .right. or 0 .wrong."):
            compare_methods(tidy(THREE).assign(case=0))

    def test_answers_in_several_repeats(self):
        """Ten answers of each method to the same case are no ten cases."""
        both = tidy(THREE, repeats=2).assign(case=0, score=1)
        with refused("answers to the same cases in 2 repeats are not independent; choose one repeat"):
            compare_methods(both)

    def test_sizes(self):
        one = self.scores[self.scores["dataset"] == "set 0"].assign(n_train=80, n_test=20)
        other = one.copy()
        other.loc[other["method"] == "nb", "n_test"] = 50
        with refused("same for all methods of a split"):
            compare_methods(other)
        for bad in (np.nan, 0):
            with refused("n_train and n_test must be positive numbers"):
                compare_methods(one.assign(n_train=bad))
        one["dataset"] = one["dataset"].astype("category")
        assert "20 %" in compare_methods(one).reason

    def test_columns_that_come_twice(self):
        with refused("one column score, got several"):
            compare_methods(pd.concat([self.scores, self.scores[["score"]]], axis=1))

    def test_flags(self):
        with refused("higher_is_better must be True or False"):
            compare_methods(self.scores, higher_is_better="False")

    def test_fraction(self):
        with refused("test_fraction is for splits of one data set, got 3 data sets"):
            compare_methods(self.scores, test_fraction=0.3)
        one = self.scores[self.scores["dataset"] == "set 0"]
        with refused("test_fraction must be a number between 0 and 1, .*, got 2"):
            compare_methods(one, test_fraction=2)
        with refused("test_fraction must be a number between 0 and 1, .*, got 2"):
            winners(self.scores, test_fraction=2)

    def test_control(self):
        with refused("control must be one of the methods .svm, lda, nb., got 'knn'"):
            compare_methods(self.scores, control="knn")
        with refused("adjust='shaffer' is for all pairs, .*; use adjust='holm'"):
            compare_methods(self.scores, control="nb", adjust="shaffer")
        with refused("test='nemenyi' is for all pairs, .*; use test='mean_ranks'"):
            compare_methods(self.scores, control="nb", test="nemenyi")

    @pytest.mark.parametrize("scores", [None, 3.0, "scores.csv", [1, 2, 3]])
    def test_no_scores_at_all(self, scores):
        with refused("scores must"):
            compare_methods(scores)
        with refused("scores must be a DataFrame"):
            winners(scores)

    def test_winners(self):
        with refused("got no rows"):
            winners(self.scores.iloc[:0])
        with refused("by must name columns"):
            winners(self.scores, "rho")
        with refused("several data sets; add 'dataset' to by"):
            winners(self.scores, "repeat")
        with refused("one score alone says nothing about chance"):
            winners(self.scores[["method", "dataset", "score"]].drop_duplicates(["method", "dataset"]))
        with refused("at dataset set 1: the methods do not pair up"):
            winners(self.scores.drop(index=15))
        with refused("test='nemenyi' is for all pairs of methods; winners takes tests of two methods"):
            winners(self.scores, test="nemenyi")
        with refused("column dataset must not have missing values"):
            winners(self.scores.assign(dataset=lambda x: x["dataset"].where(x["repeat"] > 0)))


@pytest.mark.parametrize("name", ["Unnamed: 0", "Fold"])
def test_labels_of_rows_are_not_a_method(name):
    table = pd.DataFrame({name: range(4), "a": [0.1, 0.2, 0.3, 0.4], "b": [0.2, 0.1, 0.4, 0.5]})
    with pytest.raises(InputError, match="looks like labels of rows, not like a method"):
        compare_methods(table, rows="folds")

"""The tables of tests and adjustments, and the contract of the results of comparisons."""

import json
import re
from dataclasses import replace
from typing import get_args

import numpy as np
import pandas as pd
import pytest

from pwcstats import InputError, TestResult, compare, plot
from pwcstats import _multiplicity as multiplicity
from pwcstats._results import Result
from pwcstats.compare import ADJUSTMENTS, TESTS, adjust, compare_methods, registry, winners
from pwcstats.compare.pairs import Alternative
from pwcstats.compare.registry import Test, find_test
from pwcstats.errors import Message, Vocabulary
from pwcstats.plot.style import figure_of

from .comparing import THREE, tidy

WIDE = tidy(THREE, datasets=12).pivot(index="dataset", columns="method", values="score")


class InR(Vocabulary):
    def setting(self, name, value):
        return f"{name} = {value}"


def test_names_are_those_of_the_tables():
    assert TESTS == ("auto", *registry._TABLE) == get_args(registry.TestName)
    assert ADJUSTMENTS == tuple(multiplicity._TABLE) == get_args(multiplicity.AdjustmentName)


@pytest.mark.parametrize("name", TESTS[1:])
def test_a_row_says_what_its_function_does(name):
    test = registry.find_test(name)
    assert test.function is getattr(compare, "rank_tests" if name == "mean_ranks" else name)
    one_sided = "alternative" in test.options
    assert one_sided == (name not in ("cv5x2_f", "nemenyi", "mean_ranks"))
    if test.compares_all:
        assert ("adjust" in test.options) != test.is_adjusted
    elif one_sided:
        a, b = np.arange(10.0) % 3 % 2, np.arange(10.0) % 2
        p = [test.apply(a, b, alternative=side, test_fraction=0.1).p_value for side in get_args(Alternative)]
        assert len(set(p)) > 1


# By what each test is defined: the observations that it takes, and how it orders the methods.
UNITS_AND_ORDER = {
    "paired_t": (("data set", "split"), "mean"),
    "corrected_resampled_t": (("split",), "mean"),
    "cv5x2_t": (("split",), "mean"),
    "cv5x2_f": (("split",), "mean"),
    "wilcoxon": (("data set",), "mean rank"),
    "sign": (("data set",), "mean rank"),
    "mcnemar": (("case",), "mean"),
    "nemenyi": (("data set",), "mean rank"),
    "mean_ranks": (("data set",), "mean rank"),
}


def test_units_and_order():
    assert {name: (find_test(name).units, find_test(name).order) for name in TESTS[1:]} == UNITS_AND_ORDER


SCORES = {
    "data set": tidy(THREE, datasets=12),
    "split": tidy(THREE, repeats=5, folds=2),
    "case": tidy(THREE, folds=20)
    .rename(columns={"fold": "case"})
    .drop(columns="repeat")
    .assign(score=lambda frame: (frame["score"] > 0.78).astype(float)),
}


@pytest.mark.parametrize(("name", "unit"), [(name, unit) for name in TESTS[1:] for unit in find_test(name).units])
def test_the_chosen_test_is_used(name, unit):
    result = compare_methods(SCORES[unit], test=name)
    assert result.test == name
    assert f"test='{name}' as requested" in result.reason or find_test(name).description in result.reason


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        (
            Test("answers", compare.sign, "a test of answers", ("case",), "mean"),
            "right and wrong answers to the same cases: a test of answers",
        ),
        (
            Test("splits", compare.corrected_resampled_t, "a test of splits", ("split",), "mean"),
            "10 splits of one data set: a test of splits (50 % of the cases in each test set)",
        ),
        (
            Test("pairs", compare.sign, "a test of pairs", ("data set",), "mean"),
            "12 data sets, each one observation (its mean score); test='pairs' as requested",
        ),
    ],
    ids=lambda x: getattr(x, "name", ""),
)
def test_a_new_row_is_used(monkeypatch, row, reason):
    monkeypatch.setitem(registry._TABLE, row.name, row)
    monkeypatch.setattr(registry, "TESTS", ("auto", *registry._TABLE))
    result = compare_methods(SCORES[row.units[0]], test=row.name)
    assert (result.test, str(result.reason)) == (row.name, reason)
    with pytest.raises(InputError, match="test must be one of 'auto', .*'mean_ranks', .*got 'anova'"):
        compare_methods(SCORES["split"], test="anova")


@pytest.mark.parametrize("name", TESTS[1:])
@pytest.mark.parametrize("method", ADJUSTMENTS)
def test_a_result_says_how_it_is_adjusted(name, method):
    test = find_test(name)
    result = compare_methods(SCORES[test.units[0]], test=name, adjust=method)
    is_simultaneous = test.is_adjusted or multiplicity.read_adjust(method).is_familywise
    assert (result.is_adjusted, result.is_simultaneous) == (test.is_adjusted, is_simultaneous)
    assert result.adjust == ("none" if test.is_adjusted else method)
    document = result.to_dict()
    assert (document["is_adjusted"], document["is_simultaneous"]) == (test.is_adjusted, is_simultaneous)
    label = figure_of(plot.score_intervals(result, "differences")).axes[0].get_xlabel()
    assert ("simultaneous" in label) == is_simultaneous
    assert ("adjustment: by the test itself" in result.summary()) == test.is_adjusted
    assert "method_a" not in result.estimate_name
    if test.compares_all:
        options = {"adjust": method} if "adjust" in test.options else {}
        alone = test.function(SCORES["data set"], **options)
        assert (alone.test, alone.is_simultaneous) == (name, is_simultaneous)
        assert alone.estimate_name == result.estimate_name


def test_a_test_may_adjust_itself_without_a_critical_difference():
    result = compare_methods(SCORES["data set"], test="nemenyi")
    text = replace(result, critical_difference=None).summary()
    assert "adjustment: by the test itself; level 0.05" in text


@pytest.mark.parametrize("n", [3, 6])
@pytest.mark.parametrize("name", ["wilcoxon", "sign"])
def test_the_smallest_p_value(name, n):
    test = registry.find_test(name)
    assert test.apply(np.arange(1.0, n + 1), np.zeros(n)).p_value == test.smallest_p(n)


@pytest.mark.parametrize("name", ADJUSTMENTS)
def test_the_smallest_factor(name):
    adjustment = multiplicity.read_adjust(name)
    if name != "by":  # which is not used to choose a test
        np.testing.assert_allclose(adjust(np.full(6, 0.001), name), 0.001 * adjustment.smallest_factor(6))


@pytest.mark.parametrize("name", ["anova", "Wilcoxon", "cv5", "", None, 3])
def test_an_unknown_test_is_an_error(name):
    message = re.escape(f"test must be one of {', '.join(map(repr, TESTS))}, got {name!r}")
    for scores in (WIDE, tidy(THREE, folds=5)):
        with pytest.raises(InputError, match=message):
            compare_methods(scores, test=name)
    with pytest.raises(InputError, match="test must be one of 'auto'"):
        winners(tidy(THREE, folds=5), test=name)


RESULTS = {
    "comparison": lambda: compare_methods(WIDE),
    "control": lambda: compare_methods(WIDE, control="nb", test="sign"),
    "no spread": lambda: compare_methods(WIDE.assign(twin=WIDE["nb"] + 0.25), test="paired_t"),
    "few data sets": lambda: compare_methods(WIDE.head(3), test="wilcoxon"),
    "nemenyi": lambda: compare.nemenyi(WIDE),
    "steps": lambda: compare.rank_tests(WIDE),
    "friedman": lambda: compare.friedman(WIDE),
    "infinite": lambda: compare.friedman([[3, 2, 1], [6, 5, 4], [9, 8, 1]], statistic="F"),
    "cochran": lambda: compare.cochran_q((WIDE > 0.8).astype(int)),
    "wilcoxon": lambda: compare.wilcoxon(WIDE["nb"].head(3), WIDE["svm"].head(3)),
    "bayes": lambda: compare.bayes_correlated_t(WIDE["nb"], WIDE["svm"], test_fraction=0.1),
    "bayes ranks": lambda: compare.bayes_signed_rank(WIDE["nb"], WIDE["svm"], n_samples=10, random_state=0),
}


@pytest.mark.parametrize("kind", RESULTS)
def test_the_contract_of_results(kind):
    result = RESULTS[kind]()
    assert isinstance(result, Result)
    document = result.to_dict()
    assert json.loads(json.dumps(document, allow_nan=False)) == document
    assert len(result.glance()) == 1
    assert {"statistic", "estimate"} & set(result.tidy().columns)
    assert not {"cred_low", "lower", 0} & set(result.tidy().columns)
    assert repr(result) == str(result)
    assert "\n" in repr(result)
    assert "object at" not in repr(result)
    assert "<table" in result._repr_html_()


def test_html_escapes_names():
    wide = WIDE.rename(columns={"nb": "<b>"})
    assert "<b>svm" not in compare_methods(wide)._repr_html_()
    assert "&lt;b&gt;" in compare_methods(wide)._repr_html_()


def test_notes_are_rendered_in_other_words():
    note = compare.wilcoxon([1, 2, 3, 4], [1, 1, 1, 1]).notes[0]
    assert isinstance(note, Message)
    assert note.render(InR()) == "1 of 4 differences are 0 and were dropped (zeros = 'wilcox')"
    tied = pd.DataFrame({"a": np.arange(9.0), "b": np.arange(9.0) % 8}).rename_axis("dataset")
    result = compare_methods(tied, test="wilcoxon")
    assert result.reason.render(InR()).endswith("test = 'wilcoxon' as requested")
    assert result.notes[0].render(InR()).startswith("a and b: 8 of 9 differences are 0 and were dropped (zeros = ")
    assert all(type(note) is str for note in result.to_dict()["notes"])
    assert type(result.to_dict()["reason"]) is str


def test_notes_on_single_intervals_are_left_out():
    few = WIDE.head(4)
    alone = compare.wilcoxon(few["nb"], few["svm"])
    assert any("too few for an interval" in note for note in alone.notes)
    assert not any("too few for an interval" in note for note in compare_methods(few, test="wilcoxon").notes)


def test_errors_name_their_parameters():
    cases = [
        (lambda: compare.corrected_resampled_t([1, 2], [2, 1]), ("test_fraction",)),
        (lambda: compare_methods(WIDE, control="nb", adjust="shaffer"), ("adjust",)),
        (lambda: compare_methods(WIDE.reset_index(drop=True)), ("scores", "rows")),
        (lambda: compare.bayes_signed_rank([1], [2], rope=-1), ("rope",)),
        (lambda: compare.mcnemar([1, 2], [0, 1]), ("a", "y_true")),
        (lambda: compare.adjust([0.1, 0.2], "sidak"), ("method",)),
    ]
    for call, arguments in cases:
        with pytest.raises(InputError) as caught:
            call()
        assert caught.value.arguments == arguments


def test_parameters_are_checked_before_data():
    for call in (
        lambda: compare.paired_t("no scores", None, alpha=2),
        lambda: compare.corrected_resampled_t("no scores", None, test_fraction=2),
        lambda: compare.cv5x2_t("no scores", None, alternative="both"),
        lambda: compare.nemenyi("no scores", higher_is_better="yes"),
        lambda: compare.bayes_signed_rank("no scores", None, n_samples=0),
        lambda: compare_methods("no scores", test="anova"),
        lambda: compare_methods("no scores", rows="cases"),
        lambda: compare.benchmark(None, None, repeats=0),
        lambda: compare.benchmark(None, None, cv=1),
    ):
        with pytest.raises(InputError, match="must be") as caught:
            call()
        assert set(caught.value.arguments).isdisjoint({"a", "b", "scores", "methods", "datasets"})


def test_friedman_is_a_test_result():
    assert isinstance(compare.friedman(WIDE), TestResult)
    assert repr(compare.friedman(WIDE)).startswith("Friedman's test: chi-squared = ")


def test_friedman_has_a_summary_with_mean_ranks():
    result = compare.friedman(WIDE)
    text = result.summary()
    assert text.startswith(f"{result}\n\n")
    ranks = [line.split() for line in text.splitlines()[-len(result.ranks) :]]
    assert ranks == [[name, f"{rank:.3f}"] for name, rank in result.ranks.sort_values().items()]
    assert replace(result, ranks=None).summary() == str(result)


def test_bayes_has_a_summary_with_probabilities():
    result = compare.bayes_correlated_t(WIDE["nb"], WIDE["svm"], test_fraction=0.1)
    lines = result.summary().splitlines()
    assert lines[:2] == [result.method, f"question: {result.question}"]
    table = [re.split(r"\s{2,}", line.strip()) for line in lines[4:7]]
    assert table == [
        ["nb is worse", f"{result.p_less:.4f}"],
        ["equivalent (within 0.01)", f"{result.p_rope:.4f}"],
        ["nb is better", f"{result.p_greater:.4f}"],
    ]
    assert lines[-1] == str(result).splitlines()[-1]
    same = compare.bayes_signed_rank(WIDE["nb"], WIDE["nb"], n_samples=10, random_state=0)
    assert same.summary().splitlines()[-1] == f"note: {same.notes[0]}"

"""The table of coupling methods, and the contract of the result."""

import copy
import json
import pickle
import typing

import numpy as np
import pandas as pd
import pytest

from pwcstats import CouplingResult, InputError, PairwiseClassifier, couple
from pwcstats._results import Result
from pwcstats.coupling import METHODS
from pwcstats.coupling.methods import TABLE, MethodName, find_method

R = pd.DataFrame([[0.9, 0.4, 0.7], [0.6, 0.8, 0.7]], index=["x", "y"], columns=["a/b", "a/c", "b/c"])


class TestTable:
    def test_type_table_and_documentation_name_the_same_methods(self):
        assert typing.get_args(MethodName) == METHODS == tuple(TABLE)
        for name in METHODS:
            assert f'``"{name}"``' in couple.__doc__

    @pytest.mark.parametrize("name", METHODS)
    def test_a_row_has_what_a_front_end_shows(self, name):
        row = find_method(name)
        assert row.name == name
        assert row.description
        assert "\n" not in row.description
        assert "%" not in row.description  # argparse would expand it

    def test_unknown_names(self):
        with pytest.raises(InputError, match=r"^coupling must be one of 'ht', .*, got 'minpair' \(kernlab's name for"):
            find_method("minpair", "coupling")
        with pytest.raises(InputError, match=r"^coupling must be one of 'ht', .* \(kernlab's name for 'wlw2'\)"):
            PairwiseClassifier(coupling="minpair").fit([[0.0], [1.0]], [0, 1])
        for wrong in (None, 1, ["ht"], np.array(["ht"]), "HT"):
            with pytest.raises(InputError, match="^method must be one of"):
                find_method(wrong)

    def test_messages_refer_to_parameters(self):
        """Front ends write these in their own words."""
        with pytest.raises(InputError) as raised:
            couple(R, n=[1, 2, 3], condensed=True)
        assert raised.value.arguments == ("method", "n")
        with pytest.raises(InputError) as raised:
            couple(R.replace(0.4, np.nan), condensed=True)
        assert raised.value.arguments == ("r", "method", "n")

    @pytest.mark.parametrize("method", [row.name for row in TABLE.values() if row.uses_weights])
    def test_kl_of_a_weighted_method_counts_compared_pairs_only(self, method):
        found = couple([0.6, np.nan, 0.7], method, n=[2.0, 0.0, 8.0], condensed=True, return_info=True)
        assert found.kl == pytest.approx(0, abs=1e-12)
        np.testing.assert_allclose(found.proba[:-1] / found.proba[1:], [0.6 / 0.4, 0.7 / 0.3], rtol=1e-10)


def test_only_votes_do_without_probabilities():
    """PairwiseClassifier refuses decision values without calibration for all other methods."""
    assert [row.name for row in TABLE.values() if not row.needs_probabilities] == ["vote"]


def test_classifiers_clip_as_libsvm_does_but_for_log_odds():
    assert {row.name: row.classifier_clip for row in TABLE.values() if row.classifier_clip != 1e-7} == {"logit": 1e-10}


class TestResult:
    def test_is_still_a_named_tuple(self):
        result = couple(R, "ht", condensed=True, return_info=True)
        proba, kl, n_iter, converged = result
        assert (proba is result.proba, kl is result.kl) == (True, True)
        assert (n_iter is result.n_iter, converged is result.converged) == (True, True)
        assert CouplingResult._fields == ("proba", "kl", "n_iter", "converged")
        assert isinstance(result, tuple)
        assert isinstance(result, Result)
        assert len(result) == 4
        assert result.method == "ht"

    def test_copies_keep_the_method(self):
        result = couple(R.iloc[0], "ht", condensed=True, return_info=True)
        for again in (copy.copy(result), copy.deepcopy(result), pickle.loads(pickle.dumps(result))):
            assert again.method == "ht"
            assert again[1:] == result[1:]
            pd.testing.assert_series_equal(again.proba, result.proba)

    def test_tidy(self):
        result = couple(R, "ht", condensed=True, return_info=True)
        tidy = result.tidy()
        assert list(tidy.columns) == ["sample", "class", "estimate", "kl", "n_iter", "converged"]
        assert list(tidy["sample"]) == ["x"] * 3 + ["y"] * 3
        assert list(tidy["class"]) == ["a", "b", "c"] * 2
        np.testing.assert_array_equal(tidy["estimate"], result.proba.to_numpy().ravel())
        np.testing.assert_array_equal(tidy["kl"], np.repeat(result.kl, 3))

    @pytest.mark.parametrize("method", ["ht", "vote"])
    @pytest.mark.parametrize("n_samples", [None, 0, 1, 3])
    def test_contract(self, method, n_samples):
        r = R.to_numpy()
        r = r[0] if n_samples is None else np.tile(r, (2, 1))[:n_samples]
        result = couple(r, method, condensed=True, return_info=True)
        n = 1 if n_samples is None else n_samples
        glance = result.glance()
        assert list(glance.columns) == [
            "method", "n_samples", "n_classes", "mean_kl", "max_kl", "n_iter", "converged"
        ]  # fmt: skip
        assert glance.iloc[0].tolist()[:3] == [method, n, 3]
        assert len(result.tidy()) == 3 * n
        found = result.to_dict()
        assert json.loads(json.dumps(found, allow_nan=False)) == found
        assert found["converged"] is True
        assert repr(result).startswith(f"CouplingResult: method = {method}, n_samples = {n}, n_classes = 3")
        assert "<table" in result._repr_html_()

    @pytest.mark.parametrize("names", [["a", "b", "c"], [1.5, 2.5, 3.5], [("a", 1), ("a", 2), ("b", 1)]])
    def test_labels_of_any_type(self, names):
        index = pd.MultiIndex.from_tuples([("x", 1), ("y", 2)])
        frame = pd.DataFrame(R.to_numpy(), index=index)
        result = couple(frame, condensed=True, classes=names, return_info=True)
        tidy = result.tidy()
        assert list(tidy["class"]) == names * 2
        assert list(tidy["sample"]) == [("x", 1)] * 3 + [("y", 2)] * 3
        assert json.loads(json.dumps(result.to_dict(), allow_nan=False)) == result.to_dict()
        assert repr(result)

    def test_what_is_shown_is_short(self):
        r = np.full((5000, 20 * 19 // 2), 0.5)
        result = couple(r, condensed=True, return_info=True)
        assert len(repr(result)) < 5000
        assert repr(result).endswith("... 4980 more samples; tidy() has all.")
        assert "4980 more samples" in result._repr_html_()
        assert len(result._repr_html_()) < 40_000

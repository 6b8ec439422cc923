"""Checks of parameters: what they accept, what they return, and what they refuse."""

import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from pwcstats import BradleyTerry, _params, _text, couple
from pwcstats.compare import compare_methods, winners
from pwcstats.datasets import load
from pwcstats.errors import InputError
from pwcstats.pairwise.named import make_learner

NOT_COUNTS = [True, np.bool_(True), 1.0, np.float64(2.0), "3", None, [1], np.array([1, 2]), float("nan")]

GAMES = pd.DataFrame({"winner": ["owl", "cat", "dog"], "loser": ["cat", "dog", "owl"]})
SCORES = pd.DataFrame(
    [(method, dataset, 0.5 + 0.1 * dataset) for method in ("svm", "tree") for dataset in range(4)],
    columns=["method", "dataset", "score"],
)


def refused(check, *arguments, match, **options):
    with pytest.raises(InputError, match=f"^{re.escape(match)}$") as caught:
        check(*arguments, **options)
    return caught.value


class TestChoice:
    def test_accepts(self):
        assert _params.choice("b", ("a", "b"), "method") == "b"
        found = _params.choice(np.str_("b"), {"a": 1, "b": 2}, "method")
        assert found == "b"
        assert type(found) is str

    @pytest.mark.parametrize("given", ["c", "A", "", 1, True, ["a"], np.array(["a"])])
    def test_refuses(self, given):
        with pytest.raises(InputError, match=r"^method must be one of 'a', 'b', got ") as caught:
            _params.choice(given, ("a", "b"), "method")
        assert caught.value.arguments == ("method",)

    def test_none_only_where_it_is_an_option(self):
        refused(_params.choice, None, ("a",), "method", match="method must be one of 'a', got None.")
        assert _params.optional_choice(None, ("a",), "method") is None
        assert _params.optional_choice("a", ("a",), "method") == "a"
        refused(_params.optional_choice, "b", ("a",), "method", match="method must be one of 'a', None, got 'b'.")


class TestDidYouMean:
    """An unknown name is answered by the nearest known one."""

    @pytest.mark.parametrize(
        ("given", "known", "expected"),
        [
            ("wlw3", ("ht", "wlw2"), "wlw2"),
            ("Firth", ("mle", "firth"), "firth"),
            ("SVM", ("svm", "lda"), "svm"),
            ("citatoins", ("iris", "citations"), "citations"),
            ("zebra", ("mle", "firth"), None),
            ("", ("mle",), None),
            (3, ("3",), None),
            (None, ("None",), None),
            ("x", (1, None, ("x",)), None),
        ],
    )
    def test_nearest(self, given, known, expected):
        assert _text.nearest(given, known) == expected

    def test_choice(self):
        match = "method must be one of 'mle', 'firth', got 'frith'. Did you mean 'firth'?"
        assert refused(_params.choice, "frith", ("mle", "firth"), "method", match=match).arguments == ("method",)
        match = "cv must be one of 'train', None, got 'trian'. Did you mean 'train'?"
        refused(_params.optional_choice, "trian", ("train",), "cv", match=match)

    def test_items(self):
        match = "ref must be one of the items (owl, cat), got 'owls'. Did you mean 'owl'?"
        refused(_params.index_of, "owls", pd.Index(["owl", "cat"]), "ref", match=match)

    def test_renamed_columns(self):
        assert _text.rename_hint(["method", "score"], ["Method", "scores", 3]) == (
            " Rename 'Method' to 'method' and 'scores' to 'score'."
        )
        assert _text.rename_hint(["method"], ["x"]) == ""

    @pytest.mark.parametrize(
        ("call", "hint"),
        [
            (lambda: load("citatons"), "'citations'"),
            (lambda: couple(np.full((3, 3), 0.5), "htt"), "'ht'"),
            (lambda: make_learner("ldaa"), "'lda'"),
            (lambda: make_learner("svm", kost=1), "'cost'"),
            (lambda: compare_methods(SCORES, test="wilcoxn"), "'wilcoxon'"),
            (lambda: compare_methods(SCORES, control="treee"), "'tree'"),
            (lambda: BradleyTerry.from_comparisons(GAMES, "winer", "loser"), "'winner'"),
            (lambda: BradleyTerry.from_comparisons(GAMES, "winner", "loser").fit(ref="catt"), "'cat'"),
            (lambda: winners(SCORES, by="dataste"), "'dataset'"),
        ],
    )
    def test_public_functions(self, call, hint):
        with pytest.raises(InputError, match=rf"\. Did you mean {hint}\?$"):
            call()

    def test_scores_with_other_names(self):
        with pytest.raises(InputError, match=r"got \(method, fold, value\); rename them\.$"):
            compare_methods(SCORES.rename(columns={"score": "value", "dataset": "fold"}))
        with pytest.raises(InputError, match=r"\. Rename 'scores' to 'score'\.$"):
            compare_methods(SCORES.rename(columns={"score": "scores"}))
        with pytest.raises(InputError, match=r"\. Rename 'datasets' to 'dataset'\.$"):
            compare_methods(SCORES.rename(columns={"dataset": "datasets"}))


class TestCount:
    @pytest.mark.parametrize("given", [1, 7, np.int64(7), np.uint8(7), 10**12])
    def test_accepts(self, given):
        found = _params.count(given, "n")
        assert found == given
        assert type(found) is int

    @pytest.mark.parametrize("given", [*NOT_COUNTS, 0, -1, np.int64(0)])
    def test_refuses(self, given):
        with pytest.raises(InputError, match=r"^n must be a whole number of at least 1, got ") as caught:
            _params.count(given, "n")
        assert caught.value.arguments == ("n",)

    def test_least(self):
        assert _params.count(0, "n", 0) == 0
        refused(_params.count, 1, "n", 2, match="n must be a whole number of at least 2, got 1.")


def test_is_whole():
    assert all(map(_params.is_whole, [0, -1, 7, np.int64(7), np.uint8(7)]))
    assert not any(map(_params.is_whole, NOT_COUNTS))


class TestLevel:
    @pytest.mark.parametrize("given", [0.05, np.float64(0.05), np.float32(0.5), 1e-300])
    def test_accepts(self, given):
        found = _params.level(given)
        assert found == given
        assert type(found) is float

    @pytest.mark.parametrize("given", [0, 1, 0.0, 1.0, -0.1, 5, True, False, "0.05", None, float("nan"), [0.05]])
    def test_refuses(self, given):
        with pytest.raises(InputError, match=r"^alpha must be a number between 0 and 1, got "):
            _params.level(given)
        assert refused(_params.level, 2, "clip", match="clip must be a number between 0 and 1, got 2.")


class TestFlag:
    @pytest.mark.parametrize("given", [True, False, np.bool_(True), np.bool_(False)])
    def test_accepts(self, given):
        found = _params.flag(given, "progress")
        assert found == given
        assert type(found) is bool

    @pytest.mark.parametrize("given", [0, 1, "yes", None, 1.0, [True], np.array([True])])
    def test_refuses(self, given):
        with pytest.raises(InputError, match=r"^progress must be True or False, got "):
            _params.flag(given, "progress")


class TestSeed:
    @pytest.mark.parametrize("given", [None, 0, 5, np.int64(5)])
    def test_accepts(self, given):
        assert _params.seed(given) == given
        assert type(_params.seed(given)) is (type(None) if given is None else int)

    @pytest.mark.parametrize("given", [-1, True, 1.0, "x", [1], np.random.default_rng(0)])
    def test_refuses(self, given):
        with pytest.raises(InputError, match=r"^random_state must be a whole number of at least 0, or None, got "):
            _params.seed(given)


class TestRandomState:
    @pytest.mark.parametrize("given", [None, 0, np.int64(5), 2**32 - 1, np.random, np.random.RandomState(0)])
    def test_accepts(self, given):
        _params.random_state(given)

    @pytest.mark.parametrize("given", [-1, True, 1.0, "x", [1], np.random.default_rng(0)])
    def test_refuses(self, given):
        needed = "a whole number of at least 0, a RandomState or None, got "
        with pytest.raises(InputError, match=f"^random_state must be {needed}"):
            _params.random_state(given)

    def test_refuses_large_numbers(self):
        refused(_params.random_state, 2**32, match="random_state must be at most 4294967295, got 4294967296.")


class TestNumber:
    @pytest.mark.parametrize("given", [0, -1.5, np.float32(0.5), np.int64(3)])
    def test_accepts(self, given):
        assert _params.number(given, "x") == given
        assert type(_params.number(given, "x")) is float

    @pytest.mark.parametrize("given", [True, np.bool_(True), "1", None, [1.0], 1j, float("nan"), float("inf")])
    def test_refuses(self, given):
        with pytest.raises(InputError, match=r"^x must be a number, got ") as caught:
            _params.number(given, "x")
        assert caught.value.arguments == ("x",)

    def test_range(self):
        found = refused(
            _params.number,
            -1,
            "weight",
            "a number above 0",
            lambda x: x > 0,
            of=" of 'a'",
            cure="; leave it out",
            match="weight of 'a' must be a number above 0, got -1; leave it out.",
        )
        assert found.arguments == ("weight",)


class TestJobs:
    @pytest.mark.parametrize("given", [None, 1, -1, 4, np.int64(2), -2])
    def test_accepts(self, given):
        found = _params.jobs(given)
        assert found == given
        assert given is None or type(found) is int

    @pytest.mark.parametrize("given", [0, True, False, 1.0, "2", [1]])
    def test_refuses(self, given):
        with pytest.raises(InputError, match=r"^n_jobs must be a whole number other than 0 \(-1: all cores\)"):
            _params.jobs(given)


class TestIndexOf:
    LABELS = pd.Index(["a", "b", 3], dtype=object)

    def test_accepts(self):
        assert _params.index_of("b", self.LABELS, "ref") == 1
        assert _params.index_of(np.int64(3), self.LABELS, "ref") == 2
        assert type(_params.index_of("a", self.LABELS, "ref")) is int

    @pytest.mark.parametrize("given", ["c", None, 4, ["a"], {"a": 1}, float("nan")])
    def test_refuses(self, given):
        with pytest.raises(InputError, match=r"^ref must be one of the items \(a, b, 3\), got "):
            _params.index_of(given, self.LABELS, "ref")

    def test_names_what_the_labels_are(self):
        match = "pos_label must be one of the classes (a, b, 3), got 'c'."
        refused(_params.index_of, "c", self.LABELS, "pos_label", "classes", match=match)


def test_every_check_is_tested():
    text = Path(__file__).read_text(encoding="utf-8")
    assert not [name for name in _params.__all__ if f"_params.{name}" not in text]

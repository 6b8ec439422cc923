"""`winners`: the best method of each data set or point of a grid."""

import numpy as np
import pandas as pd
import pytest

from pwcstats import InputError
from pwcstats.compare import (
    adjust,
    compare_methods,
    paired_t,
    winners,
)

from .comparing import THREE, tidy


class TestWinners:
    def scores(self):
        parts = [
            tidy({"lda": 0.7 + 0.1 * x, "nb": 0.7 + 0.1 * y, "knn": 0.6}, repeats=10, seed=10 * x + y, x=x, y=y)
            for x in range(3)
            for y in range(2)
        ]
        return pd.concat(parts).drop(columns=["dataset", "fold"])

    def test_is_the_test_of_the_first_against_the_second(self):
        scores = self.scores()
        found = winners(scores, ["x", "y"], test="paired_t")
        assert list(found.columns) == [
            "x", "y", "best", "second", "best_score", "second_score", "difference", "p_value", "p_adjusted",
            "significant", "note",
        ]  # fmt: skip
        assert len(found) == 6
        for row in found.itertuples():
            cell = scores[(scores["x"] == row.x) & (scores["y"] == row.y)].pivot(
                index="repeat", columns="method", values="score"
            )
            first, second = cell.mean().sort_values(ascending=False).index[:2]
            assert (row.best, row.second) == (first, second)
            assert row.difference == pytest.approx(cell[first].mean() - cell[second].mean())
            assert row.p_value == pytest.approx(paired_t(cell[first], cell[second]).p_value)
        np.testing.assert_allclose(found["p_adjusted"], adjust(found["p_value"]))
        assert found.loc[(found["x"] == 2) & (found["y"] == 0), ["best", "significant"]].to_numpy().tolist() == [
            ["lda", True]
        ]

    def test_each_data_set(self):
        scores = tidy(THREE, datasets=3, repeats=2, folds=5)
        found = winners(scores)
        assert list(found["dataset"]) == ["set 0", "set 1", "set 2"]
        one = compare_methods(scores[scores["dataset"] == "set 1"], adjust="none").pairs
        row = found.iloc[1]
        same = one[(one["method_a"] == row["best"]) & (one["method_b"] == row["second"])]
        assert row["p_value"] == pytest.approx(same["p_value"].item())

    def test_lower_is_better(self):
        scores = self.scores()
        down = winners(scores.assign(score=1 - scores["score"]), ["x", "y"], test="paired_t", higher_is_better=False)
        up = winners(scores, ["x", "y"], test="paired_t")
        assert list(up["best"]) == list(down["best"])
        np.testing.assert_allclose(up["p_value"], down["p_value"])

    def test_categories_that_are_not_there(self):
        scores = tidy(THREE, datasets=3, folds=5)
        scores["dataset"] = scores["dataset"].astype("category")
        assert list(winners(scores[scores["dataset"] != "set 1"])["dataset"]) == ["set 0", "set 2"]

    def test_options(self):
        scores = self.scores().sample(frac=1, random_state=3)
        found = winners(scores, ["x", "y"], test_fraction=0.3, adjust="bh")
        first = scores.drop_duplicates(["x", "y"])
        assert list(zip(found["x"], found["y"], strict=True)) == list(zip(first["x"], first["y"], strict=True))
        np.testing.assert_allclose(found["p_adjusted"], adjust(found["p_value"], "bh"))
        plain = winners(scores, ["x", "y"], test="paired_t")
        assert (found["p_value"] > plain["p_value"]).all()
        most = (plain["p_adjusted"] / plain["p_value"]).idxmax()
        middle = float(np.sqrt(plain.loc[most, "p_adjusted"] * plain.loc[most, "p_value"]))
        strict = winners(scores, ["x", "y"], test="paired_t", alpha=middle)
        assert (strict["significant"] == (strict["p_adjusted"] <= middle)).all()
        assert (strict["significant"] != (strict["p_value"] <= middle)).any()

    def test_no_spread_is_said(self):
        scores = pd.DataFrame(
            [(m, r, s + r / 8) for m, s in (("a", 0.75), ("b", 0.5)) for r in range(4)],
            columns=["method", "repeat", "score"],
        ).assign(x=0)
        found = winners(scores, "x", test="paired_t").iloc[0]
        assert np.isnan(found["p_value"])
        assert not found["significant"]
        assert "no test: all 4 differences are 0.25" in found["note"]

    def test_repeats_must_be_told(self):
        with pytest.raises(InputError, match="give test_fraction "):
            winners(self.scores(), ["x", "y"])

"""Maps of the best methods: cells, letters, colours and legends."""

import numpy as np
import pandas as pd
import pytest
from matplotlib.patches import Rectangle

from pwcstats import InputError, plot
from pwcstats.plot.style import area_colors, figure_of
from tests.plotting import LONG, assert_legible, cell_colors, hue

pytestmark = pytest.mark.one_environment


def grid(k, nx=11, ny=11, seed=0, name="m{}"):
    """Winners at random, with p-values of which a third is small."""
    rng = np.random.default_rng(seed)
    x, y = (values.ravel() for values in np.meshgrid(np.geomspace(0.01, 1, nx).round(3), np.arange(ny) / 10))
    best = rng.integers(k, size=nx * ny)
    second = (best + rng.integers(1, k, size=nx * ny)) % k
    p = rng.choice([0.001, 0.04, 0.3], size=nx * ny)
    names = np.array([name.format(place) for place in range(k)])
    sides = {"alpha": x, "rho": y, "best": names[best], "second": names[second]}
    frame = pd.DataFrame({**sides, "p_value": p, "p_adjusted": np.minimum(1, 20 * p)})
    return frame.sample(frac=1, random_state=seed)


class TestSignificanceMap:
    @pytest.mark.parametrize(("k", "nx", "ny"), [(2, 2, 2), (3, 11, 11), (8, 11, 11), (8, 15, 4), (4, 3, 40)])
    @pytest.mark.parametrize("name", ["m{}", LONG])
    def test_legible(self, k, nx, ny, name):
        frame = grid(k, nx, ny, name=name).iloc[1:]
        figure = figure_of(plot.significance_map(frame, "alpha", "rho"))
        assert_legible(figure)
        legend = figure.legends[0].get_window_extent()
        assert legend.x1 <= figure.bbox.x1
        assert all(legend.y1 <= axes.get_tightbbox().y0 for axes in figure.axes)

    def test_colours_and_letters_are_those_of_the_winners(self):
        frame = grid(3, 5, 4)
        figure = figure_of(plot.significance_map(frame, "alpha", "rho"))
        xs, ys = np.sort(frame["alpha"].unique()), np.sort(frame["rho"].unique())
        assert [axes.get_title() for axes in figure.axes] == ["plain p-values", "adjusted p-values"]
        assert figure.axes[0].get_ylabel() == "rho"
        counts = {}
        for axes, column in zip(figure.axes, ("p_value", "p_adjusted"), strict=True):
            assert axes.get_xlabel() == "alpha"
            # Larger values are higher up.
            assert axes.get_ylim() == (-0.5, 3.5)
            picture = cell_colors(axes)
            assert picture.shape == (4, 5, 3)
            letters = {text.get_position(): text for text in axes.texts}
            assert len(letters) == 20
            for _, row in frame.iterrows():
                place = int(row["best"][1:])
                i, j = np.searchsorted(ys, row["rho"]), np.searchsorted(xs, row["alpha"])
                found, strength = hue(picture[i, j][None], 3)
                sure = row[column] <= 0.05
                counts[place, column] = counts.get((place, column), 0) + sure
                assert found[0] == place
                assert strength[0, place] == pytest.approx(0.9 if sure else 0.22)
                text = letters[j, i]
                assert text.get_text() == "ABC"[place]
                assert text.get_weight() == ("bold" if sure else "normal")
        words = [text.get_text() for text in figure.legends[0].get_texts()]
        assert words == [
            f"{letter}  m{place}: {counts[place, 'p_value']}, adjusted {counts[place, 'p_adjusted']}"
            for place, letter in enumerate("ABC")
        ] + ["pale: best, but p > 0.05"]
        patches = figure.legends[0].get_patches()
        for place in range(3):
            np.testing.assert_allclose(
                patches[place].get_facecolor()[:3], 1 - 0.9 * (1 - area_colors(3)[place]), atol=1 / 255
            )

    def test_values_beside_the_cells(self):
        figure = figure_of(plot.significance_map(grid(3, 4, 3), "alpha", "rho"))
        axes = figure.axes[0]
        assert [label.get_text() for label in axes.get_xticklabels()] == ["0.01", "0.046", "0.215", "1"]
        assert [label.get_text() for label in axes.get_yticklabels()] == ["0", "0.1", "0.2"]
        many = figure_of(plot.significance_map(grid(3, 32, 3), "alpha", "rho")).axes[0]
        assert many.get_xticks().tolist() == list(range(0, 32, 3))
        assert not many.texts

    def test_letters_only_where_they_can_be_read(self):
        figure = figure_of(plot.significance_map(grid(2, 16, 2), "alpha", "rho"))
        assert not figure.axes[0].texts
        assert not figure.legends[0].get_texts()[0].get_text().startswith("A  ")
        assert len(figure_of(plot.significance_map(grid(2, 15, 2), "alpha", "rho")).axes[0].texts) == 30

    def test_alpha_is_the_limit(self):
        frame = grid(2, 2, 1)
        frame["p_value"] = [0.1, 0.1001]
        picture = cell_colors(figure_of(plot.significance_map(frame, "alpha", "rho", alpha=0.1)).axes[0])
        sure = hue(picture[0], 2)[1].max(axis=1) > 0.5
        assert sure.tolist() == (frame.sort_values("alpha")["p_value"] <= 0.1).tolist()
        assert sure.sum() == 1

    def test_missing_cells_and_p_values(self):
        frame = grid(3, 3, 3).sort_values(["rho", "alpha"]).reset_index(drop=True)
        frame[["p_value", "p_adjusted"]] = 0.001
        frame.loc[0, ["p_value", "p_adjusted"]] = np.nan
        frame["best"] = frame["best"].astype(object)
        frame.loc[4, "best"] = None
        frame = frame.drop(index=8)
        figure = figure_of(plot.significance_map(frame, "alpha", "rho"))
        for axes in figure.axes:
            hatched = {(p.get_x() + 0.5, p.get_y() + 0.5) for p in axes.patches if isinstance(p, Rectangle)}
            assert hatched == {(1, 1), (2, 2)}
            picture = cell_colors(axes)
            assert (picture[[1, 2], [1, 2]] == 1).all()
            assert hue(picture[0, :2], 3)[1].max(axis=1) == pytest.approx([0.22, 0.9], abs=0.08)
            assert len(axes.texts) == 7
        assert figure.legends[0].get_texts()[-1].get_text() == "no result (2 cells)"

    def test_methods_that_never_win_are_named(self):
        frame = grid(2, 3, 2).assign(best="m0", second="m1", p_value=0.01)
        words = [
            text.get_text() for text in figure_of(plot.significance_map(frame, "alpha", "rho")).legends[0].get_texts()
        ]
        assert words[:2] == ["A  m0: 6, adjusted " + words[0].split()[-1], "B  m1: 0, adjusted 0"]
        alone = figure_of(plot.significance_map(frame.drop(columns="second"), "alpha", "rho"))
        assert len(alone.legends[0].get_texts()) == 2

    def test_words_as_values(self):
        frame = grid(2, 3, 2)
        frame["alpha"] = frame["alpha"].map(
            dict(zip(np.sort(frame["alpha"].unique()), ("low", "mid", "top"), strict=True))
        )
        frame["alpha"] = pd.Categorical(frame["alpha"], ["top", "mid", "low", "never"])
        axes = figure_of(plot.significance_map(frame, "alpha", "rho")).axes[0]
        assert [label.get_text() for label in axes.get_xticklabels()] == ["top", "mid", "low"]
        mixed = frame.assign(alpha=frame["alpha"].map({"top": 1, "mid": "auto", "low": 0.5}).astype(object))
        labels = figure_of(plot.significance_map(mixed, "alpha", "rho")).axes[0].get_xticklabels()
        assert {label.get_text() for label in labels} == {"1", "auto", "0.5"}

    def test_many_methods(self):
        figure = figure_of(plot.significance_map(grid(30, 9, 9), "alpha", "rho"))
        assert {text.get_text() for text in figure.axes[0].texts} <= {str(number + 1) for number in range(30)}
        assert_legible(figure)

    @pytest.mark.parametrize(
        ("change", "options", "message"),
        [
            (lambda f: f.iloc[:0], {}, "needs a DataFrame with rows, got no rows; pass what compare.winners returns"),
            (lambda f: f.drop(columns="rho"), {}, r"needs the columns \(alpha, rho\), got none called \(rho\) among"),
            (lambda f: f.drop(columns="p_value"), {}, r"got none called \(p_value\) among .*; pass what compare"),
            (lambda f: f, {"y": "alpha"}, "x and y must be two different columns, got 'alpha' for both"),
            (
                lambda f: pd.concat([f, f.iloc[[3]]]),
                {},
                "one row for each cell, got several with alpha = .* and rho = ",
            ),
            (
                lambda f: f.assign(rho=np.where(f.index == 0, np.nan, f["rho"])),
                {},
                "the columns alpha and rho must not have missing values",
            ),
            (
                lambda f: f.assign(best="m0", second=None),
                {},
                "compares methods, got 1 method in all cells; pass",
            ),
            (lambda f: f.to_numpy(), {}, "needs a DataFrame with rows, got ndarray; pass what compare.winners returns"),
            (lambda f: f, {"alpha": 5}, "alpha must be"),
        ],
    )
    def test_what_is_refused(self, change, options, message):
        with pytest.raises(InputError, match=message):
            plot.significance_map(change(grid(3, 3, 3)), **{"x": "alpha", "y": "rho", **options})

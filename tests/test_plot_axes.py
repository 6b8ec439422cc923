"""What the plot functions return and accept: Axes, results, notebooks."""

import importlib
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from matplotlib import pyplot
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from pwcstats import BradleyTerry, InputError, plot
from pwcstats.plot.style import figure_of, fitting_columns, inches
from tests.plotting import FIGURES, assert_legible, draw

pytestmark = pytest.mark.one_environment

NAMES = ["ant", "bee", "cat", "dog"]
WINS = pd.DataFrame([[0, 30, 25, 28], [10, 0, 18, 22], [15, 22, 0, 24], [12, 18, 16, 0]], NAMES, NAMES)
ROOT = Path(__file__).parents[1]


@pytest.fixture(scope="module")
def res():
    return BradleyTerry(WINS).fit()


def panels_of(axes):
    return [axes] if isinstance(axes, Axes) else list(axes)


@pytest.mark.parametrize("name", FIGURES)
def test_new_figures_belong_to_pyplot(name):
    before = set(pyplot.get_fignums())
    axes = FIGURES[name]()
    (new,) = set(pyplot.get_fignums()) - before
    panels = panels_of(axes)
    assert panels
    assert all(isinstance(panel, Axes) for panel in panels)
    # Several panels come in a flat array, one by itself.
    assert isinstance(axes, Axes) or (axes.ndim == 1 and len(axes) > 1)
    assert figure_of(axes) is pyplot.figure(new)
    assert figure_of(axes).get_facecolor() == (1.0, 1.0, 1.0, 1.0)


@pytest.mark.parametrize("name", FIGURES)
def test_given_axes_are_drawn_in(name, monkeypatch):
    """Each function draws the same number of panels in Axes of the caller, and opens no figure."""
    function = name.partition(",")[0]
    n = len(panels_of(FIGURES[name]()))
    original = getattr(plot, function)
    figure = Figure(figsize=(6.0 * n, 6.0), layout="constrained")
    given = figure.subplots(1, n, squeeze=False)[0]
    ax = given if n > 1 else given[0]
    monkeypatch.setattr(plot, function, lambda *args, **options: original(*args, **{**options, "ax": ax}))
    pyplot.close("all")
    found = FIGURES[name]()
    assert not pyplot.get_fignums()
    assert panels_of(found) == list(given)
    assert all(panel.has_data() or panel.texts for panel in given)
    draw(found)
    wrong = Figure().subplots(1, n + 1)
    monkeypatch.setattr(plot, function, lambda *args, **options: original(*args, **{**options, "ax": wrong}))
    with pytest.raises(InputError, match=rf"one of matplotlib's Axes for each of the {n} panels, got {n + 1}"):
        FIGURES[name]()
    monkeypatch.setattr(plot, function, lambda *args, **options: original(*args, **{**options, "ax": "here"}))
    with pytest.raises(InputError, match="must be matplotlib's Axes, got str"):
        FIGURES[name]()


class TestAbilities:
    def test_comparison_intervals_by_default(self, res):
        for axes in (plot.abilities(res), res.plot()):
            expected = res.comparison_intervals().sort_values("ability", ascending=False)
            segments = np.array(axes.collections[0].get_segments())
            np.testing.assert_allclose(segments[:, :, 0], expected[["conf_low", "conf_high"]])
            assert axes.get_xlabel().endswith("no overlap: the two items differ (about 5 % level)")
            assert [label.get_text() for label in axes.get_yticklabels()] == ["ant", "cat", "bee", "dog"]
            assert axes.yaxis_inverted()

    @pytest.mark.parametrize("intervals", ["wald", "comparison", "quasi"])
    def test_results_are_drawn_like_their_plot_method(self, res, intervals):
        first, second = plot.abilities(res, intervals=intervals, alpha=0.1), res.plot(intervals, 0.1)
        a, b = (np.array(axes.collections[0].get_segments()) for axes in (first, second))
        np.testing.assert_array_equal(a, b)
        assert first.get_xlabel() == second.get_xlabel()

    def test_frames_as_before(self, res):
        frame = res.abilities()
        axes = plot.abilities(frame, label="strength", title="pets")
        assert (axes.get_xlabel(), axes.get_title()) == ("strength", "pets")
        np.testing.assert_allclose(
            np.array(axes.collections[0].get_segments())[:, :, 0],
            frame.sort_values("ability", ascending=False)[["conf_low", "conf_high"]],
        )
        with pytest.raises(InputError, match="intervals chooses intervals of a fitted model, got a DataFrame"):
            plot.abilities(frame, intervals="wald")
        with pytest.raises(InputError, match=r"needs the columns .*, got none called \(rank_low, rank_high\)"):
            plot.abilities(frame, ranks=True)
        with pytest.raises(InputError, match="needs a DataFrame with rows, got list; pass the result of"):
            plot.abilities([1, 2])

    def test_wald_intervals_where_there_are_no_others(self):
        for res in (BradleyTerry([[0, 3], [2, 0]]).fit(), BradleyTerry(WINS).fit(cov="diag")):
            axes = plot.abilities(res)
            assert "95 % confidence intervals (overlap is not a test)" in axes.get_xlabel()
            np.testing.assert_allclose(
                np.array(axes.collections[0].get_segments())[:, 1, 0],
                res.abilities().sort_values("ability", ascending=False)["conf_high"],
            )
            with pytest.raises(InputError):
                plot.abilities(res, intervals="comparison")

    def test_points_without_intervals(self):
        res = BradleyTerry(WINS).fit(cov="none")
        axes = draw(plot.abilities(res)).axes[0]
        np.testing.assert_array_equal(axes.lines[0].get_xdata(), np.sort(res.params)[::-1])
        assert axes.get_xlabel().endswith("\nno intervals: the fit has no standard errors")
        with pytest.raises(InputError, match="there are no standard errors after cov='none'"):
            plot.abilities(res, intervals="wald")

    def test_ranks_and_games_in_the_margin(self, res):
        axes = plot.abilities(res, ranks=True, alpha=0.1)
        words = [text.get_text() for text in axes.texts]
        table = res.ranks(0.1)
        sets = [
            f"{low}–{high}" if low < high else str(low) for low, high in table[["rank_low", "rank_high"]].to_numpy()
        ]
        games = [str((WINS + WINS.T).loc[name].sum()) for name in table.index]
        assert words == ["rank", *sets, "games", *games]
        heights = [text.xy[1] for text in axes.texts[1:5]]
        assert heights == [0, 1, 2, 3]
        assert "ranks: simultaneous 90 % confidence sets" in axes.get_xlabel()
        assert_legible(figure_of(axes))

    def test_weights_are_games(self):
        rows = {"winner": list("abca"), "loser": list("bcab"), "weight": [2.5, 1, 3, 1]}
        res = BradleyTerry.from_comparisons(rows, "winner", "loser", weight="weight").fit()
        words = [text.get_text() for text in plot.abilities(res, ranks=True).texts]
        order = res.ranks().index
        assert words[5:] == [{"a": "6.5", "b": "4.5", "c": "4"}[name] for name in order]

    def test_top_items(self, res):
        axes = plot.abilities(res, top=2, ranks=True)
        assert [label.get_text() for label in axes.get_yticklabels()] == ["ant", "cat"]
        assert axes.get_xlabel().endswith("the best 2 of 4 items")
        assert axes.texts[0].get_text() == "rank"
        assert len(axes.texts) == 6
        assert "the best" not in plot.abilities(res, top=9).get_xlabel()
        with pytest.raises(InputError, match="top must be a whole number"):
            plot.abilities(res, top=0)

    @pytest.mark.parametrize("n", [2, 20, 140, 400, 2000])
    def test_all_items_are_shown(self, n):
        ability = np.linspace(-1, 1, n)
        frame = pd.DataFrame({"ability": ability, "conf_low": ability - 0.1, "conf_high": ability + 0.1})
        frame = frame.set_index(pd.Index([f"item {number}" for number in range(n)]))
        axes = plot.abilities(frame)
        assert len(axes.lines[0].get_xdata()) == n
        if n <= 400:
            assert_legible(figure_of(axes))
        # matplotlib refuses pictures of more than 65536 pixels.
        assert figure_of(axes).get_figheight() * 300 < 2**16


def test_a_notebook_shows_each_picture_once():
    """In a fresh kernel, as a reader has it; the backend is that of the kernel."""
    # Only the environment in which this test runs has them.
    import nbclient
    import nbformat

    sources = [
        "from pwcstats import BradleyTerry, plot\nres = BradleyTerry([[0, 3, 4], [1, 0, 2], [1, 3, 0]]).fit()",
        "plot.abilities(res)",
        "ax = res.plot()",
        "plot.coupling([[0, 0.9], [0.1, 0]], __import__('pandas').DataFrame({'ht': [0.9, 0.1]}))",
        "len(__import__('matplotlib.pyplot').pyplot.get_fignums())",
    ]
    book = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(source) for source in sources])
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv("MPLBACKEND")
        nbclient.NotebookClient(book, timeout=300, kernel_name="python3").execute()
    pictures = [sum("image/png" in out.get("data", {}) for out in cell.outputs) for cell in book.cells]
    assert pictures == [0, 1, 1, 1, 0]
    assert book.cells[-1].outputs[0]["data"]["text/plain"] == "0"


class TestSizesOfText:
    @pytest.mark.parametrize("size", [6.0, 10.5])
    @pytest.mark.parametrize(
        "text", ["linear discriminant analysis", "CalibratedClassifierCV", "0.073", "machine\nwith two rows of names"]
    )
    def test_inches_are_about_those_that_matplotlib_needs(self, text, size):
        figure = Figure(dpi=100)
        drawn = figure.text(0, 0, text, fontsize=size).get_window_extent().width / 100
        assert inches(text, size) == pytest.approx(drawn, rel=0.2)

    def test_columns_fill_the_width(self):
        handles = [Line2D([], [], label=label) for label in ("short", "a label that is quite long", "b", "c")]
        widths = [fitting_columns(handles, width) for width in (0.1, 3.5, 5.0, 20.0)]
        assert widths == [1, 2, 3, 4]


def test_import_does_not_load_pyplot():
    code = "import pwcstats, sys; sys.exit('matplotlib' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


@pytest.fixture(scope="module")
def pictures():
    """The extension of the site; it imports others from its folder."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(ROOT / "docs" / "_ext")
        yield importlib.import_module("pictures")


class TestPicturesOfTheSite:
    def test_the_gallery_has_all_functions_with_descriptions(self, pictures):
        shown = {name: alt for section in pictures.GALLERY.values() for name, alt in section.items()}
        assert set(shown) == {name for name in plot.__all__ if callable(getattr(plot, name))}
        assert all(len(alt) > 60 and alt.endswith(".") for alt in shown.values())
        page = "\n".join(pictures.gallery())
        for name in shown:
            assert f":link: pwcstats.plot.{name}\n" in page
            assert f":img-bottom: /generated/{name}.svg\n" in page
        assert "]_" not in page

    @pytest.mark.parametrize("name", ["abilities", "error_map", "posteriors", "coupling"])
    def test_examples_give_axes(self, pictures, name):
        assert isinstance(figure_of(pictures.run_example(name)), Figure)

"""Error maps, and our numbers beside those of a paper."""

import numpy as np
import pandas as pd
import pytest

from pwcstats import couple, plot
from pwcstats.errors import InputError
from pwcstats.plot.style import COLORS, figure_of
from tests.plotting import draw

pytestmark = pytest.mark.one_environment


@pytest.fixture
def errors():
    axis = [0.0, 0.5, 1.0]
    rows = [(a, r, m, 0.1 * a + 0.05 * r + 0.2 * (m == "NB")) for a in axis for r in axis[:2] for m in ("LDA", "NB")]
    return pd.DataFrame(rows, columns=["alpha", "rho", "method", "estimate"])


class TestErrorMap:
    def test_cells(self, errors):
        shuffled = errors.sample(frac=1, random_state=0)
        figure = draw(plot.error_map(shuffled.sort_values("method", kind="stable"), "alpha", "rho"))
        panels = figure.axes[:2]
        assert [panel.get_title() for panel in panels] == ["LDA", "NB"]
        for panel, method in zip(panels, ("LDA", "NB"), strict=True):
            part = errors[errors["method"] == method].pivot(index="rho", columns="alpha", values="estimate")
            np.testing.assert_allclose(panel.images[0].get_array(), part)
            words = {(text.get_position()): text.get_text() for text in panel.texts}
            assert words == {(j, i): f"{100 * part.iloc[i, j]:.1f}" for i in range(2) for j in range(3)}
            assert [label.get_text() for label in panel.get_xticklabels()] == ["0", "0.5", "1"]

    def test_one_scale(self, errors):
        images = [panel.images[0] for panel in figure_of(plot.error_map(errors, "alpha", "rho")).axes[:2]]
        assert images[0].get_clim() == images[1].get_clim()

    def test_missing_cells_and_large_maps(self, errors):
        draw(plot.error_map(errors.iloc[1:], "alpha", "rho"))
        axis = np.linspace(0, 1, 20)
        large = pd.DataFrame([(a, r, "LDA", a * r) for a in axis for r in axis], columns=errors.columns)
        panel = draw(plot.error_map(large, "alpha", "rho")).axes[0]
        assert not panel.texts
        assert len(panel.get_xticks()) <= 12

    def test_bad_input(self, errors):
        with pytest.raises(InputError, match=r"error_map needs the columns \(alpha, x, method, estimate\), got none"):
            plot.error_map(errors, "alpha", "x")
        with pytest.raises(InputError, match="several of LDA with alpha = 0.0 and rho = 0.0; average them first"):
            plot.error_map(pd.concat([errors, errors]), "alpha", "rho")
        with pytest.raises(InputError, match="needs a DataFrame with rows, got list"):
            plot.error_map([], "alpha", "rho")


@pytest.fixture
def table():
    return pd.DataFrame(
        {
            "d": [0.5, 0.5, 2.0, np.nan],
            "method": ["LDA", "NB", "LDA", None],
            "quantity": ["error", "error", "recall", "a statement"],
            "estimate": [0.1, 0.2, 0.7, 1.0],
            "paper": [0.12, 0.4, 0.71, np.nan],
            "allowed": [0.03, 0.05, 0.02, np.nan],
            "verdict": ["agree", "open", "agree", "agree"],
        }
    )


class TestBesidePaper:
    def test_marks(self, table):
        figure = draw(plot.beside_paper(table))
        first, second = figure.axes
        assert [panel.get_xlabel() for panel in figure.axes] == ["error", "recall"]
        assert [label.get_text() for label in first.get_yticklabels()] == ["d = 0.5, LDA", "d = 0.5, NB", "d = 2, LDA"]
        ours = first.containers[0].lines[0]
        np.testing.assert_allclose(ours.get_xydata(), [[0.1, 0], [0.2, 1]])
        drawn = {(line.get_marker(), line.get_color()): line.get_xydata() for line in first.lines}
        np.testing.assert_allclose(drawn["D", "0.15"], [[0.12, 0]])
        np.testing.assert_allclose(drawn["X", COLORS[1]], [[0.4, 1]])
        assert not len(drawn["D", "0.65"])
        np.testing.assert_allclose(second.containers[0].lines[0].get_xydata(), [[0.7, 2]])

    def test_rows_without_a_verdict_are_pale(self, table):
        table.loc[0, "verdict"] = ""
        first = draw(plot.beside_paper(table)).axes[0]
        diamonds = {line.get_color(): line.get_xydata() for line in first.lines if line.get_marker() == "D"}
        np.testing.assert_allclose(diamonds["0.65"], [[0.12, 0]])
        assert not len(diamonds["0.15"])
        bars = first.containers[0][2][0].get_segments()
        assert np.isnan(bars[0]).any() or not len(bars[0])
        np.testing.assert_allclose(bars[1], [[0.15, 1], [0.25, 1]])

    def test_bars_are_what_is_allowed(self, table):
        first = figure_of(plot.beside_paper(table)).axes[0]
        segments = first.containers[0][2][0].get_segments()
        np.testing.assert_allclose(segments[0], [[0.07, 0], [0.13, 0]])

    def test_legend_has_what_is_drawn(self, table):
        words = [text.get_text() for text in figure_of(plot.beside_paper(table)).legends[0].get_texts()]
        assert words == ["ours ± allowed difference", "paper", "paper, does not agree"]
        words = [
            text.get_text()
            for text in figure_of(plot.beside_paper(table[table["verdict"] == "agree"])).legends[0].get_texts()
        ]
        assert words == ["ours ± allowed difference", "paper"]
        table.loc[1, "verdict"] = "no power"
        words = [text.get_text() for text in figure_of(plot.beside_paper(table)).legends[0].get_texts()]
        assert words == ["ours ± allowed difference", "paper", "paper, not counted"]

    @pytest.mark.parametrize("quantities", [1, 4])
    def test_the_legend_has_room(self, table, quantities):
        """Of all kinds of marks, in narrow figures and wide ones."""
        rows = table.head(3).assign(verdict=["agree", "disagree", "no power"])
        names = [f"quantity {number}" for number in range(quantities)]
        figure = draw(plot.beside_paper(pd.concat([rows.assign(quantity=name) for name in names])))
        legend = figure.legends[0]
        assert len(legend.get_texts()) == 4
        box = legend.get_window_extent()
        assert 0 <= box.x0
        assert box.x1 <= figure.bbox.x1

    def test_bad_input(self, table):
        with pytest.raises(InputError, match="needs rows with a printed number"):
            plot.beside_paper(table.tail(1))
        with pytest.raises(InputError, match=r"beside_paper needs the columns .* got none called \(paper\)"):
            plot.beside_paper(table.drop(columns="paper"))


def test_picture_of_a_coupling():
    r = np.array([[0, 0.9, 0.4], [0.1, 0, 0.7], [0.6, 0.3, 0]])
    proba = pd.DataFrame({m: couple(r, m, classes=list("abc")) for m in ("ht", "vote")})
    figure = figure_of(plot.coupling(r, proba))
    left, right = figure.axes[:2]
    assert [label.get_text() for label in left.get_xticklabels()] == list("abc")
    np.testing.assert_array_equal(right.lines[0].get_ydata(), proba["ht"])
    assert r[0, 0] == 0  # the caller's matrix keeps its diagonal

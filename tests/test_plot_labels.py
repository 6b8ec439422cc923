"""Labels of the data in figures are shown unchanged, with any characters."""

import io
from xml.etree import ElementTree

import matplotlib as mpl
import pytest

from pwcstats import plot
from pwcstats.plot.style import figure_of, literal
from tests.plotting import FIGURES, LABELS

pytestmark = pytest.mark.one_environment

# Control characters are escaped.
SHOWN = (*LABELS[:2], "a\\$b$c_d$\\x1b[31m")


def texts(axes):
    """All that a figure says, as a reader sees it."""
    with mpl.rc_context({"svg.fonttype": "none"}):
        content = io.BytesIO()
        figure_of(axes).savefig(content, format="svg")
    found = ElementTree.fromstring(content.getvalue()).iter("{http://www.w3.org/2000/svg}text")
    return ["".join(text.itertext()) for text in found]


def test_every_figure_is_here():
    assert {name.partition(",")[0] for name in FIGURES} == {name for name in plot.__all__ if name.islower()}


@pytest.mark.parametrize("name", FIGURES)
def test_labels_are_shown_as_they_are(name):
    found = texts(FIGURES[name]())
    for label in SHOWN:
        assert any(label in text for text in found), (label, found)


def test_literal():
    assert literal("lda") == "lda"
    assert literal(3) == "3"
    assert literal("two\nlines") == "two\nlines"
    assert literal("\x07\x9b\u202e\x00") == "\\x07\\x9b\\u202e\\x00"

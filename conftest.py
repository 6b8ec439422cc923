"""Figures of tests and of examples in docstrings and pages."""

import os
import sys

import pytest

# Tests must not open windows.
os.environ["MPLBACKEND"] = "Agg"


@pytest.fixture(autouse=True)
def _close_figures():
    """Close the figures of each test; pyplot warns if more than 20 are open."""
    yield
    if "matplotlib.pyplot" in sys.modules:
        sys.modules["matplotlib.pyplot"].close("all")

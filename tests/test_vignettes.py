"""tools/vignettes.py: each language runs alone; the page, the script and the notebook show what was run."""

import subprocess
import sys
from pathlib import Path

import nbformat
import pytest

TOOL = Path(__file__).parents[1] / "tools" / "vignettes.py"
sys.path.insert(0, str(TOOL.parent))
import vignettes  # noqa: E402

pytestmark = [pytest.mark.against_r, pytest.mark.slow]
VIGNETTE = """---
title: "Two and two"
description: "A sum."
---

```{r setup, include = FALSE}
fixed <- function(x) sprintf("%.1f", x)
```

```{python page-two, include = FALSE}
two = 2
```

The sum is `r fixed(py("total"))`. See [below](other.html#part).

# First

```{r sum}
x <- 2 + 2
x
```

```{python sum-python}
total = 2 + 2
total
```

# Only R

```{r failing, error = TRUE}
stop("on purpose")
```

```{r drawn, fig.alt = "A line"}
plot(x, type = "l")
```

# Only Python

The data are in figures/data.csv.

```{python not-run, eval = FALSE}
stop here
```

```{python drawn-python, fig.alt = "Another line"}
import matplotlib.pyplot as plt
axes = plt.subplots()[1]
axes.plot([total, 1])
```

```{r page-table, echo = FALSE}
knitr::kable(data.frame(language = c("R", "Python"), sum = c(x, py("total"))))
```

# Checks

```{r check-same}
stopifnot(x == py("total"))
```

```{python check-python}
assert total == 4
```

# References

None.
"""


def build(tmp_path, text):
    source = tmp_path / "sum.Rmd"
    source.write_text(text, encoding="utf-8")
    page = tmp_path / "pages" / "sum.md"
    done = subprocess.run([sys.executable, TOOL, source, page], capture_output=True, text=True, check=False)
    return done, page


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    done, page = build(tmp_path_factory.mktemp("vignette"), VIGNETTE)
    assert done.returncode == 0, done.stderr
    return page


def test_page(made):
    text = made.read_text()
    assert text.startswith("# Two and two\n")
    assert "The sum is 4.0. See [below](other.md#part)." in text
    tabs = text[text.index("## First") : text.index("## Only R")]
    assert (
        tabs.index("tab-item} Python")
        < tabs.index("total = 2 + 2")
        < tabs.index("tab-item} R")
        < tabs.index("#> [1] 4")
    )
    assert "#> Error in eval(expr, envir, enclos): on purpose" in text
    assert ":::{image} sum_files/drawn-1.svg\n:alt: A line\n" in text
    assert ":::{image} sum_files/drawn-python-1.svg\n:alt: Another line\n" in text
    assert "Line2D" not in text
    assert "|Python   |   4|" in text
    assert "The data are in figures/data.csv." in text
    assert (
        text.index("{dropdown} How this page checks itself")
        < text.index("assert total == 4")
        < text.index("## References")
    )
    assert {path.name for path in (made.parent / "sum_files").iterdir()} == {"drawn-1.svg", "drawn-python-1.svg"}


def test_script(made):
    text = made.with_suffix(".R").read_text()
    assert "# The sum is 4.0." in text
    assert 'try({\n  stop("on purpose")\n})' in text
    assert "py(" not in text
    assert "stopifnot" not in text
    assert "total" not in text.replace("# ", "")


def test_notebook(made):
    notebook = nbformat.read(made.with_suffix(".ipynb"), as_version=4)
    nbformat.validate(notebook)
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    assert [cell.source.splitlines()[-1] for cell in code] == ["total", "axes.plot([total, 1])"]
    assert code[0].outputs[0].data["text/plain"] == "4"
    assert "image/svg+xml" in code[1].outputs[0].data
    prose = "\n".join(cell.source for cell in notebook.cells if cell.cell_type == "markdown")
    assert 'In R:\n\n```r\nstop("on purpose")' in prose
    assert "x <- 2 + 2" not in prose
    assert "Checks" not in prose
    assert "```python\nstop here\n```" in prose


@pytest.mark.parametrize(
    "text",
    [
        "<Axes: xlabel='x'>",
        "array([<Axes: >, <Axes: >], dtype=object)",
        "(<Figure size 640x480 with 1 Axes>, <Axes: >)",
        "[<matplotlib.lines.Line2D at 0x7f0d50b98090>]",
        "<BarContainer object of 3 artists>",
        "{'whiskers': [<matplotlib.lines.Line2D at 0x7f0d>]}",
        "Text(0.5, 1.0, 'title')",
    ],
)
def test_objects_of_matplotlib_are_left_out(text):
    assert vignettes.DRAWN.match(text)


@pytest.mark.parametrize(
    "text", ["4", "array([0.1, 0.2])", "<class 'int'>", "'Text'", "a < b", "BradleyTerryResults(...)"]
)
def test_other_values_are_shown(text):
    assert not vignettes.DRAWN.match(text)


@pytest.mark.parametrize(
    ("good", "bad", "message"),
    [
        ("x <- 2 + 2", 'x <- py("total")', "the R chunk sum uses Python"),
        ("total = 2 + 2", "total = r.x", "NameError"),
        ("stopifnot(x == ", "stopifnot(x < ", "R stopped with an error"),
        ("assert total == 4", "assert total == 5", "AssertionError"),
        (', fig.alt = "A line"', "", "describe it in fig.alt"),
        (', fig.alt = "Another line"', "", "describe it in fig.alt"),
        ("{r sum}", "{r}", "each chunk needs a label of its own"),
        # The script is run without the setup, which is for the page alone.
        ("x <- 2 + 2", "x <- as.numeric(fixed(2 + 2))", "could not find function"),
        # And so is the notebook.
        ("total = 2 + 2", "total = two + 2", "NameError"),
    ],
)
def test_what_is_refused(tmp_path, good, bad, message):
    assert good in VIGNETTE
    done, page = build(tmp_path, VIGNETTE.replace(good, bad))
    assert done.returncode != 0
    assert message in done.stderr
    assert not page.exists()

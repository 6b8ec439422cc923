"""tools/run_examples.py: examples that print something else are found, and no others."""

import subprocess
import sys
from pathlib import Path

import pytest

TOOL = Path(__file__).parents[1] / "tools" / "run_examples.py"
R_BLOCKS = """
.. code-block:: r

   x <- c(a = 1, b = 2)
   x
   #> a b
   #> 1 2
   runif(1)
   #> [1] 0...
   log(-1)
   #> Warning in log(-1): NaNs produced
   stop("wrong ", x["a"])
   #> Error in eval(): wrong 1
   invisible(x)

.. code-block:: r

   x["b"] + 1
   #> b
   #> 3
"""
CONSOLE = """
```console
$ cat names.txt
ash
elm
$ sort -r names.txt
elm
ash
$ echo 0.12345678901
0.12345678999
$ wc -l names.txt \\
> | cut -c 1
2
```
"""


def run(tmp_path, text, suffix="rst"):
    """Run the tool on a document; return its exit code and what it prints."""
    path = tmp_path / f"page.{suffix}"
    path.write_text(text, encoding="utf-8")
    done = subprocess.run([sys.executable, TOOL, path], capture_output=True, text=True, check=False)
    assert "Traceback" not in done.stderr, done.stderr
    return done.returncode, done.stdout


@pytest.mark.against_r
def test_good_r_blocks_pass(tmp_path):
    assert run(tmp_path, R_BLOCKS) == (0, "\n")


@pytest.mark.against_r
def test_r_blocks_that_install_are_not_run(tmp_path):
    install = '\n.. code-block:: r\n\n   install.packages("absent")\n   stop("was run")\n'
    assert run(tmp_path, install + R_BLOCKS) == (0, "\n")


@pytest.mark.against_r
@pytest.mark.parametrize(
    ("good", "bad"),
    [("#> 1 2", "#> 1 3"), ("#> [1] 0...", "#> [1] 2..."), ("wrong 1", "right"), ("NaNs produced", "something else")],
)
def test_other_output_is_a_failure(tmp_path, good, bad):
    code, printed = run(tmp_path, R_BLOCKS.replace(good, bad))
    assert code == 1
    assert bad.strip("#> ") in printed


@pytest.mark.against_r
@pytest.mark.parametrize("line", ['stop("no")', 'warning("hm")', "undefined"])
def test_r_errors_and_warnings_must_be_expected(tmp_path, line):
    assert run(tmp_path, R_BLOCKS + f"   {line}\n")[0] == 1
    if line != "undefined":
        assert run(tmp_path, R_BLOCKS.replace("x <- c(", f"{line}\n   x <- c("))[0] == 1


def test_console_blocks(tmp_path):
    assert run(tmp_path, CONSOLE, "md") == (0, "\n")
    code, printed = run(tmp_path, CONSOLE.replace("elm\nash\n$ echo", "ash\nelm\n$ echo"), "md")
    assert code == 1
    assert "should print\nash\nelm" in printed
    assert run(tmp_path, CONSOLE.replace("sort -r names.txt\nelm\nash", "sort -r gone.txt"), "md")[0] == 1


def test_python_blocks_are_scripts(tmp_path):
    block = (
        ".. code-block:: python\n\n   from pwcstats import couple\n   assert len(couple([0.6], condensed=True)) == {}\n"
    )
    assert run(tmp_path, block.format(2))[0] == 0
    assert run(tmp_path, block.format(3))[0] == 1


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("```bash\nls\n```\n", "bash is no language of examples"),
        ("```console\nls\n```\n", "a console block begins with a command"),
        ("```r\n1 + 1\n", "the block has no end"),
    ],
)
def test_blocks_that_would_not_be_run(tmp_path, text, message):
    code, printed = run(tmp_path, text, "md")
    assert code == 1
    assert message in printed


def test_documents_without_examples_are_a_failure(tmp_path):
    assert run(tmp_path, ">>> 1 + 1\n2\n")[0] == 1

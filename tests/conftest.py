"""Live R for the tests that ask for it, hypothesis without dice, and the data of the hybrids."""

import json
import shutil
import subprocess
from pathlib import Path

import pytest
from hypothesis import settings

from pwcstats.datasets import chang_clover

R_SCRIPTS = Path(__file__).parent / "r"

# The same cases on every machine; imports make the first case slow, so no deadline.
settings.register_profile("pwcstats", derandomize=True, deadline=None, max_examples=200)
settings.load_profile("pwcstats")


def pytest_runtest_setup(item):
    """Say what to do where there is no R; a test that is left out is left out by whoever runs it."""
    if item.get_closest_marker("against_r") and shutil.which("Rscript") is None:
        pytest.fail("no Rscript is on the PATH: `make test` installs R, and -m 'not against_r' leaves these tests out")


def stored(name):
    """What R said when the fixture was made."""
    return json.loads((R_SCRIPTS / "fixtures" / f"{name}.json").read_text())


# Run a script as Rscript does, and leave R as it was: attached packages, options, random numbers. The script's objects
# are in an environment of their own, and what data() loads is removed.
SOURCE = """function(script, out) {
  before <- list(search = search(), options = options(), kind = RNGkind(), objects = ls(globalenv(), all.names = TRUE))
  on.exit({
    for (name in setdiff(search(), before$search)) detach(name, character.only = TRUE)
    options(before$options)
    do.call(RNGkind, as.list(before$kind))
    rm(list = setdiff(ls(globalenv(), all.names = TRUE), before$objects), envir = globalenv())
  })
  RNGkind("default", "default", "default")
  home <- new.env(parent = globalenv())
  home$commandArgs <- function(...) out
  source(script, local = home, encoding = "UTF-8")
  NULL
}"""


# lme4 stops where its function is flat, and rounding, which depends on where R's memory lies, moves it by 1e-6. Its
# stored numbers have more digits: they are those of a process of its own.
ALONE = {"bradley_terry_mixed"}


def in_this_process():
    """What runs a script in the R of this process, or None without rpy2."""
    try:
        from pwcstats.r._session import rinterface, running
    except ImportError:
        return None

    def run(script, out):
        with running():
            rinterface.evalr(SOURCE)(str(script), str(out))

    return run


def in_a_new_process(script, out):
    done = subprocess.run(["Rscript", "--vanilla", script, out], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


@pytest.fixture(scope="session")
def run_r(tmp_path_factory):
    """Run a script of tests/r now and return what it wrote; each script runs once.

    With rpy2 they share one R, because R takes longer to start and to load packages than to compute.
    """
    answers = {}
    shared = in_this_process() or in_a_new_process

    def run(name):
        if name not in answers:
            out = tmp_path_factory.mktemp("r") / f"{name}.json"
            source = in_a_new_process if name in ALONE else shared
            source(R_SCRIPTS / f"{name}.R", out)
            answers[name] = json.loads(out.read_text())
        return answers[name]

    return run


@pytest.fixture(scope="session")
def clover():
    """Training and test rows of Chang's first study, and their groups."""
    sample = chang_clover(2.0, 60, 200, random_state=1)
    return (
        sample.data[sample.train],
        sample.target[sample.train],
        sample.data[~sample.train],
        sample.target[~sample.train],
    )

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


@pytest.fixture(scope="session")
def run_r(tmp_path_factory):
    """Run a script of tests/r now and return what it wrote; each script runs once."""
    answers = {}

    def run(name):
        if name not in answers:
            out = tmp_path_factory.mktemp("r") / f"{name}.json"
            done = subprocess.run(
                ["Rscript", "--vanilla", str(R_SCRIPTS / f"{name}.R"), str(out)],
                capture_output=True,
                text=True,
                check=False,
            )
            assert done.returncode == 0, done.stderr
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

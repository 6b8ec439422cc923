"""What the package loads and writes when it is imported and used, and whether all of its public names are there."""

import ast
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import pwcstats

pytestmark = pytest.mark.one_environment

SOURCE = Path(pwcstats.__file__)
HEAVY = {"matplotlib", "statsmodels", "sklearn", "pandas", "numpy", "scipy", "scipy.stats", "scipy.linalg", "joblib"}
COMPILERS = {"numba", "llvmlite"}
# Each part of the package that calls compiled code.
USES = {
    "coupling": "pwcstats.couple(np.full((3, 3, 3), 0.5), 'ht', n_jobs=2)",
    "ranking": "pwcstats.BradleyTerry([[0, 2, 3], [1, 0, 2], [1, 1, 0]]).fit('firth').abilities()",
    "logit": "pwcstats.FirthLogit(y > 0, np.c_[np.ones(60), X]).fit().conf_int(method='profile')",
    "multinomial": "pwcstats.FirthMNLogit(y, np.c_[np.ones(60), X]).fit().params",
    "pairwise": "pwcstats.PairwiseClassifier(SVC()).fit(X, y).predict_proba(X)",
    "naive_bayes": "pwcstats.PairwiseClassifier(GaussianNB()).fit(X, y).predict_proba(X)",
    "hybrid": "pwcstats.HybridClassifier().fit(X, y).predict_proba(X)",
}
DATA = """
import numpy as np
import pwcstats
from sklearn.naive_bayes import GaussianNB
from sklearn.svm import SVC
y = np.repeat([0, 1, 2], 20)
X = np.random.default_rng(0).normal(size=(60, 2)) + y[:, None]
"""
# Files may be opened for reading only.
WATCH = """
import os, sys
def watch(event, args):
    if event == "open" and args[2] & (os.O_WRONLY | os.O_RDWR | os.O_CREAT) and args[0] != os.devnull:
        raise AssertionError(f"opens {args[0]}")
    if event in ("os.mkdir", "os.rename", "os.remove"):
        raise AssertionError(f"{event} {args[0]}")
sys.addaudithook(watch)
"""


def run(code, **env):
    command = [sys.executable, "-B", "-c", code]
    done = subprocess.run(command, capture_output=True, text=True, env=os.environ | env)
    assert done.returncode == 0, done.stderr
    return done.stdout


def modules_after(code, **env):
    """Modules that a new process has loaded after some code."""
    return set(json.loads(run(f"{code}\nimport json, sys\nprint(json.dumps(list(sys.modules)))", **env)))


@pytest.mark.parametrize(
    ("code", "absent"),
    [
        ("import pwcstats", HEAVY),
        ("import pwcstats.errors", HEAVY),
        ("import pwcstats; dir(pwcstats); pwcstats.__version__", HEAVY),
        ("from pwcstats import couple", HEAVY - {"numpy", "pandas"}),
        ("from pwcstats import couple; couple([[0, 0.3], [0.7, 0]])", HEAVY - {"numpy", "pandas"}),
        ("from pwcstats import BradleyTerry", {"matplotlib"}),
        ("from pwcstats import FirthLogit", {"matplotlib"}),
        ("from pwcstats import PairwiseClassifier, HybridClassifier, compare_methods", {"matplotlib"}),
        ("from pwcstats import datasets, studies", {"matplotlib"}),
        ("import pwcstats.cli", {"matplotlib"}),
    ],
)
def test_names_are_imported_when_they_are_used(code, absent):
    assert not modules_after(code) & (absent | COMPILERS)


@pytest.mark.skipif(sys.platform != "linux", reason="/proc is a folder that nobody can write to")
@pytest.mark.parametrize("use", USES)
def test_nothing_is_compiled_or_written_when_it_is_used(use):
    """So the folder of the package, and the user's, may be read-only."""
    assert not modules_after(WATCH + DATA + USES[use], HOME="/proc", XDG_CACHE_HOME="/proc/cache") & COMPILERS


def test_every_public_name_is_there():
    for name in pwcstats.__all__:
        assert getattr(pwcstats, name).__name__ == name
    assert len(set(pwcstats.__all__)) == len(pwcstats.__all__)


def test_every_submodule_is_there():
    for name in pwcstats._SUBMODULES:
        assert getattr(pwcstats, name).__name__ == f"pwcstats.{name}"


def test_dir_is_complete():
    found = dir(pwcstats)
    assert found == sorted([*pwcstats.__all__, *pwcstats._SUBMODULES, "__version__", "__doc__"])


def test_unknown_names():
    with pytest.raises(AttributeError, match="module 'pwcstats' has no attribute 'copule'"):
        pwcstats.copule  # noqa: B018
    with pytest.raises(ImportError, match="cannot import name 'copule'"):
        from pwcstats import copule  # noqa: F401


def test_sources_that_are_not_compiled_say_so(tmp_path):
    """As in the folder of a checkout, after pip install . there."""
    shutil.copytree(SOURCE.parent, tmp_path / "pwcstats", ignore=shutil.ignore_patterns("_native.*", "__pycache__"))
    done = subprocess.run(
        [sys.executable, "-c", "import sys; sys.meta_path[:] = sys.meta_path[-3:]; from pwcstats import couple"],
        cwd=tmp_path, capture_output=True, text=True,
    )  # fmt: skip
    assert "which are not compiled there; leave this folder to use the installed package, or install" in done.stderr


def test_type_checkers_see_the_same_names():
    """The imports for type checkers say the same as the tables that names are imported by."""
    (block,) = (
        node
        for node in ast.parse(SOURCE.read_text(encoding="utf-8")).body
        if isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING"
    )
    names, submodules = {}, []
    for node in block.body:
        assert isinstance(node, ast.ImportFrom)
        (alias,) = node.names
        # Type checkers take "import x as x" for a public name.
        assert alias.asname == alias.name
        if node.module == "pwcstats":
            submodules.append(alias.name)
        else:
            names[alias.name] = node.module.removeprefix("pwcstats.")
    assert names == pwcstats._HOME
    assert submodules == sorted([*pwcstats._SUBMODULES, *pwcstats._OPTIONAL])


def test_the_docstring_is_a_map_of_the_package():
    words = set(pwcstats.__doc__.replace(",", " ").replace("`", " ").split())
    kinds = ("Result", "Results", "Warning", "Error")
    assert {name for name in pwcstats.__all__ if not name.endswith(kinds)} <= words
    assert {"compare", "datasets", "plot", "studies", "errors"} <= words
    assert len(pwcstats.__doc__.strip().splitlines()) <= 30

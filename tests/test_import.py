"""What importing the package loads, and whether all of its public names are there."""

import ast
import json
import subprocess
import sys
from pathlib import Path

import pytest

import pwcstats

SOURCE = Path(pwcstats.__file__)
HEAVY = {"matplotlib", "statsmodels", "sklearn", "numba", "pandas", "numpy", "scipy"}


def loaded(code):
    """Which heavy packages a new process has loaded after some code."""
    script = f"{code}\nimport json, sys\nprint(json.dumps([name for name in sys.modules if '.' not in name]))"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    return HEAVY & set(json.loads(done.stdout))


@pytest.mark.parametrize(
    ("code", "absent"),
    [
        ("import pwcstats", HEAVY),
        ("import pwcstats.errors", HEAVY),
        ("import pwcstats; dir(pwcstats); pwcstats.__version__", HEAVY),
        ("from pwcstats import couple", {"matplotlib", "statsmodels", "sklearn"}),
        ("from pwcstats import BradleyTerry", {"matplotlib"}),
        ("from pwcstats import FirthLogit", {"matplotlib"}),
        ("from pwcstats import PairwiseClassifier, HybridClassifier, compare_methods", {"matplotlib"}),
        ("from pwcstats import datasets, studies", {"matplotlib"}),
        ("import pwcstats.cli", {"matplotlib"}),
    ],
)
def test_names_are_imported_when_they_are_used(code, absent):
    assert not loaded(code) & absent


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

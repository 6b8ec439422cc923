"""CONTRIBUTING.md: the table of files and the recipes name files that exist, and no others need to change."""

import ast
import re
from pathlib import Path

import pytest

from pwcstats.compare import TESTS
from pwcstats.coupling.methods import TABLE
from pwcstats.hybrid.integrators import INTEGRATORS
from pwcstats.pairwise.calibration import CALIBRATIONS
from pwcstats.pairwise.named import LEARNERS

ROOT = Path(__file__).parents[1]
TEXT = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
RECIPES = dict(re.findall(r"^### (.*?)\n\n(.*?)(?=^##|\Z)", TEXT, flags=re.M | re.S))
LAYOUT = TEXT.split("## Layout\n")[1].split("\n## ")[0]
VARIANTS = {
    "Add a coupling method": set(TABLE),
    "Add a significance test": set(TESTS) - {"auto"},
    "Add an integrator": set(INTEGRATORS),
    "Add a learner by name": set(LEARNERS),
    "Add a calibration": set(CALIBRATIONS),
}
# Names that other families have, too.
AMBIGUOUS = {"firth", "logit", "ordered", "sigmoid"}
# Files that name variants as users of the package would.
USERS = ("pwcstats/studies/",)
# What other files name as a default, as a function to call, or as advice in a message; a new variant needs none of it.
MENTIONED = {
    "pwcstats/cli/couple.py": {"wlw2"},
    "pwcstats/cli/fit.py": {"wlw2", "svm"},
    "pwcstats/compare/design.py": {"wilcoxon", "mean_ranks", "corrected_resampled_t", "paired_t", "mcnemar"},
    "pwcstats/pairwise/classifier.py": {"wlw2", "vote"},
    "pwcstats/pairwise/learners.py": {"vote"},
    "pwcstats/plot/ranks.py": {"nemenyi"},
    "R/R/cratio.R": {"cratio"},
    # insight's name of a distribution.
    "R/R/insight.R": {"logistic"},
    "R/R/hybrid.R": {"svm"},
    "R/R/ordinal-hybrid.R": {"svm"},
    "R/R/machines.R": {"svm"},
    # Its models are support vector machines only.
    "R/R/parsnip.R": {"svm"},
}


def paths_in(text):
    return {
        path for path in re.findall(r"`([\w./-]+/[\w./-]*)`", text) if not path.startswith((".", "results/", "man/"))
    }


def strings_in(file):
    """String constants of a module, without docstrings and messages: those that are a single word."""
    tree = ast.parse(file.read_text(encoding="utf-8"))
    return {node.value for node in ast.walk(tree) if isinstance(node, ast.Constant) and isinstance(node.value, str)}


def code_of(file):
    """The code of a file of R, without lines that are comments."""
    lines = file.read_text(encoding="utf-8").splitlines()
    return "\n".join(line for line in lines if not line.lstrip().startswith("#"))


def compared_in(code):
    """Strings that R code compares something with."""
    single = re.findall(r'[=!]=\s*"([^"]*)"', code) + re.findall(r'"([^"]*)"\s*[=!]=', code)
    vectors = re.findall(r"%in%\s*(c\([^)]*\)|\"[^\"]*\")", code)
    return {*single, *(name for vector in vectors for name in re.findall(r'"([^"]*)"', vector))}


@pytest.mark.parametrize("path", sorted(paths_in(TEXT)))
def test_files_exist(path):
    assert (ROOT / path).exists()


def rows_of_layout():
    """The folder of each row of the table "Layout", and the files that the row names without it."""
    for path, rest in re.findall(r"^\| `([\w./]+)`(.*)$", LAYOUT, flags=re.M):
        folder = (ROOT / path).parent if path.endswith(".py") else ROOT / path
        yield folder, re.findall(r"`([\w.*-]+\.(?:py|R|cpp))`", rest)


@pytest.mark.parametrize(("folder", "names"), list(rows_of_layout()), ids=lambda part: getattr(part, "name", ""))
def test_files_of_the_layout_exist(folder, names):
    # The row of the R package speaks of its code.
    folder = folder / "R" if folder.name == "R" else folder
    assert not [name for name in names if not list(folder.glob(name))]


def test_the_layout_names_every_part_of_the_package():
    parts = {path.name for path in (ROOT / "pwcstats").iterdir() if (path / "__init__.py").exists()}
    modules = {path.name for path in (ROOT / "pwcstats").glob("*.py") if not path.name.startswith("__")}
    named = {Path(path).name for path in re.findall(r"`([\w./]+)`", LAYOUT)}
    assert parts | modules <= named


def test_names_in_recipes_exist():
    for recipe in RECIPES.values():
        sources = [path for path in paths_in(recipe) if path.endswith((".py", ".hpp"))]
        known = "".join((ROOT / path).read_text(encoding="utf-8") for path in sources)
        for name in re.findall(r"`([A-Z]\w+)`", recipe):
            assert name in known, name


@pytest.mark.parametrize("recipe", VARIANTS)
def test_a_variant_is_named_in_the_files_of_its_recipe_only(recipe):
    """So a new variant needs no other file."""
    listed = paths_in(RECIPES[recipe])
    words = {file: strings_in(file) for file in (ROOT / "pwcstats").rglob("*.py")}
    words |= {file: set(re.findall(r'"(\w+)"', code_of(file))) for file in (ROOT / "R" / "R").glob("*.R")}
    for file, named in sorted(words.items()):
        path = file.relative_to(ROOT).as_posix()
        named = named & VARIANTS[recipe] - AMBIGUOUS - MENTIONED.get(path, set())
        if named and not path.startswith(USERS):
            assert path in listed, f"{path} names {named}"


@pytest.mark.parametrize("file", sorted((ROOT / "R" / "R").glob("*.R")), ids=lambda file: file.stem)
def test_r_compares_nothing_with_the_name_of_a_variant(file):
    assert not compared_in(code_of(file)) & set().union(*VARIANTS.values())


def test_comparisons_are_found():
    code = 'if (x$test == "a" || "b" != y || z %in% c("d",\n "e") || w %in% "f") c("g", "h")'
    assert compared_in(code) == set("abdef")


def test_each_recipe_is_there():
    assert {"Add a coupling method", "Add a significance test", "Add a fast learner", "Add an integrator"} <= set(
        RECIPES
    )
    assert "Add an R function" in RECIPES

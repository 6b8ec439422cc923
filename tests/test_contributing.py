"""The recipes of CONTRIBUTING.md name files that exist, and no others need to change."""

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
TEXT = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
RECIPES = dict(re.findall(r"^### (.*?)\n\n(.*?)(?=^##|\Z)", TEXT, flags=re.M | re.S))
# Variants that only their own family has names like, and files that mention them as users of the package would.
VARIANTS = {
    "Add a coupling method": ["pkpd", "rv"],
    "Add a significance test": ["cv5x2_t", "cv5x2_f"],
    "Add an integrator": ["individualized", "cratio"],
    "Add a learner by name": ["qda", "knn"],
}
USERS = ("pwcstats/studies/",)


def paths_in(text):
    return {
        path for path in re.findall(r"`([\w./-]+/[\w./-]*)`", text) if not path.startswith((".", "results/", "man/"))
    }


def strings_in(file):
    """String constants of a module, without docstrings and messages: those that are a single word."""
    tree = ast.parse(file.read_text(encoding="utf-8"))
    return {node.value for node in ast.walk(tree) if isinstance(node, ast.Constant) and isinstance(node.value, str)}


@pytest.mark.parametrize("path", sorted(paths_in(TEXT)))
def test_files_exist(path):
    assert (ROOT / path).exists()


def test_names_in_recipes_exist():
    for recipe in RECIPES.values():
        known = "".join((ROOT / path).read_text(encoding="utf-8") for path in paths_in(recipe) if path.endswith(".py"))
        for name in re.findall(r"`([A-Z]\w+)`", recipe):
            assert name in known, name


@pytest.mark.parametrize("recipe", VARIANTS)
def test_a_variant_is_named_in_the_files_of_its_recipe_only(recipe):
    """So a new variant needs no other file."""
    listed = paths_in(RECIPES[recipe])
    for file in sorted((ROOT / "pwcstats").rglob("*.py")):
        path = file.relative_to(ROOT).as_posix()
        named = strings_in(file) & set(VARIANTS[recipe])
        if named and not path.startswith(USERS):
            assert path in listed, f"{path} names {named}"


def test_each_recipe_is_there():
    assert {"Add a coupling method", "Add a significance test", "Add a fast learner", "Add an integrator"} <= set(
        RECIPES
    )
    assert "Add an R function" in RECIPES

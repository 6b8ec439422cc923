"""The installed R package, and the vocabulary in which it shows messages."""

import importlib.util
import subprocess
from pathlib import Path

import pytest

from pwcstats.errors import InputError, arg, code, value

VOCABULARY = Path(__file__).parents[1] / "R" / "inst" / "python" / "pwcstats_vocabulary.py"
# library() takes 0.02 seconds. Python and its imports take longer, and must wait for the first call.
MOST_SECONDS = 0.5


@pytest.mark.against_r
def test_library_is_instant_and_starts_no_python():
    code = "time <- system.time(library(pwcstats)); cat(time[['elapsed']], isNamespaceLoaded('reticulate'))"
    seconds = []
    for _ in range(3):
        output = subprocess.run(["Rscript", "-e", code], capture_output=True, text=True, check=True).stdout.split()
        assert output[1] == "FALSE"
        seconds.append(float(output[0]))
    assert min(seconds) < MOST_SECONDS


@pytest.fixture(scope="module")
def in_r():
    spec = importlib.util.spec_from_file_location("pwcstats_vocabulary", VOCABULARY)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    vocabulary = module.RVocabulary()
    return lambda text: InputError(text).message.render(vocabulary)


@pytest.mark.parametrize(
    ("python", "r"),
    [
        (arg("maxiter"), "maxit"),
        (arg("temperature", False), "temperature = FALSE"),
        (arg("random_state"), "seed"),
        (arg("exog"), "the model matrix"),
        (arg("method", "firth"), "method = 'firth'"),
        (arg("calibration", None), "calibration = 'none'"),
        (arg("random_state", None), "seed = NULL"),
        (arg("alpha", 0.05), "level = 0.95"),
        (arg("correction", True), "correct = TRUE"),
        (value(None), "NULL"),
        (value(float("nan")), "NA"),
        (value(2.0), "2"),
        (value([1.5, "a"]), "c(1.5, 'a')"),
        (value(("a", "b")), "a/b"),
        (value({"groups": 1}), "{'groups': 1}"),
        (code("contrast"), "compare_items()"),
        (code("BradleyTerry"), "bt()"),
        (code("winners(scores, by='dataset')"), "winners(scores, by = 'dataset')"),
        (code("SVC()"), "SVC()"),
        (code("not an expression"), "not an expression"),
    ],
)
def test_messages_have_r_names(in_r, python, r):
    assert in_r(f"use {python}.") == f"use {r}."

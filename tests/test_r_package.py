"""The R package as it is installed, from outside."""

import subprocess

import pytest

# library() takes 0.02 seconds; Python and what it imports take some, and are left until they are needed.
MOST_SECONDS = 0.5


@pytest.mark.against_r
def test_library_is_instant_and_starts_no_python():
    code = "time <- system.time(library(pwcstats)); cat(time[['elapsed']], isNamespaceLoaded('reticulate'))"
    seconds = []
    for _ in range(3):
        said = subprocess.run(["Rscript", "-e", code], capture_output=True, text=True, check=True).stdout.split()
        assert said[1] == "FALSE"
        seconds.append(float(said[0]))
    assert min(seconds) < MOST_SECONDS

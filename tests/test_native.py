"""The compiled module: instruction sets agree, any strides and short blocks are read, arguments are not converted."""

import os
import subprocess
import sys

import numpy as np
import pytest

from pwcstats import _native, couple
from pwcstats.coupling.methods import TABLE

# Instruction sets differ in fused products only.
ROUNDING = 1e-11


@pytest.fixture
def every_target():
    """The instruction sets that this machine has; afterwards the best one is used again."""
    yield _native.targets()
    _native.choose_target(_native.targets()[-1])


def draw_pairs(n, k, seed=0):
    r = np.random.default_rng(seed).uniform(0.02, 0.98, size=(n, k * (k - 1) // 2))
    r[:: max(n // 3, 1), 0] = 1.0
    return r


@pytest.mark.parametrize("method", TABLE)
@pytest.mark.parametrize("k", [2, 3, 5, 9, 18])
def test_targets_agree(method, k, every_target):
    """Also for blocks that are not full."""
    for n in (1, 2, 3, 7, 8, 9, 17):
        r = draw_pairs(n, k)
        mass = {"pair_mass": np.full(r.shape[1], 1.0)} if method == "bayes" else {}
        results = []
        for target in every_target:
            _native.choose_target(target)
            results.append(couple(r, method, condensed=True, return_info=True, **mass))
        for result in results[1:]:
            np.testing.assert_allclose(result.proba, results[0].proba, rtol=0, atol=ROUNDING)


@pytest.mark.parametrize("method", ["ht", "wlw1", "logit"])
def test_limits_agree(method, every_target):
    """clip=0 also finds the classes that keep a probability; weights may be zero."""
    r = np.round(draw_pairs(13, 6), 1)
    r[:5, :3] = 1.0
    weighted = {"n": np.random.default_rng(1).integers(1, 4, size=r.shape)} if method != "wlw1" else {}
    results = []
    for target in every_target:
        _native.choose_target(target)
        results.append(couple(r, method, condensed=True, clip=0, **weighted))
    for result in results:
        np.testing.assert_allclose(result, results[0], rtol=0, atol=ROUNDING)


@pytest.mark.parametrize("method", sorted({*TABLE} - {"bayes"}))
def test_strides_do_not_matter(method):
    r = draw_pairs(19, 5)
    expected = couple(r, method, condensed=True)
    wide = np.zeros((38, 30))
    wide[::2, ::3] = r
    for same in (np.asfortranarray(r), wide[::2, ::3], r[::-1].copy()[::-1]):
        np.testing.assert_array_equal(couple(same, method, condensed=True), expected)


def test_wide_matrices_are_factorised_in_blocks(every_target):
    r = draw_pairs(9, 41)
    for target in every_target:
        _native.choose_target(target)
        for method in ("ht", "wlw1", "wlw2", "logit"):
            proba = couple(r, method, condensed=True)
            assert np.abs(proba.sum(axis=1) - 1).max() < ROUNDING
            np.testing.assert_array_equal(couple(r[4:5], method, condensed=True), proba[4:5])


def test_unknown_targets():
    with pytest.raises(ValueError, match="this machine has no kernels for abacus"):
        _native.choose_target("abacus")
    assert _native.targets()[0] == "baseline"


def test_arrays_are_not_converted():
    with pytest.raises(TypeError):
        _native.connected(np.ones((1, 3), dtype=np.float32), 3, 0, 1, np.zeros(1, dtype=bool))


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork on Windows")
def test_kernels_work_in_forks_of_a_process_that_has_used_threads():
    code = """
import multiprocessing
import numpy as np
from pwcstats import couple
r = np.random.default_rng(0).uniform(0.1, 0.9, size=(200_000, 6))
expected = couple(r, "ht", condensed=True, n_jobs=2)
with multiprocessing.get_context("fork").Pool(2) as pool:
    for n_jobs in (1, 2):
        results = [pool.apply_async(couple, (r, "ht"), {"condensed": True, "n_jobs": n_jobs}) for _ in range(2)]
        assert all((result.get(60) == expected).all() for result in results)
"""
    subprocess.run([sys.executable, "-c", code], check=True, timeout=120)

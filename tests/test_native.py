"""The compiled kernels themselves: every instruction set, every position of a sample, and what they accept."""

import ast
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import pwcstats
from pwcstats import _native, couple
from pwcstats._kernels.laplacian import Graph
from pwcstats.coupling.methods import METHODS, TABLE

# Instruction sets with and without fused products differ by rounding.
ROUNDING = 1e-13
# ht may take one step more or less.
LAST_STEP = 2e-12


def make_pairs(n_samples, n_classes, seed=0):
    rng = np.random.default_rng(seed)
    b = np.log(rng.dirichlet(np.ones(n_classes), n_samples))
    i, j = np.triu_indices(n_classes, 1)
    return 1 / (1 + np.exp(b[:, j] - b[:, i] + rng.normal(scale=0.7, size=(n_samples, len(i)))))


def coupled(r, method, **options):
    mass = {"pair_mass": np.linspace(1, 2, r.shape[-1])} if TABLE[method].uses_pair_mass else {}
    return couple(r, method, condensed=True, **mass, **options)


@pytest.fixture
def on_target():
    """Choose an instruction set; afterwards use the best one again."""
    yield _native.choose_target
    _native.choose_target(_native.targets()[-1])


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("n_classes", [2, 3, 5, 9, 30])
def test_all_instruction_sets_agree(method, n_classes, on_target):
    r = make_pairs(21, n_classes)
    results = {}
    for target in _native.targets():
        on_target(target)
        results[target] = coupled(r, method)
    for result in results.values():
        np.testing.assert_allclose(result, results["baseline"], rtol=0, atol=LAST_STEP if method == "ht" else ROUNDING)
    if "avx512" in results:
        np.testing.assert_array_equal(results["avx512"], results["avx2"])


@pytest.mark.parametrize("target", _native.targets())
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("n_classes", [2, 3, 4, 7, 18])
def test_a_sample_has_the_same_bits_alone_and_beside_others(target, method, n_classes, on_target):
    on_target(target)
    r = make_pairs(40, n_classes)
    # Hard samples, which need more steps than their neighbours.
    r[::5] = np.where(r[::5] > 0.5, 1 - 1e-7, 1e-7)
    together = coupled(r, method)
    for n_samples in (1, 2, 3, 8, 9, 15, 17, 31):
        np.testing.assert_array_equal(coupled(r[:n_samples], method), together[:n_samples])
    for sample in range(len(r)):
        np.testing.assert_array_equal(coupled(r[sample], method), together[sample])
    for n_jobs in (2, 5):
        np.testing.assert_array_equal(coupled(r, method, n_jobs=n_jobs), together)


@pytest.mark.parametrize("method", ["ht", "wlw1", "logit"])
def test_limits_agree(method, on_target):
    """clip=0 also finds the classes that keep a probability; weights may be zero."""
    r = np.round(make_pairs(13, 6).clip(0.02, 0.98), 1)
    r[:5, :3] = 1.0
    weighted = {"n": np.random.default_rng(1).integers(1, 4, size=r.shape)} if method != "wlw1" else {}
    results = []
    for target in _native.targets():
        on_target(target)
        results.append(couple(r, method, condensed=True, clip=0, **weighted))
    for result in results:
        np.testing.assert_allclose(result, results[0], rtol=0, atol=LAST_STEP)


@pytest.mark.parametrize("method", METHODS)
def test_strides_do_not_matter(method):
    r = make_pairs(19, 5)
    expected = coupled(r, method)
    wide = np.zeros((38, 30))
    wide[::2, ::3] = r
    for same in (np.asfortranarray(r), wide[::2, ::3], r[::-1].copy()[::-1]):
        np.testing.assert_array_equal(coupled(same, method), expected)


def test_weights_of_one_sample_do_not_reach_the_next():
    rng = np.random.default_rng(0)
    r = make_pairs(19, 6)
    n = rng.uniform(0, 5, r.shape) * (rng.random(r.shape) < 0.9)
    n[:, :5] += 0.1
    for method in ("ht", "logit"):
        together = coupled(r, method, n=n)
        for sample in range(len(r)):
            np.testing.assert_array_equal(coupled(r[sample], method, n=n[sample][None]), together[sample])


def test_unknown_instruction_set():
    with pytest.raises(ValueError, match="this machine has no kernels for mmx"):
        _native.choose_target("mmx")


def test_arrays_are_not_converted():
    """A converted output would be a copy, and the result would be lost."""
    r = make_pairs(3, 3)
    upper, lower = np.arange(3), np.empty(0, np.int64)
    weights, top = np.ones((1, 3)), np.empty((0, 3), np.bool_)
    n_iter, converged, kl = np.zeros(3, np.int64), np.ones(3, np.bool_), np.empty(0)
    proba = np.empty((3, 3))
    arguments = [r, upper, lower, 1e-7, weights, top, 0, 3, proba, n_iter, converged, kl]
    assert not _native.wlw2(*arguments)
    for position in (0, 1, 4, 8, 9):
        wrong = arguments.copy()
        wrong[position] = arguments[position].astype(np.float32)
        with pytest.raises(TypeError, match="incompatible function arguments"):
            _native.wlw2(*wrong)
    for position, short in ((4, np.ones((2, 3))), (8, np.empty((2, 3))), (9, np.zeros(2, np.int64)), (7, 4)):
        wrong = arguments.copy()
        wrong[position] = short
        with pytest.raises(ValueError, match="the size of .* does not fit"):
            _native.wlw2(*wrong)
    proba.flags.writeable = False
    with pytest.raises(TypeError, match="incompatible function arguments"):
        _native.wlw2(*arguments)


def test_the_types_name_every_function():
    source = Path(pwcstats.__file__).with_name("_native.pyi").read_text(encoding="utf-8")
    typed = set()
    for node in ast.parse(source).body:
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            typed.add(node.name)
        elif isinstance(node, ast.AnnAssign):
            typed.add(node.target.id)
        elif isinstance(node, ast.Assign) and isinstance(node.value, ast.Name):
            typed |= {target.id for target in node.targets}
    assert typed == {name for name in dir(_native) if not name.startswith("_")}


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


@pytest.mark.parametrize("n_columns", [1, 3, 8, 11])
def test_conjugate_gradients_solve_the_equations_of_a_graph(n_columns):
    rng = np.random.default_rng(0)
    n = 320
    first = np.concatenate([np.arange(n - 1), rng.integers(0, n // 2, 2000)]).astype(np.int32)
    second = np.concatenate([np.arange(1, n), rng.integers(n // 2, n, 2000)]).astype(np.int32)
    weight = rng.uniform(0.5, 2.0, len(first))
    laplacian = np.zeros((n, n))
    for i, j, w in zip(first, second, weight, strict=True):
        laplacian[[i, j, i, j], [i, j, j, i]] += [w, w, -w, -w]
    b = rng.normal(size=(n, n_columns))
    x = Graph(first, second, n).solver(weight, 1e-12)(b)
    np.testing.assert_allclose(x, np.linalg.pinv(laplacian) @ b, rtol=0, atol=1e-9)


def test_largest_differences():
    rng = np.random.default_rng(0)
    draws, precision = rng.normal(size=(21, 5)), rng.uniform(1, 2, (5, 5))
    precision += precision.T
    out = np.empty((21, 5))
    for first, stop in ((0, 16), (16, 21)):
        _native.largest_differences(draws, precision, first, stop, out)
    expected = (np.abs(draws[:, :, None] - draws[:, None]) * precision).max(axis=2)
    np.testing.assert_allclose(out, expected, rtol=1e-15)

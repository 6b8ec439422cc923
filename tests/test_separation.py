"""Separation: the linear programme, what stays finite, and what users see of it."""

import itertools
import tracemalloc

import numpy as np
import pandas as pd
import pytest
from scipy.optimize import linprog

from pwcstats import FirthMNLogit, detect_separation
from pwcstats._kernels import separation
from pwcstats.logit import likelihood, maximum


@pytest.mark.parametrize("first_rows", [3, 500])
def test_separation_is_found_whatever_it_begins_with(monkeypatch, first_rows):
    monkeypatch.setattr(separation, "FIRST_ROWS", first_rows)
    answers = []
    for seed in range(60):
        rng = np.random.default_rng(seed)
        x = rng.normal(size=(12 + seed % 20, 3)) * [1, 100, 0.01]
        side = np.sign(x @ [1, 0.02, 50] + rng.normal(scale=1.0 if seed % 2 else 0.01, size=len(x)))
        rows = side[:, None] * x
        u = separation.recession_direction(rows)
        # A direction on the cone's border touches two rows: trying all pairs finds it.
        found = False
        for i in range(len(rows)):
            for j in range(i):
                ray = np.cross(rows[i], rows[j])
                for sign in (1, -1):
                    value = rows @ (sign * ray)
                    value[[i, j]] = 0
                    found |= bool(np.all(value >= 0) and np.any(value > 0))
        assert (u is not None) == found
        if u is not None:
            value = rows @ u / np.abs(rows @ u).max()
            assert value.min() > -1e-5
        answers.append(found)
    assert 0.2 < np.mean(answers) < 0.8


def test_quasi_separation_in_a_column_that_few_rows_have():
    """Found although the first rows say nothing of it."""
    rng = np.random.default_rng(0)
    x = np.column_stack([rng.normal(size=5000), np.arange(5000) == 17])
    side = np.where(rng.random(5000) < 0.5, 1, -1)
    side[17] = 1
    u = separation.recession_direction(side[:, None] * x)
    assert u is not None
    assert abs(u[0]) < 1e-6 < u[1]


def can_be_positive(rows, wanted):
    """Whether some u has rows @ u >= 0 everywhere and > 0 in row `wanted`: one linear programme for each row."""
    answer = linprog(-rows[wanted], -rows, np.zeros(len(rows)), bounds=(-1, 1), method="highs")
    return -answer.fun > 1e-7


def moves(rows, column):
    """Whether some u with rows @ u >= 0 has a coefficient other than 0 there."""
    unit = np.eye(rows.shape[1])[column]
    ends = [linprog(s * unit, -rows, np.zeros(len(rows)), bounds=(-1, 1), method="highs").fun for s in (1, -1)]
    return min(ends) < -1e-7


def make_data(seed):
    """Small numbers, so that separation of every kind is common."""
    rng = np.random.default_rng(seed)
    n, p = int(rng.integers(5, 25)), int(rng.integers(1, 4))
    x = np.column_stack([np.ones(n), rng.integers(-2, 3, size=(n, p))]).astype(float)
    y = (x[:, 1:] @ rng.integers(-1, 2, size=p) + rng.integers(-1, 2, size=n) * (seed % 3) > 0).astype(int)
    keep = np.linalg.matrix_rank(x) == p + 1 and len(set(y)) == 2
    return (x, y) if keep else None


@pytest.mark.slow
def test_every_row_and_column_is_told_rightly():
    kinds = []
    for seed in range(150):
        data = make_data(seed)
        if data is None:
            continue
        x, y = data
        found = detect_separation(y, x)
        rows = np.where(y == 1, 1.0, -1.0)[:, None] * x
        positive = [can_be_positive(rows, k) for k in range(len(rows))]
        np.testing.assert_array_equal(found.rows, positive)
        np.testing.assert_array_equal(
            (found.directions != 0).to_numpy().ravel(), [moves(rows, k) for k in range(x.shape[1])]
        )
        assert found.separated == any(positive)
        assert found.kind == ("complete" if all(positive) else "quasi-complete" if any(positive) else "none")
        kinds.append(found.kind)
    assert min(kinds.count(kind) for kind in ("complete", "quasi-complete", "none")) > 10


def test_units_do_not_matter():
    for seed in range(40):
        data = make_data(seed)
        if data is not None:
            x, y = data
            scale = 10.0 ** np.random.default_rng(seed).integers(-6, 7, x.shape[1])
            shift = np.where(np.arange(x.shape[1]) > 0, 1e9 * scale, 0.0) if seed % 2 else 0.0
            a, b = detect_separation(y, x), detect_separation(y, x * scale + shift)
            assert a.kind == b.kind
            np.testing.assert_array_equal(a.rows, b.rows)


def test_a_sign_that_is_open_is_not_given():
    """Each of two columns separates: either may go either way."""
    x = pd.DataFrame({"const": 1.0, "x": [1.0, 2, 3, 7, 8, 9], "z": [1.1, 2.2, 2.9, 7.2, 7.9, 9.1]})
    directions = detect_separation([0, 0, 0, 1, 1, 1], x).directions[1]
    assert directions[["x", "z"]].isna().all()
    assert directions["const"] == -np.inf
    alone = detect_separation([0, 0, 0, 1, 1, 1], x[["const", "x"]]).directions[1]
    assert list(alone) == [-np.inf, np.inf]


@pytest.mark.slow
def test_multinomial_separation_against_every_contrast():
    kinds = []
    for seed in range(60):
        rng = np.random.default_rng(seed)
        n = int(rng.integers(8, 20))
        x = np.column_stack([np.ones(n), rng.integers(-3, 4, n)]).astype(float)
        y = np.clip(np.round(x[:, 1] / 2 + rng.integers(-1, 2, n) * (seed % 3) / 2), -1, 1).astype(int)
        if len(set(y)) < 3 or np.ptp(x[:, 1]) == 0:
            continue
        found = detect_separation(y, x)
        rows, case = [], []
        for i, other in itertools.product(range(n), range(3)):
            if other != y[i] + 1:
                row = np.zeros((3, 2))
                row[y[i] + 1] += x[i]
                row[other] -= x[i]
                rows.append(row[1:].ravel())
                case.append(i)
        rows, case = np.array(rows), np.array(case)
        positive = np.array([can_be_positive(rows, k) for k in range(len(rows))])
        np.testing.assert_array_equal(found.rows, [positive[case == i].all() for i in range(n)])
        expected = np.reshape([moves(rows, k) for k in range(4)], (2, 2)).T
        np.testing.assert_array_equal((found.directions != 0).to_numpy(), expected)
        assert found.separated == positive.any()
        kinds.append(found.kind)
    assert len(set(kinds)) == 3


def sign_of(rows, combination):
    """1 or -1 if a combination of u has that sign wherever rows @ u >= 0, nan if it may have both, 0 if neither."""
    combination = combination / np.abs(combination).max()
    highest = -linprog(-combination, -rows, np.zeros(len(rows)), bounds=(-1, 1), method="highs").fun
    lowest = linprog(combination, -rows, np.zeros(len(rows)), bounds=(-1, 1), method="highs").fun
    up, down = highest > 1e-7, lowest < -1e-7
    return np.nan if up and down else np.inf if up else -np.inf if down else 0.0


@pytest.mark.slow
@pytest.mark.parametrize("first_rows", [3, 500])
def test_ordered_rows_and_signs_against_a_programme_for_each(monkeypatch, first_rows):
    monkeypatch.setattr(separation, "FIRST_ROWS", first_rows)
    kinds, signs = [], []
    for seed in range(80):
        rng = np.random.default_rng(seed)
        n, p = int(rng.integers(6, 20)), int(rng.integers(1, 3))
        x = rng.integers(-2, 3, size=(n, p)).astype(float)
        latent = x @ rng.integers(-1, 2, size=p) + rng.integers(-1, 2, n) * (seed % 3)
        y = np.digitize(latent, [-0.5, 1.5])
        if len(set(y)) < 3 or np.linalg.matrix_rank(np.column_stack([np.ones(n), x])) <= p:
            continue
        # Of class j, the predictor x'b is above the threshold below j and below the one above it.
        rows, case = [], []
        for i in range(n):
            for threshold, side in ((y[i] - 1, 1.0), (y[i], -1.0)):
                if 0 <= threshold < 2:
                    rows.append([*side * x[i], *(-side * (np.arange(2) == threshold))])
                    case.append(i)
        rows, case = np.array(rows), np.array(case)
        positive = np.array([can_be_positive(rows, k) for k in range(len(rows))])
        found = detect_separation(y, x, ordered=True)
        np.testing.assert_array_equal(found.rows, [positive[case == i].all() for i in range(n)])
        expected = [sign_of(rows, unit) for unit in np.eye(p + 2)]
        np.testing.assert_array_equal(found.directions["direction"], expected)
        kinds.append(found.kind)
        signs += expected
    assert min(kinds.count(kind) for kind in ("complete", "quasi-complete", "none")) > 5
    assert {np.inf, -np.inf, 0.0} <= set(signs)
    assert np.isnan(signs).any()


def test_binary_signs_against_a_programme_for_each(monkeypatch):
    monkeypatch.setattr(separation, "FIRST_ROWS", 3)
    for seed in range(60):
        data = make_data(seed)
        if data is not None:
            x, y = data
            rows = np.where(y == 1, 1.0, -1.0)[:, None] * x
            expected = [sign_of(rows, unit) for unit in np.eye(x.shape[1])]
            np.testing.assert_array_equal(detect_separation(y, x).directions.to_numpy().ravel(), expected)


def test_many_classes_need_little_memory():
    """Written out, the constraints of these would take 100 MB, and what is made of them several times as much."""
    n, n_classes = 1200, 60
    rng = np.random.default_rng(0)
    x = np.column_stack([np.ones(n), rng.normal(size=(n, 2))])
    y = np.arange(n) % n_classes
    tracemalloc.start()
    try:
        assert detect_separation(y, x).kind == "none"
        assert tracemalloc.get_traced_memory()[1] < 50e6
    finally:
        tracemalloc.stop()


def test_a_linear_programme_that_is_too_large_is_left_out(monkeypatch):
    """The fit begins elsewhere instead."""
    x = np.column_stack([np.ones(12), np.arange(12.0)])
    y = np.repeat([0, 1, 2], 4)
    expected = FirthMNLogit(y, x).fit()
    calls = []
    monkeypatch.setattr(maximum, "overlap", lambda *args: calls.append(args))
    monkeypatch.setattr(maximum, "MOST_CONSTRAINTS", 12 * 2 * 4 - 1)
    np.testing.assert_allclose(FirthMNLogit(y, x).fit().params, expected.params, rtol=1e-6)
    assert expected._results._hard
    assert not calls


def test_where_a_fit_begins_is_least_squares():
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=(30, 3)) * [1, 100, 0.01], np.arange(30) % 3
    model = likelihood.MultinomialLikelihood(x, y, np.ones(30), rng.normal(size=30), 3, True, lambda: list("abc"))
    held = np.arange(6) == 1
    fixed, basis = model.params(np.where(held, 2.0, 0.0)), model.free(held)
    design = np.kron(np.eye(2), model.sample.x)
    wanted = -(design @ fixed + np.tile(model.sample.offset, 2))
    expected = basis @ np.linalg.lstsq(design @ basis, wanted, rcond=None)[0]
    np.testing.assert_allclose(model.origin(basis, fixed), expected, rtol=1e-8)


def test_ordered_classes():
    x = pd.DataFrame({"dose": [1.0, 2, 3, 4, 5, 6], "z": [1.0, 0, 2, 1, 0, 2]})
    complete = detect_separation([0, 0, 1, 1, 2, 2], x, ordered=True)
    assert complete.kind == "complete"
    assert list(complete.directions.index) == ["dose", "z", "0/1", "1/2"]
    assert detect_separation([0, 1, 0, 2, 1, 2], x, ordered=True).kind == "none"
    # Classes 1 and 2 overlap, class 0 is below both: as one slope serves both thresholds, all stays finite.
    assert detect_separation([0, 0, 1, 2, 1, 2], x[["dose"]], ordered=True).kind == "none"
    group = pd.DataFrame({"g": [0.0, 0, 0, 0, 1, 1, 0], "z": [1.0, 0, 2, 1, 0, 2, 3]})
    quasi = detect_separation([0, 1, 0, 2, 2, 2, 1], group, ordered=True)
    assert quasi.kind == "quasi-complete"
    assert quasi.columns == ["g"]
    assert quasi.directions.loc["g", "direction"] == np.inf


def test_what_is_printed():
    x = pd.DataFrame({"const": 1.0, "g": [1.0, 1, 0, 0, 0, 0], "z": [3.0, 1, 1, 2, 3, 2]})
    found = detect_separation(["ill", "ill", "ill", "well", "ill", "well"], x)
    assert str(found) == (
        "There is quasi-complete separation: 2 of 6 rows are predicted without error, and the maximum likelihood "
        "estimate of g is infinite."
    )
    assert found.directions.loc["g", "well"] == -np.inf
    assert list(found.rows) == [True, True, False, False, False, False]
    assert "no separation" in str(detect_separation([0, 1, 0, 1, 1, 0], x))


def test_rows_of_weight_0_are_left_out():
    x = pd.DataFrame({"const": 1.0, "z": [1.0, 2, 3, 4, 5]})
    y = [0, 0, 1, 1, 0]
    assert detect_separation(y, x).kind == "none"
    found = detect_separation(y, x, freq_weights=[1, 2, 1, 0.5, 0])
    assert found.kind == "complete"
    assert list(found.rows) == [True, True, True, True, False]


def test_several_classes_may_be_ruled_out_with_no_row_certain():
    # With x = 1 the third class is never seen, but the others are.
    x = pd.DataFrame({"const": 1.0, "x": [0, 0, 0, 0, 1, 1, 1, 1]})
    found = detect_separation([0, 1, 2, 2, 0, 1, 0, 1], x)
    assert found.kind == "quasi-complete"
    assert not found.rows.any()
    assert found.directions.loc["x"].tolist() == [0.0, -np.inf]
    assert "no row is predicted without error, but classes are ruled out for some, and" in str(found)

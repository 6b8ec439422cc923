"""The linear programme of separation: with all rows, and with some at a time."""

import numpy as np
import pytest

from pwcstats._kernels import separation


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

"""What holds for every data set: finite estimates, at a maximum, whatever the data."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pwcstats import ContinuationRatio, FirthLogit, FirthMNLogit, InputError

pytestmark = pytest.mark.slow

# On the scale of a row's predictor.
STATIONARY = 1e-6


@st.composite
def data_sets(draw, classes=2):
    """Small whole numbers, so that separation of every kind, ties and repeated rows are common."""
    n = draw(st.integers(classes + 1, 30))
    p = draw(st.integers(0, 4))
    seed = draw(st.integers(0, 2**31))
    size = draw(st.sampled_from([1, 3, 10]))
    rng = np.random.default_rng(seed)
    x = np.column_stack([np.ones(n), rng.integers(-size, size + 1, (n, p)) * 10.0 ** draw(st.integers(-3, 3))])
    slope = draw(st.sampled_from([0.0, 1.0, 100.0]))
    score = slope * x[:, 1:].sum(axis=1) + rng.logistic(size=n)
    y = np.digitize(score, np.sort(rng.choice(score, classes - 1, replace=False)))
    return x, np.minimum(y, classes - 1)


def usable(x, y, classes):
    return np.linalg.matrix_rank(x) == x.shape[1] and len(np.unique(y)) == classes


def check(res, model, x):
    params, se = np.asarray(res.params), np.asarray(res.bse)
    assert res.converged, res.reason
    assert np.isfinite(params).all()
    assert np.isfinite(se).all()
    assert (se > 0).all()
    assert np.isfinite(res.llf)
    assert np.isfinite(np.asarray(res.predict())).all()
    score = np.abs(np.asarray(model.score(params)).reshape(-1, x.shape[1]) / np.abs(x).max(axis=0))
    assert score.max() < STATIONARY * max(1.0, len(x))


@given(data_sets())
@settings(max_examples=500)
def test_binary_estimates_are_finite(data):
    x, y = data
    if not usable(x, y, 2):
        with pytest.raises(InputError, match="at least 2 classes, got 1 class|full rank"):
            FirthLogit(y, x, aliased="raise")
        return
    model = FirthLogit(y, x)
    res = model.fit()
    check(res, model, x)
    # A maximum: no nearby point is higher.
    rng = np.random.default_rng(0)
    for _ in range(5):
        nearby = res.params + 1e-3 * rng.normal(size=len(res.params)) * res.bse
        assert model.loglike(nearby) <= res.llf + 1e-10


@given(data_sets(3))
@settings(max_examples=150)
def test_multinomial_estimates_are_finite(data):
    x, y = data
    if usable(x, y, 3):
        model = FirthMNLogit(y, x)
        check(model.fit(), model, x)


@given(data_sets(3), st.sampled_from(["backward", "forward"]), st.booleans())
@settings(max_examples=150)
def test_ordinal_estimates_are_finite(data, direction, parallel):
    x, y = data
    if not usable(x, y, 3) or x.shape[1] == 1:
        return
    model = ContinuationRatio(y, x, direction, "firth", parallel)
    parts = [model.stacked(False)[0]] if parallel else [model.stage_data(stage)[0] for stage in range(2)]
    if any(np.linalg.matrix_rank(part) < part.shape[1] for part in parts):
        with pytest.raises(InputError, match="not of full rank"):
            model.fit()
        return
    res = model.fit()
    assert np.isfinite(res.params).all()
    assert np.isfinite(res.bse).all()
    assert np.asarray(res.predict()).sum(axis=1).max() < 1 + 1e-12


@given(data_sets())
@settings(max_examples=60)
def test_profiles_are_finite_and_hold_the_estimate(data):
    x, y = data
    if usable(x, y, 2):
        res = FirthLogit(y, x).fit()
        bounds = np.asarray(res.conf_int(method="profile"))
        assert np.isfinite(bounds).all()
        assert (bounds[:, 0] < res.params).all()
        assert (res.params < bounds[:, 1]).all()

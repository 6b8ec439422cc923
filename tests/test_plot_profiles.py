"""Profiles of the likelihood: the curves, the Wald line, the interval, and names."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from pwcstats import AdjacentCategories, ContinuationRatio, FirthLogit, FirthMNLogit, InputError, OrderedLogit, plot
from tests.plotting import draw

RNG = np.random.default_rng(2)
DATA = pd.DataFrame({"x": RNG.normal(size=40), "z": RNG.normal(size=40)})
DATA["grade"] = np.digitize(DATA["x"] + RNG.logistic(size=40), [-1.0, 1.0])
DATA["y"] = (DATA["grade"] > 0).astype(int)
MODELS = {
    "FirthLogit": (FirthLogit, "y", {}),
    "FirthMNLogit": (FirthMNLogit, "grade", {}),
    "ContinuationRatio": (ContinuationRatio, "grade", {"penalty": "firth"}),
    "OrderedLogit": (OrderedLogit, "grade", {}),
    "AdjacentCategories": (AdjacentCategories, "grade", {"parallel": True}),
}
# Two fits of the same bounds.
SAME = 1e-6


def fitted(name):
    model, response, options = MODELS[name]
    return model.from_formula(f"{response} ~ x + z", DATA, **options).fit()


@pytest.mark.parametrize("name", MODELS)
def test_curves_bands_and_intervals(name):
    res = fitted(name)
    table, tidy = res.profile(alpha=0.1), res.tidy(alpha=0.1, method="profile")
    panels = plot.profiles(res, alpha=0.1)
    draw(panels)
    cut = stats.norm.isf(0.05)
    assert [panel.get_title() for panel in panels] == list(dict.fromkeys(table.index.get_level_values(0)))
    assert len(panels) == len(tidy)
    for panel, row in zip(panels, tidy.itertuples(), strict=True):
        _, wald, curve, interval = panel.lines
        np.testing.assert_allclose(curve.get_ydata()[[0, -1]], [-cut, cut], rtol=SAME)
        np.testing.assert_allclose(interval.get_xdata(), [row.conf_low, row.conf_high], rtol=SAME)
        at = (row.estimate - wald.get_xdata()) / row.std_error
        np.testing.assert_allclose(wald.get_ydata(), -at, atol=SAME)


def test_corrected_intercepts_have_none():
    res = FirthLogit.from_formula("y ~ x + z", DATA).fit(correction="flic")
    assert [panel.get_title() for panel in plot.profiles(res)] == ["x", "z"]


def test_aliased_columns_have_none():
    with pytest.warns(match="twice"):
        res = FirthLogit.from_formula("y ~ x + twice", DATA.assign(twice=2 * DATA["x"])).fit()
    assert [panel.get_title() for panel in plot.profiles(res)] == ["Intercept", "x"]


def test_chosen_coefficients():
    res = fitted("FirthLogit")
    ax = plot.profiles(res, "z")
    assert ax.get_title() == "z"
    own = ax.figure.subplots()
    assert plot.profiles(res, ["x"], ax=own) is own


@pytest.mark.parametrize(
    ("chosen", "message"),
    [
        ("zz", r"has 'zz', which is none of those with a profile \(Intercept, x, z\)"),
        ([], "is empty; name one at least"),
    ],
)
def test_wrong_coefficients(chosen, message):
    with pytest.raises(InputError, match=message):
        plot.profiles(fitted("FirthLogit"), chosen)


def test_other_objects():
    with pytest.raises(InputError, match="draws the fit of a logit model, got DataFrame"):
        plot.profiles(DATA)

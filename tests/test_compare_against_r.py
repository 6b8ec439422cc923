"""Tests of two and of many methods against R, stored and live."""

import numpy as np
import pytest
from scipy import stats

from pwcstats.compare import adjust, cochran_q, friedman, mcnemar, nemenyi, paired_t, sign, wilcoxon

from .conftest import stored
from .parity import COMPARE

SIDES = {"two.sided": "two-sided", "less": "less", "greater": "greater"}
# R finds the ends of its normal interval by uniroot, which was asked for 1e-12; the function that it halves is a step.
BY_ROOT = 1e-9


@pytest.fixture(params=["stored", pytest.param("live", marks=pytest.mark.against_r)])
def from_r(request, run_r):
    return stored("compare") if request.param == "stored" else run_r("compare")


def close(ours, theirs, name):
    # Infinite bounds are written as null.
    theirs = np.array([np.nan if x is None else x for x in np.atleast_1d(theirs)], float)
    ours = np.where(np.isinf(np.atleast_1d(ours)), np.nan, np.atleast_1d(ours).astype(float))
    np.testing.assert_allclose(ours, theirs, rtol=COMPARE[name].tolerance, atol=COMPARE[name].tolerance)


def cases(r, answers):
    """Samples, and what R says of each side."""
    for name, by_side in answers.items():
        for side, theirs in by_side.items():
            yield r["samples"][name]["a"], r["samples"][name]["b"], SIDES[side], theirs


def test_samples_are_what_they_are_called(from_r):
    for name, x in from_r["samples"].items():
        size = np.abs(np.array(x["a"]) - x["b"])
        assert (len(np.unique(size)) < len(size)) == name.startswith("tied")
        assert (size == 0).any() == name.startswith("tied")


def test_paired_t(from_r):
    for a, b, side, theirs in cases(from_r, from_r["t"]):
        ours = paired_t(a, b, alternative=side)
        got = [ours.statistic, ours.p_value, ours.df, ours.estimate, *ours.conf_int, ours.std_error]
        close(got, [theirs[key] for key in ("statistic", "p", "df", "estimate", "low", "high", "se")], "t")


@pytest.mark.parametrize(
    ("kind", "options", "name"),
    [
        ("exact", {"method": "exact"}, "wilcox exact"),
        ("normal", {"method": "asymptotic", "correction": False}, "wilcox normal"),
        ("corrected", {"method": "asymptotic"}, "wilcox normal"),
    ],
)
def test_wilcoxon(from_r, kind, options, name):
    for a, b, side, theirs in cases(from_r, from_r["wilcox"][kind]):
        ours = wilcoxon(a, b, alternative=side, **options)
        close([ours.statistic, ours.p_value], [theirs["statistic"], theirs["p"]], name)


def test_wilcoxon_chooses_as_r_does(from_r):
    for name, theirs in from_r["wilcox"]["default"].items():
        x = from_r["samples"][name]
        close(wilcoxon(x["a"], x["b"]).p_value, theirs["p"], "wilcox exact")


def test_wilcoxon_with_ties_is_the_permutation_test(from_r):
    for a, b, side, theirs in cases(from_r, from_r["wilcox"]["permutation"]):
        close(wilcoxon(a, b, method="exact", alternative=side).p_value, theirs, "wilcox permutation")


def test_wilcoxon_by_pratt(from_r):
    for name, theirs in from_r["wilcox"]["pratt"].items():
        x = from_r["samples"][name]
        exact = wilcoxon(x["a"], x["b"], zeros="pratt", method="exact")
        normal = wilcoxon(x["a"], x["b"], zeros="pratt", method="asymptotic", correction=False)
        close([exact.p_value, normal.p_value], [theirs["exact"], theirs["asymptotic"]], "wilcox pratt")


def test_wilcoxon_intervals(from_r):
    x = from_r["samples"]["untied"]
    for side, theirs in from_r["wilcox"]["interval"].items():
        ours = wilcoxon(x["a"], x["b"], alternative=SIDES[side])
        close([ours.estimate, *ours.conf_int], [theirs[key] for key in ("estimate", "low", "high")], "wilcox interval")
    many, theirs = from_r["samples"]["untied_many"], from_r["wilcox"]["shifts"]
    ours = wilcoxon(many["a"], many["b"], method="asymptotic")
    np.testing.assert_allclose(ours.conf_int, [theirs["low"], theirs["high"]], atol=BY_ROOT)


def test_sign(from_r):
    for a, b, side, theirs in cases(from_r, from_r["signs"]):
        close(sign(a, b, alternative=side).p_value, theirs, "sign")


def test_mcnemar(from_r):
    for r in from_r["mcnemar"]:
        for correction, key in ((True, "corrected"), (False, "plain")):
            ours = mcnemar(r["table"], method="asymptotic", correction=correction)
            close([ours.statistic, ours.p_value], r[key], "mcnemar")
        close(mcnemar(r["table"]).p_value, r["exact"], "mcnemar")


def test_friedman_and_cochran(from_r):
    for name, r in from_r["friedman"].items():
        ours = friedman(r["scores"])
        close([ours.statistic, ours.df, ours.p_value], [r["statistic"], r["df"], r["p"]], "friedman")
        if name == "answers":
            q = cochran_q(r["scores"])
            close([q.statistic, q.df, q.p_value], [r["statistic"], r["df"], r["p"]], "cochran")


def test_nemenyi(from_r):
    """The p-values are those of the studentised range, and the range is R's."""
    z, weight = np.polynomial.legendre.leggauss(200)
    for row in from_r["ranges"]:
        ours = stats.studentized_range.sf(row["q"], row["k"], np.inf)
        close(ours, row["p"], "tukey")
        # The definition, integrated from -10 to 10: scipy's function is right where R's has but eight digits.
        inside = (stats.norm.cdf(10 * z) - stats.norm.cdf(10 * z - row["q"])) ** (row["k"] - 1)
        assert ours == pytest.approx(1 - row["k"] * 10 * (weight * stats.norm.pdf(10 * z) * inside).sum(), abs=1e-13)
    scores = np.array(from_r["friedman"]["untied"]["scores"])
    n, k = scores.shape
    se = np.sqrt(k * (k + 1) / (6 * n))
    result = nemenyi(scores)
    q = {row["k"]: row["q"] for row in from_r["quantiles"]}
    close(result.critical_difference, q[k] / np.sqrt(2) * se, "qtukey")
    ranks = stats.rankdata(-scores, axis=1).mean(axis=0)
    for row in result.pairs.itertuples():
        distance = abs(ranks[row.method_a] - ranks[row.method_b])
        assert row.p_value == pytest.approx(
            stats.studentized_range.sf(np.sqrt(2) * distance / se, k, np.inf), rel=1e-12
        )


def test_adjust(from_r):
    missing = np.array(from_r["p"])
    missing[[2, 7]] = np.nan
    for kind, theirs in from_r["adjusted"].items():
        close(adjust(from_r["p"], kind), theirs, "adjust")
        close(adjust(missing, kind), from_r["adjusted_missing"][kind], "adjust")

"""couple(): the choice of equations of rv, and pairs whose two sides come from two estimates."""

import numpy as np
import pandas as pd
import pytest

from pwcstats import BradleyTerry, InputError, couple
from pwcstats.coupling import METHODS

from . import reference

# Both solve K - 1 linear equations, one of them on the log scale.
ROUNDING = 1e-12
CIRCLE = np.array([[0.0, 0.9, 0.4], [0.1, 0.0, 0.7], [0.6, 0.3, 0.0]])
NAMES = ["ape", "bee", "cat"]
# How messages about equations begin.
ONE_OF = "equations must be one of the classes (ape, bee, cat)"
CONNECT = "equations must connect all classes by 2 pairs"
PAIRS = "equations must be pairs of the classes (ape, bee, cat)"


def random_tree(k, rng):
    """Each class is joined to one before it, in random order."""
    order = rng.permutation(k).tolist()
    return [(order[i], order[rng.integers(i)])[:: rng.choice([1, -1])] for i in range(1, k)]


def random_pairs(k, n, seed):
    return np.random.default_rng(seed).uniform(0.02, 0.98, (n, k * (k - 1) // 2))


class TestEquations:
    @pytest.mark.parametrize("k", [2, 3, 4, 7, 15])
    def test_equals_its_slow_reference(self, k):
        rng = np.random.default_rng(k)
        r = random_pairs(k, 20, k)
        for tree in (random_tree(k, rng), random_tree(k, rng)):
            expected = [reference.rv_equations(reference.full(row, k), tree) for row in r]
            found = couple(r, "rv", condensed=True, equations=tree)
            np.testing.assert_allclose(found, expected, rtol=0, atol=ROUNDING)

    def test_a_class_means_its_pairs(self):
        r = random_pairs(5, 30, 0)
        for h in range(5):
            star = [(h, i) for i in range(5) if i != h]
            np.testing.assert_array_equal(
                couple(r, "rv", condensed=True, equations=h), couple(r, "rv", condensed=True, equations=star)
            )

    def test_the_default_is_the_class_with_the_largest_sum(self):
        r = random_pairs(6, 50, 1)
        default = couple(r, "rv", condensed=True)
        hubs = couple(r, "sum", condensed=True).argmax(axis=1)
        assert len(set(hubs)) > 3
        for row, hub, p in zip(r, hubs, default, strict=True):
            found = couple(row, "rv", condensed=True, equations=int(hub))
            np.testing.assert_allclose(found, p, rtol=0, atol=ROUNDING)

    def test_results_depend_on_the_choice_unless_pairs_are_compatible(self):
        p = np.array([0.5, 0.3, 0.15, 0.05])
        trees = ([(0, 1), (0, 2), (0, 3)], [(0, 1), (1, 2), (2, 3)], [(3, 0), (3, 1), (1, 2)])
        for tree in trees:
            found = couple(p[:, None] / (p[:, None] + p), "rv", equations=tree)
            np.testing.assert_allclose(found, p, rtol=0, atol=ROUNDING)
        found = np.array([couple(CIRCLE, "rv", equations=h) for h in range(3)])
        assert [row.argmax() for row in found] == [2, 0, 1]

    @pytest.mark.parametrize("method", ["ht", "logit"])
    def test_weights_of_a_tree_do_the_same(self, method):
        n = np.array([[0, 1, 1], [1, 0, 0], [1, 0, 0]])
        found = couple(CIRCLE, method, n=n)
        np.testing.assert_allclose(found, couple(CIRCLE, "rv", equations=0), rtol=0, atol=ROUNDING)

    def test_names(self):
        frame = pd.DataFrame(CIRCLE, NAMES, NAMES)
        expected = couple(frame, "rv", equations=[("ape", "bee"), ("cat", "bee")])
        pd.testing.assert_series_equal(couple(frame, "rv", equations="bee"), expected)
        pd.testing.assert_series_equal(couple(frame, "rv", equations=["bee/cat", "ape/bee"]), expected)
        pd.testing.assert_series_equal(
            couple(frame, "rv", equations=np.array([["bee", "cat"], ["ape", "bee"]])), expected
        )
        np.testing.assert_array_equal(couple(CIRCLE, "rv", equations=np.int64(1)), expected)
        tuples = [("a", 1), ("a", 2), ("b", 1)]
        np.testing.assert_array_equal(couple(CIRCLE, "rv", classes=tuples, equations=("a", 2)), expected)

    def test_distance_is_that_of_all_pairs(self):
        found = couple(CIRCLE, "rv", equations=0, return_info=True)
        assert found.kl == pytest.approx(reference.kl(CIRCLE, found.proba), rel=1e-12)

    def test_exact_zeros_and_ones(self):
        """The limit of a clip that tends to 0; two equations of infinite log-odds are no error here."""
        r = reference.full([1, 0, 0.3], 3)
        found = couple(r, "rv", clip=0, equations=[(0, 1), (1, 2)])
        np.testing.assert_allclose(found, couple(r, "rv", clip=1e-14, equations=[(0, 1), (1, 2)]), atol=1e-12)
        np.testing.assert_allclose(found, [1, 0, 0], atol=1e-12)
        r = reference.full([0, 0, 0.3], 3)
        np.testing.assert_allclose(couple(r, "rv", clip=0, equations=0), [0, 0.5, 0.5], atol=1e-12)

    @pytest.mark.parametrize(
        ("equations", "message"),
        [
            ("dog", f"{ONE_OF}, or a list of 2 pairs of them, got 'dog'."),
            (0, f"{ONE_OF}, or a list of 2 pairs of them, got 0."),
            (["ape/bee"], f"{CONNECT}, got 1."),
            (["ape/bee", "ape/cat", "bee/cat"], f"{CONNECT}, got 3."),
            (
                ["ape/bee", "bee/ape"],
                f"{CONNECT}, but bee/ape closes a circle: ape and bee are connected by the pairs before it.",
            ),
            (["ape/bee", "ape/dog"], f"{PAIRS}, got ape/dog."),
            (["ape/bee", "cat"], f"{PAIRS}, got cat."),
            (["ape/bee", "cat/cat"], f"{PAIRS}, got cat/cat."),
            ([("ape", "bee", "cat"), "ape/bee"], f"{PAIRS}, got ape/bee/cat."),
            ([0, 1], f"{PAIRS}, got 0."),
        ],
    )
    def test_bad_choices(self, equations, message):
        with pytest.raises(InputError) as caught:
            couple(CIRCLE, "rv", classes=NAMES, equations=equations)
        assert str(caught.value) == message

    @pytest.mark.parametrize("flag", [True, np.True_])
    def test_a_flag_is_no_class_unless_classes_are_flags(self, flag):
        with pytest.raises(InputError, match=r"^equations must be one of the classes \(0, 1, 2\), .*, got True\.$"):
            couple(CIRCLE, "rv", equations=flag)
        assert couple([[0, 0.2], [0.8, 0]], "rv", classes=[False, True], equations=flag)[True] == pytest.approx(0.8)

    def test_numbers_as_text(self):
        expected = couple(CIRCLE, "rv", equations=[(0, 1), (1, 2)])
        for equations in (["0/1", "1/2"], "1"):
            np.testing.assert_array_equal(couple(CIRCLE, "rv", equations=equations), expected)
            found = couple(CIRCLE, "rv", classes=[0, 1, 2], equations=equations)
            np.testing.assert_array_equal(found, expected)

    @pytest.mark.parametrize("method", [method for method in METHODS if method != "rv"])
    def test_other_methods_have_none(self, method):
        mass = {"pair_mass": np.ones((3, 3))} if method == "bayes" else {}
        with pytest.raises(
            InputError, match=f"^only method='rv' uses equations, got method='{method}'; leave equations"
        ):
            couple(CIRCLE, method, equations=0, **mass)

    @pytest.mark.parametrize(("condensed", "symmetrize"), [(True, False), (False, False), (False, True)])
    @pytest.mark.parametrize("clip", [0, 1e-7])
    def test_pairs_without_an_equation_may_be_missing(self, condensed, symmetrize, clip):
        r = random_pairs(4, 3, 2)
        # The pairs of class 1 are 0, 3 and 4; the second sample has them all.
        holes = r.copy()
        holes[0, [1, 5]] = holes[2, 2] = np.nan
        if not condensed:
            r, holes = (np.array([reference.full(row, 4) for row in each]) for each in (r, holes))
        options = {"condensed": condensed, "symmetrize": symmetrize, "clip": clip, "equations": 1, "return_info": True}
        found, expected = (couple(each, "rv", **options) for each in (holes, r))
        np.testing.assert_array_equal(found.proba, expected.proba)
        # The distance is that of the pairs that are there.
        assert found.kl[1] == expected.kl[1]
        assert (found.kl[[0, 2]] < expected.kl[[0, 2]]).all()

    def test_other_bad_pairs(self):
        """A pair that an equation needs must be there, and numbers of all pairs are checked."""
        r = CIRCLE.copy()
        r[1, 2] = r[2, 1] = np.nan
        words = r"^r is missing for the pair \(1, 2\); fill it in, drop the sample, or choose equations of other pairs"
        for equations in (1, None):
            with pytest.raises(InputError, match=words):
                couple(r, "rv", equations=equations)
        r[1, 2] = r[2, 1] = 5.0
        with pytest.raises(InputError, match=r"^r must be within \[0, 1\], got 5 for the pair \(1, 2\)"):
            couple(r, "rv", equations=0)


class TestSymmetrize:
    r = np.random.default_rng(0).uniform(0.05, 0.95, (30, 5, 5))

    @pytest.mark.parametrize("method", ["ht", "wlw1", "wlw2", "logit", "pkpd", "rv", "vote", "sum"])
    def test_the_mean_of_both_estimates_is_coupled(self, method):
        mean = (self.r + 1 - self.r.transpose(0, 2, 1)) / 2
        found = couple(self.r, method, symmetrize=True)
        np.testing.assert_allclose(found, couple(mean, method), rtol=0, atol=1e-14)
        np.testing.assert_array_equal(couple(self.r[3], method, symmetrize=True), found[3])

    def test_sums_are_the_votes_of_both_estimates(self):
        """Fuernkranz (2002), the double round robin: the classifiers of i, j and of j, i both vote."""
        votes = np.zeros((30, 5))
        for i in range(5):
            for j in range(5):
                if i != j:
                    votes[:, i] += self.r[:, i, j]
                    votes[:, j] += 1 - self.r[:, i, j]
        np.testing.assert_allclose(couple(self.r, "sum", symmetrize=True), votes / 20, rtol=0, atol=1e-15)

    def test_sides_that_agree_do_not_change(self):
        np.testing.assert_allclose(couple(CIRCLE, symmetrize=True), couple(CIRCLE), rtol=0, atol=1e-15)

    def test_labels_and_weights(self):
        frame = pd.DataFrame(self.r[0], list("vwxyz"), list("vwxyz"))
        n = np.ones((5, 5))
        n[0, 1] = n[1, 0] = 0
        missing = frame.copy()
        missing.iloc[0, 1] = np.nan
        found = couple(missing, "ht", n=n, symmetrize=True)
        pd.testing.assert_series_equal(found, couple(frame, "ht", n=n, symmetrize=True))
        with pytest.raises(InputError, match="missing on one side of the pair v/w"):
            couple(missing, "ht", symmetrize=True)

    def test_errors(self):
        with pytest.raises(InputError, match=r"r_ij \+ r_ji must be 1 .* mean of both sides with symmetrize=True\.$"):
            couple(self.r)
        with pytest.raises(
            InputError, match=r"^symmetrize=True needs both sides of each pair, but condensed r has one"
        ):
            couple([0.2, 0.3, 0.4], condensed=True, symmetrize=True)
        # The mean of 1.2 and 1 - 0.4 would be within [0, 1].
        with pytest.raises(InputError, match=r"r must be within \[0, 1\], got 1.2 for the pair \(0, 1\)"):
            couple([[0, 1.2], [0.4, 0]], symmetrize=True)
        with pytest.raises(InputError, match="^symmetrize must be True or False, got 'yes'"):
            couple(CIRCLE, symmetrize="yes")
        with pytest.raises(InputError, match=r"r_ij \+ r_ji must be 1 .* an empty triangle with 1 - r\.$"):
            BradleyTerry.from_pairwise(self.r[0])

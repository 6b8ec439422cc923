"""Zeros, ones, missing values and wrong input: the exact limit, or one sentence that says what to do."""

import numpy as np
import pandas as pd
import pytest

from pwcstats import InputError, PwcError, couple
from pwcstats.coupling import METHODS
from pwcstats.coupling.methods import TABLE

from .reference import full, symmetric


class TestExactLimits:
    @pytest.mark.parametrize("method", ["ht", "wlw1", "wlw2", "logit", "pkpd", "rv"])
    def test_a_sure_winner_takes_all(self, method):
        np.testing.assert_allclose(couple(full([1, 1, 0.3], 3), method, clip=0), [1, 0, 0], rtol=0, atol=1e-15)

    @pytest.mark.parametrize("method", ["ht", "wlw1", "logit"])
    def test_a_circle_above_a_loser(self, method):
        r = full([1, 0, 1, 1, 1, 1], 4)
        np.testing.assert_allclose(couple(r, method, clip=0), [1 / 3, 1 / 3, 1 / 3, 0], rtol=0, atol=1e-15)

    @pytest.mark.parametrize("method", ["ht", "wlw1", "wlw2", "pkpd", "rv"])
    def test_two_classes_share_what_a_third_cannot_have(self, method):
        """r says 2 : 1 between a and b, and that c is impossible."""
        p = couple(full([2 / 3, 1, 1], 3), method, clip=0)
        np.testing.assert_allclose(p, [2 / 3, 1 / 3, 0], rtol=0, atol=1e-14)

    def test_limits_in_a_batch_with_ordinary_samples(self):
        r = np.array([[0.4, 0.7, 0.2], [1, 1, 0.3], [1, 0, 1], [0, 0, 0]])
        together = couple(r, "ht", condensed=True, clip=0)
        np.testing.assert_array_equal(together, [couple(row, "ht", condensed=True, clip=0) for row in r])
        np.testing.assert_allclose(together[1:], [[1, 0, 0], [1 / 3] * 3, [0, 0, 1]], rtol=0, atol=1e-15)

    def test_limits_with_weights_of_each_sample(self):
        """A pair of weight 0 is not an arrow, in its own sample only."""
        r = np.array([[1.0, 0.0, 1.0], [1.0, 0.0, 1.0], [1.0, 0.3, 1.0], [1.0, 0.0, 1.0]])
        n = np.array([[1.0, 1.0, 1.0], [1.0, 0.0, 1.0], [1.0, 0.0, 1.0], [1.0, 1.0, 1.0]])
        p = couple(r, "ht", n=n, condensed=True, clip=0)
        np.testing.assert_allclose(p, [[1 / 3] * 3, [1, 0, 0], [1, 0, 0], [1 / 3] * 3], rtol=0, atol=1e-15)

    def test_sums_that_tie_leave_rv_the_first_class(self):
        np.testing.assert_allclose(
            couple([0.6, 0.7, 0.9], "rv", condensed=True), np.array([21, 14, 9]) / 44, rtol=1e-12
        )

    def test_the_limit_of_rv_with_one_sure_loss_of_its_class(self):
        """Class 0 has the largest sum, 2, and yet class 3 surely beats it."""
        np.testing.assert_array_equal(couple(full([1, 1, 0, 0.6, 0.9, 0.8], 4), "rv", clip=0), [0, 0, 0, 1])

    @pytest.mark.parametrize(
        ("method", "r", "words"),
        [
            ("pkpd", full([1, 0, 1], 3), "each class is surely beaten by another"),
            (
                "rv",
                full([1, 1, 1, 0, 0, 0.5, 0.5, 0.6, 0.6, 0.5, 0.6, 0.6, 0.6, 0.6, 0.5], 6),
                "two classes surely beat the class",
            ),
        ],
    )
    def test_no_limit(self, method, r, words):
        with pytest.raises(InputError, match=words):
            couple(r, method, clip=0)
        with pytest.raises(InputError, match="of sample 1 has exact zeros or ones"):
            couple(np.array([np.where(np.eye(len(r)), 0, 0.5), r]), method, clip=0)

    def test_two_unbeaten_groups_that_never_met(self):
        """a surely beats b, c surely beats b, and a never met c."""
        n = np.array([[0, 1, 0], [1, 0, 1], [0, 1, 0]])
        r = full([1, np.nan, 0], 3)
        with pytest.raises(InputError, match="no limit .*never compared"):
            couple(r, "ht", n=n, clip=0)
        assert couple(r, "ht", n=n) == pytest.approx([0.5, 5e-8, 0.5], rel=1e-6)


BAD = {
    "one class": (np.zeros((1, 1)), {}, "at least 2 classes, got 1"),
    "no pair": (np.zeros((5, 0)), {"condensed": True}, "at least 2 classes, got 1"),
    "not square": (
        np.zeros((2, 3)),
        {},
        r"must be K x K .* got 2 x 3; for one column per pair use condensed=True",
    ),
    "one dimension": (np.zeros(3), {}, r"got 3; for one column per pair"),
    "a scalar": (0.5, {}, r"got a single number"),
    "five pairs": (np.zeros((2, 5)), {"condensed": True}, r"K\(K-1\)/2 columns .* got 5"),
    "three axes": (
        np.zeros((2, 3, 3)),
        {"condensed": True},
        r"condensed r must be n x K\(K-1\)/2, got 2 x 3 x 3",
    ),
    "words": ([["a", "b"], ["c", "d"]], {}, "r must hold real numbers, got the string 'a'"),
    "complex": (np.zeros((2, 2)) + 1j, {}, "r must hold real numbers, got complex128"),
    "nothing": (None, {}, "r must hold real numbers, got None"),
    "masked complex": (np.ma.zeros((2, 2)) + 1j, {}, "r must hold real numbers, got complex128"),
    "ragged": ([[0, 1], [1]], {}, "r must hold real numbers, got rows of different lengths"),
    "method": (full([0.5], 2), {"method": "wlw3"}, "method must be one of 'ht', 'wlw1', .* got 'wlw3'"),
    "kernlab's word": (full([0.5], 2), {"method": "minpair"}, r"got 'minpair' \(kernlab's name for 'wlw2'\)"),
    "methods": (full([0.5], 2), {"method": ["ht", "wlw2"]}, "method must be one of"),
    "empty triangle": (np.triu(full([0.5] * 3, 3)), {}, "or fill an empty triangle with 1 - r"),
    "a set of names": (full([0.5], 2), {"classes": {"a", "b"}}, "a list of 2 names in the order of r, got {"),
    "a number for names": (full([0.5], 2), {"classes": 3}, "a list of 2 names in the order of r, got 3"),
    "dates": (np.zeros((2, 2), "M8[s]"), {}, r"r must hold real numbers, got datetime64\[s\]"),
    "complex frame": (pd.DataFrame(np.zeros((2, 2)) + 1j), {}, "r must hold real numbers, got complex128 in column 0"),
    "labels of two levels": (
        pd.DataFrame(full([0.5], 2), columns=pd.MultiIndex.from_tuples([("a", 1), ("b", 1)])),
        {},
        "one level of class labels",
    ),
    "clip": (full([0.5], 2), {"clip": 0.5}, r"clip must be a number in \[0, 0.5\), got 0.5"),
    "clip that is not used": (full([0.5], 2), {"method": "vote", "clip": "x"}, "clip must be a number .* got 'x'"),
    "a number for a flag": (full([0.5], 2), {"condensed": 2}, "condensed must be True or False, got 2"),
    "no threads": (full([0.5], 2), {"n_jobs": 0}, "n_jobs must be a whole number other than 0"),
    "threads in words": (full([0.5], 2), {"n_jobs": "two"}, "n_jobs must be a whole number .* got 'two'"),
    "duplicate labels": (
        pd.DataFrame(full([0.5], 2), index=["a", "a"], columns=["a", "a"]),
        {},
        "different from each other, got 'a' twice",
    ),
    "a long frame": (
        pd.DataFrame(np.zeros((5, 3))),
        {},
        r"a row and a column for each class, got 5 x 3; class names belong in the index",
    ),
    "missing": (full([0.5, np.nan, 0.5], 3), {}, r"r is missing for the pair \(0, 2\); fill it in"),
    "masked": (np.ma.masked_equal([[0, 0.5], [0.5, 0]], 0.5), {}, r"r is missing .* pair \(0, 1\)"),
    "one side": ([[0, None], [0.5, 0]], {}, r"r is missing on one side of the pair \(0, 1\); fill it with 1 - r"),
    "outside": (full([0.5, 1.5, 0.5], 3), {}, r"within \[0, 1\], got 1.5 for the pair \(0, 2\)"),
    "infinite": (full([0.5, np.inf, 0.5], 3), {}, r"within \[0, 1\], got inf for the pair \(0, 2\)"),
    "lower triangle outside": ([[0, 0.5], [-0.5, 0]], {}, r"got -0.5 for the pair \(0, 1\)"),
    "sum": (
        [[0, 0.5], [0.7, 0]],
        {},
        r"r_ij . r_ji must be 1 for each pair, got 1.2 for the pair \(0, 1\), the worst one",
    ),
    "class names": (full([0.5], 2), {"classes": ["a"]}, "classes must name the 2 classes of r, got 1 name\\."),
    "same names": (full([0.5], 2), {"classes": ["a", "a"]}, "different from each other, got 'a' twice"),
    "weights unused": (
        full([0.5], 2),
        {"n": np.ones((2, 2))},
        "only method='ht' or method='logit' uses n, got method='wlw2'; leave n out",
    ),
    "mass unused": (
        full([0.5], 2),
        {"pair_mass": np.ones((2, 2))},
        "only method='bayes' uses pair_mass, got method='wlw2'",
    ),
    "mass needed": (full([0.5], 2), {"method": "bayes"}, "method='bayes' needs pair_mass"),
    "mass zero": (
        full([0.5], 2),
        {"method": "bayes", "pair_mass": np.zeros((2, 2))},
        "positive for some pair, got 0",
    ),
    "mass negative": (
        full([0.5], 2),
        {"method": "bayes", "pair_mass": -np.ones((2, 2))},
        "pair_mass must hold finite",
    ),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_input_is_one_clear_sentence(case):
    r, arguments, words = BAD[case]
    with pytest.raises(InputError, match=words) as raised:
        couple(r, **arguments)
    assert isinstance(raised.value, ValueError)
    assert isinstance(raised.value, PwcError)
    assert "\n" not in str(raised.value)


class TestTolerances:
    """Deviations of single precision are accepted, larger ones are not."""

    @pytest.mark.parametrize("excess", [0.9e-6, -0.9e-6])
    def test_within(self, excess):
        np.testing.assert_allclose(couple([[0, 0.3], [0.7 + excess, 0]]), [0.3, 0.7], rtol=0, atol=1e-12)
        for method in ("wlw2", "sum", "vote"):
            p = couple([1.0 + abs(excess), -abs(excess), 0.5], method, condensed=True)
            assert ((p >= 0) & (p <= 1)).all()

    @pytest.mark.parametrize("excess", [1.1e-6, -1.1e-6])
    def test_without(self, excess):
        with pytest.raises(InputError, match=r"must be 1 for each pair, got (1\.0000011|0\.9999989) "):
            couple([[0, 0.3], [0.7 + excess, 0]])
        with pytest.raises(InputError, match=r"within \[0, 1\], got (1\.0000011|-1\.1e-06) "):
            couple([1.0 + excess if excess > 0 else excess, 0.5, 0.5], condensed=True)

    def test_weights(self):
        couple(full([0.5], 2), "ht", n=[[0, 1], [1 + 0.9e-6, 0]])
        with pytest.raises(InputError, match="n must be symmetric"):
            couple(full([0.5], 2), "ht", n=[[0, 1], [1 + 1.1e-6, 0]])


class TestNames:
    """Errors name the samples and classes of the user."""

    classes = ("ape", "bee", "cat")

    def test_first_missing_sample(self):
        r = np.full((4000, 3), 0.5)
        r[3001, 2] = r[3500, 0] = np.nan
        for n_jobs in (1, 2):
            with pytest.raises(InputError, match="pair bee/cat of sample 3001;"):
                couple(r, condensed=True, classes=self.classes, n_jobs=n_jobs)

    def test_worst_sum(self):
        r = np.full((40, 3, 3), 0.5)
        r[7, 1, 0], r[30, 2, 1] = 0.6, 0.9
        with pytest.raises(InputError, match="got 1.4 for the pair bee/cat of sample 30, the worst one"):
            couple(r, classes=self.classes)

    def test_index_labels(self):
        frame = pd.DataFrame([[0.5, 0.5, 2.0]], index=["monday"], columns=["ape/bee", "ape/cat", "bee/cat"])
        with pytest.raises(InputError, match="got 2 for the pair bee/cat of sample monday"):
            couple(frame, condensed=True)

    def test_frame_labels_that_do_not_match(self):
        frame = pd.DataFrame(full([0.5] * 3, 3), index=["ape", "bee", "dog"], columns=self.classes)
        with pytest.raises(
            InputError,
            match=r"rows of r must be labelled by the classes \(ape, bee, cat\), got \(ape, bee, dog\)",
        ):
            couple(frame)

    def test_pair_names_out_of_order(self):
        frame = pd.DataFrame([[0.5] * 3], columns=["ape/bee", "bee/cat", "ape/cat"])
        with pytest.raises(InputError, match=r"in the order a/b, .*: needed ape/cat, got bee/cat\."):
            couple(frame, condensed=True)

    @pytest.mark.parametrize(
        ("columns", "words"),
        [
            (["ape/bee", "ape/cat", "bee/cow"], r"needed bee/cat, got bee/cow\."),
            (["ape/bee", "ape/cat", "cat/bee"], "needed bee/cat, got cat/bee; for the other side of a pair take 1 - r"),
            (["id", "ape/bee", "ape/cat"], "'id' in condensed r does not name a pair as the others do"),
        ],
    )
    def test_pair_names_that_do_not_fit(self, columns, words):
        frame = pd.DataFrame([[0.5] * 3], columns=columns)
        with pytest.raises(InputError, match=words):
            couple(frame, condensed=True)
        assert list(couple(frame, condensed=True, classes=self.classes).columns) == list(self.classes)

    @pytest.mark.parametrize("condensed", [True, False])
    def test_classes_that_contradict_the_labels(self, condensed):
        """e1071 orders classes by first appearance: naming its columns in another order would swap them."""
        frame = (
            pd.DataFrame([[0.5] * 3], columns=["bee/cat", "bee/ape", "cat/ape"])
            if condensed
            else pd.DataFrame(full([0.5] * 3, 3), ["bee", "cat", "ape"], ["bee", "cat", "ape"])
        )
        words = r"labelled by the classes \(bee, cat, ape\), but classes says \(ape, bee, cat\); leave classes out"
        with pytest.raises(InputError, match=words):
            couple(frame, condensed=condensed, classes=self.classes)
        couple(frame, condensed=condensed, classes=["bee", "cat", "ape"])

    def test_numbers_as_text_name_the_classes(self):
        r, n = np.array([0.6, 0.7, 0.8]), [1.0, 2.0, 3.0]
        names = ["0/1", "0/2", "1/2"]
        expected = couple(r, "ht", n=n, condensed=True)
        square = np.zeros((3, 3))
        square[np.triu_indices(3, 1)] = n
        table = pd.DataFrame(square + square.T, list("012"), list("012")).loc[list("201"), list("120")]
        for weights in (pd.Series(n, names), table):
            found = couple(r, "ht", n=weights, condensed=True, classes=[0, 1, 2])
            np.testing.assert_array_equal(found, expected)
        found = couple(pd.Series(r, names), "ht", n=n, condensed=True, classes=[0, 1, 2])
        assert list(found.index) == [0, 1, 2]
        with pytest.raises(InputError, match=r"the classes of n must be \(0, 1, 2\), in this order, got \(1, 0, 2\)"):
            couple(r, "ht", n=pd.Series(n, ["1/0", "1/2", "0/2"]), condensed=True, classes=[0, 1, 2])
        # The text does not tell which class is meant.
        two = pd.DataFrame(np.ones((2, 2)), ["1", "1 "], ["1", "1 "])
        with pytest.raises(InputError, match="must be labelled by the classes"):
            couple([0.6], "ht", n=two, condensed=True, classes=[1, "1"])

    def test_weights_named_by_other_pairs(self):
        r = pd.Series([0.6, 0.7, 0.8], index=["ape/bee", "ape/cat", "bee/cat"])
        n = pd.Series([1.0, 2.0, 3.0], index=r.index)
        np.testing.assert_array_equal(
            couple(r, "ht", n=n, condensed=True), couple(r, "ht", n=n.to_numpy(), condensed=True)
        )
        with pytest.raises(
            InputError, match="condensed n must have the pairs in the order .* needed bee/cat, got ape/bee"
        ):
            couple(r, "ht", n=n.iloc[[0, 2, 1]].set_axis(["ape/bee", "ape/cat", "ape/bee"]), condensed=True)
        with pytest.raises(InputError, match=r"needed ape/bee, got bee/cat\.$"):
            couple(r, "ht", n=n.iloc[::-1], condensed=True)
        turned = n.set_axis(["bee/ape", "bee/cat", "ape/cat"])
        with pytest.raises(
            InputError, match=r"the classes of n must be \(ape, bee, cat\), in this order, got \(bee, ape, cat\)"
        ):
            couple(r, "ht", n=turned, condensed=True)

    def test_a_text_column_is_named(self):
        frame = pd.DataFrame({"ape/bee": [0.5], "ape/cat": ["x"], "bee/cat": [0.5]})
        with pytest.raises(InputError, match="r must hold real numbers, got the string 'x' in column 'ape/cat'"):
            couple(frame, condensed=True)

    @pytest.mark.parametrize(
        ("r", "condensed", "several"),
        [
            (np.full((3, 3), 0.5), False, ""),
            (np.full((1, 3, 3), 0.5), False, ""),
            (np.full((4, 3, 3), 0.5), False, ", or 4 x 3 x 3 numbers for the 4 samples"),
            (np.full((4, 3), 0.5), True, ", or 4 x 3 numbers for the 4 samples"),
        ],
    )
    def test_weights_of_a_wrong_shape(self, r, condensed, several):
        forms = f"a 3 x 3 matrix, or a vector of 3 numbers, one for each pair{several}"
        with pytest.raises(InputError, match=f"^n must be {forms}, got a vector of 2\\.$"):
            couple(r, "ht", n=[1, 2], condensed=condensed)

    @pytest.mark.parametrize(("method", "use"), [("wlw2", "use .* and "), ("logit", ""), ("ht", "")])
    @pytest.mark.parametrize("clip", [1e-7, 0.0])
    def test_the_cure_of_missing_values_does_not_name_the_method_in_use(self, method, use, clip):
        r = np.array([0.5, np.nan, 0.5])
        cure = f"fill it in, drop the sample, or {use}set n to 0 for pairs that were not compared"
        with pytest.raises(InputError, match=f"; {cure}\\.$"):
            couple(r, method, condensed=True, clip=clip)

    def test_samples_in_the_last_place(self):
        with pytest.raises(InputError, match="got 3 x 3 x 5; put the samples first"):
            couple(np.full((3, 3, 5), 0.5))

    def test_stacked_frame_with_a_hole(self):
        frame = pd.concat({s: pd.DataFrame(full([0.5] * 3, 3), self.classes, self.classes) for s in (1, 2)})
        with pytest.raises(InputError, match="each sample of r must have one row for each of the classes"):
            couple(frame.iloc[:5])

    def test_a_long_list_of_labels_is_cut(self):
        frame = pd.DataFrame(np.full((12, 12), 0.5), index=range(12, 24))
        with pytest.raises(InputError, match=r"\(0, 1, 2, 3, 4, 5, 6, 7, \.\.\.\)"):
            couple(frame)


class TestWeights:
    r = full([0.6] * 6, 4)

    @pytest.mark.parametrize(
        ("change", "words"),
        [
            ({(0, 1): -1, (1, 0): -1}, r"n must hold finite numbers >= 0, got -1.0 for the pair \(0, 1\)\."),
            ({(0, 1): np.nan, (1, 0): np.nan}, r"^n is missing for the pair \(0, 1\); fill it in, or set it to 0"),
            ({(0, 1): np.inf, (1, 0): np.inf}, r"got inf for the pair \(0, 1\)"),
            ({(1, 3): 5}, r"n must be symmetric, got 5.0 and 1.0 for the pair \(1, 3\)"),
            ({(3, 1): np.nan}, r"^n is missing for the pair \(1, 3\)"),
        ],
    )
    def test_bad_weights(self, change, words):
        n = np.ones((4, 4))
        for at, value in change.items():
            n[at] = value
        with pytest.raises(InputError, match=words):
            couple(self.r, "ht", n=n)

    def test_wrong_shape(self):
        with pytest.raises(
            InputError, match=r"^n must be a 4 x 4 matrix, or a vector of 6 numbers, one for each pair, got 3 x 3\.$"
        ):
            couple(self.r, "ht", n=np.ones((3, 3)))

    def test_disconnected_classes_are_named(self):
        n = np.zeros((4, 4))
        n[0, 2] = n[2, 0] = n[1, 3] = n[3, 1] = 1
        with pytest.raises(InputError, match=r"graph is not connected: .* \{ape, cat\} and \{bee, dog\}"):
            couple(self.r, "ht", n=n, classes=["ape", "bee", "cat", "dog"])

    def test_disconnected_sample_is_named(self):
        n = np.ones((3, 6))
        n[1, [0, 1, 2]] = 0
        with pytest.raises(InputError, match=r"graph of sample 1 is not connected: .* \{0\} and \{1, 2, 3\}"):
            couple(np.full((3, 6), 0.5), "ht", n=n, condensed=True)

    def test_what_is_wrong_in_a_later_sample_is_found(self):
        """Other rows of weights than the first: holes, disconnected designs, bad numbers, empty mass."""
        r, n = np.full((4000, 3), 0.5), np.ones((4000, 3))
        r[1, 0], n[1, 0] = np.nan, 0
        n[2, 1] = 0
        assert np.isfinite(couple(r, "ht", n=n, condensed=True, n_jobs=2)).all()
        n[1, 0] = 1
        with pytest.raises(InputError, match=r"missing for the pair \(0, 1\) of sample 1;"):
            couple(r, "ht", n=n, condensed=True)
        r[1, 0] = 0.5
        n[3500, :2] = 0
        with pytest.raises(InputError, match=r"graph of sample 3500 is not connected: .* \{0\} and \{1, 2\}"):
            couple(r, "ht", n=n, condensed=True, n_jobs=2)
        n[3500, :2] = [-1, 1]
        with pytest.raises(InputError, match=r"got -1.0 for the pair \(0, 1\) of sample 3500"):
            couple(r, "ht", n=n, condensed=True)
        n[3500] = 0
        with pytest.raises(InputError, match="pair_mass of sample 3500 must be positive for some pair"):
            couple(r, "bayes", pair_mass=n, condensed=True)

    def test_three_samples_of_three_classes(self):
        """3 x 3 numbers are a matrix of weights, and the masses of three samples."""
        r, m = np.array([[0.6, 0.7, 0.8]] * 3), np.array([[1.0, 2, 3], [2, 5, 6], [3, 6, 9]])
        one_by_one = [couple(a, "bayes", pair_mass=b, condensed=True) for a, b in zip(r, m, strict=True)]
        np.testing.assert_array_equal(couple(r, "bayes", pair_mass=m, condensed=True), one_by_one)
        np.testing.assert_array_equal(
            couple(r, "ht", n=m, condensed=True)[0], couple(r[0], "ht", n=[2, 3, 6], condensed=True)
        )
        m[0, 1] = 7
        with pytest.raises(InputError, match="read as a matrix; give the weights of each sample as n x K x K"):
            couple(r, "ht", n=m, condensed=True)

    def test_labelled_weights_of_many_samples(self):
        classes, samples = ["ape", "bee", "cat"], ["x", "y"]
        columns = ["ape/bee", "ape/cat", "bee/cat"]
        r = pd.DataFrame([[0.6, 0.7, 0.8], [0.5, 0.4, 0.3]], index=samples, columns=columns)
        n = pd.DataFrame([[1.0, 2, 3], [4, 5, 6]], index=samples, columns=columns)
        expected = couple(r, "ht", n=n, condensed=True)
        with pytest.raises(InputError, match=r"the samples of n must be \(x, y\), in this order, got \(y, x\)"):
            couple(r, "ht", n=n.loc[["y", "x"]], condensed=True)
        stack = {s: pd.DataFrame(full(r.loc[s], 3), classes, classes) for s in samples}
        weights = {s: pd.DataFrame(symmetric(n.loc[s], 3), classes, classes) for s in samples}
        pd.testing.assert_frame_equal(couple(pd.concat(stack), "ht", n=pd.concat(weights)), expected)
        with pytest.raises(InputError, match=r"the samples of n must be \(x, y\), in this order, got \(y, x\)"):
            couple(pd.concat(stack), "ht", n=pd.concat({s: weights[s] for s in "yx"}))

    def test_no_weight_at_all(self):
        with pytest.raises(InputError, match=r"\{0\} and \{1\} and \{2\} and \{3\}"):
            couple(self.r, "ht", n=np.zeros((4, 4)))

    def test_missing_is_allowed_only_where_nothing_was_compared(self):
        r, n = self.r.copy(), np.ones((4, 4))
        r[0, 1] = r[1, 0] = np.nan
        n[0, 1] = n[1, 0] = 0
        assert np.isfinite(couple(r, "ht", n=n)).all()
        n[0, 1] = n[1, 0] = 1e-9
        with pytest.raises(InputError, match=r"r is missing .* pair \(0, 1\)"):
            couple(r, "ht", n=n)


@pytest.mark.parametrize("method", METHODS)
def test_exact_zeros_and_ones_with_the_default_clip(method):
    r = np.array([[1.0, 1.0, 1.0], [0.0, 1.0, 1.0], [1.0, 0.0, 0.0]])
    p = couple(r, method, condensed=True, pair_mass=np.ones(3) if TABLE[method].uses_pair_mass else None)
    np.testing.assert_array_equal(p.argmax(axis=1), [0, 1, 2])


def test_rv_without_a_limit_is_an_error_in_any_class():
    """Class 0 has the largest sum, but two classes surely beat it, neither of them the first or the last."""
    r = np.full((7, 7), 0.5)
    r[0, 1:] = 1.0
    r[0, [2, 4]] = 0.0
    r[1:, 0] = 1 - r[0, 1:]
    with pytest.raises(InputError, match="no limit .two classes surely beat the class whose equations are used."):
        couple(r, "rv", clip=0)

"""`benchmark`: the table of scores, the kinds of data, and cells that fail."""

import warnings

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.datasets import load_diabetes, load_digits, load_iris
from sklearn.dummy import DummyClassifier
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.linear_model import LinearRegression, LogisticRegression, Ridge
from sklearn.metrics import f1_score, make_scorer
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.model_selection import (
    GroupKFold,
    KFold,
    LeaveOneOut,
    RepeatedStratifiedKFold,
    ShuffleSplit,
    StratifiedKFold,
    StratifiedShuffleSplit,
    cross_val_score,
)
from sklearn.naive_bayes import GaussianNB, MultinomialNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, OneHotEncoder, StandardScaler
from sklearn.svm import SVC, LinearSVC
from sklearn.tree import DecisionTreeClassifier

from pwcstats.compare import cells
from pwcstats.compare.runner import benchmark
from pwcstats.errors import FailedCellWarning, InputError

from .benchmarking import (
    CANCER,
    COLUMNS,
    IRIS,
    TIMES,
    WINE,
    Fussy,
    first_flower,
    halves,
    nan_score,
    numbered,
    only,
    rows_of,
    run,
    same,
    two_numbers,
)

# Scores and their table.


def test_scores_are_those_of_scikit_learn():
    methods = {"nb": GaussianNB(), "log": make_pipeline(StandardScaler(), LogisticRegression())}
    cv = StratifiedKFold(4, shuffle=True, random_state=3)
    found = run(methods, {"wine": WINE, "cancer": CANCER}, cv=cv)
    assert list(found.columns) == COLUMNS
    for (dataset, method), rows in found.groupby(["dataset", "method"]):
        x, y = {"wine": WINE, "cancer": CANCER}[dataset]
        np.testing.assert_array_equal(rows["score"], cross_val_score(methods[method], x, y, cv=cv))
        assert (rows["n_train"] + rows["n_test"]).eq(len(y)).all()
    assert (found["error"] == "").all()
    assert (found[TIMES] > 0).all(axis=None)


def test_rows_are_in_order_and_plain():
    found = run([("b", GaussianNB()), ("a", DummyClassifier())], {"z": IRIS, "w": WINE}, repeats=2, cv=3)
    keys = [(d, r, f, m) for d in "zw" for r in range(2) for f in range(3) for m in "ba"]
    assert list(zip(found["dataset"], found["repeat"], found["fold"], found["method"], strict=True)) == keys
    assert found.index.equals(pd.RangeIndex(24))
    assert all(type(name) is str for name in [*found["method"], *found["dataset"], *found["error"]])
    assert found.dtypes[["repeat", "fold", "n_train", "n_test"]].eq(np.int64).all()


def test_methods_in_a_list_are_named_by_their_classes():
    methods = [make_pipeline(StandardScaler(), GaussianNB()), SVC(C=1.0), SVC(C=2.0)]
    found = run(methods, {"iris": IRIS}, cv=2)
    assert found["method"].unique().tolist() == ["gaussiannb", "svc-1", "svc-2"]


def test_several_scores_have_a_row_each():
    methods = {"nb": GaussianNB(), "tree": DecisionTreeClassifier()}
    names = ["accuracy", "neg_log_loss", "f1_macro"]
    found = run(methods, {"wine": WINE}, scoring=names, cv=3)
    assert list(found.columns) == [*COLUMNS[:4], "metric", *COLUMNS[4:]]
    assert found["metric"].tolist() == names * 6
    for name in names:
        alone = run(methods, {"wine": WINE}, scoring=name, cv=3)
        np.testing.assert_array_equal(found.loc[found["metric"] == name, "score"], alone["score"])


@pytest.mark.parametrize("scoring", [["accuracy"], {"own": halves}])
def test_a_list_or_dict_of_one_score_has_its_name(scoring):
    assert run({"nb": GaussianNB()}, {"iris": IRIS}, scoring=scoring)["metric"].unique().tolist() == list(scoring)


def test_scores_may_be_callables():
    scoring = {"own": halves, "made": make_scorer(f1_score, average="micro"), "name": "accuracy"}
    found = run({"nb": GaussianNB()}, {"iris": IRIS}, scoring=scoring).pivot(
        index="fold", columns="metric", values="score"
    )
    np.testing.assert_array_equal(2 * found["own"], found["name"])
    np.testing.assert_allclose(found["made"], found["name"], rtol=1e-15)
    np.testing.assert_array_equal(run({"nb": GaussianNB()}, {"iris": IRIS}, scoring=halves)["score"], found["own"])


# What data may be.


def test_data_sets_by_name_and_in_bunches():
    found = run({"nb": GaussianNB()}, ["iris", "wine"])
    assert found["dataset"].unique().tolist() == ["iris", "wine"]
    same(run({"nb": GaussianNB()}, {"iris": "iris", "wine": "wine"}), found)
    bunch = load_iris()
    arrays = run({"nb": GaussianNB()}, {"iris": IRIS})
    same(run({"nb": GaussianNB()}, {"iris": bunch}), arrays)
    same(run({"nb": GaussianNB()}, {"iris": {"data": bunch.data.tolist(), "target": bunch.target.tolist()}}), arrays)
    same(run({"nb": GaussianNB()}, {"iris": (bunch.data, bunch.target[:, None])}), arrays)


def test_frames_stay_frames():
    x, y = load_iris(return_X_y=True, as_frame=True)
    x = x.assign(site=np.where(np.arange(150) % 3, "north", "south")).set_axis(np.arange(150)[::-1] * 7, axis=0)

    def columns(frame):
        return frame[["site"]]

    method = make_pipeline(FunctionTransformer(columns), OneHotEncoder(), MultinomialNB())
    found = run({"nb": method}, {"iris": (x, pd.Series(y.to_numpy(), dtype="category"))})
    assert (found["error"] == "").all()


def test_sparse_rows_and_texts():
    x, y = load_digits(return_X_y=True)
    dense = run({"nb": MultinomialNB()}, {"digits": (x, y)}, cv=3)
    for kind in (sparse.csr_array, sparse.coo_matrix):
        same(run({"nb": MultinomialNB()}, {"digits": (kind(x), y)}, cv=3), dense)
    texts = ["a cat", "the cat", "cat", "a dog", "the dog", "dog"]
    found = run({"nb": make_pipeline(CountVectorizer(), MultinomialNB())}, {"pets": (texts, list("cccddd"))}, cv=3)
    assert found["score"].tolist() == [1.0, 1.0, 1.0]


def test_kernel_matrices_are_cut_both_ways():
    x, y = WINE
    x = StandardScaler().fit_transform(x)
    plain = run({"svc": SVC(gamma=0.1)}, {"wine": (x, y)})
    square = run({"svc": SVC(kernel="precomputed")}, {"wine": (rbf_kernel(x, gamma=0.1), y)})
    np.testing.assert_array_equal(square["score"], plain["score"])


def test_regression_is_not_stratified():
    x, y = load_diabetes(return_X_y=True)
    found = run([Ridge(), LinearRegression()], {"diabetes": (x, y)}, scoring="r2")
    assert found["score"].between(0.2, 0.7).all()


def test_folds_of_a_number_are_stratified_and_shuffled_anew_each_time():
    seen = rows_of({"iris": numbered(IRIS[1])}, repeats=2)
    tests = [set(test) for _, test, _ in seen]
    assert all(np.bincount(y).tolist() == [10, 10, 10] for _, _, y in seen)
    assert set.union(*tests[:5]) == set.union(*tests[5:]) == set(range(150))
    assert not any(test in tests[5:] for test in tests[:5])
    assert all(set(train).isdisjoint(test) and len(train) + len(test) == 150 for train, test, _ in seen)


def test_groups_stay_together():
    groups = np.arange(150) // 5
    for cv in (5, GroupKFold(5)):
        for train, test, _ in rows_of({"iris": numbered(IRIS[1], groups)}, cv=cv):
            assert set(groups[train]).isdisjoint(groups[test])
    with pytest.raises(InputError, match="data set 'iris' cannot be split by cv=GroupKFold.*'groups'"):
        run([GaussianNB()], {"iris": IRIS}, cv=GroupKFold(5))


@pytest.mark.parametrize(
    "cv", [ShuffleSplit(3), StratifiedShuffleSplit(3), KFold(3, shuffle=True), RepeatedStratifiedKFold(n_splits=3)]
)
def test_splitters_that_shuffle_are_given_seeds(cv):
    data = {"iris": numbered(IRIS[1])}
    first, again = rows_of(data, cv=cv, repeats=2), rows_of(data, cv=cv, repeats=2)
    assert [test for _, test, _ in first] == [test for _, test, _ in again]
    half = len(first) // 2
    assert first[0][1] != first[half][1]
    assert [test for _, test, _ in rows_of(data, cv=cv)] == [test for _, test, _ in first[:half]]
    assert [test for _, test, _ in rows_of(data, cv=cv, random_state=1)] != [test for _, test, _ in first[:half]]
    assert cv.random_state is None


def test_a_splitters_own_seed_is_that_of_the_first_repeat():
    cv = KFold(3, shuffle=True, random_state=4)
    seen = rows_of({"iris": numbered(IRIS[1])}, cv=cv, repeats=2)
    want = [test.tolist() for _, test in cv.split(IRIS[0])]
    assert [test for _, test, _ in seen[:3]] == want
    assert [test for _, test, _ in seen[3:]] != want


@pytest.mark.parametrize(("cv", "cure"), [(KFold(3), "shuffle=True"), (LeaveOneOut(), "ShuffleSplit")])
def test_a_splitter_with_nothing_to_repeat_is_refused(cv, cure):
    with pytest.raises(InputError, match=f"repeats=2.*{cure}.*repeats=1"):
        run([GaussianNB()], {"iris": IRIS}, cv=cv, repeats=2)
    assert len(run([GaussianNB()], {"iris": (IRIS[0][::10], IRIS[1][::10])}, cv=cv)) in (3, 15)


def test_a_small_class_is_warned_of_once():
    x, y = IRIS[0][:103], IRIS[1][:103]
    with pytest.warns(UserWarning, match="'few': class 2 has 3 of the 103 rows, fewer than the 5 folds") as said:
        found = run([GaussianNB()], {"few": (x, y)}, repeats=2)
    assert len(said) == 1
    assert said[0].filename == run.__code__.co_filename
    assert found["score"].notna().all()
    with pytest.raises(InputError, match="'few' cannot be split.*members in each class"):
        run([GaussianNB()], {"few": (x[::20], y[::20])})


def test_default_scores():
    x, y = load_diabetes(return_X_y=True)
    found = run({"ols": LinearRegression(), "ridge": Ridge()}, {"diabetes": (x, y)}, cv=3)
    same(found, run({"ols": LinearRegression(), "ridge": Ridge()}, {"diabetes": (x, y)}, cv=3, scoring="r2"))
    with pytest.raises(InputError, match="set scoring to say what to score"):
        run({"ols": LinearRegression(), "nb": GaussianNB()}, {"iris": IRIS})


# Failures.


@pytest.mark.parametrize("n_jobs", [None, 2])
@pytest.mark.parametrize(
    ("where", "cells_failed", "error"),
    [("fit", 4, "RuntimeError: not these rows"), ("predict", 1, "ArithmeticError")],
)
def test_cells_that_fail_leave_the_others_alone(where, cells_failed, error, n_jobs):
    methods = {"fussy": Fussy(where, first_flower), "nb": GaussianNB()}
    with pytest.warns(FailedCellWarning) as said:
        found = run(methods, {"iris": IRIS}, n_jobs=n_jobs)
    assert len(said) == 1
    assert said[0].filename == run.__code__.co_filename
    message = str(said[0].message)
    assert message.startswith(f"{cells_failed} of 10 cells failed")
    first = found.index[found["error"] != ""][0] // 2
    # Cells with the same error are counted, not listed.
    assert f"fussy on iris (repeat 0, fold {first}){' and 3 more' * (cells_failed == 4)}: {error}" in message
    bad = found["error"] != ""
    assert bad.sum() == cells_failed
    assert (found.loc[bad, "method"] == "fussy").all()
    assert set(found.loc[bad, "error"]) == {error}
    assert found.loc[bad, "score"].isna().all()
    assert found.loc[bad, "fit_time"].isna().all() == (where == "fit")
    same(only(found, method="nb"), run({"nb": GaussianNB()}, {"iris": IRIS}))


def test_one_of_several_scores_may_fail():
    scoring = {"accuracy": "accuracy", "loss": "neg_log_loss", "f1": "f1_macro", "nan": nan_score, "two": two_numbers}
    with pytest.warns(FailedCellWarning, match="5 of 5 cells failed"):
        found = run({"svm": LinearSVC()}, {"iris": IRIS}, scoring=scoring)
    errors = found.groupby("metric")["error"].first()
    assert errors[["accuracy", "f1"]].tolist() == ["", ""]
    assert "predict_proba" in errors["loss"]
    assert errors["nan"] == "the score is NaN"
    assert errors["two"] == "TypeError: scoring must return a number, got dict"
    assert found.loc[found["error"] == "", "score"].notna().all()
    assert found.loc[found["error"] != "", "score"].isna().all()


def test_long_messages_are_cut():
    x = IRIS[0].astype(object)
    x[:] = "a word that is no number " * 20
    with pytest.warns(FailedCellWarning, match="5 of 5 cells failed"):
        found = run([GaussianNB()], {"iris": (x, IRIS[1])})
    assert found["error"].str.startswith("ValueError: could not convert").all()
    assert (found["error"].str.len() == cells.LONGEST).all()


def test_warnings_of_estimators_pass():
    lazy = {"log": LogisticRegression(max_iter=1)}
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        found = run(lazy, {"wine": WINE}, cv=2)
    assert {each.category.__name__ for each in said} == {"ConvergenceWarning"}
    assert found["score"].notna().all()
    # As errors they are errors of the cells, and in other processes, too.
    for n_jobs in (1, 2):
        with warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("error")
            warnings.simplefilter("always", FailedCellWarning)
            run(lazy, {"wine": WINE}, cv=2, n_jobs=n_jobs)
        assert "2 of 2 cells failed" in str(said[0].message)
        assert "ConvergenceWarning: lbfgs failed" in str(said[0].message)


def test_the_bar(capsys):
    run([GaussianNB()], {"iris": IRIS})
    assert capsys.readouterr() == ("", "")
    with pytest.warns(FailedCellWarning):
        benchmark([Fussy("fit", first_flower)], {"iris": IRIS})
    out, err = capsys.readouterr()
    assert out == ""
    assert "5/5" in err
    assert "cached=0, failed=4" in err

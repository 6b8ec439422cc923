"""HybridClassifier: distances and integrators."""

import numpy as np
import pandas as pd
import pytest
from scipy.special import expit
from sklearn.datasets import load_breast_cancer
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import log_loss
from sklearn.metrics.pairwise import polynomial_kernel, rbf_kernel
from sklearn.model_selection import StratifiedKFold
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, LinearSVC, NuSVC
from statsmodels.discrete.discrete_model import Logit, MNLogit
from statsmodels.tools import add_constant

from pwcstats import (
    FirthMNLogit,
    HybridClassifier,
    InputError,
    SeparationWarning,
    detect_separation,
    individualized_mnlogit,
)
from pwcstats.datasets import chang_clover

# Rounding errors of sums in another order.
ROUNDING = 1e-9
# Two algorithms that stop near the same maximum.
SAME_MAXIMUM = 1e-5


class TestDistances:
    def test_of_a_linear_machine_are_geometry(self, clover):
        X, group, new, _ = clover
        clf = HybridClassifier(SVC(kernel="linear")).fit(X, group == 0, clusters=group)
        for name, machine in clf.machines_.items():
            w, b = machine.coef_[0], machine.intercept_[0]
            # The foot of the perpendicular lies on the border.
            d = clf.distances(new)[f"d_{name}"].to_numpy()
            foot = new - d[:, None] * w / np.linalg.norm(w)
            np.testing.assert_allclose(foot @ w + b, 0.0, atol=ROUNDING)
            assert clf.norms_[name] == pytest.approx(np.linalg.norm(w))
            assert list(machine.classes_) == [False, True]

    @pytest.mark.parametrize(
        ("machine", "kernel"),
        [
            (SVC(gamma=0.3), lambda a, b: rbf_kernel(a, b, 0.3)),
            (SVC(kernel="poly", degree=2, gamma=0.2, coef0=1), lambda a, b: polynomial_kernel(a, b, 2, 0.2, 1)),
            (NuSVC(nu=0.3, gamma=0.3), lambda a, b: rbf_kernel(a, b, 0.3)),
            (SVC(kernel=rbf_kernel), rbf_kernel),
        ],
        ids=["rbf", "poly", "nu", "callable"],
    )
    def test_of_a_kernel_machine_are_geometry_in_its_space(self, clover, machine, kernel):
        X, group, new, _ = clover
        clf = HybridClassifier(machine).fit(X, group == 0, clusters=group)
        for name, fitted in clf.machines_.items():
            rows = np.flatnonzero((group == 0) | (group == int(name)))[fitted.support_]
            alpha = fitted.dual_coef_[0]
            square = alpha @ kernel(X[rows], X[rows]) @ alpha
            assert clf.norms_[name] == pytest.approx(np.sqrt(square))
            expected = (kernel(new, X[rows]) @ alpha + fitted.intercept_[0]) / np.sqrt(square)
            np.testing.assert_allclose(clf.distances(new)[f"d_{name}"], expected, atol=ROUNDING)

    def test_do_not_use_the_label(self, clover):
        X, group, _, _ = clover
        clf = HybridClassifier(SVC(kernel="linear"), threshold=0.5).fit(X, group == 0, clusters=group)
        d = clf.distances(X).to_numpy()
        for column, name in enumerate(clf.machines_):
            own = (group == 0) | (group == int(name))
            # The sign of a distance does not depend on the class of the row.
            assert ((d[own, column] > 0) == (group[own] == 0)).mean() > 0.9

    def test_gamma_scale_is_of_the_rows_that_a_machine_sees(self, clover):
        X, group, _, _ = clover
        clf = HybridClassifier(SVC()).fit(X, group == 0, clusters=group)
        rows = (group == 0) | (group == 1)
        twin = SVC().fit(X[rows], group[rows] == 0)
        values = twin.decision_function(X) / np.sqrt(
            twin.dual_coef_[0] @ rbf_kernel(twin.support_vectors_, gamma=1 / (2 * X[rows].var())) @ twin.dual_coef_[0]
        )
        np.testing.assert_allclose(clf.distances(X)["d_1"], values, atol=ROUNDING)

    @pytest.mark.parametrize(
        "learner", [LinearSVC(), LogisticRegression(), make_pipeline(StandardScaler(), SVC(kernel="linear"))]
    )
    def test_of_other_linear_learners(self, clover, learner):
        X, group, new, _ = clover
        clf = HybridClassifier(learner, random_state=0).fit(X, group == 0, clusters=group)
        for name, machine in clf.machines_.items():
            last = machine[-1] if hasattr(machine, "steps") else machine
            expected = machine.decision_function(new) / np.linalg.norm(last.coef_)
            np.testing.assert_allclose(clf.distances(new)[f"d_{name}"], expected, atol=ROUNDING)

    def test_of_a_learner_without_borders_are_its_log_odds(self, clover):
        X, group, new, _ = clover
        clf = HybridClassifier(GaussianNB()).fit(X, group == 0, clusters=group)
        proba = clf.machines_["2"].predict_proba(new)
        np.testing.assert_allclose(clf.distances(new)["d_2"], np.log(proba[:, 1] / proba[:, 0]), atol=1e-6)
        assert (clf.norms_ == 1).all()

    def test_in_a_pipeline_a_kernels_norm_is_that_of_scaled_rows(self, clover):
        X, group, _, _ = clover
        clf = HybridClassifier(make_pipeline(StandardScaler(), SVC(gamma=0.5))).fit(X, group == 0, clusters=group)
        machine = clf.machines_["1"][-1]
        gram = rbf_kernel(machine.support_vectors_, gamma=0.5)
        assert clf.norms_["1"] == pytest.approx(np.sqrt(machine.dual_coef_[0] @ gram @ machine.dual_coef_[0]))

    def test_have_the_index_of_a_frame(self, clover):
        X, group, _, _ = clover
        frame = pd.DataFrame(X, columns=["a", "b"], index=[f"r{i}" for i in range(len(X))])
        found = HybridClassifier(threshold=0.5).fit(frame, group == 0, clusters=group).distances(frame)
        assert list(found.index) == list(frame.index)
        assert list(found.columns) == ["d_1", "d_2", "d_3", "d_4"]

    def test_without_a_border_carry_no_information(self):
        """If negatives surround the positives, w = 0 up to the error of the solver."""
        sample = chang_clover(2, random_state=0)
        clf = HybridClassifier(n_clusters=1, threshold=0.5).fit(sample.data, sample.target == 0)
        assert clf.norms_["1"] < 1e-4
        np.testing.assert_allclose(clf.predict_proba(sample.data)[:, 1], 0.2, atol=0.02)

    @pytest.mark.parametrize("unit", [1e-8, 1e-4, 1e6])
    def test_units_do_not_matter(self, unit):
        """With the same C machines differ, but none may count as a machine without a border."""
        sample = chang_clover(4, 100, random_state=0)
        X, group = sample.data[sample.train] * unit, sample.target[sample.train]
        assert HybridClassifier(random_state=0).fit(X, group == 0, clusters=group).score(X, group == 0) > 0.98


class TestHeldOutDistances:
    def test_are_of_machines_that_have_not_seen_the_row(self, clover):
        X, group, _, _ = clover
        folds = StratifiedKFold(4)
        clf = HybridClassifier(SVC(kernel="linear"), distance_cv=folds, threshold=0.5)
        clf.fit(X, group == 0, clusters=group)
        used = clf.integrator_.model.data.orig_exog
        for train, test in folds.split(X, group):
            for column in used.columns[1:]:
                rows = train[np.isin(group[train], [0, int(column[2:])])]
                machine = SVC(kernel="linear").fit(X[rows], group[rows] == 0)
                d = machine.decision_function(X) / np.linalg.norm(machine.coef_)
                # Shifted to the mean distance from the machine of all rows.
                expected = d[test] - d.mean() + clf.distances(X)[column].mean()
                np.testing.assert_allclose(used[column].to_numpy()[test], expected, atol=ROUNDING)
        assert clf.unsteady_ == []

    def test_are_replaced_if_the_folds_disagree(self):
        """A rare baseline between two classes: w is nearly 0, and single rows decide where the border is."""
        rng = np.random.default_rng(1)

        def rows(n):
            y = rng.choice(3, n, p=[0.1, 0.45, 0.45])
            return rng.normal(size=(n, 2)) + np.array([[0, 0], [1.2, 0], [0, 1.2]])[y], y

        (X, y), (new, truth) = rows(400), rows(4000)
        clf = HybridClassifier(SVC(kernel="linear"), random_state=0).fit(X, y)
        assert clf.unsteady_
        assert clf.unsteady_[0] in clf.summary().as_text()
        used = clf.integrator_.model.data.orig_exog
        for name in set(clf.unsteady_) & set(used.columns):
            np.testing.assert_allclose(used[name], clf.distances(X)[name], atol=ROUNDING)
        best = LogisticRegression().fit(X, y)
        assert log_loss(truth, clf.predict_proba(new)) < log_loss(truth, best.predict_proba(new)) + 0.03

    def test_groups_of_two_rows_are_held_out(self, clover):
        X, group, _, _ = clover
        names = group.astype(object)
        pair = np.flatnonzero(group == 4)[:2]
        names[pair] = 9
        folds = StratifiedKFold(2)
        clf = HybridClassifier(distance_cv=folds, threshold=0.5).fit(X, group == 0, clusters=names)
        train = next(train for train, test in folds.split(X, clf.clusters_) if pair[0] in test)
        rows = train[(group[train] == 0) | np.isin(train, pair)]
        assert pair[0] not in rows
        machine = SVC(kernel="linear").fit(X[rows], group[rows] == 0)
        d = machine.decision_function(X) / np.linalg.norm(machine.coef_)
        if "d_9" in clf.selected_ and "d_9" not in clf.unsteady_:
            used = clf.integrator_.model.data.orig_exog["d_9"].to_numpy()
            assert used[pair[0]] == pytest.approx(d[pair[0]] - d.mean() + clf.distances(X)["d_9"].mean())

    def test_of_none_are_those_of_the_machines(self, clover):
        X, group, _, _ = clover
        clf = HybridClassifier(distance_cv=None, threshold=0.5).fit(X, group == 0, clusters=group)
        used = clf.integrator_.model.data.orig_exog.drop(columns="const")
        np.testing.assert_allclose(used, clf.distances(X)[used.columns], atol=ROUNDING)

    def test_predict_better(self):
        """The reason for the default: a lower log-loss on new rows if machines have many support vectors."""
        X, y = load_breast_cancer(return_X_y=True)
        X = StandardScaler().fit_transform(X)
        losses = {}
        for cv in (None, 5):
            found = []
            for train, test in StratifiedKFold(3, shuffle=True, random_state=0).split(X, y):
                clf = HybridClassifier(SVC(), n_clusters="ratio", distance_cv=cv, threshold=0.5, random_state=0)
                clf.fit(X[train], y[train])
                found.append(log_loss(y[test], clf.predict_proba(X[test])))
            losses[cv] = np.mean(found)
        assert losses[5] < 0.9 * losses[None]


class TestIntegrators:
    def test_multinomial_is_statsmodels(self, clover):
        X, group, new, _ = clover
        clf = HybridClassifier(distance_cv=None, threshold=0.5).fit(X, group == 0, clusters=group)
        assert (clf.penalty_, clf.selected_, clf.aliased_) == (None, ["d_1", "d_2"], ["d_3", "d_4"])
        kept = ["d_1", "d_2"]
        twin = MNLogit(group, add_constant(clf.distances(X)[kept].to_numpy())).fit(disp=0)
        np.testing.assert_allclose(clf.integrator_.params, twin.params, rtol=SAME_MAXIMUM)
        np.testing.assert_allclose(clf.integrator_.bse, twin.bse, rtol=SAME_MAXIMUM)
        expected = twin.predict(add_constant(clf.distances(new)[kept].to_numpy()))
        proba = clf.predict_proba(new)
        np.testing.assert_allclose(proba[:, 1], expected[:, 0], atol=SAME_MAXIMUM)
        np.testing.assert_allclose(proba.sum(axis=1), 1.0)

    def test_individualized(self, clover):
        X, group, new, _ = clover
        clf = HybridClassifier(integrator="individualized", distance_cv=None, threshold=0.5)
        clf.fit(X, group == 0, clusters=group)
        twin = individualized_mnlogit(group, add_constant(clf.distances(X)[["d_1", "d_2"]]), baseline=0)
        expected = twin.predict(add_constant(clf.distances(new)[["d_1", "d_2"]]))
        np.testing.assert_allclose(clf.predict_proba(new)[:, 1], expected[0], atol=ROUNDING)

    def test_separated_individualized_fits(self):
        """The advice must apply to hybrids, whose users cannot leave out a distance."""
        rng = np.random.default_rng(0)
        group = np.repeat([0, 1, 2], 20)
        X = rng.normal(scale=0.1, size=(60, 2)) + np.array([[0, 0], [5, 0], [0, 5]])[group]
        clf = HybridClassifier(integrator="individualized", penalty=None, distance_cv=None, threshold=0.5)
        with pytest.warns(SeparationWarning) as found:
            clf.fit(X, group == 0, clusters=group)
        for warning in found:
            assert "complete separation in class" in str(warning.message)
            assert "const" not in str(warning.message)
            assert str(warning.message).endswith("infinite; use penalty='firth' or 'auto'.")

    def test_binary_logit_cannot_see_the_middle(self, clover):
        """Misprint (c): monotone along a line, it is no better than predicting no positives."""
        X, group, new, truth = clover
        clf = HybridClassifier(integrator="logit", distance_cv=None, threshold="prevalence")
        clf.fit(X, group == 0, clusters=group)
        d = add_constant(clf.distances(X)[clf.selected_])
        twin = Logit((group == 0).astype(int), d).fit(disp=0)
        np.testing.assert_allclose(clf.integrator_.params, twin.params, rtol=1e-4, atol=1e-6)
        np.testing.assert_allclose(
            clf.predict_proba(new)[:, 1], twin.predict(add_constant(clf.distances(new)[clf.selected_])), atol=1e-6
        )
        multinomial = HybridClassifier(distance_cv=None, threshold="prevalence").fit(X, group == 0, clusters=group)
        assert clf.score(new, truth == 0) < 0.75
        assert multinomial.score(new, truth == 0) > 0.85

    def test_aliased_distances_do_not_matter(self, clover):
        """Four lines in the plane have the likelihood of any two of them, and of the two columns themselves."""
        X, group, new, _ = clover
        clf = HybridClassifier(distance_cv=None, threshold=0.5).fit(X, group == 0, clusters=group)
        twin = MNLogit(group, add_constant(X)).fit(disp=0)
        assert clf.integrator_.llf == pytest.approx(twin.llf, abs=1e-6)
        np.testing.assert_allclose(clf.predict_proba(new)[:, 1], twin.predict(add_constant(new))[:, 0], atol=1e-5)
        assert "d_3, d_4" in clf.summary().as_text()

    def test_of_held_out_aliased_distances_the_most_different_are_kept(self):
        """Two of five clusters are halves of one cluster, and their machines are nearly the same line."""
        sample = chang_clover(6, 100, 400, random_state=0)
        X, group = sample.data[sample.train], sample.target[sample.train].copy()
        halves = np.flatnonzero(group == 1)
        group[halves[X[halves, 0] - X[halves, 1] > 0]] = 5
        # In the order of the columns, these would be the first two.
        names = np.array([0, 1, 3, 4, 5, 2])[group]
        clf = HybridClassifier(SVC(kernel="linear"), threshold=0.5, random_state=0)
        clf.fit(X, group == 0, clusters=names)
        w = np.array([clf.machines_[name[2:]].coef_[0] for name in clf.selected_])
        w /= np.linalg.norm(w, axis=1, keepdims=True)
        assert len(w) == 2
        assert abs(w[0] @ w[1]) < 0.5
        assert clf.score(sample.data[~sample.train], sample.target[~sample.train] == 0) > 0.99

    @pytest.mark.parametrize("integrator", ["multinomial", "individualized", "logit"])
    def test_separated_groups_get_firths_penalty(self, integrator):
        sample = chang_clover(10, 40, random_state=0)
        X, group = sample.data[sample.train], sample.target[sample.train]
        if integrator == "logit":
            X, group = X[group < 2], group[group < 2]
        clf = HybridClassifier(integrator=integrator, random_state=0).fit(X, group == 0, clusters=group)
        assert clf.penalty_ == "firth"
        assert clf.score(X, group == 0) == 1
        assert np.abs(np.asarray(clf.integrator_.params)).max() < 1e3
        assert np.isfinite(np.asarray(clf.integrator_.bse)).all()
        assert clf.integrator_.summary() is not None

    def test_firth_is_that_of_the_joint_model(self, clover):
        X, group, _, _ = clover
        clf = HybridClassifier(penalty="firth", distance_cv=None, threshold=0.5).fit(X, group == 0, clusters=group)
        twin = FirthMNLogit(group, add_constant(clf.distances(X)[["d_1", "d_2"]])).fit()
        np.testing.assert_allclose(clf.integrator_.params, twin.params, rtol=1e-6)

    def test_auto_uses_the_penalty_where_the_distances_are_separated_and_only_there(self):
        for d in (2.5, 3.5, 4.0, 4.5, 6.0):
            sample = chang_clover(d, 50, random_state=3)
            X, group = sample.data[sample.train], sample.target[sample.train]
            clf = HybridClassifier(distance_cv=None, threshold=0.5).fit(X, group == 0, clusters=group)
            found = detect_separation(group, add_constant(clf.distances(X)[["d_1", "d_2"]]))
            assert (clf.penalty_ == "firth") == found.separated

    def test_near_separation_is_fitted_without_overflow(self):
        """Linear predictors of several hundred, at which the exponentials of statsmodels are infinite."""
        rng = np.random.default_rng(0)
        x = np.sort(rng.normal(size=200))
        group = (x > 0).astype(int) + (x > 1)
        group[[95, 104]] = group[[104, 95]]
        X = np.column_stack([1e3 * x, rng.normal(size=200)])
        clf = HybridClassifier(LinearSVC(), distance_cv=None, random_state=0, pos_label=1).fit(X, group)
        assert np.isfinite(clf.predict_proba(X * 100)).all()
        assert np.isfinite(np.asarray(clf.integrator_.bse)).all()

    def test_stepwise_selection(self):
        X, y = load_breast_cancer(return_X_y=True)
        X = StandardScaler().fit_transform(X)
        full = HybridClassifier(split="folds", threshold=0.5, random_state=0).fit(X, y)
        chosen = HybridClassifier(split="folds", threshold=0.5, random_state=0, select="bic").fit(X, y)
        assert 0 < len(chosen.selected_) < len(full.selected_)
        assert set(chosen.selected_) < set(full.selected_)
        assert chosen.integrator_.bic < full.integrator_.bic
        assert list(chosen.integrator_.params.index) == ["const", *chosen.selected_]
        exog = add_constant(chosen.distances(X)[chosen.selected_])
        predictor = exog.to_numpy() @ np.asarray(chosen.integrator_.params)
        np.testing.assert_allclose(chosen.predict_proba(X)[:, 0], expit(predictor), atol=ROUNDING)


def test_probabilities_keep_their_digits_and_do_not_exceed_one():
    sample = chang_clover(2, 50, random_state=0)
    clf = HybridClassifier(threshold=0.5).fit(sample.data, sample.target == 0, clusters=sample.target)
    proba = clf.predict_proba(np.random.default_rng(0).normal(scale=3, size=(20_000, 2)))
    assert proba.max() <= 1.0
    # Two groups, and a row so far from the border that 1 - p would be 0.
    two = sample.target < 2
    clf = HybridClassifier(threshold=0.5, n_clusters=1).fit(sample.data[two], sample.target[two] == 0)
    assert 0.0 < clf.predict_proba([[-20.0, -20.0]])[0, 0] < 1e-17


class TestReports:
    COLUMNS = ("term", "estimate", "std_error", "statistic", "p_value", "conf_low", "conf_high")

    @pytest.mark.parametrize("penalty", [None, "firth"])
    @pytest.mark.parametrize("integrator", ["multinomial", "individualized", "logit"])
    def test_tidy_has_the_coefficients_of_the_integrator(self, clover, integrator, penalty):
        X, group, _, _ = clover
        clf = HybridClassifier(integrator=integrator, penalty=penalty, distance_cv=None, threshold=0.5)
        table = clf.fit(X, np.where(group == 0, "in", "out"), clusters=group).tidy(alpha=0.1)
        results = clf.integrator_
        assert set(self.COLUMNS) <= set(table.columns)
        for column, values in (("estimate", results.params), ("std_error", results.bse), ("p_value", results.pvalues)):
            np.testing.assert_array_equal(table[column], np.ravel(values, order="F"))
        np.testing.assert_array_equal(
            table[["conf_low", "conf_high"]], np.asarray(results.conf_int(0.1)).reshape(-1, 2)
        )
        assert list(table["term"])[:3] == ["const", "d_1", "d_2"]
        if integrator == "logit":
            assert "y_level" not in table
        else:
            assert list(table["y_level"]) == [f"out:{k}" for k in (1, 2, 3, 4) for _ in range(3)]

    def test_tidy_needs_a_fit_and_a_level(self, clover):
        X, group, _, _ = clover
        with pytest.raises(NotFittedError):
            HybridClassifier().tidy()
        clf = HybridClassifier(distance_cv=None, threshold=0.5).fit(X, group == 0, clusters=group)
        with pytest.raises(InputError, match="alpha must be a number between 0 and 1, got 5"):
            clf.tidy(alpha=5)

    def test_summary(self, clover):
        X, group, _, _ = clover
        clf = HybridClassifier(distance_cv=None, threshold=0.25).fit(X, group == 0, clusters=group)
        text = clf.summary().as_text()
        for part in ("HybridClassifier", "Local machines", "P(True) > 0.25", "multinomial", "of the fit", "d_2"):
            assert part in text

"""HybridClassifier: Chang's Procedure I."""

from functools import partial
from typing import Any, Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from pwcstats import _params
from pwcstats._arrays import Array
from pwcstats._text import listed, shown
from pwcstats.errors import InputError, arg, value
from pwcstats.hybrid.base import FOLDS, BaseHybrid, FittedHybrid, HeldOut, Rows
from pwcstats.hybrid.choice import log_loss
from pwcstats.hybrid.cutoff import THRESHOLDS, known_threshold
from pwcstats.hybrid.groups import SPLITS, Groups, against_baseline, is_labels, is_word
from pwcstats.hybrid.integrators import INTEGRATORS, Criterion, Penalty
from pwcstats.pairwise.calibration import likeliest

__all__ = ["HybridClassifier"]


class HybridClassifier(BaseHybrid):
    r"""Local machines for clusters of the negatives, integrated by logistic regression (Chang's Procedure I).

    For two classes, one of which (the negative class) is large and consists of several kinds. The negatives are split
    into clusters. For each cluster, a linear support vector machine separates the positives from it. A multinomial
    model of the distances from the machines' borders gives probabilities. With more than two classes, each machine
    separates a baseline class from another class.

    Parameters
    ----------
    estimator : classifier, optional
        Local machine: any learner with ``decision_function`` or ``predict_proba``. By default each machine standardises
        its columns and fits ``SVC(kernel="linear")`` with at most a million steps. A learner that you pass gets the
        columns as they are.
    split : {"negatives", "folds"}
        "negatives" clusters the negatives. "folds" makes random parts of all rows, with a machine for the two classes
        in each part, and integrates their distances by a binary logit, as in the paper's breast cancer table.
    n_clusters : "auto", "ratio", int, clusterer or array-like
        Number of k-means clusters of the standardised columns; a clusterer with ``fit_predict`` (its noise is a
        cluster); or one label for each row, of which only those of the negatives are used. "ratio" is the rule of the
        paper: the number of negatives per positive, rounded, between 1 and 10. "auto" also tries 1, 2, ..., 6, and
        takes the smallest number whose log loss of held-out probabilities exceeds the least one by at most the standard
        error of the difference. If there are too few rows for folds, "auto" is "ratio". With ``split="folds"`` it is
        the number of parts, by default 9. With more than two classes it is not used: each class is a group.
    integrator : {"multinomial", "individualized", "logit"}
        "multinomial" and "individualized" have the positives as the baseline and one category for each cluster, fitted
        jointly or by one binary fit each (:func:`individualized_mnlogit`). "logit" models positives against all
        negatives. It is there for comparison: with linear machines its borders are lines.
    penalty : {"auto", None, "firth"}
        "auto" uses Firth's penalty if the distances separate the groups, None never, "firth" always. If there is no
        maximum likelihood estimate, None raises an error; with "individualized" it warns, and estimates are infinite.
    select : {None, "aic", "bic", "lr"}
        Criterion by which :func:`stepwise` selects distances; None keeps all.
    threshold : {"cv", "prevalence"} or float
        For two classes, the probability above which a row is predicted positive. "cv" takes the best threshold for
        `scoring`. For the balanced accuracy it is the share of positives, and for the accuracy 1/2. For other scores it
        is the best one on held-out probabilities, or 1/2 if the folds do not clearly show that it is better.
        "prevalence" predicts as many positives as there are. With more than two classes, the likeliest class is
        predicted.
    threshold_cv : int or splitter
        Folds that hold out the probabilities that choose the threshold and the number of clusters. Here and
        in `distance_cv`, a number means stratified folds, at most as many as the largest group has rows, and shuffled
        if there is a `random_state`. A group with a single row is always used for training. A warning says so if
        nothing is chosen and you set it.
    scoring : str or callable
        Score of predicted classes, as in scikit-learn. "f1", "precision" and the like refer to the positive class. The
        default, balanced accuracy, does not depend on how rare the positives are.
    pos_label : label, optional
        The positive class. By default it is the rarer class, or the second one if both are equally frequent; with more
        than two classes, the first one.
    distance_cv : None, int or splitter
        Folds that hold out the distances from which the integrator learns. With None it learns from distances of the
        machines' own training rows, as in the paper. A machine keeps these further from its border than new rows, so
        probabilities are then overconfident.
    n_jobs : int, optional
        Number of machines that are fitted in parallel, as in joblib. Results are bit-identical for any number.
    random_state : int or RandomState, optional
        Seeds k-means, parts, folds, and machines without a seed of their own. With more than two classes, it also
        breaks ties between equally probable classes at random.
    verbose : int
        Whether to show progress bars.

    Attributes
    ----------
    classes_ : ndarray
        Class labels, sorted.
    pos_label_ : label
        The positive class, or the baseline.
    clusters_ : ndarray of shape (n_samples,)
        Group of each training row: 0 for the positives (or the baseline), and 1, 2, ... in the order of the machines.
        With ``split="folds"``, the part. Rows of weight 0 have -1.
    n_clusters_ : int
        Number of machines.
    machines_ : dict
        Fitted learners by name; True is the positive side.
    norms_ : Series
        Norms ||w|| by which decision values are divided. Those of the default machine refer to standardised columns.
    integrator_ : results
        The fitted logit model: results of statsmodels or of this package, with ``params``, ``bse``, ``cov_params()``,
        ``conf_int()``, ``llf`` and ``summary()``. They treat the distances as given. The fits of "individualized" are
        separate, and ``cov_params(label)`` is the covariance of one of them.
    aliased_ : list of str
        Distances that are not used because they are combinations of others.
    unsteady_ : list of str
        Distances that are not held out because the folds disagree on where the border is.
    selected_ : list of str
        Distances that the integrator uses.
    penalty_ : {None, "firth"}
        Penalty that was used.
    threshold_ : float or None
        Probability above which a row is predicted positive; None with more than two classes.
    n_features_in_, feature_names_in_ : int, ndarray
        Number of columns, and their names if X has names.

    See Also
    --------
    OrdinalHybridClassifier : Ordered classes (Procedure II).
    PairwiseClassifier : One learner for each pair of classes, coupled.

    Notes
    -----
    A row x has the signed distance :math:`d_i = f_i(x) / \|w_i\|` from the border of machine i. In the space of a
    kernel, :math:`\|w\|^2 = \alpha^\top K \alpha`. Scores of other learners are divided by the norm of ``coef_``, if
    there is one, and else used as they are; this changes only the units of the coefficients. The integrator is

    .. math::

        \log \frac{P(Y = i \mid x)}{P(Y = 0 \mid x)} = \beta_{0i} + \beta_i^\top d, \quad i = 1, \ldots, k,

    with the positives as class 0, so that :math:`p_0 = 1 / (1 + \sum_i \exp(\beta_{0i} + \beta_i^\top d))` [1]_. Step 3
    of the report can be read as a binary model. Then p_0 would be monotone along a line, and positives between two
    clusters of negatives could not be found.

    :meth:`predict_proba` gives the probabilities of the model, and :meth:`predict` compares them with `threshold_`. As
    in scikit-learn's ``TunedThresholdClassifierCV``, the predicted class need not be the likelier one.

    If there are more linear machines than columns, some distances are combinations of others and are left out: the
    later ones, as in R's ``glm``, or with `distance_cv` those that are most similar to others.

    The default machine centres each column and divides it by its standard deviation among the training rows of the
    machine (divisor n - 1), as ``svm()`` of R's e1071 does. Its distances are in these standard deviations, so they do
    not depend on the units of the columns. The default k-means divides columns by their standard deviations among all
    rows. Your own learner or clusterer gets the columns as they are: put a ``StandardScaler`` before it. A linear
    ``SVC`` can take hours if columns have very different scales; set its `max_iter`. A machine that stops at its
    `max_iter` gives a :class:`~pwcstats.errors.ConvergenceWarning`.

    References
    ----------
    .. [1] Chang, Y.-C. I. (2003). Boosting SVM classifiers with logistic regression. Technical report, Institute of
       Statistical Science, Academia Sinica, Taipei.
    .. [2] Begg, C. B. and Gray, R. (1984). Calculation of polychotomous logistic regression parameters using
       individualized regressions. Biometrika 71, 11-18. https://doi.org/10.1093/biomet/71.1.11

    Examples
    --------
    Positives surrounded by four clusters of negatives, which no line can separate from them:

    >>> from sklearn.svm import SVC
    >>> from pwcstats import HybridClassifier
    >>> from pwcstats.datasets import chang_clover
    >>> sample = chang_clover(3, random_state=0)
    >>> X, y, train = sample.data, sample.target == 0, sample.train
    >>> clf = HybridClassifier(threshold="prevalence", random_state=0).fit(X[train], y[train])
    >>> clf.n_clusters_
    4
    >>> round(clf.score(X[~train], y[~train]), 3)
    0.966
    >>> SVC(kernel="linear").fit(X[train], y[train]).score(X[~train], y[~train])
    0.8
    """

    threshold_: float | None
    _ordered = False

    def __init__(
        self,
        estimator: Any = None,
        *,
        split: Literal["negatives", "folds"] = "negatives",
        n_clusters: Any = "auto",
        integrator: Literal["multinomial", "individualized", "logit"] = "multinomial",
        penalty: Penalty = "auto",
        select: Criterion = None,
        threshold: Literal["cv", "prevalence"] | float = "cv",
        threshold_cv: Any = FOLDS,
        scoring: Any = "balanced_accuracy",
        pos_label: Any = None,
        distance_cv: Any = FOLDS,
        n_jobs: int | None = None,
        random_state: Any = None,
        verbose: int = 0,
    ) -> None:
        self.estimator = estimator
        self.split = split
        self.n_clusters = n_clusters
        self.integrator = integrator
        self.penalty = penalty
        self.select = select
        self.threshold = threshold
        self.threshold_cv = threshold_cv
        self.scoring = scoring
        self.pos_label = pos_label
        self.distance_cv = distance_cv
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose

    def fit(self, X: Any, y: Any, clusters: Any = None, sample_weight: Any = None) -> "HybridClassifier":
        """Split the negatives, fit the machines and the integrator, and choose the threshold.

        Parameters
        ----------
        X : {array-like, sparse matrix, DataFrame} of shape (n_samples, n_features)
            Rows of numbers.
        y : array-like of shape (n_samples,)
            Class labels.
        clusters : array-like of shape (n_samples,), optional
            Cluster of each row, used instead of `n_clusters`; those of the positives are ignored. In a cross-validation
            they are cut to the rows of each fold if metadata routing is enabled and ``set_fit_request(clusters=True)``
            requests them.
        sample_weight : array-like of shape (n_samples,), optional
            Weights of the rows; 2 counts as two rows, and rows of weight 0 are left out. The machines, the clusters,
            the integrator and the threshold use them. In a pipeline the last step gets them. Folds ignore them.

        Returns
        -------
        HybridClassifier
            The fitted classifier.
        """
        self._check_params()
        rows = self._read(X, y, sample_weight)
        code, weight = rows.code, rows.weight
        self._check_classes(X, clusters)
        if clusters is None and is_labels(self.n_clusters):
            clusters = self.n_clusters
        base = self._baseline(rows)
        self.pos_label_ = self.classes_[base]
        self._order = np.array([base, *(k for k in range(len(self.classes_)) if k != base)])
        positive = code == base
        if len(self.classes_) > 2:
            groups = self._group_classes(code)
            train = partial(self._train, rows, self.integrator, self._seed())
            fitted = self._train_best(train, [lambda: groups], weight)
            self.threshold_ = None
        else:
            known = known_threshold(self.threshold, self.scoring, positive, weight)
            fitted = self._train_two(rows, positive, rows.cut(clusters), needed=known is None)
            self.threshold_ = self._choose_threshold(fitted.held_out, positive, weight) if known is None else known
        self._keep(fitted)
        self.clusters_, self.n_clusters_ = np.full(len(rows.used), -1), len(fitted.groups.machines)
        self.clusters_[rows.used] = fitted.groups.clusters
        return self

    def predict(self, X: Any) -> NDArray[Any]:
        """Predict classes.

        Parameters
        ----------
        X : {array-like, sparse matrix, DataFrame} of shape (n_samples, n_features)
            New rows.

        Returns
        -------
        ndarray of shape (n_samples,)
            The positive class if its probability exceeds `threshold_`; with more than two classes, the likeliest class.
        """
        proba = self.predict_proba(X)
        if self.threshold_ is None:
            return self.classes_[likeliest(proba, self.random_state)]
        return np.where(proba[:, self._order[0]] > self.threshold_, self.pos_label_, self._negative)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = self.split not in SPLITS or SPLITS[self.split].multiclass
        return tags

    def _check_params(self) -> None:
        _params.choice(self.split, SPLITS, "split")
        super()._check_params()
        SPLITS[self.split].check(self.n_clusters)
        if not (isinstance(self.threshold, str) and self.threshold in THRESHOLDS):
            allowed = f"{', '.join(map(value, THRESHOLDS))}, or a probability between 0 and 1"
            _params.number(self.threshold, "threshold", allowed, lambda x: 0.0 <= x <= 1.0)

    def _kind(self) -> str:
        """The integrator of two classes."""
        return SPLITS[self.split].integrator or str(self.integrator)

    def _check_classes(self, X: Any, clusters: Any) -> None:
        """Check that the options and the clusters suit the classes."""
        if isinstance(X, pd.DataFrame) and isinstance(clusters, pd.Series) and not clusters.index.equals(X.index):
            raise InputError(
                f"the rows of {arg('clusters')} and {arg('X')} have different labels, or another order; align them, or "
                f"pass {arg('clusters')} as an array."
            )
        n_classes = len(self.classes_)
        if n_classes == 2:
            return
        if clusters is not None or (not isinstance(self.n_clusters, str) and np.ndim(self.n_clusters) == 1):
            raise InputError(
                f"clusters are groups of the negatives of two classes, but {arg('y')} has {n_classes}, each a group of "
                f"its own; leave {arg('clusters')} and {arg('n_clusters')} out."
            )
        names = listed(map(shown, self.classes_))
        if not SPLITS[self.split].multiclass:
            raise InputError(
                "Only binary classification is supported. The type of the target is multiclass, with the classes "
                f"{names}; use {arg('split', 'negatives')} instead of {value(self.split)}."
            )
        if INTEGRATORS[self.integrator].binary:
            raise InputError(
                f"{arg('integrator', self.integrator)} is for two classes, got {n_classes}, {names}; use another."
            )

    def _baseline(self, rows: Rows) -> int:
        """Index of the positive class or the baseline."""
        if self.pos_label is not None:
            found = np.flatnonzero(self.classes_ == self.pos_label)
            if not len(found):
                raise InputError(
                    f"{arg('pos_label')} must be one of the classes of {arg('y')}, "
                    f"{listed(map(shown, self.classes_))}, got {value(self.pos_label)}."
                )
            return int(found[0])
        if len(self.classes_) > 2:
            return 0
        first, second = np.bincount(rows.code, weights=rows.weight)
        return 0 if first < second else 1

    def _group_classes(self, code: NDArray[np.int64]) -> Groups:
        """One group for each class, the baseline first."""
        names = [str(self.classes_[k]) for k in self._order]
        return against_baseline(np.argsort(self._order)[code], names, names[1:])

    def _train_two(self, rows: Rows, positive: NDArray[np.bool_], clusters: Any, needed: bool) -> FittedHybrid:
        """Split the rows of two classes, and fit the machines and the integrator."""
        split, seed, labels = SPLITS[self.split], self._seed(), (str(self.pos_label_), str(self._negative))
        make = partial(split.make, rows.x, positive, rows.weight, labels, clusters=clusters, seed=seed)
        chooses = clusters is None and is_word(self.n_clusters, "auto")
        numbers = split.tried(positive, rows.weight) if chooses else [self.n_clusters]
        makers = [partial(make, n_clusters=number) for number in numbers]
        return self._train_best(partial(self._train, rows, self._kind(), seed), makers, rows.weight, needed)

    def _choose_threshold(self, held_out: HeldOut | None, positive: NDArray[np.bool_], weight: Array | None) -> float:
        assert held_out is not None
        rule, classes = THRESHOLDS[str(self.threshold)], (self.pos_label_, self._negative)
        return rule(held_out.proba[:, 0], positive, held_out.fold, self.scoring, classes, weight)

    def _loss(self, fitted: FittedHybrid) -> Array:
        if len(self.classes_) > 2:
            return super()._loss(fitted)
        # All clusters are one class.
        assert fitted.held_out is not None
        proba = fitted.held_out.proba
        return log_loss(np.where(fitted.groups.code == 0, proba[:, 0], proba[:, 1:].sum(axis=1)))

    def _by_class(self, proba: Array) -> Array:
        if len(self.classes_) > 2:
            return super()._by_class(proba)
        # 1 - p would lose digits of small probabilities. The sum may exceed 1 in the last digit.
        negative = np.minimum(proba[:, 1:].sum(axis=1), 1.0)
        return super()._by_class(np.column_stack([proba[:, 0], negative]))

    def _rule(self) -> str:
        return super()._rule() if self.threshold_ is None else f"P({self.pos_label_}) > {self.threshold_:.4g}"

    @property
    def _negative(self) -> Any:
        return self.classes_[self._order[1]]

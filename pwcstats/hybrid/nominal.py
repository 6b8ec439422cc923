"""HybridClassifier: Chang's Procedure I."""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import StratifiedKFold

from pwcstats import _params
from pwcstats._arrays import Array
from pwcstats.hybrid import checks, cutoff
from pwcstats.hybrid.clusters import split_negatives
from pwcstats.hybrid.integrated import IntegratedMachines
from pwcstats.hybrid.integrators import Codes
from pwcstats.hybrid.local import Task
from pwcstats.pairwise.calibration import check_one_score, likeliest

__all__ = ["HybridClassifier"]

# Parts of the training set, as in the paper's table of the breast cancer data.
PARTS = 9


class HybridClassifier(IntegratedMachines):
    r"""Local machines for groups of the negatives, integrated by logistic regression (Chang's Procedure I).

    For two classes of which one, the negative, is large and of several kinds: it is split into clusters, a linear
    support vector machine tells the positives from each, and a multinomial model of the distances from their borders
    gives probabilities. With more than two classes, a machine tells a baseline class from each other.

    Parameters
    ----------
    estimator : classifier, optional
        Local machine: any learner with ``decision_function`` or ``predict_proba``. By default each machine standardises
        its columns and fits ``SVC(kernel="linear")`` with at most a million steps. A learner that you give gets the
        columns as they are.
    split : {"negatives", "folds"}
        Clusters of the negatives, or random parts of all rows with a machine each for both classes, whose distances a
        binary logit integrates: the scheme of the paper's breast cancer table.
    n_clusters : "auto", int, clusterer or array-like
        Number of k-means clusters of the standardised columns; a clusterer with ``fit_predict`` (what it calls noise is
        a cluster); or a label for each row, of which those of the negatives count. "auto" is the number of negatives
        for each positive, rounded, from 1 to 10. With ``split="folds"`` the number of parts, 9 by default. Of more than
        two classes each is a group.
    integrator : {"multinomial", "individualized", "logit"}
        Positives as the baseline and one category for each cluster, fitted jointly or by one binary fit each
        (:func:`individualized_mnlogit`); or positives against all negatives. The last is for comparison: with linear
        machines its borders are lines.
    penalty : {"auto", None, "firth"}
        Firth's penalty where the distances separate the groups, never, or always. Where there is no maximum likelihood
        estimate None is an error, and with "individualized" a warning and infinite estimates.
    select : {None, "aic", "bic", "lr"}
        Whether to select distances by :func:`stepwise`, and how.
    threshold : {"cv", "prevalence"} or float
        For two classes, the probability above which a row is called positive: that of the best `scoring` on held-out
        probabilities, unless the folds leave it in doubt whether it is better than 1/2; that which calls as many rows
        positive as there are; or a number. With more classes the likeliest is called.
    threshold_cv : int or splitter
        Folds by which these probabilities are held out. A number means stratified folds, here and in `distance_cv`, no
        more than the largest group has rows, and shuffled if there is a `random_state`. A group of a single row stays
        in training.
    scoring : str or callable
        Score of predicted classes, as in scikit-learn; "f1", "precision" and the like are of the positive class.
        Default: balanced accuracy, of which nothing depends on how rare the positives are.
    pos_label : label, optional
        The positive class. By default the rarer one (of equals the second); of more than two classes the first.
    distance_cv : None, int or splitter
        Whether the integrator learns from distances of rows that the machines were trained on (None, as in the paper),
        or from held-out ones. Machines keep their own rows further from the border than others, so the former make
        probabilities that are too sure of themselves.
    n_jobs : int, optional
        Parallel fits of machines, as joblib counts them. The answer has the same bits whatever it is.
    random_state : int or RandomState, optional
        Seeds k-means, parts, folds, and machines that have no seed of their own; draws between classes of equal
        probability where there are more than two.
    verbose : int
        Whether to show progress bars.

    Attributes
    ----------
    classes_ : ndarray
        Labels, sorted.
    pos_label_ : label
        The positive class, or the baseline.
    clusters_ : ndarray of shape (n_samples,)
        Group of each training row: 0 for the positives (or baseline), and 1, 2, ... as the machines are in order; with
        ``split="folds"`` the part.
    n_clusters_ : int
        Number of machines.
    machines_ : dict
        Fitted learners by name; True is the positive side.
    norms_ : Series
        Lengths ||w|| by which decision values are divided; for the default machine, of the standardised columns.
    integrator_ : results
        The fitted model, with ``summary()``: statsmodels' or one of this package.
    aliased_ : list of str
        Distances that are combinations of others and are left out.
    unsteady_ : list of str
        Distances of the fit that were used in place of held-out ones, as the folds did not agree where the border is.
    selected_ : list of str
        Distances that the integrator uses.
    penalty_ : {None, "firth"}
        Penalty that was used.
    threshold_ : float or None
        Probability above which a row is called positive; None with more than two classes.
    n_features_in_, feature_names_in_ : int, ndarray
        Number of columns, and their names where X had names.

    See Also
    --------
    OrdinalHybridClassifier : Ordered classes (Procedure II).
    PairwiseClassifier : One learner for each pair of classes, coupled.

    Notes
    -----
    A row x has the signed distance :math:`d_i = f_i(x) / \|w_i\|` from the border of machine i. In a kernel's space
    :math:`\|w\|^2 = \alpha^\top K \alpha`. Learners that have ``coef_`` are divided by its length; of others the score
    is taken as it is, which changes nothing but the units of the coefficients. The integrator is

    .. math::

        \log \frac{P(Y = i \mid x)}{P(Y = 0 \mid x)} = \beta_{0i} + \beta_i^\top d, \quad i = 1, \ldots, k,

    with the positives as class 0, so that :math:`p_0 = 1 / (1 + \sum_i \exp(\beta_{0i} + \beta_i^\top d))` [1]_. Its
    Step 3 reads as if the model were binary; then p_0 would be monotone along a line, and positives between two
    clusters of negatives could not be found.

    :meth:`predict_proba` gives the model's probabilities, :meth:`predict` compares them with `threshold_`; as in
    scikit-learn's ``TunedThresholdClassifierCV``, this need not be the larger of two.

    Distances from more linear machines than there are columns are combinations of each other. Redundant ones are left
    out: the later ones, as R's ``glm`` does; with `distance_cv`, those that are most like others.

    The default machine centres each column and divides it by its standard deviation among the rows that the machine
    learns from (divisor n - 1), as ``svm()`` of R's e1071 does. Its distances are in these standard deviations, so
    they do not depend on the units of the columns. The default k-means clusters use columns that are divided by their
    standard deviations among all rows. A learner or clusterer of your own gets the columns as they are: put a
    ``StandardScaler`` before it. A linear ``SVC`` may need hours for columns of very different sizes; set its
    `max_iter`. A machine that stops at its `max_iter` gives a :class:`~pwcstats.errors.ConvergenceWarning`.

    References
    ----------
    .. [1] Chang, Y.-C. I. (2003). Boosting SVM classifiers with logistic regression. Technical report, Institute of
       Statistical Science, Academia Sinica, Taipei.
    .. [2] Begg, C. B. and Gray, R. (1984). Calculation of polychotomous logistic regression parameters using
       individualized regressions. Biometrika 71, 11-18. https://doi.org/10.1093/biomet/71.1.11

    Examples
    --------
    Positives in the middle of four clouds of negatives, which no line tells apart:

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

    def __init__(
        self,
        estimator: Any = None,
        *,
        split: str = "negatives",
        n_clusters: Any = "auto",
        integrator: str = "multinomial",
        penalty: str | None = "auto",
        select: str | None = None,
        threshold: Any = "cv",
        threshold_cv: Any = 5,
        scoring: Any = "balanced_accuracy",
        pos_label: Any = None,
        distance_cv: Any = 5,
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

    def fit(self, X: Any, y: Any, clusters: Any = None) -> "HybridClassifier":
        """Split the negatives, fit the machines and the integrator, and choose the threshold.

        Parameters
        ----------
        X : {array-like, sparse matrix, DataFrame} of shape (n_samples, n_features)
            Rows of numbers.
        y : array-like of shape (n_samples,)
            Classes.
        clusters : array-like of shape (n_samples,), optional
            Label of each row's cluster, in place of `n_clusters`; those of the positives do not matter. In a
            cross-validation they are cut to the rows of each fold, if metadata routing is enabled and
            ``set_fit_request(clusters=True)`` asks for them.

        Returns
        -------
        HybridClassifier
        """
        self._check_options()
        x, code = self._read(X, y)
        checks.refuse_misaligned_clusters(X, clusters)
        checks.refuse_unused_clusters(clusters, self.n_clusters, self.split, self.classes_)
        base = self._baseline(code)
        self.pos_label_ = self.classes_[base]
        self._order = np.array([base, *(place for place in range(len(self.classes_)) if place != base)])
        if len(self.classes_) > 2:
            self._fit_classes(x, code)
        elif self.split == "folds":
            self._fit_parts_of_rows(x, code == base)
        else:
            self._fit_clusters(x, code == base, clusters)
        return self

    def _fit_classes(self, x: Any, code: Codes) -> None:
        """The baseline against each other class."""
        checks.refuse_folds_of_classes(self.classes_, self.split)
        checks.refuse_logit_of_classes(self.integrator, self.classes_)
        groups = np.argsort(self._order)[code]
        names = [str(self.classes_[place]) for place in self._order]
        self.clusters_, self.n_clusters_, self.threshold_ = groups, len(names) - 1, None
        self._fit_parts(x, _against_baseline(groups, names[1:]), groups, names)

    def _fit_clusters(self, x: Any, positive: NDArray[np.bool_], clusters: Any) -> None:
        groups, names = split_negatives(x, positive, self.n_clusters, clusters, self._seed())
        self.clusters_, self.n_clusters_ = groups, len(names)
        pos, neg = str(self.pos_label_), str(self._negative)
        labels = [pos, *(f"{neg}:{name}" for name in names)] if len(names) > 1 else [pos, neg]
        if pos in labels[1:]:
            labels[0] = f"{pos} (positive)"
        tasks = _against_baseline(groups, names)
        self._fit_two(x, tasks, groups, labels, positive)

    def _fit_parts_of_rows(self, x: Any, positive: NDArray[np.bool_]) -> None:
        """Random parts of all rows, one machine each."""
        rarest = int(min(positive.sum(), (~positive).sum()))
        if isinstance(self.n_clusters, str) and self.n_clusters == "auto":
            number = min(PARTS, rarest)
        else:
            number = _params.count(checks.number_of_parts(self.n_clusters), "n_clusters")
            checks.refuse_many_parts(number, rarest)
        parts = _random_parts(positive, number, self._seed())
        self.clusters_, self.n_clusters_ = parts, number
        tasks = [
            Task(str(part), positive & (parts == part), ~positive & (parts == part)) for part in range(1, number + 1)
        ]
        code = np.where(positive, 0, 1)
        self._fit_two(x, tasks, code, [str(self.pos_label_), str(self._negative)], positive)

    def _fit_two(self, x: Any, tasks: list[Task], code: Codes, labels: list[str], positive: NDArray[np.bool_]) -> None:
        asks = isinstance(self.threshold, str)
        held_out = self._fit_parts(x, tasks, code, labels, self.threshold_cv if asks else None)
        if held_out is None:
            self.threshold_ = float(self.threshold)
            return
        proba, folds = held_out
        if self.threshold == "prevalence":
            self.threshold_ = cutoff.by_share(proba, positive)
        else:
            labels_of = (self.pos_label_, self._negative)
            self.threshold_ = cutoff.by_score(proba, positive, folds.held(), self.scoring, labels_of)

    def _by_class(self, proba: Array) -> Array:
        if len(self.classes_) > 2:
            return super()._by_class(proba)
        # 1 - p would lose the digits of small probabilities; a sum may exceed 1 in the last one.
        negative = np.minimum(proba[:, 1:].sum(axis=1), 1.0)
        return super()._by_class(np.column_stack([proba[:, 0], negative]))

    def predict(self, X: Any) -> NDArray[Any]:
        """The positive class where its probability exceeds `threshold_`; of more than two, the most probable class."""
        proba = self.predict_proba(X)
        if self.threshold_ is None:
            return self.classes_[likeliest(proba, self.random_state)]
        return np.where(proba[:, self._order[0]] > self.threshold_, self.pos_label_, self._negative)

    def _called(self) -> str:
        return super()._called() if self.threshold_ is None else f"P({self.pos_label_}) > {self.threshold_:.4g}"

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = self.split != "folds"
        return tags

    @property
    def _negative(self) -> Any:
        return self.classes_[self._order[1]]

    def _kind(self) -> str:
        return "logit" if self.split == "folds" and len(self.classes_) == 2 else self.integrator

    def _check_options(self) -> None:
        self._check_shared_options()
        _params.choice(self.split, ("negatives", "folds"), "split")
        _params.choice(self.integrator, ("multinomial", "individualized", "logit"), "integrator")
        checks.refuse_threshold(self.threshold)
        checks.refuse_cv(self.threshold_cv, "threshold_cv", none=False)
        check_one_score(self.scoring)

    def _baseline(self, code: Codes) -> int:
        """Place of the positive class: as asked; the rarer of two, the second if they are equal; else the first."""
        if self.pos_label is not None:
            return checks.read_positive(self.pos_label, self.classes_)
        if len(self.classes_) > 2:
            return 0
        first, second = np.bincount(code)
        return 0 if first < second else 1


def _against_baseline(groups: Codes, names: list[str]) -> list[Task]:
    return [Task(name, groups == 0, groups == place + 1) for place, name in enumerate(names)]


def _random_parts(positive: NDArray[np.bool_], number: int, seed: int | None) -> Codes:
    """Parts 1, 2, ... of the rows, with both classes in each."""
    parts = np.ones(len(positive), np.int64)
    if number > 1:
        splitter = StratifiedKFold(number, shuffle=True, random_state=seed)
        for part, (_, rows) in enumerate(splitter.split(positive[:, None], positive)):
            parts[rows] = part + 1
    return parts

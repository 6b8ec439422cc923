"""OrdinalHybridClassifier: Chang's Procedure II."""

from functools import partial
from typing import Any, Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from pwcstats import _params
from pwcstats._text import listed, shown
from pwcstats.errors import InputError, PwcWarning, arg, value, warn
from pwcstats.hybrid.base import FOLDS, BaseHybrid, HeldOut, Rows
from pwcstats.hybrid.cutoff import THRESHOLDS, known_threshold
from pwcstats.hybrid.groups import Groups
from pwcstats.hybrid.integrators import Criterion, Penalty
from pwcstats.hybrid.machines import MachineRows
from pwcstats.logit.reading import is_text
from pwcstats.pairwise.calibration import likeliest

__all__ = ["OrdinalHybridClassifier"]


class OrdinalHybridClassifier(BaseHybrid):
    r"""Each class against the lower ones, integrated by continuation ratios (Chang's Procedure II).

    For ordered classes. Each of the K - 1 machines separates a class from the union of all lower classes; one machine
    for each pair of classes would need K(K - 1)/2. An ordinal model of the distances from the machines' borders gives
    probabilities.

    Parameters
    ----------
    estimator : classifier, optional
        Local machine: any learner with ``decision_function`` or ``predict_proba``. By default each machine standardises
        its columns and fits ``SVC(kernel="linear")`` with at most a million steps. A learner that you pass gets the
        columns as they are.
    integrator : {"cratio", "ordered"}
        Continuation ratios (:class:`ContinuationRatio`, backward), or proportional odds (:class:`OrderedLogit`), in
        which classes differ only by a threshold.
    penalty : {"auto", None, "firth"}
        "auto" uses Firth's penalty if the distances separate the classes, None never, "firth" always.
    select : {None, "aic", "bic", "lr"}
        Criterion by which :func:`stepwise` selects distances; None keeps all.
    categories : sequence, optional
        The classes from the lowest to the highest. By default, the order of an ordered pandas Categorical, or sorted.
    distance_cv : None, int or splitter
        Folds that hold out the distances from which the integrator learns. With None it learns from distances of the
        machines' own training rows, as in the paper. A number means stratified folds, shuffled if there is a
        `random_state`.
    class_threshold : {None, "cv", "prevalence"}, dict or array-like
        The probability of each class above which :meth:`membership` counts a row to the class. "cv" takes the threshold
        with the best `scoring` of the class against all others on held-out probabilities, or 1/2 if the folds do not
        clearly show that it is better. "prevalence" counts as many rows to each class as it has. You can give numbers
        by class, or in the order of `classes_`. :meth:`predict` does not use them.
    threshold_cv : int or splitter
        Folds that hold out the probabilities that choose the thresholds. A warning says so if nothing is chosen and you
        set it.
    scoring : str or callable
        Score of predicted classes, as in scikit-learn, by which "cv" chooses thresholds. A class is 1 and all others
        are 0.
    n_jobs : int, optional
        Number of machines that are fitted in parallel, as in joblib. Results are bit-identical for any number.
    random_state : int or RandomState, optional
        Seeds folds, and machines without a seed of their own, and breaks ties between equally probable classes at
        random.
    verbose : int
        Whether to show progress bars.

    Attributes
    ----------
    classes_ : ndarray
        Class labels, sorted: the order of the columns of :meth:`predict_proba`, which scikit-learn's scores expect.
    categories_ : ndarray
        Class labels from the lowest to the highest.
    machines_ : dict
        Fitted learners by the label of their class; True is the side of that class.
    norms_ : Series
        Norms ||w|| by which decision values are divided. Those of the default machine refer to standardised columns.
    integrator_ : results
        The fitted logit model: results with ``params``, ``bse``, ``cov_params()``, ``conf_int()``, ``llf`` and
        ``summary()``. They treat the distances as given.
    aliased_ : list of str
        Distances that are not used because they are combinations of others.
    unsteady_ : list of str
        Distances that are not held out because the folds disagree on where the border is.
    selected_ : list of str
        Distances that the integrator uses.
    penalty_ : {None, "firth"}
        Penalty that was used.
    thresholds_ : Series or None
        Threshold of each class for :meth:`membership`; None without `class_threshold`.
    n_features_in_, feature_names_in_ : int, ndarray
        Number of columns, and their names if X has names.

    See Also
    --------
    HybridClassifier : Classes without order, and one class against many kinds (Procedure I).
    ContinuationRatio : The default integrator.

    Notes
    -----
    Machine j separates class j from the classes 0, ..., j - 1. The signed distances :math:`d_j = f_j(x) / \|w_j\|` are
    integrated by

    .. math:: \mathrm{logit}\, P(Y = j \mid Y \le j, x) = \beta_{0j} + \beta_j^\top d, \quad j = 1, \ldots, k,

    which are k binary fits [1]_. Write :math:`P'_j` for these probabilities. Then :math:`P_k = P'_k`, and downwards
    :math:`P_j = P'_j (1 - \sum_{l > j} P_l)`. (In (4) and (5) of the report, the logarithm and the condition are
    misprinted.)

    Each default machine standardises its columns, so its distances are in standard deviations of the columns among its
    training rows. Your own learner gets the columns as they are; see :class:`HybridClassifier`.

    References
    ----------
    .. [1] Chang, Y.-C. I. (2003). Boosting SVM classifiers with logistic regression. Technical report, Institute of
       Statistical Science, Academia Sinica, Taipei.

    Examples
    --------
    >>> from pwcstats import OrdinalHybridClassifier
    >>> from pwcstats.datasets import chang_ordered
    >>> sample = chang_ordered(2, random_state=0)
    >>> X, y, train = sample.data, sample.target, sample.train
    >>> clf = OrdinalHybridClassifier().fit(X[train], y[train])
    >>> round(clf.score(X[~train], y[~train]), 3)
    0.755
    """

    _ordered = True

    def __init__(
        self,
        estimator: Any = None,
        *,
        integrator: Literal["cratio", "ordered"] = "cratio",
        penalty: Penalty = "auto",
        select: Criterion = None,
        categories: Any = None,
        distance_cv: Any = FOLDS,
        class_threshold: Any = None,
        threshold_cv: Any = FOLDS,
        scoring: Any = "f1",
        n_jobs: int | None = None,
        random_state: Any = None,
        verbose: int = 0,
    ) -> None:
        self.estimator = estimator
        self.integrator = integrator
        self.penalty = penalty
        self.select = select
        self.categories = categories
        self.distance_cv = distance_cv
        self.class_threshold = class_threshold
        self.threshold_cv = threshold_cv
        self.scoring = scoring
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> "OrdinalHybridClassifier":
        """Fit the machines and the integrator.

        Parameters
        ----------
        X : {array-like, sparse matrix, DataFrame} of shape (n_samples, n_features)
            Rows of numbers.
        y : array-like of shape (n_samples,)
            Ordered classes.
        sample_weight : array-like of shape (n_samples,), optional
            Weights of the rows; 2 counts as two rows, and rows of weight 0 are left out. The machines, the integrator
            and the thresholds use them. In a pipeline the last step gets them. Folds ignore them.

        Returns
        -------
        OrdinalHybridClassifier
            The fitted classifier.
        """
        self._check_params()
        rows = self._read(X, y, sample_weight)
        self._order = self._read_order(y)
        self.categories_ = self.classes_[self._order]
        rank = np.argsort(self._order)[rows.code]
        names = [str(label) for label in self.categories_]
        machines = [MachineRows(names[k], rank == k, rank < k) for k in range(1, len(names))]
        groups, known = Groups(rank, names, machines, rank), self._known_thresholds(rows)
        train = partial(self._train, rows, self.integrator, self._seed())
        fitted = self._train_best(train, [lambda: groups], rows.weight, needed=known is not None and None in known)
        self._keep(fitted)
        self.thresholds_ = None if known is None else self._all_thresholds(known, fitted.held_out, rows)
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
            The likeliest class. Ties go to the first class in `classes_`; with a `random_state` they are broken at
            random.
        """
        best = likeliest(self.predict_proba(X), self.random_state)
        return self.classes_[best]

    def membership(self, X: Any) -> pd.DataFrame:
        """Classes to which rows belong by the thresholds of the classes.

        A row may belong to several classes, or to none.

        Parameters
        ----------
        X : {array-like, sparse matrix, DataFrame} of shape (n_samples, n_features)
            New rows.

        Returns
        -------
        DataFrame of bool
            Whether the probability of each class is above its threshold. The columns are `classes_`; the index is that
            of X, if it has one.
        """
        proba = self.predict_proba(X)
        if self.thresholds_ is None:
            raise InputError(
                f"classes have no thresholds; set {arg('class_threshold', 'cv')} or {value('prevalence')}, or give one "
                "number for each class."
            )
        index = X.index if hasattr(X, "index") and not callable(X.index) else None
        return pd.DataFrame(proba > self.thresholds_.to_numpy(), index=index, columns=self.classes_)

    def _check_params(self) -> None:
        super()._check_params()
        if isinstance(self.class_threshold, str):
            _params.choice(self.class_threshold, THRESHOLDS, "class_threshold")

    def _known_thresholds(self, rows: Rows) -> list[float | None] | None:
        """Thresholds of the classes; None for those that need held-out probabilities."""
        if self.class_threshold is None:
            return None
        if isinstance(self.class_threshold, str):
            known = partial(known_threshold, self.class_threshold, self.scoring, weight=rows.weight)
            return [known(rows.code == k) for k in range(len(self.classes_))]
        return _read_thresholds(self.class_threshold, self.classes_)

    def _all_thresholds(self, known: list[float | None], held_out: HeldOut | None, rows: Rows) -> pd.Series:
        """Thresholds of the classes; those that are not known come from held-out probabilities."""
        found = list(known)
        if held_out is not None:
            proba = self._by_class(held_out.proba)
            for k in [k for k, threshold in enumerate(known) if threshold is None]:
                # A score sees a class as 1, and all others as 0.
                choose = THRESHOLDS[self.class_threshold]
                found[k] = choose(proba[:, k], rows.code == k, held_out.fold, self.scoring, (1, 0), rows.weight)
        return pd.Series(found, index=self.classes_, dtype=np.float64)

    def _read_order(self, y: Any) -> NDArray[np.int64]:
        """Indices of the classes in `classes_`, from the lowest to the highest."""
        if self.categories is not None:
            return _indices_of(self.categories, self.classes_)
        dtype = getattr(y.iloc[:, 0] if isinstance(y, pd.DataFrame) else y, "dtype", None)
        if isinstance(dtype, pd.CategoricalDtype):
            if not dtype.ordered:
                raise InputError(
                    f"{arg('y')} has classes without an order, {listed(dtype.categories)}; make it an ordered "
                    f"Categorical, or set {arg('categories')}, from the lowest to the highest."
                )
            return _indices_of(dtype.categories, self.classes_)
        if is_text(self.classes_) and len(self.classes_) > 2:
            warn(
                PwcWarning(
                    f"the classes are strings and were sorted alphabetically, {listed(map(shown, self.classes_))}; if "
                    f"this is not their order, set {arg('categories')}, from the lowest to the highest, or make "
                    f"{arg('y')} an ordered Categorical."
                )
            )
        return np.arange(len(self.classes_))


def _read_thresholds(given: Any, classes: NDArray[Any]) -> list[float | None]:
    """One number between 0 and 1 for each class, given by class or in the order of the classes."""
    if isinstance(given, (dict, pd.Series)):
        by_class = dict(given)
        given = [by_class.pop(label, None) for label in classes.tolist()]
        if by_class:
            raise InputError(
                f"{arg('class_threshold')} has thresholds of {listed(map(shown, by_class))}, but the classes are "
                f"{listed(map(shown, classes))}."
            )
    if np.ndim(given) != 1 or len(given) != len(classes):
        raise InputError(
            f"{arg('class_threshold')} must be {', '.join(map(value, (None, *THRESHOLDS)))}, or one number for each of "
            f"the classes {listed(map(shown, classes))}, got {value(given)}."
        )
    return [
        _params.number(each, "class_threshold", "a probability between 0 and 1 for each class", lambda x: 0 <= x <= 1)
        for each in given
    ]


def _indices_of(categories: Any, classes: NDArray[Any]) -> NDArray[np.int64]:
    """Indices of the categories among the classes; categories without rows are left out."""
    if isinstance(categories, str) or not hasattr(categories, "__iter__"):
        raise InputError(
            f"{arg('categories')} must be a list of classes, from the lowest to the highest, got {value(categories)}."
        )
    given, labels = list(categories), classes.tolist()
    unknown = [label for label in labels if label not in given]
    if unknown:
        raise InputError(
            f"{arg('y')} has classes that are not among the {arg('categories')}, {listed(map(shown, unknown))}; add "
            "them."
        )
    if len(set(given)) < len(given):
        raise InputError(f"{arg('categories')} must be different from each other, got {listed(map(shown, given))}.")
    return np.array([labels.index(label) for label in given if label in labels], dtype=np.int64)

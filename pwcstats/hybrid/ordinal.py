"""OrdinalHybridClassifier: Chang's Procedure II."""

import warnings
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from pwcstats import _params
from pwcstats.hybrid import checks
from pwcstats.hybrid.integrated import IntegratedMachines
from pwcstats.hybrid.local import Task
from pwcstats.logit.reading import is_text
from pwcstats.pairwise.calibration import likeliest

__all__ = ["OrdinalHybridClassifier"]


class OrdinalHybridClassifier(IntegratedMachines):
    r"""Each class against its predecessors, integrated by continuation ratios (Chang's Procedure II).

    For ordered classes: K - 1 machines, where one for each pair would be K(K - 1)/2. Each tells a class from the union
    of those before it, and an ordinal model of the distances from their borders gives probabilities.

    Parameters
    ----------
    estimator : classifier, optional
        Local machine: any learner with ``decision_function`` or ``predict_proba``. By default each machine standardises
        its columns and fits ``SVC(kernel="linear")`` with at most a million steps. A learner that you give gets the
        columns as they are.
    integrator : {"cratio", "ordered"}
        Continuation ratios (:class:`ContinuationRatio`, backward), or proportional odds (:class:`OrderedLogit`), whose
        classes differ in a threshold only.
    penalty : {"auto", None, "firth"}
        Firth's penalty where the distances separate the classes, never, or always. Proportional odds have none.
    select : {None, "aic", "bic", "lr"}
        Whether to select distances by :func:`stepwise`, and how.
    categories : sequence, optional
        The classes from the lowest to the highest. By default in the order of an ordered pandas Categorical, or sorted.
    distance_cv : None, int or splitter
        Whether the integrator learns from distances of rows that the machines were trained on (None, as in the paper),
        or from held-out ones. A number means stratified folds, shuffled if there is a `random_state`.
    n_jobs : int, optional
        Parallel fits of machines, as joblib counts them. The answer has the same bits whatever it is.
    random_state : int or RandomState, optional
        Seeds folds, and machines that have no seed of their own; draws between classes of equal probability.
    verbose : int
        Whether to show progress bars.

    Attributes
    ----------
    classes_ : ndarray
        Labels, sorted: the order of the columns of :meth:`predict_proba`, which scikit-learn's scores expect.
    categories_ : ndarray
        Labels from the lowest to the highest.
    machines_ : dict
        Fitted learners by the label of their class; True is its side.
    norms_ : Series
        Lengths ||w|| by which decision values are divided; for the default machine, of the standardised columns.
    integrator_ : results
        The fitted model, with ``summary()``.
    aliased_ : list of str
        Distances that are combinations of others (at some stage) and are left out.
    unsteady_ : list of str
        Distances of the fit that were used in place of held-out ones, as the folds did not agree where the border is.
    selected_ : list of str
        Distances that the integrator uses.
    penalty_ : {None, "firth"}
        Penalty that was used.
    n_features_in_, feature_names_in_ : int, ndarray
        Number of columns, and their names where X had names.

    See Also
    --------
    HybridClassifier : Classes without order, and one class against many kinds (Procedure I).
    ContinuationRatio : The model that integrates.

    Notes
    -----
    Machine j tells class j from the classes 0, ..., j - 1, and the signed distances :math:`d_j = f_j(x) / \|w_j\|` are
    integrated by

    .. math:: \mathrm{logit}\, P(Y = j \mid Y \le j, x) = \beta_{0j} + \beta_j^\top d, \quad j = 1, \ldots, k,

    k binary fits [1]_. Then :math:`P_k = P'_k`, and downwards :math:`P_j = P'_j (1 - \sum_{l > j} P_l)`. (In (4)
    and (5) of the report, the logarithm and the condition are misprinted.)

    Each default machine standardises its columns, so its distances are in standard deviations of the columns among the
    rows that it learns from. A learner of your own gets the columns as they are; see :class:`HybridClassifier`.

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

    def __init__(
        self,
        estimator: Any = None,
        *,
        integrator: str = "cratio",
        penalty: str | None = "auto",
        select: str | None = None,
        categories: Any = None,
        distance_cv: Any = 5,
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
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose

    def fit(self, X: Any, y: Any) -> "OrdinalHybridClassifier":
        """Fit the machines and the integrator.

        Parameters
        ----------
        X : {array-like, sparse matrix, DataFrame} of shape (n_samples, n_features)
            Rows of numbers.
        y : array-like of shape (n_samples,)
            Ordered classes.

        Returns
        -------
        OrdinalHybridClassifier
        """
        self._check_options()
        x, code = self._read(X, y)
        self._order = self._places(y)
        self.categories_ = self.classes_[self._order]
        rank = np.argsort(self._order)[code]
        names = [str(label) for label in self.categories_]
        tasks = [Task(name, rank == place, rank < place) for place, name in enumerate(names) if place]
        self._fit_parts(x, tasks, rank, names)
        return self

    def predict(self, X: Any) -> NDArray[Any]:
        """The most probable class; of equals the first in `classes_`, or with a `random_state` one that is drawn."""
        best = likeliest(self.predict_proba(X), self.random_state)
        return self.classes_[best]

    def _places(self, y: Any) -> NDArray[np.int64]:
        """Places of the classes, from the lowest to the highest."""
        if self.categories is not None:
            return checks.read_categories(self.categories, self.classes_)
        dtype = getattr(y.iloc[:, 0] if isinstance(y, pd.DataFrame) else y, "dtype", None)
        if isinstance(dtype, pd.CategoricalDtype):
            checks.refuse_no_order(dtype)
            return checks.read_categories(dtype.categories, self.classes_)
        if is_text(self.classes_) and len(self.classes_) > 2:
            warnings.warn(checks.words_in_alphabet(self.classes_), UserWarning, stacklevel=3)
        return np.arange(len(self.classes_))

    def _check_options(self) -> None:
        self._check_shared_options()
        _params.choice(self.integrator, ("cratio", "ordered"), "integrator")
        checks.refuse_penalised_order(self.integrator, self.penalty)

"""PairwiseClassifier: one learner for each pair of classes, coupled."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
from joblib import effective_n_jobs
from numpy.typing import NDArray
from sklearn.base import ClassifierMixin, MetaEstimatorMixin
from sklearn.metrics import check_scoring
from sklearn.utils import _safe_indexing, check_random_state
from sklearn.utils.metadata_routing import MetadataRouter
from sklearn.utils.validation import (
    check_is_fitted,
)

from pwcstats import _params
from pwcstats._arrays import Array
from pwcstats.coupling import couple
from pwcstats.coupling.methods import find_method
from pwcstats.pairwise import checks, learners
from pwcstats.pairwise.folds import Folds, make_folds
from pwcstats.pairwise.parameters import WithCandidates
from pwcstats.pairwise.problem import Problem, cut
from pwcstats.pairwise.reading import read_problem, read_rows
from pwcstats.pairwise.routing import Routed, make_router, route
from pwcstats.pairwise.ties import likeliest
from pwcstats.pairwise.training import Candidate, Options, Training

__all__ = ["PairwiseClassifier"]

# Pairwise probabilities are made and coupled in pieces of about this many numbers: larger ones are slower, for they
# leave the processor's cache.
PIECE = 2**21


class PairwiseClassifier(MetaEstimatorMixin, ClassifierMixin, WithCandidates):
    r"""One learner for each pair of classes, coupled into probabilities of all classes.

    With candidates, each pair keeps the learner that is best on it. Learners without probabilities are calibrated. With
    ``SVC`` this is what ``SVC(probability=True)`` was: LIBSVM's machines, Platt's sigmoids, Wu, Lin & Weng's coupling.

    Parameters
    ----------
    estimator : classifier, list or dict of classifiers, optional
        One learner, or candidates: a list, a list of (name, learner), or a dict. Pipelines are fitted anew on each
        pair; to scale the columns once for all pairs put this classifier into a pipeline. By default the columns are
        standardised, once for all pairs, and the learner is ``SVC(gamma="auto")``, as in R's e1071. Learners that you
        give get the columns as they are.
    coupling : {"wlw2", "ht", "wlw1", "pkpd", "rv", "vote", "sum", "bayes"}
        Method of :func:`pwcstats.couple`. For ``"bayes"`` a second learner of each pair tells its two classes from all
        others, K(K-1)/2 fits to all rows.
    weights : {"counts", None}
        For ``coupling="ht"``: weigh each pair by its number of rows n_ij, or all alike.
    selection_cv : int, splitter or iterable
        Folds by which candidates are compared. Here and in `calibration_cv` the folds are made once, on all rows, and
        each pair takes its rows of them; a number means stratified folds, shuffled if there is a `random_state`.
    scoring : str or callable
        Score by which candidates are compared, as in scikit-learn; of equals, the first candidate is kept. Learners
        that are calibrated are scored as such, each fold calibrated by the others, for which the folds must hold out
        each row once. Default: accuracy.
    threshold : {None, "train", "cv"}
        Whether to move each pair's border to where it makes the fewest errors, in training or on held-out rows [1]_.
    calibration : {"auto", None, "sigmoid", "isotonic"}
        How scores become probabilities: Platt's sigmoid [4]_ or isotonic regression on held-out scores. "auto" gives
        sigmoids to learners without ``predict_proba``, and leaves the others as they are; None calibrates nothing.
        An ``SVC(probability=True)`` is calibrated here, as if it were an ``SVC()``.
    calibration_cv : int, splitter or iterable
        Folds for calibration and for ``threshold="cv"``; every row must be held out once.
    error_score : "raise" or float
        What to do where a learner fails on a pair: raise an error that names it, or give it this score (``np.nan``: the
        worst) and go on. Where all candidates fail, the classes' shares of the rows stand in, and a warning lists
        the pairs.
    fast : bool
        Whether ``SVC`` and ``NuSVC`` are fitted to all pairs at once, and LDA, QDA and Gaussian naive Bayes to all
        pairs and folds from sums that are made once; the answers are the same. (But where no column varies within a
        pair, scikit-learn's LDA fails, and the sums give the priors.)
    n_jobs : int, optional
        Parallel fits, as joblib counts them, and threads in prediction. The answer has the same bits whatever it is.
    random_state : int or RandomState, optional
        Shuffles the folds, seeds learners that have no seed of their own, and draws between classes of equal
        probability in :meth:`predict`. Without it nothing here is random.
    verbose : int
        Whether to show progress bars.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Labels, sorted.
    pairs_ : DataFrame
        A row for each pair: `class_i`, `class_j`, `n` (rows in either, weights included), `learner`; with candidates
        `cv_score_<name>` of each; and where they apply `sigmoid_a` and `sigmoid_b` (r_ij = 1 / (1 + exp(a f + b)) of
        the score f), `threshold`, and `error`.
    estimators_ : dict
        Fitted learners by (class_i, class_j). To them class_i is 0 and class_j is 1, whatever the labels are: their
        ``classes_`` are 0 and 1, ``predict`` returns these, and ``decision_function`` is positive for class_j. Of an
        ``SVC`` that was fitted to all pairs at once it is a view of that machine. Default learners take columns that
        `scaler_` has standardised.
    scaler_ : transformer or None
        What standardises the columns of the default learner: it subtracts the means and divides by the standard
        deviations (divisor n - 1) of the training rows. None with learners that you give.
    n_features_in_ : int
        Number of columns.
    feature_names_in_ : ndarray
        Names of the columns, where X had names.

    See Also
    --------
    couple : The coupling alone, for pairwise probabilities of any origin.
    sklearn.multiclass.OneVsOneClassifier : Votes of pairwise classifiers, without probabilities.

    Notes
    -----
    For a new row the learner of classes i and j gives a score :math:`d_{ij}` on the scale of log-odds, and
    :math:`r_{ij} = 1 / (1 + \exp(t_{ij} - d_{ij}))`, where the thresholds t are 0 unless asked for. The r are
    coupled [1]_ [3]_. Choosing a learner for each pair is Szepannek, Bischl & Weihs's proposal [2]_.

    Class weights and priors of a learner are those of all classes: ``class_weight="balanced"`` and ``SVC``'s
    ``gamma="scale"`` are computed from all rows, and each pair gets its two classes' weights, or its two priors
    made to sum to 1. So a pair's machine is the same as in a single fit of all classes, and as in R's e1071. (Inside a
    pipeline, "balanced" and "scale" are left to the learner, which sees the rows of one pair. With `sample_weight`,
    balanced weights count them, as in scikit-learn's logistic regression, but not in its ``SVC``.)

    Each learner is fitted to labels 0 (class_i) and 1 (class_j), so that learners which take no other labels, such as
    XGBoost's, can be used with any classes. Class weights are given by the classes' own labels. Scorers of `scoring`
    see the classes' own labels, too; a scorer within a learner, as in a ``GridSearchCV``, sees 0 and 1.

    Log-odds of probabilities are cut at 36 in either direction, where 1 - p is 0 in double precision.

    Prediction runs in pieces, so that memory grows with the rows times the classes, not with the rows times the pairs.

    References
    ----------
    .. [1] Hastie, T. and Tibshirani, R. (1998). Classification by pairwise coupling. Annals of Statistics 26,
       451-471. https://doi.org/10.1214/aos/1028144844
    .. [2] Szepannek, G., Bischl, B. and Weihs, C. (2007). On the combination of locally optimal pairwise classifiers.
       MLDM 2007, LNAI 4571, 104-116.
    .. [3] Wu, T.-F., Lin, C.-J. and Weng, R. C. (2004). Probability estimates for multi-class classification by
       pairwise coupling. Journal of Machine Learning Research 5, 975-1005.
    .. [4] Lin, H.-T., Lin, C.-J. and Weng, R. C. (2007). A note on Platt's probabilistic outputs for support vector
       machines. Machine Learning 68, 267-276. https://doi.org/10.1007/s10994-007-5018-6

    Examples
    --------
    Probabilities of a support vector machine:

    >>> from sklearn.datasets import load_iris
    >>> from sklearn.svm import SVC
    >>> from pwcstats import PairwiseClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> clf = PairwiseClassifier(SVC()).fit(X[::2], y[::2])
    >>> clf.predict_proba(X[[1, 71, 77]]).round(2)
    array([[0.94, 0.05, 0.02],
           [0.02, 0.96, 0.02],
           [0.02, 0.49, 0.49]])

    The better of two learners for each pair:

    >>> from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
    >>> from sklearn.naive_bayes import GaussianNB
    >>> clf = PairwiseClassifier({"lda": LinearDiscriminantAnalysis(), "nb": GaussianNB()}, coupling="ht").fit(X, y)
    >>> print(clf.pairs_.round(3).to_string())
       class_i  class_j    n learner  cv_score_lda  cv_score_nb
    0        0        1  100     lda          1.00         1.00
    1        0        2  100     lda          1.00         1.00
    2        1        2  100     lda          0.96         0.91
    """

    def __init__(
        self,
        estimator: Any = None,
        *,
        coupling: str = "wlw2",
        weights: str | None = "counts",
        selection_cv: Any = 3,
        scoring: Any = "accuracy",
        threshold: str | None = None,
        calibration: str | None = "auto",
        calibration_cv: Any = 5,
        error_score: Any = "raise",
        fast: bool = True,
        n_jobs: int | None = None,
        random_state: Any = None,
        verbose: int = 0,
    ) -> None:
        self.estimator = estimator
        self.coupling = coupling
        self.weights = weights
        self.selection_cv = selection_cv
        self.scoring = scoring
        self.threshold = threshold
        self.calibration = calibration
        self.calibration_cv = calibration_cv
        self.error_score = error_score
        self.fast = fast
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose

    def fit(self, X: Any, y: Any, sample_weight: Any = None, **fit_params: Any) -> "PairwiseClassifier":
        """Choose, fit and calibrate the learners of all pairs.

        Parameters
        ----------
        X : {array-like, sparse matrix, DataFrame} of shape (n_samples, n_features)
            Rows to learn from, in a form that the learners take.
        y : array-like of shape (n_samples,)
            Classes.
        sample_weight : array-like of shape (n_samples,), optional
            Weights of the rows. They go to the learners' fits, and count in n_ij, balanced class weights, sigmoids and
            thresholds, where a weight of 2 is a row that is there twice; scores of candidates are not weighted, unless
            a scorer asks.
        **fit_params
            Go to the learners' fits, those with an entry for each row cut to the rows of a pair. With scikit-learn's
            metadata routing enabled, they go where requests say: to learners, splitters and scorers.

        Returns
        -------
        PairwiseClassifier
        """
        self._check_options()
        candidates = learners.read_candidates(self.estimator)
        problem = read_problem(self, X, y, sample_weight, candidates)
        if len(problem.kept) < problem.n_given:
            fit_params = cut(fit_params, problem.kept, problem.n_given)
        # Columns of a kernel matrix whose rows had weight 0 are left out of new rows, too.
        self._columns = problem.kept if problem.square else None
        routed = route(self, candidates, problem.weight, fit_params)
        training = Training(problem, self._settle(candidates, problem, routed), self._options(len(candidates), problem))
        scores = self._select(training, routed)
        folds = self._calibration_folds(training, routed)
        self._committee, chosen = training.fit(scores, folds)
        bayes = find_method(self.coupling).uses_pair_mass and problem.n_classes > 2
        self._masses = training.masses(chosen, folds) if bayes else None
        self.classes_ = problem.classes
        self.pairs_ = training.table(self._committee, scores, chosen)
        self._learners: dict[Any, Any] | None = None
        return self

    def predict_proba(self, X: Any) -> Array:
        """Coupled probabilities of all classes.

        Parameters
        ----------
        X : {array-like, sparse matrix, DataFrame} of shape (n_samples, n_features)
            New rows.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            In the order of `classes_`.
        """
        self._fitted()
        return self._in_pieces(X, self._couple, (len(self.classes_),))

    def predict_log_proba(self, X: Any) -> Array:
        """Logarithms of the coupled probabilities; minus infinity where a method gives 0, as votes may."""
        with np.errstate(divide="ignore"):
            return np.log(self.predict_proba(X))

    def predict(self, X: Any) -> NDArray[Any]:
        """The most probable class of each row.

        Of equals (in all digits), the one that comes first in `classes_`. With a `random_state` one of them is drawn,
        and the answer for a row depends on which other rows are asked for.
        """
        best = likeliest(self.predict_proba(X), self.random_state)
        return self.classes_[best]

    def pairwise_proba(self, X: Any) -> Array:
        """Probabilities within the pairs, after calibration and thresholds.

        Parameters
        ----------
        X : {array-like, sparse matrix, DataFrame} of shape (n_samples, n_features)
            New rows.

        Returns
        -------
        ndarray of shape (n_samples, n_classes, n_classes)
            ``r[:, i, j]`` is the probability of class i given that it is i or j; 1/2 on the diagonal. What
            :func:`pwcstats.couple` takes.
        """
        self._fitted()
        k = len(self.classes_)
        low, high = np.triu_indices(k, 1)

        def full(x: Any) -> Array:
            r = self._probabilities(x)
            out = np.full((len(r), k, k), 0.5)
            out[:, low, high], out[:, high, low] = r, 1.0 - r
            return out

        return self._in_pieces(X, full, (k, k))

    def pairwise_scores(self, X: Any) -> Array:
        """Raw scores of the pairs, a column for each row of `pairs_`, before calibration.

        They are decision values of learners without probabilities, and log-odds of learners with them; positive in
        favour of `class_i`. Of an ``SVC`` they are LIBSVM's, and those that e1071 calls ``decision.values``.
        """
        self._fitted()
        return self._in_pieces(X, lambda x: self._committee.scores(x), (len(self.pairs_),))

    def votes(self, X: Any) -> Array:
        """Number of pairs that each class wins, half a win for r = 1/2 (Friedman's max-wins rule)."""
        self._fitted()

        def count(x: Any) -> Array:
            return np.rint(couple(self._probabilities(x), "vote", condensed=True) * 2.0 * len(self.pairs_)) / 2.0

        return self._in_pieces(X, count, (len(self.classes_),))

    @property
    def estimators_(self) -> dict[Any, Any]:
        """Fitted learners by the labels of their pair; made when first asked for where a fast path was taken."""
        self._fitted()
        if self._learners is None:
            names = list(zip(self.pairs_["class_i"].tolist(), self.pairs_["class_j"].tolist(), strict=True))
            self._learners = self._committee.learners(names)
        return self._learners

    def get_metadata_routing(self) -> MetadataRouter:
        """How metadata are routed: to the learners' fits, and to splitters and a scorer that are objects and ask."""
        return make_router(self, learners.read_candidates(self.estimator))

    # What fit is made of.

    def _check_options(self) -> None:
        find_method(self.coupling, "coupling")
        for name, options in (
            ("weights", ("counts",)),
            ("threshold", ("train", "cv")),
            ("calibration", ("auto", "sigmoid", "isotonic")),
        ):
            _params.optional_choice(getattr(self, name), options, name)
        checks.refuse_error_score(self.error_score)
        checks.refuse_scoring(self.scoring)
        _params.flag(self.fast, "fast")
        _params.jobs(self.n_jobs)

    def _settle(self, candidates: dict[str, Any], problem: Problem, routed: Routed) -> list[Candidate]:
        out = []
        for name, learner in candidates.items():
            if find_method(self.coupling).uses_pair_mass:
                checks.refuse_class_sizes(name, learner)
            settled, params = learners.settle(learner, problem, self.calibration, routed.fits[name])
            sample = learners.showing_scores(settled, problem, params)
            kind = learners.kind_of_scores(name, sample, self.calibration, self.coupling)
            method = self.calibration
            if method == "auto":
                method = "sigmoid" if kind == learners.DECISION else None
            out.append(Candidate(name, settled, params, kind, method))
        return out

    def _options(self, n_candidates: int, problem: Problem) -> Options:
        seeds, self._fold_seeds = None, (None, None)
        if self.random_state is not None:
            random = check_random_state(self.random_state)
            self._fold_seeds = tuple(random.randint(2**31 - 1, size=2).tolist())
            seeds = random.randint(2**31 - 1, size=(n_candidates, problem.n_pairs))
        return Options(self.threshold, self.error_score, self.fast, self.n_jobs, self.verbose, seeds)

    def _select(self, training: Training, routed: Routed) -> Array:
        """Scores of the candidates on the pairs; zeros where there is no choice."""
        scorers = [check_scoring(candidate.learner, scoring=self.scoring) for candidate in training.candidates]
        if len(scorers) == 1:
            return np.zeros((1, training.problem.n_pairs))
        why = "to choose between candidates", "give one learner that has probabilities of its own"
        folds = make_folds(
            self.selection_cv,
            training.problem,
            "selection_cv",
            self._fold_seeds[0],
            why,
            **routed.selection_splitter,
        )
        return training.select(folds, scorers, self.scoring in ("accuracy", None), routed.scorer)

    def _calibration_folds(self, training: Training, routed: Routed) -> Folds | None:
        """Folds for sigmoids and thresholds, where any is to be learned."""
        methods = [candidate.name for candidate in training.candidates if candidate.method is not None]
        if not methods and self.threshold != "cv":
            return None
        why = f"to calibrate {methods[0]}" if methods else "for threshold='cv'"
        instead = "give a learner that has probabilities of its own" if methods else "use threshold='train'"
        folds = make_folds(
            self.calibration_cv,
            training.problem,
            "calibration_cv",
            self._fold_seeds[1],
            (why, instead),
            **routed.calibration_splitter,
        )
        if folds.number is None:
            checks.refuse_overlap("calibration_cv")
        return folds

    # What prediction is made of.

    def _fitted(self) -> None:
        # A fit that failed leaves n_features_in_ behind.
        check_is_fitted(self, "pairs_")

    def _probabilities(self, x: Any) -> Array:
        """r_ij of some rows, a column for each pair."""
        r = self._committee.probabilities(x)
        checks.refuse_nan_pairs(r, self.pairs_)
        return r

    def _couple(self, x: Any) -> Array:
        """Coupled probabilities of some rows."""
        r = self._probabilities(x)
        options: dict[str, Any] = {}
        method = find_method(self.coupling, "coupling")
        if method.uses_weights and self.weights == "counts":
            options["n"] = self.pairs_["n"].to_numpy(dtype=np.float64)
        if method.uses_pair_mass:
            checks.refuse_no_masses(self._masses, len(self.classes_))
            options["pair_mass"] = np.ones_like(r) if self._masses is None else self._masses.probabilities(x)
        return couple(r, method.name, condensed=True, **options)

    def _in_pieces(self, X: Any, answer: Callable[[Any], Array], shape: tuple[int, ...]) -> Array:
        """Answers of all rows, made from a few at a time, on as many threads as `n_jobs` asks for."""
        x = read_rows(self, X, reset=False)
        if self.scaler_ is not None:
            x = self.scaler_.transform(x)
        if self._columns is not None:
            x = x[:, self._columns]
        n = x.shape[0]
        out = np.empty((n, *shape))
        size = max(PIECE // len(self.pairs_), 1)
        workers = min(effective_n_jobs(self.n_jobs), -(-n // size) if n > size else 1)

        def fill(start: int) -> None:
            rows = slice(start, start + size)
            out[rows] = answer(x if n <= size else _safe_indexing(x, rows))

        if workers <= 1:
            for start in range(0, n, size):
                fill(start)
            return out
        with ThreadPoolExecutor(workers) as pool:
            list(pool.map(fill, range(0, n, size)))
        return out

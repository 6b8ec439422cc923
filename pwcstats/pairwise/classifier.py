"""PairwiseClassifier: one learner for each pair of classes, coupled."""

import numbers
from collections.abc import Callable
from typing import Any, Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin
from sklearn.metrics import check_scoring
from sklearn.utils import get_tags
from sklearn.utils.metadata_routing import MetadataRouter
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import (
    _check_sample_weight,
    _check_y,
    check_consistent_length,
    check_is_fitted,
    validate_data,
)

from pwcstats import _params
from pwcstats._arrays import Array
from pwcstats._text import listed
from pwcstats.coupling import couple
from pwcstats.coupling.methods import MethodName, find_method
from pwcstats.errors import InputError, PwcWarning, arg, code, value, warn
from pwcstats.pairwise import data, learners
from pwcstats.pairwise.calibration import CALIBRATIONS, THRESHOLDS, check_one_score, likeliest, log_odds_of, method_of
from pwcstats.pairwise.data import ClassPairs, Integers, Problem, RowFormat, Standardizer
from pwcstats.pairwise.fast import has_fast_path
from pwcstats.pairwise.folds import Folds, check_held_out_once, make_folds
from pwcstats.pairwise.learners import Candidate, read_candidates
from pwcstats.pairwise.prediction import CouplingRule, FittedPairs
from pwcstats.pairwise.routing import Routed, make_router, route
from pwcstats.pairwise.temperature import FLATTEST, fit_temperature, sample_rows
from pwcstats.pairwise.training import Options, Seeds, Training

__all__ = ["PairwiseClassifier"]


class PairwiseClassifier(MetaEstimatorMixin, ClassifierMixin, BaseEstimator):
    r"""One learner for each pair of classes, coupled into probabilities of all classes.

    Of several candidates, each pair keeps the learner that is best on it. Learners without probabilities are
    calibrated. ``PairwiseClassifier(SVC())`` takes the place of ``SVC(probability=True)``: it has the same machines and
    the same coupling, and better probabilities. With ``calibration="sigmoid"`` these are LIBSVM's, too.

    Parameters
    ----------
    estimator : classifier, list or dict of classifiers, optional
        One learner, or candidates: a list, a list of (name, learner), or a dict. A pipeline is fitted to each pair
        separately; to scale the columns once for all pairs, put this classifier into a pipeline. By default the
        columns are standardised once for all pairs, and the learner is ``SVC(gamma="auto")``, as in R's e1071.
        Learners that you give get the columns as they are.
    coupling : {"wlw2", "ht", "wlw1", "logit", "pkpd", "rv", "vote", "sum", "bayes"}
        Method of :func:`pwcstats.couple`. For ``"bayes"`` a second learner of each pair tells its two classes from all
        others, which takes K(K-1)/2 fits to all rows.
    weights : {"counts", None} or array-like
        For ``coupling="ht"`` and ``"logit"``, the weights n_ij of the pairs: their numbers of rows, equal weights, or
        your own. These are a symmetric (K, K) array in the order of `classes_`, a frame labelled by the classes, or
        one number >= 0 for each row of `pairs_`. Pairs of weight 0 are not used in the coupling.
    selection_cv : int, splitter or iterable
        Folds by which candidates are compared. Here and in `calibration_cv` the folds are made once, on all rows, and
        each pair uses its own rows of them. A number means stratified folds, shuffled if there is a `random_state`.
    scoring : str or callable
        Score by which candidates are compared, as in scikit-learn. Of equally good candidates the first is kept.
        Learners that are calibrated are scored after calibration, each fold calibrated by the others; for this the
        folds must hold out each row once.
    threshold : {None, "train", "cv"}
        Whether to move each pair's border to where it makes the fewest errors, on training rows or on held-out
        rows [1]_.
    calibration : {"auto", None, "firth", "sigmoid", "isotonic"}
        How scores become probabilities, learned from held-out scores: by logistic regression with Jeffreys' penalty
        ("firth") [5]_, by Platt's sigmoid as in LIBSVM [4]_, or by isotonic regression. "auto" means "firth" for
        learners without ``predict_proba`` and does not change the others; None calibrates nothing. An
        ``SVC(probability=True)`` is calibrated here, as if it were an ``SVC()``.
    temperature : {"auto", True, False}
        Whether to fit one temperature to held-out coupled probabilities, which makes all probabilities sharper or
        flatter and leaves the order of the classes as it is. "auto" does so where it costs little: with three or more
        classes, if all candidates are scored on held-out rows anyway; but not with ``calibration="sigmoid"``, which
        does what LIBSVM does. True takes a cross-validation for learners that have probabilities, too.
    calibration_cv : int, splitter or iterable
        Folds for calibration, temperature and ``threshold="cv"``; they must hold out every row once.
    error_score : "raise" or float
        What to do if a learner fails on a pair: raise an error that names it, or give it this score (``np.nan`` is the
        worst) and go on. If all candidates fail on a pair, the classes' shares of the rows are used, and a warning
        lists the pairs.
    fast : bool
        Whether ``SVC`` and ``NuSVC`` are fitted to all pairs at once, and LDA, QDA and Gaussian naive Bayes to all
        pairs and folds from sums that are computed once. Other linear learners, such as ``LogisticRegression`` and
        ``LinearSVC``, also after a scaler in a pipeline, predict all pairs by one matrix product. The results are the
        same up to rounding (in single precision if X is), with one exception: if no column varies within a pair,
        scikit-learn's LDA fails, whereas the sums give the priors.
    n_jobs : int, optional
        Number of parallel fits, as in joblib, and of threads in prediction. Results are bit-identical for any number.
    random_state : int or RandomState, optional
        Shuffles the folds, seeds learners that have no seed of their own, and draws between classes of equal
        probability in :meth:`predict`. If None, folds are not shuffled and ties go to the first class. Ties of two
        classes always go to the first, as in scikit-learn's classifiers.
    verbose : int
        Whether to show progress bars.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Sorted labels.
    pairs_ : DataFrame
        One row per pair: `class_i`, `class_j`, `n` (rows of either class, weights included) and `learner`. With
        several candidates there is also `cv_score_<name>` of each, NaN if it could not be computed. Where they apply:
        `sigmoid_a` and `sigmoid_b` (r_ij = 1 / (1 + exp(a f + b)) of the score f), `threshold`, and `error`. The frame
        is made at each access.
    estimators_ : dict
        Fitted learners by (class_i, class_j). They know class_i as 0 and class_j as 1, whatever the labels are: their
        ``classes_`` are 0 and 1, ``predict`` returns these, and ``decision_function`` is positive for class_j. If an
        ``SVC`` was fitted to all pairs at once, these are views of that machine. Default learners take columns that
        `scaler_` has standardised.
    scaler_ : transformer or None
        What standardises the columns of the default learner: it subtracts the means of the training rows and divides
        by their standard deviations (divisor n - 1). None for learners that you give.
    temperature_ : float
        The temperature T: coupled probabilities p become p^(1/T), divided by their sum. 1 if none was fitted.
    n_features_in_ : int
        Number of columns.
    feature_names_in_ : ndarray
        Names of the columns, if X had names.

    See Also
    --------
    couple : The coupling alone, for pairwise probabilities from any source.
    sklearn.multiclass.OneVsOneClassifier : Votes of pairwise classifiers, without probabilities.

    Notes
    -----
    For a new row the learner of classes i and j gives a score :math:`d_{ij}` on the scale of log-odds, and
    :math:`r_{ij} = 1 / (1 + \exp(t_{ij} - d_{ij}))`, where the thresholds t are 0 by default. The r are coupled [1]_
    [3]_. Szepannek, Bischl & Weihs proposed to choose a learner for each pair [2]_.

    Platt's sigmoids cap the odds within a pair of m rows per class near m + 1, and coupled probabilities of K classes
    near (m + 1) / (m + K), even if the classes are far apart: with 10 rows of 26 classes this is 0.31. With Jeffreys'
    penalty [5]_ the odds grow with the distance from the border. What is left of the cap, and of overconfidence, is
    corrected by the temperature T [6]_: coupled probabilities p become p^(1/T), divided by their sum. T minimises the
    log loss of held-out rows, which are scored by learners that have not seen their fold, and calibrated by the
    held-out scores of the other folds (thresholds are those of all rows). The targets are smoothed by one pseudo-case
    that the K classes share, so that T is never 0. With few classes and fewer than about ten rows of each, a wrong
    class may get a probability near 1; ``"sigmoid"`` is more cautious there.

    Class weights and priors of a learner refer to all classes: ``class_weight="balanced"`` and ``gamma="scale"`` of
    ``SVC`` are computed from all rows. Each pair gets the weights of its two classes, or their priors divided by their
    sum. So a pair's machine is the same as in a single fit of all classes, and as in R's e1071. (With `sample_weight`,
    balanced weights count them, as in scikit-learn's logistic regression, but not as in its ``SVC``.) A
    ``class_weight`` may name classes that are not in y, as long as it names one that is.

    Of a pipeline, the last step is the learner: its class weights, "balanced" ones too, refer to all rows, and it gets
    the `sample_weight`. The other steps get no weights; to weight them, too, name them in `fit`, as in
    ``standardscaler__sample_weight=weights``, or use metadata routing. A search such as ``GridSearchCV`` gives the
    weights to the learners that it tries. "scale" is left to an ``SVC`` in a pipeline,
    which sees the transformed rows of one pair. Steps that are a ``FrozenEstimator`` are used as they are; the learner
    itself cannot be frozen, because each pair needs a fit of its own.

    Each learner is fitted to the labels 0 (class_i) and 1 (class_j), so that learners which take no other labels, such
    as XGBoost's, can be used with any classes. Class weights are given by the original labels. Scorers of `scoring`
    see the original labels, too; a scorer inside a learner, as in a ``GridSearchCV``, sees 0 and 1.

    Log-odds of probabilities are limited to 36 in either direction, where 1 - p is 0 in double precision. With two
    classes there is nothing to couple: probabilities of a learner that is neither calibrated nor moved by a threshold
    are returned unchanged.

    The only row of a class cannot be held out, because no learner could be trained without it. If `selection_cv` or
    `calibration_cv` is a number, such a row is in all training sets, and a warning names its class. Calibrations and
    thresholds use its training score together with the held-out scores of the other class. Candidates are not
    compared on its pairs, as only one class would have held-out rows; the first is used.

    Frames of pandas or polars reach learners that are fitted pair by pair as they are, so that a ``ColumnTransformer``
    in a pipeline can choose columns by their names.

    Prediction runs in pieces, so its memory grows with the number of rows times classes, not rows times pairs.

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
    .. [5] Firth, D. (1993). Bias reduction of maximum likelihood estimates. Biometrika 80, 27-38.
       https://doi.org/10.1093/biomet/80.1.27
    .. [6] Guo, C., Pleiss, G., Sun, Y. and Weinberger, K. Q. (2017). On calibration of modern neural networks. ICML,
       PMLR 70, 1321-1330.

    Examples
    --------
    Probabilities of a support vector machine:

    >>> from sklearn.datasets import load_iris
    >>> from sklearn.svm import SVC
    >>> from pwcstats import PairwiseClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> clf = PairwiseClassifier(SVC()).fit(X[::2], y[::2])
    >>> clf.predict_proba(X[[1, 71, 77]]).round(2)
    array([[0.98, 0.01, 0.01],
           [0.  , 0.99, 0.  ],
           [0.  , 0.48, 0.51]])

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
        coupling: MethodName = "wlw2",
        weights: Any = "counts",
        selection_cv: Any = 3,
        scoring: Any = "accuracy",
        threshold: Literal["train", "cv"] | None = None,
        calibration: Literal["auto", "firth", "sigmoid", "isotonic"] | None = "auto",
        temperature: Literal["auto"] | bool = "auto",
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
        self.temperature = temperature
        self.calibration_cv = calibration_cv
        self.error_score = error_score
        self.fast = fast
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose

    def fit(self, X: Any, y: Any, sample_weight: Any = None, **fit_params: Any) -> "PairwiseClassifier":
        """Select, fit and calibrate the learners of all pairs.

        Parameters
        ----------
        X : {array-like, sparse matrix, DataFrame} of shape (n_samples, n_features)
            Training rows, in a form that the learners take.
        y : array-like of shape (n_samples,)
            Classes.
        sample_weight : array-like of shape (n_samples,), optional
            Weights of the rows; a weight of 2 counts as two equal rows. They go to the learners' fits (of a pipeline,
            to its last step), and count in n_ij, balanced class weights, sigmoids and thresholds. Scores of candidates
            are not weighted, unless a scorer requests the weights.
        **fit_params
            Parameters of the learners' fits; those with one entry per row are cut to the rows of a pair. With
            scikit-learn's metadata routing enabled, they go to the learners, splitters and scorers that request them.

        Returns
        -------
        PairwiseClassifier
            The fitted classifier.
        """
        self._check_parameters()
        candidates = read_candidates(self.estimator)

        problem, row_format, scaler = self._read(X, y, sample_weight, candidates)
        if len(problem.kept) < problem.n_given:
            fit_params = data.cut(fit_params, problem.kept, problem.n_given)
        self._rule.own_weights(problem.classes)
        routed = route(self, candidates, problem.weight, fit_params)

        seeds = Seeds.draw(self.random_state, len(candidates), problem.n_pairs)
        options = Options(self.threshold, self.error_score, self.fast, self.n_jobs, self.verbose, seeds)
        training = Training(problem, self._settle(candidates, problem, routed), options)
        scores = self._select(training, routed)
        folds = self._calibration_folds(training, routed)
        fits = training.fit(scores, folds)
        pairs, held_out = training.calibrate(fits, folds)
        uses_masses = find_method(self.coupling).uses_pair_mass and problem.n_classes > 2
        masses, held_out_masses = training.fit_masses(fits.chosen, folds) if uses_masses else (None, None)

        table = training.table(pairs, scores, fits.chosen)
        columns = problem.kept if problem.square else None
        self._fitted = FittedPairs(problem.classes, pairs, masses, table, row_format, scaler, columns, self._rule)
        self.classes_, self.scaler_ = problem.classes, scaler
        self._estimators: dict[Any, Any] | None = None
        if held_out is not None and folds is not None and folds.sample is not None and len(folds.sample):
            rows, masses_of_rows = folds.sample, np.ones_like(held_out) if held_out_masses is None else held_out_masses
            proba = self._fitted.couple(held_out, self._rule, lambda: masses_of_rows)
            self._fitted.temperature = fit_temperature(proba, problem.code[rows], problem.counting_weight_of(rows))
            # A number means stratified folds; with these, classes that cannot be told apart are no mistake.
            if self._fitted.temperature >= 1.0 / FLATTEST and not _params.is_whole(self.calibration_cv):
                warning = PwcWarning(
                    "coupled probabilities of held-out rows are no better than equal ones, so the temperature makes "
                    "all classes about equally probable; if the rows are sorted, shuffle the folds of "
                    f"{arg('calibration_cv')}, or use {arg('temperature', False)}."
                )
                warn(warning)
        self.temperature_ = self._fitted.temperature
        return self

    def __getstate__(self) -> dict[str, Any]:
        # Learners of a fast path can be made again, and skops cannot save keys that are tuples.
        state = super().__getstate__()
        return {**state, "_estimators": None} if "_estimators" in state else state

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
        check_is_fitted(self, "classes_")
        fitted, rule = self._fitted, self._rule
        rule.check()
        temperature = fitted.temperature_of(rule)
        return self._in_pieces(X, lambda x: fitted.coupled(x, rule, temperature), (len(self.classes_),))

    def predict_log_proba(self, X: Any) -> Array:
        """Logarithms of the coupled probabilities; minus infinity for a probability of 0, which votes may give."""
        with np.errstate(divide="ignore"):
            return np.log(self.predict_proba(X))

    def decision_function(self, X: Any) -> Array:
        """Log-odds of each class against all others, from the coupled probabilities.

        They are limited to 36 in either direction, also where votes give a probability of 0.

        Parameters
        ----------
        X : {array-like, sparse matrix, DataFrame} of shape (n_samples, n_features)
            New rows.

        Returns
        -------
        ndarray of shape (n_samples, n_classes), or (n_samples,) for two classes
            In the order of `classes_`, the largest for the class that :meth:`predict` returns. For two classes, the
            log-odds of the second.
        """
        proba = self.predict_proba(X)
        two = len(self.classes_) == 2
        out = log_odds_of(proba, proba[:, ::-1] if two else proba.sum(axis=1, keepdims=True) - proba)
        # Of equal log-odds, those of the predicted class become the next larger number.
        rows, best, top = np.arange(len(out)), self._best(proba), out.max(axis=1)
        tied = (out == top[:, None]).sum(axis=1) > 1
        out[rows[tied], best[tied]] = np.nextafter(top[tied], np.inf)
        return out[:, 1] if two else out

    def predict(self, X: Any) -> NDArray[Any]:
        """The most probable class of each row.

        Of classes with exactly equal probability, the one that comes first in `classes_`. With a `random_state` and
        more than two classes one of them is drawn; the prediction for such a row then depends on the other rows of X.
        """
        best = self._best(self.predict_proba(X))
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
            ``r[:, i, j]`` is the probability of class i given that it is i or j; 1/2 on the diagonal. This is the
            input of :func:`pwcstats.couple`.
        """
        check_is_fitted(self, "classes_")
        k = len(self.classes_)
        low, high = np.triu_indices(k, 1)

        def full(x: Any) -> Array:
            r = self._fitted.probabilities(x)
            out = np.full((len(r), k, k), 0.5)
            out[:, low, high], out[:, high, low] = r, 1.0 - r
            return out

        return self._in_pieces(X, full, (k, k))

    def pairwise_scores(self, X: Any) -> Array:
        """Raw scores of the pairs before calibration, one column per row of `pairs_`.

        They are positive in favour of `class_i`: decision values of learners without probabilities, log-odds of the
        others. For an ``SVC`` they are those of LIBSVM, which e1071 calls ``decision.values``.
        """
        check_is_fitted(self, "classes_")
        return self._in_pieces(X, self._fitted.pairs.scores, (self._fitted.n_pairs,))

    def votes(self, X: Any) -> Array:
        """Number of pairs that each class wins; r = 1/2 counts as half a win (Friedman's max-wins rule)."""
        check_is_fitted(self, "classes_")

        def count(x: Any) -> Array:
            r = self._fitted.probabilities(x)
            return np.rint(couple(r, "vote", condensed=True) * 2.0 * self._fitted.n_pairs) / 2.0

        return self._in_pieces(X, count, (len(self.classes_),))

    @property
    def pairs_(self) -> pd.DataFrame:
        """The table of pairs, made at each access."""
        check_is_fitted(self, "classes_")
        return pd.DataFrame(self._fitted.table)

    @property
    def estimators_(self) -> dict[Any, Any]:
        """Fitted learners by the labels of their pair; those of a fast path are made at the first access."""
        check_is_fitted(self, "classes_")
        if self._estimators is None:
            pairs = ClassPairs(self.classes_)
            names = map(pairs.labels, range(pairs.n_pairs))
            self._estimators = dict(zip(names, self._fitted.pairs.learners(), strict=True))
        return self._estimators

    # Parameters and tags; the parameters of candidates have names, too.

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Parameters of this classifier and, with `deep`, of its learners.

        Parameters of a single learner are called ``estimator__<param>``, those of a candidate
        ``estimator__<name>__<param>``.
        """
        params = super().get_params(deep=deep)
        if deep and isinstance(self.estimator, (list, tuple, dict)):
            for name, learner in self._valid_candidates().items():
                params[f"estimator__{name}"] = learner
                params |= {f"estimator__{name}__{key}": given for key, given in learner.get_params().items()}
        return params

    def set_params(self, **params: Any) -> "PairwiseClassifier":
        """Set parameters by the names that :meth:`get_params` returns."""
        estimator = params.pop("estimator", self.estimator)
        inner = {key: given for key, given in params.items() if key.startswith("estimator__")}
        if estimator is None and inner:
            raise InputError(
                f"there is no {next(iter(inner))} to set, as {arg('estimator', None)}; give "
                f"{arg('estimator')}={code('SVC()')}, and to standardise its columns use "
                f"{code('make_pipeline(StandardScaler(), PairwiseClassifier(SVC()))')}."
            )
        self.estimator = estimator
        if not isinstance(estimator, (list, tuple, dict)):
            return super().set_params(**params)
        super().set_params(**{key: given for key, given in params.items() if key not in inner})
        candidates = self._valid_candidates()
        for key, given in inner.items():
            name, _, option = key.removeprefix("estimator__").partition("__")
            if name not in candidates:
                raise InputError(f"there is no candidate {name!r}; the candidates are {listed(candidates)}.")
            if option:
                candidates[name].set_params(**{option: given})
            else:
                candidates[name] = given
        if any("__" not in key.removeprefix("estimator__") for key in inner):
            self.estimator = candidates
        return self

    def get_metadata_routing(self) -> MetadataRouter:
        """Metadata routing: to the fits of learners, and to splitters and a scorer that are objects and request it."""
        return make_router(self, read_candidates(self.estimator))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        inner = [get_tags(learner).input_tags for learner in self._valid_candidates().values()]
        tags.input_tags.sparse = all(tag.sparse for tag in inner)
        tags.input_tags.allow_nan = all(tag.allow_nan for tag in inner)
        tags.input_tags.pairwise = any(tag.pairwise for tag in inner)
        return tags

    def _valid_candidates(self) -> dict[str, Any]:
        """Learners by name; none if `estimator` is invalid, which is an error in `fit` only."""
        try:
            return read_candidates(self.estimator)
        except InputError:
            return {}

    # Steps of fit

    def _check_parameters(self) -> None:
        self._rule.check()
        _params.optional_choice(self.threshold, THRESHOLDS, "threshold")
        _params.optional_choice(self.calibration, ("auto", *CALIBRATIONS), "calibration")
        if not isinstance(self.temperature, (bool, np.bool_)) and not (
            isinstance(self.temperature, str) and self.temperature == "auto"
        ):
            raise InputError(
                f"{arg('temperature')} must be {value('auto')}, {value(True)} or {value(False)}, got "
                f"{value(self.temperature)}."
            )
        if self.temperature != "auto" and self.temperature and not find_method(self.coupling).needs_probabilities:
            raise InputError(
                f"{arg('coupling', self.coupling)} cannot have a temperature, because shares of votes are often 0 and "
                f"would stay 0; use {arg('coupling', 'wlw2')}, or {arg('temperature', False)}."
            )
        error_score = self.error_score
        if error_score != "raise" and (isinstance(error_score, bool) or not isinstance(error_score, numbers.Real)):
            raise InputError(
                f"{arg('error_score')} must be {value('raise')} or a number, such as {value(np.nan)}, got "
                f"{value(error_score)}."
            )
        check_one_score(self.scoring)
        _params.flag(self.fast, "fast")
        _params.jobs(self.n_jobs)
        _params.random_state(self.random_state)

    def _read(
        self, X: Any, y: Any, sample_weight: Any, candidates: dict[str, Any]
    ) -> tuple[Problem, RowFormat, Standardizer | None]:
        """The training data, checked and standardised if the learner is the default one."""
        data.check_y_given(y, self)
        square = bool(get_tags(self).input_tags.pairwise)
        all_fast = self.fast and all(has_fast_path(learner) for learner in candidates.values())
        row_format = RowFormat.of(
            candidates, X, keeps_frames=not all_fast and not square, may_fail=self.error_score != "raise"
        )
        x = self._read_rows(X, row_format, reset=True)
        y = _check_y(y, estimator=self)
        check_classification_targets(y)
        check_consistent_length(x, y)
        if sample_weight is not None:
            sample_weight = _check_sample_weight(sample_weight, x, dtype=np.float64, ensure_non_negative=True)
        scaler = None
        if self.estimator is None:
            scaler = Standardizer().fit(x, sample_weight=sample_weight)
            x = scaler.transform(x)
        return data.make_problem(x, y, sample_weight, square), row_format, scaler

    def _settle(self, candidates: dict[str, Any], problem: Problem, routed: Routed) -> list[Candidate]:
        """The candidates with what they need to know of all data, and with their kind of scores."""
        out = []
        method = find_method(self.coupling)
        for name, learner in candidates.items():
            if method.uses_pair_mass:
                learners.check_no_class_sizes(name, learner, self.coupling)
            settled, params = learners.settle(learner, problem, self.calibration, routed.fits[name])
            sample = learners.showing_scores(settled, problem, params)
            kind = learners.kind_of_scores(name, sample, self.calibration, method)
            out.append(Candidate(name, settled, params, kind, method_of(self.calibration, kind)))
        return out

    def _select(self, training: Training, routed: Routed) -> Array:
        """Scores of the candidates on the pairs; zeros if there is no choice."""
        scorers = [check_scoring(candidate.learner, scoring=self.scoring) for candidate in training.candidates]
        if len(scorers) == 1:
            return np.zeros((1, training.problem.n_pairs))
        folds = make_folds(
            self.selection_cv,
            training.problem,
            "selection_cv",
            training.options.seeds.selection,
            ("candidates are not compared on their pairs, and the first is used", "give one learner"),
            **routed.selection_splitter,
        )
        return training.select(folds, scorers, self.scoring in ("accuracy", None), routed.scorer)

    def _calibration_folds(self, training: Training, routed: Routed) -> Folds | None:
        """Folds for calibration, thresholds and a temperature, if anything is to be learned from them."""
        calibrated = [candidate.name for candidate in training.candidates if candidate.method is not None]
        by_cv = THRESHOLDS.get(str(self.threshold)) == "held_out"
        if calibrated:
            instead = "give a learner that has probabilities of its own"
        elif by_cv:
            instead = f"use {arg('threshold', 'train')}"
        elif self.temperature != "auto" and self.temperature:
            instead = f"use {arg('temperature', False)}"
        else:
            return None
        folds = make_folds(
            self.calibration_cv,
            training.problem,
            "calibration_cv",
            training.options.seeds.calibration,
            ("training scores stand in for held-out ones", instead),
            **routed.calibration_splitter,
        )
        check_held_out_once(folds, "calibration_cv")
        # A single pair has a sigmoid of its own, and needs no temperature.
        all_held_out = len(calibrated) == len(training.candidates) or by_cv
        needs_one = find_method(self.coupling).needs_probabilities and training.problem.n_classes > 2
        methods = [CALIBRATIONS[candidate.method] for candidate in training.candidates if candidate.method]
        wanted = all_held_out and needs_one and all(method.auto_temperature for method in methods)
        if wanted if self.temperature == "auto" else self.temperature:
            folds.sample = sample_rows(training.problem, folds)
        return folds

    # Steps of prediction

    def _read_rows(self, X: Any, row_format: RowFormat, reset: bool) -> Any:
        """The rows of X in the form that the learners take; with `reset`, remember their number and names."""
        if data.is_text(X):
            return X if hasattr(X, "iloc") else np.asarray(X, dtype=object)
        is_frame = data.is_frame(X)
        if is_frame:
            data.check_frame(X)
        # Learners that were fitted to an array would warn of the names of a frame.
        if row_format.keeps_frames and row_format.had_frame and is_frame:
            validate_data(self, X, reset=reset, skip_check_array=True)
            row_format.check(X)
            return X
        x = validate_data(self, X, reset=reset, **row_format.checks)
        row_format.check(x)
        return x if reset else row_format.named(x, getattr(self, "feature_names_in_", None))

    def _in_pieces(self, X: Any, answer: Callable[[Any], Array], shape: tuple[int, ...]) -> Array:
        """Answers of the fitted pairs for all rows."""
        x = self._read_rows(X, self._fitted.row_format, reset=False)
        return self._fitted.in_pieces(x, answer, shape, self.n_jobs)

    @property
    def _rule(self) -> CouplingRule:
        return CouplingRule(self.coupling, self.weights)

    def _best(self, proba: Array) -> Integers:
        """Index of the predicted class of each row."""
        return likeliest(proba, self.random_state if len(self.classes_) > 2 else None)

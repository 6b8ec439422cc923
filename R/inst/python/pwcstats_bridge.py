"""The Python side of the R package.

Functions are called so that errors come back as data, messages are rendered in R's vocabulary, and results are written
into R's memory.
"""

import atexit
import copy
import ctypes
import dataclasses
import pickle
import sys
import traceback
import warnings

import numpy as np
from pwcstats_calls import call_of, kind_of  # noqa: F401
from pwcstats_vocabulary import RVocabulary

from pwcstats import _tables
from pwcstats._params import is_whole
from pwcstats.errors import AliasedWarning, InputError, Message, PwcError

# R functions that fit R learners and predict their probabilities.
_R = {}
# Warnings for those who write Python, not for those who use it.
_NOT_FOR_USERS = (FutureWarning, DeprecationWarning, PendingDeprecationWarning)


def rendered(spoken, vocabulary):
    """Return the text of an error, a warning or a note, in R's vocabulary if it is ours."""
    message = spoken.args[0] if isinstance(spoken, Exception) and spoken.args else spoken
    return message.render(vocabulary) if isinstance(message, Message) else str(spoken)


def notes(messages):
    """Return notes in R's vocabulary."""
    return [rendered(message, RVocabulary()) for message in messages]


def call(function, args, kwargs):
    """Call a function.

    Returns a dict: value; warnings, a list of texts; interrupted; and error, None or (text, traceback).
    """
    vocabulary = RVocabulary(function)
    outcome = {"value": None, "warnings": [], "interrupted": False, "error": None}
    with warnings.catch_warnings():
        show_others = warnings.showwarning

        def collect(message, category, *where, **more):
            if issubclass(category, _NOT_FOR_USERS):
                show_others(message, category, *where, **more)
            # R shows missing coefficients as NA, without a warning.
            elif not issubclass(category, AliasedWarning) and rendered(message, vocabulary) not in outcome["warnings"]:
                outcome["warnings"].append(rendered(message, vocabulary))

        warnings.showwarning = collect
        for kind in (UserWarning, RuntimeWarning):
            # R repeats a warning when the call is repeated; Python would show it once.
            warnings.simplefilter("always", kind)
        try:
            outcome["value"] = function(*args, **kwargs)
        except PwcError as exception:
            outcome["error"] = (rendered(exception, vocabulary), traceback.format_exc())
        except (Exception, KeyboardInterrupt) as exception:
            if _is_interrupt(exception):
                outcome["interrupted"] = True
            else:
                outcome["error"] = (f"{type(exception).__name__}: {exception}", traceback.format_exc())
    return outcome


def _is_interrupt(exception):
    """Return whether R was interrupted; reticulate's signal handler calls R, and that call may fail."""
    if isinstance(exception, KeyboardInterrupt):
        return True
    frames = traceback.walk_tb(exception.__traceback__)
    return any(frame.f_globals["__name__"] == "rpytools.signals" for frame, _ in frames)


def fill(target, source):
    """Write `source` into `target`, a new R array that Python sees as read-only; return False if `target` is a copy."""
    if target.flags.owndata or not target.flags.f_contiguous:
        return False
    memory = (ctypes.c_double * target.size).from_address(target.ctypes.data)
    np.copyto(np.frombuffer(memory).reshape(target.shape, order="F"), source)
    return True


def freeze(fit):
    """Return a fit as bytes that R can keep and save."""
    return bytearray(pickle.dumps(fit))


def thaw(frozen):
    """Return the fit that `freeze` was given."""
    return pickle.loads(frozen)


def itself(x):
    """Return an object of the user's, which R then does not convert."""
    return x


def feature_names(model):
    """Return the names of a classifier's columns; x1, x2, ... if they have none."""
    names = getattr(model, "feature_names_in_", None)
    return [f"x{k + 1}" for k in range(model.n_features_in_)] if names is None else [str(name) for name in names]


def for_named_columns(model):
    """Return a classifier that takes named columns: a copy, if the columns of its fit had no names."""
    if not any(name.endswith("_") and not name.startswith("_") for name in vars(model)):
        raise InputError("the classifier is not fitted; call fit() first.")
    if not hasattr(model, "n_features_in_"):
        raise InputError("this classifier was fitted to rows of text or objects, and R needs columns of numbers.")
    row_format = getattr(getattr(model, "_fitted", None), "row_format", None)
    if row_format is not None and row_format.not_numbers:
        raise InputError(
            f"this classifier was fitted to a column {str(row_format.not_numbers[0])!r} that does not hold numbers, "
            "and R needs columns of numbers; encode it before the fit."
        )
    if not hasattr(model, "feature_names_in_"):
        model = copy.copy(model)
        model.feature_names_in_ = np.array(feature_names(model), dtype=object)
    return model


def pairwise_options(model):
    """Return the options of a pairwise classifier that R shows."""
    weights = model.weights
    if weights is not None and not isinstance(weights, str):
        weights = np.asarray(weights, dtype=np.float64)
    return {
        "coupling": model.coupling,
        "pair_weights": weights,
        "threshold": model.threshold,
        "calibration": model.calibration,
    }


def baseline(model):
    """Return the index of a hybrid classifier's positive class, which counts from 1."""
    return int(model._order[0]) + 1


def hybrid_options(model):
    """Return the options of a hybrid classifier that R shows."""
    machine = next(iter(model.machines_.values()))
    machine = machine[-1] if hasattr(machine, "steps") else machine
    learner, svm = type(machine).__name__.lower(), None
    if hasattr(machine, "kernel") and hasattr(machine, "n_support_"):
        kernel = machine.kernel if isinstance(machine.kernel, str) else "own"
        learner, svm = "svm", {"kernel": {"rbf": "radial", "poly": "polynomial"}.get(kernel, kernel)}
    distance_cv = model.distance_cv if is_whole(model.distance_cv) else None
    return {"learner": learner, "svm": svm, "distance_cv": distance_cv}


def coupling_parts(result):
    """Return coupled probabilities with the labels of samples and classes, if there are any."""
    proba = result.proba
    labels = [getattr(proba, name, None) for name in ("index", "columns")]
    samples, classes = labels if np.ndim(proba) == 2 else (None, labels[0])
    return {
        "method": result.method,
        "proba": np.asarray(proba, dtype=np.float64),
        "samples": None if samples is None else row_names(samples),
        "classes": None if classes is None else [str(label) for label in classes],
        "kl": np.atleast_1d(np.asarray(result.kl, dtype=np.float64)),
        "n_iter": np.atleast_1d(np.asarray(result.n_iter, dtype=np.float64)),
        "converged": np.atleast_1d(np.asarray(result.converged, dtype=bool)),
    }


def usual_columns(names):
    """Return the columns of items and winners by their usual names; an empty dict if the names do not tell."""
    from pwcstats.bradley_terry.habits import fill_in
    from pwcstats.bradley_terry.reading import Columns

    try:
        found = dataclasses.asdict(fill_in(Columns(), names))
    except PwcError:
        return {}
    return {name: column for name, column in found.items() if column is not None}


def ability_covariance(fit):
    """Return the covariance of the abilities, also if they are predictions from random effects."""
    return fit._item_cov


def information_covariance(fit):
    """Return the covariance of the coefficients from the information, also after a robust one."""
    if fit.cov_type == "nonrobust":
        return fit.cov_params()
    likelihood = fit._likelihood
    naive = copy.copy(fit)
    cov = likelihood.without_ghost(likelihood.covariance(fit._point)[0])
    naive._estimate = dataclasses.replace(fit._estimate, cov=cov)
    vars(naive).pop("_cov", None)
    return naive.cov_params()


def profile_path(fit, index, alpha):
    """Return the profile of the coefficient with this index: z, then all coefficients, one row for each point."""
    from pwcstats.bradley_terry import hypotheses, profile

    hypotheses.check_nonrobust(fit, "a profile likelihood")
    z, params = profile.profile_path(fit, index, alpha)
    return np.column_stack([z, params])


def leaderboard_texts(board):
    """Return a leaderboard as lines of text, and in other formats, with notes in R's vocabulary."""
    board = dataclasses.replace(board, notes=tuple(notes(board.notes)))
    return {
        "title": board._title(),
        "lines": _tables.to_text(board._columns()).split("\n"),
        "notes": list(board.notes),
        "markdown": board.to_markdown(),
        "html": board.to_html(),
        "latex": board.to_latex(),
    }


def row_names(index):
    """Return row labels as strings; labels of a multi-index include the names of its levels."""
    if index.nlevels == 1:
        return [str(label) for label in index]
    return [", ".join(f"{name} {label}" for name, label in zip(index.names, row, strict=True)) for row in index]


def learner(name, **options):
    """Return a learner that is yet to be fitted; see `make_learner`."""
    # Not with the module: most calls need no learner.
    from pwcstats.pairwise.named import make_learner

    # R writes whole numbers as doubles.
    whole = {key: int(x) if isinstance(x, float) and x.is_integer() else x for key, x in options.items()}
    return make_learner(name, **whole)


def weighted_learners():
    """Return the names of the learners that take weights."""
    from pwcstats.pairwise.named import LEARNERS

    return [name for name, learner in LEARNERS.items() if learner.takes_weights]


def integrator(fit):
    """Return the name of a hybrid classifier's integrator, and whether its coefficients are a chain of equations."""
    from pwcstats.hybrid.integrators import INTEGRATORS

    kind = fit._fitted.integrator.kind
    return kind, INTEGRATORS[kind].chain


def integrator_covariance(fit):
    """Return the covariance of the integrator's coefficients, or None if it consists of separate fits."""
    from pwcstats.hybrid.integrators import INTEGRATORS

    # Separate fits allow no common selection, either.
    is_joint = INTEGRATORS[fit._fitted.integrator.kind].selects
    return fit.integrator_.cov_params() if is_joint else None


def integrator_likelihood(fit):
    """Return the log-likelihood of the integrator without penalty, with its numbers of parameters and rows, or None."""
    from pwcstats.hybrid.integrators import INTEGRATORS

    if not INTEGRATORS[fit._fitted.integrator.kind].selects:
        return None
    results = fit.integrator_
    value = getattr(results, "llf_unpenalized", results.llf)
    # Aliased coefficients are 0 and have no standard error.
    df = np.isfinite(np.asarray(results.bse, dtype=np.float64)).sum()
    return {"value": float(value), "df": float(df), "nobs": float(results.nobs)}


def weights_pairs(coupling):
    """Return whether a coupling method uses weights of the pairs."""
    from pwcstats.coupling.methods import find_method

    return find_method(coupling).uses_weights


def is_score(name):
    """Return whether scikit-learn has a score of this name."""
    from sklearn.metrics import get_scorer_names

    return name in get_scorer_names()


def calibration_points(p, truth, n_bins, strategy, alpha):
    """Return the points of a line in a reliability diagram: mean, share, ends of its interval, count."""
    # Not with the module: it imports matplotlib.
    from pwcstats.plot.reliability import Line, line_points

    return line_points(Line("", np.asarray(truth, dtype=bool), np.asarray(p), None), n_bins, strategy, alpha)


def log_loss(proba, codes):
    """Return the mean log loss; codes of classes count from 1."""
    from pwcstats.plot.reliability import mean_log_loss

    return mean_log_loss(np.asarray(proba), np.asarray(codes, dtype=np.int64) - 1)


def connect(fit, prob):
    """Register the R functions that fit R learners and predict their probabilities."""
    _R.update(fit=fit, prob=prob)


def _call_r(function, *args):
    outcome = _R[function](*args)
    if "interrupted" in outcome:
        raise KeyboardInterrupt
    if "error" in outcome:
        raise RuntimeError(outcome["error"])
    for text in outcome["warnings"]:
        warnings.warn(text, UserWarning, stacklevel=2)
    return outcome["value"]


def r_learner(functions, columns, labels):
    """Return an R learner; its copies share the bytes of its functions."""
    return sys.modules[__name__].RLearner(bytes(functions), columns, labels)


def __getattr__(name):
    """Define `RLearner` when it is first needed, because importing scikit-learn is slow."""
    if name != "RLearner":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from sklearn.base import BaseEstimator, ClassifierMixin

    globals()[name] = type(name, (ClassifierMixin, _RLearner, BaseEstimator), {"__module__": __name__})
    return globals()[name]


class _RLearner:
    """A classifier that R fits. Its functions and its model are bytes that R reads, so it can be copied and saved.

    `columns` are the names of the columns, `labels` all classes in the order of R's levels. PairwiseClassifier sets
    `pair_labels`, the labels of the classes that it codes as 0 and 1; for a pair against the rest there are none.
    """

    def __init__(self, functions, columns, labels, pair_labels=None):
        self.functions = functions
        self.columns = columns
        self.labels = labels
        self.pair_labels = pair_labels

    def fit(self, X, y, sample_weight=None):
        """Fit R's model to two classes; for a pair against the rest they are called FALSE and TRUE."""
        self.classes_ = np.arange(2)
        names = ["FALSE", "TRUE"] if self.pair_labels is None else list(self.pair_labels)
        self.levels_ = names if self.pair_labels is None else [label for label in self.labels if label in names]
        self.indices_ = np.array([self.levels_.index(label) for label in names])
        weight = None if sample_weight is None else np.asarray(sample_weight, dtype=np.float64)
        # Machines of hybrids have y of True and False, which would not be indices.
        code = self.indices_[np.asarray(y, dtype=np.intp)].astype(np.float64)
        self.model_ = _call_r("fit", bytearray(self.functions), _rows(X), self.columns, code, self.levels_, weight)
        return self

    def predict_proba(self, X):
        """Predict the probabilities of the two classes with R's model."""
        proba = _call_r("prob", bytearray(self.functions), self.model_, _rows(X), self.columns, self.levels_)
        return np.asarray(proba)[:, self.indices_]

    def predict(self, X):
        """Predict the more probable class."""
        return self.classes_[self.predict_proba(X).argmax(axis=1)]


def _rows(X):
    return np.asarray(X, dtype=np.float64)


def in_pairs(fit, X, first, second):
    """Return pairwise probabilities, one column for each pair of class indices, which count from 1."""
    return fit.pairwise_proba(X)[:, np.asarray(first) - 1, np.asarray(second) - 1]


def at_exit():
    """Clean up as Python does when it exits; R exits without telling Python, which would leave joblib's workers."""
    module = sys.modules.get("joblib.externals.loky.reusable_executor")
    executor = None if module is None else module._executor
    if executor is not None:
        # Otherwise R would wait for minutes until the workers time out.
        executor.terminate(kill_workers=True)
    atexit._run_exitfuncs()

"""The Python end of the R package: calls whose errors come back as data, and results written into R's memory."""

import atexit
import ctypes
import pickle
import re
import sys
import traceback
import warnings

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin

from pwcstats import errors

# Functions of R's that fit its learners and ask for their probabilities.
_R = {}
# What is meant for those who write Python, not for those who use it.
_NOT_FOR_USERS = (FutureWarning, DeprecationWarning, PendingDeprecationWarning)


def call(function, args, kwargs):
    """Return a dict: value; warnings, a list of sentences; interrupted; and error, None or (sentence, traceback)."""
    outcome = {"value": None, "warnings": [], "interrupted": False, "error": None}
    with warnings.catch_warnings():
        show_others = warnings.showwarning

        def collect(message, category, *where, **more):
            if issubclass(category, _NOT_FOR_USERS):
                show_others(message, category, *where, **more)
            elif for_r(message) not in outcome["warnings"]:
                outcome["warnings"].append(for_r(message))

        warnings.showwarning = collect
        for kind in (UserWarning, RuntimeWarning):
            # R repeats a warning when the call is repeated; Python would show it once.
            warnings.simplefilter("always", kind)
        try:
            outcome["value"] = function(*args, **kwargs)
        except errors.PwcError as exception:
            outcome["error"] = (for_r(exception), traceback.format_exc())
        except (Exception, KeyboardInterrupt) as exception:
            if _is_interrupt(exception):
                outcome["interrupted"] = True
            else:
                outcome["error"] = (f"{type(exception).__name__}: {exception}", traceback.format_exc())
    return outcome


# What R users write otherwise, or never see.
_IN_R = [
    (r"\bnp\.nan\b|\bnan\b", "NA"),
    (r"calibration=None", "calibration='none'"),
    (r"\bwald_test or contrast\b", "compare_items()"),
    (r"\bcontrast\b", "compare_items()"),
    (r"\bexog\b", "the model matrix"),
    (r"\bendog\b", "the response"),
    (r"(?:scores\.)?rename_axis\('(\w+)'\)", r"give them a column \1"),
    (r"the pair \((['\"])(.*?)\1, (['\"])(.*?)\3\)", r"the pair \2/\4"),
    (r"index 0 is out of bounds for axis 0 with size 0", "no column varies within its two classes"),
    # What scikit-learn advises has other names here, and depends on its version.
    (
        r"(?:Increase the value of `reg_param`|When using `solver='svd'`)[^()]*",
        "A reg_param above 0 helps, as in learners = list(qda = list(reg_param = 0.1)). ",
    ),
]


def for_r(message):
    """Return a sentence with R's words."""
    said = str(message)
    for words, ours in _IN_R:
        said = re.sub(words, ours, said)
    if said.startswith("the RLearner of the pair "):
        # What follows is about encoders of Python's.
        said = said.partition(" (It has seen the rows of its two classes only.")[0]
    return said.replace("the RLearner of the pair ", "the learner of R's of the pair ")


def _is_interrupt(exception):
    """Tell whether R was interrupted: reticulate's handler of the signal asks R, which may fail in answering."""
    if isinstance(exception, KeyboardInterrupt):
        return True
    frames = traceback.walk_tb(exception.__traceback__)
    return any(frame.f_globals["__name__"] == "rpytools.signals" for frame, _ in frames)


def fill(target, source):
    """Write `source` into `target`, a new array of R's that is read-only to Python; False if it is but a copy."""
    if target.flags.owndata or not target.flags.f_contiguous:
        return False
    memory = (ctypes.c_double * target.size).from_address(target.ctypes.data)
    np.copyto(np.frombuffer(memory).reshape(target.shape, order="F"), source)
    return True


def freeze(fit):
    """Return a fit as bytes, which R can keep and save."""
    return bytearray(pickle.dumps(fit))


def thaw(frozen):
    """Return the fit that `freeze` was given."""
    return pickle.loads(frozen)


def row_names(index):
    """Return the labels of rows as strings; of several levels, with the name of each."""
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


def is_score(name):
    """Tell whether scikit-learn has a score of this name."""
    from sklearn.metrics import get_scorer_names

    return name in get_scorer_names()


def connect(fit, prob):
    """Take the functions by which learners of R's are fitted and asked."""
    _R.update(fit=fit, prob=prob)


def _ask_r(function, *args):
    outcome = _R[function](*args)
    if "interrupted" in outcome:
        raise KeyboardInterrupt
    if "error" in outcome:
        raise RuntimeError(outcome["error"])
    for sentence in outcome["warnings"]:
        warnings.warn(sentence, UserWarning, stacklevel=2)
    return outcome["value"]


def r_learner(functions, columns, labels):
    """Return a learner of R's; of bytes all its copies share one."""
    return RLearner(bytes(functions), columns, labels)


class RLearner(ClassifierMixin, BaseEstimator):
    """A learner of R's: its functions and its model are bytes that R reads, so that it can be copied and saved.

    `columns` are the names of the columns, `labels` all classes in the order of R's levels. PairwiseClassifier sets
    `pair_labels`, the labels of the classes that it calls 0 and 1; there are none for a pair against the rest.
    """

    def __init__(self, functions, columns, labels, pair_labels=None):
        self.functions = functions
        self.columns = columns
        self.labels = labels
        self.pair_labels = pair_labels

    def fit(self, X, y, sample_weight=None):
        """Have R fit its model to two classes; of a pair against the rest they are FALSE and TRUE."""
        self.classes_ = np.arange(2)
        names = ["FALSE", "TRUE"] if self.pair_labels is None else list(self.pair_labels)
        self.levels_ = names if self.pair_labels is None else [label for label in self.labels if label in names]
        self.places_ = np.array([self.levels_.index(label) for label in names])
        weight = None if sample_weight is None else np.asarray(sample_weight, dtype=np.float64)
        code = self.places_[y].astype(np.float64)
        self.model_ = _ask_r("fit", bytearray(self.functions), _rows(X), self.columns, code, self.levels_, weight)
        return self

    def predict_proba(self, X):
        """Probabilities of the two classes, by R's model."""
        proba = _ask_r("prob", bytearray(self.functions), self.model_, _rows(X), self.columns, self.levels_)
        return np.asarray(proba)[:, self.places_]

    def predict(self, X):
        """The more probable class."""
        return self.classes_[self.predict_proba(X).argmax(axis=1)]


def _rows(X):
    return np.asarray(X, dtype=np.float64)


def in_pairs(fit, X, first, second):
    """Return the probabilities of some classes against others, a column for each pair of places, counted from 1."""
    return fit.pairwise_proba(X)[:, np.asarray(first) - 1, np.asarray(second) - 1]


def at_exit():
    """Do what Python does when it ends: R ends without telling it, and joblib's workers and files would stay."""
    module = sys.modules.get("joblib.externals.loky.reusable_executor")
    executor = None if module is None else module._executor
    if executor is not None:
        # Else they are waited for until they have been idle for minutes.
        executor.terminate(kill_workers=True)
    atexit._run_exitfuncs()

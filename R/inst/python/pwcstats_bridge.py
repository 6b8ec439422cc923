"""The Python end of the R package: calls whose errors come back as data, and results written into R's memory."""

import ctypes
import pickle
import traceback
import warnings

import numpy as np

from pwcstats import errors

# What e1071 calls otherwise than scikit-learn does.
_KERNELS = {"radial": "rbf", "polynomial": "poly"}
_OUR_WARNINGS = tuple(kind for kind in vars(errors).values() if isinstance(kind, type) and issubclass(kind, Warning))


def call(function, args, kwargs):
    """Return a dict: value; warnings, a list of sentences; interrupted; and error, None or (sentence, traceback)."""
    outcome = {"value": None, "warnings": [], "interrupted": False, "error": None}
    with warnings.catch_warnings():
        show_others = warnings.showwarning

        def collect(message, category, *where, **more):
            if issubclass(category, _OUR_WARNINGS):
                outcome["warnings"].append(str(message))
            else:
                show_others(message, category, *where, **more)

        warnings.showwarning = collect
        for kind in _OUR_WARNINGS:
            # R repeats a warning when the call is repeated; Python would show it once.
            warnings.simplefilter("always", kind)
        try:
            outcome["value"] = function(*args, **kwargs)
        except errors.PwcError as exception:
            outcome["error"] = (str(exception), traceback.format_exc())
        except (Exception, KeyboardInterrupt) as exception:
            if _is_interrupt(exception):
                outcome["interrupted"] = True
            else:
                outcome["error"] = (f"{type(exception).__name__}: {exception}", traceback.format_exc())
    return outcome


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


def svm(kernel, cost, gamma, degree, coef0, tolerance):
    """Return a support vector machine that is yet to be fitted, in the words of e1071."""
    # Not with the module: most calls need no machine.
    from sklearn.svm import SVC

    name = _KERNELS.get(kernel, kernel)
    return SVC(kernel=name, C=cost, gamma=gamma, degree=degree, coef0=coef0, tol=tolerance)

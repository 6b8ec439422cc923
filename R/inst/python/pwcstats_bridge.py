"""Calls made from R: errors and warnings come back as data, so that R can signal its own conditions."""

import traceback
import warnings

from pwcstats import errors

_OUR_WARNINGS = tuple(kind for kind in vars(errors).values() if isinstance(kind, type) and issubclass(kind, Warning))


def _is_interrupt(exception):
    """Tell whether R was interrupted: reticulate's handler of SIGINT asks R, which may fail in answering."""
    frames = traceback.walk_tb(exception.__traceback__)
    return any(frame.f_globals["__name__"] == "rpytools.signals" for frame, _ in frames)


def call(function, args, kwargs):
    """Return (value, error, warnings); error is None or (sentence, traceback).

    KeyboardInterrupt is let through: it has to reach R as an interrupt.
    """
    said = []
    value, error = None, None
    with warnings.catch_warnings():
        show_others = warnings.showwarning

        def collect(message, category, *where, **more):
            if issubclass(category, _OUR_WARNINGS):
                said.append(str(message))
            else:
                show_others(message, category, *where, **more)

        warnings.showwarning = collect
        for kind in _OUR_WARNINGS:
            # R repeats a warning when the call is repeated; Python's default shows it once.
            warnings.simplefilter("always", kind)
        try:
            value = function(*args, **kwargs)
        except errors.PwcError as exception:
            error = (str(exception), traceback.format_exc())
        except Exception as exception:
            if _is_interrupt(exception):
                raise KeyboardInterrupt from None
            error = (f"{type(exception).__name__}: {exception}", traceback.format_exc())
    return value, error, said

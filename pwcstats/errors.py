"""What pwcstats raises and warns."""

import inspect

__all__ = [
    "ConvergenceWarning",
    "FailedCellWarning",
    "FewClustersWarning",
    "InputError",
    "PwcError",
    "SeparationWarning",
]


def user_stacklevel() -> int:
    """The `stacklevel` at which a warning points to the caller of pwcstats, through frames of scikit-learn too."""
    frame, level = inspect.currentframe(), 0
    while frame is not None and frame.f_globals.get("__name__", "").split(".")[0] in ("pwcstats", "sklearn"):
        frame, level = frame.f_back, level + 1
    return level


class PwcError(Exception):
    """Base class of every error that pwcstats raises on purpose."""


class InputError(PwcError, ValueError):
    """The input cannot be used as it is; the message says what was needed, what came, and what to do."""


class ConvergenceWarning(UserWarning):
    """An iterative method stopped before it reached its tolerance."""


class FailedCellWarning(UserWarning):
    """Some cells of a benchmark have no score, because a method or a score failed on them."""


class FewClustersWarning(UserWarning):
    """Standard errors rest on so few clusters that they are rough."""


class SeparationWarning(UserWarning):
    """The data are separated, so that some maximum likelihood estimates are infinite."""

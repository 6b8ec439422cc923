"""Errors and warnings, and the messages they carry.

A message often names a parameter, a value or a function, and these have other names in R and on the command line. Write
such references with `arg`, `value` and `code`; each front end then renders them in its own vocabulary:

>>> from pwcstats.errors import InputError, Vocabulary, arg, value
>>> error = InputError(f"{arg('maxiter')} must be at least 1, got {value(None)}; try {arg('method', 'firth')}.")
>>> print(error)
maxiter must be at least 1, got None; try method='firth'.
>>> error.arguments
('maxiter', 'method')
>>> class R(Vocabulary):
...     def parameter(self, name):
...         return {"maxiter": "maxit"}.get(name, name)
...
...     def literal(self, value):
...         return {"None": "NULL"}.get(value, value)
...
...     def setting(self, name, value):
...         return f"{self.parameter(name)} = {self.literal(value)}"
>>> print(error.message.render(R()))
maxit must be at least 1, got NULL; try method = 'firth'.
"""

import inspect
import re
import warnings
from typing import Any, NamedTuple

__all__ = [
    "AliasedWarning",
    "ConvergenceWarning",
    "FailedCellWarning",
    "FewClustersWarning",
    "InputError",
    "LeftOutWarning",
    "Message",
    "PwcError",
    "PwcWarning",
    "Reference",
    "SeparationWarning",
    "Vocabulary",
    "arg",
    "code",
    "quoted",
    "user_stacklevel",
    "value",
    "warn",
]

# Unicode reserves these noncharacters for use inside a program: they cannot occur in a valid label.
_BEGIN, _NEXT, _END = "\ufdd0", "\ufdd1", "\ufdd2"
_REFERENCE = re.compile(
    f"{_BEGIN}((?:parameter|setting|value|function)(?:{_NEXT}[^{_BEGIN}{_NEXT}{_END}]*){{1,2}}){_END}"
)


class Reference(NamedTuple):
    """A parameter, a setting of a parameter, a value or a function that a message speaks of.

    `kind` is "parameter", "setting", "value" or "function"; `value` is written as Python writes it.
    """

    kind: str
    name: str
    value: str = ""


class Vocabulary:
    """How a front end writes references; this one writes them as Python does."""

    def parameter(self, name: str) -> str:
        """Name of a parameter."""
        return name

    def setting(self, name: str, value: str) -> str:
        """A parameter and its value."""
        return f"{self.parameter(name)}={self.literal(value)}"

    def literal(self, value: str) -> str:
        """A value, given as Python writes it."""
        return value

    def function(self, name: str) -> str:
        """A function or method, or another piece of code."""
        return name

    def render(self, reference: Reference) -> str:
        """Write a reference."""
        match reference.kind:
            case "parameter":
                return self.parameter(reference.name)
            case "setting":
                return self.setting(reference.name, reference.value)
            case "value":
                return self.literal(reference.value)
            case "function":
                return self.function(reference.name)
            case _:
                raise ValueError(f"a reference has no kind {reference.kind!r}")


class Message(str):
    """A message in Python's vocabulary that can be rendered in another one.

    Parameters
    ----------
    source : str
        Text with references, as `arg`, `value` and `code` write them.

    Attributes
    ----------
    source : str
        The same.
    parts : tuple of str and Reference
        The text, cut at its references.
    """

    source: str
    parts: tuple[str | Reference, ...]

    def __new__(cls, source: str) -> "Message":
        """Parse the references."""
        source = source.source if isinstance(source, Message) else source
        # re.split puts the groups, here the contents of references, at odd places.
        parts = tuple(
            Reference(*text.split(_NEXT)) if k % 2 else text for k, text in enumerate(_REFERENCE.split(source))
        )
        message = super().__new__(cls, _render(parts, Vocabulary()))
        message.source, message.parts = source, parts
        return message

    def __reduce__(self) -> tuple[Any, ...]:
        return Message, (self.source,)

    @property
    def arguments(self) -> tuple[str, ...]:
        """Names of the parameters that the message speaks of, in order and once each."""
        kinds = ("parameter", "setting")
        return tuple(dict.fromkeys(p.name for p in self.parts if isinstance(p, Reference) and p.kind in kinds))

    def render(self, vocabulary: Vocabulary) -> str:
        """The message in the vocabulary of a front end."""
        return _render(self.parts, vocabulary)


def _render(parts: tuple[str | Reference, ...], vocabulary: Vocabulary) -> str:
    return "".join(vocabulary.render(part) if isinstance(part, Reference) else part for part in parts)


def arg(name: str, *setting: Any) -> str:
    """Refer to a parameter in a message, or with a second argument to a setting such as ``method='firth'``."""
    return _mark("setting", name, _written(setting[0])) if setting else _mark("parameter", name)


def value(x: Any) -> str:
    """Refer to a value in a message: None is NULL in R."""
    return _mark("value", "", _written(x))


def code(name: str) -> str:
    """Refer to a function, a method or a piece of code in a message; front ends may have another one for the job."""
    return _mark("function", name)


def quoted(error: BaseException) -> str:
    """The message of an error, with its references, to be part of another message."""
    return error.message.source if isinstance(error, (PwcError, PwcWarning)) else str(error)


def _mark(*parts: str) -> str:
    return f"{_BEGIN}{_NEXT.join(parts)}{_END}"


def _written(x: Any) -> str:
    """A value as Python writes it, without NumPy's wrapping of scalars."""
    return repr(x.item() if type(x).__module__ == "numpy" and getattr(x, "ndim", None) == 0 else x)


class _Spoken(Exception):  # noqa: N818
    """Base of errors and warnings with a message."""

    message: Message

    def __init__(self, message: str = "") -> None:
        self.message = Message(message)
        super().__init__(self.message)

    @property
    def arguments(self) -> tuple[str, ...]:
        """Names of the parameters that the message speaks of."""
        return self.message.arguments


class PwcError(_Spoken):
    """Base class of every error that pwcstats raises on purpose."""


class InputError(PwcError, ValueError):
    """The input cannot be used as it is; the message says what was needed, what came, and what to do."""


class PwcWarning(_Spoken, UserWarning):
    """Base class of every warning that pwcstats gives."""


class AliasedWarning(PwcWarning):
    """Coefficients are missing, because their columns are combinations of others."""


class ConvergenceWarning(PwcWarning):
    """An iterative method stopped before it reached its tolerance."""


class FailedCellWarning(PwcWarning):
    """Some cells of a benchmark have no score, because a method or a score failed on them."""


class FewClustersWarning(PwcWarning):
    """Standard errors rest on so few clusters that they are rough."""


class LeftOutWarning(PwcWarning):
    """A ranking leaves items out, because their abilities do not exist."""


class SeparationWarning(PwcWarning):
    """The data are separated, so that some maximum likelihood estimates are infinite."""


def warn(warning: Warning) -> None:
    """Give a warning that points to the user's call.

    It must be an instance: given as text and class, filters of the user would see the marks of references.
    """
    warnings.warn(warning, stacklevel=user_stacklevel())


# Packages whose frames are between the user and a warning.
_OURS = ("pwcstats", "sklearn", "statsmodels")


def user_stacklevel() -> int:
    """The `stacklevel` at which a warning points to the caller of pwcstats, through scikit-learn and statsmodels."""
    frame, level = inspect.currentframe(), 0
    while frame is not None and frame.f_globals.get("__name__", "").split(".")[0] in _OURS:
        frame, level = frame.f_back, level + 1
    return level

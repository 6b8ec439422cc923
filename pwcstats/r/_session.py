"""The one R of this process: it starts with the first call, and runs one call at a time."""

import numbers
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib.resources import files
from subprocess import CalledProcessError
from typing import Any, NamedTuple

from rpy2 import rinterface
from rpy2.rinterface_lib import callbacks, embedded, openrlib
from sklearn.utils import check_random_state

from pwcstats.errors import InputError, arg
from pwcstats.r import _convert

LARGEST_SEED = 2**31 - 1


class Answer(NamedTuple):
    """What a function returned, the warnings of R, and what was printed."""

    value: Any
    warnings: list[str]
    printed: str


@contextmanager
def running() -> Iterator[list[str]]:
    """Start R if it is not running, and keep other threads out of it. Yields what R prints, which is not shown.

    R is not thread-safe. Whatever uses rpy2 belongs into this block; blocks may be nested.
    """
    printed: list[str] = []
    with (
        openrlib.rlock,
        callbacks.obj_in_module(callbacks, "consolewrite_print", printed.append),
        callbacks.obj_in_module(callbacks, "consolewrite_warnerror", printed.append),
    ):
        if not embedded.isinitialized():
            with warnings.catch_warnings():
                # rpy2 warns that R takes over Ctrl-C if another thread than the main one starts it, but R does not.
                warnings.simplefilter("ignore")
                try:
                    rinterface.initr()
                except (OSError, RuntimeError, ValueError, CalledProcessError) as error:
                    raise InputError(f"rpy2 cannot start R ({error}); put R on the PATH, or correct R_HOME.") from error
        yield printed


class RFile:
    """The functions that an R file of this folder lists. R reads the file when one of them is first called.

    The file sees the functions of session.R.
    """

    _tools: Any = None

    def __init__(self, name: str) -> None:
        self._code = _text(name)
        self._functions: Any = None

    def call(
        self, name: str, *, packages: Sequence[str] = (), says: str = "R", convert: bool = True, **args: Any
    ) -> Answer:
        """Call a function with converted arguments.

        Parameters
        ----------
        name : str
            The function.
        packages : sequence of str
            R packages that the function needs.
        says : str
            Who speaks in messages, for example "R's e1071".
        convert : bool
            Whether to convert what it returns; if not, it is an R object, to be used within `running`.
        **args
            Arguments, as `_convert.to_r` takes them.

        Raises
        ------
        InputError
            If R reports an error, or does not have the package.
        """
        with running() as printed:
            if self._functions is None:
                if RFile._tools is None:
                    RFile._tools = rinterface.evalr(_text("session.R"), envir=rinterface.baseenv)
                self._functions = _convert.named(rinterface.evalr(self._code, envir=RFile._tools))
            arguments = _convert.to_r(args)
            answer = _convert.named(
                RFile._tools["caught"](self._functions[name], _convert.to_r(list(packages)), arguments)
            )
            if "missing" in answer:
                missing = answer["missing"][0]
                raise InputError(
                    f'R does not have the package "{missing}"; run install.packages("{missing}") in R, or install '
                    f"r-cran-{missing.lower()} on Debian and Ubuntu."
                )
            if "error" in answer:
                raise InputError(f"{says} says: {answer['error'][0].strip()}")
            result = answer["value"]
            return Answer(_convert.from_r(result) if convert else result, list(answer["warnings"]), "".join(printed))


def read_seed(random_state: Any) -> int:
    """A seed for R; an integer is the seed that R users would set."""
    if not isinstance(random_state, numbers.Integral):
        return int(check_random_state(random_state).randint(LARGEST_SEED))
    seed = int(random_state)
    if not 0 <= seed <= LARGEST_SEED:
        raise InputError(f"{arg('random_state')} must be between 0 and {LARGEST_SEED}, as R requires, got {seed}.")
    return seed


def _text(name: str) -> str:
    return files("pwcstats.r").joinpath(name).read_text(encoding="utf-8")

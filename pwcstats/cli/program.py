"""The program: its parser, and how it reports errors and warnings."""

import argparse
import ast
import os
import shlex
import sys
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NoReturn

import numpy as np

from pwcstats import __version__
from pwcstats._text import nearest, visible
from pwcstats.cli import compare, couple, datasets, demo, fit, predict, rank, reproduce, terminal, writing
from pwcstats.errors import PwcError, PwcWarning, Vocabulary

# The help text lists the commands in this order.
COMMANDS = (demo, rank, fit, predict, compare, couple, datasets, reproduce)
# Parameters whose options have another name.
RENAMED = {
    "n": "weights",
    "pair_mass": "weights",
    "weights": "pair_weights",
    "estimator": "learners",
    "random_state": "seed",
    "n_jobs": "jobs",
    "X": "file",
    "y": "target",
    "data": "file",
    "groups": "cluster",
}
# Options that stand for a setting or for a function.
SETTINGS = {"cov_type='cluster'": "cluster"}
FUNCTIONS = {"model.largest()": "largest"}
# What messages say instead of parameters that no command has.
DESCRIBED = {
    "calibration_cv": "the cross-validation for calibration",
    "selection_cv": "the cross-validation of candidates",
}
# Words for values, of options that offer them.
WORDS = {"None": "none", "True": "yes", "False": "no"}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command.

    Parameters
    ----------
    arguments : sequence of str, optional
        The arguments after ``pwcstats``; by default those of this process.

    Returns
    -------
    int
        The exit code: 0, or 1 if the data cannot be used. Wrong usage raises ``SystemExit(2)``, as argparse does.
        Without arguments, the help is printed.
    """
    arguments = list(sys.argv[1:] if arguments is None else arguments)
    if not arguments:
        make_parser().print_help()
        return 0
    options = make_parser().parse_args(arguments)
    vocabulary = options.vocabulary = Options(options.parser)
    try:
        with _warnings_on_stderr(vocabulary):
            options.run(options)
            sys.stdout.flush()
    except BrokenPipeError:
        _discard_stdout()
    except KeyboardInterrupt:
        return 130
    # scikit-learn raises ValueError for unusable data, files raise OSError, and -W error raises warnings.
    except (PwcError, ValueError, OSError, np.linalg.LinAlgError, Warning) as error:
        _print_line(_one_line(error, vocabulary) or type(error).__name__, terminal.RED)
        return 1
    return 0


def make_parser() -> argparse.ArgumentParser:
    """The parser of all commands."""
    parser = _Parser(
        prog="pwcstats",
        formatter_class=_Formatter,
        description="Class probabilities from pairwise classifiers, rankings from paired comparisons, and tests that "
        "compare methods. New here? Run `pwcstats demo`. `pwcstats COMMAND --help` shows the options of a command and "
        "an example.",
        epilog="The exit code is 0 on success, 1 if the data cannot be used, and 2 for wrong usage.",
    )
    parser.add_argument("--version", action="version", version=f"pwcstats {__version__}")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND", title="commands")
    for module in COMMANDS:
        module.add_to(commands)
    return parser


class _Formatter(argparse.HelpFormatter):
    """Leaves room for the longest command; argparse forgets that the commands are indented."""

    def add_argument(self, action: argparse.Action) -> None:
        """Add an argument, or the commands."""
        super().add_argument(action)
        if isinstance(action, argparse._SubParsersAction):
            self._action_max_length += self._indent_increment


class _Parser(argparse.ArgumentParser):
    """A parser whose errors suggest the nearest name, and show control characters, for example of file names."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        # Newer versions of Python have suggestions, too, but not for options.
        self.suggest_on_error = False
        self._arguments: list[str] = []

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        """Parse, and keep the arguments for the errors."""
        self._arguments = list(sys.argv[1:] if args is None else args)
        return super().parse_known_args(args, namespace)

    def parse_args(self, args: Any = None, namespace: Any = None) -> Any:
        """Parse; an error about an unknown option comes from the parser of the command."""
        options, unknown = self.parse_known_args(args, namespace)
        if unknown:
            options.parser.error(f"unrecognized arguments: {' '.join(unknown)}")
        return options

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        try:
            super()._check_value(action, value)
        except argparse.ArgumentError as error:
            error.message += writing.suggestion(value, action.choices or ())
            raise

    def error(self, message: str) -> NoReturn:
        """Print the usage and the message, and exit."""
        self.print_usage(sys.stderr)
        prefix = terminal.styled("error:", terminal.RED, sys.stderr)
        self.exit(2, f"{self.prog}: {prefix} {visible(message)}{self._suggest_option()}\n")

    def _suggest_option(self) -> str:
        """A question about the first option that does not exist."""
        known = [option[2:] for option in self._option_string_actions if option.startswith("--")]
        given = (argument[2:].partition("=")[0] for argument in self._arguments if argument.startswith("--"))
        # Options may be abbreviated.
        unknown = (name for name in given if not any(option.startswith(name) for option in known))
        first = next(unknown, None)
        name = nearest(first, known)
        return "" if name is None else f"; there is no option --{visible(str(first))}, did you mean --{name}?"


class Options(Vocabulary):
    """Writes parameters as the options of a command: ``method='ht'`` is ``--method ht``.

    A parameter or a setting that the command does not offer stays as Python writes it.
    """

    def __init__(self, parser: argparse.ArgumentParser) -> None:
        self._actions = {action.dest: action for action in parser._actions}

    def _action(self, name: str) -> argparse.Action | None:
        return self._actions.get(RENAMED.get(name, name))

    def parameter(self, name: str) -> str:
        """The option, or the placeholder of an argument without one."""
        action = self._action(name)
        if action is None:
            return DESCRIBED.get(name, name)
        return action.option_strings[-1] if action.option_strings else str(action.metavar or name)

    def setting(self, name: str, value: str) -> str:
        """The option and its value; a flag has none."""
        action, given = self._action(name), _evaluated(value)
        other = SETTINGS.get(f"{name}={value}")
        if other in self._actions:
            return self.parameter(other)
        if action is not None and action.option_strings:
            if action.nargs == 0 and given is True:
                return self.parameter(name)
            if value in WORDS and WORDS[value] in (action.choices or ()):
                given = WORDS[value]
            if action.nargs != 0 and (action.choices is None or given in action.choices):
                return f"{self.parameter(name)} {shlex.quote(str(given))}"
        return f"{name}={value}"

    def function(self, name: str) -> str:
        """The option that does the same, if there is one."""
        other = FUNCTIONS.get(name)
        return self.parameter(other) if other in self._actions else name


def _evaluated(value: str) -> Any:
    """The value that Python writes like this; the text itself if it is no literal."""
    try:
        return ast.literal_eval(value)
    except (ValueError, SyntaxError):
        return value


@contextmanager
def _warnings_on_stderr(vocabulary: Vocabulary) -> Iterator[None]:
    """Print each warning once, as a line on stderr; like Python, leave out those that are for developers."""
    seen: set[str] = set()

    def show(message: Warning | str, *_: Any, **__: Any) -> None:
        line = _one_line(message, vocabulary)
        if line not in seen:
            seen.add(line)
            _print_line(line, terminal.YELLOW, "warning: ")

    with warnings.catch_warnings():
        if not sys.warnoptions:
            warnings.simplefilter("always")
            for kind in (DeprecationWarning, PendingDeprecationWarning, ImportWarning, ResourceWarning):
                warnings.simplefilter("ignore", kind)
        warnings.showwarning = show
        yield


def _one_line(problem: BaseException | str, vocabulary: Vocabulary) -> str:
    """The message of an error or a warning, on one line."""
    if isinstance(problem, OSError) and problem.strerror:
        # str() would begin with the number of the error.
        return problem.strerror if problem.filename is None else f"{problem.strerror}: {problem.filename}"
    if isinstance(problem, (PwcError, PwcWarning)):
        return " ".join(problem.message.render(vocabulary).split())
    return " ".join(str(problem).split())


def _print_line(text: str, style: str, kind: str = "") -> None:
    """Print a line on stderr; names of files may contain newlines."""
    line = visible(text).replace("\n", "\\n")
    print(terminal.styled(f"pwcstats: {kind}".rstrip(), style, sys.stderr), line, file=sys.stderr)


def _discard_stdout() -> None:
    """Nobody reads stdout any more; without this, Python would report the closed pipe when it exits."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())

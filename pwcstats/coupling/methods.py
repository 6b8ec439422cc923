"""The table of coupling methods.

A method is one row of the table: its kernel, what the kernel needs, and what it reports. :func:`couple`,
`PairwiseClassifier` and the command line read the table. CONTRIBUTING.md says how to add a method.

A kernel is a compiled function of `pwcstats._native` that couples the samples ``first`` to ``stop - 1``. All kernels
have the same arguments, and each uses those it needs::

    values, upper, lower    # r, see `pwcstats.coupling.reading.Pairs`
    clip                    # r is clipped to [clip, 1 - clip], if `clips`
    weights                 # shares of the largest weight, 0 for pairs not compared; or of the largest pair mass
    top                     # if `uses_top_sets`: classes that keep a probability in the limit; no rows if all do
    first, stop
    proba                   # output
    n_iter, converged, kl   # outputs, if `iterates`; an empty `kl` is not computed

It returns whether some r may be missing, outside [0, 1], or differ from 1 - r_ji. The caller then finds out what is
wrong. It writes NaN to the row of `proba` if the sample has no limit. r of a pair with weight 0 may be NaN.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

from pwcstats import _native
from pwcstats._text import did_you_mean
from pwcstats.errors import InputError, arg, value

__all__ = ["METHODS", "TABLE", "Method", "MethodName", "find_method", "methods_with"]

MethodName = Literal["ht", "wlw1", "wlw2", "logit", "pkpd", "rv", "vote", "sum", "bayes"]


@dataclass(frozen=True)
class Method:
    """A coupling method.

    Attributes
    ----------
    name : str
        The value of the parameter `method`.
    kernel : callable
        Compiled function that couples samples.
    description : str
        What the method does, in one line.
    clips : bool
        Whether the method needs r within (0, 1), or a limit, so that `clip` applies.
    uses_weights : bool
        Whether the method uses the weights `n`.
    uses_pair_mass : bool
        Whether the method needs `pair_mass`.
    uses_top_sets : bool
        Whether the kernel needs the classes that keep a probability in the limit of exact zeros and ones.
    iterates : bool
        Whether the kernel also writes the number of iterations, whether they converged, and the distance `kl`.
    needs_probabilities : bool
        Whether r must be probabilities; if not, only the side of 1/2 matters, and uncalibrated scores will do.
    classifier_clip : float
        The `clip` that classifiers use: LIBSVM's, or a smaller one if the size of large log-odds matters. With 1e-10
        log-odds of up to 23 count; they are known to 1e-6, as r near 1 has lost digits.
    tree_kernel : callable, optional
        Compiled function for equations that the user chooses; it gets weights of 1 for their pairs, 0 for others.
    no_limit : str
        Reason to give if r has exact zeros or ones and the kernel finds no limit.
    """

    name: MethodName
    kernel: Callable[..., bool]
    description: str
    clips: bool = True
    uses_weights: bool = False
    uses_pair_mass: bool = False
    uses_top_sets: bool = False
    iterates: bool = False
    needs_probabilities: bool = True
    classifier_clip: float = 1e-7
    tree_kernel: Callable[..., bool] | None = None
    no_limit: str = "the probabilities are outside the range of double precision"


TABLE: dict[str, Method] = {
    row.name: row
    for row in (
        Method(
            "ht",
            _native.ht,
            "Hastie and Tibshirani (1998), a Bradley-Terry model with weights",
            uses_weights=True,
            uses_top_sets=True,
            iterates=True,
        ),
        Method(
            "wlw1",
            _native.wlw1,
            "Wu, Lin and Weng (2004), first method: a stationary distribution",
            uses_top_sets=True,
        ),
        # LIBSVM clips r for this method, too.
        Method(
            "wlw2",
            _native.wlw2,
            "Wu, Lin and Weng (2004), second method: least squares, as in LIBSVM",
        ),
        Method(
            "logit",
            _native.logit,
            "weighted least squares on the log-odds",
            uses_weights=True,
            classifier_clip=1e-10,
        ),
        Method(
            "pkpd",
            _native.pkpd,
            "Price, Knerr, Personnaz and Dreyfus (1995), a closed formula",
            no_limit="each class is surely beaten by another",
        ),
        Method(
            "rv",
            _native.rv,
            "Refregier and Vallet (1991), from the pairs of one class or other K - 1 pairs",
            # Pairs that form a tree can be fitted exactly, so least squares on their log-odds solves the equations.
            tree_kernel=_native.logit,
            no_limit="two classes surely beat the class whose equations are used",
        ),
        Method(
            "vote",
            _native.vote,
            "the share of pairs won",
            clips=False,
            needs_probabilities=False,
        ),
        Method(
            "sum",
            _native.sum,
            "weighted votes, the sums of r",
            clips=False,
        ),
        Method(
            "bayes",
            _native.bayes,
            "Sulzmann et al. (2007), sums of r weighted by pair masses",
            clips=False,
            uses_pair_mass=True,
        ),
    )
}
METHODS: tuple[MethodName, ...] = tuple(row.name for row in TABLE.values())

# Names in other packages.
_ALIASES = {"minpair": f"kernlab's name for {value('wlw2')}"}


def find_method(name: Any, parameter: str = "method") -> Method:
    """Row of the table, or an error that lists the methods; `parameter` is the name of the user's parameter."""
    key = name if isinstance(name, str) else ""
    if key in TABLE:
        return TABLE[key]
    hint = f" ({_ALIASES[key]})." if key in _ALIASES else f".{did_you_mean(name, METHODS)}"
    raise InputError(f"{arg(parameter)} must be one of {', '.join(map(value, METHODS))}, got {value(name)}{hint}")


def methods_with(feature: Literal["uses_weights", "uses_pair_mass", "tree_kernel"], parameter: str = "method") -> str:
    """The methods that have a feature, for a message: "method='a' or method='b'"."""
    return " or ".join(arg(parameter, row.name) for row in TABLE.values() if getattr(row, feature))

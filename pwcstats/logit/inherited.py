"""Helpers for classes that derive from statsmodels' models and results."""

from collections.abc import Callable
from typing import Any

from pwcstats._results import Result
from pwcstats.errors import InputError, Message, code


def refused(reason: str) -> Callable[..., Any]:
    """Override an inherited method that would be wrong: it raises an InputError with the reason."""

    def method(self: Any, *args: Any, **kwargs: Any) -> Any:
        raise InputError(reason)

    method.__doc__ = f"Not available: {Message(reason)}"
    return method


class StatsmodelsResult(Result):
    """Mixed into statsmodels results: the contract of our results."""

    model: Any

    def t_test_pairwise(self, term_name: str, *args: Any, **kwargs: Any) -> Any:
        """Pairwise comparisons of the levels of a factor, as in statsmodels; the model must be from a formula."""
        if not hasattr(self.model, "formula"):
            raise InputError(
                f"{code('t_test_pairwise')} needs a model from a formula; use {code('from_formula')}, or "
                f"{code('t_test')} with a matrix of contrasts."
            )
        return super().t_test_pairwise(term_name, *args, **kwargs)  # type: ignore[misc]


class PrintedWrapper:
    """Mixed into statsmodels' wrappers of results, which users see: they print as the results do."""

    _results: Result

    def __repr__(self) -> str:
        return repr(self._results)

"""Habits of naming columns: how to read comparisons if the user does not name any."""

from collections.abc import Iterable
from dataclasses import fields, replace
from typing import Any

from pwcstats._text import listed
from pwcstats.bradley_terry.reading import FORMS, Columns
from pwcstats.errors import InputError, arg

TIES = ["tie", "tie (bothbad)", "tie (both bad)", "both_bad", "bothbad"]

# One row for each habit; a list of `tie` has values of `winner`.
HABITS = (
    # chat arenas
    Columns(first="model_a", second="model_b", winner="winner", tie=TIES),
    Columns(first="model_a", second="model_b", wins=("winner_model_a", "winner_model_b", "winner_tie")),
    Columns(first="left", second="right", winner="winner", tie=["tie"]),
    # BradleyTerry2 in R
    Columns(first="player1", second="player2", wins=("win1", "win2")),
    Columns(first="home.team", second="away.team", wins=("home.wins", "away.wins")),
    # everywhere
    Columns(first="player1", second="player2", winner="winner", tie=["tie", "draw"]),
    Columns(first="first", second="second", winner="winner", tie=["tie", "draw"]),
    Columns(winner="winner", loser="loser"),
    Columns(winner="winner", loser="loser", tie="tie"),
)


def fitting_habits(names: Iterable[Any]) -> list[Columns]:
    """The habits that fit these names of columns."""
    known = set(names)
    fitting = [habit for habit in HABITS if _needed(habit) <= known]
    # A habit that uses more of the columns goes before one that ignores them.
    return [habit for habit in fitting if not any(_needed(habit) < _needed(other) for other in fitting)]


def fill_in(columns: Columns, names: Iterable[Any]) -> Columns:
    """Add the columns of the only habit that fits these names of columns; what the user said goes first."""
    names = list(names)
    fitting = fitting_habits(names)
    if not fitting:
        raise InputError(f"the columns {listed(names)} do not tell which items met and who won; give {FORMS}.")
    if len(fitting) > 1:
        ways = ", or ".join(map(named_columns, fitting))
        raise InputError(f"the columns {listed(names)} can be read in several ways; give one of them: {ways}.")
    (habit,) = fitting
    missing = {f.name: getattr(habit, f.name) for f in fields(habit) if getattr(columns, f.name) is None}
    return replace(columns, **missing)


def named_columns(columns: Columns) -> str:
    """The columns of items and winners, as arguments."""
    parts = ((name, getattr(columns, name)) for name in ("winner", "loser", "first", "second", "wins"))
    return ", ".join(arg(name, given) for name, given in parts if given is not None)


def _needed(habit: Columns) -> set[str]:
    """The columns that a habit needs."""
    tie = [habit.tie] if isinstance(habit.tie, str) else []
    names = [habit.winner, habit.loser, habit.first, habit.second, *(habit.wins or ()), *tie]
    return {name for name in names if name is not None}

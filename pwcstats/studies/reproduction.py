"""Recompute the tables and figures of the papers, and write them to a folder: CSV, text, pictures, HTML."""

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from textwrap import fill
from time import perf_counter
from types import ModuleType
from typing import Any

import pandas as pd
from matplotlib import pyplot

from pwcstats import _params
from pwcstats._files import write_figure, write_file
from pwcstats._text import counted, did_you_mean, listed
from pwcstats.errors import InputError, arg
from pwcstats.studies import STUDIES
from pwcstats.studies.recorded import read_about, read_record, record
from pwcstats.studies.report import write_report
from pwcstats.studies.running import Size, by_size, names_or_default
from pwcstats.studies.tables import Exhibit, tally

__all__ = ["STUDIES", "Outcome", "reproduce", "selected"]


@dataclass
class Outcome:
    """The outcome of an exhibit: its table and files, or errors.

    `about` contains size, seed, date, versions and seconds. `error` says why there is no table, `trouble` why there is
    no picture.
    """

    study: str
    exhibit: Exhibit
    about: dict[str, Any] = field(default_factory=dict)
    table: pd.DataFrame | None = None
    files: list[Path] = field(default_factory=list)
    error: str = ""
    trouble: str = ""

    @property
    def seconds(self) -> float:
        """Run time."""
        return float(self.about.get("seconds", 0.0))

    @property
    def verdicts(self) -> pd.Series:
        """The verdict on each number and statement of the paper, "" for rows that are not judged."""
        return pd.Series(dtype=object) if self.table is None else self.table["verdict"]

    def describe(self) -> str:
        """One line: the name, how much agrees, and the run time."""
        name = f"{self.study}.{self.exhibit.name}"
        if self.error:
            return f"{name}: not run: {self.error}"
        trouble = f"; no picture: {self.trouble}" if self.trouble else ""
        return f"{name}: {tally(self.verdicts)} ({self.seconds:.0f} s){trouble}"


def selected(names: str | Sequence[str]) -> list[tuple[str, ModuleType, Exhibit]]:
    """The exhibits with the given names, each once.

    Parameters
    ----------
    names : str or sequence of str
        "all", studies ("szepannek"; hyphens are read as underscores), or exhibits ("szepannek.table3").
    """
    if not names:
        raise InputError(f"{arg('names')} is empty; choose all, or some of {listed(STUDIES)}.")
    found: dict[tuple[str, str], tuple[str, ModuleType, Exhibit]] = {}
    for name in names_or_default(names, ()):
        study, _, exhibit = name.replace("-", "_").lower().partition(".")
        if study not in (*STUDIES, "all"):
            hint = did_you_mean(study, (*STUDIES, "all"))
            raise InputError(f"there is no study {name!r}; choose all, or some of {listed(STUDIES)}.{hint}")
        for each in STUDIES if study == "all" else (study,):
            module = import_module(f"pwcstats.studies.{each}")
            exhibits = [item for item in module.EXHIBITS if exhibit in ("", item.name)]
            if not exhibits:
                known = [item.name for item in module.EXHIBITS]
                hint = did_you_mean(exhibit, known)
                raise InputError(f"{study} has no {exhibit!r}; choose from {listed(known)}.{hint}")
            found |= {(each, item.name): (each, module, item) for item in exhibits}
    return list(found.values())


def reproduce(
    names: str | Sequence[str] = "all",
    *,
    size: Size = "quick",
    out: str | os.PathLike[str] = "pwcstats-reproduce",
    random_state: int = 0,
    n_jobs: int | None = None,
    progress: bool = False,
    say: Callable[[str], Any] | None = None,
) -> list[Outcome]:
    """Recompute tables and figures of the papers and write them to a folder.

    Parameters
    ----------
    names : str or sequence of str
        "all", studies ("szepannek"), or single tables and figures ("szepannek.table3").
    size : {"quick", "paper"}
        "quick" takes some minutes for all of them. "paper" uses the sizes of the papers and takes hours.
    out : str or path-like
        The folder. Each exhibit has the files .csv (with date, seed and versions in .json), .txt and .png.
        ``report.html`` shows all exhibits of the folder, also those of earlier calls. Finished cells are stored in
        ``cells``, so that a study that was stopped can be resumed with the same folder.
    random_state : int
        Seed from which all others derive.
    n_jobs : int, optional
        Number of parallel jobs, as in joblib.
    progress : bool
        Whether to show progress bars on stderr.
    say : callable, optional
        Called with a line of text after each exhibit.

    Returns
    -------
    list of Outcome
        One for each exhibit in `names`. An exhibit whose data set is not installed has an error instead of a table.
    """
    by_size(size, None, None)
    _params.count(random_state, "random_state", 0)
    todo = selected(names)
    folder = Path(out)
    if folder.exists() and not folder.is_dir():
        raise InputError(f"{arg('out')} must be a folder, got the file {out}.")
    folder.mkdir(parents=True, exist_ok=True)
    how = {"random_state": random_state, "n_jobs": n_jobs, "progress": progress, "cache": folder / "cells"}
    outcomes = []
    for study, _, exhibit in todo:
        outcome = _run(study, exhibit, size, folder, how)
        outcomes.append(outcome)
        if say is not None:
            say(outcome.describe())
    found = _in_folder(folder, outcomes)
    for outcome in found:
        if say is not None and outcome.error and outcome not in outcomes:
            say(outcome.describe())
    write_report(folder / "report.html", found)
    return outcomes


def _in_folder(folder: Path, outcomes: Sequence[Outcome]) -> list[Outcome]:
    """Outcomes of this call and of earlier ones in the same folder, in the order of the papers."""
    new = {(outcome.study, outcome.exhibit.name): outcome for outcome in outcomes}
    found = []
    for study, _, exhibit in selected(["all"]):
        files = [file for file in _files(folder, study, exhibit) if file.exists()]
        if (study, exhibit.name) in new:
            found.append(new[study, exhibit.name])
        elif files:
            found.append(_of_files(study, exhibit, files))
    return found


def _of_files(study: str, exhibit: Exhibit, files: list[Path]) -> Outcome:
    if exhibit.table is None:
        return Outcome(study, exhibit, read_about(files[0]), files=files)
    try:
        table = read_record(files[0].with_suffix(".csv"))
    except InputError as error:
        return Outcome(study, exhibit, error=str(error))
    return Outcome(study, exhibit, {str(key): value for key, value in table.attrs.items()}, table, files)


def _files(folder: Path, study: str, exhibit: Exhibit) -> list[Path]:
    return [folder / f"{study}.{exhibit.name}.{ending}" for ending in ("csv", "txt", "png")]


def _run(study: str, exhibit: Exhibit, size: Size, folder: Path, how: dict[str, Any]) -> Outcome:
    outcome, start = Outcome(study, exhibit), perf_counter()
    seed, date = int(how["random_state"]), pd.Timestamp.now().strftime("%Y-%m-%d")
    csv, txt, png = _files(folder, study, exhibit)
    try:
        outcome.table = None if exhibit.table is None else exhibit.table(size, **how)
    except InputError as error:
        outcome.error = str(error)
        return outcome
    # Files of an earlier table must not remain beside this one, even if the process is killed now.
    for file in (png, txt):
        file.unlink(missing_ok=True)
    seconds = round(perf_counter() - start, 1)
    options = import_module(f"pwcstats.studies.{study}").OPTIONS
    outcome.about = record(outcome.table, csv, date=date, size=size, seed=seed, seconds=seconds, options=options)
    if outcome.table is not None:
        write_file(txt, _as_page(outcome, outcome.table))
        outcome.files += [csv, txt]
    try:
        figure = exhibit.draw(outcome.table, seed)
    except ValueError as error:
        # A failed picture must not stop the other exhibits.
        outcome.trouble = str(error)
        return outcome
    if figure is not None:
        write_figure(png, figure, dpi=110)
        pyplot.close(figure)
        outcome.files.append(png)
    return outcome


def _as_page(outcome: Outcome, table: pd.DataFrame) -> str:
    exhibit, about = outcome.exhibit, outcome.about
    agreeing = outcome.describe().partition(": ")[2]
    made = f"Size {about['size']}, seed {about['seed']}, {about['date']}, {about['versions']}"
    options = fill(f"Options: {about['options']}", 100)
    agreeing = agreeing[:1].upper() + agreeing[1:]
    lines = [exhibit.title, fill(exhibit.about, 100), options, as_text(table), agreeing, made]
    return "\n\n".join(lines) + "\n"


def as_text(table: pd.DataFrame) -> str:
    """A table as text, with blanks for missing values."""
    shown = table.astype(object).where(table.notna(), "")
    return shown.to_string(index=False, float_format=lambda x: f"{x:.4g}")


def summary(outcomes: Sequence[Outcome]) -> str:
    """One line about all of them."""
    verdicts = pd.concat([outcome.verdicts for outcome in outcomes])
    failed, bare = (sum(bool(getattr(one, what)) for one in outcomes) for what in ("error", "trouble"))
    text = tally(verdicts, "numbers and statements agree with the papers")
    text += f"; {counted(failed, 'exhibit')} could not be run" if failed else ""
    return text + (f"; {counted(bare, 'picture')} could not be drawn" if bare else "")

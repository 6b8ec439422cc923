"""The report of studies: tables, figures and explanations on one HTML page."""

from collections.abc import Iterator, Mapping, Sequence
from html import escape
from importlib import import_module
from itertools import groupby
from pathlib import Path
from typing import Any

import pandas as pd

from pwcstats.studies.html import page, picture, table
from pwcstats.studies.tables import COUNTED, LEVEL


def write_report(file: Path, outcomes: Sequence[Any]) -> None:
    """Write the page.

    Parameters
    ----------
    file : Path
        The file to write.
    outcomes : sequence of Outcome
        As :func:`pwcstats.studies.reproduction.reproduce` returns them.
    """
    studies = [(name, list(found)) for name, found in groupby(outcomes, key=lambda outcome: outcome.study)]
    date = pd.Timestamp.now().strftime("%Y-%m-%d")
    parts = [
        f"<p>Tables and figures of the papers, recomputed by pwcstats on {date}. Our numbers are means over runs, with "
        "standard errors, beside the printed numbers. A number <b>agrees</b> if the printed value lies in the "
        f"{LEVEL:.0%} prediction interval for a repetition of the same experiment, allowing for rounding. If the "
        "interval is too wide to be a test, because the allowed difference is more than half of the distance of the "
        "printed number from the nearer end of its plausible range, the row has <b>no power</b> and does not count. A "
        f"statement agrees or <b>disagrees</b> if the {LEVEL:.0%} interval of the number beside it is on one side of "
        "its cut; otherwise it is <b>open</b>. A number or statement that differs is open, too, unless its cause has "
        "been demonstrated. With the few runs of the size “quick”, intervals are wide.</p>",
        _overview(studies),
        *(part for name, found in studies for part in _study(name, found)),
    ]
    page(file, "Papers on pairs, reproduced", parts)


def _overview(studies: list[tuple[str, list[Any]]]) -> str:
    """A table of all exhibits with links and the numbers of agreements."""
    rows = []
    for name, outcomes in studies:
        for outcome in outcomes:
            verdicts, title = outcome.verdicts, escape(outcome.exhibit.title)
            anchor = f"{name}.{outcome.exhibit.name}"
            agree = _agreeing(verdicts)
            if outcome.error:
                agree = "not run"
            size = escape(str(outcome.about.get("size", "")))
            rows.append(
                f'<tr><td class="word">{escape(_title(name).partition(":")[0])}</td>'
                f'<td class="word"><a href="#{anchor}">{title}</a></td>'
                f"<td>{agree}</td><td>{size}</td><td>{outcome.seconds:.0f}</td></tr>"
            )
    all_ = pd.Series([verdict for _, outcomes in studies for outcome in outcomes for verdict in outcome.verdicts])
    rows.append(f'<tr><td class="word">all</td><td></td><td>{_agreeing(all_)}</td><td></td><td></td></tr>')
    names = '<tr><th class="word">paper</th><th class="word">table or figure</th>'
    head = f"{names}<th>agree</th><th>size</th><th>seconds</th></tr>"
    return f'<div class="wide"><table>{head}{"".join(rows)}</table></div>'


def _agreeing(verdicts: pd.Series) -> str:
    n = int(verdicts.isin(COUNTED).sum())
    return f"{int((verdicts == 'agree').sum())} of {n}" if n else ""


def _title(study: str) -> str:
    return str(import_module(f"pwcstats.studies.{study}").TITLE)


def _study(name: str, outcomes: list[Any]) -> Iterator[str]:
    reference = import_module(f"pwcstats.studies.{name}").REFERENCE
    yield f'<h2 id="{name}">{escape(_title(name))}</h2><p class="pale">{_linked(reference)}</p>'
    for outcome in outcomes:
        exhibit = outcome.exhibit
        yield f'<h3 id="{name}.{exhibit.name}">{escape(exhibit.title)}</h3><p>{escape(exhibit.about)}</p>'
        if outcome.error:
            yield f'<p class="error">Not run: {escape(outcome.error)}</p>'
        if outcome.trouble:
            yield f'<p class="error">No picture: {escape(outcome.trouble)}</p>'
        for file in outcome.files:
            if file.suffix == ".png":
                yield picture(file, exhibit.title)
        if outcome.table is not None:
            yield table(outcome.table)
        if outcome.about:
            yield f'<p class="pale">{escape(_made(outcome.about))}</p>'


def _made(about: Mapping[str, Any]) -> str:
    """Size, seed, date, versions and options of an exhibit; those of others may differ."""
    made = f"Size {about['size']}, seed {about['seed']}, {about['date']}, {about['versions']}"
    return f"{made}. {about['options']}"


def _linked(reference: str) -> str:
    """A reference with a link."""
    text, mark, address = reference.partition("https://")
    link = f'<a href="{mark}{escape(address)}">{mark}{escape(address)}</a>' if mark else ""
    return escape(text) + link

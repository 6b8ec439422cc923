"""One page of HTML that needs nothing else: tables, pictures and words of studies."""

from collections.abc import Iterator, Mapping, Sequence
from html import escape
from importlib import import_module
from itertools import groupby
from pathlib import Path
from typing import Any

import pandas as pd

from pwcstats.studies.html import page, picture, table
from pwcstats.studies.tables import LEVEL


def write_report(file: Path, outcomes: Sequence[Any]) -> None:
    """Write the page.

    Parameters
    ----------
    file : Path
        Where to.
    outcomes : sequence of Outcome
        As :func:`pwcstats.studies.reproduction.reproduce` has them, with their files.
    """
    studies = [(name, list(found)) for name, found in groupby(outcomes, key=lambda outcome: outcome.study)]
    date = pd.Timestamp.now().strftime("%Y-%m-%d")
    parts = [
        f"<p>Tables and figures of the papers, computed again by pwcstats; this page is of {date}. Our numbers "
        "are means over runs, with their standard errors, beside the printed ones. <b>Agrees</b> means: the printed "
        f"number, rounded as it is, lies in the interval that would hold it in {LEVEL:.0%} of the cases if both had "
        "done the same experiment; of a statement, that it is so here, by the number beside it. With the few runs of "
        "the size “quick” such intervals are wide.</p>",
        _overview(studies),
        *(part for name, found in studies for part in _study(name, found)),
    ]
    page(file, "Papers on pairs, reproduced", parts)


def _overview(studies: list[tuple[str, list[Any]]]) -> str:
    """What agrees, in one table with links."""
    rows = []
    for name, outcomes in studies:
        for outcome in outcomes:
            verdicts, title = outcome.verdicts, escape(outcome.exhibit.title)
            place = f"{name}.{outcome.exhibit.name}"
            agree = f"{int(verdicts.sum())} of {len(verdicts)}" if len(verdicts) else ""
            if outcome.error:
                agree = "not run"
            size = escape(str(outcome.about.get("size", "")))
            rows.append(
                f'<tr><td class="word">{escape(_title(name).partition(":")[0])}</td>'
                f'<td class="word"><a href="#{place}">{title}</a></td>'
                f"<td>{agree}</td><td>{size}</td><td>{outcome.seconds:.0f}</td></tr>"
            )
    all_ = [verdict for _, outcomes in studies for outcome in outcomes for verdict in outcome.verdicts]
    rows.append(f'<tr><td class="word">all</td><td></td><td>{sum(all_)} of {len(all_)}</td><td></td><td></td></tr>')
    words = '<tr><th class="word">paper</th><th class="word">table or figure</th>'
    head = f"{words}<th>agree</th><th>size</th><th>seconds</th></tr>"
    return f'<div class="wide"><table>{head}{"".join(rows)}</table></div>'


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
    """When and how an exhibit was made, which need not be as the others of the page."""
    return f"Size {about['size']}, seed {about['seed']}, {about['date']}, {about['versions']}"


def _linked(reference: str) -> str:
    """A reference whose DOI can be followed."""
    words, mark, address = reference.partition("https://")
    link = f'<a href="{mark}{escape(address)}">{mark}{escape(address)}</a>' if mark else ""
    return escape(words) + link

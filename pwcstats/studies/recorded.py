"""Recorded results at the sizes of the papers."""

import json
from io import BytesIO
from pathlib import Path
from typing import Any

import pandas as pd

from pwcstats import _params
from pwcstats._files import write_file
from pwcstats._jobs import digest
from pwcstats.errors import InputError
from pwcstats.studies.running import STUDIES, versions
from pwcstats.studies.tables import COUNTED

__all__ = ["overview", "record", "recorded"]

FOLDER = Path(__file__).parent / "results"


def recorded(study: str, exhibit: str) -> pd.DataFrame:
    """Recorded results of a table or figure at the size of the paper.

    Parameters
    ----------
    study : str
        "hastie_tibshirani", "szepannek", "wu_lin_weng", "sulzmann" or "chang".
    exhibit : str
        "table1", "figure5", and so on.

    Returns
    -------
    DataFrame
        The result of the study's function of this name with ``size="paper"``. Its ``attrs`` contain "date", "versions",
        "seed", "seconds" and "options", the calibration and other options that the study uses.

    Examples
    --------
    >>> from pwcstats.studies import recorded
    >>> table = recorded("szepannek", "table3")
    >>> table[["dataset", "method", "estimate", "paper"]].head(3).round(3)
         dataset method  estimate  paper
    0  satellite    LDA     0.172   0.15
    1  satellite     NB     0.204   0.20
    2  satellite    PWC     0.161   0.18
    """
    study = study.replace("-", "_") if isinstance(study, str) else study
    names = sorted(file.stem for file in FOLDER.glob("*.csv"))
    found = {name.partition(".")[0] for name in names}
    _params.choice(study, sorted(found), "study")
    _params.choice(exhibit, [name.partition(".")[2] for name in names if name.startswith(f"{study}.")], "exhibit")
    return read_record(FOLDER / f"{study}.{exhibit}.csv")


def overview() -> pd.DataFrame:
    """Verdicts on each paper, from the recorded results.

    Returns
    -------
    DataFrame
        One row per study, with the numbers of rows that are counted (those that agree, disagree with a known cause, or
        are open) and of rows without power.

    Examples
    --------
    >>> from pwcstats.studies.recorded import overview
    >>> list(overview().columns)
    ['counted', 'agree', 'disagree', 'open', 'no power']
    """
    rows = {}
    for study in STUDIES:
        verdicts = pd.concat([read_record(file)["verdict"] for file in FOLDER.glob(f"{study}.*.csv")])
        counts = {name: int((verdicts == name).sum()) for name in (*COUNTED, "no power")}
        rows[study] = {"counted": sum(counts[name] for name in COUNTED), **counts}
    return pd.DataFrame.from_dict(rows, orient="index")


def record(frame: pd.DataFrame | None, file: Path, **about: Any) -> dict[str, Any]:
    """Write a table as CSV, and facts about it (versions, `about`) as JSON; return these facts.

    Without a table, write only the JSON.
    """
    about |= {"versions": versions()}
    if frame is not None:
        # Further digits differ from machine to machine.
        table = frame.to_csv(index=False, float_format="%.6g", lineterminator="\n")
        integers = [name for name, kind in frame.dtypes.items() if pd.api.types.is_integer_dtype(kind)]
        about |= {"sha256": digest(table.encode()), "integers": integers}
    write_file(file.with_suffix(".json"), json.dumps(about) + "\n")
    if frame is not None:
        write_file(file, table)
    return about


def read_about(file: Path) -> dict[str, Any]:
    """The facts that :func:`record` wrote; empty if the file is missing or corrupt."""
    try:
        about = json.loads(file.with_suffix(".json").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return about if isinstance(about, dict) else {}


def read_record(file: Path) -> pd.DataFrame:
    """Read a table that :func:`record` wrote."""
    about = read_about(file)
    content = file.read_bytes() if file.is_file() else b""
    # The file may be truncated, or the JSON may belong to another table.
    if about.get("sha256") != digest(content):
        raise InputError(f"{file} does not match {file.stem}.json beside it; compute the table again.")
    frame = pd.read_csv(BytesIO(content)).astype(dict.fromkeys(about["integers"], "Int64"))
    # pandas reads an empty text as a missing number.
    for name in ("verdict", "note", "cause"):
        frame[name] = frame[name].astype(object).fillna("")
    frame.attrs |= about
    return frame

"""Results at the papers' sizes, as they were run once."""

import json
from io import BytesIO
from pathlib import Path
from typing import Any

import pandas as pd

from pwcstats import _params
from pwcstats._files import write_file
from pwcstats._jobs import digest
from pwcstats.errors import InputError
from pwcstats.studies.running import versions

__all__ = ["record", "recorded"]

FOLDER = Path(__file__).parent / "results"


def recorded(study: str, exhibit: str) -> pd.DataFrame:
    """A table of a paper at the paper's size, as it was run for this version.

    Parameters
    ----------
    study : str
        "hastie_tibshirani", "szepannek", "wu_lin_weng", "sulzmann" or "chang".
    exhibit : str
        "table1", "figure5", and so on.

    Returns
    -------
    DataFrame
        What the study's function of this name returned with ``size="paper"``. Its ``attrs`` tell "date", "versions",
        "seed" and "seconds".

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


def record(frame: pd.DataFrame | None, file: Path, **about: Any) -> dict[str, Any]:
    """Write a table as CSV, and as JSON beside it how and with which versions it was made; return the latter.

    Of a picture, which has no table, there is the JSON only.
    """
    about |= {"versions": versions()}
    if frame is not None:
        # So many digits as a reader may use, and not those that differ from machine to machine.
        table = frame.to_csv(index=False, float_format="%.6g", lineterminator="\n")
        integers = [name for name, kind in frame.dtypes.items() if pd.api.types.is_integer_dtype(kind)]
        about |= {"sha256": digest(table.encode()), "integers": integers}
    write_file(file.with_suffix(".json"), json.dumps(about) + "\n")
    if frame is not None:
        write_file(file, table)
    return about


def read_about(file: Path) -> dict[str, Any]:
    """How a table or picture was made, as :func:`record` wrote it; nothing where there is nothing."""
    try:
        about = json.loads(file.with_suffix(".json").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return about if isinstance(about, dict) else {}


def read_record(file: Path) -> pd.DataFrame:
    """Read a table that :func:`record` wrote."""
    about = read_about(file)
    content = file.read_bytes() if file.is_file() else b""
    # Without this a table that was cut, or one beside what is told of another, would be believed.
    if about.get("sha256") != digest(content):
        raise InputError(f"{file} is not what was written there, with {file.stem}.json beside it: run it again.")
    frame = pd.read_csv(BytesIO(content)).astype({"agrees": "boolean", **dict.fromkeys(about["integers"], "Int64")})
    # A column without any remark is read as one of missing numbers.
    frame["note"] = frame["note"].astype(object).fillna("")
    frame.attrs |= about
    return frame

"""Write files atomically; tables and figures as the content of files."""

import csv
import errno
import io
import os
import stat
from contextlib import suppress
from pathlib import Path
from typing import Any
from uuid import uuid4

import pandas as pd

# These may be files to which other processes write, too, so they must not be replaced.
STREAMS = ("/dev/std", "/dev/fd/", "/proc/")


def write_file(file: str | os.PathLike[str], content: str | bytes) -> None:
    """Write a file such that it has the new content or, if anything fails, the old one.

    The content is written to a temporary file in the same folder, which then replaces the old file. Text is written as
    UTF-8. An existing file keeps its permissions. If it is a symbolic link, its target is replaced. Other hard links to
    it keep the old content. Pipes and devices are written to directly.

    Raises
    ------
    OSError
        With the name of `file`, if any step fails. No temporary file is left.
    """
    data = content.encode("utf-8") if isinstance(content, str) else content
    try:
        if _is_stream(file):
            with open(file, "ab") as stream:
                stream.write(data)
        else:
            _replace(Path(os.path.realpath(file)), data)
    except OSError as error:
        raise OSError(error.errno, error.strerror, os.fspath(file)) from None


def write_figure(file: str | os.PathLike[str], figure: Any, dpi: int) -> None:
    """Write a matplotlib figure in the format given by the file extension."""
    write_file(file, figure_as_bytes(figure, Path(file).suffix[1:].lower(), dpi=dpi))


def figure_as_bytes(figure: Any, kind: str, **options: Any) -> bytes:
    """A matplotlib figure as the content of a file of this kind, for example "svg"."""
    picture = io.BytesIO()
    figure.savefig(picture, format=kind, **options)
    return picture.getvalue()


def has_row_names(table: pd.DataFrame | pd.Series) -> bool:
    """Whether the index of a table names its rows; otherwise it only counts them."""
    return not isinstance(table.index, pd.RangeIndex)


def as_csv(table: pd.DataFrame | pd.Series, index_label: str | None = None) -> str:
    """A table as CSV, with its row names if it has any; reading it gives the same cells."""

    def text(quoting: Any) -> str:
        return table.to_csv(index=has_row_names(table), index_label=index_label, lineterminator="\n", quoting=quoting)

    plain = text(csv.QUOTE_MINIMAL)
    # pandas does not quote a cell with a lone carriage return, which would start a new line.
    return text(csv.QUOTE_NONNUMERIC) if "\r" in plain else plain


def _is_stream(file: str | os.PathLike[str]) -> bool:
    """Whether a file cannot be replaced: a pipe, a device or a stream of this process."""
    if os.path.abspath(file).startswith(STREAMS):
        return True
    return os.path.exists(file) and not os.path.isfile(file)


def _replace(file: Path, data: bytes) -> None:
    old = file.stat() if file.exists() else None
    # Replacing a file needs only write permission for its folder.
    if old is not None and not os.access(file, os.W_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
    part = file.with_name(f".{uuid4().hex}.part")
    try:
        with open(part, "xb", opener=lambda name, flags: os.open(name, flags, _mode(old))) as stream:
            if old is not None:
                _take_over(part, old)
            stream.write(data)
            stream.flush()
            os.fsync(stream.fileno())
        os.replace(part, file)
    except BaseException:
        part.unlink(missing_ok=True)
        raise
    # The new name is on the disk only when the folder is. Some systems cannot open folders.
    with suppress(OSError):
        folder = os.open(file.parent, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)


def _mode(old: os.stat_result | None) -> int:
    """Permissions of the new file, before the umask; those of the old file, which may be private."""
    return 0o666 if old is None else stat.S_IMODE(old.st_mode)


def _take_over(part: Path, old: os.stat_result) -> None:
    """Give a new file the owner (if permitted) and the permissions of the old one."""
    if hasattr(os, "chown"):
        with suppress(PermissionError):
            os.chown(part, old.st_uid, old.st_gid)
    os.chmod(part, _mode(old))

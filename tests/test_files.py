"""Atomic writing of files: full disks, interrupts, kills; permissions, links, pipes and devices."""

import os
import re
import resource
import signal
import stat
import subprocess
import sys
import threading
from contextlib import contextmanager
from pathlib import Path

import pytest
from matplotlib.figure import Figure

import pwcstats
from pwcstats._files import write_figure, write_file
from pwcstats._jobs import keep, read_kept
from pwcstats.studies import html
from pwcstats.studies.recorded import record
from tests.commanding import Shell

pytestmark = pytest.mark.one_environment

GAMES = "winner,loser\na,b\nb,a\na,c\nc,b\n"
ROWS = "x,z,y\n" + "".join(f"{i * 37 % 11},{i * i % 13},{'abc'[i % 3]}\n" for i in range(60))
SCORES = "lda,svm,nb\n.9,.8,.7\n.8,.7,.75\n.7,.75,.6\n.9,.7,.5\n"


@pytest.fixture
def shell(tmp_path, capsys, monkeypatch):
    return Shell(tmp_path, capsys, monkeypatch)


@contextmanager
def full_disk(room):
    """No file can have more than so many bytes; the system refuses the rest, as it does on a full disk."""
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (room, limits[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)


COMMANDS = {
    "fit --save": (ROWS, ["fit", "{in}", "--target", "y", "--learners", "lda", "--cv", "0", "--save", "{out}"]),
    "fit --out": (ROWS, ["fit", "{in}", "--target", "y", "--learners", "lda", "--cv", "0", "--out", "{out}"]),
    "rank --out": (GAMES, ["rank", "{in}", "--out", "{out}"]),
    "rank --json": (GAMES, ["rank", "{in}", "--json", "--out", "{out}"]),
    "rank --plot": (GAMES, ["rank", "{in}", "--plot", "{out}"]),
    "compare --plot": (SCORES, ["compare", "{in}", "--rows", "datasets", "--plot", "{out}"]),
    "couple --out": ("a/b,a/c,b/c\n" + ".9,.4,.7\n" * 30, ["couple", "{in}", "--out", "{out}"]),
    "datasets --out": ("", ["datasets", "--out", "{out}"]),
}


@pytest.mark.parametrize("command", COMMANDS)
def test_a_full_disk_leaves_the_old_file(shell, command):
    table, words = COMMANDS[command]
    file, out = shell.write("table.csv", table), shell.path("out.png")
    words = [{"{in}": file, "{out}": out}.get(word, word) for word in words]
    shell.ok(*words)
    old = Path(out).read_bytes()
    for room in (0, len(old) // 2):
        with full_disk(room):
            found = shell.run(*words)
        assert found == (1, "", f"pwcstats: File too large: {out}\n")
        assert Path(out).read_bytes() == old
        assert sorted(os.listdir(shell.folder)) == ["out.png", "table.csv"]
    Path(out).unlink()
    with full_disk(len(old) // 2):
        assert shell.run(*words)[0] == 1
    assert os.listdir(shell.folder) == ["table.csv"]
    shell.ok(*words)


def test_cells_and_pages_on_a_full_disk(tmp_path):
    cell, page = tmp_path / "cell.json", tmp_path / "page.html"
    keep(cell, {"records": [1]})
    html.page(page, "title", ["<p>old</p>"])
    old = page.read_bytes()
    with full_disk(10):
        with pytest.raises(OSError, match=re.escape(str(cell))):
            keep(cell, {"records": [2]})
        with pytest.raises(OSError, match=re.escape(str(page))):
            html.page(page, "title", ["<p>new</p>"])
        with pytest.raises(OSError, match="table.json"):
            record(None, tmp_path / "table.csv", size="quick")
    assert read_kept(cell)["records"] == [1]
    assert page.read_bytes() == old
    assert sorted(os.listdir(tmp_path)) == ["cell.json", "page.html"]


def test_everything_is_written_by_one_helper():
    """Other calls that write files would write them in place."""
    folder = Path(pwcstats.__file__).parent
    calls = (
        r"\.(write_text|write_bytes|savefig|tofile)\(",
        r"\bopen\([^)]*[\"'][wax]b?[\"']",
        r"np\.save|\bdump\(|ZipFile\(path|to_csv\(path|gzip\.open",
    )
    direct = re.compile("|".join(calls))
    found = [
        f"{file.relative_to(folder)}: {line.strip()}"
        for file in folder.rglob("*.py")
        for line in file.read_text(encoding="utf-8").splitlines()
        if direct.search(line) and ">>>" not in line and file.name != "_files.py"
    ]
    assert found == []


@pytest.mark.parametrize("step", ["fsync", "replace"])
def test_an_interrupt_leaves_nothing(tmp_path, monkeypatch, step):
    file = tmp_path / "file"
    write_file(file, "old")

    def interrupt(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(os, step, interrupt)
    with pytest.raises(KeyboardInterrupt):
        write_file(file, "new")
    assert file.read_text() == "old"
    assert os.listdir(tmp_path) == ["file"]


@pytest.mark.parametrize("step", ["fsync", "replace"])
def test_a_kill_leaves_the_old_file(tmp_path, step):
    file = tmp_path / "file"
    write_file(file, "old")
    script = f"""
import os, signal
from pwcstats._files import write_file
os.{step} = lambda *_: os.kill(os.getpid(), signal.SIGKILL)
write_file({str(file)!r}, "new")
"""
    assert subprocess.run([sys.executable, "-c", script], timeout=120, check=False).returncode == -signal.SIGKILL
    assert file.read_text() == "old"


def test_content_is_on_the_disk_before_the_name(tmp_path, monkeypatch):
    steps = []
    for step in ("fsync", "replace"):
        real = getattr(os, step)
        monkeypatch.setattr(os, step, lambda *a, step=step, real=real: (steps.append(step), real(*a)))
    write_file(tmp_path / "file", "new")
    assert steps == ["fsync", "replace", "fsync"]


def test_text_and_bytes(tmp_path):
    file = tmp_path / "file"
    write_file(str(file), "é\n\r\n")
    assert file.read_bytes() == b"\xc3\xa9\n\r\n"
    write_file(file, b"\x00\xff")
    assert file.read_bytes() == b"\x00\xff"
    write_file(tmp_path / ("n" * 255), "long names")
    with pytest.raises(OSError, match="No such file or directory.*none/file"):
        write_file(tmp_path / "none" / "file", "")
    with pytest.raises(IsADirectoryError, match=re.escape(str(tmp_path))):
        write_file(tmp_path, "")


def test_permissions(tmp_path):
    file = tmp_path / "file"
    old = os.umask(0o027)
    try:
        write_file(file, "new")
        assert stat.S_IMODE(file.stat().st_mode) == 0o640
        for mode in (0o600, 0o666, 0o755):
            file.chmod(mode)
            write_file(file, "newer")
            assert stat.S_IMODE(file.stat().st_mode) == mode
    finally:
        os.umask(old)


def test_private_files_are_private_from_the_start(tmp_path, monkeypatch):
    file = tmp_path / "file"
    file.touch(0o600)
    modes, real = [], os.fsync
    monkeypatch.setattr(os, "fsync", lambda fd: (modes.append(stat.S_IMODE(os.fstat(fd).st_mode)), real(fd)))
    monkeypatch.setattr(os, "chmod", lambda *_: None)
    write_file(file, "secret")
    assert modes[0] == 0o600


def test_refused_without_the_right_to_write(tmp_path, monkeypatch):
    file = tmp_path / "file"
    write_file(file, "old")
    monkeypatch.setattr(os, "access", lambda *_: False)
    with pytest.raises(PermissionError, match=re.escape(str(file))):
        write_file(file, "new")
    assert file.read_text() == "old"


def test_links_stay_links(tmp_path):
    (tmp_path / "there").mkdir()
    target, link = tmp_path / "there" / "target", tmp_path / "link"
    link.symlink_to(target)
    for text in ("new", "newer"):
        write_file(link, text)
        assert link.is_symlink()
        assert target.read_text() == text
        assert os.listdir(target.parent) == ["target"]
    assert sorted(os.listdir(tmp_path)) == ["link", "there"]


def test_pipes_and_devices(tmp_path):
    pipe, found = tmp_path / "pipe", []
    os.mkfifo(pipe)
    reader = threading.Thread(target=lambda: found.append(pipe.read_bytes()))
    reader.start()
    write_file(pipe, "through")
    reader.join(timeout=10)
    assert found == [b"through"]
    assert stat.S_ISFIFO(pipe.stat().st_mode)
    write_file(os.devnull, "nowhere")
    with pytest.raises(OSError, match="No space left on device: '/dev/full'"):
        write_file("/dev/full", "x")


def test_streams_of_the_process(shell):
    file, log = shell.write("games.csv", GAMES), shell.folder / "log"
    command = [sys.executable, "-m", "pwcstats", "rank", file, "--out", "/dev/stdout"]
    printed = subprocess.run(command, capture_output=True, timeout=120, check=True).stdout.decode()
    assert printed == shell.ok("rank", file)
    # The shell's file stays the same file, and nothing in it is lost.
    with open(log, "a") as stream:
        stream.write("before\n")
        stream.flush()
        subprocess.run(command, stdout=stream, timeout=120, check=True)
        stream.write("after\n")
    assert log.read_text() == f"before\n{printed}after\n"


@pytest.mark.parametrize(("name", "start"), [("a.png", b"\x89PNG"), ("a.PDF", b"%PDF"), ("a.svg", b"<?xml")])
def test_figures(tmp_path, name, start):
    figure = Figure()
    figure.subplots()
    write_figure(tmp_path / name, figure, dpi=50)
    assert (tmp_path / name).read_bytes().startswith(start)
    assert os.listdir(tmp_path) == [name]

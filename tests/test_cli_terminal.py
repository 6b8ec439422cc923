"""Colours and progress bars: terminals get them, pipes do not."""

import os
import re
import struct
import subprocess
import sys

import pytest

from pwcstats.cli.program import make_parser
from tests.commanding import Shell

pytestmark = pytest.mark.one_environment

WINS = ",a,b\na,0,3\nb,1,0\n"
ESCAPE = "\x1b["
BOLD_HEAD = f"{ESCAPE}1mLeaderboard of 2 items, 4 comparisons: ability (sum 0){ESCAPE}0m"


@pytest.fixture(autouse=True)
def _plain_environment(monkeypatch):
    for name in ("NO_COLOR", "FORCE_COLOR", "PYTHON_COLORS"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("TERM", "xterm")


@pytest.fixture
def shell(tmp_path, capsys, monkeypatch):
    return Shell(tmp_path, capsys, monkeypatch)


@pytest.fixture
def wins(tmp_path):
    (tmp_path / "wins.csv").write_text(WINS)
    return str(tmp_path / "wins.csv")


def on_terminal(*arguments, code=0, start=("-m", "pwcstats"), **variables):
    """What a command writes if stdout and stderr are a terminal."""
    pty, fcntl, termios = map(pytest.importorskip, ("pty", "fcntl", "termios"))
    ours, theirs = pty.openpty()
    # A new terminal has no columns, so that a progress bar would not fit.
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
    process = subprocess.Popen(
        [sys.executable, *start, *arguments], stdout=theirs, stderr=theirs, env={**os.environ, **variables}
    )
    os.close(theirs)
    text = b""
    # Linux reports an error at the end of what a terminal's other side wrote.
    while True:
        try:
            part = os.read(ours, 65536)
        except OSError:
            break
        if not part:
            break
        text += part
    os.close(ours)
    assert process.wait(timeout=120) == code
    return text.decode().replace("\r\n", "\n")


def in_pipes(*arguments, start=("-m", "pwcstats"), **variables):
    done = subprocess.run(
        [sys.executable, *start, *arguments],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
        env={**os.environ, **variables},
    )
    return done.stdout, done.stderr


class TestColours:
    def test_headings_are_bold(self, wins):
        assert BOLD_HEAD in on_terminal("rank", wins)

    def test_errors_are_red(self, tmp_path):
        text = on_terminal("rank", str(tmp_path / "none.csv"), code=1)
        assert text == f"{ESCAPE}1;31mpwcstats:{ESCAPE}0m No such file or directory: {tmp_path / 'none.csv'}\n"
        assert f"pwcstats rank: {ESCAPE}1;31merror:{ESCAPE}0m the following" in on_terminal("rank", code=2)

    def test_warnings_are_yellow(self, tmp_path):
        (tmp_path / "wins.csv").write_text(",a,b\na,0,1e9\nb,1e-9,0\n")
        text = on_terminal("rank", str(tmp_path / "wins.csv"))
        assert text.startswith(f"{ESCAPE}1;33mpwcstats: warning:{ESCAPE}0m ")

    def test_pipes_get_none(self, wins, tmp_path):
        out, err = in_pipes("rank", wins)
        assert out.startswith("Leaderboard of 2 items")
        assert ESCAPE not in out + err
        out, err = in_pipes("rank", str(tmp_path / "none.csv"))
        assert err.startswith("pwcstats: No such file")

    @pytest.mark.parametrize("variables", [{"NO_COLOR": "1"}, {"TERM": "dumb"}, {"NO_COLOR": "1", "FORCE_COLOR": "1"}])
    def test_no_colours(self, wins, variables):
        assert ESCAPE not in on_terminal("rank", wins, **variables)

    def test_forced_colours(self, wins):
        assert in_pipes("rank", wins, FORCE_COLOR="1")[0].startswith(BOLD_HEAD)
        assert in_pipes("rank", wins, FORCE_COLOR="1", TERM="dumb")[0].startswith(BOLD_HEAD)

    def test_empty_variables_count_for_nothing(self, wins):
        assert BOLD_HEAD in on_terminal("rank", wins, NO_COLOR="")
        assert ESCAPE not in in_pipes("rank", wins, FORCE_COLOR="")[0]

    def test_files_and_json_get_none(self, wins, tmp_path):
        assert ESCAPE not in in_pipes("rank", wins, "--json", FORCE_COLOR="1")[0]
        in_pipes("rank", wins, "--out", str(tmp_path / "out.txt"), FORCE_COLOR="1")
        assert (tmp_path / "out.txt").read_text().startswith("Leaderboard")

    def test_labels_cannot_write_escapes(self, tmp_path):
        (tmp_path / "wins.csv").write_text(",\x1b[31ma,b\n\x1b[31ma,0,3\nb,1,0\n")
        text = on_terminal("rank", str(tmp_path / "wins.csv"))
        assert f"{ESCAPE}31m" not in text
        assert r"\x1b[31ma" in text

    def test_headings_of_comparisons(self, shell, monkeypatch):
        monkeypatch.setenv("FORCE_COLOR", "1")
        rows = [f"{m},{k},{0.8 + 0.1 * (m == 'nb') + 0.001 * k * k}" for m in ("svm", "nb") for k in range(5)]
        text = shell.ok("compare", shell.write("scores.csv", "\n".join(["method,fold,score", *rows]) + "\n"))
        bold = [line for line in text.split("\n") if line.startswith(f"{ESCAPE}1m")]
        assert [line[4:].split()[0] for line in bold] == ["Comparison", "Methods,", "Pairs", "No"]


class TestProgress:
    """Real processes: whether there is a bar depends on what stderr is."""

    # Bars appear at once.
    PROGRAM = "import sys; from pwcstats.cli import main, terminal; terminal.DELAY = 0.0; sys.exit(main(sys.argv[1:]))"

    @pytest.fixture
    def words(self, tmp_path):
        rows = "".join(f"{i * 37 % 11},{i * i % 13},{'abc'[i % 3]}\n" for i in range(60))
        (tmp_path / "rows.csv").write_text(f"x,z,y\n{rows}")
        return "fit", str(tmp_path / "rows.csv"), "--target", "y", "--learners", "nb"

    def test_bar_on_a_terminal(self, words):
        text = on_terminal(*words, start=("-c", self.PROGRAM))
        assert re.search(r"\rfits: +\d+%\|.*\| \d/6 ", text)
        # The bar disappears.
        assert text.split("\r")[-1].startswith(f"{ESCAPE}1m60 rows, 2 columns")
        assert "fits: " not in on_terminal(*words, "--no-progress", start=("-c", self.PROGRAM))

    def test_no_bar_if_the_command_is_quick(self, words):
        assert "fits: " not in on_terminal(*words)

    def test_no_bar_in_pipes(self, words):
        out, err = in_pipes(*words, start=("-c", self.PROGRAM))
        assert out.startswith("60 rows, 2 columns")
        assert err == ""

    @pytest.mark.parametrize("command", ["demo", "fit", "reproduce"])
    def test_option(self, command):
        files = {"fit": ["f", "--target", "y"], "reproduce": ["all"]}.get(command, [])
        assert make_parser().parse_args([command, *files, "--no-progress"]).no_progress

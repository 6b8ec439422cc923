"""Labels with control characters of terminals or formulas of spreadsheets."""

import csv
import io
import os
import pty
import re
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest

from pwcstats._text import visible
from pwcstats.studies import html
from tests.commanding import Shell

pytestmark = pytest.mark.one_environment

# Colour, title of the window, bell, backspace, return, C1, delete, direction of text.
EVIL = "\x1b[31mred\x1b]0;title\x07\x08\r\x9b2J\x7f\u202eb"
SHOWN = "\\x1b[31mred\\x1b]0;title\\x07\\x08\\r\\x9b2J\\x7f\\u202eb"
# What a terminal may get: printable characters and newlines.
RAW = re.compile("[^\n -~\u00a0-\u2029\u202f-\u2065\u206a-\ud7ff\ue000-\uffff]")

GAMES = f'winner,loser\n"{EVIL}",b\nb,"{EVIL}"\n"{EVIL}",c\nc,b\n'
ROWS = "x,z,y\n" + "".join(f'{i * 37 % 11},{i * i % 13},"{("a", "b", EVIL)[i % 3]}"\n' for i in range(60))
SCORES = f'"{EVIL}",svm,nb\n.9,.8,.7\n.8,.7,.75\n.7,.75,.6\n.9,.7,.5\n'
PAIRS = f'"{EVIL}/b","{EVIL}/c",b/c\n.9,.4,.7\n'


@pytest.fixture
def shell(tmp_path, capsys, monkeypatch):
    return Shell(tmp_path, capsys, monkeypatch)


def test_visible():
    assert visible(EVIL) == SHOWN
    assert visible("\udcff\x00") == "\\udcff\\x00"
    plain = "tab\t, newline\n, caf\u00e9, \u4e2d\u6587, \U0001f600, a\\x1b, non-breaking\u00a0blank"
    assert visible(plain) == plain


@pytest.mark.parametrize(
    ("table", "command"),
    [
        (GAMES, ["rank"]),
        (ROWS, ["fit", "--target", "y", "--learners", "lda", "--cv", "2"]),
        (SCORES, ["compare", "--rows", "datasets"]),
        (SCORES, ["compare", "--rows", "datasets", "--control", EVIL]),
    ],
    ids=["rank", "fit", "compare", "control"],
)
def test_tables_have_no_control_characters(shell, table, command):
    file = shell.write("table.csv", table)
    out = shell.ok(*command, file)
    assert not RAW.search(out)
    assert "x1b[31m" in out
    shell.ok(*command, file, "--out", shell.path("out.txt"))
    assert (shell.folder / "out.txt").read_text() == out
    assert not RAW.search(shell.ok(*command, file, "--json"))


def test_csv_keeps_labels_but_not_on_a_terminal(shell, monkeypatch):
    rows, new = shell.write("rows.csv", ROWS), shell.write("new.csv", "x,z\n8,4\n1,0\n")
    shell.ok("fit", rows, "--target", "y", "--learners", "lda", "--cv", "0", "--save", shell.path("m"))
    pairs = shell.write("pairs.csv", PAIRS)
    for command in (("predict", shell.path("m"), new, "--proba"), ("couple", pairs)):
        out = shell.ok(*command)
        header = next(csv.reader(io.StringIO(out, newline="")))
        assert any(cell.endswith(EVIL) for cell in header)
        shell.ok(*command, "--out", shell.path("out.csv"))
        assert (shell.folder / "out.csv").read_bytes().decode() == out
        with monkeypatch.context() as patch:
            patch.setattr(sys.stdout, "isatty", lambda: True)
            assert shell.ok(*command) == visible(out)
            # JSON escapes by itself, and must stay JSON.
            assert any(EVIL in label for label in shell.document(*command)["classes"])


def test_a_real_terminal(shell):
    file = shell.write("pairs.csv", PAIRS)
    ours, theirs = pty.openpty()
    command = [sys.executable, "-m", "pwcstats", "couple", file]
    subprocess.run(command, stdout=theirs, stderr=theirs, timeout=120, check=True)
    os.close(theirs)
    found = os.read(ours, 10_000).decode().replace("\r\n", "\n")
    os.close(ours)
    assert not RAW.search(found)
    assert SHOWN in found


@pytest.mark.parametrize(
    ("table", "command"),
    [
        (f'winner,loser\n"{EVIL}",b\n"{EVIL}",c\nb,c\n', ["rank"]),
        (f'"{EVIL}",b\n1,2\n', ["rank"]),
        (f'x,y\n1,"{EVIL}"\n', ["compare"]),
        (f'x,y\n1,"{EVIL}"\n', ["fit", "--target", "y"]),
        (f'"{EVIL}",a/b\n1,"{EVIL}"\n', ["couple"]),
        ("x,y\n1,a\n2,b\n", ["fit", "--cv", "0", "--target", EVIL]),
    ],
)
def test_errors_have_no_control_characters(shell, table, command):
    line = shell.refused(*command, shell.write("table.csv", table))
    assert not RAW.search(line)
    assert "x1b[31m" in line


def test_names_of_files(shell):
    name = shell.path("a\x1b[31m\nb.csv")
    line = shell.refused("rank", name)
    assert line == f"pwcstats: No such file or directory: {shell.folder}/a\\x1b[31m\\nb.csv\n"
    usage = shell.misused("couple", "a.csv", name)
    assert not RAW.search(usage)
    # Bytes that are no UTF-8.
    file = os.fsdecode(os.fsencode(shell.folder) + b"/\xff.model")
    rows = shell.write("rows.csv", ROWS)
    out = shell.ok("fit", rows, "--target", "y", "--learners", "lda", "--cv", "0", "--save", file)
    assert out.endswith("/\\udcff.model\n")
    assert Path(file).exists()


def test_warnings_have_no_control_characters(shell):
    rows = shell.write("rows.csv", "x,z,y\n1,2,a\n2,1,b\n3,1,a\n4,2,b\n5,3,a\n6,5,b\n")
    shell.ok("fit", rows, "--target", "y", "--learners", "nb", "--cv", "0", "--save", shell.path("m"))
    _, _, err = shell.run("predict", shell.path("m"), shell.write("new.csv", f'x,z,"{EVIL}"\n1,2,3\n'))
    assert err.startswith("pwcstats: warning: ")
    assert not RAW.search(err)


class TestFormulas:
    CELLS = ("=cmd|' /C calc'!A0", "+1+2", "-2+3", "@SUM(1)")

    def test_predictions(self, shell):
        labels = [*self.CELLS, "-1.5"]
        rows = "x,y\n" + "".join(f'{10 * i + j},"{label}"\n' for i, label in enumerate(labels) for j in range(4))
        file, model = shell.write("rows.csv", rows), shell.path("m")
        shell.ok("fit", file, "--target", "y", "--learners", "nb", "--cv", "0", "--save", model)
        new = shell.write("new.csv", "x\n" + "".join(f"{10 * i}\n" for i in range(5)))
        plain = pd.read_csv(io.StringIO(shell.ok("predict", model, new, "--proba")), dtype=str)
        assert list(plain["prediction"]) == labels
        text = shell.ok("predict", model, new, "--proba", "--guard-formulas")
        found = pd.read_csv(io.StringIO(text), dtype=str)
        # A number is no formula.
        assert list(found["prediction"]) == [*(f"'{cell}" for cell in self.CELLS), "-1.5"]
        pd.testing.assert_frame_equal(found.drop(columns="prediction"), plain.drop(columns="prediction"))

    def test_coupled(self, shell):
        a, b, c = self.CELLS[1:]
        rows = [["=name", f"{a}/{b}", f"{a}/{c}", f"{b}/{c}"], ["=1+1", ".9", ".8", ".5"], ["-3", ".2", ".5", ".7"]]
        file = shell.write("pairs.csv", "".join(",".join(row) + "\n" for row in rows))
        plain = [line.split(",") for line in shell.ok("couple", file).splitlines()]
        found = [line.split(",") for line in shell.ok("couple", file, "--guard-formulas").splitlines()]
        assert plain[0] == ["=name", a, b, c]
        assert found[0] == ["'=name", f"'{a}", f"'{b}", f"'{c}"]
        assert found[1] == ["'=1+1", *plain[1][1:]]
        assert found[2] == plain[2]

    def test_a_matrix(self, shell):
        wide = shell.write("wide.csv", ",=a,b\n=a,,.7\nb,.3,\n")
        found = shell.ok("couple", wide, "--guard-formulas").splitlines()
        assert [line.split(",")[0] for line in found] == ["class", "'=a", "b"]

    def test_rows_without_names(self, shell):
        file = shell.write("pairs.csv", "=a/b,=a/c,b/c\n.9,.8,.5\n")
        assert shell.ok("couple", file, "--guard-formulas").splitlines()[0] == "'=a,b,c"

    def test_not_with_json(self, shell):
        file = shell.write("pairs.csv", "a/b,a/c,b/c\n.9,.8,.5\n")
        assert "--json writes no CSV" in shell.refused("couple", file, "--guard-formulas", "--json")


def test_pages_escape_labels():
    script = "<script>alert('1')</script>"
    frame = pd.DataFrame({script: [script, "b"], "number": [0.5, 1.0]})
    found = html.table(frame) + html.table(pd.concat([frame] * 20))
    assert "<script" not in found
    assert "&lt;script&gt;" in found

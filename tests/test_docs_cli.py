"""The examples of docs/cli.rst print what the page shows."""

import re
import shlex
from pathlib import Path

import pytest

from pwcstats.datasets import load
from tests.commanding import Shell

pytestmark = pytest.mark.one_environment

PAGE = Path(__file__).parent.parent / "docs" / "cli.rst"
# Seconds differ; of printed numbers, the digits from the eighth on are the machine's.
SECONDS = re.compile(r"\(\d+ s\)")
LONG = re.compile(r"(\d+\.\d{7})\d+")


def blocks():
    """Each console block as pairs of a command and the lines below it."""
    for text in re.findall(r"\.\. code-block:: console\n\n((?:   .*\n|\n)+)", PAGE.read_text()):
        lines = [line[3:] for line in text.rstrip("\n").split("\n")]
        starts = [place for place, line in enumerate(lines) if line.startswith("$ ")]
        ends = [*starts[1:], len(lines)]
        yield [(lines[start][2:], "\n".join(lines[start + 1 : end])) for start, end in zip(starts, ends, strict=True)]


BLOCKS = list(blocks())


@pytest.fixture
def shell(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    shell = Shell(tmp_path, capsys, monkeypatch)
    iris = load("iris").frame.rename(columns={"target": "species"})
    iris.to_csv("iris.csv", index=False)
    iris.drop(columns="species").iloc[::30].to_csv("new.csv", index=False)
    rows = [f"{m},{k},{0.8 + 0.1 * (m == 'lda') + 0.001 * k * k}" for m in ("svm", "lda", "nb") for k in range(5)]
    shell.write("scores.csv", "\n".join(["method,fold,score", *rows]) + "\n")
    return shell


def same(text):
    return LONG.sub(r"\1", SECONDS.sub("(0 s)", text.strip("\n")))


@pytest.mark.parametrize("block", BLOCKS, ids=lambda block: block[-1][0].split()[1])
def test_console_blocks(shell, block):
    for command, expected in block:
        words = shlex.split(command)
        if words[0] == "cat":
            shell.write(words[1], expected.rstrip("\n") + "\n")
            continue
        assert words[0] == "pwcstats"
        printed = shell.ok(*words[1:])
        if expected.strip():
            assert same(printed) == same(expected)


def test_there_are_blocks():
    assert [block[-1][0].split()[1] for block in BLOCKS] == ["couple", "rank", "predict", "compare", "reproduce"]

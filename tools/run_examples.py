#!/usr/bin/env python3
"""run_examples.py FILE...: run the R, shell and plain Python examples of documents, and compare what they print.

R blocks of a file run in one session (run_examples.R), console blocks in one empty folder, and a Python block without
prompts as a script of its own. Doctests (>>>) are pytest's. In a console block, lines after "$ " are commands and the
others are the expected output, where "..." stands for anything; "$ cat FILE" shows the contents of a file, which is
made if it does not exist. Blocks marked "sh" are installation commands, which are not run, nor are R blocks
that call install.packages().
"""

import json
import os
import re
import subprocess
import sys
import tempfile
import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

TOOLS = Path(__file__).resolve().parent
FENCE = re.compile(r"^( *)```(\w+)\s*$")
DIRECTIVE = re.compile(r"^( *)\.\. code-block:: (\w+)\s*$")
# Blocks of these languages are run; blocks of the others are no examples.
RUN = ("r", "console", "python")
NOT_RUN = ("sh", "text", "bibtex", "json", "yaml", "rst")
# Seconds differ; of printed numbers, the digits from the eighth on are the machine's.
SECONDS = re.compile(r"\b\d+(\.\d+)? s\b")
LONG = re.compile(r"(\d+\.\d{7})\d+")


class ExampleError(Exception):
    """A block of code that cannot be read."""


class Block(NamedTuple):
    """A block of code and where it stands."""

    language: str
    where: str
    code: str


def blocks(path: Path) -> Iterator[Block]:
    """The blocks of a document, in their order."""
    lines = path.read_text(encoding="utf-8").splitlines()
    index = 0
    while index < len(lines):
        fence, directive = FENCE.match(lines[index]), DIRECTIVE.match(lines[index])
        index += 1
        if not fence and not directive:
            continue
        start, indent = index, len((fence or directive)[1])
        language, where = (fence or directive)[2], f"{path}:{start}"
        if language not in RUN + NOT_RUN:
            raise ExampleError(f"{where}: {language} is no language of examples; use one of {', '.join(RUN + NOT_RUN)}")
        if fence:
            while index < len(lines) and not re.match(r" *```\s*$", lines[index]):
                index += 1
            if index == len(lines):
                raise ExampleError(f"{where}: the block has no end")
            code = lines[start:index]
        else:
            while index < len(lines) and (not lines[index].strip() or indentation(lines[index]) > indent):
                index += 1
            code = [line for line in lines[start:index] if not re.match(r" *:[\w-]+:", line)]
        code = textwrap.dedent("\n".join(code)).strip("\n")
        if language == "console" and not code.startswith("$ "):
            raise ExampleError(f"{where}: a console block begins with a command, $ ...")
        installs = language == "r" and "install.packages(" in code
        if language in RUN and not installs and not code.startswith(">>>"):
            yield Block(language, where, code)


def indentation(line: str) -> int:
    """Number of leading spaces."""
    return len(line) - len(line.lstrip())


def folded(text: str) -> str:
    """The text as it is compared: white space, seconds and late digits do not matter."""
    return " ".join(LONG.sub(r"\1", SECONDS.sub("0 s", text)).split())


def is_same(expected: str, actual: str) -> bool:
    """Whether the output is the expected one; "..." in the latter stands for anything."""
    pattern = r".*?".join(re.escape(piece.strip()) for piece in folded(expected).split("..."))
    return re.fullmatch(rf"\s*{pattern}\s*", folded(actual), re.DOTALL) is not None


def run_console(block: Block, folder: Path) -> Iterator[str]:
    """Run the commands of a block, and yield what is wrong."""
    for part in re.split(r"^\$ ", block.code, flags=re.MULTILINE)[1:]:
        command, _, expected = part.partition("\n")
        while command.endswith("\\"):
            more, _, expected = expected.partition("\n")
            command = f"{command}\n{more.removeprefix('> ')}"
        file = re.fullmatch(r"cat ([\w.-]+)", command)
        if file and not (folder / file[1]).exists():
            (folder / file[1]).write_text(expected.strip("\n") + "\n", encoding="utf-8")
            continue
        done = run(["bash", "-c", command], folder)
        if expected.strip() and not is_same(expected, done.stdout):
            yield f"{block.where}: $ {command}\nshould print\n{expected}\nbut printed\n{done.stdout}"
        elif done.returncode and not expected.strip():
            yield f"{block.where}: $ {command}\nfailed:\n{done.stdout}"


def run(command: list[str], folder: Path) -> "subprocess.CompletedProcess[str]":
    """Run a command with the environment of this Python; errors are a part of its output."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    environment = os.environ | {"PATH": path, "COLUMNS": "80", "MPLBACKEND": "Agg"}
    return subprocess.run(
        command, cwd=folder, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False
    )


def run_file(path: Path) -> tuple[int, list[str]]:
    """Run the examples of a document; return their number, and what is wrong."""
    try:
        found = list(blocks(path))
    except ExampleError as error:
        return 1, [str(error)]
    failures: list[str] = []
    with tempfile.TemporaryDirectory(prefix="examples-") as name:
        folder = Path(name)
        in_r = [block._asdict() for block in found if block.language == "r"]
        if in_r:
            (folder / "blocks.json").write_text(json.dumps(in_r), encoding="utf-8")
            done = run(["Rscript", str(TOOLS / "run_examples.R"), "blocks.json"], folder)
            failures += [done.stdout] if done.returncode else []
        for block in found:
            if block.language == "console":
                failures += run_console(block, folder)
            elif block.language == "python":
                (folder / "example.py").write_text(block.code, encoding="utf-8")
                done = run([sys.executable, "example.py"], folder)
                failures += [f"{block.where}: the example failed\n{done.stdout}"] if done.returncode else []
    return len(found), failures


def main() -> int:
    """Print what is wrong; 0 if nothing is, and there was at least one example."""
    results = [run_file(Path(name)) for name in sys.argv[1:]]
    failures = [failure for _, found in results for failure in found]
    print("\n\n".join(failures))
    n_examples = sum(number for number, _ in results)
    print(f"{n_examples} blocks of examples, {len(failures)} failures", file=sys.stderr)
    return 1 if failures or not n_examples else 0


if __name__ == "__main__":
    sys.exit(main())

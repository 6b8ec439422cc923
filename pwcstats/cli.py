"""The command line, ``pwcstats ...``."""

import argparse
from collections.abc import Sequence
from pathlib import Path

from pwcstats import __version__


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; return the exit code."""
    parser = argparse.ArgumentParser(prog="pwcstats", description="Statistics of pairs.")
    parser.add_argument("--version", action="version", version=f"pwcstats {__version__}")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    demo = commands.add_parser("demo", help="couple one-vs-one SVMs on three data sets: a table and a picture")
    demo.add_argument("--out", type=Path, default=Path("pwcstats-demo"), help="folder for the picture (%(default)s)")
    options = parser.parse_args(arguments)
    return run_demo(options.out)


def run_demo(out: Path) -> int:
    """Print the demo's table and write its picture."""
    from pwcstats.studies import demo  # scikit-learn and matplotlib are slow to import: --help should not wait for them

    scores = demo.scores()
    print("One-vs-one SVMs with Platt's sigmoids, their pairs coupled in seven ways (README.md has what each solves),")
    print("and scikit-learn's advice in place of SVC(probability=True): each class calibrated against the rest.")
    print("Five-fold cross-validation; log loss is the mean of -log p(true class), and lower is better.\n")
    print(demo.table(scores).to_string(float_format="{:.3f}".format))
    print(
        "\nsum and vote rank the classes; what they return are no estimates of probability, and the log loss shows it."
    )
    out.mkdir(parents=True, exist_ok=True)
    picture = out / "coupling.png"
    demo.picture().savefig(picture, dpi=120)
    print(f"The digit whose pairs contradict each other most, and what each method makes of it: {picture}")
    return 0

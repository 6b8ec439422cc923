"""``pwcstats demo``."""

import argparse
from pathlib import Path
from typing import Any


def add_to(commands: Any) -> None:
    """Add the command to the parser."""
    parser = commands.add_parser("demo", help="couple one-vs-one SVMs on three data sets: a table and a picture")
    parser.add_argument("--out", type=Path, default=Path("pwcstats-demo"), help="folder for the picture (%(default)s)")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> None:
    """Print the demo's table and write its picture."""
    from pwcstats.studies import demo  # slow to import: --help should not wait for it

    scores = demo.scores()
    print("One-vs-one SVMs with Platt's sigmoids, their pairs coupled in seven ways (README.md has what each solves),")
    print("and scikit-learn's advice in place of SVC(probability=True): each class calibrated against the rest.")
    print("Five-fold cross-validation; log loss is the mean of -log p(true class), and lower is better.\n")
    print(demo.table(scores).to_string(float_format="{:.3f}".format))
    print(
        "\nsum and vote rank the classes; what they return are no estimates of probability, and the log loss shows it."
    )
    options.out.mkdir(parents=True, exist_ok=True)
    picture = options.out / "coupling.png"
    demo.picture().savefig(picture, dpi=120)
    print(f"The digit whose pairs contradict each other most, and what each method makes of it: {picture}")

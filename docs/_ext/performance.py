"""Pictures and tables of the recorded times in performance.csv."""

from pathlib import Path

import pandas as pd
from matplotlib.figure import Figure
from sphinx.util.rst import escape

from pwcstats.plot import COLORS, MARKERS

DOCS = Path(__file__).parents[1]
# What each picture shows: its rows in the file, the measure, and the title of its axis.
PICTURES = {
    "coupling": ("coupling", "time", "microseconds per row"),
    "pairwise": ("pairwise", "fit", "seconds to fit"),
    "bradley_terry": ("bradley_terry", "fit", "seconds to fit"),
    "firth": ("firth", "fit", "milliseconds to fit"),
}


def draw(rows, label):
    """Times on a logarithmic scale: a row for each setting, a mark for each package."""
    settings = list(dict.fromkeys(rows["setting"]))
    packages = list(dict.fromkeys(rows["package"]))
    figure = Figure(figsize=(6.4, 1.5 + 0.42 * len(settings)), layout="constrained")
    axes = figure.subplots()
    for index, package in enumerate(packages):
        own = rows[rows["package"] == package]
        heights = [settings.index(setting) for setting in own["setting"]]
        style = {"color": COLORS[index], "marker": MARKERS[index], "markersize": 8, "linestyle": "none"}
        axes.plot(own["value"], heights, label=package, **style)
    axes.set_yticks(range(len(settings)), settings, fontsize=11)
    axes.set_ylim(len(settings) - 0.5, -0.5)
    axes.set_xscale("log")
    axes.set_xlabel(f"{label} (logarithmic scale)", fontsize=11)
    axes.grid(color="0.9")
    axes.set_axisbelow(True)
    figure.legend(loc="outside upper center", ncols=min(3, len(packages)), fontsize=10, frameon=False)
    return figure


def describe(rows, label):
    """The alternative text: who is fastest where."""
    best = rows.loc[rows.groupby("setting", sort=False)["value"].idxmin()]
    parts = [f"{row.setting}: {row.package} {row.value:g}" for row in best.itertuples()]
    return f"{label.capitalize()}; the fastest for each setting. {'; '.join(parts)}."


def table(rows):
    """All numbers of a picture."""
    cells = [("setting", "package", rows["unit"].iloc[0], "remark")]
    cells += [(row.setting, row.package, f"{row.value:g}", row.note) for row in rows.itertuples()]
    lines = [".. list-table::", "   :header-rows: 1", ""]
    for row in cells:
        lines += [f"   {mark} - {escape(cell)}" for mark, cell in zip("*   ", row, strict=True)]
    return lines


def write(app):
    """Write the pictures, and a file that shows each with its numbers."""
    folder = DOCS / "generated"
    folder.mkdir(exist_ok=True)
    times = pd.read_csv(DOCS / "performance.csv", keep_default_na=False)
    for name, (benchmark, measure, label) in PICTURES.items():
        rows = times[(times["benchmark"] == benchmark) & (times["measure"] == measure)]
        lines = [
            f".. image:: /generated/performance-{name}.svg",
            f"   :alt: {describe(rows, label)}",
            "   :class: plot",
            "",
        ]
        lines += [".. dropdown:: The numbers", "", *(f"   {line}".rstrip() for line in table(rows)), ""]
        path, text = folder / f"performance-{name}.inc", "\n".join(lines) + "\n"
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            draw(rows, label).savefig(folder / f"performance-{name}.svg")
            path.write_text(text, encoding="utf-8")


def setup(app):
    app.connect("builder-inited", write)
    return {"parallel_read_safe": True, "parallel_write_safe": True}

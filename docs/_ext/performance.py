"""Pictures and tables of the recorded times in performance.csv."""

from pathlib import Path

import pandas as pd
from common import DOCS, GENERATED, list_table, write_if_new
from matplotlib.figure import Figure
from sphinx.util.rst import escape

from pwcstats.plot import COLORS, MARKERS

# What each picture shows: its rows in the file, the measure, and the title of its axis.
PICTURES = {
    "coupling": ("coupling", "time", "microseconds per row"),
    "pairwise": ("pairwise", "fit", "seconds to fit"),
    "bradley_terry": ("bradley_terry", "fit", "seconds to fit"),
    "style_control": ("style_control", "fit", "seconds of processor time"),
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
    cells += [(row.setting, escape(row.package), f"{row.value:g}", escape(row.note)) for row in rows.itertuples()]
    return list_table(cells)


def write(app):
    """Draw the pictures, unless they are newer than the times and this file, and write a file that shows each."""
    times = pd.read_csv(DOCS / "performance.csv", keep_default_na=False)
    newest = max(path.stat().st_mtime for path in (Path(__file__), DOCS / "performance.csv"))
    for name, (benchmark, measure, label) in PICTURES.items():
        rows = times[(times["benchmark"] == benchmark) & (times["measure"] == measure)]
        picture = GENERATED / f"performance-{name}.svg"
        lines = [f".. image:: /generated/{picture.name}", f"   :alt: {describe(rows, label)}", "   :class: plot", ""]
        lines += [".. dropdown:: The numbers", "", *(f"   {line}".rstrip() for line in table(rows))]
        write_if_new(f"performance-{name}.inc", lines)
        if not picture.exists() or picture.stat().st_mtime < newest:
            draw(rows, label).savefig(picture)


def setup(app):
    app.connect("builder-inited", write)
    return {"parallel_read_safe": True, "parallel_write_safe": True}

"""The demo: problems, and the lines of Python that solve them.

The lines that are shown are the lines that run: the code of each section is a text, which is executed, and the
results are read from its variables.
"""

import warnings
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from matplotlib import pyplot
from statsmodels.tools.sm_exceptions import ModelWarning

from pwcstats._files import figure_as_bytes
from pwcstats.plot.style import COLORS, figure_of, hide_frame

__all__ = ["SECTIONS", "Finding", "Section", "in_text", "run"]

Variables = dict[str, Any]
# The width of the pictures in inches; labels of a wide picture would be too small on a phone.
WIDTH = 5.4


class Finding(NamedTuple):
    """What a section found: a sentence, tables by their captions, and a picture with a text that describes it."""

    sentence: str
    tables: dict[str, pd.DataFrame]
    picture: bytes
    alt: str


class Section(NamedTuple):
    """A problem and its solution.

    `code` solves the problem with the data of `dataset`, and `read` takes the variables of the code. `columns`,
    `command` and `lines` are for the user's own data; the latter two work with the file of the data set, too.
    """

    name: str
    title: str
    problem: str
    dataset: str
    code: str
    read: Callable[[Variables], Finding]
    columns: str
    command: str
    lines: str


def run(section: Section) -> Finding:
    """Run the code of a section."""
    variables: Variables = {}
    with warnings.catch_warnings():
        # Plain logistic regression does not converge if the data are separated, as the section says.
        warnings.simplefilter("ignore", ModelWarning)
        exec(compile(section.code, f"<demo: {section.name}>", "exec"), variables)
        return section.read(variables)


# Class probabilities from a support vector machine

SVM_CODE = """\
from sklearn.calibration import CalibratedClassifierCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC
from pwcstats import PairwiseClassifier, plot
from pwcstats.compare import benchmark, compare_methods

svm = make_pipeline(StandardScaler(), SVC())
methods = {
    "LIBSVM's method": PairwiseClassifier(svm, calibration="sigmoid"),
    "CalibratedClassifierCV": CalibratedClassifierCV(svm, ensemble=False),
    "PairwiseClassifier": PairwiseClassifier(svm),
}
scores = benchmark(methods, ["wine"], repeats=5, cv=10, scoring="neg_log_loss", progress=False)
losses = scores.assign(score=-scores["score"])
result = compare_methods(losses, higher_is_better=False)
ax = plot.score_intervals(result)
"""


def _read_svm(variables: Variables) -> Finding:
    result = variables["result"]
    loss = result.table["mean"]
    ours, libsvm, advice = (loss[name] for name in ("PairwiseClassifier", "LIBSVM's method", "CalibratedClassifierCV"))
    table = result.table[["mean", "conf_low", "conf_high", "letters"]].rename(columns={"mean": "log loss"})
    axes = variables["ax"]
    axes.set_xlabel("log loss, mean and 95 % interval (lower is better)")
    # The caption of the table explains the letters.
    figure_of(axes).supxlabel("")
    return Finding(
        f"PairwiseClassifier has a log loss of {ours:.3f} on new wines, against {libsvm:.3f} with LIBSVM's method and "
        f"{advice:.3f} with CalibratedClassifierCV. {result.verdict}",
        {"Log loss in 5 x 10 folds. Methods that share a letter do not differ significantly.": table},
        _svg(axes, 2.6),
        f"Log loss with intervals: PairwiseClassifier {ours:.3f}, LIBSVM's method {libsvm:.3f}, "
        f"CalibratedClassifierCV {advice:.3f}.",
    )


# A leaderboard

LEADERBOARD_CODE = """\
from pwcstats import BradleyTerry, plot
from pwcstats.datasets import load

votes = load("arena").frame
model = BradleyTerry.from_comparisons(
    votes, first="first", second="second", winner="winner", tie="tie"
)
res = model.fit(
    ties="davidson", order_effect=True, cov_type="cluster", cov_kwds={"groups": "user"}
)
ranks = res.ranks()
ax = plot.abilities(res)
"""


def _read_leaderboard(variables: Variables) -> Finding:
    ranks, votes, res = variables["ranks"], variables["votes"], variables["res"]
    best, second = ranks.index[:2]
    table = ranks[["rank", "ability"]].assign(
        **{"rank interval": [_span(row.rank_low, row.rank_high) for row in ranks.itertuples()]}
    )
    is_significant = ranks.loc[best, "rank_high"] == 1
    lead = f"Its lead over {second} is {'' if is_significant else 'not '}significant at the 5 % level."
    table = table.rename_axis(index="model")
    return Finding(
        f"{best} leads after {len(votes):,} votes. {lead} The answer that is shown first has an advantage of "
        f"{res.params['(order)']:.2f} on the scale of the abilities.",
        {"With 95 % confidence, every model's true rank lies in its interval.": table},
        _svg(variables["ax"], 4.0),
        f"Abilities of {len(ranks)} models with intervals, {best} first and {ranks.index[-1]} last.",
    )


def _span(low: int, high: int) -> str:
    return str(low) if low == high else f"{low} to {high}"


# A regression with an infinite coefficient

SEPARATION_CODE = """\
from statsmodels.formula.api import logit
from pwcstats import FirthLogit
from pwcstats.datasets import load

patients = load("endometrial").frame
plain = logit("HG ~ NV + PI + EH", patients).fit(disp=False)
firth = FirthLogit.from_formula("HG ~ NV + PI + EH", patients).fit()
table = firth.tidy(method="profile")
"""


def _read_separation(variables: Variables) -> Finding:
    plain, table = variables["plain"], variables["table"].set_index("term")
    wald = plain.conf_int()
    before = pd.DataFrame(
        {"estimate": plain.params, "std_error": plain.bse, "conf_low": wald[0], "conf_high": wald[1]}
    ).assign(p_value=plain.pvalues)
    before = before.rename_axis(index="term")
    after = table[["estimate", "std_error", "conf_low", "conf_high", "p_value"]]
    row, old = after.loc["NV"], before.loc["NV"]
    return Finding(
        f"Plain logistic regression reports {old['estimate']:.1f} with a standard error of {old['std_error']:,.0f} for "
        f"NV and calls it insignificant (p = {old['p_value']:.2f}). Firth's method reports {row['estimate']:.2f} with "
        f"an interval from {row['conf_low']:.2f} to {row['conf_high']:.2f} (p = {row['p_value']:.3f}).",
        {
            "Plain logistic regression: the numbers for NV only say where the iterations stopped.": before,
            "Firth's method, with intervals and tests from the profile likelihood.": after,
        },
        _svg(_draw_coefficients(before, after), 2.6),
        "Coefficients with 95 % intervals. With plain logistic regression, the interval of NV is wider than the "
        f"picture; with Firth's method, it goes from {row['conf_low']:.1f} to {row['conf_high']:.1f}.",
    )


def _draw_coefficients(plain: pd.DataFrame, firth: pd.DataFrame) -> Any:
    """The coefficients except for the intercept; what is outside of the picture ends with an arrow."""
    terms = [name for name in firth.index if name != "Intercept"]
    figure = pyplot.figure(figsize=(WIDTH, 2.6), layout="constrained")
    axes = figure.subplots()
    low, high = firth.loc[terms, "conf_low"].min() - 2.0, firth.loc[terms, "conf_high"].max() + 2.0
    for table, label, color, shift in ((plain, "plain", COLORS[1], -0.14), (firth, "Firth", COLORS[0], 0.14)):
        rows = table.loc[terms]
        y = np.arange(len(terms)) + shift
        ends = rows[["conf_low", "conf_high"]].clip(low, high).to_numpy()
        axes.hlines(y, ends[:, 0], ends[:, 1], color=color)
        axes.plot(rows["estimate"].where(rows["estimate"].between(low, high)), y, "o", color=color, label=label)
        for marker, column, end in (("<", "conf_low", low), (">", "conf_high", high)):
            outside = ((rows[column] - end) * (1 if marker == ">" else -1) > 0).to_numpy()
            axes.plot(np.full(outside.sum(), end), y[outside], marker, color=color)
    axes.axvline(0.0, color="0.7", zorder=0)
    axes.set_yticks(range(len(terms)), terms)
    axes.set_ylim(len(terms) - 0.5, -0.5)
    axes.set_xlabel("coefficient, 95 % interval")
    axes.legend(frameon=False, loc="lower right")
    hide_frame(axes)
    return axes


# A comparison of classifiers

COMPARISON_CODE = """\
from pwcstats import plot
from pwcstats.compare import compare_methods
from pwcstats.datasets import load

scores = load("classifier_scores").frame
result = compare_methods(scores)
ax = plot.critical_difference(result)
"""


def _read_comparison(variables: Variables) -> Finding:
    result, scores = variables["result"], variables["scores"]
    table = result.table[["mean", "rank", "letters"]].rename(columns={"mean": "mean accuracy", "rank": "mean rank"})
    ranks = ", ".join(f"{name} {rank:.2f}" for name, rank in table["mean rank"].items())
    return Finding(
        result.verdict,
        {
            f"{scores['method'].nunique()} classifiers on {scores['dataset'].nunique()} data sets. Methods that share "
            f"a letter do not differ significantly. Why this test? {result.reason}.": table
        },
        _svg(variables["ax"], 2.6),
        f"Mean ranks: {ranks}. Bars connect methods that do not differ significantly.",
    )


def _svg(axes: Any, height: float) -> bytes:
    """A picture as SVG, in the size of the page; it is closed."""
    figure = figure_of(axes)
    figure.set_size_inches(WIDTH, height)
    # Without a date, and with fixed names of parts, the same results give the same picture.
    with pyplot.rc_context({"svg.hashsalt": "pwcstats"}):
        content = figure_as_bytes(figure, "svg", metadata={"Date": None})
    pyplot.close(figure)
    return content


SECTIONS = (
    Section(
        name="probabilities",
        title="Class probabilities from a support vector machine",
        problem="SVC(probability=True) is deprecated in scikit-learn and will be removed in version 1.11. It uses "
        "LIBSVM's method; scikit-learn recommends CalibratedClassifierCV instead. How good are the probabilities of "
        "both, and those of PairwiseClassifier? We measure the log loss on wines of three growers by repeated ten-fold "
        "cross-validation. A lower log loss is better. These data were not used to choose the method of "
        "PairwiseClassifier.",
        dataset="wine",
        code=SVM_CODE,
        read=_read_svm,
        columns="Your file needs one column with the class. All other columns are features: numbers, or text for "
        "categories. The command turns categories into dummy variables and scales all features.",
        command="pwcstats fit wine.csv --target target --save wine.model\npwcstats predict wine.model wine.csv --proba",
        lines="""\
import pandas as pd
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC
from pwcstats import PairwiseClassifier

rows = pd.read_csv("wine.csv")
X, y = rows.drop(columns="target"), rows["target"]
model = PairwiseClassifier(make_pipeline(StandardScaler(), SVC())).fit(X, y)
model.predict_proba(X)
""",
    ),
    Section(
        name="leaderboard",
        title="A leaderboard that shows how certain the ranks are",
        problem="Users of an arena saw the answers of two models at a time and voted for the better one or for a tie "
        "(simulated data). Some users voted often, some models are new, and the answer that is shown first has an "
        "advantage. A Bradley-Terry model accounts for all of this and tells which ranks are possible for each model.",
        dataset="arena",
        code=LEADERBOARD_CODE,
        read=_read_leaderboard,
        columns="Your file needs one row per comparison and three columns: the two items, and the winner (the name of "
        "the item, or of the column that contains it, or a word for a tie). A fourth column names the voter, "
        "because people voted more than once.",
        command="pwcstats rank arena.csv --first first --second second --winner winner --tie tie --order-effect "
        "--cluster user",
        lines="""\
import pandas as pd
from pwcstats import BradleyTerry

votes = pd.read_csv("arena.csv")
model = BradleyTerry.from_comparisons(
    votes, first="first", second="second", winner="winner", tie="tie"
)
res = model.fit(
    ties="davidson", order_effect=True, cov_type="cluster", cov_kwds={"groups": "user"}
)
res.ranks()
""",
    ),
    Section(
        name="separation",
        title="A regression with an infinite coefficient",
        problem="In 79 patients with endometrial cancer, every tumour with neovasculization (NV = 1) is of high grade "
        "(HG = 1). The data are separated: the maximum likelihood estimate of the coefficient of NV is infinite. "
        "Firth's method gives a finite estimate, and the profile likelihood gives an interval and a test.",
        dataset="endometrial",
        code=SEPARATION_CODE,
        read=_read_separation,
        columns="Your file needs one column with the outcome, 0 or 1, and columns for the explanatory variables. Write "
        "their names in the formula.",
        command="",
        lines="""\
import pandas as pd
from pwcstats import FirthLogit

patients = pd.read_csv("endometrial.csv")
firth = FirthLogit.from_formula("HG ~ NV + PI + EH", patients).fit()
firth.tidy(method="profile")
""",
    ),
    Section(
        name="comparison",
        title="Which classifier is best, and is the difference real?",
        problem="Five classifiers were cross-validated on ten data sets. The folds of one data set share training "
        "cases, so their scores are not independent, and ten comparisons at once need an adjustment. compare_methods "
        "picks a valid test for the design, says why, and gives a verdict.",
        dataset="classifier_scores",
        code=COMPARISON_CODE,
        read=_read_comparison,
        columns="Your file needs one row per score, with the columns method and score, and any of dataset, repeat and "
        "fold. Or it has one column per method and one row per data set, with the names of the data sets in the first "
        "column.",
        command="pwcstats compare classifier_scores.csv",
        lines="""\
import pandas as pd
from pwcstats.compare import compare_methods

scores = pd.read_csv("classifier_scores.csv")
print(compare_methods(scores).summary())
""",
    ),
)


def in_text(table: pd.DataFrame) -> pd.DataFrame:
    """The cells of a table as texts, numbers with three decimals, and intervals in one column."""

    def cell(x: Any) -> str:
        return str(x) if not isinstance(x, float) else f"{x:.3f}" if abs(x) < 1000 else f"{x:,.0f}"

    texts = table.astype(object).map(cell)
    if "p_value" in table:
        texts["p_value"] = texts["p_value"].where(table["p_value"] >= 0.001, "< 0.001")
    if "conf_low" in table:
        texts["conf_low"] += " to " + texts.pop("conf_high")
    return texts.rename(columns={"conf_low": "95 % interval", "std_error": "std. error", "p_value": "p-value"})

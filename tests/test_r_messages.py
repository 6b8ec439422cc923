"""Messages that R users can meet have R's names: no parameters, values, methods or packages of Python.

The test reads the source: every text with more than one word in the modules that R calls, rendered as the R package
shows it. What a message interpolates is left out. R's own checks come first, so that not every message can be met;
EXCEPTIONS has a reason for each.
"""

import ast
import importlib.util
import re
import subprocess
from pathlib import Path

import pytest

from pwcstats.errors import Message, arg, code, value

pytestmark = pytest.mark.against_r

ROOT = Path(__file__).parents[1]
SOURCES = ("_params.py", "_arrays.py", "_text.py", "_multiplicity.py", "bradley_terry", "logit", "pairwise", "hybrid")
SOURCES += ("coupling", "compare")
MARKS = {"arg": arg, "value": value, "code": code}
# Functions that check an argument whose name they are given.
CHECKS = {
    "choice",
    "optional_choice",
    "count",
    "number",
    "level",
    "flag",
    "seed",
    "jobs",
    "index_of",
    "as_float",
    "check_cv",
}
PYTHON = re.compile(
    r"\b(?:True|False|None)\b"
    r"|\b(?:numpy|pandas|statsmodels|scikit-learn|patsy|polars|dict|tuple|dtype|DataFrame|Series|Categorical|callable|str)\b"
    r"|\b(?:index|splitter|lambda|estimators?)\b"
    # Parameters and attributes, methods, and settings without spaces.
    r"|\b[a-z]+(?:_[a-z0-9]+)+\b|\.[a-z_]+\(|\b[a-z_]+=(?!=)"
)
# R calls nothing of these files that can fail with their messages.
FILES = {
    "bradley_terry/formulas.py": "R reads formulas itself",
    "bradley_terry/frames.py": "data frames of other libraries",
    "bradley_terry/sources.py": "R has no models of several sources",
    "bradley_terry/updating.py": "R adds no comparisons to a fit",
    "compare/benchmark_arguments.py": "R has no benchmark()",
    "compare/cells.py": "R has no benchmark()",
    "compare/runner.py": "R has no benchmark()",
    "coupling/coupler.py": "a scikit-learn estimator",
    "logit/classifier.py": "a scikit-learn estimator",
    "logit/formulas.py": "R reads formulas itself",
    "logit/inherited.py": "methods of statsmodels",
    "logit/outcomes.py": "R reads binary responses itself",
    "logit/robust.py": "R users have sandwich for this",
}
# Patterns of rendered messages, with the reason why R users do not meet them.
EXCEPTIONS = {
    r"r_ij \+ r_ji": "the formula of the help page",
    # Checks that R makes before it calls Python, with messages of its own.
    "RandomState|splitter|KFold|FrozenEstimator|scikit-learn classifier|names, such as": "R passes checked values",
    r"must be a (?:dict|list of orderings|DataFrame)|such as \{'groups'": "R makes these objects itself",
    "its index lacks|at index|index levels|belong in the index|make it the index|sort it by": "R checks names of rows",
    "comparisons in which|^(?:first|winner|loser|neutral)|wins of first|to the values that are ties|it is a tie": (
        "R has player1, player2, outcome and home, and checks them"
    ),
    "Plackett–Luce model is made|long data|for lists of items|orderings is empty|leave other out": (
        "R passes rankings in one form, and compares no two fits"
    ),
    "sparse": "R makes dense matrices",
    "Firth, tau=": "for summaries in Python",
    r"Expected n_neighbors <=": "a message of scikit-learn, which is replaced",
    "True and False, 1 and 0": "R checks tables of counts",
    "n_train|looks like labels of rows|scores.rename": "R reads scores itself",
    "ordered Categorical": "R passes ordered classes",
    "OneHotEncoder|unknown categories": "R passes numbers; its learners code factors",
    "clusterer with fit_predict|scoring must be|class_weight$|names .*, but the classes": "R checks these arguments",
    "models must|positive numbers by class|in a list or a dict|there is no .* to set": "R makes these lists itself",
    # What R does not call.
    "max_rows|start nearer|Not all estimates are finite|For separated data prefer": "summaries of Python only",
    "statsmodels|get_margeff|t_test|r_matrix|wald_test_terms|remove_data|fit has no|was set after fit": (
        "methods that R does not call"
    ),
    r"term must|term has no column|start_params, |freq_weights|set missing = ": "arguments that R does not pass",
    r"^(?:aliased|baseline|ci|crit|fast|kind|label|methods|missing|n_projections|name|score|se|warn_convergence)$": (
        "arguments that R sets itself"
    ),
    r"class_threshold|^(?:at|dummy|get_prediction|params)|^params must": "options and methods that R does not use",
    "^bias$": "an argument of the learner 'biased_knn'",
    "^index 0 is out of bounds": "compared with a message of NumPy",
}


class Collector(ast.NodeVisitor):
    """Texts of a module: strings and f-strings, without docstrings and annotations, and references outside of texts."""

    def __init__(self):
        self.found = []

    def visit_FunctionDef(self, node):
        for child in [*node.decorator_list, *node.args.defaults, *node.body]:
            self.visit(child)

    def visit_AnnAssign(self, node):
        if node.value is not None:
            self.visit(node.value)

    def visit_Expr(self, node):
        if not isinstance(node.value, ast.Constant):
            self.visit(node.value)

    def visit_Call(self, node):
        if isinstance(node.func, ast.Name) and node.func.id in {"cast", "TypeVar"}:
            return
        reference = marked(node)
        if getattr(node.func, "attr", getattr(node.func, "id", None)) in CHECKS:
            names = [x.value for x in node.args if isinstance(x, ast.Constant) and isinstance(x.value, str)]
            self.found += [(node.lineno, arg(name)) for name in names if name.isidentifier()]
        if reference is None:
            self.generic_visit(node)
        else:
            self.found.append((node.lineno, reference))

    def visit_JoinedStr(self, node):
        self.found.append((node.lineno, "".join(map(piece, node.values))))
        for part in node.values:
            # Texts within the text, but not references, which are part of it.
            if isinstance(part, ast.FormattedValue) and marked(part.value) is None:
                self.visit(part.value)

    def visit_Constant(self, node):
        if isinstance(node.value, str) and " " in node.value:
            self.found.append((node.lineno, node.value))


def marked(node):
    """A reference to a parameter, a value or a function with its marks; None if it is not known from the source."""
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name) or node.func.id not in MARKS:
        return None
    try:
        first, *more = [ast.literal_eval(a) if isinstance(a, ast.Constant) else "..." for a in node.args]
        return MARKS[node.func.id](first, *more) if first != "..." else "..."
    except ValueError:
        return None


def piece(node):
    if isinstance(node, ast.Constant):
        return node.value
    return marked(node.value) or "..."


def texts():
    for name in SOURCES:
        path = ROOT / "pwcstats" / name
        for file in [path] if path.is_file() else sorted(path.glob("*.py")):
            short = file.relative_to(ROOT / "pwcstats").as_posix()
            if short not in FILES:
                collector = Collector()
                collector.visit(ast.parse(file.read_text(encoding="utf-8")))
                yield from ((f"{short}:{line}", text) for line, text in collector.found)


@pytest.fixture(scope="module")
def known():
    """Names that R users know: arguments of exported functions and of methods, these functions, and choices."""
    script = """
    space <- asNamespace("pwcstats")
    exported <- getNamespaceExports(space)
    methods <- getNamespaceInfo(space, "S3methods")
    functions <- Filter(is.function, mget(c(exported, methods[, 3]), space))
    cat(exported, methods[, 1], unlist(lapply(functions, function(f) names(formals(f)))))
    # Choices of arguments.
    defaults <- unlist(lapply(functions, function(f) Filter(is.call, as.list(formals(f)))))
    cat(" ", unlist(lapply(defaults, function(x) Filter(is.character, as.list(x)))))
    """
    names = subprocess.run(["Rscript", "-e", script], capture_output=True, text=True, check=True).stdout.split()
    assert {"na.action", "refcat", "firth_multinom", "corrected_resampled_t"} <= set(names)
    return set(names)


@pytest.fixture(scope="module")
def vocabulary():
    path = ROOT / "R" / "inst" / "python" / "pwcstats_vocabulary.py"
    spec = importlib.util.spec_from_file_location("pwcstats_vocabulary", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.RVocabulary()


def complaints(text, vocabulary, known):
    """Words of a message that R users do not know."""
    message = Message(text)
    rendered = message.render(vocabulary)
    words = [word for word in PYTHON.findall(rendered) if word not in known]
    for part in message.parts:
        if isinstance(part, str):
            continue
        if part.kind in ("parameter", "setting"):
            name = vocabulary.parameter(part.name)
            # Some parameters have a description instead of a name.
            words += [name] if " " not in name and name not in known else []
        elif part.kind == "function" and vocabulary.function(part.name) == part.name:
            words.append(part.name)
    return rendered, words


def test_messages_have_no_names_of_python(vocabulary, known):
    unmet, problems = dict(EXCEPTIONS), []
    for place, text in texts():
        rendered, words = complaints(text, vocabulary, known)
        if words:
            reasons = [pattern for pattern in EXCEPTIONS if re.search(pattern, rendered)]
            for pattern in reasons:
                unmet.pop(pattern, None)
            if not reasons:
                problems.append(f"{place}: {', '.join(words)}: {rendered}")
    assert not problems, "\n".join(["R users do not know these words:", *problems])
    assert not unmet, f"exceptions that are needed no more: {sorted(unmet)}"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (f"{arg('maxiter')} is None.", ["None"]),
        (f"{arg('maxiter')} is {value(None)}.", []),
        (f"leave out {arg('start_params')}.", ["start_params", "start_params"]),
        (f"use {code('get_margeff')}.", ["get_margeff", "get_margeff"]),
        ("use x.to_numpy() or a DataFrame.", [".to_numpy(", "DataFrame"]),
        ("use method='firth'.", ["method="]),
        (f"use {arg('method', 'firth')} or {code('contrast')}.", []),
    ],
)
def test_the_test_finds_names_of_python(vocabulary, known, text, words):
    assert sorted(complaints(text, vocabulary, known)[1]) == sorted(words)


def test_files_that_r_does_not_reach_exist():
    assert all((ROOT / "pwcstats" / name).exists() for name in FILES)

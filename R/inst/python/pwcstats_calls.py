"""Calls of R functions that make the same fits as results of the Python package.

A call is a dict: `function`; `data`, tables of columns by name; `arguments`, numbers and strings; `variables`,
arguments that are columns of the data; `terms` of the formula; and `checks`, numbers that the fit in R must have.
"""

import re

import numpy as np
import pandas as pd
from scipy.special import gammaln

from pwcstats.bradley_terry.table import make_table
from pwcstats.errors import InputError

# Functions in formulas that R knows by another name.
_TRANSLATED = (
    (r"\bC\(\s*(\w+)\s*\)", r"factor(\1)"),
    (r"\bnp\.(log|exp|sqrt|abs|log10|log2|log1p)\(", r"\1("),
    (r"\*\*", "^"),
)


def _column(values):
    """A column for R: its type, its values and, for a factor, its levels and whether they are ordered."""
    column = pd.Series(values)
    if column.dtype == object or isinstance(column.dtype, pd.StringDtype):
        # R would sort strings by its locale.
        column = column.astype("category")
    if isinstance(column.dtype, pd.CategoricalDtype):
        levels = [str(level) for level in column.cat.categories]
        return ["factor", column.cat.codes.to_numpy(np.int32) + 1, levels, bool(column.cat.ordered)]
    kind = "logical" if column.dtype == bool else "number"
    return [kind, column.to_numpy(np.float64)]


def _factor(codes, labels, ordered=False):
    return _column(pd.Categorical.from_codes(np.asarray(codes, dtype=np.int64), [str(x) for x in labels], ordered))


def _free(name, taken):
    """The name, with dots behind it if it is taken."""
    while name in taken:
        name += "."
    return name


# Logistic models.


def _logit(function, results, response, arguments, always_constant=False, failures=None):
    model = results.model
    if model.exog is None:
        raise InputError("the result has no data, because remove_data() has removed them; fit again.")
    if results.cov_type != "nonrobust":
        raise InputError(
            "fits in R have no cov_type; fit with cov_type='nonrobust', and use vcovHC() or vcovCL() of sandwich in R."
        )
    if getattr(model, "left_out", ()):
        raise InputError(f"columns have no coefficient ({', '.join(model.left_out)}); leave them out, and fit again.")
    x = np.asarray(model.exog, dtype=np.float64)
    names = [str(name) for name in model.exog_names]
    const = model.data.const_idx
    has_constant = const is not None and bool((x[:, const] == x[0, const]).all())
    is_intercept = has_constant and (always_constant or x[0, const] == 1.0)
    kept = [k for k in range(x.shape[1]) if not (is_intercept and k == const)]
    label = str(model.endog_names)
    # Two columns have a name such as "ill + well".
    label = "successes" if failures is not None and not label.isidentifier() else label
    label = _free(label, [names[k] for k in kept])
    plain = {label: response} | {names[k]: _column(x[:, k]) for k in kept}
    answer, constant = {label: response}, 0.0
    if failures is not None:
        taken = [*map(str, getattr(getattr(model.data, "frame", None), "columns", [])), *plain]
        answer[_free("failures", taken)] = failures
        plain |= answer
        # R's log-likelihood of counts has the binomial coefficients.
        weight = 1.0 if model.freq_weights is None else np.asarray(model.freq_weights, dtype=np.float64)
        k, n = model.successes, model.trials
        constant = float((weight * (gammaln(n + 1.0) - gammaln(k + 1.0) - gammaln(n - k + 1.0))).sum())
    written = _formula_of(model, answer)
    table = plain if written is None else plain | written["columns"]
    variables = {}
    for name, key in (("weights", "freq_weights"), ("offset", "offset")):
        values = getattr(model, key, None)
        if values is not None:
            variables[name] = _free(key, table)
            plain[variables[name]] = _column(values)
    if written is not None:
        written["columns"] |= {name: plain[name] for name in variables.values()}
    if not results.converged and re.fullmatch(r"stopped after \d+ steps?", results.reason):
        arguments = arguments | {"maxit": results.n_iter}
    return {
        "function": function,
        "data": plain,
        "response": list(answer),
        "terms": [names[k] for k in kept],
        "intercept": bool(is_intercept or always_constant),
        "written": written,
        "design": x if is_intercept or not always_constant else np.column_stack([np.ones(len(x)), x]),
        "arguments": arguments,
        "variables": variables,
        "checks": {
            "fitted": np.asarray(results.predict(), dtype=np.float64),
            "loglik": float(results.llf) + constant,
            "se": np.ravel(np.asarray(results.bse, dtype=np.float64)),
        },
    }


def _formula_of(model, answer):
    """The formula in R's words and its variables, if their rows are known; R finds out whether it means the same.

    `answer` has the column of the response, or those of successes and failures.
    """
    formula = getattr(model, "formula", None)
    frame = getattr(model.data, "frame", None)
    if formula is None or frame is None or not frame.index.is_unique:
        return None
    left, right = (side.strip() for side in str(formula).split("~", 1))
    rows = model.data.row_labels
    name, *failures = answer
    if (left not in frame and not failures) or rows is None or len(rows) != len(model.exog):
        return None
    for pattern, replacement in _TRANSLATED:
        right = re.sub(pattern, replacement, right)
    used = [name for name in map(str, frame.columns) if re.search(rf"(?<![\w.]){re.escape(name)}(?![\w.(])", right)]
    if name in used or not name.isidentifier():
        return None
    left = f"cbind({name}, {failures[0]})" if failures else name
    data = frame.loc[rows]
    return {"text": f"{left} ~ {right}", "columns": answer | {column: _column(data[column]) for column in used}}


def _firth(results):
    model = results.model
    frame = getattr(model.data, "frame", None)
    name = str(model.endog_names)
    is_flag = frame is not None and name in frame and frame[name].dtype == bool
    arguments = _tau(model) | ({} if results.correction is None else {"correction": results.correction})
    if model.trials is not None:
        counts = [_column(values) for values in (model.successes, model.trials - model.successes)]
        return _logit("firth", results, counts[0], arguments, failures=counts[1])
    if model.class_labels == [0, 1]:
        response = ["logical" if is_flag else "number", np.asarray(model.endog, dtype=np.float64)]
    else:
        response = _factor(model.endog, model.class_labels)
    return _logit("firth", results, response, arguments)


def _firth_multinom(results):
    model = results.model
    return _logit("firth_multinom", results, _factor(model._code, model.class_labels), _tau(model))


def _tau(model):
    return {} if model.tau == 0.5 else {"tau": model.tau}


def _cratio(results):
    model = results.model
    if model.aliased != "raise":
        raise InputError("cratio() in R has no aliased='drop'; fit with aliased='raise'.")
    return _ordinal("cratio", results, {"direction": model.direction, "parallel": bool(model.parallel)})


def _adjacent(results):
    return _ordinal("adjacent_categories", results, {"parallel": bool(results.model.parallel)})


def _ordered(results):
    return _ordinal("ordered_logit", results, {})


def _ordinal(function, results, arguments):
    model = results.model
    numbers = pd.api.types.is_numeric_dtype(model.labels) and not pd.api.types.is_bool_dtype(model.labels)
    labels = np.asarray(model.labels)
    response = _column(labels[model._code]) if numbers else _factor(model._code, labels, True)
    arguments = arguments | {"penalty": model.penalty or "none"}
    return _logit(function, results, response, arguments, always_constant=True)


# Abilities.


def _abilities(function, results, arguments):
    spec = results.spec
    if spec.method == "ridge":
        arguments["prior_sd"] = spec.prior.sd
    if spec.method == "ghost":
        arguments["pseudo"] = spec.prior.pseudo
    if spec.z is None and getattr(spec, "random_effects", None) is None:
        arguments["ref"] = float("nan") if spec.ref is None else str(results.model.items[spec.ref])
    has_errors = results._estimate.variance is not None
    return {
        "function": function,
        "arguments": {"method": spec.method, "cov_type": results.cov_type, "maxit": spec.maxiter} | arguments,
        "left_out": [str(item) for item in results.model.left_out],
        "checks": {
            "params": results.params.to_numpy(dtype=np.float64),
            "loglik": float(results.llf),
            "se": results.bse.to_numpy(dtype=np.float64) if has_errors else np.empty(0),
        },
    }


def _bt(results):
    model, spec, rows = results.model, results.spec, results.model._rows
    if model._weighted_sources or model._source_factors:
        raise InputError("bt() in R has no sources with weights, so a model by BradleyTerry.combine() stays in Python.")
    if len(rows.n_added):
        raise InputError("weights of a lazy frame were added up, and bt() in R needs single rows; give a data frame.")
    arguments = {"ties": spec.ties, "order_effect": bool(spec.order), "cov": results._arguments["cov"]}
    arguments |= {"random_effects": spec.random_effects} if spec.random_effects is not None else {}
    call = _abilities("bt", results, arguments)
    if len(set(map(str, model.items))) < model.n_items:
        raise InputError("the names of the items are strings in R, and some would be equal; rename them.")
    cluster = _groups(results)
    by_row = spec.contest is not None or cluster is not None
    counted = rows.counted or not len(rows.weight)
    if not rows.n_units and not by_row:
        call["wins"], call["tied"] = _matrices(rows)
        call["items"] = [str(item) for item in model.items]
        columns = {}
    elif not by_row and (results.cov_type == "nonrobust" or counted):
        columns = _columns_by_pair(rows)
    else:
        columns = _columns_by_row(rows, counted, cluster)
    # By default player1 goes first in all rows of R; if it won all of them, in none.
    lost = columns.get("wins2", columns.get("outcome", np.zeros(1)) < 1.0)
    if columns and (np.asarray(columns["home"]) == 1).all() and np.any(lost):
        del columns["home"]
    covariates_of_games = _contest_columns(spec.contest, rows)
    call["variables"] = {name: _free(name, covariates_of_games) for name in columns}
    call["data"] = {
        call["variables"][name]: _factor(values, model.items) if name.startswith("player") else _column(values)
        for name, values in columns.items()
    } | {name: _column(values) for name, values in covariates_of_games.items()}
    covariates = spec.covariate_frame(model.items)
    call["item_data"] = {}
    if covariates is not None:
        call["item_data"] = {str(name): _column(covariates[name].to_numpy()) for name in covariates}
        call["items"] = [str(item) for item in model.items]
    call["terms"] = [*call["item_data"], *covariates_of_games]
    call["free"] = spec.z is None and spec.random_effects is None
    call["random"] = spec.random_effects is not None
    return call


def _columns_by_pair(rows):
    """The data of bt(): one row for each pair of items, with numbers of wins and ties."""
    table = make_table(rows, False)
    columns = {"home": table.ordered} | dict(zip(("wins1", "wins2", "ties"), table.counts.T, strict=True))
    return columns | {"player1": table.first, "player2": table.second}


def _columns_by_row(rows, counted, cluster):
    """The data of bt(): one row for each comparison, in which player1 goes first."""
    turned = rows.home < 0
    first, second = np.where(turned, rows.loser, rows.winner), np.where(turned, rows.winner, rows.loser)
    columns = {"player1": first, "player2": second, "home": np.abs(rows.home)}
    weight = rows.weights
    if counted:
        columns |= {"wins1": weight * (~rows.tie & ~turned), "wins2": weight * (~rows.tie & turned)}
        columns |= {"ties": weight * rows.tie}
    else:
        columns |= {"outcome": np.where(rows.tie, 0.5, np.where(turned, 0.0, 1.0)), "weights": weight}
    if cluster is not None:
        columns["cluster"] = cluster[rows.units]
    return columns


def _contest_columns(contest, rows):
    """Covariates of the comparisons by name: those of the winner minus the loser become player1 minus player2."""
    if contest is None:
        return {}
    x = contest.values[rows.units] * (rows.sides * np.where(rows.home < 0, -1.0, 1.0))[:, None]
    return {str(name): x[:, k] for k, name in enumerate(contest.names)}


def _groups(results):
    """The group of each row of the user's data, as numbers from 1; None if there are none."""
    if results.cov_type != "cluster":
        return None
    options = results._arguments["cov_kwds"]
    if not options.get("use_correction", True):
        raise InputError("bt() in R always corrects for few groups; fit with use_correction=True.")
    groups = options["groups"]
    data = results.model._data
    if data is not None and np.ndim(groups) == 0:
        groups = data[groups]
    return pd.factorize(np.asarray(groups, dtype=object))[0] + 1


def _matrices(rows):
    n = len(rows.items)
    wins, tied = np.zeros((n, n)), np.zeros((n, n))
    np.add.at(wins, (rows.winner[~rows.tie], rows.loser[~rows.tie]), rows.weights[~rows.tie])
    np.add.at(tied, (rows.winner[rows.tie], rows.loser[rows.tie]), rows.weights[rows.tie])
    return wins, tied + tied.T


def _plackett_luce(results):
    if results.cov_type == "cluster":
        raise InputError("results of PlackettLuce with cov_type='cluster' do not keep the groups that R needs.")
    rankings = results.model._rankings
    sizes = np.diff(rankings.start)
    ranking = np.repeat(np.arange(len(sizes)), sizes)
    call = _abilities("plackett_luce", results, {"unranked": "last" if rankings.is_open else "absent"})
    call["data"] = {
        "position": _column(rankings.tier + 1.0),
        "item": _factor(rankings.item, rankings.items),
        "ranking": _column(ranking + 1.0),
    }
    call["variables"] = {}
    if not (rankings.weight == 1.0).all():
        call["variables"] = {"weights": "weight"}
        call["data"]["weight"] = _column(rankings.weight[ranking])
    return call


_CALLS = {
    "FirthLogitResults": _firth,
    "FirthMNLogitResults": _firth_multinom,
    "AdjacentCategoriesResults": _adjacent,
    "ContinuationRatioResults": _cratio,
    "OrderedLogitResults": _ordered,
    "BradleyTerryResults": _bt,
    "MixedBradleyTerryResults": _bt,
    "PlackettLuceResults": _plackett_luce,
}


def kind_of(result):
    """Return the name of the class of a result, without the wrapper that statsmodels puts around it."""
    return type(getattr(result, "_results", result)).__name__


def call_of(result):
    """Return the call, also if it was made before, in another process; None if no R function fits such results."""
    if isinstance(result, dict) and "checks" in result:
        return result
    kind = kind_of(result)
    if f"{kind}Results" in _CALLS:
        raise InputError(f"{kind} is a model, which has no estimates; give the result of its fit().")
    maker = _CALLS.get(kind)
    return None if maker is None else maker(result)

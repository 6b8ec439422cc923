"""The summary of a Bradley–Terry fit, in statsmodels' own table classes."""

from typing import TYPE_CHECKING

import numpy as np
from statsmodels.iolib.summary import Summary
from statsmodels.iolib.table import SimpleTable

from pwcstats._summary import Cells, coefficients, head, number, width_of

if TYPE_CHECKING:
    from pwcstats.bradley_terry.estimates import Estimates


def make_summary(results: "Estimates", alpha: float, max_rows: int) -> Summary:
    """Head, table of parameters, and remarks."""
    summary = Summary()
    table, left_out = _params(results, alpha, max_rows)
    summary.tables = [head("Bradley-Terry Results", *_head(results), width_of([table])), table]
    summary.add_extra_txt(_remarks(results, left_out))
    return summary


def _head(results: "Estimates") -> tuple[Cells, Cells]:
    spec = results.spec
    model = "Davidson" if spec.davidson else "Bradley-Terry"
    method = "Firth" if spec.firth else "MLE"
    pairs = "Pairs, by order:" if results._likelihood.table.ordered.any() else "Pairs that met:"
    bare = results._estimate.variance is None
    left = [
        ("Model:", model),
        ("Method:", method),
        ("Items:", f"{results.model.n_items}"),
        ("Comparisons:", number(results.nobs)),
        (pairs, f"{len(results._likelihood.table.first)}"),
        ("Ties:", spec.ties),
        ("Covariance Type:", "none" if bare else results.cov_type),
    ]
    right = [
        ("Df Residuals:", f"{results.df_resid}"),
        ("Df Model:", f"{results.df_model}"),
        ("Log-Likelihood:", f"{results.llf_unpenalized:.5g}"),
        ("Deviance:", f"{results.deviance:.5g}"),
        ("AIC:", f"{results.aic:.5g}"),
        ("No. Iterations:", f"{results.n_iter}"),
        ("converged:", f"{results.converged}"),
    ]
    return left, right


def _params(results: "Estimates", alpha: float, max_rows: int) -> tuple[SimpleTable, int]:
    n = len(results.params)
    shown = np.arange(n)
    if n > max_rows:
        # Best and worst abilities, and whatever follows the abilities.
        n_extra = results.spec.order + results.spec.davidson
        order = np.argsort(-results.params.to_numpy()[: n - n_extra], kind="stable")
        half = max_rows // 2
        shown = np.concatenate([order[:half], order[len(order) - (max_rows - half) :], np.arange(n - n_extra, n)])
    names = list(map(str, results.params.index[shown]))
    values = np.asarray(results.params, dtype=np.float64)[shown]
    se = None if results._estimate.variance is None else results.bse.to_numpy()[shown]
    table = coefficients(names, values, se, alpha, df=results.df_resid_inference if results.use_t else None)
    return table, n - len(shown)


def _remarks(results: "Estimates", left_out: int) -> list[str]:
    spec = results.spec
    zero = "sum to 0" if spec.ref is None else f"are relative to {results.model.items[spec.ref]}"
    remarks = ["Coefficients are of the items' covariates." if spec.z is not None else f"Abilities {zero}."]
    if left_out:
        remarks.append(f"{left_out} abilities between the best and the worst are not shown (max_rows).")
    if spec.firth:
        remarks.append("Log-likelihood and AIC are without the penalty.")
    if spec.davidson:
        remarks.append(f"(tie) is log nu: nu = {np.exp(results.params.iloc[-1]):.4g}.")
    if results.use_t:
        df = results.df_resid_inference
        remarks.append(f"Tests and intervals use the t distribution with {df} df ({df + 1} clusters).")
    error = results._estimate.error
    if error is not None and error.any():
        remarks.append(f"Standard errors are estimated by random projections, to within {error.max():.1%} (one s.e.).")
    return remarks

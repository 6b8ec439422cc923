"""The summary of a fit, in the format of statsmodels."""

from typing import TYPE_CHECKING

import numpy as np
from statsmodels.iolib.summary import Summary
from statsmodels.iolib.table import SimpleTable

from pwcstats._summary import Cells, coefficients, head, number, width_of
from pwcstats._text import listed
from pwcstats.bradley_terry.methods import METHODS

if TYPE_CHECKING:
    from pwcstats.bradley_terry.ability_results import AbilityResults
    from pwcstats.bradley_terry.results import BradleyTerryResults


def make_summary(
    results: "AbilityResults", title: str, about: Cells, notes: list[str], alpha: float, max_rows: int
) -> Summary:
    """Make a header, a table of parameters, and notes; `about` and `notes` are those of the model."""
    summary = Summary()
    table, n_hidden = _table(results, alpha, max_rows)
    left = [*about, ("Covariance Type:", "none" if results._estimate.variance is None else results.cov_type)]
    right = [
        ("Df Residuals:", f"{results.df_resid}"),
        ("Df Model:", number(results.df_model)),
        ("Log-Likelihood:", f"{results.llf_unpenalized:.5g}"),
        ("Deviance:", f"{results.deviance:.5g}"),
        ("AIC:", f"{results.aic:.5g}"),
        ("No. Iterations:", f"{results.n_iter}"),
        ("converged:", f"{results.converged}"),
    ]
    summary.tables = [head(title, left, right, width_of([table])), table]
    summary.add_extra_txt(_notes(results, notes, n_hidden))
    return summary


def summarise_comparisons(results: "BradleyTerryResults", alpha: float, max_rows: int) -> Summary:
    """The summary of a Bradley–Terry fit."""
    spec = results.spec
    pairs = "Pairs, by order:" if results._likelihood.table.ordered.any() else "Pairs that met:"
    if spec.contest is not None:
        pairs = "Distinct contests:"
    about = [
        ("Model:", spec.tie_model.title),
        ("Method:", METHODS[spec.method].title),
        ("Items:", f"{results.model.n_items}"),
        ("Comparisons:", number(results.nobs)),
        (pairs, f"{len(results._likelihood.table.first)}"),
        ("Ties:", spec.ties),
    ]
    notes = own_abilities(results)
    symbol = spec.tie_model.symbol
    if symbol:
        notes.append(f"(tie) is log {symbol}: {symbol} = {np.exp(results.params.iloc[-1]):.4g}.")
    if spec.contest is not None:
        notes.append(f"Contest covariates {listed(spec.contest.names)} are those of the first item minus the second.")
    return make_summary(results, "Bradley-Terry Results", about, notes, alpha, max_rows)


def _table(results: "AbilityResults", alpha: float, max_rows: int) -> tuple[SimpleTable, int]:
    n = len(results.params)
    shown = np.arange(n)
    if n > max_rows:
        # The best and the worst abilities, and the extra parameters.
        n_extra = len(results.spec.extra_terms)
        order = np.argsort(-results.params.to_numpy()[: n - n_extra], kind="stable")
        half = max_rows // 2
        shown = np.concatenate([order[:half], order[len(order) - (max_rows - half) :], np.arange(n - n_extra, n)])
    names = list(map(str, results.params.index[shown]))
    values = np.asarray(results.params, dtype=np.float64)[shown]
    se = None if results._estimate.variance is None else results.bse.to_numpy()[shown]
    table = coefficients(names, values, se, alpha, df=results.df_resid_inference if results.use_t else None)
    return table, n - len(shown)


def own_abilities(results: "BradleyTerryResults") -> list[str]:
    """Notes about items whose covariates are missing."""
    items, spec = results.model.items, results.spec
    is_infinite = np.flatnonzero(spec.infinite)
    own = np.union1d(spec.own, is_infinite)
    if not len(own):
        return []
    infinite = f" It is infinite for {listed(items[is_infinite])}." if len(is_infinite) else ""
    return [f"Items with missing covariates have an ability of their own: {listed(items[own])}.{infinite}"]


def _notes(results: "AbilityResults", of_model: list[str], n_hidden: int) -> list[str]:
    spec = results.spec
    zero = "sum to 0" if spec.ref is None else f"are relative to {results.model.items[spec.ref]}"
    notes = ["Coefficients are of the items' covariates." if spec.z is not None else f"Abilities {zero}."]
    if n_hidden:
        notes.append(f"{n_hidden} abilities between the best and the worst are not shown (max_rows).")
    if spec.prior is not None:
        notes.append(f"{spec.prior.note} Standard errors are those of the posterior; Df Model is the effective number.")
    if spec.method != "mle":
        notes.append("Log-likelihood and AIC are without the penalty.")
    notes += of_model
    if results.use_t:
        df = results.df_resid_inference
        notes.append(f"Tests and intervals use the t distribution with {df} df ({df + 1} clusters).")
    error = results._estimate.error
    if error is not None and error.any():
        notes.append(f"Standard errors are estimated by random projections, to within {error.max():.1%} (one s.e.).")
    return notes

"""The result of a coupling: class probabilities and how they were reached."""

from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from pwcstats._results import LONGEST, Result

__all__ = ["CouplingResult"]

# Wider tables are cut in the middle.
_MAX_COLUMNS = 12
_FORMAT = "{:.4g}".format


# The types of the fields depend on the data; a union would reject most of what users do with them.
class CouplingResult(
    Result,
    NamedTuple("CouplingResult", [("proba", Any), ("kl", Any), ("n_iter", Any), ("converged", Any)]),
):
    """Coupled probabilities and how they were reached.

    A named tuple: ``proba, kl, n_iter, converged = result``. For a single sample `kl`, `n_iter` and `converged` are
    scalars. For several samples they have one entry per sample, with the index of the samples if the input had one.

    Attributes
    ----------
    proba : ndarray, DataFrame or Series
        Class probabilities, as :func:`couple` returns them.
    kl : float, ndarray or Series
        Kullback-Leibler distance between r and p, weighted by `n`. It is 0 if the pairs are compatible with one set of
        class probabilities. It is infinite if p rules out what r allows, as votes may.
    n_iter : int, ndarray or Series
        Number of Newton steps; 0 for the methods that do not iterate.
    converged : bool, ndarray or Series
        Whether log p is known to 1e-6 (usually to 1e-12); True for the methods that do not iterate.
    method : str
        Coupling method. It is not part of the tuple.

    Examples
    --------
    >>> from pwcstats import couple
    >>> r = [[0.9, 0.4, 0.7], [0.6, 0.8, 0.7]]
    >>> couple(r, "ht", condensed=True, classes=["a", "b", "c"], return_info=True)
    CouplingResult: method = ht, n_samples = 2, n_classes = 3, mean_kl = 0.1881, max_kl = 0.3756, n_iter = 5,
    converged = True
           a      b      c        kl  n_iter  converged
    0 0.4811 0.2416 0.2773    0.3756       5       True
    1 0.5245  0.337 0.1384 0.0005885       3       True
    """

    method: str | None = None

    def __new__(cls, proba: Any, kl: Any, n_iter: Any, converged: Any, method: str | None = None) -> "CouplingResult":
        """Set the method, which is not part of the tuple."""
        result = super().__new__(cls, proba, kl, n_iter, converged)
        result.method = method
        return result

    def _by_sample(self, n_samples: int | None = None) -> pd.DataFrame:
        """Class probabilities of the first samples (by default of all), one row each."""
        if self.proba.ndim == 2:
            return pd.DataFrame(self.proba[:n_samples])
        labels = self.proba.index if isinstance(self.proba, pd.Series) else None
        return pd.DataFrame(np.asarray(self.proba)[None], columns=labels)

    def tidy(self) -> pd.DataFrame:
        """One row per sample and class.

        Returns
        -------
        DataFrame
            Columns `sample`, `class`, `estimate` (the probability), `kl`, `n_iter` and `converged`. Samples and classes
            without labels are numbered from 0.
        """
        proba = self._by_sample()
        n_samples, n_classes = proba.shape
        return pd.DataFrame(
            {
                "sample": proba.index.to_flat_index().repeat(n_classes),
                "class": proba.columns.to_flat_index().take(np.tile(np.arange(n_classes), n_samples)),
                "estimate": proba.to_numpy().ravel(),
                "kl": np.repeat(self.kl, n_classes),
                "n_iter": np.repeat(self.n_iter, n_classes),
                "converged": np.repeat(self.converged, n_classes),
            }
        )

    def glance(self) -> pd.DataFrame:
        """One row about all samples.

        Returns
        -------
        DataFrame
            Columns `method`, `n_samples`, `n_classes`, `mean_kl`, `max_kl`, `n_iter` (the largest) and `converged` (of
            all samples).
        """
        kl = np.atleast_1d(self.kl)
        row = {
            "method": self.method,
            "n_samples": len(kl),
            "n_classes": self.proba.shape[-1],
            "mean_kl": kl.mean() if len(kl) else np.nan,
            "max_kl": kl.max() if len(kl) else np.nan,
            "n_iter": np.max(np.asarray(self.n_iter), initial=0),
            "converged": bool(np.all(self.converged)),
        }
        return pd.DataFrame([row])

    def _first_samples(self) -> pd.DataFrame:
        """What is shown: the first samples, one row each."""
        proba = self._by_sample(LONGEST)
        parts = {name: np.atleast_1d(getattr(self, name))[:LONGEST] for name in ("kl", "n_iter", "converged")}
        return pd.concat([proba, pd.DataFrame(parts, index=proba.index)], axis=1)

    # The inherited versions would build the long table of all samples, and show only its beginning.

    def __repr__(self) -> str:
        glance = self.glance().iloc[0].dropna()
        facts = (f"{name} = {x:.4g}" if isinstance(x, float) else f"{name} = {x}" for name, x in glance.items())
        lines = [f"CouplingResult: {', '.join(facts)}"]
        if glance["n_samples"]:
            lines.append(self._first_samples().to_string(max_cols=_MAX_COLUMNS, float_format=_FORMAT))
        if glance["n_samples"] > LONGEST:
            lines.append(f"... {glance['n_samples'] - LONGEST} more samples; tidy() has all.")
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        glance = self.glance()
        tables = (glance.dropna(axis=1), self._first_samples())
        parts = [table.to_html(max_cols=_MAX_COLUMNS, float_format=_FORMAT) for table in tables]
        more = int(glance["n_samples"].iloc[0]) - LONGEST
        if more > 0:
            parts.append(f"<p>{more} more samples; <code>tidy()</code> has all.</p>")
        return "\n".join(["<p><b>CouplingResult</b></p>", *parts])

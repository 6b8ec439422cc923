"""Models by formula whose response is classes: words, numbers or a Categorical."""

from typing import Any

import pandas as pd

from pwcstats.logit import reading as designs


class FromFormula:
    """Mixed into a model of statsmodels: `from_formula` for responses that patsy would make several columns of."""

    # Functions between the caller of `from_formula` and that of statsmodels' `Model`: the one below.
    _formula_frames = 1

    @classmethod
    def _read_response(cls, values: Any, kwargs: dict[str, Any]) -> tuple[Any, pd.Index]:
        """Numbers of classes, and the classes; may take options from `kwargs`."""
        return designs.read_nominal(values)

    def _name_classes(self, labels: pd.Index) -> None:
        """Take the names of the classes, of which the model knows the numbers."""

    @classmethod
    def from_formula(cls, formula: str, data: Any, subset: Any = None, **kwargs: Any) -> Any:
        """The model of a formula, as in statsmodels.

        Parameters
        ----------
        formula : str
            Such as ``"y ~ x1 + C(group)"``; the constant need not be written.
        data : DataFrame
            Where the formula's names are, the response as the class takes it.
        subset : array-like, optional
            Rows to use, by label or as a mask.
        **kwargs
            What the class takes. `freq_weights` and `offset` have an entry for each row of `data`; rows in which
            something is missing, a weight or an offset included, are left out, unless `missing` says otherwise.
            `eval_env`, as in statsmodels, says where functions and variables that are not columns of `data` are looked
            up; by default where this is called.

        Returns
        -------
        model
        """
        rows = designs.take_rows(data, subset, kwargs)
        coded, labels = designs.code_response(formula, rows, lambda values: cls._read_response(values, kwargs))
        designs.look_further_out(kwargs, cls._formula_frames)
        model = super().from_formula(formula, coded, **kwargs)  # type: ignore[misc]
        model.data.frame = rows
        if labels is not None:
            model._name_classes(labels)
        return model

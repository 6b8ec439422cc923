"""Models by formula: `from_formula` for responses that are classes, and the columns of each term."""

from typing import Any, TypeVar

import pandas as pd

from pwcstats._text import did_you_mean
from pwcstats.errors import InputError, arg, value
from pwcstats.logit import reading

M = TypeVar("M", bound="FromFormula")


class FromFormula:
    """Mixed into a statsmodels model: `from_formula` for responses that patsy would expand to several columns."""

    # Number of our own stack frames between the caller of `from_formula` and statsmodels' `Model.from_formula`.
    _formula_frames = 1
    # The column of the data that is the offset, if it was named.
    _offset_name: str | None = None

    @classmethod
    def _read_response(cls, values: Any, kwargs: dict[str, Any]) -> tuple[Any, pd.Index | None]:
        """Codes of the classes, and the classes (None for counts); may take options out of `kwargs`."""
        return reading.read_nominal(values)

    def _name_classes(self, labels: pd.Index) -> None:
        """Take the names of the classes, of which the model knows the codes."""

    @classmethod
    def from_formula(cls: type[M], formula: str, data: pd.DataFrame, subset: Any = None, **kwargs: Any) -> M:
        """Create a model from a formula, as in statsmodels.

        Parameters
        ----------
        formula : str
            For example ``"y ~ x1 + C(group)"``. A constant is added.
        data : DataFrame
            Contains the variables of the formula.
        subset : array-like, optional
            Rows to use, as labels or as a mask.
        **kwargs
            Options of the model. `freq_weights`, `offset` and `trials` are names of columns of `data`, or have an
            entry for each row of `data`. Rows in which something is missing, including a weight or an offset, are
            dropped unless `missing` says otherwise. After an offset by name, predictions of new rows take it from the
            new data.
            `eval_env`, as in statsmodels, tells where to look up functions and variables that are not columns of
            `data`; by default in the scope of the caller.

        Returns
        -------
        model
        """
        if not isinstance(formula, str) or "~" not in formula:
            raise InputError(f"the formula must be a string such as 'y ~ x1 + x2', got {value(formula)}.")
        if not isinstance(data, pd.DataFrame):
            raise InputError(f"{arg('data')} must be a data frame, got {type(data).__name__}.")
        name = kwargs.get("offset")
        frame = coded = _take_rows(data, subset, kwargs)
        labels = None
        response = formula.split("~")[0].strip()
        if response in frame:
            codes, labels = cls._read_response(frame[response], kwargs)
            coded = frame.assign(**{response: codes})
        depth = kwargs.get("eval_env", 1)
        if isinstance(depth, int) and depth >= 0:
            # statsmodels takes 1 for the caller of its `from_formula`, although its documentation says 0.
            kwargs["eval_env"] = max(depth, 1) + cls._formula_frames
        model: M = super().from_formula(formula, coded, **kwargs)  # type: ignore[misc]
        model.data.frame = frame  # type: ignore[attr-defined]
        model._offset_name = name if isinstance(name, str) else None
        if labels is not None:
            model._name_classes(labels)
        return model


def _take_rows(data: pd.DataFrame, subset: Any, kwargs: dict[str, Any]) -> pd.DataFrame:
    """The subset of the data; replaces weights and offsets in `kwargs`, or their names, by arrays for the same rows.

    Rows without a weight or an offset are dropped here, unless `missing` says otherwise; statsmodels drops the other
    rows with missing values, and their entries of arrays.
    """
    given = {key: kwargs[key] for key in ("freq_weights", "offset", "trials") if kwargs.get(key) is not None}
    given = {key: _column(data, key, "data", name) if isinstance(name, str) else name for key, name in given.items()}
    reading.check_aligned(data, "data", **given)
    given = {key: reading.read_column(column, key) for key, column in given.items()}
    reading.check_lengths(len(data), **given)
    frame = data if subset is None else data.loc[subset]
    extra = pd.DataFrame(given, index=data.index)
    extra = extra if subset is None else extra.loc[subset]
    if kwargs.get("missing", "drop") == "drop":
        known = extra.notna().all(axis=1).to_numpy()
        frame, extra = (frame, extra) if known.all() else (frame[known], extra[known])
    kwargs.update({key: extra[key].to_numpy() for key in given})
    return frame


def _column(data: Any, key: str, data_name: str, name: str) -> Any:
    """The column that an option names."""
    if name not in data:
        hint = did_you_mean(name, list(map(str, data)))
        raise InputError(
            f"{arg(key)} must be the name of a column of {arg(data_name)}, or a number for each row, got {value(name)}."
            f"{hint}"
        )
    return data[name]


def offset_of_rows(model: Any, exog: Any, transform: bool, offset: Any) -> Any:
    """The offset for predictions: that of the call or, for new rows, their column with the name of the fit's offset."""
    if isinstance(offset, str):
        return _column(model.data.frame if exog is None else exog, "offset", "exog", offset)
    name = getattr(model, "_offset_name", None)
    if exog is None or offset is not None or name is None:
        reading.check_aligned(exog, offset=offset)
        return offset
    if not transform or not hasattr(exog, "keys") or name not in exog:
        raise InputError(
            f"the fit has the column {name!r} as offset, but {arg('exog')} has no such column; add it, or give "
            f"{arg('offset')}."
        )
    return exog[name]


def columns_by_term(model: Any) -> dict[str, list[int]]:
    """Indices, among all columns, of those of each term of a model's formula; otherwise each column is a term."""
    data = model.data
    info = getattr(data, "model_spec", None) or getattr(data, "design_info", None)
    names = data.every if getattr(model, "left_out", ()) else model.exog_names
    every = range(len(names))
    for name in ("term_name_slices", "term_slices"):
        slices = getattr(info, name, None)
        if slices is not None:
            return {str(term): list(every[part]) for term, part in slices.items()}
    return {str(name): [index] for index, name in enumerate(names)}

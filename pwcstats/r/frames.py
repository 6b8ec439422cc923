"""Data frames for R and back."""

from typing import Any

import pandas as pd

from pwcstats.r import _convert
from pwcstats.r._session import running

__all__ = ["frame_from_r", "frame_to_r"]


def frame_to_r(frame: pd.DataFrame) -> Any:
    """Convert a data frame for R.

    Parameters
    ----------
    frame : pandas.DataFrame
        Columns of numbers, booleans, strings, categories, dates or times, also with missing values.

    Returns
    -------
    rpy2.rinterface.ListSexpVector
        R's data frame. Categories are factors, ordered if the categories are; integers beyond R's are doubles;
        times are POSIXct, in the zone "UTC" if they have none, with microseconds; objects of :class:`datetime.date` are
        Date. An index of distinct integers or strings becomes the row names.

    Raises
    ------
    InputError
        If R has no counterpart of a column or of the index.

    Examples
    --------
    >>> import pandas as pd
    >>> from pwcstats.r import frame_to_r
    >>> dose = pd.Categorical(["low", "high"], categories=["low", "high"], ordered=True)
    >>> frame = pd.DataFrame({"dose": dose, "cured": [True, None]})
    >>> from rpy2 import robjects
    >>> print(robjects.r["summary"](frame_to_r(frame)))
       dose    cured
     low :1   Mode:logical
     high:1   TRUE:1
              NA's:1
    """
    with running():
        return _convert.frame_to_r(frame)


def frame_from_r(frame: Any) -> pd.DataFrame:
    """Convert R's data frame.

    Parameters
    ----------
    frame : rpy2.rinterface.ListSexpVector
        A data frame, as `rpy2` returns it.

    Returns
    -------
    pandas.DataFrame
        Factors are categories. Integers and logicals with NA have pandas' types with missing values, ``Int32`` and
        ``boolean``. POSIXct in the zone "UTC" has no zone in pandas. Row names are the index, unless R numbered the
        rows itself.

    Raises
    ------
    InputError
        If it is not a data frame, or pandas has no counterpart of a column.

    Examples
    --------
    >>> from rpy2 import robjects
    >>> from pwcstats.r import frame_from_r
    >>> frame_from_r(robjects.r("head(warpbreaks, 2)"))
       breaks wool tension
    0    26.0    A       L
    1    30.0    A       L
    """
    with running():
        return _convert.frame_from_r(frame)

"""Results of Python as objects of the R package."""

import importlib.util
import os
import pickle
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any, overload

from pwcstats._files import write_file
from pwcstats.errors import InputError, code
from pwcstats.r._session import RFile, running

R_FILE = RFile("results.R")
# Errors of R come back as text, without the call.
PROGRAM = """
files <- commandArgs(TRUE)
tryCatch(
  saveRDS(pwcstats::from_python(readBin(files[[1]], "raw", file.size(files[[1]]))), files[[2]]),
  error = function(e) writeLines(enc2utf8(conditionMessage(e)), files[[3]], useBytes = TRUE)
)
"""


@overload
def to_r(result: Any) -> Any: ...
@overload
def to_r(result: Any, path: str | os.PathLike[str]) -> None: ...
def to_r(result: Any, path: str | os.PathLike[str] | None = None) -> Any:
    """Give R the object that the R package has for a result, to finish the analysis in R.

    Parameters
    ----------
    result : object
        A result of :class:`FirthLogit`, :class:`FirthMNLogit`, :class:`ContinuationRatio`, :class:`OrderedLogit`,
        :class:`AdjacentCategories`, :class:`BradleyTerry` or :class:`PlackettLuce`; a fitted
        :class:`PairwiseClassifier`, :class:`HybridClassifier` or :class:`OrdinalHybridClassifier`; or the result of
        :func:`compare_methods` or of ``couple(return_info=True)``.
    path : path, optional
        A file to write instead. In R, ``readRDS(path)`` reads it.

    Returns
    -------
    rpy2.robjects.vectors.ListVector or None
        The fit, as the function of the R package would return it. None with `path`.

    Raises
    ------
    InputError
        If R has no class for the result, R does not have the package pwcstats, or the fit in R differs.

    Notes
    -----
    Models are fitted again by the functions of the R package, in another R process, from the data and options of
    `result`. An error is raised if the two fits differ. Classifiers are not fitted again; ``predict`` in R needs new
    rows, because they do not keep their training data. The new rows must be numbers, so a classifier that was fitted
    to columns of categories is an error. Each call starts that process, which takes 4 to 15 seconds.

    Formulas are kept if R understands them in the same way. Otherwise the columns of the design become variables in R,
    with the names that they have in Python; a constant becomes the intercept.

    In the R of this process, methods that need Python raise an error, such as profile intervals and predictions of
    models with several classes: R would start Python within Python, which may crash. Write a file and use another R
    session for them.

    Examples
    --------
    >>> from pwcstats import FirthLogit
    >>> from pwcstats.datasets import load
    >>> from pwcstats.r import to_r
    >>> result = FirthLogit.from_formula("HG ~ NV + PI + EH", load("endometrial").frame).fit()
    >>> fit = to_r(result)
    >>> from rpy2.robjects import r
    >>> print(r["coef"](fit))
    (Intercept)          NV          PI          EH
     3.77455...  2.9292...  -0.0347...  -2.6041...

    For another R session, where ``fit <- readRDS("fit.rds")`` reads it:

    >>> to_r(result, "fit.rds")  # doctest: +SKIP
    """
    with running():
        r_package = R_FILE.call("locate").value
    rscript, libraries, folder, home = (str(r_package[name][0]) for name in ("rscript", "libraries", "folder", "home"))
    if not r_package["is_new"][0]:
        reason = "too old" if folder else "not installed"
        raise InputError(
            f"the R package pwcstats is {reason} for the R in {home}; run {code('R CMD INSTALL R')} in a checkout of "
            "pwcstats, or install the source package of a GitHub release."
        )
    with tempfile.TemporaryDirectory() as temporary:
        pickle_file, fit_file, error_file = (Path(temporary) / name for name in ("result.pkl", "fit.rds", "error.txt"))
        write_file(pickle_file, _bytes_of(result, folder))
        environment = {name: text for name, text in os.environ.items() if not name.endswith("_SESSION_INITIALIZED")}
        environment |= {"RETICULATE_PYTHON": sys.executable, "R_LIBS": libraries}
        done = subprocess.run(
            [rscript, "--vanilla", "-e", PROGRAM, *map(str, (pickle_file, fit_file, error_file))],
            capture_output=True,
            text=True,
            check=False,
            env=environment,
        )
        if error_file.exists():
            raise InputError(f"the R package says: {error_file.read_text(encoding='utf-8').strip()}")
        if not fit_file.exists():
            raise InputError(f"Rscript stopped with code {done.returncode}: {done.stderr.strip()}")
        if path is not None:
            write_file(path, fit_file.read_bytes())
            return None
        with running():
            # Not with the module: it takes a second, and starts R.
            from rpy2 import robjects

            answer = R_FILE.call("read", convert=False, path=str(fit_file)).value
            # Other threads than the first have no converter.
            with robjects.default_converter.context():
                return robjects.default_converter.rpy2py(answer)


def _bytes_of(result: Any, folder: str) -> bytes:
    """The pickle of a result or, if R fits it again, of the call, because formulas cannot always be pickled."""
    path = Path(folder) / "pwcstats_calls.py"
    spec = importlib.util.spec_from_file_location(path.stem, path)
    if spec is None or spec.loader is None:
        raise InputError(f"the R package pwcstats is incomplete; {path} is missing.")
    calls = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(calls)
    call = calls.call_of(result)
    try:
        return pickle.dumps(result if call is None else call)
    except Exception as error:  # pickle raises errors of many types
        raise InputError(f"R gets the pickle of this {type(result).__name__}, which cannot be made: {error}") from error

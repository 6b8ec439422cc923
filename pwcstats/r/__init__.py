"""R from Python, through rpy2: R's learners as scikit-learn estimators, and data frames and results for R."""

try:
    from rpy2 import rinterface as _rinterface  # noqa: F401
except ModuleNotFoundError:
    raise ImportError("pwcstats.r needs rpy2: pip install rpy2, or rpy2==3.5.17 if R is older than 4.5.") from None
except (ImportError, OSError, ValueError, AttributeError) as error:  # which one depends on how rpy2 was built
    hint = " (R before version 4.5 needs rpy2==3.5.17)" if "R_getVar" in str(error) else ""
    raise ImportError(f"pwcstats.r needs R, and rpy2 cannot load it: {error}{hint}") from error

from pwcstats.r.classifier import RClassifier
from pwcstats.r.e1071 import E1071SVC
from pwcstats.r.frames import frame_from_r, frame_to_r
from pwcstats.r.results import to_r

__all__ = ["E1071SVC", "RClassifier", "frame_from_r", "frame_to_r", "to_r"]

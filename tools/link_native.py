"""Link the compiled module of this environment beside its sources, for reticulate.

reticulate takes over the folders of an environment, but not its import hooks, and an editable installation finds the
module by such a hook.
"""

from pathlib import Path

import pwcstats
from pwcstats import _native

target = Path(_native.__file__)
link = Path(pwcstats.__file__).with_name(target.name)
if link != target:
    link.unlink(missing_ok=True)
    link.symlink_to(target)

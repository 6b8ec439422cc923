"""``python -m pwcstats``."""

import sys

from pwcstats.cli import main

sys.exit(main())

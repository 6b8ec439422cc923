"""Chang's hybrid classifiers: local machines whose distances a logistic model integrates."""

from pwcstats.hybrid.nominal import HybridClassifier
from pwcstats.hybrid.ordinal import OrdinalHybridClassifier

__all__ = ["HybridClassifier", "OrdinalHybridClassifier"]

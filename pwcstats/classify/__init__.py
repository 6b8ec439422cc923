"""Classifiers made of classifiers of pairs and groups."""

from pwcstats.classify.hybrid import HybridClassifier
from pwcstats.classify.ordinal_hybrid import OrdinalHybridClassifier
from pwcstats.classify.pairwise import PairwiseClassifier

__all__ = ["HybridClassifier", "OrdinalHybridClassifier", "PairwiseClassifier"]

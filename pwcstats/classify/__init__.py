"""Classifiers made of classifiers of pairs."""

from pwcstats.classify.pairwise import PairwiseClassifier

__all__ = ["PairwiseClassifier"]

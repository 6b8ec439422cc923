"""PairwiseClassifier: one learner for each pair of classes, coupled into class probabilities."""

from pwcstats.pairwise.classifier import PairwiseClassifier
from pwcstats.pairwise.neighbors import BiasedNeighborsClassifier

__all__ = ["BiasedNeighborsClassifier", "PairwiseClassifier"]

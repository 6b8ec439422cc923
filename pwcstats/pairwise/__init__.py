"""PairwiseClassifier: one learner for each pair of classes, coupled into class probabilities."""

from pwcstats.pairwise.classifier import PairwiseClassifier

__all__ = ["PairwiseClassifier"]

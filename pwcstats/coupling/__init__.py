"""Coupling: from the probabilities of each pair of classes to the probabilities of all classes."""

from pwcstats.coupling.coupler import METHODS, CouplingResult, couple

__all__ = ["METHODS", "CouplingResult", "couple"]

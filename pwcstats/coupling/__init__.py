"""Coupling: class probabilities from the probabilities of each pair of classes."""

from pwcstats.coupling.coupler import couple
from pwcstats.coupling.methods import METHODS
from pwcstats.coupling.result import CouplingResult

__all__ = ["METHODS", "CouplingResult", "couple"]

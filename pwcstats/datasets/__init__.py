"""Simulators of the papers, four small data sets, and real data sets from packages that contain them."""

from pwcstats.datasets.pairs import Setting, noisy_pairs, wu_lin_weng_probabilities
from pwcstats.datasets.real import catalogue, load
from pwcstats.datasets.simulators import (
    chang_clover,
    chang_ordered,
    hastie_tibshirani_gaussians,
    hastie_tibshirani_mixtures,
    sulzmann_counts,
    szepannek_classes,
)

__all__ = [
    "Setting",
    "catalogue",
    "chang_clover",
    "chang_ordered",
    "hastie_tibshirani_gaussians",
    "hastie_tibshirani_mixtures",
    "load",
    "noisy_pairs",
    "sulzmann_counts",
    "szepannek_classes",
    "wu_lin_weng_probabilities",
]

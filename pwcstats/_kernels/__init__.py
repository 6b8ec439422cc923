"""Numerics on plain arrays, without data frames, estimators and warnings."""

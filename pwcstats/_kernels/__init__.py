"""Compiled numerics on plain arrays: no data frames, no estimators, no warnings."""

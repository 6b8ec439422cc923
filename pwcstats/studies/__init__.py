"""The papers' tables and figures, at any size."""

"""The picture of the court, of these candidates."""

from experiments.real_tables.figure import draw

__all__ = ["draw"]

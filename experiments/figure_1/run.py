"""Expected SHD of the methods, published and our own, on the same data sets."""

from experiments.study.rows import keys, measure
from experiments.study.tables import shd_side_by_side as report

__all__ = ["keys", "measure", "report"]

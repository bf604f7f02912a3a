"""Expected SHD of DAGs of 15 nodes, published and our own."""

from experiments.study.rows import keys, measure
from experiments.study.tables import shd_side_by_side as report

__all__ = ["keys", "measure", "report"]

"""Expected SHD of CPDAGs of 15 nodes, from the rows of figure A7."""

from experiments.study.tables import cpdag_columns as select
from experiments.study.tables import cpdag_shd_side_by_side as report

__all__ = ["report", "select"]

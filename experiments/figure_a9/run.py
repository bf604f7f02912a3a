"""Run-times with 15 nodes, published and our own; theirs are of another machine."""

from experiments.study.rows import keys
from experiments.study.rows import measure_alone as measure
from experiments.study.tables import times_side_by_side as report

__all__ = ["keys", "measure", "report"]

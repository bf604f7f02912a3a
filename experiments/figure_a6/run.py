"""Expected SHD under three priors of lengthscales, beside the published one of IG(2, 2)."""

from experiments.study.rows import keys, measure
from experiments.study.tables import shd_side_by_side as report

__all__ = ["keys", "measure", "report"]

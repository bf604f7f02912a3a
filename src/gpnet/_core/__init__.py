"""The loops that must be fast, in C++: the build that fits this processor.

The same sources are compiled twice where that is possible: for any processor, and for those with
AVX2 and fused multiply-add. GPNET_CORE=baseline takes the first everywhere, so that two processors
do the same arithmetic.
"""

import os

from gpnet._core import _baseline

if _baseline.has_avx2() and os.environ.get("GPNET_CORE") != "baseline":
    from gpnet._core import _avx2 as _build
else:
    _build = _baseline

BestSets = _build.BestSets
Chain = _build.Chain
Cover = _build.Cover
ExactDags = _build.ExactDags
NoiseShapes = _build.NoiseShapes
OrderSums = _build.OrderSums
PanelRows = _build.PanelRows
ParentSums = _build.ParentSums
PivotRows = _build.PivotRows
SetScores = _build.SetScores
Statistics = _build.Statistics
choose_pivots = _build.choose_pivots
log_linear_extensions = _build.log_linear_extensions
log_probability_of_order = _build.log_probability_of_order
matern_best_noise = _build.matern_best_noise
matern_log_likelihood = _build.matern_log_likelihood
order_chain = _build.order_chain
partition_chain = _build.partition_chain
partition_drawn_order_chain = _build.partition_drawn_order_chain
partition_order_chain = _build.partition_order_chain
squared_exponential_gram = _build.squared_exponential_gram
structure_chain = _build.structure_chain
varying_scale = _build.varying_scale

__all__ = [
    "BestSets",
    "Chain",
    "Cover",
    "ExactDags",
    "NoiseShapes",
    "OrderSums",
    "PanelRows",
    "ParentSums",
    "PivotRows",
    "SetScores",
    "Statistics",
    "choose_pivots",
    "log_linear_extensions",
    "log_probability_of_order",
    "matern_best_noise",
    "matern_log_likelihood",
    "order_chain",
    "partition_chain",
    "partition_drawn_order_chain",
    "partition_order_chain",
    "squared_exponential_gram",
    "structure_chain",
    "varying_scale",
]

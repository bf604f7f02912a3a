"""The loops that must be fast, in C++: the build that fits this processor.

The same sources are compiled twice where that is possible: for any processor, and for those with
AVX2 and fused multiply-add.
"""

from gpnet._core import _baseline

if _baseline.has_avx2():
    from gpnet._core import _avx2 as _build
else:
    _build = _baseline

ExactDags = _build.ExactDags
Statistics = _build.Statistics
squared_exponential_gram = _build.squared_exponential_gram

__all__ = ["ExactDags", "Statistics", "squared_exponential_gram"]

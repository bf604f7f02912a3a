"""The loops that must be fast, in C++: the build that fits this processor.

The same sources are compiled twice where that is possible: for any processor, and for those with
AVX2 and fused multiply-add.
"""

from gpnet._core import _baseline

if _baseline.has_avx2():
    from gpnet._core._avx2 import Statistics, squared_exponential_gram
else:
    from gpnet._core._baseline import Statistics, squared_exponential_gram

__all__ = ["Statistics", "squared_exponential_gram"]

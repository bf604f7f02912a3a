"""Where the values of a normal sample lie, in order; arrays only."""

from dataclasses import dataclass
from typing import Final

import numpy as np
from scipy.special import betaincinv, ndtri

from gpnet.common.types import Floats

COVERED: Final = 0.95


@dataclass(frozen=True, eq=False)
class NormalEnvelope:
    """Of a standard normal sample from its smallest value to its largest: (n,) each."""

    middle: Floats  # median
    low: Floats  # with `high` where the value is with COVERED, each by itself
    high: Floats


def normal_envelope(n: int) -> NormalEnvelope:
    """The k-th smallest of n has a normal probability that is Beta(k, n + 1 - k)."""
    k = np.arange(1.0, n + 1)
    ends = (0.5, (1 - COVERED) / 2, (1 + COVERED) / 2)
    found = [np.asarray(ndtri(betaincinv(k, n + 1 - k, end)), dtype=np.float64) for end in ends]
    return NormalEnvelope(*found)

"""Columns with mean 0 and standard deviation 1, whatever their units."""

from dataclasses import dataclass

import numpy as np

from gpnet.common.types import Floats


@dataclass(frozen=True)
class Standard:
    """Columns standardised."""

    values: Floats  # (N, n), mean 0, sd 1
    centre: Floats  # (n,)
    scale: Floats  # (n,)
    spread: Floats  # (n,): scale over the largest magnitude, up to a factor of 2


def standardise(values: Floats) -> Standard:
    """Halve or double each column to a size near 1 first, so that no square leaves the floats."""
    exponent = np.frexp(np.abs(values).max(axis=0))[1]
    near_one = np.ldexp(values, -exponent)
    mean = near_one.mean(axis=0)
    centred = near_one - mean
    centred -= centred.mean(axis=0)  # the mean's own rounding, large beside a small spread
    spread = np.sqrt(np.sum(centred**2, axis=0) / (len(values) - 1))
    with np.errstate(all="ignore"):  # what does not come out finite is told as a finding
        arrays = centred / spread, np.ldexp(mean, exponent), np.ldexp(spread, exponent), spread
    return Standard(*(read_only(array) for array in arrays))


def read_only(values: Floats) -> Floats:
    """The same array, which nobody may change from now on."""
    values.flags.writeable = False
    return values

"""Columns with mean 0 and standard deviation 1, whatever their units."""

from dataclasses import dataclass
from typing import Final

import numpy as np

from gpnet.common.types import Floats

BLOCK: Final = 2**16  # rows at once


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
    centred = np.ldexp(values, -exponent)  # from here on in place: the table may be large
    mean = centred.mean(axis=0)
    centred -= mean
    centred -= centred.mean(axis=0)  # the mean's own rounding, large beside a small spread
    spread = np.sqrt(_squares(centred) / (len(values) - 1))
    with np.errstate(all="ignore"):  # what does not come out finite is told as a finding
        centred /= spread
        if len(values) > BLOCK:  # what reads one column need not fetch all others with it
            centred = np.asfortranarray(centred)
        arrays = centred, np.ldexp(mean, exponent), np.ldexp(spread, exponent), spread
    return Standard(*(read_only(array) for array in arrays))


def _squares(values: Floats) -> Floats:
    """(n,): sums over the rows."""
    starts = range(0, len(values), BLOCK)
    some = [np.sum(values[start : start + BLOCK] ** 2, axis=0) for start in starts]
    return np.asarray(np.sum(some, axis=0))


def read_only(values: Floats) -> Floats:
    """The same array, which nobody may change from now on."""
    values.flags.writeable = False
    return values

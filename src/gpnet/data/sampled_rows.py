"""A few rows that stand for all of a large table."""

import numpy as np
from numpy.typing import NDArray


def sampled_rows(n_rows: int, most: int) -> NDArray[np.intp]:
    """In order; the same wherever they are asked for, and whatever the seed."""
    return np.sort(np.random.default_rng(0).permutation(n_rows)[:most])

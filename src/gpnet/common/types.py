"""The words every room shares.

The one statement of axes: ``dag[parent, child]`` is True where parent -> child.
"""

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Node: TypeAlias = int  # a variable's column in the data
Parents: TypeAlias = tuple[int, ...]  # sorted columns
Floats: TypeAlias = NDArray[np.float64]
Dag: TypeAlias = NDArray[np.bool_]  # (n, n), dag[parent, child]

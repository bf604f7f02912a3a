"""Fitted relations behind a posterior; arrays only, may import doors."""

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from gpnet.doors import freeze
from gpnet.types import Floats


@dataclass(frozen=True, eq=False)
class Fits:
    """Fitted relations: what each parent does to a node, in the units of the table; read-only."""

    node: NDArray[np.int32]  # (F,)
    parents: NDArray[np.bool_]  # (F, n): the parent set that was fitted
    fit: NDArray[np.int32]  # (C,): the fit each curve belongs to; one curve for each parent
    parent: NDArray[np.int32]  # (C,)
    x: Floats  # (C, G): values of the parent, over its range
    mean: Floats  # (C, G): posterior mean of this parent's part + the node's mean, its units
    low: Floats  # (C, G): 90% band
    high: Floats  # (C, G)
    shown: Floats  # (P, n): rows of the table that are shown as points
    residual: Floats  # (C, P): partial residuals of these rows: node minus the others' parts

    def __post_init__(self) -> None:
        freeze(self, _TYPES)


_TYPES: Final = {
    "node": np.int32,
    "parents": np.bool_,
    "fit": np.int32,
    "parent": np.int32,
    **dict.fromkeys(("x", "mean", "low", "high", "shown", "residual"), np.float64),
}

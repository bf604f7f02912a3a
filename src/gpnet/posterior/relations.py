"""Fitted relations: what each parent does to its node; arrays only."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from gpnet.common.errors import OptionError
from gpnet.common.types import Floats, Node, Parents
from gpnet.common.validation import check_finite, check_not_infinite, check_shape, freeze


@dataclass(frozen=True, eq=False)
class FittedRelations:
    """What each parent does to a node, in the units of the table after its transform; read-only.

    A node is its level + the part of each parent + noise; parts have a mean of 0 over the rows of
    the table. A curve is the level + one part, a partial residual the node less the other parts: so
    residuals scatter about their curve.
    """

    node: NDArray[np.int32]  # (F,)
    parents: NDArray[np.bool_]  # (F, n): the parent set that was fitted
    fit: NDArray[np.int32]  # (C,): the fit each curve belongs to; one curve for each parent
    parent: NDArray[np.int32]  # (C,)
    x: Floats  # (C, G): values of the parent over its range, in order
    mean: Floats  # (C, G): posterior mean
    low: Floats  # (C, G): with `high` the band where the curve is with 90% at each x
    high: Floats  # (C, G)
    shown: Floats  # (P, n): rows of the table, all or some of them
    residual: Floats  # (C, P): partial residuals of these rows; nan where the node was set

    def __post_init__(self) -> None:
        freeze(self, _TYPES)
        n_fits, n = self.parents.shape if self.parents.ndim == 2 else (0, 0)
        n_curves, n_values = self.x.shape if self.x.ndim == 2 else (0, 0)
        n_shown = len(self.shown) if self.shown.ndim == 2 else 0
        for name, shape in {
            "node": (n_fits,),
            "parents": (n_fits, n),
            "fit": (n_curves,),
            "parent": (n_curves,),
            **dict.fromkeys(("x", "mean", "low", "high"), (n_curves, n_values)),
            "shown": (n_shown, n),
            "residual": (n_curves, n_shown),
        }.items():
            check_shape(name, getattr(self, name), shape)
        for name in ("x", "mean", "low", "high", "shown"):
            check_finite(name, getattr(self, name))
        check_not_infinite("residual", self.residual)
        self._check_families(n)
        self._check_curves()

    def families(self) -> list[tuple[Node, Parents]]:
        """The node and the sorted parents of each fit."""
        sets = [tuple(np.flatnonzero(row).tolist()) for row in self.parents]
        return list(zip(self.node.tolist(), sets, strict=True))

    def find(self, node: Node, parents: Iterable[Node]) -> int | None:
        """The number of the fit of a node and its parents; None if that was not fitted."""
        family = node, tuple(sorted(parents))
        families = self.families()
        return families.index(family) if family in families else None

    def with_edge(self, parent: Node, node: Node) -> list[int]:
        """The fits of a node in which this is one of its parents."""
        return np.flatnonzero((self.node == node) & self.parents[:, parent]).tolist()

    def curves(self, fit: int) -> dict[Node, int]:
        """Of one fit: the number of the curve of each parent."""
        rows = np.flatnonzero(self.fit == fit)
        return dict(zip(self.parent[rows].tolist(), rows.tolist(), strict=True))

    def _check_families(self, n: int) -> None:
        if ((self.node < 0) | (self.node >= n)).any():
            raise OptionError(f"node: expected numbers from 0 to {n - 1}")
        if self.parents[np.arange(len(self.node)), self.node].any():
            raise OptionError("parents: a node is among its own")
        if len(set(self.families())) < len(self.node):
            raise OptionError("parents: the same set of a node was fitted twice")

    def _check_curves(self) -> None:
        """One curve for each parent of each fit, in this order."""
        fit, parent = np.nonzero(self.parents)
        if not (np.array_equal(self.fit, fit) and np.array_equal(self.parent, parent)):
            raise OptionError(
                "fit, parent: expected one curve for each parent of each fit, in order"
            )
        if (np.diff(self.x, axis=1) < 0).any():
            raise OptionError("x: expected values in order")
        if (self.low > self.high).any():
            raise OptionError("low: expected no more than high")


_TYPES: Final = {
    "node": np.int32,
    "parents": np.bool_,
    "fit": np.int32,
    "parent": np.int32,
    **dict.fromkeys(("x", "mean", "low", "high", "shown", "residual"), np.float64),
}

"""A prior probability for each edge."""

from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar, Self

import numpy as np

from gpnet.common.errors import OptionError
from gpnet.common.types import Floats, Node, Parents
from gpnet.graphs.cycles import directed_cycle
from gpnet.structure_priors.base import PriorSettings, StructurePrior


@dataclass(frozen=True, eq=False)
class EdgeProbabilities(StructurePrior):
    """Edges come independently, each with its own probability, given that they form a DAG.

    0 forbids an edge, 1 requires it. The diagonal is not looked at.
    """

    by_name: ClassVar[bool] = False

    probabilities: Floats  # (n, n), [parent, child]

    def __post_init__(self) -> None:
        given = np.array(self.probabilities, dtype=float)
        if given.ndim != 2 or given.shape[0] != given.shape[1]:
            raise OptionError(f"edge probabilities: a square matrix, found shape {given.shape}")
        np.fill_diagonal(given, 0.0)
        if not np.all((given >= 0) & (given <= 1)):
            parent, child = np.argwhere(~((given >= 0) & (given <= 1)))[0]
            raise OptionError(
                f"edge probabilities: from 0 to 1; found {given[parent, child]} for the edge from "
                f"column {parent} to column {child}"
            )
        cycle = directed_cycle(given == 1, [str(column) for column in range(len(given))])
        if cycle:
            raise OptionError(
                "edge probabilities: the edges of probability 1 contain a directed cycle of "
                f"columns, {cycle}; lower one of them"
            )
        given.flags.writeable = False
        object.__setattr__(self, "probabilities", given)

    @classmethod
    def from_settings(cls, settings: PriorSettings) -> Self:
        """Takes the matrix of edge probabilities."""
        if settings.edge_probabilities is None:
            raise OptionError("edge probabilities: a matrix is needed, [parent, child]; found none")
        n, shape = settings.n_variables, np.shape(settings.edge_probabilities)
        if shape != (n, n):
            raise OptionError(f"edge probabilities: a matrix of {n} by {n}, found shape {shape}")
        return cls(settings.edge_probabilities)

    @cached_property
    def _logs(self) -> tuple[Floats, Floats]:
        """log p and log(1 - p) of each edge."""
        with np.errstate(divide="ignore"):
            return np.log(self.probabilities), np.log1p(-self.probabilities)

    def log_prob(self, node: Node, parents: Parents) -> float:
        """Sum of log p over the parents, and of log(1 - p) over the others."""
        present, absent = self._logs
        terms = absent[:, node].copy()
        terms[list(parents)] = present[list(parents), node]
        return float(terms.sum())

    def required_parents(self, node: Node) -> frozenset[Node]:
        """Those with probability 1."""
        return frozenset(np.flatnonzero(self.probabilities[:, node] == 1).tolist())

    def forbidden_parents(self, node: Node) -> frozenset[Node]:
        """Those with probability 0."""
        return frozenset(np.flatnonzero(self.probabilities[:, node] == 0).tolist()) - {node}

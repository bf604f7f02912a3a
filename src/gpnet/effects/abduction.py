"""Rows under a network: what its functions leave of them, and what becomes of them.

Abduction: e_v = x_v - f_v(parents) in every row. Action: some variables are set. Prediction: all
that lies downstream is recomputed with the same e. Standardised; the leading axis is that of draws.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gpnet.common.types import Floats, Node
from gpnet.effects.networks import Network


@dataclass(frozen=True, eq=False)
class Rows:
    """R rows under K draws of functions, as nobody set them."""

    network: Network
    natural: Mapping[Node, Floats]  # (K, R) or (1, R)
    residuals: Mapping[Node, Floats]  # (K, R), of the nodes that functions were drawn for

    @classmethod
    def of(
        cls,
        network: Network,
        z: Floats,
        were_set: NDArray[np.bool_] | None,
        rng: np.random.Generator,
        *,
        centred: bool = False,
    ) -> "Rows":
        """Of rows z (R, n).

        Of a few rows that stand for many, residuals are centred: a mean that is off by chance would
        move all that lies downstream.

        A cell that an experimenter set says nothing of its residual: it takes that of another row,
        and the row is recomputed as it would have been.
        """
        residuals = {}
        for node, functions in network.functions.items():
            columns = [z[None, :, parent] for parent in network.parents(node)]
            residuals[node] = z[None, :, node] - functions.at(columns)
        natural = {node: z[None, :, node] for node in network.order}
        changed: set[Node] = set(residuals) if centred else set()
        cells = np.zeros(z.shape, dtype=bool) if were_set is None else were_set
        for node in np.flatnonzero(cells.any(axis=0)).tolist():
            if node in residuals or not network.parents(node):
                own = residuals if node in residuals else natural
                own[node] = _from_other_rows(own[node], cells[:, node], rng)
                changed.add(node)
        if centred:
            residuals = {v: e - e.mean(axis=1, keepdims=True) for v, e in residuals.items()}
        for node in network.order:
            parents = network.parents(node)
            if node in residuals and (node in changed or changed & {*parents}):
                columns = [natural[parent] for parent in parents]
                natural[node] = network.functions[node].at(columns) + residuals[node]
                changed.add(node)
        return cls(network, natural, residuals)

    def under(self, settings: Mapping[Node, Floats]) -> dict[Node, Floats]:
        """(K, V, R) or what broadcasts to it: all that V settings change, and these themselves.

        Settings are (1 or K, V, 1 or R) for each variable that is set.
        """
        found: dict[Node, Floats] = {}
        for node in self.network.order:
            if node in settings:
                found[node] = settings[node]
            elif node in self.residuals:
                parents = self.network.parents(node)
                if any(parent in found for parent in parents):
                    columns = [found.get(j, self.natural[j][:, None]) for j in parents]
                    fitted = self.network.functions[node].at(columns)
                    found[node] = fitted + self.residuals[node][:, None]
        return found


def _from_other_rows(
    values: Floats, were_set: NDArray[np.bool_], rng: np.random.Generator
) -> Floats:
    """Values (K, R), those of some rows replaced by those of others."""
    found, others = values.copy(), np.flatnonzero(~were_set)
    if len(others):
        found[:, were_set] = values[:, rng.choice(others, size=int(were_set.sum()))]
    return found


def row_weights(n_draws: int, n_rows: int, n_all: int, rng: np.random.Generator) -> Floats:
    """(K, R), each draw summing to 1: the rows are a sample of a population (Rubin 1981).

    As uncertain as n_all rows leave it, where R of them stand for all: the mean of a variable has
    the variance that it has a posteriori if the variable is normal, s^2 / n (n - 1) / (n - 3).
    """
    drawn = rng.standard_gamma(max(n_all - 4, 1) / n_rows, (n_draws, n_rows))
    return np.asarray(drawn / drawn.sum(axis=1, keepdims=True))

"""Random DAGs, order and acyclicity."""

import numpy as np
from numpy.typing import NDArray

from gpnet.common.types import Dag


def random_dag(n_nodes: int, edge_probability: float, rng: np.random.Generator) -> Dag:
    """Erdos-Renyi: a random order of the nodes, then an edge along it for each pair, independently.

    The order is random so that a column's place in the table tells nothing of its causes.
    """
    upper = np.triu(rng.random((n_nodes, n_nodes)) < edge_probability, k=1)
    place = rng.permutation(n_nodes)
    return upper[np.ix_(place, place)]


def topological_order(dag: Dag) -> NDArray[np.intp] | None:
    """The nodes, parents before children; None where there is a cycle."""
    n_waiting = dag.sum(axis=0)
    order: list[int] = []
    ready = list(np.flatnonzero(n_waiting == 0))
    while ready:
        node = ready.pop(0)
        order.append(int(node))
        n_waiting = n_waiting - dag[node]
        ready.extend(np.flatnonzero((n_waiting == 0) & dag[node]))
    return np.array(order, dtype=np.intp) if len(order) == len(dag) else None


def is_acyclic(dag: Dag) -> bool:
    """Whether the graph is a DAG at all."""
    return topological_order(dag) is not None

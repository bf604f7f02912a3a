"""Posteriors in the words of other libraries; each is imported when it is asked for."""

from typing import TYPE_CHECKING, Any

import numpy as np

from gpnet.common.errors import OptionError
from gpnet.posterior.point_estimates import PointEstimates

if TYPE_CHECKING:  # take their time to import: only who asks for them pays
    from arviz import InferenceData
    from networkx import DiGraph


class Converters(PointEstimates):
    """The consensus graph, and the draws, for others."""

    def to_networkx(self, threshold: float = 0.5) -> "DiGraph":
        """The consensus graph for NetworkX.

        Parameters
        ----------
        threshold : float
            As for `consensus`.

        Returns
        -------
        networkx.DiGraph
            All variables and the edges of `consensus`, each with its probability and std_error.

        Examples
        --------
        >>> import gpnet
        >>> table = gpnet.simulate(nodes=4, rows=200, edge_probability=0.6, seed=2)
        >>> posterior = gpnet.learn(table.frame(), score="bge", draws=500)
        >>> sorted(posterior.to_networkx(0.7).edges)
        [('V3', 'V2'), ('V4', 'V1')]
        """
        from networkx import DiGraph

        p, std_error = self._edges
        graph = DiGraph()
        graph.add_nodes_from(self.names)
        for parent, child in self._consensus_edges(threshold):
            graph.add_edge(
                self.names[parent],
                self.names[child],
                probability=float(p[parent, child]),
                std_error=float(std_error[parent, child]),
            )
        return graph

    def to_dot(self, threshold: float = 0.5) -> str:
        """The consensus graph as text for Graphviz.

        Parameters
        ----------
        threshold : float
            As for `consensus`.

        Returns
        -------
        str
            A digraph; its edges are labelled by their probability.

        Examples
        --------
        >>> import gpnet
        >>> table = gpnet.simulate(nodes=4, rows=200, edge_probability=0.6, seed=2)
        >>> posterior = gpnet.learn(table.frame(), score="bge", draws=500)
        >>> print(posterior.to_dot(0.7).splitlines()[-2].strip())
        "V4" -> "V1" [label="0.72"];
        """
        p = self._edges[0]
        names = [_quoted(name) for name in self.names]
        lines = [f"  {name};" for name in names]
        lines += [
            f'  {names[a]} -> {names[b]} [label="{p[a, b]:.2f}"];'
            for a, b in self._consensus_edges(threshold)
        ]
        return "\n".join(["digraph {", *lines, "}"]) + "\n"

    def to_pgmpy(self, threshold: float = 0.5) -> Any:
        """The consensus graph for pgmpy.

        Parameters
        ----------
        threshold : float
            As for `consensus`; from 0.5 on there is no cycle, as a rule.

        Returns
        -------
        pgmpy.base.DAG
            Without distributions: gpnet's relations are no tables.

        Examples
        --------
        >>> import gpnet
        >>> table = gpnet.simulate(nodes=4, rows=200, edge_probability=0.6, seed=2)
        >>> posterior = gpnet.learn(table.frame(), score="bge", draws=500)
        >>> graph = posterior.to_pgmpy(0.7)  # doctest: +SKIP
        """
        try:
            from pgmpy.base import DAG
        except ImportError as error:
            raise OptionError("to_pgmpy needs pgmpy: pip install pgmpy") from error
        graph = DAG()
        graph.add_nodes_from(self.names)
        graph.add_edges_from(
            (self.names[a], self.names[b]) for a, b in self._consensus_edges(threshold)
        )
        return graph

    def to_causallearn(self, threshold: float = 0.5) -> Any:
        """The consensus graph for causal-learn.

        Parameters
        ----------
        threshold : float
            As for `consensus`.

        Returns
        -------
        causallearn.graph.GeneralGraph.GeneralGraph
            All variables and directed edges.

        Examples
        --------
        >>> import gpnet
        >>> table = gpnet.simulate(nodes=4, rows=200, edge_probability=0.6, seed=2)
        >>> posterior = gpnet.learn(table.frame(), score="bge", draws=500)
        >>> graph = posterior.to_causallearn(0.7)  # doctest: +SKIP
        """
        try:
            from causallearn.graph.GeneralGraph import GeneralGraph
            from causallearn.graph.GraphNode import GraphNode
        except ImportError as error:
            raise OptionError(
                "to_causallearn needs causal-learn: pip install causal-learn"
            ) from error
        nodes = [GraphNode(name) for name in self.names]
        graph = GeneralGraph(nodes)
        for a, b in self._consensus_edges(threshold):
            graph.add_directed_edge(nodes[a], nodes[b])
        return graph

    def to_arviz(self) -> "InferenceData":
        """The draws for ArviZ's own diagnostics.

        ArviZ knows no weights: they are in sample_stats, as log_weight, beside log_target.

        Returns
        -------
        arviz.InferenceData, or xarray.DataTree of ArviZ 1
            `edge` with the dimensions chain, draw, parent and child; chains are cut to the
            shortest. Of a bagged posterior two replicates of the table make a chain, and chains
            differ by right: whether it converged is in `diagnosis`.

        Examples
        --------
        >>> import gpnet
        >>> table = gpnet.simulate(nodes=4, rows=200, edge_probability=0.6, seed=2)
        >>> posterior = gpnet.learn(table.frame(), score="bge", draws=500, bag="off")
        >>> posterior.to_arviz().posterior["edge"].dims
        ('chain', 'draw', 'parent', 'child')
        """
        try:
            import arviz
        except ImportError as error:
            raise OptionError("to_arviz needs ArviZ: pip install 'gpnet[arviz]'") from error
        draws = self._draws.by_chain
        groups: dict[str, Any] = {
            "posterior": {"edge": self.dags[draws]},
            "sample_stats": {
                "log_target": self.log_target[draws],
                "log_weight": self.log_weights[draws],
            },
        }
        labels: dict[str, Any] = {
            "coords": {"parent": list(self.names), "child": list(self.names)},
            "dims": {"edge": ["parent", "child"]},
        }
        # ArviZ 1 takes the groups as one mapping, earlier ones each by name.
        if int(arviz.__version__.partition(".")[0]) >= 1:
            found: InferenceData = arviz.from_dict(groups, **labels)
        else:
            found = arviz.from_dict(**groups, **labels)
        return found

    def _consensus_edges(self, threshold: float) -> list[tuple[int, int]]:
        edges = np.argwhere(self.consensus(threshold).to_numpy())
        return [(a, b) for a, b in edges.tolist()]


def _quoted(name: str) -> str:
    """As Graphviz reads it."""
    return '"' + name.replace("\\", "\\\\").replace('"', '\\"') + '"'

"""Probabilities of edges and of any other feature, each with the error of its computation."""

from collections.abc import Callable
from functools import cached_property

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from gpnet.common.types import Dag, Floats
from gpnet.common.validation import check_finite, check_shape
from gpnet.graphs.equivalence import cpdag
from gpnet.posterior.features import Feature, parse
from gpnet.posterior.grounds import grounds
from gpnet.posterior.weighted_dags import WeightedDags
from gpnet.stats.estimates import Estimate, beta_sd


class Probabilities(WeightedDags):
    """What may be asked of weighted DAGs."""

    def probability(self, feature: str | Feature) -> Estimate:
        """Of a feature of the DAG.

        Parameters
        ----------
        feature : str or Feature
            Such as "A -> B", "A ~> B" (a directed path) or "not A -- B"; `gpnet.features` lists
            all that can be asked.

        Returns
        -------
        Estimate
            A float with its standard error, `.std_error` and `.interval()`.

        Examples
        --------
        >>> import gpnet
        >>> table = gpnet.simulate(nodes=4, rows=200, edge_probability=0.6, seed=2)
        >>> posterior = gpnet.learn(table.frame(), score="bge", draws=500)
        >>> posterior.probability("V3 -> V2")
        0.78 ± 0.02
        >>> posterior.probability("V1 ~> V2 or V2 ~> V1").interval()
        (0.576..., 0.669...)
        """
        asked = parse(feature, self.names) if isinstance(feature, str) else feature
        asked = asked._where(self.identified)
        return self._draws.probability(asked.holds(self.dags, self.names))

    def probabilities(self, events: NDArray[np.bool_]) -> list[Estimate]:
        """Of many events at once.

        Parameters
        ----------
        events : array of bool, shape (draws, k)
            Each column says in which of the draws an event holds.

        Returns
        -------
        list of Estimate
            One for each event.

        Examples
        --------
        >>> import gpnet
        >>> table = gpnet.simulate(nodes=4, rows=200, edge_probability=0.6, seed=2)
        >>> posterior = gpnet.learn(table.frame(), score="bge", draws=500)
        >>> many_edges = posterior.dags.sum(axis=(1, 2)) > 3
        >>> posterior.probabilities(many_edges[:, None])
        [0.23 ± 0.03]
        """
        check_shape("events", events, (self.n_draws, *events.shape[1:2]))
        p, n = self._draws.probabilities(events)
        return list(map(Estimate, p.tolist(), beta_sd(p, n).tolist(), n.tolist()))

    def expect(self, f: Callable[[Dag], float]) -> Estimate:
        """The posterior mean of any number of a DAG.

        Parameters
        ----------
        f : callable
            From a DAG, an array of bool with dag[parent, child], to a number; called once for each
            unique DAG. Where it gives only 0 and 1, or True and False, the mean is taken for a
            probability.

        Returns
        -------
        Estimate
            With a standard error of 0 where f never varies otherwise.

        Examples
        --------
        >>> import gpnet
        >>> table = gpnet.simulate(nodes=4, rows=200, edge_probability=0.6, seed=2)
        >>> posterior = gpnet.learn(table.frame(), score="bge", draws=500)
        >>> posterior.expect(lambda dag: dag.sum())  # the number of edges
        3.24 ± 0.03
        """
        dags, place = self._distinct
        values = np.array([float(f(dag)) for dag in dags])
        check_finite("f", values)
        if np.isin(values, (0, 1)).all():
            return self._draws.probability(values[place] == 1)
        return self._draws.expectation(values[place])

    def edge_probabilities(self) -> pd.DataFrame:
        """Of every edge parent -> child.

        Returns
        -------
        DataFrame, shape (n, n)
            By names: the index is the parent, the columns are the child.

        Examples
        --------
        >>> import gpnet
        >>> table = gpnet.simulate(nodes=4, rows=200, edge_probability=0.6, seed=2)
        >>> posterior = gpnet.learn(table.frame(), score="bge", draws=500)
        >>> round(float(posterior.edge_probabilities().loc["V3", "V2"]), 2)
        0.78
        """
        return self._frame(self._edges[0])

    def edge_errors(self) -> pd.DataFrame:
        """The standard errors of `edge_probabilities`.

        Returns
        -------
        DataFrame, shape (n, n)
            Index and columns as there; 0 on the diagonal.

        Examples
        --------
        >>> import gpnet
        >>> table = gpnet.simulate(nodes=4, rows=200, edge_probability=0.6, seed=2)
        >>> posterior = gpnet.learn(table.frame(), score="bge", draws=500)
        >>> round(float(posterior.edge_errors().loc["V3", "V2"]), 3)
        0.022
        """
        return self._frame(self._edges[1])

    def edge_estimates(self) -> dict[tuple[int, int], Estimate]:
        """Of all edges ever drawn, the most probable first.

        Returns
        -------
        dict
            From (parent, child), by number, to the probability with its error.

        Examples
        --------
        >>> import gpnet
        >>> table = gpnet.simulate(nodes=4, rows=200, edge_probability=0.6, seed=2)
        >>> posterior = gpnet.learn(table.frame(), score="bge", draws=500)
        >>> next(iter(posterior.edge_estimates().items()))
        ((2, 1), 0.78 ± 0.02)
        """
        p, errors = self._edges
        parent, child = _ranked(p)
        known = self.probabilities(self.dags[:, parent, child])
        return {
            (i, j): Estimate(p[i, j], errors[i, j], estimate.n_effective)  # to the last digit
            for i, j, estimate in zip(parent.tolist(), child.tolist(), known, strict=True)
        }

    def edges(self) -> pd.DataFrame:
        """Of all edges ever drawn, the most probable first.

        Returns
        -------
        DataFrame
            With the columns parent, child, probability, std_error; adjacent, the probability of an
            edge either way; direction, the probability of this one given that there is an edge;
            if_model_holds, the probability where no direction is left open; and grounds, what tells
            the direction, either way: "experiment", "knowledge", "independences" or "shape".

        Examples
        --------
        >>> import gpnet
        >>> table = gpnet.simulate(nodes=4, rows=200, edge_probability=0.6, seed=2)
        >>> posterior = gpnet.learn(table.frame(), score="bge", draws=500)
        >>> posterior.edges().head(2).iloc[:, [0, 1, 2, 4, 7]].round(2)
          parent child  probability  adjacent grounds
        0     V3    V2         0.78       1.0   shape
        1     V4    V1         0.72       1.0   shape
        """
        p, std_error = self._edges
        parent, child = _ranked(p)
        adjacent = (p + p.T)[parent, child]
        return pd.DataFrame(
            {
                "parent": self._labels[parent],
                "child": self._labels[child],
                "probability": p[parent, child],
                "std_error": std_error[parent, child],
                "adjacent": adjacent,
                "direction": p[parent, child] / adjacent,
                "if_model_holds": self._if_model_holds[parent, child],
                "grounds": self._grounds[parent, child],
            }
        )

    @cached_property
    def _grounds(self) -> NDArray[np.object_]:
        return grounds(self)

    @cached_property
    def _if_model_holds(self) -> Floats:
        """(n, n): the probabilities of edges where no direction is left open."""
        if self.plain_log_weights is None:
            return self._edges[0]
        plain = self.dags[: len(self.plain_log_weights)]
        return np.asarray(np.tensordot(np.exp(self.plain_log_weights), plain, 1))

    def adjacency_probabilities(self) -> pd.DataFrame:
        """Of an edge between two variables, whichever way it points.

        Returns
        -------
        DataFrame, shape (n, n)
            Symmetric, by names.

        Examples
        --------
        >>> import gpnet
        >>> table = gpnet.simulate(nodes=4, rows=200, edge_probability=0.6, seed=2)
        >>> posterior = gpnet.learn(table.frame(), score="bge", draws=500)
        >>> round(float(posterior.adjacency_probabilities().loc["V2", "V3"]), 2)
        1.0
        """
        pairs = np.triu(self.dags | self.dags.swapaxes(1, 2))  # each asked once
        p, _ = self._probabilities(pairs)
        return self._frame(p + p.T)

    def cpdag_probabilities(self) -> pd.DataFrame:
        """Of each pair of variables, what their edge is in the CPDAG.

        That is, what data could tell of directions if all relations were straight lines with
        normal noise: DAGs of a Markov equivalence class fit such data alike. Curves and noise of
        other shapes can tell more; how much they did is in `edge_probabilities`.

        Returns
        -------
        DataFrame
            A row for each pair a, b that was ever adjacent, the most probably adjacent first.
            directed: a -> b in every DAG of the Markov equivalence class; reversed: b -> a;
            undirected: there are both; each with its standard error. Where experiments or
            knowledge tell directions, the class is the interventional one, and its graph the
            interventional essential graph.

        Examples
        --------
        >>> import gpnet
        >>> table = gpnet.simulate(nodes=4, rows=200, edge_probability=0.6, seed=2)
        >>> posterior = gpnet.learn(table.frame(), score="bge", draws=500)
        >>> posterior.cpdag_probabilities()[["a", "b", "undirected"]].head(1).round(2)
            a   b  undirected
        0  V1  V4        0.98
        """
        either = cpdag(self.dags, self.identified)
        both = either & either.swapaxes(1, 2)
        compelled, errors = self._probabilities(either & ~both)
        undirected, undirected_errors = self._probabilities(np.triu(both))
        a, b = _ranked(np.triu(compelled + compelled.T + undirected))
        return pd.DataFrame(
            {
                "a": self._labels[a],
                "b": self._labels[b],
                "directed": compelled[a, b],
                "directed_std_error": errors[a, b],
                "reversed": compelled[b, a],
                "reversed_std_error": errors[b, a],
                "undirected": undirected[a, b],
                "undirected_std_error": undirected_errors[a, b],
            }
        )


def _ranked(p: NDArray[np.float64]) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Rows and columns of all that is above 0, the largest first."""
    row, column = np.nonzero(p > 0)
    order = np.argsort(-p[row, column], kind="stable")
    return row[order], column[order]

"""The plots of a posterior as its methods.

Imports rooms above its own, but only when asked for a plot: matplotlib takes long to import.
"""

import os
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, cast

import pandas as pd
from numpy.typing import NDArray

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from gpnet.posterior.posterior import Posterior


class Plotting:
    """What a posterior can draw. Each plot returns its axes, and draws into `ax`."""

    def plot_network(self, threshold: float = 0.1, ax: "Axes | None" = None) -> "Axes":
        """The network: edges as wide and as dark as they are probable, causes above effects.

        Parameters
        ----------
        threshold : float
            Edges less probable than this are left out.
        ax : matplotlib Axes, optional
            Where to draw; a new figure unless given.

        Returns
        -------
        matplotlib Axes
            What was drawn into.

        Examples
        --------
        >>> import gpnet
        >>> table = gpnet.simulate(nodes=4, rows=200, edge_probability=0.6, seed=2)
        >>> posterior = gpnet.learn(table.frame(), score="bge", draws=500)
        >>> ax = posterior.plot_network(threshold=0.2)
        """
        from gpnet.plots import network

        return network(self._posterior, threshold, ax)

    def plot_edges(self, ax: "Axes | None" = None) -> "Axes":
        """The heat map of edge probabilities: rows are parents, causes come first.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw; a new figure unless given.

        Returns
        -------
        matplotlib Axes
            What was drawn into.

        Examples
        --------
        >>> import gpnet
        >>> table = gpnet.simulate(nodes=4, rows=200, edge_probability=0.6, seed=2)
        >>> posterior = gpnet.learn(table.frame(), score="bge", draws=500)
        >>> ax = posterior.plot_edges()
        """
        from gpnet.plots import edges

        return edges(self._posterior, ax)

    def plot_relation(
        self,
        node: str,
        parents: Iterable[str] | None = None,
        ax: "Sequence[Axes] | Axes | None" = None,
    ) -> NDArray[Any]:
        """What each parent does to a node: mean, 90% band and partial residuals, a panel each.

        Parameters
        ----------
        node : str
            The child.
        parents : iterable of str, optional
            A set that was fitted; the most probable one unless given.
        ax : sequence of matplotlib Axes, optional
            One for each parent; a new figure unless given.

        Returns
        -------
        array of matplotlib Axes
            One for each parent.

        Examples
        --------
        >>> import gpnet
        >>> table = gpnet.simulate(nodes=4, rows=200, edge_probability=0.6, seed=2)
        >>> posterior = gpnet.learn(table.frame(), score="bge", draws=500)
        >>> axes = posterior.plot_relation("V2")
        """
        from gpnet.plots import relation

        return relation(self._posterior, node, parents, ax)

    def plot_residuals(self, node: str, ax: "Axes | None" = None) -> "Axes":
        """Standardised residuals of a node, each left out of its fit, against fitted values.

        Parameters
        ----------
        node : str
            The variable, given its most probable parents.
        ax : matplotlib Axes, optional
            Where to draw; a new figure unless given.

        Returns
        -------
        matplotlib Axes
            What was drawn into.

        Examples
        --------
        >>> import gpnet
        >>> table = gpnet.simulate(nodes=4, rows=200, edge_probability=0.6, seed=2)
        >>> posterior = gpnet.learn(table.frame(), score="linear", draws=500)
        >>> ax = posterior.plot_residuals("V2")
        """
        from gpnet.plots import residuals

        return residuals(self._posterior, node, ax)

    def plot_quantiles(self, node: str, ax: "Axes | None" = None) -> "Axes":
        """Residuals of a node against those of normal noise, with an envelope of 95% or more.

        Parameters
        ----------
        node : str
            The variable, given its most probable parents.
        ax : matplotlib Axes, optional
            Where to draw; a new figure unless given.

        Returns
        -------
        matplotlib Axes
            What was drawn into.

        Examples
        --------
        >>> import gpnet
        >>> table = gpnet.simulate(nodes=4, rows=200, edge_probability=0.6, seed=2)
        >>> posterior = gpnet.learn(table.frame(), score="linear", draws=500)
        >>> ax = posterior.plot_quantiles("V2")
        """
        from gpnet.plots import quantiles

        return quantiles(self._posterior, node, ax)

    def plot_edge_count(self, ax: "Axes | None" = None) -> "Axes":
        """The posterior over the number of edges.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw; a new figure unless given.

        Returns
        -------
        matplotlib Axes
            What was drawn into.

        Examples
        --------
        >>> import gpnet
        >>> table = gpnet.simulate(nodes=4, rows=200, edge_probability=0.6, seed=2)
        >>> posterior = gpnet.learn(table.frame(), score="bge", draws=500)
        >>> ax = posterior.plot_edge_count()
        """
        from gpnet.plots import edge_count

        return edge_count(self._posterior, ax)

    def plot_gamma(self, ax: "Axes | None" = None) -> "Axes":
        """The posterior over the edge penalty, where it was learned.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw; a new figure unless given.

        Returns
        -------
        matplotlib Axes
            What was drawn into.

        Examples
        --------
        >>> import gpnet
        >>> table = gpnet.simulate(nodes=4, rows=200, edge_probability=0.6, seed=2)
        >>> posterior = gpnet.learn(table.frame(), score="bge", prior="learned", draws=500)
        >>> ax = posterior.plot_gamma()
        """
        from gpnet.plots import gamma

        return gamma(self._posterior, ax)

    def plot_chains(self, ax: "Sequence[Axes] | None" = None) -> NDArray[Any]:
        """The log target draw by draw, and whether chains agree on the edges.

        Parameters
        ----------
        ax : two matplotlib Axes, optional
            Where to draw; a new figure unless given.

        Returns
        -------
        array of matplotlib Axes
            Two panels.

        Examples
        --------
        >>> import gpnet
        >>> table = gpnet.simulate(nodes=4, rows=200, edge_probability=0.6, seed=2)
        >>> posterior = gpnet.learn(table.frame(), score="bge", draws=500)
        >>> axes = posterior.plot_chains()
        """
        from gpnet.plots import chains

        return chains(self._posterior, ax)

    def plot_weights(self, ax: "Axes | None" = None) -> "Axes":
        """The importance weights, the heaviest first, and their effective sample size.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw; a new figure unless given.

        Returns
        -------
        matplotlib Axes
            What was drawn into.

        Examples
        --------
        >>> import gpnet
        >>> table = gpnet.simulate(nodes=4, rows=200, edge_probability=0.6, seed=2)
        >>> posterior = gpnet.learn(table.frame(), score="bge", draws=500)
        >>> ax = posterior.plot_weights()
        """
        from gpnet.plots import weights

        return weights(self._posterior, ax)

    def plot_calibration(
        self,
        truth: pd.DataFrame | NDArray[Any] | str | os.PathLike[str],
        ax: "Axes | None" = None,
    ) -> "Axes":
        """Edges that are true against edges that were claimed, where the DAG is known.

        `gpnet.plots.calibration` does the same for many posteriors at once.

        Parameters
        ----------
        truth : array, frame or path
            The true DAG, row = parent; a file as `gpnet simulate` writes it.
        ax : matplotlib Axes, optional
            Where to draw; a new figure unless given.

        Returns
        -------
        matplotlib Axes
            What was drawn into.

        Examples
        --------
        >>> import gpnet
        >>> table = gpnet.simulate(nodes=4, rows=200, edge_probability=0.6, seed=2)
        >>> posterior = gpnet.learn(table.frame(), score="bge", draws=500)
        >>> ax = posterior.plot_calibration(table.dag)
        """
        from gpnet.plots import posterior_calibration

        return posterior_calibration(self._posterior, truth, ax)

    def plot_comparison(
        self,
        other: "Posterior",
        titles: Sequence[str] = ("this posterior", "the other"),
        ax: "Axes | None" = None,
    ) -> "Axes":
        """The edges of two posteriors against each other, the largest differences by name.

        Parameters
        ----------
        other : Posterior
            Over the same variables.
        titles : two of str
            Of the axes.
        ax : matplotlib Axes, optional
            Where to draw; a new figure unless given.

        Returns
        -------
        matplotlib Axes
            What was drawn into.

        Examples
        --------
        >>> import gpnet
        >>> table = gpnet.simulate(nodes=4, rows=200, edge_probability=0.6, seed=2)
        >>> posterior = gpnet.learn(table.frame(), score="bge", draws=500)
        >>> other = gpnet.learn(table.frame(), score="linear", draws=500)
        >>> ax = posterior.plot_comparison(other, titles=("BGe", "linear"))
        """
        from gpnet.plots import comparison

        return comparison(self._posterior, other, titles, ax)

    @property
    def _posterior(self) -> "Posterior":
        return cast("Posterior", self)

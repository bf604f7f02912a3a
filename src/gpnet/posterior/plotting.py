"""The plots of a posterior as its methods; the one room that looks up, to `report.plots`.

It does so only when a plot is asked for: matplotlib takes longer to import than all of gpnet.
"""

import os
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, cast

import pandas as pd
from numpy.typing import NDArray

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from gpnet.posterior.posterior import Posterior


class Pictures:
    """What a posterior can draw. Each plot returns its axes, and draws into `ax` if given."""

    def plot_network(self, threshold: float = 0.1, ax: "Axes | None" = None) -> "Axes":
        """The network: edges as wide and as dark as they are probable, causes above effects.

        Edges less probable than the threshold are left out.
        """
        from gpnet.plots import network

        return network(self._posterior, threshold, ax)

    def plot_edges(self, ax: "Axes | None" = None) -> "Axes":
        """The heat map of edge probabilities: rows are parents, causes come first."""
        from gpnet.plots import edges

        return edges(self._posterior, ax)

    def plot_relation(
        self,
        node: str,
        parents: Iterable[str] | None = None,
        ax: "Sequence[Axes] | Axes | None" = None,
    ) -> NDArray[Any]:
        """What each parent does to the node: mean, 90% band and partial residuals, a panel each.

        Of these parents, or of the most probable set of the node that was fitted.
        """
        from gpnet.plots import relation

        return relation(self._posterior, node, parents, ax)

    def plot_edge_count(self, ax: "Axes | None" = None) -> "Axes":
        """The posterior over the number of edges."""
        from gpnet.plots import edge_count

        return edge_count(self._posterior, ax)

    def plot_gamma(self, ax: "Axes | None" = None) -> "Axes":
        """The posterior over the edge penalty, where it was learned."""
        from gpnet.plots import gamma

        return gamma(self._posterior, ax)

    def plot_chains(self, ax: "Sequence[Axes] | None" = None) -> NDArray[Any]:
        """Two panels: the log target draw by draw, and whether chains agree on the edges."""
        from gpnet.plots import chains

        return chains(self._posterior, ax)

    def plot_weights(self, ax: "Axes | None" = None) -> "Axes":
        """The importance weights, the heaviest first, and what they leave of the draws."""
        from gpnet.plots import weights

        return weights(self._posterior, ax)

    def plot_calibration(
        self,
        truth: pd.DataFrame | NDArray[Any] | str | os.PathLike[str],
        ax: "Axes | None" = None,
    ) -> "Axes":
        """Edges that are true against edges that were claimed, where the DAG is known.

        `truth` is an array or a frame, row = parent, or a file as `gpnet simulate` writes it.

        `gpnet.report.plots.calibration` does the same for many posteriors at once.
        """
        from gpnet.plots import posterior_calibration

        return posterior_calibration(self._posterior, truth, ax)

    def plot_comparison(
        self,
        other: "Posterior",
        titles: Sequence[str] = ("this posterior", "the other"),
        ax: "Axes | None" = None,
    ) -> "Axes":
        """The edges of two posteriors against each other, the largest differences by name."""
        from gpnet.plots import comparison

        return comparison(self._posterior, other, titles, ax)

    @property
    def _posterior(self) -> "Posterior":
        return cast("Posterior", self)

"""The fitted relation of a node to each of its parents, in the units of the table."""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from matplotlib.axes import Axes
from numpy.typing import NDArray

from gpnet.common.errors import OptionError
from gpnet.common.messages import quote, quoted
from gpnet.data.transforms import UNCHANGED, transform_of
from gpnet.plots import palette
from gpnet.plots.base import SMALL, headline, several_axes, tidy, variable
from gpnet.plots.text import PLAIN, labels
from gpnet.posterior.relations import FittedRelations

if TYPE_CHECKING:
    from gpnet.posterior.posterior import Posterior

PANEL: Final = (3.0, 2.9)  # inches
GOLDEN: Final = 0.6180339887  # steps of this size fill an interval evenly


def relation(
    posterior: "Posterior",
    node: str,
    parents: Iterable[str] | None = None,
    ax: Sequence[Axes] | Axes | None = None,
) -> NDArray[Any]:
    """(n_parents,): a panel for each parent: mean, 90% band, partial residuals.

    Of the parent set that is asked for, or of the most probable one that was fitted.
    """
    fits = _fits(posterior)
    fit = _chosen(posterior, fits, variable(posterior, "node", node), parents)
    curves = np.flatnonzero(fits.fit == fit)
    given = [ax] if isinstance(ax, Axes) else ax
    size = PANEL[0] * len(curves) + 0.4, PANEL[1]
    panels = several_axes(given, len(curves), size, share_y=True)
    shown = zip(posterior.names, labels(posterior.names), strict=True)
    names = [label + _scale(posterior, name) for name, label in shown]
    for panel, curve in zip(panels, curves.tolist(), strict=True):
        levels = _levels(posterior, int(fits.parent[curve]))
        if levels:
            _draw_levels(panel, fits, curve, levels)
        else:
            _draw_curve(panel, fits, curve)
        panel.set_xlabel(names[fits.parent[curve]], fontsize=SMALL, **PLAIN)
        tidy(panel)
    panels[0].set_ylabel(names[fits.node[fit]], fontsize=SMALL, **PLAIN)
    probability = _probabilities(posterior, fits)[fit]
    headline(panels[0], f"probability of these parents {probability:.2f}\nmean, 90% band, data")
    return panels


def _fits(posterior: "Posterior") -> FittedRelations:
    if posterior.fits is None:
        raise OptionError(
            "plot_relation: nothing was fitted, as in results of an older gpnet or made by hand; "
            "learn again"
        )
    return posterior.fits


def _scale(posterior: "Posterior", name: str) -> str:
    """What was done to a column before it was fitted."""
    data = posterior.settings.get("data", {})
    transform = transform_of(data.get("transform", "none"), name)
    unchanged = transform in UNCHANGED or name in data.get("exogenous", ())
    return "" if unchanged else f" ({transform})"


def _chosen(
    posterior: "Posterior", fits: FittedRelations, node: int, parents: Iterable[str] | None
) -> int:
    """The number of the fit."""
    mine = np.flatnonzero(fits.node == node)
    if not len(mine):
        raise OptionError(
            f"node: no parent of {quote(posterior.names[node])} was probable enough to be fitted; "
            f"there is {quoted(posterior.names[other] for other in np.unique(fits.node))}"
        )
    if parents is None:
        return int(mine[np.argmax(_probabilities(posterior, fits)[mine])])
    asked = np.zeros(posterior.n_variables, dtype=bool)
    if isinstance(parents, str):
        raise OptionError(f"parents: expected a list of names, found {quote(parents)}")
    asked[[variable(posterior, "parents", name) for name in parents]] = True
    found = mine[(fits.parents[mine] == asked).all(axis=1)]
    if not len(found):
        raise OptionError(
            f"parents: this set of {quote(posterior.names[node])} was not fitted; there is "
            f"{_sets(posterior, fits, mine)}"
        )
    return int(found[0])


def _sets(posterior: "Posterior", fits: FittedRelations, mine: NDArray[np.intp]) -> str:
    names = np.array(posterior.names, dtype=object)
    return " or ".join(str(names[fits.parents[fit]].tolist()) for fit in mine)


def _probabilities(posterior: "Posterior", fits: FittedRelations) -> NDArray[np.float64]:
    """(F,): of each fitted parent set."""
    return np.array(
        [
            posterior.weights @ (posterior.dags[:, :, node] == parents).all(axis=1)
            for node, parents in zip(fits.node, fits.parents, strict=True)
        ]
    )


def _draw_curve(ax: Axes, fits: FittedRelations, curve: int) -> None:
    x = fits.x[curve]
    rows = fits.shown[:, fits.parent[curve]]
    ax.scatter(rows, fits.residual[curve], s=9, color=palette.GREY, alpha=0.45, linewidth=0)
    ax.fill_between(x, fits.low[curve], fits.high[curve], color=palette.ACCENT, alpha=0.25, lw=0)
    ax.plot(x, fits.mean[curve], color=palette.ACCENT, linewidth=2)


def _levels(posterior: "Posterior", node: int) -> list[str]:
    """What the values 0, 1, ... of a categorical variable are called; none of another."""
    named = posterior.settings.get("data", {}).get("levels", {})
    return labels(named.get(posterior.names[node], []))


def _draw_levels(ax: Axes, fits: FittedRelations, curve: int, levels: list[str]) -> None:
    """Of each level the mean and its interval; rows are spread so that none hides another."""
    rows = fits.shown[:, fits.parent[curve]]
    apart = rows + 0.4 * (np.arange(len(rows)) * GOLDEN % 1 - 0.5)
    ax.scatter(apart, fits.residual[curve], s=9, color=palette.GREY, alpha=0.45, linewidth=0)
    x, at = np.unique(fits.x[curve], return_index=True)
    low, mean, high = (getattr(fits, name)[curve, at] for name in ("low", "mean", "high"))
    ax.vlines(x, low, high, color=palette.ACCENT, alpha=0.45, linewidth=6)
    ax.hlines(mean, x - 0.2, x + 0.2, color=palette.ACCENT, linewidth=2)
    ax.set_xticks(range(len(levels)), levels, **PLAIN)
    ax.set_xlim(-0.6, len(levels) - 0.4)

"""What the most probable parents leave of a node, against what they say of it."""

from typing import TYPE_CHECKING, Final

import numpy as np
from matplotlib.axes import Axes

from gpnet.plots import palette
from gpnet.plots.base import headline, one_axes, shown_residuals, tidy, variable
from gpnet.plots.text import PLAIN, given_parents, labels
from gpnet.posterior.model_checks import ALPHA
from gpnet.posterior.relation_tables import checks_of

if TYPE_CHECKING:
    from gpnet.posterior.posterior import Posterior

SIZE: Final = (4.6, 3.4)
USUAL: Final = 2.0  # standard deviations that 95% of normal noise stay within


def residuals(posterior: "Posterior", node: str, ax: Axes | None = None) -> Axes:
    """Of each row shown: predicted from all other rows, and how many sds of the noise it is off.

    Without parents every prediction is about the mean: rows are then drawn in their order.
    """
    checks, v = checks_of(posterior), variable(posterior, "node", node)
    ax = one_axes(ax, SIZE)
    has_parents = bool(checks.parents[v].any())
    rows, y = shown_residuals(posterior, v)
    x = checks.fitted[v, rows] if has_parents else rows + 1
    ax.axhline(0, color=palette.GREY, linewidth=1)
    for guide in (-USUAL, USUAL):
        ax.axhline(guide, color=palette.GREY, linewidth=1, linestyle=(0, (4, 3)))
    ax.scatter(x, y, s=10, color=palette.ACCENT, alpha=0.5, linewidth=0)
    reach = 1.08 * max(float(np.abs(y).max(initial=0)), 1.3 * USUAL)
    ax.set(ylim=(-reach, reach), ylabel="standardised residual")
    name = labels(posterior.names)[v]
    ax.set_xlabel(f"{name}, fitted" if has_parents else "rows of the table, in order", **PLAIN)
    headline(
        ax,
        f"{given_parents(posterior.names, v, checks.parents[v])}\n{_told(checks.parent_p[v])}",
        **PLAIN,
    )
    tidy(ax)
    return ax


def _told(p: float) -> str:
    """What the test of residuals against parents found."""
    if np.isnan(p):
        return "no probable parents"
    size = f"p = {p:.2g}" if p >= 0.001 else "p < 0.001"
    found = "the residuals still depend on the parents" if p < ALPHA else "no sign of misfit"
    return f"{found} ({size})"

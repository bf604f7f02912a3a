"""What the most probable parents leave of a node, against normal quantiles."""

from typing import TYPE_CHECKING, Final

import numpy as np
from matplotlib.axes import Axes

from gpnet.plots import palette
from gpnet.plots.base import headline, one_axes, shown_residuals, tidy, variable
from gpnet.plots.text import PLAIN, given_parents
from gpnet.posterior.relation_tables import checks_of
from gpnet.stats.normal_quantiles import normal_envelope

if TYPE_CHECKING:
    from gpnet.posterior.posterior import Posterior

SIZE: Final = (4.0, 3.8)


def quantiles(posterior: "Posterior", node: str, ax: Axes | None = None) -> Axes:
    """The residuals in order; normal ones would lie in the band, each with 95% or more."""
    checks, v = checks_of(posterior), variable(posterior, "node", node)
    ax = one_axes(ax, SIZE)
    y = np.sort(shown_residuals(posterior, v)[1])
    normal = normal_envelope(len(y))
    centre, size = y.mean(), y.std()
    low, high = (centre + size * end for end in (normal.low, normal.high))
    ax.fill_between(normal.middle, low, high, color=palette.GREY, alpha=0.22, linewidth=0)
    ax.plot(normal.middle, centre + size * normal.middle, color=palette.GREY, linewidth=1)
    ax.scatter(normal.middle, y, s=12, color=palette.ACCENT, alpha=0.7, linewidth=0, zorder=3)
    ax.set_xlabel("normal quantile (band: 95% or more of normal noise)")
    ax.set_ylabel("standardised residual")
    headline(
        ax,
        f"{given_parents(posterior.names, v, checks.parents[v])}\n{_told(checks.shaped[v])}",
        **PLAIN,
    )
    tidy(ax)
    return ax


def _told(shaped: float) -> str:
    if np.isnan(shaped):
        return "the model takes the noise for normal"
    return f"noise not normal {shaped:.2f}" if shaped >= 0.5 else f"noise normal {1 - shaped:.2f}"

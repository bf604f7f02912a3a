"""The posterior over the edge penalty, where it was learned."""

from typing import TYPE_CHECKING, Final

import numpy as np
from matplotlib.axes import Axes
from matplotlib.ticker import FixedLocator, FuncFormatter

from gpnet.common.errors import OptionError
from gpnet.common.types import Floats
from gpnet.plots import palette
from gpnet.plots.base import SMALL, TINY, headline, one_axes, tidy

if TYPE_CHECKING:
    from gpnet.posterior.posterior import Posterior

SIZE: Final = (4.6, 3.2)
BARS: Final = 60  # at most: gamma lies on a grid that may be finer than is good to see


def gamma(posterior: "Posterior", ax: Axes | None = None) -> Axes:
    """A histogram of gamma: an edge has odds of 1 : exp(gamma) beforehand."""
    if posterior.gammas is None:
        raise OptionError(
            "plot_gamma: the edge penalty was given, not learned, and has no posterior; learn with "
            "prior='learned'"
        )
    ax = one_axes(ax, SIZE)
    share, ends = np.histogram(
        posterior.gammas, bins=_bins(posterior.gammas), weights=posterior.weights
    )
    ax.bar(
        ends[:-1], share, width=np.diff(ends), align="edge", color=palette.ACCENT, edgecolor="white"
    )
    ax.set(xlabel="edge penalty γ", ylabel="probability")
    headline(ax, f"mean {posterior.weights @ posterior.gammas:.2f}")
    tidy(ax)
    odds = ax.secondary_xaxis("top")
    odds.xaxis.set_major_locator(FixedLocator(_round_odds(float(np.ptp(ax.get_xlim())))))
    odds.xaxis.set_major_formatter(FuncFormatter(lambda g, _: _odds(g)))
    odds.tick_params(labelsize=TINY, color=palette.GREY)
    odds.spines["top"].set_color(palette.GREY)
    odds.set_xlabel("odds of an edge beforehand", fontsize=SMALL)
    return ax


def _bins(gammas: Floats) -> Floats:
    """Each around as many values of the grid, so that none is higher by its width alone."""
    steps = np.diff(np.unique(gammas))
    step = float(steps.min(initial=np.inf)) if len(steps) else 1.0
    reach = float(np.ptp(gammas))
    together = int(np.ceil((reach / step + 1) / BARS))
    n_bars = int(np.ceil((reach / step + 1) / together))
    return np.asarray(gammas.min() - step / 2 + step * together * np.arange(n_bars + 1))


def _round_odds(reach: float) -> list[float]:
    """The logs of 1, 3, 10, ... both ways, or of powers of ten, where these are many."""
    odds = [10**k for k in range(12)]
    if reach < 8:
        odds += [3 * one for one in odds]
    return sorted({*-np.log(odds), *np.log(odds)})


def _odds(value: float) -> str:
    return f"1 : {np.exp(value):.0f}" if value >= 0 else f"{np.exp(-value):.0f} : 1"

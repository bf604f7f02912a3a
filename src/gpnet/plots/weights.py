"""The importance weights: whether few draws carry all."""

from typing import TYPE_CHECKING, Final

import numpy as np
from matplotlib.axes import Axes
from matplotlib.ticker import FuncFormatter, LogLocator, NullLocator, PercentFormatter

from gpnet.plots import palette
from gpnet.plots.base import TINY, headline, one_axes, tidy
from gpnet.stats.importance_weights import GOOD_K, GOOD_SHARE, pareto_k

if TYPE_CHECKING:
    from gpnet.posterior.posterior import Posterior

SIZE: Final = (4.6, 3.4)


def weights(posterior: "Posterior", ax: Axes | None = None) -> Axes:
    """Each draw's weight against that of equal draws, the heaviest first."""
    ax = one_axes(ax, SIZE)
    relative = np.sort(posterior.log_weights)[::-1] + np.log(posterior.n_draws)
    share = (1 + np.arange(posterior.n_draws)) / posterior.n_draws
    ax.axhline(1, color=palette.GREY, linewidth=1, linestyle=(0, (4, 3)))
    ax.annotate(
        "all equal",
        (1, 1),
        (0, 3),
        textcoords="offset points",
        ha="right",
        color=palette.GREY,
        fontsize=TINY,
    )
    ax.plot(share, np.exp(relative), color=palette.ACCENT, linewidth=2)
    _scale(ax)
    ax.set(xlabel="draws, the heaviest first", ylabel="weight / mean weight")
    headline(ax, "\n".join(_about(posterior)))
    tidy(ax)
    return ax


def _scale(ax: Axes) -> None:
    """Of weights the log, with plain numbers; of draws their share."""
    ax.set_yscale("log")
    low, high = ax.get_ylim()
    low, high = min(low, 0.2), max(high, 5.0)  # noise looks like noise
    ax.set(xlim=(0, 1.01), ylim=(low, high))
    ax.yaxis.set_major_locator(LogLocator(subs=(1, 2, 5) if high / low < 200 else (1,)))
    ax.yaxis.set_minor_locator(NullLocator())
    ax.yaxis.set_major_formatter(FuncFormatter(lambda weight, _: f"{weight:g}"))
    ax.xaxis.set_major_formatter(PercentFormatter(1))


def _about(posterior: "Posterior") -> list[str]:
    """Of the diagnosis where there is one: it knows the weights before DAGs were merged."""
    known = posterior.diagnosis
    share, k_hat = known.effective_share, known.k_hat
    share = posterior.ess / posterior.n_draws if share is None else share
    k_hat = pareto_k(posterior.log_weights) if k_hat is None else k_hat
    lines = [f"effective sample size: {share:.0%} of the draws (good: from {GOOD_SHARE:.0%})"]
    if not np.isfinite(k_hat):
        lines.append("the largest weights have no tail")
    else:
        lines.append(f"k-hat {k_hat:.2f} (good: up to {GOOD_K})")
    if posterior.missing_mass is not None:
        lines.append(
            f"unique DAGs then weigh their score; missing mass {posterior.missing_mass:.1%}"
        )
    return lines

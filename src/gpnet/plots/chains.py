"""The chains: where they went, and whether they agree."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator
from numpy.typing import NDArray
from scipy.special import softmax

from gpnet.common.messages import count
from gpnet.common.types import Floats
from gpnet.plots import palette
from gpnet.plots.base import TINY, diagonal, headline, several_axes, tidy
from gpnet.stats.convergence import R_HAT_LIMIT, draws_by_chain, split_r_hat

if TYPE_CHECKING:
    from gpnet.posterior.posterior import Posterior

SIZE: Final = (8.0, 3.4)
MARKERS: Final = ("o", "s", "^", "D", "v", "P")


def chains(posterior: "Posterior", ax: Sequence[Axes] | None = None) -> NDArray[Any]:
    """(2,): the log target draw by draw, and edge probabilities of each chain against all."""
    trace, agreement = several_axes(ax, 2, SIZE)
    parts = _halves(posterior) if posterior.independent else _by_chain(posterior)
    _draw_trace(trace, posterior)
    _draw_agreement(agreement, posterior, parts)
    return np.array([trace, agreement], dtype=object)


def _by_chain(posterior: "Posterior") -> dict[str, NDArray[np.intp]]:
    return {
        f"{_kind(posterior)} {number + 1}": np.flatnonzero(posterior.chain == chain)
        for number, chain in enumerate(np.unique(posterior.chain))
    }


def _kind(posterior: "Posterior") -> str:
    """What the draws are grouped by."""
    return "completed table" if posterior.diagnosis.imputations else "chain"


def _halves(posterior: "Posterior") -> dict[str, NDArray[np.intp]]:
    """Of independent draws: there are no chains, but two halves must agree as well."""
    draws = np.arange(posterior.n_draws)
    half = (len(draws) + 1) // 2
    return {"first half": draws[:half], "second half": draws[half:] if half < len(draws) else draws}


def _draw_trace(ax: Axes, posterior: "Posterior") -> None:
    parts = {"": np.arange(posterior.n_draws)} if posterior.independent else _by_chain(posterior)
    for k, (name, draws) in enumerate(parts.items()):
        colour = palette.CHAINS[k % len(palette.CHAINS)]
        target = posterior.log_target[draws]
        (line,) = ax.plot(1 + np.arange(len(draws)), target, color=colour, label=name, lw=0.7)
        line.set(alpha=0.7, rasterized=True)  # tens of thousands of points make a heavy PDF
        if posterior.independent:  # no line: a draw knows nothing of the one before
            line.set(linestyle="", marker=".", markersize=2)
    headline(ax, _about_trace(posterior))
    ax.set(xlabel="draw", ylabel="log target")
    ax.xaxis.set_major_locator(MaxNLocator(5, integer=True))
    tidy(ax)


def _about_trace(posterior: "Posterior") -> str:
    if posterior.independent:
        return f"{count(posterior.n_draws, 'independent draw')}, hence no chains"
    if posterior.diagnosis.imputations:  # they differ by right
        return f"{count(posterior.diagnosis.imputations, 'completed table')}, pooled"
    series = posterior.log_target[draws_by_chain(posterior.chain)]
    r_hat = float(split_r_hat(series))
    told = (
        "too few draws for R-hat"
        if np.isnan(r_hat)
        else f"R-hat {r_hat:.3f} (good: up to {R_HAT_LIMIT})"
    )
    return f"{count(len(series), 'chain')}: {told}"


def _edges_of(posterior: "Posterior", draws: NDArray[np.intp]) -> Floats:
    """(n, n): probabilities as these draws alone would tell them."""
    weights = softmax(posterior.log_weights[draws])
    return np.asarray(np.tensordot(weights, posterior.dags[draws], 1))


def _draw_agreement(ax: Axes, posterior: "Posterior", parts: dict[str, NDArray[np.intp]]) -> None:
    together = posterior.edge_probabilities().to_numpy()
    apart = ~np.eye(len(together), dtype=bool)
    found = np.stack([_edges_of(posterior, draws)[apart] for draws in parts.values()])
    diagonal(ax)
    for k, (name, p) in enumerate(zip(parts, found, strict=True)):
        colour = palette.CHAINS[k % len(palette.CHAINS)]
        marker = MARKERS[k % len(MARKERS)]
        ax.scatter(
            together[apart],
            p,
            s=16,
            marker=marker,
            color=colour,
            alpha=0.6,
            linewidth=0,
            label=name,
        )
    widest = np.ptp(found, axis=0).max(initial=0.0)
    headline(ax, f"edges: {_whose(posterior, parts)} apart by {widest:.2f} at most")
    ax.set(xlabel="probability of an edge, all draws", ylabel="probability, part of the draws")
    ax.legend(frameon=False, fontsize=TINY, loc="upper left", handletextpad=0.2)
    tidy(ax)


def _whose(posterior: "Posterior", parts: dict[str, NDArray[np.intp]]) -> str:
    if posterior.independent:
        return "two halves are"
    kind = _kind(posterior)
    return f"{kind}s are" if len(parts) > 1 else f"one {kind}, hence"

"""Chains at work: in pieces that can be interrupted, longer where they do not agree yet."""

from collections.abc import Callable, Sequence
from time import monotonic
from typing import Final

import numpy as np
from numpy.typing import NDArray

from gpnet import _core
from gpnet.common.types import Floats
from gpnet.runtime.context import RunContext
from gpnet.stats.convergence import effective_draws, split_r_hat

Dags = NDArray[np.bool_]  # (n_dags, n, n)
Drawn = tuple[Dags, Floats]  # DAGs and log scores of one chain

PIECE_SECONDS: Final = 0.1  # so often a run can be interrupted
RARE: Final = 0.01  # an edge in fewer draws tells little about the chains


def draw(chains: Sequence[_core.Chain], n_draws: int, thin: int, pieces: "Pieces") -> list[Drawn]:
    """So many draws of all chains together, by chain."""
    shares = [(n_draws + c) // len(chains) for c in reversed(range(len(chains)))]
    found: list[list[Drawn]] = [[] for _ in chains]
    walks = [_draw(chain, thin, kept) for chain, kept in zip(chains, found, strict=True)]
    pieces.run(walks, [share * thin for share in shares])
    n_nodes = chains[0].n_nodes
    nothing = np.empty((0, n_nodes, n_nodes), dtype=bool), np.empty(0)
    return [
        (
            np.concatenate([nothing[0], *(dags for dags, _ in kept)]),
            np.concatenate([nothing[1], *(scores for _, scores in kept)]),
        )
        for kept in found
    ]


def every_second(earlier: Drawn, later: Drawn) -> Drawn:
    """Of a chain that went on."""
    dags, scores = (np.concatenate(parts)[1::2] for parts in zip(earlier, later, strict=True))
    return dags, scores


def _draw(chain: _core.Chain, thin: int, kept: list[Drawn]) -> Callable[[int], None]:
    def walk(n_steps: int) -> None:
        kept.append(chain.run(n_steps, thin))

    return walk


class Pieces:
    """Runs walks side by side, in pieces of about PIECE_SECONDS; the cuts change no number.

    None is begun after the deadline.
    """

    def __init__(self, context: RunContext, *, total: int) -> None:
        self._context, self._progress = context, context.progress("drawing DAGs")
        self._done, self._total, self._began = 0, total, monotonic()
        self._n_steps = 100

    def run(self, walks: Sequence[Callable[[int], object]], n_steps: Sequence[int]) -> None:
        """Each walk by so many steps."""
        left = list(n_steps)
        while any(left) and not self._context.deadline.passed:
            began = monotonic()
            piece = [min(one, self._n_steps) for one in left]
            self._context.executor.map(_call, zip(walks, piece, strict=True))
            left = [one - done for one, done in zip(left, piece, strict=True)]
            self._tell(sum(piece), monotonic() - began)

    def check_deadline(self) -> None:
        """End the run where its time is over."""
        done = "the scores were computed, before every chain had drawn a DAG"
        self._context.check_deadline(done)

    def _tell(self, n_steps: int, seconds: float) -> None:
        if seconds < PIECE_SECONDS:
            self._n_steps *= 2
        elif seconds > 4 * PIECE_SECONDS:
            self._n_steps = max(1, self._n_steps // 2)
        self._done += n_steps
        pace = (monotonic() - self._began) / self._done
        self._progress(self._done, self._total, (self._total - self._done) * pace)


def _call(part: tuple[Callable[[int], object], int]) -> None:
    walk, n_steps = part
    walk(n_steps)


def agreement(runs: Sequence[Dags]) -> dict[str, float]:
    """The worst R-hat and the fewest effective draws of an edge, as far as there are draws.

    By parent: all edges of a hundred variables together would fill the memory.
    """
    n_draws = min(map(len, runs))
    if n_draws < 4:
        return {}
    n_nodes = runs[0].shape[1]
    each = [of_edges(np.stack([dags[:n_draws, v] for dags in runs])) for v in range(n_nodes)]
    r_hats, n_effective = zip(*each, strict=True)
    return {"max_r_hat": max(r_hats), "min_effective_draws": min(n_effective)}


def of_edges(series: NDArray[np.bool_]) -> tuple[float, float]:
    """The worst R-hat and the fewest effective draws of (n_chains, n_draws, n), one parent's edges.

    An edge in next to none, or all, of the draws has effective draws of its own making.
    """
    frequency = series.mean(axis=(0, 1))
    often = series[:, :, (frequency > RARE) & (frequency < 1 - RARE)].astype(float)
    r_hat = split_r_hat(series[:, :, (frequency > 0) & (frequency < 1)])
    return float(r_hat.max(initial=1.0)), float(effective_draws(often).min(initial=np.inf))

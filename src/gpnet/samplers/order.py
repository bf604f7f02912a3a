"""Order MCMC (Friedman & Koller 2003): quick, and biased by itself towards DAGs of many orders."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from gpnet import _core
from gpnet.common.types import Floats
from gpnet.graphs.linear_extensions import MAX_NODES, log_linear_extensions
from gpnet.samplers.mcmc import ChainSampler, ChainTables, steps_to_trade
from gpnet.samplers.temperatures import Betas
from gpnet.samplers.walks import Dags


@dataclass(frozen=True)
class OrderSampler(ChainSampler):
    """Walks over orders of the nodes, then draws a DAG given the order.

    A DAG comes out in proportion to its score times the number of orders it fits to, and that is
    its `log_density`: weights of log score - log_density take the bias away.
    """

    temperatures: tuple[float, ...] | None = None

    moves: ClassVar[tuple[str, ...]] = ("swap_neighbours", "swap", "move")

    def start_ladder(
        self, tables: ChainTables, starts: Dags, betas: Betas, seed: int
    ) -> _core.Chain:
        """From an order of each start."""
        return _core.order_chain(tables.sums, starts, betas, steps_to_trade(tables), seed)

    def log_density(self, dags: Dags, log_scores: Floats) -> tuple[Floats, tuple[str, ...]]:
        """Log score + log number of linear extensions; without the latter where it is unknown."""
        extensions = log_linear_extensions(dags)
        n_unknown = int(np.isnan(extensions).sum())
        if not n_unknown:
            return log_scores + extensions, ()
        # All without: weights that are right for some draws only would be worse than none.
        return log_scores, (
            f"the bias of order MCMC stays: {n_unknown} of {len(dags)} DAGs connect more than "
            f"{MAX_NODES} nodes, too many to count their orders; take partition MCMC",
        )

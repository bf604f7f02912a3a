"""The sample: what a sampler drew, and the density it really drew from."""

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from gpnet.common.types import Floats


@dataclass(frozen=True, eq=False)
class DagSample:
    """Draws of DAGs, those of several chains one after the other.

    `log_density` is the unnormalised log density that the draws really follow, so that whoever
    reweights need not know the sampler: for an unbiased one it is the log score of the table, with
    `log_prior` added where a prior belongs to whole DAGs and hence not to the table.
    """

    dags: NDArray[np.bool_]  # (n_draws, n, n), dag[parent, child]
    log_density: Floats  # (n_draws,)
    chain: NDArray[np.int32]  # (n_draws,): from which of the chains
    independent: bool = False  # whether the draws are
    log_prior: Floats | None = None  # (n_draws,): None where the table has all of it
    warnings: tuple[str, ...] = ()  # whatever is approximate, with its size
    diagnostics: Mapping[str, float] = field(default_factory=dict)

    @property
    def n_draws(self) -> int:
        """Of all chains together."""
        return len(self.dags)

    @property
    def n_chains(self) -> int:
        """One where the draws are independent."""
        return int(self.chain.max(initial=-1)) + 1

    def edge_frequencies(self) -> Floats:
        """(n, n): the share of draws with each edge, without any weights."""
        return np.asarray(self.dags.mean(axis=0))

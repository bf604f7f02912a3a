"""Structure MCMC (Madigan & York 1995): from DAG to DAG by single edges; for reference."""

from dataclasses import dataclass
from typing import ClassVar

from gpnet import _core
from gpnet.common.errors import OptionError
from gpnet.samplers.mcmc import ChainSampler, ChainTables
from gpnet.samplers.temperatures import Betas
from gpnet.samplers.walks import Dags


@dataclass(frozen=True)
class StructureSampler(ChainSampler):
    """Adds, deletes and turns single edges; now and then the new edge reversal.

    The reversal of Grzegorczyk & Husmeier (2008) turns an edge and draws new parents for both of
    its nodes.
    """

    reversal_rate: float = 1 / 15  # as its authors took it

    moves: ClassVar[tuple[str, ...]] = ("add", "delete", "turn", "reversal")

    def __post_init__(self) -> None:
        super().__post_init__()
        if not 0 <= self.reversal_rate < 1:
            raise OptionError(f"reversal_rate: from 0 to below 1, found {self.reversal_rate:g}")

    def start_ladder(
        self, tables: ChainTables, starts: Dags, betas: Betas, seed: int
    ) -> _core.Chain:
        """From the starts themselves."""
        scores = tables.set_scores()
        return _core.structure_chain(
            tables.sums, scores, starts, betas, len(starts[0]), seed, self.reversal_rate
        )

"""Partition MCMC (Kuipers & Moffa 2017): unbiased, and the one to take beyond exact sampling."""

from dataclasses import dataclass
from typing import ClassVar

from gpnet import _core
from gpnet.errors import OptionError
from gpnet.samplers.chains import ChainSampler, ChainTables, Dags


@dataclass(frozen=True)
class PartitionSampler(ChainSampler):
    """Walks over ordered partitions of the nodes, then draws a DAG given the partition.

    A node of the first element has no parents; a node of a later one has all its parents in
    earlier elements, and at least one in the element just before. So every DAG belongs to one
    partition, whose weight is the product over nodes v of A_v(all before) - A_v(all before but
    the last element), A_v(S) the sum of scores over parent sets within S.
    """

    temperatures: tuple[float, ...] = (1.0, 1.5, 2.25)
    reversal_rate: float = 0.02  # share of steps that reverse an edge of a DAG drawn on the way

    moves: ClassVar[tuple[str, ...]] = (
        "swap_neighbours",
        "swap",
        "move_near",
        "move",
        "split",
        "join",
        "reversal",
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        if not 0 <= self.reversal_rate < 1:
            raise OptionError(f"reversal_rate: from 0 to below 1, found {self.reversal_rate:g}")

    def start_chain(self, tables: ChainTables, starts: Dags, seed: int) -> _core.Chain:
        """From the partitions of the starts."""
        betas = [1 / t for t in self.temperatures]
        swap_every = len(starts[0])
        return _core.partition_chain(
            tables.sums, starts, betas, swap_every, seed, self.reversal_rate
        )

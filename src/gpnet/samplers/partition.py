"""Partition MCMC (Kuipers & Moffa 2017): unbiased, and the one to take beyond exact sampling."""

from dataclasses import dataclass, replace
from typing import ClassVar, Self

from gpnet import _core
from gpnet.common.errors import OptionError
from gpnet.samplers.mcmc import ChainSampler, ChainTables, Dags


@dataclass(frozen=True)
class PartitionSampler(ChainSampler):
    """Walks over ordered partitions of the nodes, then draws a DAG given the partition.

    A node of the first element has no parents; a node of a later one has all its parents in
    earlier elements, and at least one in the element just before. So every DAG belongs to one
    partition, whose weight is the product over nodes v of A_v(all before) - A_v(all before but
    the last element), A_v(S) the sum of scores over parent sets within S.

    Beside it walk orders at the `temperatures`, and they trade places: with a DAG G drawn from
    the partition, an order s of G from a distribution r(s | G), and a DAG G' drawn from the order
    s', in proportion to r(s' | G') / r(s | G). Orders cross from mode to mode where partitions stay
    for very long; the partition has no bias.
    """

    temperatures: tuple[float, ...] = (1.0, 1.5, 2.25)
    with_orders: bool = True  # else the ladder is one of partitions, as is usual
    reversal_rate: float = 0.0  # share of steps that reverse an edge; beside orders it adds little

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

    @property
    def betas(self) -> tuple[float, ...]:
        """That of the partition, then those of the orders."""
        return (1.0, *super().betas) if self.with_orders else super().betas

    def alone(self) -> Self:
        """One chain of one partition, without orders beside it."""
        return replace(super().alone(), with_orders=False)

    def start_chain(self, tables: ChainTables, starts: Dags, seed: int) -> _core.Chain:
        """From the partitions and orders of the starts."""
        make = _core.partition_order_chain if self.with_orders else _core.partition_chain
        return make(tables.sums, starts, self.betas, len(starts[0]), seed, self.reversal_rate)

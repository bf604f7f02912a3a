"""Samplers: from a table of scores to draws of DAGs.                                    FAMILY

To add one: a file with a class that fulfils `Sampler`, and one
line in `SAMPLERS`.
"""

from gpnet.samplers.base import Sampler, SamplerSettings
from gpnet.samplers.exact import ExactSampler
from gpnet.samplers.order import OrderSampler
from gpnet.samplers.partition import PartitionSampler
from gpnet.samplers.structure import StructureSampler

SAMPLERS: dict[str, type[Sampler]] = {
    "exact": ExactSampler,
    "partition": PartitionSampler,
    "order": OrderSampler,
    "structure": StructureSampler,
}

__all__ = [
    "SAMPLERS",
    "ExactSampler",
    "OrderSampler",
    "PartitionSampler",
    "Sampler",
    "SamplerSettings",
    "StructureSampler",
]

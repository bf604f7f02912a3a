"""Samplers: from a table of scores to draws of DAGs.                                    FAMILY

May import table, chain and below. To add one: a file with a class that fulfils `Sampler`, and one
line in `SAMPLERS`.
"""

from gpnet.samplers.base import Sampler

SAMPLERS: dict[str, type[Sampler]] = {}

__all__ = ["SAMPLERS", "Sampler"]

"""Samplers: from a table of scores to draws of DAGs.                                    FAMILY

May import table, chain and below. To add one: a file with a class that fulfils `Sampler`, and one
line in `SAMPLERS`.
"""

from gpnet.samplers.base import Sampler
from gpnet.samplers.exact import ExactSampler

SAMPLERS: dict[str, type[Sampler]] = {"exact": ExactSampler}

__all__ = ["SAMPLERS", "ExactSampler", "Sampler"]

"""Structure priors: the one place where edges cost something.                           FAMILY

May import dataset and below. To add one: a file with a class that fulfils `StructurePrior`, and
one line in `STRUCTURE_PRIORS`.
"""

from gpnet.structure_priors.base import StructurePrior
from gpnet.structure_priors.learned import LearnedPrior
from gpnet.structure_priors.uniform import UniformPrior

STRUCTURE_PRIORS: dict[str, type[StructurePrior]] = {"uniform": UniformPrior}

__all__ = ["STRUCTURE_PRIORS", "LearnedPrior", "StructurePrior", "UniformPrior"]

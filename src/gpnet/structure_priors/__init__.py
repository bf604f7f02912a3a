"""Structure priors: log p(DAG) as a sum over nodes.                           FAMILY

To add one: a file with a class that fulfils `StructurePrior`, and
one line in `STRUCTURE_PRIORS`. `Knowledge` and `UncountedExogenous` have no line there: they are
wrapped around any of them.
"""

from gpnet.structure_priors.base import PriorSettings, StructurePrior
from gpnet.structure_priors.edge_penalty import EdgePenalty
from gpnet.structure_priors.edge_probabilities import EdgeProbabilities
from gpnet.structure_priors.exogenous import UncountedExogenous
from gpnet.structure_priors.fair import FairPrior
from gpnet.structure_priors.knowledge import Knowledge
from gpnet.structure_priors.learned import LearnedPrior
from gpnet.structure_priors.uniform import UniformPrior

STRUCTURE_PRIORS: dict[str, type[StructurePrior]] = {
    "uniform": UniformPrior,
    "edges": EdgePenalty,
    "fair": FairPrior,
    "probabilities": EdgeProbabilities,
}

__all__ = [
    "STRUCTURE_PRIORS",
    "EdgePenalty",
    "EdgeProbabilities",
    "FairPrior",
    "Knowledge",
    "LearnedPrior",
    "PriorSettings",
    "StructurePrior",
    "UncountedExogenous",
    "UniformPrior",
]

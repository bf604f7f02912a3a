"""Normal noise of constant size: the paper's."""

from dataclasses import dataclass
from typing import ClassVar

from gpnet.common.types import Floats, Node, Parents
from gpnet.gp.noise.base import Noise, NoiseGain, NoiseTables
from gpnet.gp.residuals import Residuals


class _NoTables(NoiseTables):
    def gain(self, residuals: Residuals, node: Node, parents: Parents) -> NoiseGain:
        return NoiseGain()


@dataclass(frozen=True)
class GaussianNoise(Noise):
    """What every fit assumes already."""

    gaussian: ClassVar[bool] = True

    def tables(self, values: Floats, categorical: frozenset[Node] = frozenset()) -> NoiseTables:
        """Nothing."""
        return _NoTables()

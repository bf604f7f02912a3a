"""One-dimensional kernels, the bricks of a node's covariance.                          FAMILY

To add one: a file with a class that fulfils `Component`, and one line in `COMPONENTS`. `Levels` is
not chosen by name: categorical parents have it.
"""

from gpnet.gp.components.base import Component
from gpnet.gp.components.levels import Levels
from gpnet.gp.components.matern import Matern52
from gpnet.gp.components.squared_exponential import SquaredExponential

COMPONENTS: dict[str, type[Component]] = {"se": SquaredExponential, "matern52": Matern52}

__all__ = ["COMPONENTS", "Component", "Levels"]

"""How a node's covariance is built from its parents.                                   FAMILY

To add one: a file with a class that fulfils `Kernel`, and one line in `KERNELS`.
"""

from gpnet.gp.kernels.additive import Additive
from gpnet.gp.kernels.base import Covariance, Kernel
from gpnet.gp.kernels.interaction import Interaction

KERNELS: dict[str, type[Kernel]] = {"additive": Additive, "interaction": Interaction}

__all__ = ["KERNELS", "Covariance", "Kernel"]

"""How a node's covariance is built from its parents.                                   FAMILY

To add one: a file with a class that fulfils `Kernel`, and one line in `KERNELS`.
"""

from collections.abc import Callable

from gpnet.gp.components import COMPONENTS
from gpnet.gp.kernels.additive import Additive
from gpnet.gp.kernels.base import Covariance, Kernel
from gpnet.gp.kernels.interaction import Interaction

KERNELS: dict[str, Callable[[], Kernel]] = {
    "additive": Additive,
    "interaction": Interaction,
    "matern52": lambda: Additive(COMPONENTS["matern52"]()),
    "amplitude": lambda: Additive(amplitude=True),
    "line": lambda: Additive(line=1.0),
}

__all__ = ["KERNELS", "Additive", "Covariance", "Kernel"]

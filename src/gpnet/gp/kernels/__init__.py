"""How a node's covariance is built from its parents.                                   FAMILY

To add one: a file with a class that fulfils `Kernel`, and one line in `KERNELS`.
"""

from collections.abc import Callable

from gpnet.gp.kernels.additive import Additive, matern, with_amplitude, with_line
from gpnet.gp.kernels.base import Covariance, Kernel
from gpnet.gp.kernels.interaction import Interaction

KERNELS: dict[str, Callable[[], Kernel]] = {
    "additive": Additive,
    "interaction": Interaction,
    "matern52": matern,
    "amplitude": with_amplitude,
    "line": with_line,
}

__all__ = ["KERNELS", "Additive", "Covariance", "Kernel"]

"""gpnet: which variables drive which, and how sure can we be?

The public names, nothing else.
"""

from importlib.metadata import version

from gpnet.common.errors import DataError, FileError, GpnetError, OptionError
from gpnet.data.dataset import Dataset, check_table, load_table
from gpnet.inference.learn import learn
from gpnet.posterior.posterior import Posterior, load
from gpnet.simulation.networks import simulate

__version__ = version("gpnet")

__all__ = [
    "DataError",
    "Dataset",
    "FileError",
    "GpnetError",
    "OptionError",
    "Posterior",
    "__version__",
    "check_table",
    "learn",
    "load",
    "load_table",
    "simulate",
]

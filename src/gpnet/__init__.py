"""gpnet: which variables drive which, and how sure can we be?

The public names, nothing else.
"""

from importlib.metadata import version

from gpnet.dataset import Dataset, check_table, load_table
from gpnet.errors import DataError, FileError, GpnetError, OptionError
from gpnet.learn import learn
from gpnet.posterior import Posterior, load
from gpnet.simulate import simulate

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

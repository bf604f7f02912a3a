"""gpnet: which variables drive which, and how sure can we be?

The public names, nothing else.
"""

from importlib.metadata import version

from gpnet.dataset import Dataset, check_table, load_table
from gpnet.errors import DataError, GpnetError, OptionError
from gpnet.simulate import simulate

__version__ = version("gpnet")

__all__ = [
    "DataError",
    "Dataset",
    "GpnetError",
    "OptionError",
    "__version__",
    "check_table",
    "load_table",
    "simulate",
]

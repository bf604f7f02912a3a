"""gpnet: which variables drive which, and how sure can we be?

The public names, nothing else.
"""

from importlib.metadata import version

from gpnet.common.errors import DataError, FileError, GpnetError, OptionError
from gpnet.data.dataset import Dataset
from gpnet.data.load import check_table, load_table
from gpnet.inference.learn import learn
from gpnet.posterior import features, metrics
from gpnet.posterior.diagnosis import Diagnosis
from gpnet.posterior.posterior import Posterior, load
from gpnet.simulation.networks import simulate
from gpnet.stats.estimates import Estimate

__version__ = version("gpnet")

__all__ = [
    "DataError",
    "Dataset",
    "Diagnosis",
    "Estimate",
    "FileError",
    "GpnetError",
    "OptionError",
    "Posterior",
    "__version__",
    "check_table",
    "features",
    "learn",
    "load",
    "load_table",
    "metrics",
    "simulate",
]


def __dir__() -> list[str]:
    return __all__

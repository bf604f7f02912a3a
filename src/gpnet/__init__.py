"""gpnet: which variables drive which, and how sure can we be?

The public names, nothing else. Each is imported when it is first asked for, so that the command is
ready for Ctrl-C before its long imports begin.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from gpnet.common.errors import DataError, FileError, GpnetError, OptionError
    from gpnet.data.dataset import Dataset
    from gpnet.data.load import check_table, load_table
    from gpnet.inference.dry_run import plan
    from gpnet.inference.estimator import GPNetwork
    from gpnet.inference.learn import learn
    from gpnet.posterior import features, metrics
    from gpnet.posterior.diagnosis import Diagnosis
    from gpnet.posterior.posterior import Posterior, load
    from gpnet.simulation.networks import simulate
    from gpnet.stats.estimates import Estimate

    __version__: str

__all__ = [
    "DataError",
    "Dataset",
    "Diagnosis",
    "Estimate",
    "FileError",
    "GPNetwork",
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
    "plan",
    "simulate",
]

_FOLDERS = {"features": "posterior.features", "metrics": "posterior.metrics"}
_MODULES = {
    "DataError": "common.errors",
    "Dataset": "data.dataset",
    "Diagnosis": "posterior.diagnosis",
    "Estimate": "stats.estimates",
    "FileError": "common.errors",
    "GPNetwork": "inference.estimator",
    "GpnetError": "common.errors",
    "OptionError": "common.errors",
    "Posterior": "posterior.posterior",
    "check_table": "data.load",
    "learn": "inference.learn",
    "load": "posterior.posterior",
    "load_table": "data.load",
    "plan": "inference.dry_run",
    "simulate": "simulation.networks",
}


def __getattr__(name: str) -> Any:
    if name == "__version__":
        from importlib.metadata import version

        found: Any = version("gpnet")
    elif name in _FOLDERS:
        found = import_module(f"gpnet.{_FOLDERS[name]}")
    elif name in _MODULES:
        found = getattr(import_module(f"gpnet.{_MODULES[name]}"), name)
    else:
        raise AttributeError(f"module 'gpnet' has no attribute {name!r}")
    globals()[name] = found  # asked for once
    return found


def __dir__() -> list[str]:
    return __all__

"""What travels to the workers of a dask cluster: tasks as bytes, and tables ahead of them."""

import copyreg
import pickle
import signal
from collections.abc import Callable
from contextlib import suppress
from io import BytesIO
from threading import current_thread, main_thread
from typing import Any, Final

import cloudpickle
from distributed import WorkerPlugin
from threadpoolctl import threadpool_limits

from gpnet import __version__
from gpnet.common.errors import ClusterError
from gpnet.data.dataset import Dataset

TABLES: Final[dict[str, Dataset]] = {}  # of a worker process, by the names of their plugins


class Table(WorkerPlugin):  # type: ignore[misc]
    """A table that every worker has, those that come later too."""

    def __init__(self, name: str, data: Dataset) -> None:
        self._name, self._data = name, data

    def setup(self, worker: Any) -> None:
        """Before the worker is given any task."""
        TABLES[self._name] = self._data

    def teardown(self, worker: Any) -> None:
        """When the run is over."""
        TABLES.pop(self._name, None)


class Uninterrupted(WorkerPlugin):  # type: ignore[misc]
    """Ctrl-C in a terminal is for the client, who ends the workers that it began."""

    def setup(self, worker: Any) -> None:
        """In the process of a worker; signals are the business of its main thread."""
        if current_thread() is main_thread():
            signal.signal(signal.SIGINT, signal.SIG_IGN)


def _table(name: str) -> Dataset:
    return TABLES[name]


def packed(call: tuple[Any, ...], name_of: Callable[[Dataset], str]) -> bytes:
    """A task with its arguments, in which names stand for the tables, wherever these are."""
    # By type: a look at every object would take the client as long as workers take to score it.
    ours: dict[type, Any] = {Dataset: lambda one: (_table, (name_of(one),))}
    with suppress(pickle.PicklingError, AttributeError, TypeError):  # of a function in a function
        message = _pickled(pickle.Pickler, call, {**copyreg.dispatch_table, **ours})
        if b"__main__" not in message:
            return message
    # What is defined in a script has to go along: a worker could not import it.
    by_value = cloudpickle.Pickler
    return _pickled(by_value, call, {**by_value.dispatch_table, **ours})


def _pickled(kind: type[pickle.Pickler], call: tuple[Any, ...], by_type: dict[type, Any]) -> bytes:
    file = BytesIO()
    pickler = kind(file, protocol=pickle.HIGHEST_PROTOCOL)
    pickler.dispatch_table = by_type
    pickler.dump(call)
    return file.getvalue()


def run_packed(version: str, message: bytes) -> Any:
    """What a worker does: the same, and with one BLAS thread to the same bits, as the client."""
    if version != __version__:
        raise ClusterError(
            f"the cluster has gpnet {__version__}, and this is gpnet {version}: their numbers may "
            "differ; install the same on both"
        )
    task, args, kwargs = pickle.loads(message)  # noqa: S301, it comes from the client
    with threadpool_limits(1):
        return task(*args, **kwargs)

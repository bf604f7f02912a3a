"""The workers of a dask cluster; only who asks for a cluster imports this.

A task is packed into bytes here and unpacked by a worker, so that the scheduler hands on what it
need not understand. Tables do not travel with tasks: each is sent once, by a plugin that the
scheduler keeps for workers that come later. A task that loses its worker is run again.
"""

import logging
from collections.abc import Callable, Collection, Iterator
from concurrent.futures import FIRST_COMPLETED, CancelledError, Future, wait
from contextlib import contextmanager, suppress
from functools import partial
from time import monotonic
from typing import Any, Final, NoReturn, ParamSpec, TypeVar
from uuid import uuid4

from distributed import Client, LocalCluster
from distributed.scheduler import KilledWorker

from gpnet import __version__
from gpnet.common.errors import ClusterError, OptionError
from gpnet.common.messages import quote
from gpnet.data.dataset import Dataset
from gpnet.runtime.cluster import MEANT
from gpnet.runtime.dask_tasks import Table, Uninterrupted, packed, run_packed
from gpnet.runtime.deadline import Deadline
from gpnet.runtime.executors import Workers
from gpnet.runtime.progress import in_words

P = ParamSpec("P")
T = TypeVar("T")

CONNECT: Final = 5  # seconds until a scheduler has to answer
POLL: Final = 1.0  # seconds between two looks at the workers
PATIENCE: Final = 10.0  # seconds without any worker until it is told; then twice as many
SENDS: Final = 5  # tries to send a table
TABLES: Final = 8  # kept by workers at once: a run is at one or two of them
ONE_THREAD: Final = {
    f"{name}_NUM_THREADS": "1" for name in ("OPENBLAS", "OMP", "MKL")
}  # a process a core is faster than threads on matrices this small


@contextmanager
def connected(cluster: Any, n_local: int | None) -> Iterator[Client]:
    """The client itself, or one of the scheduler at an address, or of so many local processes."""
    if isinstance(cluster, Client) and not cluster.asynchronous:
        yield cluster
    elif n_local is not None:
        with _local(n_local) as address, _client(address) as client:
            client.register_plugin(Uninterrupted(), name="gpnet-uninterrupted")
            yield client
    elif isinstance(cluster, str):
        with _client(cluster) as client:
            yield client
    else:
        raise OptionError(f"{MEANT}; found {quote(cluster)}")


@contextmanager
def _local(n_workers: int) -> Iterator[str]:
    """Processes of this machine; its own memory is the only limit of theirs."""
    with LocalCluster(
        n_workers=n_workers,
        threads_per_worker=1,
        processes=True,
        host="127.0.0.1",
        dashboard_address="127.0.0.1:0",  # of any port: None would take 8787
        memory_limit=0,
        silence_logs=logging.CRITICAL,
        env=ONE_THREAD,
    ) as cluster:
        yield cluster.scheduler_address


@contextmanager
def _client(address: str) -> Iterator[Client]:
    try:
        client = Client(address, timeout=CONNECT, set_as_default=False)
    except (OSError, TimeoutError, ValueError, TypeError) as error:
        raise ClusterError(
            f"cluster: no dask scheduler answers at {quote(address)} ({error}); begin one by "
            "`dask scheduler`, which tells its address, as in tcp://10.0.0.1:8786"
        ) from None
    with _quiet(), client:
        yield client


@contextmanager
def _quiet() -> Iterator[None]:
    """That a connection is lost is told by our own error, once and without a traceback."""
    logger = logging.getLogger("distributed.client")
    before = logger.level
    logger.setLevel(logging.CRITICAL)
    try:
        yield
    finally:
        logger.setLevel(before)


class Cluster(Workers):
    """Workers that may come, go and die while tasks are under way.

    `say` is told where there is none for long.
    """

    def __init__(self, client: Client, say: Callable[[str], None]) -> None:
        self._client, self._say = client, say
        self._name = f"gpnet-{uuid4().hex[:12]}"
        self._tables: dict[str, None] = {}  # by name, in the order in which they were sent
        self._n_threads, self._looked = 0, -POLL
        self._alone_since: float | None = None
        self._patience = PATIENCE
        self._check_versions()

    @property
    def n_workers(self) -> int:
        """Threads of all workers, as of late; one where there is none, for who comes first."""
        return max(self._present(), 1)

    def _present(self) -> int:
        if monotonic() - self._looked >= POLL:
            self._check_connection()
            with self._or_gone():
                self._n_threads = sum(self._client.nthreads().values())
            self._looked = monotonic()
        return self._n_threads

    # Tasks

    def submit(self, task: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> "Future[T]":
        """Hand over a task; what it needs of a table goes ahead of it, once."""
        message = packed((task, args, kwargs), self._sent)
        future: Future[T] = Future()
        self._client.loop.add_callback(self._follow, message, future)
        return future

    async def _follow(self, message: bytes, future: "Future[Any]") -> None:
        """Until there is a result; a task that was lost with its workers is handed over again."""
        for tries_left in (1, 0):
            theirs = self._client.submit(run_packed, __version__, message, pure=False)
            future.add_done_callback(partial(self._cancel, theirs))
            try:
                result = await self._client.gather(theirs, asynchronous=True)
            except (KilledWorker, CancelledError) as error:
                if future.cancelled():
                    return
                if not tries_left:
                    _end(future, error=_lost(error))
            except Exception as error:
                _end(future, error=error)
                return
            else:
                _end(future, result)
                return

    def _cancel(self, theirs: Any, future: "Future[Any]") -> None:
        """What nobody waits for is not begun."""
        if future.cancelled():
            self._client.loop.add_callback(self._client.cancel, [theirs], asynchronous=True)

    # Tables

    def _sent(self, table: Dataset) -> str:
        """The name of a table at the workers, who have it from now on; the oldest makes room."""
        name = f"{self._name}-{table.fingerprint}"
        if name not in self._tables:
            table.standardised()  # its bits are to be ours, whatever machine the worker is
            self._send(Table(name, table), name)
            self._tables[name] = None
            while len(self._tables) > TABLES:
                self._forget(next(iter(self._tables)))
        return name

    def _send(self, plugin: Table, name: str) -> None:
        """A worker that dies meanwhile makes it fail for all others too."""
        for tries_left in reversed(range(SENDS)):
            try:
                self._client.register_plugin(plugin, name=name)
                return
            except OSError as error:
                self._check_connection()
                if not tries_left:
                    why = f"the table could not be sent to the workers: {error}"
                    raise ClusterError(why) from None

    def _forget(self, name: str) -> None:
        del self._tables[name]
        with suppress(Exception):  # it is a matter of their memory only
            self._client.unregister_worker_plugin(name)

    # Waiting

    def first_done(self, futures: Collection["Future[T]"], deadline: Deadline) -> "set[Future[T]]":
        """Those that are done, at least one.

        None where the deadline has passed and nobody is left who could do them.
        """
        while True:
            done = wait(futures, POLL, return_when=FIRST_COMPLETED).done
            if done:
                self._alone_since = None
                return done
            if self._present():
                self._alone_since, self._patience = None, PATIENCE
            elif deadline.passed:
                return set()
            else:
                self._tell_alone()

    def _tell_alone(self) -> None:
        now = monotonic()
        self._alone_since = self._alone_since or now
        if now - self._alone_since >= self._patience:
            self._patience *= 2
            self._say(
                f"the cluster at {self._address} has had no worker for "
                f"{in_words(now - self._alone_since)}; its tasks wait for one"
            )

    # The connection

    def _check_versions(self) -> None:
        """Of those who are there; who comes later refuses tasks of another version."""
        with self._or_gone():
            found = self._client.get_versions(packages=["gpnet"])
        theirs = {"the scheduler": found["scheduler"], **found["workers"]}
        for who, one in theirs.items():
            version = one["packages"].get("gpnet")
            if version != __version__:
                raise ClusterError(
                    f"{who} has {f'gpnet {version}' if version else 'no gpnet'}, and this is gpnet "
                    f"{__version__}: install the same for the scheduler and all workers"
                )

    @property
    def _address(self) -> str:
        return str(self._client.scheduler.address if self._client.scheduler else "its address")

    def _check_connection(self) -> None:
        if self._client.status != "running":
            self._raise_gone()

    @contextmanager
    def _or_gone(self) -> Iterator[None]:
        try:
            yield
        except (OSError, TimeoutError):
            self._raise_gone()

    def _raise_gone(self) -> NoReturn:
        raise ClusterError(
            f"the scheduler at {self._address} has gone; what was scored is kept, and the same "
            "run with a cluster, or without, goes on from there"
        ) from None

    def close(self) -> None:
        """The workers forget the tables; they themselves belong to others."""
        for name in [*self._tables] if self._client.status == "running" else []:
            self._forget(name)


def _end(future: "Future[Any]", result: Any = None, *, error: Exception | None = None) -> None:
    """Unless it was given up in the meantime."""
    if not future.set_running_or_notify_cancel():
        return
    if error is None:
        future.set_result(result)
    else:
        future.set_exception(error)


def _lost(error: Exception) -> ClusterError:
    return ClusterError(
        "a task was lost with its worker time and again, most likely for want of memory there "
        f"({type(error).__name__}); what was scored is kept"
    )

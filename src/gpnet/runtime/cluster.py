"""A cluster of worker processes, by an address, as `local:N`, or as a client of dask.

dask is imported only where a cluster is asked for: it is an extra, and takes its time.
"""

import re
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Final

from gpnet.common.errors import ClusterError, OptionError
from gpnet.common.messages import quote
from gpnet.runtime.executors import Workers

LOCAL: Final = "local:"
ADDRESS: Final = re.compile(r"([a-z]+://)?[^\s/]+:[0-9]+/?")
MEANT: Final = (
    "cluster: the address of a dask scheduler, as in tcp://10.0.0.1:8786, local:4 for so many "
    "processes here, or a dask.distributed.Client"
)


def warn_caller(text: str) -> None:
    """How a cluster tells of trouble that may pass, unless told otherwise."""
    warnings.warn(text, RuntimeWarning, stacklevel=2)


@contextmanager
def opened_cluster(
    cluster: Any, say: Callable[[str], None] = warn_caller
) -> Iterator[Workers | None]:
    """The workers meant by an address, by `local:N` or by a client; none for None.

    A client that was given stays open, all else is closed; `say` is told of trouble on the way.
    """
    if cluster is None:
        yield None
        return
    n_local = _n_local(cluster)
    try:
        from gpnet.runtime import dask_cluster
    except ImportError as error:
        raise ClusterError(
            f"a cluster needs dask, which is not installed ({error}): pip install 'gpnet[cluster]'"
        ) from None
    with dask_cluster.connected(cluster, n_local) as client:
        workers = dask_cluster.Cluster(client, say)
        try:
            yield workers
        finally:
            workers.close()


def _n_local(cluster: Any) -> int | None:
    """N of `local:N`; None for an address, or what may be a client."""
    if not isinstance(cluster, str):
        return None
    number = cluster.removeprefix(LOCAL)
    if cluster.startswith(LOCAL) and re.fullmatch("[1-9][0-9]{0,3}", number):
        return int(number)
    if cluster.startswith(LOCAL) or not ADDRESS.fullmatch(cluster):
        raise OptionError(f"{MEANT}; found {quote(cluster)}")
    return None

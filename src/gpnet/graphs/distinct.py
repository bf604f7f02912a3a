"""Batches of DAGs: what differs among them, and work done once for each; arrays only."""

from collections.abc import Callable, Iterator
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

NUMBER: Final = 8  # bytes
MOST_CELLS: Final = 10**7  # of one temporary array: some tens of megabytes


def distinct(dags: NDArray[np.bool_]) -> tuple[NDArray[np.bool_], NDArray[np.intp]]:
    """The different DAGs of (m, n, n), in a fixed order, and where each of the m stands there."""
    if dags.size == 0:  # no DAG, or m times the one of no nodes
        return dags[:1], np.zeros(len(dags), dtype=np.intp)
    first, place = distinct_rows(dags.reshape(len(dags), -1))
    return dags[first], place


def distinct_rows(rows: NDArray[np.bool_]) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Where each different row of (m, k) is first, in the order of the rows, and (m,): which it is.

    As np.unique(axis=0) has it, some ten times faster.
    """
    _, first, place = np.unique(words(rows), return_index=True, return_inverse=True)
    return first, place.reshape(-1)


def words(rows: NDArray[np.bool_]) -> NDArray[Any]:
    """(m,): each row as one number, or one text where it is too long, in the same order."""
    bits = np.packbits(rows, axis=1)
    n_bytes = bits.shape[1]
    if n_bytes > NUMBER:  # zeros at the end of a text do not matter: all are of one length
        return np.ascontiguousarray(bits).view(f"S{n_bytes}").reshape(-1)
    padded = np.zeros((len(bits), NUMBER), dtype=np.uint8)
    padded[:, :n_bytes] = bits
    return padded.view(">u8").reshape(-1).astype(np.uint64)


def blocks(n_dags: int, cells_each: int) -> Iterator[slice]:
    """Slices of a batch, so that `cells_each` numbers a DAG stay within memory."""
    size = max(MOST_CELLS // max(cells_each, 1), 1)
    return (slice(start, start + size) for start in range(0, n_dags, size))


def for_distinct(
    function: Callable[[NDArray[np.bool_]], NDArray[Any]],
    dags: NDArray[np.bool_],
    *,
    cells_each: int,
) -> NDArray[Any]:
    """function(dags), worked out once for each different DAG, as many at a time as memory allows.

    The function goes from (k, n, n) to (k, ...) and treats each DAG by itself.
    """
    different, place = distinct(dags)
    if not len(different):
        return function(dags)
    parts = [function(different[block]) for block in blocks(len(different), cells_each)]
    return np.concatenate(parts)[place]

"""A DAG in a file: rows and columns of 0 and 1, row = parent; or a list of edges."""

import csv
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import numpy as np

from gpnet.common.errors import DataError
from gpnet.common.messages import count, quote, quoted, suggestion
from gpnet.common.types import Dag
from gpnet.graphs.cycles import directed_cycle

EDGE_HEADERS: Final = (["parent", "child"], ["from", "to"], ["source", "target"])
CELLS: Final = {"0": False, "1": True, "0.0": False, "1.0": True}


def read_dag(path: str | os.PathLike[str], names: Sequence[str]) -> Dag:
    """dag[parent, child] over these names, from a CSV file as `gpnet simulate` writes it.

    Its header has the names, in any order, and its rows follow that order. A first column may
    repeat them, under any header that is not one of the names. Or, under a header "parent,child" or
    "from,to", each row names an edge.
    """
    where = f"file {quote(path, longest=300)}"
    header, *rows = _lines(Path(path), where) or [[]]
    if [cell.lower() for cell in header[:2]] in EDGE_HEADERS and not {*header[:2]} <= {*names}:
        dag = _of_edges(rows, names, where)
    else:
        header, rows = _without_row_names(header, rows, names=names, where=where)
        _check_names(header, names, where)
        matrix = _matrix(rows, header, where)
        order = [header.index(name) for name in names]
        dag = matrix[np.ix_(order, order)]
    if cycle := directed_cycle(dag, list(map(quote, names))):
        raise DataError(f"{where}: contains a directed cycle, {cycle}; leave out one of its edges")
    return np.asarray(dag)


def _of_edges(rows: list[list[str]], names: Sequence[str], where: str) -> Dag:
    """From rows that name parent and child; further columns do not matter."""
    dag = np.zeros((len(names), len(names)), dtype=bool)
    for number, row in enumerate(rows, start=1):
        if len(row) < 2:
            raise DataError(f"{where}: row {number} names no edge; give a parent and a child")
        for name in row[:2]:
            if name not in names:
                raise DataError(
                    f"{where}: row {number} names {quote(name)}; {suggestion(name, names)}"
                )
        dag[names.index(row[0]), names.index(row[1])] = True
    return dag


def _lines(path: Path, where: str) -> list[list[str]]:
    remedy = "give a CSV file in UTF-8: a header of names, then a row of 0 and 1 for each"
    try:
        text = path.read_bytes().decode("utf-8-sig")
        lines = csv.reader(text.splitlines(keepends=True), skipinitialspace=True, strict=True)
        return [[cell.strip() for cell in line] for line in lines if line]
    except (
        OSError,
        ValueError,
        csv.Error,
    ) as failure:  # ValueError: no UTF-8, or a NUL in the path
        reason = getattr(failure, "strerror", None) or failure
        raise DataError(f"{where} cannot be read: {reason}; {remedy}") from failure


def _without_row_names(
    header: list[str], rows: list[list[str]], *, names: Sequence[str], where: str
) -> tuple[list[str], list[list[str]]]:
    is_edges = header[:1] != [""] and all(row[0] in CELLS for row in rows)
    if len(header) != len(names) + 1 or header[0] in names or is_edges:
        return header, rows
    for number, (row, name) in enumerate(zip(rows, header[1:], strict=False), start=1):
        if row[0] != name:
            raise DataError(
                f"{where}: row {number} is called {quote(row[0])}, and column {number} "
                f"{quote(name)}; put rows and columns in the same order"
            )
    return header[1:], [row[1:] for row in rows]


def _check_names(header: list[str], names: Sequence[str], where: str) -> None:
    missing = [name for name in names if name not in header]
    strange = [name for name in header if name not in names]
    twice = sorted({name for name in header if header.count(name) > 1})
    problems = [
        f"{what} {quoted(some)}"
        for what, some in (("lacks", missing), ("has also", strange), ("has twice", twice))
        if some
    ]
    if problems:
        raise DataError(
            f"{where}: its header {' and '.join(problems)}; give the names of the variables, "
            "each once"
        )


def _matrix(rows: list[list[str]], header: list[str], where: str) -> Dag:
    if len(rows) != len(header):
        raise DataError(
            f"{where}: {count(len(rows), 'row')} for {count(len(header), 'name')}; give one row "
            "for each, row = parent, column = child"
        )
    for number, row in enumerate(rows, start=1):
        if len(row) != len(header):
            raise DataError(
                f"{where}: row {number} has {count(len(row), 'cell')} for "
                f"{count(len(header), 'name')}; give one for each"
            )
        wrong = [cell for cell in row if cell not in CELLS]
        if wrong:
            raise DataError(
                f"{where}: row {number}, column {quote(header[row.index(wrong[0])])} holds "
                f"{quote(wrong[0])}; write 1 for an edge and 0 for none"
            )
    return np.array([[CELLS[cell] for cell in row] for row in rows], dtype=bool)

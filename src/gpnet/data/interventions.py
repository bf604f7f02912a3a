"""Which cells of a table were set by an experimenter, from whatever says so.

A column of targets, whose cells name other columns; or a table of 0 and 1 of the same shape.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from gpnet.common.errors import DataError
from gpnet.common.messages import count, listing, quote, suggestion
from gpnet.data.checks import MIN_ROWS

if TYPE_CHECKING:
    from gpnet.data.dataset import Dataset

SEPARATOR: Final = ";"  # between the targets of one row


def of_targets(cells: "pd.Series[Any]", name: str, columns: Sequence[str]) -> NDArray[np.bool_]:
    """(N, n) from a column whose cells are as in PKA or PKA;Mek, empty where nothing was set."""
    place = {column: j for j, column in enumerate(columns)}
    were_set = np.zeros((len(cells), len(columns)), dtype=bool)
    for row, cell in enumerate(cells.astype(object)):
        for target in targets_of(cell):
            if target not in place:
                raise DataError(
                    f"interventions: column {quote(name)} names {quote(target)} in row {row + 1}, "
                    f"and no column is called so: {suggestion(target, columns)}. Remedy: name the "
                    "columns that were set, as in A or A;B, and leave the cell empty for none"
                )
            were_set[row, place[target]] = True
    return were_set


def targets_of(cell: Any) -> list[str]:
    """The names in one cell; none where it is missing."""
    if cell is None or cell is pd.NA or (isinstance(cell, float) and np.isnan(cell)):
        return []
    return [name.strip() for name in str(cell).split(SEPARATOR) if name.strip()]


def of_frame(given: Any, columns: Sequence[str], n_rows: int) -> NDArray[np.bool_]:
    """(N, n) from an array or frame of 0 and 1; columns that a frame leaves out were never set."""
    if isinstance(given, np.ndarray):
        found = given
        if given.shape != (n_rows, len(columns)):
            raise DataError(
                f"interventions: expected an array of shape {(n_rows, len(columns))}, as the "
                f"table, found {given.shape}. Remedy: give one row and column for each of its own"
            )
    else:
        frame = pd.DataFrame(given)
        frame.columns = [str(name).strip() for name in frame.columns]
        for name in frame.columns:
            if name not in columns:
                raise DataError(
                    f"interventions: no column of the table is called {quote(name)}: "
                    f"{suggestion(name, columns)}. Remedy: give them the names of the table"
                )
        if len(frame) != n_rows:
            raise DataError(
                f"interventions: {count(len(frame), 'row')} for a table of {n_rows}. Remedy: give "
                "one for each row of the table, in its order"
            )
        if frame.columns.has_duplicates:
            raise DataError("interventions: a column is there twice. Remedy: leave one out")
        found = frame.reindex(columns=list(columns), fill_value=0).to_numpy()
    return _as_flags(found, columns)


def _as_flags(found: NDArray[Any], columns: Sequence[str]) -> NDArray[np.bool_]:
    if found.dtype == bool:
        return found.copy()
    odd = ~np.isin(found.astype(object), (0, 1))
    if odd.any():
        row, column = np.argwhere(odd)[0]
        raise DataError(
            f"interventions: expected 0 and 1, found {quote(found[row, column])} in row {row + 1} "
            f"of {quote(columns[column])}. Remedy: 1 where the variable was set, 0 elsewhere"
        )
    return found.astype(bool)


def checked_interventions(data: "Dataset") -> NDArray[np.bool_] | None:
    """What a Dataset was given, read-only; None where nothing was set."""
    given = data.interventions
    if given is None:
        return None
    were_set = of_frame(np.asarray(given), data.names, data.n_rows)
    for name in data.exogenous:  # has no score of its own that rows could count for
        were_set[:, data.names.index(name)] = False
    if not were_set.any():
        return None
    n_left = (~were_set).sum(axis=0)
    few = [data.names[v] for v in np.flatnonzero(n_left < MIN_ROWS)]
    if few:
        numbers = listing(n_left[n_left < MIN_ROWS].tolist())
        raise DataError(
            f"interventions: {listing(map(quote, few))} set in all rows but {numbers}: what drives "
            f"{'it' if len(few) == 1 else 'them'} cannot be learnt from fewer than {MIN_ROWS}. "
            f"Remedy: make {'it' if len(few) == 1 else 'them'} exogenous (exogenous= or "
            "--exogenous), or add rows in which nobody set them"
        )
    were_set.flags.writeable = False
    return were_set

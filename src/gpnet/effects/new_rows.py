"""Rows that were not learnt from, on the scales of the tables that were."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from gpnet.common.errors import DataError
from gpnet.common.messages import quote, quoted
from gpnet.common.types import Floats, Node
from gpnet.data.dataset import Dataset
from gpnet.data.issues import as_column, column_name
from gpnet.data.readers import UnreadableError, read
from gpnet.data.roles import level_name
from gpnet.effects.learnt_model import LearntModel


@dataclass(frozen=True, eq=False)
class NewRows:
    """R rows in the user's units; nan where there is no value, levels as their numbers."""

    model: LearntModel
    values: Floats  # (R, n)

    @classmethod
    def of(cls, model: LearntModel, source: Any) -> "NewRows":
        """From a file, a frame or an array; columns of other names are left alone."""
        try:
            raw = read(source, names=_names_of_array(model, source), delimiter=None)
        except UnreadableError as unreadable:
            raise DataError(unreadable.finding.sentence) from None
        labels = [column_name(label) for label in raw.labels]
        n_rows = len(raw.cells[0]) if raw.cells else 0
        if not n_rows:
            raise DataError("rows: one or more are needed, found none. Remedy: give some")
        values = np.full((n_rows, len(model.names)), np.nan)
        for label, cells in zip(labels, raw.cells, strict=True):
            if label not in model.names:
                continue
            node = model.names.index(label)
            levels = model.levels(node)
            values[:, node] = (
                _codes(label, cells, levels) if levels else as_column(label, cells).numbers
            )
        return cls(model, values)

    def __len__(self) -> int:
        return len(self.values)

    def require(self, nodes: Iterable[Node]) -> None:
        """Refuse rows without a value of one of these."""
        lacking = [v for v in sorted(nodes) if not np.isfinite(self.values[:, v]).all()]
        if lacking:
            names = quoted(self.model.names[v] for v in lacking)
            row = int(np.flatnonzero(~np.isfinite(self.values[:, lacking[0]]))[0]) + 1
            raise DataError(
                f"rows: a value of {names} is needed in each, and missing in row {row}. Remedy: "
                "fill it in, or leave the row out"
            )

    def standardised(self, data: Dataset) -> Floats:
        """(R, n), on the scale of one table; what is beyond the range of ranks is at its end."""
        found = np.full(self.values.shape, np.nan)
        for v in range(self.values.shape[1]):
            x, levels = self.values[:, v], self.model.levels(v)
            known = np.isfinite(x)
            to_standard = data.to_standard if levels else data.from_measured
            with np.errstate(invalid="ignore", divide="ignore"):
                found[known, v] = to_standard(v, x[known])
        self._check_transform(found)
        return found

    def _check_transform(self, z: Floats) -> None:
        odd = np.argwhere(np.isfinite(self.values) & ~np.isfinite(z))
        if len(odd):
            row, v = odd[0].tolist()
            transform = self.model.given.transform_of(v)
            raise DataError(
                f"rows: {quote(self.model.names[v])} is {self.values[row, v]:g} in row {row + 1}, "
                f"of which there is no {transform}. Remedy: leave the row out"
            )


def _names_of_array(model: LearntModel, source: Any) -> tuple[str, ...] | None:
    """An array has its columns in the order of the posterior."""
    if not isinstance(source, np.ndarray):
        return None
    if source.ndim != 2 or source.shape[1] != len(model.names):
        raise DataError(
            f"rows: expected an array with a column for each of {len(model.names)} variables, "
            f"found shape {source.shape}. Remedy: give a frame with the names of its columns"
        )
    return model.names


def _codes(name: str, cells: Any, levels: tuple[str, ...]) -> Floats:
    """The numbers of levels, by their names."""
    place = {level: float(number) for number, level in enumerate(levels)}
    texts = [level_name(cell) for cell in cells.astype(object)]
    unknown = [text for text in texts if text not in place]
    if unknown:
        raise DataError(
            f"rows: {quote(name)} has the levels {quoted(levels)}; found {quote(unknown[0])}. "
            "Remedy: name one that was learnt from"
        )
    return np.array([place[text] for text in texts])

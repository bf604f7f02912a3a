"""A table as it is shown: in a line, and as a page in a notebook."""

from collections.abc import Mapping
from html import escape
from typing import Final

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from gpnet.common.messages import count, listing, printable
from gpnet.data.issues import Issue, grouped
from gpnet.data.scales import Scaled
from gpnet.data.transforms import UNCHANGED

MOST_SHOWN: Final = 100  # variables in a notebook


class Shown(Scaled):
    """How a `Dataset` presents itself."""

    warnings: tuple[Issue, ...]
    interventions: NDArray[np.bool_] | None
    levels: Mapping[str, tuple[str, ...]]
    gaps: NDArray[np.bool_] | None

    def __repr__(self) -> str:
        return f"<Dataset of {self._size()}: {printable(listing(self.names))}>"

    def _repr_html_(self) -> str:
        """Its variables, one a row, and what is odd about it."""
        shown = self.names[:MOST_SHOWN]
        rows = [self._described(j) for j in range(len(shown))]
        columns = {name: [row[name] for row in rows] for name in rows[0]}
        told = {name: cells for name, cells in columns.items() if any(cells)}
        table = pd.DataFrame(told).to_html(index=False, border=0)
        left_out = len(self.names) - len(shown)
        more = f"<p>and {count(left_out, 'more variable')}</p>" if left_out else ""
        odd = "".join(f"<li>{escape(printable(one))}</li>" for one in grouped(self.warnings))
        notes = f"<p>What is odd about it:</p><ul>{odd}</ul>" if odd else ""
        return f"<p><strong>Dataset</strong> of {self._size()}</p>{table}{more}{notes}"

    def _size(self) -> str:
        n_rows, n_variables = self.values.shape
        return f"{count(n_rows, 'row')}, {count(n_variables, 'variable')}"

    def _described(self, column: int) -> dict[str, str]:
        """One variable in words, the same ones for all; nothing is said by an empty text."""
        name = self.names[column]
        return {
            "variable": printable(name),
            **self._range(column),
            "scale": self._scale_in_words(column),
            "role": "exogenous" if name in self.exogenous else "",
            "missing": _count(self.gaps, column),
            "set by experiment": _count(self.interventions, column),
        }

    def _range(self, column: int) -> dict[str, str]:
        """In the units of the user; of levels their names."""
        levels = self.levels.get(self.names[column])
        if levels is not None:
            return {"least": "", "median": "", "most": "", "levels": printable(listing(levels))}
        known = np.ones(len(self.values), bool) if self.gaps is None else ~self.gaps[:, column]
        numbers = np.quantile(self.in_measured(column)[known], [0.0, 0.5, 1.0])
        least, median, most = (f"{x:.4g}" for x in numbers)
        return {"least": least, "median": median, "most": most, "levels": ""}

    def _scale_in_words(self, column: int) -> str:
        if self.names[column] in self.ranked:
            return "by ranks"
        transform = self.transform_of(column)
        return "" if transform in UNCHANGED else transform


def _count(cells: NDArray[np.bool_] | None, column: int) -> str:
    n = 0 if cells is None else int(cells[:, column].sum())
    return f"{n:,}" if n else ""

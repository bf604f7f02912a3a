"""A simulated table with its truth, and its files."""

from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Final

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from gpnet.common.errors import OptionError
from gpnet.common.messages import count, listing
from gpnet.common.types import Dag, Floats

TARGET: Final = "target"  # the column that names what was set
ROWS_SHOWN: Final = 5  # in a notebook
SEPARATOR: Final = ";"  # between the names in one of its cells


@dataclass(frozen=True, repr=False)
class Simulation:
    """A table and the DAG it came from, as `gpnet.simulate` makes them.

    Parameters
    ----------
    values : array of float, (N, n)
        The table.
    names : tuple of str
        Its n variables.
    dag : array of bool, (n, n)
        dag[parent, child]; exogenous columns come last.
    interventions : array of bool, (N, n), optional
        Which cells were set by an experiment.
    exogenous : DataFrame, optional
        Conditions and covariates, a column each.

    Examples
    --------
    >>> import gpnet
    >>> gpnet.simulate(nodes=3, rows=20, seed=1).names
    ('V1', 'V2', 'V3')
    >>> gpnet.simulate(nodes=3, rows=20, seed=1)
    <Simulation of 20 rows, 3 variables: V3 -> V1>
    """

    values: Floats
    names: tuple[str, ...]
    dag: Dag
    interventions: NDArray[np.bool_] | None = None
    exogenous: pd.DataFrame | None = None

    def frame(self) -> pd.DataFrame:
        """The table with its names.

        Returns
        -------
        pandas.DataFrame
            A row for each observation, a column for each variable; with exogenous columns behind
            them, and where variables were set a column "target" that names them.

        Examples
        --------
        >>> import gpnet
        >>> gpnet.simulate(nodes=3, rows=20, seed=1).frame().shape
        (20, 3)
        """
        frame = pd.DataFrame(self.values, columns=list(self.names))
        if self.exogenous is not None:
            frame = pd.concat([frame, self.exogenous], axis=1)
        if self.interventions is not None:
            names = np.array(self.names, dtype=object)
            frame[TARGET] = [SEPARATOR.join(names[row]) for row in self.interventions]
        return frame

    @property
    def all_names(self) -> tuple[str, ...]:
        """Of the rows and columns of the DAG: variables, then exogenous columns."""
        more = () if self.exogenous is None else tuple(self.exogenous.columns)
        return self.names + more

    def __repr__(self) -> str:
        return f"<Simulation of {self._size()}: {self._edges()}>"

    def _repr_html_(self) -> str:
        """Its size, its edges and the first rows of its table."""
        head = self.frame().head(ROWS_SHOWN).to_html(index=False, float_format="{:.4g}".format)
        more = max(len(self.values) - ROWS_SHOWN, 0)
        left_out = f"<p>and {count(more, 'more row')}</p>" if more else ""
        told = escape(f" of {self._size()}; true edges: {self._edges()}")
        return f"<p><strong>Simulation</strong>{told}</p>{head}{left_out}"

    def _size(self) -> str:
        n_rows, n_variables = len(self.values), len(self.all_names)
        return f"{count(n_rows, 'row')}, {count(n_variables, 'variable')}"

    def _edges(self) -> str:
        """The first few, as in "V1 -> V2"."""
        names = self.all_names
        edges = [f"{names[a]} -> {names[b]}" for a, b in np.argwhere(self.dag).tolist()]
        return listing(edges) if edges else "no edges"

    def write(self, folder: str | Path) -> None:
        """Write data.csv and dag.csv (row = parent, column = child) into a folder.

        Parameters
        ----------
        folder : path
            Made if it is not there.

        Returns
        -------
        None

        Raises
        ------
        OptionError
            Where it cannot be written to.

        Examples
        --------
        >>> import gpnet, pathlib, tempfile
        >>> folder = pathlib.Path(tempfile.mkdtemp())
        >>> gpnet.simulate(nodes=3, rows=20, seed=1).write(folder)
        >>> sorted(path.name for path in folder.iterdir())
        ['dag.csv', 'data.csv']
        """
        folder = Path(folder)
        try:
            folder.mkdir(parents=True, exist_ok=True)
            self.frame().to_csv(folder / "data.csv", index=False)
            edges = pd.DataFrame(self.dag.astype(int), columns=list(self.all_names))
            edges.to_csv(folder / "dag.csv", index=False)
        except (OSError, ValueError) as error:  # ValueError: a path with a NUL byte
            reason = getattr(error, "strerror", None) or error
            raise OptionError(f"out: cannot write to {str(folder)!r}: {reason}") from error

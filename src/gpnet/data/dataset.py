"""The table of a run: validated however it is made, and never changed."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields
from functools import cached_property
from hashlib import sha256
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from gpnet.common.errors import DataError
from gpnet.common.messages import quote, suggestion
from gpnet.common.types import Floats
from gpnet.data.gaps import checked_gaps
from gpnet.data.interventions import checked_interventions
from gpnet.data.issues import Issue
from gpnet.data.scales import checked_measured
from gpnet.data.shown import Shown
from gpnet.data.standardise import BLOCK, Standard, read_only
from gpnet.data.transforms import normal_scores, transform_text
from gpnet.data.validate import columns_of, refuse_errors, validate


@dataclass(frozen=True, eq=False, repr=False)
class Dataset(Shown):
    """A table of continuous measurements without errors, however it is made.

    Parameters
    ----------
    values : array, shape (N, n)
        Transformed, in the units of the table; kept as a read-only copy.
    names : sequence of str
        Of the columns.
    transform : str
        The transform that was applied, for the record: "none", "log", "log2" or "rank-normal"; or
        "auto", for a table as it is, whose columns `learn` may take by ranks.
    warnings : sequence of Issue
        What `check_table` would warn of; found anew unless given.
    ranked : sequence of str
        Columns that are learnt from by their normal scores; see `by_ranks`.
    interventions : array of bool, shape (N, n), optional
        Which cells an experimenter set: these rows say nothing of what drives that variable.
    exogenous : sequence of str
        Columns that nothing in the table drives, and that are not modelled.
    assumed : sequence of str
        Those of them that are so because of their few values, and not because somebody knows.
    levels : mapping of str to sequence of str
        The names of the levels of categorical columns, whose values are 0, 1, ...; all exogenous.
    gaps : array of bool, shape (N, n), optional
        Which cells had no value: what stands there is for `learn` to draw anew.
    measured : array, shape (N, n), optional
        The values before the transform, in the user's own units, where there was one.

    Raises
    ------
    DataError
        Where `load_table` would find an error, with the remedy.

    Examples
    --------
    >>> import gpnet
    >>> import numpy as np
    >>> values = np.random.default_rng(0).normal(size=(50, 2))
    >>> gpnet.Dataset(values, ["height", "weight"])
    <Dataset of 50 rows, 2 variables: height and weight>
    """

    values: Floats
    names: tuple[str, ...]
    transform: str = "auto"
    warnings: tuple[Issue, ...] = ()
    ranked: tuple[str, ...] = ()  # columns whose normal scores are learnt from, not their values
    interventions: NDArray[np.bool_] | None = None  # (N, n): cells that were set; None for none
    exogenous: tuple[str, ...] = ()  # columns without parents, and without a score of their own
    assumed: tuple[str, ...] = ()  # those of them of which nobody said so
    levels: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    gaps: NDArray[np.bool_] | None = None  # (N, n): cells that had no value; None for none
    measured: Floats | None = None  # (N, n): before the transform; None where there was none

    def __post_init__(self) -> None:
        object.__setattr__(self, "transform", transform_text(self.transform))
        columns = columns_of(self.values, self.names)
        exogenous = tuple(dict.fromkeys([*self.exogenous, *self.levels]))
        values, found = validate(columns, "none", exogenous)  # the transform was applied before
        refuse_errors(found)
        checked = {
            "values": read_only(values),
            "names": tuple(column.name for column in columns),
            "warnings": tuple(self.warnings) or tuple(found),
            "ranked": tuple(self.ranked),
            "exogenous": exogenous,
            "assumed": tuple(name for name in exogenous if name in self.assumed),
            "levels": {name: tuple(of) for name, of in self.levels.items()},
            "gaps": checked_gaps(self.gaps, values.shape),
            "measured": checked_measured(self.measured, values.shape),
        }
        for name, value in checked.items():
            object.__setattr__(self, name, value)
        for name in (*self.ranked, *self.exogenous):
            self.column(name)
        object.__setattr__(self, "interventions", checked_interventions(self))

    @classmethod
    def _of_checked(
        cls,
        values: Floats,
        names: tuple[str, ...],
        transform: str,
        warnings: tuple[Issue, ...],
        **others: Any,
    ) -> Self:
        """Without looking again at what was looked at."""
        data = object.__new__(cls)
        given = {
            "values": values,
            "names": names,
            "transform": transform,
            "warnings": warnings,
            "ranked": (),
            "interventions": None,
            "exogenous": (),
            "assumed": (),
            "levels": {},
            "gaps": None,
            "measured": None,
            **others,
        }
        for name, value in given.items():
            object.__setattr__(data, name, value)
        return data

    def _with(self, **changes: Any) -> Self:
        """The same table but for these fields, which are sound."""
        kept = {one.name: getattr(self, one.name) for one in fields(self)}
        return self._of_checked(**{**kept, **changes})

    @property
    def n_rows(self) -> int:
        """N."""
        return len(self.values)

    @property
    def n_variables(self) -> int:
        """The number of columns."""
        return len(self.names)

    def by_ranks(self, names: Iterable[str]) -> Self:
        """The same table, with these columns replaced by their normal scores to learn from.

        Parameters
        ----------
        names : iterable of str
            Of the columns.

        Returns
        -------
        Dataset
            Its values, and all that is shown of them, stay in their units.

        Examples
        --------
        >>> import gpnet
        >>> data = gpnet.load_table(gpnet.simulate(nodes=3, rows=50, seed=1).frame())
        >>> data.by_ranks(["V2"]).ranked
        ('V2',)
        """
        asked = {self.names[self.column(name)] for name in names}
        chosen = tuple(name for name in self.names if name in asked)
        return self._with(ranked=chosen)

    def with_interventions(self, were_set: NDArray[np.bool_] | None) -> Self:
        """The same table, with cells that an experimenter set.

        Parameters
        ----------
        were_set : array of bool, shape (N, n), optional
            Which cells these are; None for none.

        Returns
        -------
        Dataset
            With a score for each variable from the rows in which nobody set it.

        Examples
        --------
        >>> import gpnet
        >>> import numpy as np
        >>> data = gpnet.load_table(gpnet.simulate(nodes=3, rows=50, seed=1).frame())
        >>> were_set = np.zeros((50, 3), dtype=bool)
        >>> were_set[:20, 1] = True
        >>> data.with_interventions(were_set).rows_of(1).n_rows
        30
        """
        changed = self._with(interventions=were_set)
        object.__setattr__(changed, "interventions", checked_interventions(changed))
        return changed

    def beside_ranks(self) -> Self:
        """The columns, and behind them their normal scores: to compare the two.

        Returns
        -------
        Dataset
            With twice as many columns.

        Examples
        --------
        >>> import gpnet
        >>> data = gpnet.load_table(gpnet.simulate(nodes=2, rows=50, seed=1).frame())
        >>> data.beside_ranks().names
        ('V1', 'V2', 'V1 (ranks)', 'V2 (ranks)')
        """
        scores = np.column_stack([normal_scores(column) for column in self.values.T])
        names = (*self.names, *(f"{name} (ranks)" for name in self.names))
        both = read_only(np.hstack([self.values, scores]))
        were_set, gaps = (
            None if cells is None else np.hstack([cells, cells])
            for cells in (self.interventions, self.gaps)
        )
        cells = {"interventions": were_set, "gaps": gaps, "measured": None}
        return self._with(values=both, names=names, warnings=(), **cells)

    def rows_of(self, node: int) -> Self:
        """The rows that count for a variable's own score: those in which nobody set it.

        They keep the scale of the whole table. Variables that were set in the same rows share one
        table, and with it all that scores build on it.

        Parameters
        ----------
        node : int
            The number of its column, from 0.

        Returns
        -------
        Dataset
            Itself where the variable was never set.

        Examples
        --------
        >>> import gpnet
        >>> import numpy as np
        >>> values = np.random.default_rng(0).normal(size=(50, 2))
        >>> were_set = np.zeros((50, 2), dtype=bool)
        >>> were_set[:20, 1] = True
        >>> data = gpnet.Dataset(values, ["a", "b"], interventions=were_set)
        >>> data.rows_of(0).n_rows, data.rows_of(1).n_rows
        (50, 30)
        """
        if self.interventions is None or not self.interventions[:, node].any():
            return self
        kept = ~self.interventions[:, node]
        return self._cuts.setdefault(kept.tobytes(), self._cut(kept))

    @cached_property
    def _cuts(self) -> dict[bytes, Self]:
        """Tables of some rows, by which rows these are."""
        return {}

    def _cut(self, kept: NDArray[np.bool_]) -> Self:
        gaps = None if self.gaps is None else self.gaps[kept]
        measured = None if self.measured is None else read_only(self.measured[kept])
        cells = {"interventions": None, "gaps": gaps, "measured": measured}
        some = self._with(values=read_only(self.values[kept]), warnings=(), **cells)
        whole = self._standard
        standard = Standard(read_only(whole.values[kept]), whole.centre, whole.scale, whole.spread)
        name = sha256(self.fingerprint.encode() + np.packbits(kept).tobytes()).hexdigest()
        some.__dict__.update(_standard=standard, fingerprint=name, n_masks=self.n_masks)
        return some

    def __getstate__(self) -> dict[str, Any]:
        """To be sent elsewhere: with its scale, the same bits there, and without copies of rows."""
        return {name: value for name, value in self.__dict__.items() if name != "_cuts"}

    @cached_property
    def n_masks(self) -> int:
        """How many different sets of rows count for some variable."""
        return 1 if self.interventions is None else len(np.unique(self.interventions, axis=1).T)

    def is_exogenous(self, node: int) -> bool:
        """Whether a column, by its number, is not modelled.

        Parameters
        ----------
        node : int
            The number of the column, from 0.

        Returns
        -------
        bool

        Examples
        --------
        >>> import gpnet
        >>> import numpy as np
        >>> values = np.random.default_rng(0).normal(size=(50, 2))
        >>> gpnet.Dataset(values, ["dose", "b"], exogenous=["dose"]).is_exogenous(0)
        True
        """
        return self.names[node] in self.exogenous

    @cached_property
    def categorical(self) -> frozenset[int]:
        """The numbers of the columns whose values are levels."""
        return frozenset(map(self.names.index, self.levels))

    @cached_property
    def fingerprint(self) -> str:
        """One name for names, transform and values, the same on every machine."""
        ranked = [self.ranked] if self.ranked else []
        roles = [self.exogenous, dict(self.levels)] if self.exogenous else []
        head = json.dumps([self.names, self.transform, self.values.shape, *ranked, *roles])
        found = sha256(head.encode())
        # Some rows after the other, as otherwise the table would be there twice more.
        for start in range(0, self.n_rows, BLOCK):
            found.update(self.values[start : start + BLOCK].astype("<f8").tobytes("C"))
        if self.interventions is not None:
            found.update(np.packbits(self.interventions).tobytes())
        if self.gaps is not None:
            found.update(b"gaps" + np.packbits(self.gaps).tobytes())
        return found.hexdigest()

    def column(self, name: str) -> int:
        """Where a column stands.

        Parameters
        ----------
        name : str
            Of the column.

        Returns
        -------
        int
            Its number, from 0.

        Examples
        --------
        >>> import gpnet
        >>> gpnet.load_table(gpnet.simulate(nodes=3, rows=50, seed=1).frame()).column("V2")
        1
        """
        if name not in self.names:
            raise DataError(f"no column is called {quote(name)}: {suggestion(name, self.names)}")
        return self.names.index(name)

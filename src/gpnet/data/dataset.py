"""The table of a run: validated however it is made, and never changed."""

import json
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from typing import Self

from gpnet.common.errors import DataError
from gpnet.common.messages import count, listing, printable, quote, suggestion
from gpnet.common.types import Floats
from gpnet.data.issues import Issue
from gpnet.data.standardise import Standard, read_only, standardise
from gpnet.data.transforms import TRANSFORMS
from gpnet.data.validate import check_choice, columns_of, refuse_errors, validate


@dataclass(frozen=True, eq=False, repr=False)
class Dataset:
    """A table of continuous measurements without errors, however it is made.

    Parameters
    ----------
    values : array, shape (N, n)
        Transformed, in the units of the table; kept as a read-only copy.
    names : sequence of str
        Of the columns.
    transform : str
        The transform that was applied, for the record: "none", "log", "log2" or "rank-normal".
    warnings : sequence of Issue
        What `check_table` would warn of; found anew unless given.

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
    transform: str = "none"
    warnings: tuple[Issue, ...] = ()

    def __post_init__(self) -> None:
        check_choice("transform", self.transform, TRANSFORMS)
        columns = columns_of(self.values, self.names)
        values, found = validate(columns, "none")  # the transform was applied before
        refuse_errors(found)
        object.__setattr__(self, "values", read_only(values))
        object.__setattr__(self, "names", tuple(column.name for column in columns))
        object.__setattr__(self, "warnings", tuple(self.warnings) or tuple(found))

    @classmethod
    def _of_checked(
        cls, values: Floats, names: tuple[str, ...], transform: str, warnings: tuple[Issue, ...]
    ) -> Self:
        """Without looking again at what was looked at."""
        data = object.__new__(cls)
        given = {"values": values, "names": names, "transform": transform, "warnings": warnings}
        for name, value in given.items():
            object.__setattr__(data, name, value)
        return data

    def __repr__(self) -> str:
        size = f"{count(self.n_rows, 'row')}, {count(self.n_variables, 'variable')}"
        return f"<Dataset of {size}: {printable(listing(self.names))}>"

    @property
    def n_rows(self) -> int:
        """N."""
        return len(self.values)

    @property
    def n_variables(self) -> int:
        """The number of columns."""
        return len(self.names)

    @property
    def centre(self) -> Floats:
        """(n,): the mean of each column of values."""
        return self._standard.centre

    @property
    def scale(self) -> Floats:
        """(n,): the standard deviation, divisor N - 1, of each column of values."""
        return self._standard.scale

    def standardised(self) -> Floats:
        """The columns with mean 0 and standard deviation 1.

        Returns
        -------
        array, shape (N, n)
            (values - centre) / scale, read-only.

        Examples
        --------
        >>> import gpnet
        >>> data = gpnet.load_table(gpnet.simulate(nodes=3, rows=50, seed=1).frame())
        >>> data.standardised().std(axis=0, ddof=1).round(6)
        array([1., 1., 1.])
        """
        return self._standard.values

    @cached_property
    def _standard(self) -> Standard:
        return standardise(self.values)

    @cached_property
    def fingerprint(self) -> str:
        """One name for names, transform and values, the same on every machine."""
        head = json.dumps([self.names, self.transform, self.values.shape])
        return sha256(head.encode() + self.values.astype("<f8").tobytes("C")).hexdigest()

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

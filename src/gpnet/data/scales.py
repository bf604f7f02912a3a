"""The scales of a table: what scores see of its columns, and the way back to their units."""

from functools import cached_property

import numpy as np

from gpnet.common.errors import DataError
from gpnet.common.types import Floats
from gpnet.data.standardise import Standard, read_only, standardise
from gpnet.data.transforms import TRANSFORMS, normal_scores, transform_of


class Scaled:
    """What a `Dataset` knows of its scales."""

    values: Floats  # (N, n)
    names: tuple[str, ...]
    ranked: tuple[str, ...]  # columns whose normal scores are learnt from, not their values
    transform: str
    exogenous: tuple[str, ...]  # columns that are never transformed
    measured: Floats | None  # (N, n): before the transform, or nan; None where there was none

    def standardised(self) -> Floats:
        """The columns with mean 0 and standard deviation 1; of ranked ones, their normal scores.

        Returns
        -------
        array, shape (N, n)
            Read-only.

        Examples
        --------
        >>> import gpnet
        >>> data = gpnet.load_table(gpnet.simulate(nodes=3, rows=50, seed=1).frame())
        >>> data.standardised().std(axis=0, ddof=1).round(6)
        array([1., 1., 1.])
        """
        return self._standard.values

    def to_standard(self, column: int, x: Floats) -> Floats:
        """Values of a column on the scale of `standardised`.

        Parameters
        ----------
        column : int
            Its number, from 0.
        x : array
            In the units of the table; of a ranked column, within its range.

        Returns
        -------
        array
            Of the same shape.

        Examples
        --------
        >>> import gpnet
        >>> import numpy as np
        >>> data = gpnet.load_table(gpnet.simulate(nodes=3, rows=50, seed=1).frame())
        >>> np.allclose(data.to_standard(0, data.values[:, 0]), data.standardised()[:, 0])
        True
        """
        if self.names[column] in self.ranked:
            values, scores = self._scale_of_ranks(column)
            return np.interp(x, values, scores)
        return np.asarray((x - self._standard.centre[column]) / self._standard.scale[column])

    def to_units(self, column: int, z: Floats) -> Floats:
        """The way back from `to_standard`.

        Parameters
        ----------
        column : int
            Its number, from 0.
        z : array
            Standardised.

        Returns
        -------
        array
            In the units of the table; of a ranked column, within its range.

        Examples
        --------
        >>> import gpnet
        >>> import numpy as np
        >>> data = gpnet.load_table(gpnet.simulate(nodes=3, rows=50, seed=1).frame())
        >>> x = data.values[:, 0]
        >>> np.allclose(data.to_units(0, data.to_standard(0, x)), x)
        True
        """
        if self.names[column] in self.ranked:
            values, scores = self._scale_of_ranks(column)
            return np.interp(z, scores, values)
        return np.asarray(self._standard.centre[column] + self._standard.scale[column] * z)

    def to_measured(self, column: int, z: Floats) -> Floats:
        """Standardised values in the user's own units, as before any transform.

        Parameters
        ----------
        column : int
            Its number, from 0.
        z : array
            Standardised.

        Returns
        -------
        array
            Of the same shape; of a column by ranks, within its range.

        Examples
        --------
        >>> import gpnet
        >>> import numpy as np
        >>> frame = np.exp(gpnet.simulate(nodes=2, rows=50, seed=1).frame())
        >>> data = gpnet.load_table(frame, transform="log")
        >>> np.allclose(data.to_measured(0, data.standardised()[:, 0]), frame["V1"])
        True
        """
        x = self.to_units(column, z)
        undo = TRANSFORMS[self.transform_of(column)].undo
        if undo is not None:
            return np.asarray(undo(x))
        if self.measured is None:  # nobody knows what the ranks were of
            return x
        measured, ranks = self._measured_ranks(column)
        return np.interp(x, ranks, measured)

    def from_measured(self, column: int, x: Floats) -> Floats:
        """The way back from `to_measured`.

        Parameters
        ----------
        column : int
            Its number, from 0.
        x : array
            In the user's own units; of a column by ranks, within its range.

        Returns
        -------
        array
            Of the same shape, standardised.

        Examples
        --------
        >>> import gpnet
        >>> import numpy as np
        >>> frame = np.exp(gpnet.simulate(nodes=2, rows=50, seed=1).frame())
        >>> data = gpnet.load_table(frame, transform="log")
        >>> np.allclose(data.from_measured(0, frame["V1"]), data.standardised()[:, 0])
        True
        """
        transform = TRANSFORMS[self.transform_of(column)]
        if transform.undo is not None:
            return self.to_standard(column, transform.apply(np.asarray(x, dtype=np.float64)))
        if self.measured is None:
            return self.to_standard(column, x)
        measured, ranks = self._measured_ranks(column)
        return self.to_standard(column, np.interp(x, measured, ranks))

    def log_density_scale(self, column: int, x: Floats) -> Floats | None:
        """What to add to a log density of standardised values for one in the user's units.

        Parameters
        ----------
        column : int
            Its number, from 0.
        x : array
            Where, in the user's own units.

        Returns
        -------
        array, optional
            Of the same shape; None for a column by ranks, whose values have no density.

        Examples
        --------
        >>> import gpnet
        >>> import numpy as np
        >>> values = np.random.default_rng(0).normal(scale=2.0, size=(1000, 2))
        >>> data = gpnet.load_table(values)
        >>> data.log_density_scale(0, np.zeros(1)).round(1)
        array([-0.7])
        """
        slope = TRANSFORMS[self.transform_of(column)].log_slope
        if slope is None or self.names[column] in self.ranked:
            return None
        return np.asarray(slope(x) - np.log(self._standard.scale[column]))

    def in_measured(self, column: int) -> Floats:
        """(N,): a column in the user's own units.

        Parameters
        ----------
        column : int
            Its number, from 0.

        Returns
        -------
        array, shape (N,)
            There may be nan where there was no value.

        Examples
        --------
        >>> import gpnet
        >>> data = gpnet.load_table(gpnet.simulate(nodes=3, rows=50, seed=1).frame())
        >>> bool((data.in_measured(0) == data.values[:, 0]).all())
        True
        """
        if self.measured is not None:
            return np.asarray(self.measured[:, column])
        undo = TRANSFORMS[self.transform_of(column)].undo
        values = self.values[:, column]
        return np.asarray(values if undo is None else undo(values))

    def _measured_ranks(self, column: int) -> tuple[Floats, Floats]:
        """Each measured value once, in order, and its normal score."""
        assert self.measured is not None  # noqa: S101, as who calls has seen
        known = np.isfinite(self.measured[:, column])
        measured, first = np.unique(self.measured[known, column], return_index=True)
        return measured, self.values[known, column][first]

    def transform_of(self, column: int) -> str:
        """What was done to a column before it was standardised.

        Parameters
        ----------
        column : int
            Its number, from 0.

        Returns
        -------
        str
            A word such as "log2"; of an exogenous column always "none".

        Examples
        --------
        >>> import gpnet
        >>> import numpy as np
        >>> frame = np.exp(gpnet.simulate(nodes=2, rows=50, seed=1).frame())
        >>> data = gpnet.load_table(frame, transform="log2:V2")
        >>> data.transform_of(0), data.transform_of(1)
        ('auto', 'log2')
        """
        name = self.names[column]
        return "none" if name in self.exogenous else transform_of(self.transform, name)

    def _scale_of_ranks(self, column: int) -> tuple[Floats, Floats]:
        """Each value of a ranked column once, in order, and its standardised normal score."""
        values, first = np.unique(self.values[:, column], return_index=True)
        return values, self.standardised()[first, column]

    @cached_property
    def _standard(self) -> Standard:
        if not self.ranked:
            return standardise(self.values)
        values = self.values.copy()
        for name in self.ranked:
            column = self.names.index(name)
            values[:, column] = normal_scores(values[:, column])
        return standardise(values)


def checked_measured(given: Floats | None, shape: tuple[int, int]) -> Floats | None:
    """What a Dataset was given, as a read-only copy."""
    if given is None:
        return None
    found = np.array(given, dtype=np.float64)
    if found.shape != shape:
        raise DataError(
            f"measured: expected the shape {shape}, as the table, found {found.shape}. Remedy: "
            "give the values before the transform, or leave them out"
        )
    return read_only(found)

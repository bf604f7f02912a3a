"""The scales of a table: what scores see of its columns, and the way back to their units."""

from functools import cached_property

import numpy as np

from gpnet.common.types import Floats
from gpnet.data.standardise import Standard, standardise
from gpnet.data.transforms import normal_scores


class Scaled:
    """What a `Dataset` knows of its scales."""

    values: Floats  # (N, n)
    names: tuple[str, ...]
    ranked: tuple[str, ...]  # columns whose normal scores are learnt from, not their values

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

"""The log marginal likelihoods behind a posterior; arrays only."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from gpnet.common.errors import OptionError
from gpnet.common.types import Floats, Node
from gpnet.common.validation import LARGEST, check_finite, check_shape, freeze
from gpnet.graphs.distinct import words


@dataclass(frozen=True, eq=False)
class LocalScores:
    """Log marginal likelihoods of all parent sets that occur in some DAGs; read-only."""

    node: NDArray[np.int32]  # (k,)
    parents: NDArray[np.bool_]  # (k, n)
    log_marginal: Floats  # (k,): nan where nobody asked for it
    std_error: Floats  # (k,): nan where unknown
    # Probabilities, nan where not asked: that the relation is a straight line, that the noise is
    # not normal, that its size varies with the parents; (k,) each.
    linear: Floats
    shaped: Floats
    varying: Floats

    def __post_init__(self) -> None:
        freeze(self, _TYPES)
        k, n = self.parents.shape if self.parents.ndim == 2 else (0, 0)
        check_shape("parents", self.parents, (k, n))
        for name in ("node", "log_marginal", "std_error", *PROBABILITIES):
            check_shape(name, getattr(self, name), (k,))
        if ((self.node < 0) | (self.node >= n)).any():
            raise OptionError(f"node: expected numbers from 0 to {n - 1}")
        known = ~np.isnan(self.log_marginal)
        check_finite("log_marginal", self.log_marginal[known])
        if (self.std_error < 0).any() or (self.std_error > LARGEST).any():
            raise OptionError(f"std_error: expected numbers from 0 to {LARGEST:g}, or nan")
        for name in PROBABILITIES:
            values = getattr(self, name)
            if ((values < 0) | (values > 1)).any():
                raise OptionError(f"{name}: expected probabilities, or nan")

    @property
    def errors_known(self) -> bool:
        """Whether there is any set whose score has a known error, if any set has parents."""
        with_parents = self.parents.any(axis=1) & ~np.isnan(self.log_marginal)
        return not with_parents.any() or not np.isnan(self.std_error[with_parents]).all()

    def places(self, dags: NDArray[np.bool_]) -> NDArray[np.intp]:
        """(n, M): the row of each node's parents in each of dags (M, n, n); -1 for none."""
        rows = dict(zip(_keys(self.node, self.parents), range(len(self.node)), strict=True))
        found = np.empty((dags.shape[1], len(dags)), dtype=np.intp)
        for node in range(dags.shape[1]):
            sets, place = np.unique(words(dags[:, :, node]), return_inverse=True)
            known = [rows.get((node, word), -1) for word in sets.tolist()]
            found[node] = np.array(known, dtype=np.intp)[place.reshape(-1)]
        return found


PROBABILITIES: Final = ("linear", "shaped", "varying")
_TYPES: Final = {
    "node": np.int32,
    "parents": np.bool_,
    "log_marginal": np.float64,
    "std_error": np.float64,
    **dict.fromkeys(PROBABILITIES, np.float64),
}


def _keys(nodes: NDArray[np.int32], parents: NDArray[np.bool_]) -> Iterator[tuple[Node, Any]]:
    return zip(nodes.tolist(), words(parents).tolist(), strict=True)

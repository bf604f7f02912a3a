"""Whether the model fits: what the most probable parents of each variable leave; arrays only."""

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from gpnet.common.errors import OptionError
from gpnet.common.types import Floats, Node
from gpnet.common.validation import check_not_infinite, check_shape, freeze

ALPHA: Final = 0.05  # how often all checks of a table together may find something by chance


@dataclass(frozen=True, eq=False)
class ModelChecks:
    """Of each of n variables, given its most probable parents; read-only.

    P-values are corrected for the number of tests (Bonferroni): below ALPHA, something is found.
    """

    parents: NDArray[np.bool_]  # (n, n): row v has the parents of v
    linear: Floats  # (n,): probability of straight lines; nan where not asked, or without parents
    shaped: Floats  # (n,): probability that the noise is not normal; nan where not asked
    varying: Floats  # (n,): probability that its size varies with the parents
    # (n, P): what all other rows say of each row that is shown, in units; nan in rows where the
    # variable was set, and of exogenous ones
    fitted: Floats
    residual: Floats  # (n, P): how far off that is, in standard deviations of the noise
    parent_p: Floats  # (n,): that the residuals do not depend on any parent; nan without parents
    other: NDArray[np.int32]  # (n,): the variable, not adjacent, with the most similar residuals
    other_p: Floats  # (n,): that their residuals are unrelated; nan where there is none (-1)

    def __post_init__(self) -> None:
        freeze(self, _TYPES)
        n = len(self.parents) if self.parents.ndim == 2 else 0
        n_shown = self.residual.shape[1] if self.residual.ndim == 2 else 0
        check_shape("checks.parents", self.parents, (n, n))
        for name in ("fitted", "residual"):
            check_shape(f"checks.{name}", getattr(self, name), (n, n_shown))
            check_not_infinite(f"checks.{name}", getattr(self, name))
        for name in PROBABILITIES:
            values = getattr(self, name)
            check_shape(f"checks.{name}", values, (n,))
            if ((values < 0) | (values > 1)).any():
                raise OptionError(f"checks.{name}: expected probabilities, or nan")
        check_shape("checks.other", self.other, (n,))
        if ((self.other < -1) | (self.other >= n)).any():
            raise OptionError(f"checks.other: expected numbers from -1 to {n - 1}")

    def misfitting(self) -> list[Node]:
        """Variables whose residuals still depend on their parents."""
        return [int(v) for v in np.flatnonzero(self.parent_p < ALPHA)]

    def related(self) -> list[tuple[Node, Node]]:
        """Pairs of variables, not adjacent, whose residuals are related; each pair once."""
        found = np.flatnonzero(self.other_p < ALPHA)
        pairs = {(min(v, w), max(v, w)) for v, w in zip(found, self.other[found], strict=True)}
        return sorted((int(v), int(w)) for v, w in pairs)


PROBABILITIES: Final = ("linear", "shaped", "varying", "parent_p", "other_p")
_TYPES: Final = {
    "parents": np.bool_,
    "fitted": np.float64,
    "residual": np.float64,
    "other": np.int32,
    **dict.fromkeys(PROBABILITIES, np.float64),
}

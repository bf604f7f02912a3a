"""One half of the rows, and its p-values of conditional independence."""

from collections.abc import Callable
from functools import cache, lru_cache
from typing import Any, Final, TypeAlias

from baselines.kernel_pc.independence import TESTS
from baselines.kernel_pc.pc import Nodes
from baselines.kernel_pc.smoothing import Smoother, curve, together
from gpnet.common.types import Floats, Node

Known: TypeAlias = dict[tuple[Node, Node, Nodes], float]
N_PREPARED: Final = 128  # of 426 rows, each has 1.5 MB


class HalfSample:
    """p-values by residuals: x and y are independent given S if their residuals are."""

    def __init__(self, values: Floats, test: str, seed: list[int], known: Known) -> None:
        self.test = TESTS[test]()
        self.seed = seed
        self.known = known  # grows; the same halves are asked again at another alpha
        self._prepared = _preparing(values, self.test.prepare)

    def p_value(self, x: Node, y: Node, given: Nodes) -> float:
        """The same in either order, and whatever was asked before."""
        key = min(x, y), max(x, y), given
        if key not in self.known:
            a, b = (self._prepared(node, given) for node in key[:2])
            # From 1: seeds that differ by zeros at their end are the same.
            seed = [*self.seed, *(1 + node for node in (*key[:2], *given))]
            self.known[key] = self.test.p_value(a, b, seed)
        return self.known[key]


def _preparing(values: Floats, prepare: Callable[[Floats], Any]) -> Callable[[Node, Nodes], Any]:
    """What is prepared of a node's residuals; each step is remembered, as many tests share it."""

    @cache
    def curve_of(node: Node) -> Smoother:
        return curve(values[:, node])

    @cache
    def residuals(given: Nodes) -> Floats:
        """Of all nodes at once, which costs hardly more than of one."""
        if not given:
            return values
        return together([curve_of(node) for node in given]).residuals(values)

    @lru_cache(maxsize=N_PREPARED)
    def prepared(node: Node, given: Nodes) -> Any:
        return prepare(residuals(given)[:, node])

    return prepared

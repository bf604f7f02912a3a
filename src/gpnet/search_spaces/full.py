"""Every other variable may be a parent."""

from dataclasses import dataclass

from gpnet.dataset import Dataset
from gpnet.search_spaces.base import SpaceBuilder
from gpnet.space import SearchSpace


@dataclass(frozen=True)
class FullSpace(SpaceBuilder):
    """All DAGs with at most `max_parents` parents of a node."""

    max_parents: int | None = None  # all others unless given

    def build(self, data: Dataset) -> SearchSpace:
        """Asks the data only how many variables there are."""
        n = data.n_variables
        others = tuple(tuple(v for v in range(n) if v != node) for node in range(n))
        return SearchSpace(others, n - 1 if self.max_parents is None else self.max_parents)

"""What a builder of search spaces must offer."""

from abc import ABC, abstractmethod

from gpnet.dataset import Dataset
from gpnet.space import SearchSpace


class SpaceBuilder(ABC):
    """A way from the data to a search space."""

    @abstractmethod
    def build(self, data: Dataset) -> SearchSpace:
        """The space for these data."""

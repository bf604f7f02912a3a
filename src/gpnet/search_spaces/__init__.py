"""Search spaces: which parent sets exist for each node.                                  FAMILY

To add one: a file with a class that fulfils `SpaceBuilder`, and one
line in `SEARCH_SPACES`.
"""

from gpnet.search_spaces.base import SpaceBuilder, SpaceSettings
from gpnet.search_spaces.candidates import Screen
from gpnet.search_spaces.dual_pc import DualPcSpace
from gpnet.search_spaces.full import FullSpace
from gpnet.search_spaces.given import GivenSpace
from gpnet.search_spaces.iterative import IterativeSpace
from gpnet.search_spaces.screening import ScreenedSpace

SEARCH_SPACES: dict[str, type[SpaceBuilder]] = {
    "full": FullSpace,
    "given": GivenSpace,
    "dual-pc": DualPcSpace,
    "screening": ScreenedSpace,
    "iterative": IterativeSpace,
}

__all__ = [
    "SEARCH_SPACES",
    "DualPcSpace",
    "FullSpace",
    "GivenSpace",
    "IterativeSpace",
    "Screen",
    "ScreenedSpace",
    "SpaceBuilder",
    "SpaceSettings",
]

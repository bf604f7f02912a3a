"""Search spaces: which parent sets exist for each node.                                  FAMILY

May import samplers and below. To add one: a file with a class that fulfils `SpaceBuilder`, and one
line in `SEARCH_SPACES`.
"""

from gpnet.search_spaces.base import SpaceBuilder
from gpnet.search_spaces.full import FullSpace

SEARCH_SPACES: dict[str, type[SpaceBuilder]] = {"full": FullSpace}

__all__ = ["SEARCH_SPACES", "FullSpace", "SpaceBuilder"]

"""What a sampler must offer."""

from abc import ABC, abstractmethod

from gpnet.chain import Chain
from gpnet.progress import Progress
from gpnet.table import ScoreTable


class Sampler(ABC):
    """A way from a table to draws of DAGs; sees nothing but the table.

    Settings of its own (chains, thinning, temperatures) are fields of the member.
    """

    @abstractmethod
    def sample(
        self,
        table: ScoreTable,
        *,
        n_draws: int,
        seed: int = 0,
        workers: int = 1,
        progress: Progress | None = None,
    ) -> Chain:
        """So many draws in all; the same for the same seed, whatever the number of workers."""

"""Gadget of sumu: partition MCMC with the BGe score (Viinikka et al. 2020)."""

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import ClassVar

import gpnet
from baselines.environment import work
from baselines.learner import Resources, posterior_of


@dataclass(frozen=True)
class Sumu:
    """Its own choices: am = 1, aw = n + 2, the fair prior; unless said, those of its manual."""

    folder: ClassVar[Path] = Path(__file__).parent  # of its environment
    candidates: int = 15  # parents of a node that are free to come together, n - 1 at most
    others: int = 3  # parents in a set that has one from outside the candidates, at most
    chains: int = 16  # at temperatures from 0 to 1
    burn_in: int = 10_000
    iterations: int = 10_000
    thinning: int = 10
    seed: int = 0

    def __post_init__(self) -> None:
        for name in ("candidates", "others", "chains", "iterations", "thinning"):
            if getattr(self, name) < 1:
                raise gpnet.OptionError(f"{name}: 1 or more, found {getattr(self, name)}")
        for name in ("burn_in", "seed"):
            if not 0 <= getattr(self, name) < 2**32:
                raise gpnet.OptionError(f"{name}: 0 or more, found {getattr(self, name)}")

    def fit(self, data: gpnet.Dataset, resources: Resources) -> gpnet.Posterior:
        """On one core, whatever the resources."""
        found = work(self.folder, asdict(self), values=data.standardised())
        settings = {"learner": "sumu", **asdict(self)}
        return posterior_of(data.names, found["dags"], settings=settings)

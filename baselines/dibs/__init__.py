"""DiBS+: particles of graphs and neural networks (Lorch et al. 2021)."""

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import ClassVar

import gpnet
from baselines.environment import work
from baselines.learner import Resources, posterior_of

PRIORS = ("scale-free", "erdos-renyi")


@dataclass(frozen=True)
class Dibs:
    """Graphs with cycles are discarded, as in the paper; `settings` of the posterior say how
    many, and how many starts it took until one was left.
    """

    folder: ClassVar[Path] = Path(__file__).parent  # of its environment
    particles: int = 20
    steps: int = 2000
    noise: float = 0.2  # variance of a node given its parents, on standardised data
    hidden: int = 5  # units of the one hidden layer
    prior: str = "scale-free"
    seed: int = 0

    def __post_init__(self) -> None:
        for name in ("particles", "steps", "hidden"):
            if getattr(self, name) < 1:
                raise gpnet.OptionError(f"{name}: 1 or more, found {getattr(self, name)}")
        if not 0 < self.noise < float("inf"):
            raise gpnet.OptionError(f"noise: positive and finite, found {self.noise:g}")
        if self.prior not in PRIORS:
            raise gpnet.OptionError(f"prior: {' or '.join(PRIORS)}, found {self.prior!r}")
        if not 0 <= self.seed < 2**32:
            raise gpnet.OptionError(f"seed: 0 to 2^32 - 1, found {self.seed}")

    def fit(self, data: gpnet.Dataset, resources: Resources) -> gpnet.Posterior:
        """On one core, whatever the resources."""
        if self.prior == "erdos-renyi" and data.n_variables <= 5:
            raise gpnet.OptionError(  # two edges a node: an edge's probability is 4 / (n - 1)
                "prior: erdos-renyi needs 6 variables or more, as it expects two edges a node; "
                f"found {data.n_variables} variables; take scale-free"
            )
        found = work(self.folder, asdict(self), values=data.standardised())
        counts = {name: int(found[name]) for name in ("n_cyclic", "n_starts")}
        settings = {"learner": "dibs", **asdict(self), **counts}
        return posterior_of(data.names, found["dags"], found["weights"], settings=settings)

"""The learner: kernel PC on halves of the rows, a DAG for each."""

from collections import defaultdict
from dataclasses import asdict, dataclass
from functools import lru_cache

import numpy as np

import gpnet
from baselines.kernel_pc.half_sample import HalfSample, Known
from baselines.kernel_pc.independence import TESTS
from baselines.kernel_pc.pc import extension, pattern, skeleton
from baselines.learner import Resources, posterior_of
from gpnet.common.errors import DataError, OptionError
from gpnet.common.types import Dag

FEWEST_ROWS = 12  # the variance of HSIC needs more than 5 in a half


@dataclass(frozen=True)
class KernelPc:
    """`bootstraps` DAGs, each of half of the rows, drawn without replacement."""

    test: str = "hsic"  # one of TESTS
    alpha: float = 0.05  # dependent where the p-value is below
    max_conditions: int = 4
    bootstraps: int = 100
    seed: int = 0

    def __post_init__(self) -> None:
        if self.test not in TESTS:
            raise OptionError(f"test: one of {', '.join(TESTS)}, found {self.test!r}")
        if not isinstance(self.alpha, int | float) or not 0 < self.alpha < 1:
            raise OptionError(f"alpha: between 0 and 1, found {self.alpha!r}")
        least = {"max_conditions": 0, "bootstraps": 1, "seed": 0}
        for name, low in least.items():
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int) or value < low:
                raise OptionError(f"{name}: a whole number of {low} or more, found {value!r}")

    def fit(self, data: gpnet.Dataset, resources: Resources) -> gpnet.Posterior:
        """All DAGs have the same weight; in this process alone, whatever the resources."""
        if data.n_rows < FEWEST_ROWS:
            raise DataError(f"kernel-pc: {FEWEST_ROWS} rows or more, found {data.n_rows}")
        dags = np.array([self._dag(data, bootstrap) for bootstrap in range(self.bootstraps)])
        settings = {"learner": "kernel-pc", **asdict(self)}
        return posterior_of(data.names, dags, settings=settings)

    def _dag(self, data: gpnet.Dataset, bootstrap: int) -> Dag:
        seed = [self.seed, bootstrap]
        rng = np.random.default_rng(seed)
        rows = rng.choice(data.n_rows, data.n_rows // 2, replace=False)
        known = _p_values(data.fingerprint, self.test, self.seed)[bootstrap]
        half = HalfSample(data.standardised()[rows], self.test, seed, known)
        adjacent, separators = skeleton(
            half.p_value, data.n_variables, alpha=self.alpha, max_conditions=self.max_conditions
        )
        return extension(pattern(adjacent, separators), rng)


@lru_cache(maxsize=4)
def _p_values(fingerprint: str, test: str, seed: int) -> dict[int, Known]:
    """By bootstrap: they do not depend on alpha, and experiments try one after the other."""
    return defaultdict(dict)

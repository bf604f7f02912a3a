"""gpnet itself: any options of `gpnet.learn`.

The paper's methods are among them: BGe and GP by order and partition MCMC, Laplace alone, GP^2.
"""

from typing import Any

import gpnet
from baselines.learner import Means


class GpnetLearner:
    """The options are those of `gpnet.learn`."""

    def __init__(self, **options: Any) -> None:
        self.options = options

    def fit(self, data: gpnet.Dataset, means: Means) -> gpnet.Posterior:
        """Scores are kept in the store, if there is one."""
        return gpnet.learn(
            data, workers=means.workers, store=means.store, curves=False, **self.options
        )

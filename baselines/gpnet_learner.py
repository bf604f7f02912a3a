"""gpnet itself: any options of `gpnet.learn`.

The paper's methods are among them: BGe and GP by order and partition MCMC, Laplace alone, GP^2.
"""

from typing import Any

import gpnet
from baselines.learner import Resources


class GpnetLearner:
    """The options are those of `gpnet.learn`."""

    def __init__(self, **options: Any) -> None:
        self.options = options

    def fit(self, data: gpnet.Dataset, resources: Resources) -> gpnet.Posterior:
        """Scores are kept in the store, if there is one."""
        return gpnet.learn(
            data, workers=resources.workers, store=resources.store, curves=False, **self.options
        )

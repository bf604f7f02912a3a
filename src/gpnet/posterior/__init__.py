"""The posterior: weighted DAGs and every question to them."""

from gpnet.posterior.posterior import Posterior, load

__all__ = ["Posterior", "load"]

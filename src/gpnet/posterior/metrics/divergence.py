"""How far a sample is from a posterior that is known."""

import numpy as np
from scipy.special import logsumexp

from gpnet.common.errors import OptionError
from gpnet.common.types import Floats
from gpnet.posterior.metrics.checks import ROUNDING, check_weights


def reverse_kl(weights: Floats, log_posterior: Floats) -> float:
    """The reverse Kullback-Leibler divergence to a known posterior over DAGs.

    The sum of q log(q / p) over unique DAGs, q their weights and log p their log posterior. DAGs
    of weight 0 may be left out, so that p need not sum to 1.

    Parameters
    ----------
    weights : array, shape (k,)
        q, of unique DAGs: none negative, and of sum 1.
    log_posterior : array, shape (k,)
        log p of the same DAGs, normalised over all DAGs.

    Returns
    -------
    float
        In nats; infinite where q > 0 = p.

    Examples
    --------
    >>> import numpy as np
    >>> from gpnet import metrics
    >>> round(metrics.reverse_kl(np.array([0.5, 0.5]), np.log([0.75, 0.25])), 3)
    0.144
    """
    weights, log_posterior = np.asarray(weights, dtype=float), np.asarray(log_posterior, float)
    if weights.ndim != 1 or log_posterior.shape != weights.shape:
        raise OptionError(
            f"log_posterior: one number for each of the {len(weights)} weights, "
            f"found the shape {log_posterior.shape}"
        )
    check_weights(weights)
    if not logsumexp(log_posterior) < ROUNDING:  # nan too
        raise OptionError(
            "log_posterior: expected a distribution that sums to 1; subtract its logsumexp"
        )
    drawn = weights > 0
    q = weights[drawn]
    return float(np.sum(q * (np.log(q) - log_posterior[drawn])))

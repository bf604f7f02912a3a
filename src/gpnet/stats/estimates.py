"""Numbers with error bars."""

from typing import Any

import numpy as np
from scipy.special import betaincinv, ndtri

from gpnet.common.errors import OptionError
from gpnet.common.types import Floats


class Estimate(float):
    """A number with its standard error; in all else an ordinary float.

    Parameters
    ----------
    value, std_error : float
        The number, and the standard error of its computation.
    n_effective : float, optional
        Of a probability: how many independent draws would know it as well.

    Examples
    --------
    >>> from gpnet import Estimate
    >>> p = Estimate(0.9831, 0.004, n_effective=1000.0)
    >>> p, p > 0.9
    (0.983 ± 0.004, True)
    """

    std_error: float
    n_effective: float | None  # of a probability

    def __new__(
        cls, value: float, std_error: float, n_effective: float | None = None
    ) -> "Estimate":
        """The value is the float itself."""
        estimate = super().__new__(cls, value)
        estimate.std_error, estimate.n_effective = float(std_error), n_effective
        return estimate

    def __getnewargs__(self) -> tuple[Any, ...]:
        return float(self), self.std_error, self.n_effective

    def __repr__(self) -> str:
        """As many digits as the error leaves: 0.983 ± 0.004."""
        if np.isnan(self.std_error):
            return f"{float(self):.3g} ± ?"
        if not 0 < self.std_error < np.inf:
            return f"{float(self):g} ± {self.std_error:g}"
        decimals = max(0, -int(np.floor(np.log10(self.std_error))))
        return f"{float(self):.{decimals}f} ± {told_error(self.std_error, decimals)}"

    def _repr_html_(self) -> str:
        """In a notebook: the number, and how far the computation may be off."""
        value, _, error = repr(self).partition(" ± ")
        if not 0 < self.std_error < np.inf:
            return f"<p><strong>{value}</strong> ± {error}</p>"
        low, high = self.interval()
        said = f"the computation may be off by {error}; 95% sure between {low:.3g} and {high:.3g}"
        return f"<p><strong>{value}</strong> ± {error} ({said})</p>"

    def interval(self, level: float = 0.95) -> tuple[float, float]:
        """Where the exact number lies with this probability; never without the estimate itself.

        Not a number at either end where the error is not known.

        Quantiles of Beta(1 + n p, 1 + n (1 - p)) for a probability p known as well as from n
        draws, of the normal distribution for other numbers.

        Parameters
        ----------
        level : float
            Between 0 and 1.

        Returns
        -------
        tuple of two float
            The ends of the interval.

        Examples
        --------
        >>> from gpnet import Estimate
        >>> low, high = Estimate(0.5, 0.05, n_effective=100.0).interval(0.9)
        >>> round(low, 2), round(high, 2)
        (0.42, 0.58)
        """
        if not 0 < level < 1:
            raise OptionError(f"level: between 0 and 1, found {level}")
        if np.isnan(self.std_error):
            return float("nan"), float("nan")
        p, n, tails = float(self), self.n_effective, np.array([1 - level, 1 + level]) / 2
        if n is None:
            low, high = p + self.std_error * ndtri(tails)
        else:
            low, high = betaincinv(1 + n * p, 1 + n * (1 - p), tails)
        return min(p, float(low)), max(p, float(high))


def told_error(error: float, decimals: int) -> str:
    """As it stands behind ±."""
    return "?" if np.isnan(error) else f"{error:.{decimals}f}"


def beta_sd(p: Floats, n: Floats) -> Floats:
    """The standard deviation of Beta(1 + n p, 1 + n (1 - p))."""
    a, b = 1 + n * p, 1 + n * (1 - p)
    return np.asarray(np.sqrt(a * b / (a + b + 1)) / (a + b))

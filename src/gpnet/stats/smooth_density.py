"""A smooth density through a sample, to draw from and to weigh by; arrays only.

Kernels of normal shape. As they stand they would add the square of their width to the variance: so
the sample is drawn in around its mean by the factor that keeps it (Silverman 1986, 6.4).
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Final

import numpy as np

from gpnet.common.types import Floats

MOST_KERNELS: Final = 1000  # more change the density by less than its kernels' width
N_GRID: Final = 400
REACH: Final = 5.0  # widths of a kernel beyond which nothing of it is left
STRAY: Final = 0.01  # the share of a wide normal, so that nothing is impossible
STRAY_SD: Final = 3.0  # its sd, in those of the sample
LEAST_SD: Final = 1e-6  # of a sample that does not vary


@dataclass(frozen=True, eq=False)
class SmoothDensity:
    """A mixture of normals of one width, and a little of a wide one."""

    centres: Floats  # (m,), in order
    width: float
    mean: float
    sd: float

    @classmethod
    def of(cls, sample: Floats) -> "SmoothDensity":
        """With the mean and sd of a sample (N,); the width is Silverman's."""
        mean, sd = float(np.mean(sample)), max(float(np.std(sample)), LEAST_SD)
        low, high = np.quantile(sample, [0.25, 0.75])
        robust = min(sd, (high - low) / 1.349) if high > low else sd
        width = max(0.9 * robust * len(sample) ** -0.2, LEAST_SD)
        shrink = 1 / np.sqrt(1 + (width / sd) ** 2)
        return cls(np.sort(mean + shrink * (sample - mean)), float(shrink * width), mean, sd)

    def draw(self, shape: tuple[int, ...], rng: np.random.Generator) -> Floats:
        """Independent draws; none from the wide normal, which is there for what was observed."""
        return rng.choice(self.centres, size=shape) + self.width * rng.normal(size=shape)

    def log_density(self, x: Floats) -> Floats:
        """At any array of places."""
        grid, density = self._on_grid
        near = np.interp(x, grid, density, left=0.0, right=0.0)
        far = _normal((x - self.mean) / (STRAY_SD * self.sd)) / (STRAY_SD * self.sd)
        return np.asarray(np.log((1 - STRAY) * near + STRAY * far + np.finfo(float).tiny))

    @cached_property
    def _on_grid(self) -> tuple[Floats, Floats]:
        """(G,) each: places, and the density of the kernels."""
        m = len(self.centres)
        some = self.centres[(np.arange(min(m, MOST_KERNELS)) * m) // min(m, MOST_KERNELS)]
        margin = REACH * self.width
        grid = np.linspace(some[0] - margin, some[-1] + margin, N_GRID)
        return grid, _normal((grid[:, None] - some) / self.width).mean(axis=1) / self.width


def _normal(x: Floats) -> Floats:
    return np.asarray(np.exp(-0.5 * x**2) / np.sqrt(2 * np.pi))

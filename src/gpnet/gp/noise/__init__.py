"""Noise: what is left of a node when its parents have had their say.                   FAMILY

A Gaussian process with Gaussian noise gives the fit and its evidence; a member of this family says
how much better, or worse, its own noise explains the residuals of that fit.
To add one: a file with a class that fulfils `Noise`, and one line in `NOISES`.
"""

from gpnet.gp.noise.base import Noise, NoiseGain, NoiseTables
from gpnet.gp.noise.flexible import FlexibleNoise
from gpnet.gp.noise.gaussian import GaussianNoise

NOISES: dict[str, type[Noise]] = {
    "flexible": FlexibleNoise,
    "gaussian": GaussianNoise,
}

__all__ = ["NOISES", "FlexibleNoise", "GaussianNoise", "Noise", "NoiseGain", "NoiseTables"]

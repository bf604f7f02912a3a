"""Samplers under an edge penalty that is learned along: `structure_priors/learned.py`.

They wrap another sampler, which sees a table under one penalty at a time; so they are no members
of `SAMPLERS`, which can be made without any settings.
"""

from gpnet.samplers.learned.gibbs import GibbsSampler, SteppingSampler
from gpnet.samplers.learned.mixture import GammaPosterior, MixtureSampler, NormalisingSampler
from gpnet.samplers.learned.rounds import LearnedDagSample

__all__ = [
    "GammaPosterior",
    "GibbsSampler",
    "LearnedDagSample",
    "MixtureSampler",
    "NormalisingSampler",
    "SteppingSampler",
]

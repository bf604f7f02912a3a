"""Local scores: the log marginal likelihood of a node given its parents.                FAMILY

A score knows the likelihood alone, never a structure prior.
To add one: a file with a class that fulfils `Score`, and one line in `SCORES`.
"""

from gpnet.scores.adaptive import AdaptiveScore
from gpnet.scores.base import CurveRequest, Fit, FunctionRequest, Score, ScoreSettings
from gpnet.scores.bge import BgeScore
from gpnet.scores.gp import Gp2Score, GpScore
from gpnet.scores.linear import LinearScore
from gpnet.scores.parentwise import ParentwiseScore

SCORES: dict[str, type[Score]] = {
    "gp": GpScore,
    "gp2": Gp2Score,
    "linear": LinearScore,
    "adaptive": AdaptiveScore,
    "parentwise": ParentwiseScore,
    "bge": BgeScore,
}

__all__ = [
    "SCORES",
    "AdaptiveScore",
    "BgeScore",
    "CurveRequest",
    "Fit",
    "FunctionRequest",
    "Gp2Score",
    "GpScore",
    "LinearScore",
    "ParentwiseScore",
    "Score",
    "ScoreSettings",
]

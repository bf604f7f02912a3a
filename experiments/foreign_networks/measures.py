"""What probabilities of edges claim, held against the truth.

Everywhere: probabilities (n, n) and truth (n, n), both [parent, child].
"""

import numpy as np

from experiments.experiment import Row
from gpnet.common.types import Dag, Floats

RAREST = 1e-6  # so far from 0 and 1 directions and adjacencies are kept: not drawn is not never
RARE = 1e-3  # so far edges are; and an adjacency below it, ten of 10 000 draws, tells no direction
SURE = {"90": 0.9, "99": 0.99}  # a claim above it is sure
LIMITS = (0.0, 0.1, 0.3, 0.5, 0.7, 0.9, 0.99, 1.0)  # of the bins of claimed probabilities


def judge(probabilities: Floats, truth: Dag) -> Row:
    """All measures of one data set; losses are means over pairs, nan where there are none."""
    right = directions(probabilities, truth)
    claimed, true = edges(probabilities, truth)
    return {
        "direction_loss": mean(losses(right, RAREST)),
        "adjacency_loss": mean(losses(adjacencies(probabilities, truth), RAREST)),
        "edge_loss": mean(losses(np.where(true, claimed, 1 - claimed), RARE)),
        "right": mean((right > 0.5) + 0.5 * (right == 0.5)),
        **_sure(claimed, true),
        **bins(claimed, true),
    }


def directions(probabilities: Floats, truth: Dag) -> Floats:
    """Of each truly adjacent pair, the probability of the true direction if there is an edge."""
    parents, children = np.nonzero(truth)
    there, back = probabilities[parents, children], probabilities[children, parents]
    either = there + back
    return np.where(either < RARE, 0.5, there / np.maximum(either, RARE))


def adjacencies(probabilities: Floats, truth: Dag) -> Floats:
    """Of each pair of nodes, the probability given to what is true: an edge, or none."""
    pairs = np.triu_indices(len(truth), k=1)
    adjacent = (probabilities + probabilities.T)[pairs]
    return np.where((truth | truth.T)[pairs], adjacent, 1 - adjacent)


def edges(probabilities: Floats, truth: Dag) -> tuple[Floats, Dag]:
    """Of each ordered pair, the probability of an edge, and whether there is one."""
    pairs = ~np.eye(len(truth), dtype=bool)
    return probabilities[pairs], truth[pairs]


def losses(right: Floats, rarest: float) -> Floats:
    """-log of the probabilities given to what is true, kept `rarest` away from 0 and 1."""
    return -np.log(np.clip(right, rarest, 1 - rarest))


def mean(values: Floats) -> float:
    return float(np.mean(values)) if len(values) else float("nan")


def _sure(claimed: Floats, true: Dag) -> Row:
    """How many claims there are, the sum of what they claim, and how many are true."""
    found: Row = {}
    for name, above in SURE.items():
        sure = claimed > above
        found[f"claims_{name}"] = int(sure.sum())
        found[f"claimed_{name}"] = float(claimed[sure].sum())
        found[f"true_{name}"] = int(true[sure].sum())
    return found


def bins(claimed: Floats, true: Dag) -> Row:
    """By LIMITS: the ordered pairs, the sum of what is claimed of them, and how many are edges."""
    place = np.digitize(claimed, LIMITS[1:-1], right=True)
    counted = {"pairs": np.ones(len(claimed)), "claimed": claimed, "true": true}
    return {
        f"bins_{name}": " ".join(
            f"{total:.6g}" for total in np.bincount(place, weights, len(LIMITS) - 1)
        )
        for name, weights in counted.items()
    }

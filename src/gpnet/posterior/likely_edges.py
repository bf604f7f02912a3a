"""Pairs of variables that are adjacent with some probability, for summaries in words and tables."""

from dataclasses import dataclass
from itertools import combinations

from gpnet.posterior.probabilities import Probabilities
from gpnet.stats.estimates import Estimate


@dataclass(frozen=True)
class LikelyEdge:
    """Two variables by number, the likelier direction first."""

    parent: int
    child: int
    probability: Estimate
    opposite: Estimate  # the probability of child -> parent

    @property
    def adjacent(self) -> float:
        """The probability of an edge either way."""
        return float(self.probability) + float(self.opposite)


def likely_edges(posterior: Probabilities, *, least: float) -> list[LikelyEdge]:
    """The pairs adjacent with this probability or more, in the order of the columns."""
    edges, found = posterior.edge_estimates(), []
    never = never_drawn(posterior)
    for a, b in combinations(range(posterior.n_variables), 2):
        there, back = edges.get((a, b), never), edges.get((b, a), never)
        pair = (a, b, there, back) if there >= back else (b, a, back, there)
        found.append(LikelyEdge(*pair))
    return [edge for edge in found if edge.adjacent >= least]


def never_drawn(posterior: Probabilities) -> Estimate:
    """The probability of what no draw has, known as well as the draws allow."""
    return Estimate(0.0, 0.0, posterior.expect(lambda _: True).n_effective)

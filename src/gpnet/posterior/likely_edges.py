"""Pairs of variables that are adjacent with some probability, for summaries in words and tables.

Each is shown as a solid arrow where an experiment or knowledge tells its direction, as an open one
where only the model prefers a direction, and as a line where the direction is open.
"""

from dataclasses import dataclass
from itertools import combinations
from typing import Final

from gpnet.posterior.grounds import IDENTIFIED
from gpnet.posterior.probabilities import Probabilities
from gpnet.stats.estimates import Estimate

SOLID, OPEN, LINE = "→", "⇢", "—"
PREFERRED: Final = 0.75  # share of a direction if the model holds: three to one for an arrow
LEGEND: Final = (
    f"{SOLID} an experiment or knowledge tells the direction; {OPEN} the model alone prefers it; "
    f"{LINE} open"
)


@dataclass(frozen=True)
class LikelyEdge:
    """Two variables by number, in the direction that is likelier if the model holds."""

    parent: int
    child: int
    probability: Estimate
    opposite: Estimate  # the probability of child -> parent
    if_model_holds: float  # the probability of parent -> child where no direction is left open
    grounds: str  # what tells the direction

    @property
    def adjacent(self) -> float:
        """The probability of an edge either way."""
        return float(self.probability) + float(self.opposite)

    @property
    def direction(self) -> float:
        """The probability of this direction, given that there is an edge."""
        return float(self.probability) / self.adjacent

    @property
    def identified(self) -> bool:
        """Whether other than the model tells the direction."""
        return self.sign == SOLID

    @property
    def sign(self) -> str:
        """SOLID, OPEN or LINE."""
        if self.if_model_holds < PREFERRED * self.adjacent:
            return LINE
        return SOLID if self.grounds in IDENTIFIED else OPEN


def likely_edges(posterior: Probabilities, *, least: float) -> list[LikelyEdge]:
    """The pairs adjacent with this probability or more, in the order of the columns."""
    edges, found = posterior.edge_estimates(), []
    plain, told = posterior._if_model_holds, posterior._grounds
    never = never_drawn(posterior)
    for pair in combinations(range(posterior.n_variables), 2):
        a, b = max(pair, pair[::-1], key=lambda ends: (plain[ends], edges.get(ends, never)))
        there, back = edges.get((a, b), never), edges.get((b, a), never)
        found.append(LikelyEdge(a, b, there, back, float(plain[a, b]), told[a, b]))
    return [edge for edge in found if edge.adjacent >= least]


def never_drawn(posterior: Probabilities) -> Estimate:
    """The probability of what no draw has, known as well as the draws allow."""
    return Estimate(0.0, 0.0, posterior.expect(lambda _: True).n_effective)

"""What is known beforehand: edges that must be or must not be, and an order of tiers."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import inf
from typing import Final, Self, TypeAlias

import numpy as np

from gpnet.common.errors import OptionError
from gpnet.common.messages import quote, suggestion
from gpnet.common.types import Dag, Node, Parents
from gpnet.graphs.cycles import directed_cycle
from gpnet.structure_priors.base import PriorSettings, StructurePrior

Label: TypeAlias = str | int  # a variable by its name or by its column
OTHERS: Final = "*"  # in a tier: all variables that no tier names


@dataclass(frozen=True, eq=False)
class Knowledge(StructurePrior):
    """Another prior, with -inf where a parent set goes against what is known.

    Tiers come in the order of time: no edge leads from a later tier into an earlier one. A
    variable in none of them is free; "*" in a tier stands for all that no tier names. No edge leads
    into a root. Knowledge that contradicts itself, or the other prior, is refused.
    """

    prior: StructurePrior
    names: tuple[str, ...]
    required: Sequence[tuple[Label, Label]] = ()  # (parent, child)
    forbidden: Sequence[tuple[Label, Label]] = ()  # (parent, child)
    tiers: Sequence[Sequence[Label]] = ()
    roots: Sequence[Label] = ()

    def __post_init__(self) -> None:
        self._refuse_contradictions()
        self._refuse_cycles()

    @classmethod
    def from_settings(cls, settings: PriorSettings) -> Self:
        """Not by settings alone: it needs another prior."""
        raise OptionError("knowledge: is wrapped around another prior; give Knowledge(prior, ...)")

    def log_prob(self, node: Node, parents: Parents) -> float:
        """The other prior's, or -inf."""
        required, forbidden = self._known
        if not (required[node].issubset(parents) and forbidden[node].isdisjoint(parents)):
            return -inf
        return self.prior.log_prob(node, parents)

    def required_parents(self, node: Node) -> frozenset[Node]:
        """Those that knowledge or the other prior requires."""
        return self._known[0][node] | self.prior.required_parents(node)

    def forbidden_parents(self, node: Node) -> frozenset[Node]:
        """Those that knowledge or the other prior forbids."""
        return self._known[1][node] | self.prior.forbidden_parents(node)

    @cached_property
    def _known(self) -> tuple[list[frozenset[Node]], list[frozenset[Node]]]:
        """Required and forbidden parents of each node, of our own."""
        required, forbidden = self._edges("required"), self._edges("forbidden")
        forbidden = forbidden | self._against_tiers | self._into_roots
        return _columns(required), _columns(forbidden)

    def _edges(self, field: str) -> Dag:
        edges = np.zeros((len(self.names), len(self.names)), dtype=bool)
        for edge in getattr(self, field):
            parent, child = self._pair(field, edge)
            if parent == child:
                raise OptionError(f"{field} edge {self._arrow(parent, child)}: leads to itself")
            edges[parent, child] = True
        return edges

    def idle(self) -> list[str]:
        """What was said and rules nothing out, in words."""
        if self.tiers and not self._against_tiers.any():
            return [
                "the tiers rule nothing out: no variable stands in a later one than another; name "
                "the later ones too, or '*' for all that are not named"
            ]
        return []

    @cached_property
    def _into_roots(self) -> Dag:
        into = np.zeros((len(self.names), len(self.names)), dtype=bool)
        into[:, [self._column("roots", label) for label in self.roots]] = True
        np.fill_diagonal(into, False)
        return into

    @cached_property
    def _against_tiers(self) -> Dag:
        """[parent, child]: the parent's tier comes after the child's."""
        tier = self._tier
        free = np.isnan(tier)
        later = tier[:, None] > tier[None, :]
        return np.asarray(later & ~free[:, None] & ~free[None, :])

    @cached_property
    def _tier(self) -> "np.ndarray[tuple[int], np.dtype[np.float64]]":
        """(n,): the place of each variable's tier, from 1; nan for the free."""
        tier = np.full(len(self.names), np.nan)
        for place, members in enumerate(self.tiers, start=1):
            if isinstance(members, str):
                raise OptionError(f"tiers: a list of names for each tier, found {quote(members)}")
            for label in members:
                if label == OTHERS and OTHERS not in self.names:
                    continue
                column = self._column("tiers", label)
                if not np.isnan(tier[column]):
                    earlier = f"in tier {tier[column]:.0f} and in tier {place}"
                    where = f"twice in tier {place}" if tier[column] == place else earlier
                    raise OptionError(
                        f"tiers: {quote(self.names[column])} stands {where}; name it once"
                    )
                tier[column] = place
        with_others = [place for place, members in enumerate(self.tiers, 1) if OTHERS in members]
        if with_others and OTHERS not in self.names:
            if len(with_others) > 1:
                raise OptionError(f"tiers: {quote(OTHERS)} stands in two tiers; leave it in one")
            tier[np.isnan(tier)] = with_others[0]
        return tier

    # Contradictions

    def _refuse_contradictions(self) -> None:
        required, forbidden = self._edges("required"), self._edges("forbidden")
        inner = [self.prior.required_parents(v) for v in range(len(self.names))]
        shut = [self.prior.forbidden_parents(v) for v in range(len(self.names))]
        for parent, child in np.argwhere(required).tolist():
            arrow = self._arrow(parent, child)
            if forbidden[parent, child]:
                raise OptionError(
                    f"{arrow} is both required and forbidden; leave out one of the two"
                )
            if self._into_roots[parent, child]:
                raise OptionError(
                    f"{arrow} is required, but {quote(self.names[child])} is a root or exogenous; "
                    "leave out one of the two"
                )
            if self._against_tiers[parent, child]:
                raise OptionError(
                    f"{arrow} is required, but leads from tier {self._tier[parent]:.0f} back to "
                    f"tier {self._tier[child]:.0f}; leave it out or change the tiers"
                )
            if parent in shut[child]:
                raise OptionError(
                    f"{arrow} is required, but has prior probability 0; leave it out or raise that"
                )
        ruled_out = forbidden | self._against_tiers | self._into_roots
        for parent, child in np.argwhere(ruled_out).tolist():
            if parent in inner[child]:
                raise OptionError(
                    f"{self._arrow(parent, child)} is forbidden or against the tiers, but has "
                    "prior probability 1; allow it or lower that"
                )

    def _refuse_cycles(self) -> None:
        required = np.zeros((len(self.names), len(self.names)), dtype=bool)
        for child in range(len(self.names)):
            required[list(self.required_parents(child)), child] = True
        cycle = directed_cycle(required, list(map(quote, self.names)))
        if cycle:
            raise OptionError(
                f"the required edges contain a directed cycle, {cycle}; leave out one of them"
            )

    # Names

    def _pair(self, field: str, edge: tuple[Label, Label]) -> Iterator[int]:
        if isinstance(edge, str) or len(edge) != 2:
            raise OptionError(f"{field}: pairs of (parent, child), found {quote(edge)}")
        return (self._column(field, label) for label in edge)

    def _column(self, field: str, label: Label) -> int:
        if label in self.names:
            return self.names.index(str(label))
        if not isinstance(label, str) and label in range(len(self.names)):
            return int(label)
        raise OptionError(
            f"{field}: no column is called {quote(label)}: {suggestion(label, self.names)}"
        )

    def _arrow(self, parent: int, child: int) -> str:
        return f"{quote(self.names[parent])} -> {quote(self.names[child])}"


def _columns(edges: Dag) -> list[frozenset[Node]]:
    return [frozenset(np.flatnonzero(column).tolist()) for column in edges.T]

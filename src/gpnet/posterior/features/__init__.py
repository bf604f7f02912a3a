"""Features: what may hold in a DAG, in Python and in text.

edge("A", "B")                  A -> B, B <- A
adjacent("A", "B")              A -- B                   A -> B or B -> A
path("A", "B"), ancestor        A ~> B, ancestor(A, B)   a directed path leads from A to B
compelled("A", "B")             A => B                   A -> B in every equivalent DAG
precedes("A", "B")              A < B                    A stands in an earlier generation
v_structure("A", "C", "B")      A -> C <- B              and A, B are not adjacent
d_separated("A", "B", ["C"])    A _||_ B | C             d-separated given C
parent_set("B", ["A", "C"])     parents(B) = {A, C}      these and no others
blanket("B", ["A", "C"])        blanket(B) = {A, C}      the Markov blanket: these and no others
in_blanket("A", "B")            A in blanket(B)          perhaps among others

They combine by & | ~, in text by and, or, not and parentheses: `not` binds tightest, then `and`.
A name with signs in it, or with one of these words, stands in double quotes, and "" inside for ".

To add one: a class in a file here, and a line in SIGNS or WORDS, by which its text is told.
"""

from collections.abc import Iterable, Sequence
from typing import Final

from gpnet.common.errors import OptionError
from gpnet.common.messages import quote
from gpnet.posterior.features.base import AllOf, AnyOf, Feature, Not
from gpnet.posterior.features.edges import Adjacent, Compelled, Edge, VStructure
from gpnet.posterior.features.grammar import AfterSign, AfterWord, Grammar
from gpnet.posterior.features.paths import Path, Precedes
from gpnet.posterior.features.separation import DSeparated
from gpnet.posterior.features.sets import BlanketSet, InBlanket, ParentSet
from gpnet.posterior.features.text import EXAMPLES, Cursor

__all__ = [
    "SIGNS",
    "WORDS",
    "AllOf",
    "AnyOf",
    "Feature",
    "Not",
    "adjacent",
    "ancestor",
    "blanket",
    "compelled",
    "d_separated",
    "edge",
    "in_blanket",
    "parent_set",
    "parse",
    "path",
    "precedes",
    "v_structure",
]

SIGNS: Final[dict[str, AfterSign]] = {
    "->": Edge.read,
    "→": Edge.read,
    "<-": Edge.read_backwards,
    "←": Edge.read_backwards,
    "--": Adjacent.read,
    "~>": Path.read,
    "=>": Compelled.read,
    "<": Precedes.read,
    "_||_": DSeparated.read,
    "in blanket": InBlanket.read,
}
WORDS: Final[dict[str, AfterWord]] = {
    "parents": ParentSet.read,
    "blanket": BlanketSet.read,
    "ancestor": Path.read_ancestor,
}


def parse(text: str, names: Sequence[str]) -> Feature:
    """The feature that a text says of variables with these names."""
    if not isinstance(text, str):
        raise OptionError(f"feature: a text such as {EXAMPLES}, found {quote(text)}")
    signs = sorted(SIGNS, key=len, reverse=True)  # <- before <
    try:
        return Grammar(SIGNS, WORDS).whole(Cursor(text, names, signs))
    except RecursionError:
        raise OptionError(
            f"feature {quote(text)}: too many parentheses inside each other; leave some out"
        ) from None


def edge(parent: str, child: str) -> Feature:
    """An edge leads from parent to child."""
    return Edge(parent, child)


def adjacent(first: str, second: str) -> Feature:
    """An edge joins the two, in whichever direction."""
    return Adjacent(first, second)


def path(start: str, end: str) -> Feature:
    """A directed path of one edge or more leads from start to end."""
    return Path(start, end)


def ancestor(older: str, younger: str) -> Feature:
    """The same as a path."""
    return Path(older, younger)


def compelled(parent: str, child: str) -> Feature:
    """The edge stands in every DAG that is Markov equivalent."""
    return Compelled(parent, child)


def precedes(earlier: str, later: str) -> Feature:
    """The longest path that leads to the earlier is shorter than the longest to the later."""
    return Precedes(earlier, later)


def v_structure(first: str, child: str, second: str) -> Feature:
    """Both are parents of the child, and they are not adjacent."""
    return VStructure(first, child, second)


def d_separated(first: str, second: str, given: Iterable[str] = ()) -> Feature:
    """The given, or none, d-separate the two."""
    return DSeparated(first, second, _names("given", given))


def parent_set(child: str, parents: Iterable[str]) -> Feature:
    """The child has these parents and no others."""
    return ParentSet(child, _names("parents", parents))


def blanket(node: str, members: Iterable[str]) -> Feature:
    """The node's parents, children and children's other parents are these and no others."""
    return BlanketSet(node, _names("members", members))


def in_blanket(member: str, node: str) -> Feature:
    """The member is one of the node's Markov blanket."""
    return InBlanket(member, node)


def _names(field: str, names: Iterable[str]) -> frozenset[str]:
    if isinstance(names, str):  # whose letters would be taken for names
        raise OptionError(f"{field}: a list of names, found the text {quote(names)}")
    return frozenset(names)

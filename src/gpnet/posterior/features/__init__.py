"""Features: what may hold in a DAG, in Python and in text.

edge("A", "B")                  A -> B, B <- A
adjacent("A", "B")              A -- B                   A -> B or B -> A
path("A", "B"), ancestor        A ~> B, ancestor(A, B)   a directed path leads from A to B
compelled("A", "B")             A => B                   A -> B in every equivalent DAG
precedes("A", "B")              A < B                    A is of an earlier generation
v_structure("A", "C", "B")      A -> C <- B              and A, B are not adjacent
d_separated("A", "B", ["C"])    A _||_ B | C             d-separated given C
parent_set("B", ["A", "C"])     parents(B) = {A, C}      these and no others
blanket("B", ["A", "C"])        blanket(B) = {A, C}      the Markov blanket: these and no others
in_blanket("A", "B")            A in blanket(B)          perhaps among others

All can be given to `Posterior.probability`. They combine by & | ~, in text by and, or, not and
parentheses: `not` binds tightest, then `and`.
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
from gpnet.posterior.features.sets import BlanketSet, InBlanket, ParentSet, set_of_names
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
    """The feature that a text states.

    Parameters
    ----------
    text : str
        As `str` of a feature, see the table of this module.
    names : sequence of str
        Of all variables.

    Returns
    -------
    Feature
        A text that cannot be read raises OptionError, with the place and examples.

    Examples
    --------
    >>> from gpnet import features
    >>> feature = features.parse("A -> B and not B ~> C", ["A", "B", "C"])
    >>> feature == features.edge("A", "B") & ~features.path("B", "C")
    True
    """
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
    """There is an edge from parent to child.

    Parameters
    ----------
    parent, child : str
        Names of two variables.

    Returns
    -------
    Feature

    Examples
    --------
    >>> from gpnet import features
    >>> print(features.edge("A", "B"))
    A -> B
    """
    return Edge(parent, child)


def adjacent(first: str, second: str) -> Feature:
    """The two are adjacent: there is an edge, whichever way it points.

    Parameters
    ----------
    first, second : str
        Names of two variables.

    Returns
    -------
    Feature

    Examples
    --------
    >>> from gpnet import features
    >>> print(features.adjacent("A", "B"))
    A -- B
    """
    return Adjacent(first, second)


def path(start: str, end: str) -> Feature:
    """A directed path, of one edge or more, leads from start to end.

    Parameters
    ----------
    start, end : str
        Names of two variables.

    Returns
    -------
    Feature

    Examples
    --------
    >>> from gpnet import features
    >>> print(features.path("A", "B"))
    A ~> B
    """
    return Path(start, end)


def ancestor(older: str, younger: str) -> Feature:
    """The first is an ancestor of the second; another name for `path`.

    Parameters
    ----------
    older, younger : str
        Names of two variables.

    Returns
    -------
    Feature

    Examples
    --------
    >>> from gpnet import features
    >>> print(features.ancestor("A", "B"))
    A ~> B
    """
    return Path(older, younger)


def compelled(parent: str, child: str) -> Feature:
    """The edge is in every Markov equivalent DAG: it is directed in the CPDAG.

    Equivalent are DAGs that fit alike where relations are straight lines with normal noise; other
    relations may tell directions that are not compelled.

    Parameters
    ----------
    parent, child : str
        Names of two variables.

    Returns
    -------
    Feature

    Examples
    --------
    >>> from gpnet import features
    >>> print(features.compelled("A", "B"))
    A => B
    """
    return Compelled(parent, child)


def precedes(earlier: str, later: str) -> Feature:
    """The longest directed path to the earlier is shorter than the longest one to the later.

    Parameters
    ----------
    earlier, later : str
        Names of two variables.

    Returns
    -------
    Feature

    Examples
    --------
    >>> from gpnet import features
    >>> print(features.precedes("A", "B"))
    A < B
    """
    return Precedes(earlier, later)


def v_structure(first: str, child: str, second: str) -> Feature:
    """Both are parents of the child, and they are not adjacent.

    Parameters
    ----------
    first, child, second : str
        Names of a parent, the child and the other parent.

    Returns
    -------
    Feature

    Examples
    --------
    >>> from gpnet import features
    >>> print(features.v_structure("A", "C", "B"))
    A -> C <- B
    """
    return VStructure(first, child, second)


def d_separated(first: str, second: str, given: Iterable[str] = ()) -> Feature:
    """The two are d-separated by the given variables, or by none.

    They are conditionally independent in every distribution that is Markov to the DAG.

    Parameters
    ----------
    first, second : str
        Names of two variables.
    given : list of str
        Names of what is conditioned on.

    Returns
    -------
    Feature

    Examples
    --------
    >>> from gpnet import features
    >>> print(features.d_separated("A", "B", ["C"]))
    A _||_ B | C
    """
    return DSeparated(first, second, set_of_names("given", given))


def parent_set(child: str, parents: Iterable[str]) -> Feature:
    """The parents of the child are these and no others.

    Parameters
    ----------
    child : str
        Name of a variable.
    parents : list of str
        Names of its parents; empty where it has none.

    Returns
    -------
    Feature

    Examples
    --------
    >>> from gpnet import features
    >>> print(features.parent_set("B", ["A", "C"]))
    parents(B) = {A, C}
    """
    return ParentSet(child, set_of_names("parents", parents))


def blanket(node: str, members: Iterable[str]) -> Feature:
    """The Markov blanket of the node consists of these and no others.

    Parameters
    ----------
    node : str
        Name of a variable.
    members : list of str
        Names of its parents, its children and their other parents.

    Returns
    -------
    Feature

    Examples
    --------
    >>> from gpnet import features
    >>> print(features.blanket("B", ["A", "C"]))
    blanket(B) = {A, C}
    """
    return BlanketSet(node, set_of_names("members", members))


def in_blanket(member: str, node: str) -> Feature:
    """The member is in the Markov blanket of the node, perhaps among others.

    Parameters
    ----------
    member, node : str
        Names of two variables.

    Returns
    -------
    Feature

    Examples
    --------
    >>> from gpnet import features
    >>> print(features.in_blanket("A", "B"))
    A in blanket(B)
    """
    return InBlanket(member, node)

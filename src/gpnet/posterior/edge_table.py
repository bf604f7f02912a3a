"""The likely edges as rows of text: the same in the terminal, in Python and in notebooks."""

from collections.abc import Sequence
from typing import Final

from gpnet.common.messages import printable
from gpnet.posterior.likely_edges import LikelyEdge, likely_edges
from gpnet.posterior.probabilities import Probabilities
from gpnet.stats.estimates import told_error

MIN_ADJACENT: Final = 0.05  # probability of being adjacent, for a row of the table
MAX_ROWS: Final = 40
DIGITS: Final = 9  # that rounding leaves alone
HEADINGS: Final = ("edge", "adjacent", "direction", "probability", "if model holds", "grounds")


def most_adjacent(posterior: Probabilities) -> list[LikelyEdge]:
    """The likely edges, the most probably adjacent first."""
    found = likely_edges(posterior, least=MIN_ADJACENT)
    return sorted(found, key=lambda edge: (-round(edge.adjacent, DIGITS), -edge.if_model_holds))


def cells(edge: LikelyEdge, names: Sequence[str]) -> tuple[str, ...]:
    """Of one row, by HEADINGS: adjacent either way, this direction given that, and both at once."""
    arrow = f"{names[edge.parent]} {edge.sign} {names[edge.child]}"
    return (
        printable(arrow),
        f"{edge.adjacent:.2f}",
        f"{edge.direction:.2f}",
        f"{edge.probability:.2f} ± {told_error(edge.probability.std_error, 2)}",
        f"{edge.if_model_holds:.2f}",
        edge.grounds,
    )


def as_text(rows: Sequence[tuple[str, ...]]) -> list[str]:
    """One line each, the headings first; texts to the left, numbers to the right."""
    table = [HEADINGS, *rows]
    widths = [max(map(len, column)) for column in zip(*table, strict=True)]
    ends = 0, len(HEADINGS) - 1
    return [
        "  ".join(
            cell.ljust(width) if place in ends else cell.rjust(width)
            for place, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in table
    ]

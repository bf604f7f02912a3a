"""Names as they can be drawn, whatever they hold."""

from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from typing import Any, Final

import matplotlib as mpl
import numpy as np
from matplotlib.font_manager import FontProperties, findfont, get_font
from matplotlib.textpath import text_to_path
from numpy.typing import NDArray

from gpnet.common.messages import printable
from gpnet.common.types import Floats, Node

LONGEST: Final = 24  # characters of a name in a plot
MOST_NAMES: Final = 4  # in a title
SHORTENED: Final = "…"
# For every text with a name in it: dollars and backslashes are those of the name.
PLAIN: Final[dict[str, Any]] = {"parse_math": False, "usetex": False}


def labels(names: Sequence[str], longest: int = LONGEST) -> list[str]:
    """A short text for each name, on one line, all different, of characters the font has.

    What the font lacks is written out as \\u4e2d and the like; a font that has it may be set by
    matplotlib's rcParams["font.family"]. Names are shortened in their middle, as they often differ
    at an end; where that makes two alike, their number in the table is put after them.
    """
    short = [shorten(drawable(name), longest) for name in names]
    times = Counter(short)
    return [
        text if times[text] == 1 else f"{text} ({number})"
        for number, text in enumerate(short, start=1)
    ]


def given_parents(names: Sequence[str], node: Node, parents: NDArray[np.bool_]) -> str:
    """'V3 given V1, V2', however many there are."""
    short = labels(names, LONGEST // 2)
    shown = [short[parent] for parent in np.flatnonzero(parents)]
    if len(shown) > MOST_NAMES:
        shown = [*shown[: MOST_NAMES - 1], f"{len(shown) - MOST_NAMES + 1} more"]
    return f"{short[node]} given {', '.join(shown)}" if shown else short[node]


def shorten(text: str, longest: int) -> str:
    """At most so many characters."""
    if len(text) <= longest:
        return text
    tail = (longest - 1) // 2
    return text[: longest - 1 - tail] + SHORTENED + text[len(text) - tail :]


def drawable(text: str) -> str:
    """What can be printed and has a glyph, the rest written out."""
    fonts = _fonts(tuple(mpl.rcParams["font.family"]), tuple(mpl.rcParams["font.sans-serif"]))
    return "".join(
        c
        if any(get_font(font).get_char_index(ord(c)) for font in fonts)
        else c.encode("unicode_escape").decode()
        for c in printable(text)
    )


@lru_cache(maxsize=8)
def _fonts(families: tuple[str, ...], _: tuple[str, ...]) -> Sequence[str]:
    """The files that matplotlib looks for glyphs in, one after another."""
    files = []
    for family in families:
        try:
            files.append(findfont(FontProperties(family=family), fallback_to_default=False))
        except ValueError:  # not installed: matplotlib goes on with the next
            continue
    return files or [findfont(FontProperties(family="DejaVu Sans"))]


def text_widths(texts: Sequence[str], size: float) -> Floats:
    """In points, at this size of the font."""
    font = FontProperties(size=size)
    measured = [text_to_path.get_text_width_height_descent(t, font, ismath=False) for t in texts]
    return np.array([width for width, _, _ in measured], dtype=float)

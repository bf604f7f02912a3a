"""Names as a picture can show them: on one line, not too long, how wide."""

from typing import Final
from unicodedata import combining, east_asian_width

from gpnet.common.messages import JOINING, printable

IN_PICTURES: Final = 22  # characters of a name
IN_TEXT: Final = 48
NARROW, WIDE = "ijlftrI.,:;|!'()[] ", "mwMW@%&"


def label(name: str, longest: int = IN_PICTURES) -> str:
    """The name, or its beginning and its end."""
    text = printable(name)
    if len(text) <= longest:
        return text
    end = longest // 3
    return f"{text[: longest - end - 1]}…{text[-end:]}"


def label_width(text: str) -> float:
    """About how wide it is, in a font of 10 points."""
    return max(sum(map(_width, text)), 12.0)


def _width(letter: str) -> float:
    if combining(letter) or letter in JOINING[1:]:
        return 0.0
    if east_asian_width(letter) in "WF":
        return 13.0
    if letter in NARROW:
        return 4.2
    return 10.0 if letter in WIDE else 7.4 if letter.isupper() else 6.6

"""Names as a picture can show them: on one line, not too long, how wide; may import findings."""

from typing import Final
from unicodedata import east_asian_width

from gpnet.findings import printable

LONGEST: Final = 22  # characters of a label
PADDING: Final = 24.0
NARROW, WIDE = "ijlftrI.,:;|!'()[] ", "mwMW@%&"


def label(name: str) -> str:
    """The name, or its beginning and its end."""
    text = printable(name)
    if len(text) <= LONGEST:
        return text
    return f"{text[: LONGEST - 8]}…{text[-7:]}"


def label_width(text: str) -> float:
    """About how wide it is in a letter of 13 px, with its frame."""
    return max(PADDING + sum(map(_width, text)), 44.0)


def _width(letter: str) -> float:
    if east_asian_width(letter) in "WF" or ord(letter) > 0x2FFF:
        return 15.0
    if letter in NARROW:
        return 5.0
    return 12.0 if letter in WIDE else 9.0 if letter.isupper() else 7.8

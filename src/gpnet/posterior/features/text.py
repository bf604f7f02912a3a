"""Names inside the text of a feature, whatever they hold.

A name that is plain words stands as it is, any other in double quotes.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from gpnet.common.errors import OptionError
from gpnet.common.messages import quote, suggestion

EXAMPLES: Final = "'A -> B', 'A ~> B and not A -> B', 'parents(B) = {A, C}', 'A _||_ B | C, D'"
KEYWORDS: Final = {"and", "or", "not", "in", "parents", "blanket", "ancestor"}

_PLAIN = re.compile(r"[\w.]+(?:[ -][\w.]+)*")
_QUOTED = re.compile(r'"((?:[^"]|"")*+)"')
_INSIDE_WORD = re.compile(r"(?<=\w)\w")


def written(name: str) -> str:
    """The name as it stands in a feature's text, in double quotes where it could be misread."""
    if _PLAIN.fullmatch(name) and KEYWORDS.isdisjoint(name.split(" ")):
        return name
    return '"' + name.replace('"', '""') + '"'


def listed(names: Iterable[str]) -> str:
    """Several, in the order of the alphabet."""
    return ", ".join(written(name) for name in sorted(names))


@dataclass
class Cursor:
    """A text, the names it may use, and how far it has been read."""

    text: str
    names: Sequence[str]
    signs: Sequence[str]  # what may stand between two names; no sign before one that it begins
    place: int = 0
    last_name: str = ""
    last_place: int = 0  # where the last name began

    def __post_init__(self) -> None:
        # "and", "or" and a sign of words end a name only where they stand as words, so that "time
        # in bed" needs no quotes.
        ends = [r'[|(){}=,"]', r'\s+(?:and|or)(?=[\s"()]|\Z)', r"\s*\Z"]
        ends += [rf"\s+{_pattern(s)}" if s[0].isalpha() else _pattern(s) for s in self.signs]
        self._name_end = re.compile("|".join(ends))

    def take(self, pattern: str) -> bool:
        """Whether it matches here, white space before it passed over; if not, nothing is read."""
        match = re.compile(rf"\s*(?:{pattern})").match(self.text, self.place)
        if match:
            self.place = match.end()
        return match is not None

    def expect(self, symbol: str) -> None:
        """The symbol stands here."""
        if not self.take(re.escape(symbol)):
            raise self.wrong(f"expected {symbol!r}")

    def sign(self) -> str:
        """The sign that stands here, empty if there is none."""
        return next((sign for sign in self.signs if self.take(_pattern(sign))), "")

    def name(self) -> str:
        """A known name, in quotes or without.

        Without, it is what stands before the next sign; or else, as in Weight (kg), the longest
        known name that the text goes on with.
        """
        self.take("")
        self.last_place = self.place
        name, end = self._quoted() if self.text.startswith('"', self.place) else self._bare()
        if name not in self.names:
            raise OptionError(
                f"feature {quote(self.text)}: no variable is called {quote(name)}: "
                f"{suggestion(name, self.names)} (a name with signs or with and, or, not in it "
                "goes in double quotes)"
            )
        self.place, self.last_name = end, name
        return name

    def names_until(self, end: str) -> frozenset[str]:
        """Names with commas between them, perhaps none, and the end that is read too."""
        if self.take(re.escape(end)):
            return frozenset()
        found = self.some_names()
        self.expect(end)
        return found

    def some_names(self) -> frozenset[str]:
        """One name or more, with commas between them."""
        found = {self.name()}
        while self.take(","):
            found.add(self.name())
        return frozenset(found)

    def wrong(self, expected: str) -> OptionError:
        """What is wrong here, in one line, with examples of what is right."""
        rest = self.text[self.place :].lstrip()
        where = f"at character {len(self.text) - len(rest) + 1}, found {quote(rest, longest=30)}"
        return OptionError(
            f"feature {quote(self.text)}: {expected} {where if rest else 'where the text ends'}"
            f"{self._hint()}. Write for example {EXAMPLES}"
        )

    def _quoted(self) -> tuple[str, int]:
        quoted = _QUOTED.match(self.text, self.place)
        if quoted is None:
            raise self.wrong("a double quote is opened, and not closed,")
        return quoted[1].replace('""', '"'), quoted.end()

    def _bare(self) -> tuple[str, int]:
        end = self._name_end.search(self.text, self.place)
        stop = end.start() if end else len(self.text)
        name = self.text[self.place : stop].rstrip()
        longest = max(self._known_here(), key=len, default="")
        if name not in self.names and len(longest) > len(name):
            return longest, self.place + len(longest)
        if not name:
            raise self.wrong("expected the name of a variable")
        return name, stop

    def _known_here(self) -> list[str]:
        """The names that the text has at the place of the last one, if no word goes on after."""
        start = self.last_place
        found = [name for name in self.names if name and self.text.startswith(name, start)]
        return [name for name in found if not _INSIDE_WORD.match(self.text, start + len(name))]

    def _hint(self) -> str:
        """Where a name with signs in it was taken for a shorter one."""
        longer = [n for n in self._known_here() if self.last_place + len(n) > self.place]
        return f"; if {quote(longer[0])} is meant, put it in double quotes" if longer else ""


def _pattern(sign: str) -> str:
    """Of a sign; one of words stands before a parenthesis, and is no name otherwise."""
    if not sign[0].isalpha():
        return re.escape(sign)
    return r"\s+".join(map(re.escape, sign.split())) + r"(?=\s*\()"

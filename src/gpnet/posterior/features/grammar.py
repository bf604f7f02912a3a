"""How the text of a feature is read; knows no member, only the signs and words that tell them.

some:  every [or every]...
every: one [and one]...
one:   not one | (some) | word(... | name sign ...
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TypeAlias

from gpnet.common.errors import OptionError
from gpnet.common.messages import quote
from gpnet.posterior.features.base import Feature
from gpnet.posterior.features.text import Cursor

AfterSign: TypeAlias = Callable[[str, Cursor], Feature]  # given the name before the sign
AfterWord: TypeAlias = Callable[[Cursor], Feature]


@dataclass(frozen=True)
class Grammar:
    """The members of the family by what they are told from."""

    signs: Mapping[str, AfterSign]
    words: Mapping[str, AfterWord]  # each stands before a parenthesis

    def whole(self, cursor: Cursor) -> Feature:
        """The feature that all of the text is."""
        feature = self._some(cursor)
        if not cursor.take(r"\Z"):
            raise cursor.wrong("expected 'and', 'or' or the end")
        return feature

    def _some(self, cursor: Cursor) -> Feature:
        feature = self._every(cursor)
        while cursor.take(r"or\b"):
            feature = feature | self._every(cursor)
        return feature

    def _every(self, cursor: Cursor) -> Feature:
        feature = self._one(cursor)
        while cursor.take(r"and\b"):
            feature = feature & self._one(cursor)
        return feature

    def _one(self, cursor: Cursor) -> Feature:
        if cursor.take(r'not(?=[\s("]|\Z)'):
            return ~self._one(cursor)
        if cursor.take(r"\("):
            feature = self._some(cursor)
            cursor.expect(")")
            return feature
        for word, read in self.words.items():
            if cursor.take(rf"{word}(?=\s*\()"):
                return read(cursor)
        return self._after_name(cursor)

    def _after_name(self, cursor: Cursor) -> Feature:
        first = cursor.name()
        sign = cursor.sign()
        if not sign:
            plain = " ".join(sign for sign in self.signs if sign.isascii())
            raise cursor.wrong(f"expected one of {plain}")
        feature = self.signs[sign](first, cursor)
        if further := cursor.sign():
            second = self.signs[further](cursor.last_name, cursor)
            both = quote(f"{feature} and {second}", longest=200)
            raise OptionError(f"feature {quote(cursor.text)}: two signs in a row; write {both}")
        return feature

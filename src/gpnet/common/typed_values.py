"""Checks of values in records: each takes the name of an entry and what it was given.

It returns the value itself, of its plain type, or refuses it by its name.
"""

from collections.abc import Callable, Iterable, Mapping
from math import isfinite, nan
from numbers import Integral, Real
from typing import Any, TypeAlias

from gpnet.common.errors import OptionError
from gpnet.common.messages import quote

Check: TypeAlias = Callable[[str, Any], Any]


def flag(name: str, value: Any) -> bool:
    """True or False."""
    if not isinstance(value, bool):
        raise OptionError(f"{name}: expected true or false, found {quote(value)}")
    return value


def text(name: str, value: Any) -> str:
    """A text that every file can hold."""
    if not isinstance(value, str):
        raise OptionError(f"{name}: expected a text, found {quote(value)}")
    if not is_unicode(value):
        raise OptionError(f"{name}: expected text in Unicode, found {quote(value)}")
    return value


def is_unicode(value: str) -> bool:
    """Whether UTF-8 can hold it; not where it has one half of a surrogate pair."""
    try:
        value.encode()
    except UnicodeEncodeError:
        return False
    return True


def whole(name: str, value: Any) -> int:
    """An integer of any size."""
    if not isinstance(value, Integral) or isinstance(value, bool):
        raise OptionError(f"{name}: expected a whole number, found {quote(value)}")
    return int(value)


def number(name: str, value: Any) -> float:
    """A float; of those that are not finite the one nan, equal to itself in a record."""
    if not isinstance(value, Real) or isinstance(value, bool):
        raise OptionError(f"{name}: expected a number, found {quote(value)}")
    try:
        return float(value) if isfinite(value) else nan
    except OverflowError:
        raise OptionError(f"{name}: expected a number that a float holds") from None


def each(check: Check) -> Check:
    """A list of what the check takes."""

    def checked(name: str, value: Any) -> tuple[Any, ...]:
        if isinstance(value, str | Mapping) or not isinstance(value, Iterable):
            raise OptionError(f"{name}: expected a list, found {quote(value)}")
        return tuple(check(name, one) for one in value)

    return checked


def unless_none(check: Check) -> Check:
    """None, or what the check takes."""
    return lambda name, value: None if value is None else check(name, value)


def mapping(name: str, value: Any) -> dict[str, Any]:
    """From texts to anything."""
    if not isinstance(value, Mapping):
        raise OptionError(f"{name}: expected a mapping, found {quote(value)}")
    return {text(name, key): one for key, one in value.items()}

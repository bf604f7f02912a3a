"""Tiers as text: "motheduc,fatheduc < educ < wage".

Commas stand between the names of a tier, < between tiers. A name with one of these signs, or a
double quote, stands in double quotes, as in a CSV file.
"""

import re
from collections.abc import Sequence
from typing import Final, TypeAlias

from gpnet.common.errors import OptionError
from gpnet.common.messages import quote

Tiers: TypeAlias = tuple[tuple[str, ...], ...]  # names, the earliest tier first

EXAMPLE: Final = "'A,B < C < D'"
_NAME: Final = re.compile(r'\s*(?:"((?:[^"]|"")*)"|([^",<][^,<]*?)?)\s*(?P<sign>[,<]|\Z)')
_PLAIN: Final = re.compile(r'[^\s",<](?:[^\r\n",<]*[^\s",<])?')


def read(text: str) -> Tiers:
    """The tiers that a text names; none of an empty one."""
    if not text.strip():
        return ()
    tiers: list[list[str]] = [[]]
    place, sign = 0, ","
    while sign:
        found = _NAME.match(text, place)
        if found is None:
            rest = quote(text[place:].strip(), longest=30)
            raise OptionError(f"tiers: names as in {EXAMPLE}, found {rest}; mind double quotes")
        name = found[2] or "" if found[1] is None else found[1].replace('""', '"')
        tiers[-1].append(name)
        place, sign = found.end(), found["sign"]
        tiers += [[]] if sign == "<" else []
    checked = tuple(_checked(number, names, text) for number, names in enumerate(tiers, start=1))
    if len(checked) == 1:
        raise OptionError(f"tiers: two or more, as in {EXAMPLE}, found {quote(text)}")
    return checked


def _checked(number: int, names: Sequence[str], text: str) -> tuple[str, ...]:
    if list(names) == [""]:
        raise OptionError(f"tiers: tier {number} of {quote(text)} is empty; name who is in it")
    if "" in names:
        raise OptionError(f"tiers: a name is missing in tier {number} of {quote(text)}")
    return tuple(names)


def written(tiers: Sequence[Sequence[str]]) -> str:
    """The way back from `read`."""
    return " < ".join(",".join(map(_written, names)) for names in tiers)


def _written(name: str) -> str:
    return name if _PLAIN.fullmatch(name) else '"' + name.replace('"', '""') + '"'

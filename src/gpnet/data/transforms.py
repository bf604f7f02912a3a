"""Transforms of columns; to add one, write a function of a column and name it in `TRANSFORMS`.

Which column has which is a text: a word for all columns, as in "log2"; words with names behind a
colon, as in "log2:A,B", the other columns as by default; or several of these, with semicolons
between them. A name with a comma, a semicolon or quotes in it stands in quotes, as in CSV.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final

import numpy as np
from scipy.special import ndtri

from gpnet.common.errors import OptionError
from gpnet.common.messages import meant, one_of, quote
from gpnet.common.types import Floats
from gpnet.data.ties import distinct_values


@dataclass(frozen=True)
class Transform:
    """A function of a column, the bound that its values must exceed, and the way back."""

    apply: Callable[[Floats], Floats]
    above: float = -np.inf
    undo: Callable[[Floats], Floats] | None = None  # None where only the column itself tells it
    log_slope: Callable[[Floats], Floats] | None = None  # log of its derivative; None for ranks


def relative_ranks(x: Floats) -> Floats:
    """(rank - 1/2) / N, ties sharing their average rank."""
    _, place = distinct_values(x)
    n_ties = np.bincount(place)
    rank = n_ties.cumsum() - (n_ties - 1) / 2
    return np.asarray((rank[place] - 0.5) / len(x))


def normal_scores(x: Floats) -> Floats:
    """Normal quantiles of the relative ranks."""
    return np.asarray(ndtri(relative_ranks(x)))


TRANSFORMS: Final = {
    # `learn` may take columns by ranks
    "auto": Transform(lambda x: x, undo=lambda x: x, log_slope=np.zeros_like),
    "none": Transform(lambda x: x, undo=lambda x: x, log_slope=np.zeros_like),
    "log": Transform(np.log, 0.0, np.exp, lambda x: -np.log(x)),
    "log2": Transform(
        lambda x: np.log2(x + 0.5),
        -0.5,
        lambda x: np.exp2(x) - 0.5,
        lambda x: -np.log((x + 0.5) * np.log(2)),
    ),
    "rank-normal": Transform(normal_scores),
}

DEFAULT: Final = "auto"
UNCHANGED: Final = ("auto", "none")  # transforms after which values are what they were


# Which column has which


@dataclass(frozen=True)
class _Chosen:
    others: str  # of columns that are not named
    named: Mapping[str, str]  # by column


def transform_text(given: Any) -> str:
    """What a user asked for, a text or a mapping from columns to transforms, as one text."""
    if isinstance(given, Mapping):
        columns: dict[str, list[str]] = {}
        for name, word in given.items():
            columns.setdefault(_checked(word), []).append(str(name))
        return _written(columns) or DEFAULT
    if not isinstance(given, str):
        _checked(given)
    chosen, columns = _parsed(given), {}
    for name, word in chosen.named.items():
        columns.setdefault(word, []).append(name)
    words = [] if chosen.others == DEFAULT and columns else [chosen.others]
    return ";".join([*words, *filter(None, [_written(columns)])])


def transform_of(text: str, name: str) -> str:
    """The word for one column."""
    chosen = _parsed(text)
    return chosen.named.get(name, chosen.others)


def named_columns(text: str) -> tuple[str, ...]:
    """Those that have a transform of their own."""
    return tuple(_parsed(text).named)


_NAME: Final = r'\s*("(?:[^"]|"")*"|[^",;]*?)\s*'
_PART: Final = re.compile(rf"\s*([^:;]*?)\s*(?::({_NAME}(?:,{_NAME})*))?(?:;|$)")


@lru_cache
def _parsed(text: str) -> _Chosen:
    others, named, place = list[str](), dict[str, str](), 0
    while place < len(text) or not (others or named):
        part = _PART.match(text, place)
        if part is None:
            raise OptionError(
                f"transform {quote(text)}: expected a word, or columns as in log2:A,B"
            )
        word = _checked(part[1])
        names = [_unquoted(name) for name in re.findall(f"{_NAME}(?:,|$)", part[2] or "")]
        names = [name for name in names if name]
        for name in names:
            if named.setdefault(name, word) != word:
                raise OptionError(
                    f"transform: {quote(name)} is named by {quote(named[name])} and by "
                    f"{quote(word)}; give it one"
                )
        others += [] if part[2] is not None else [word]
        place = part.end()
    if len(others) > 1:
        raise OptionError(
            f"transform: {quote(others[0])} and {quote(others[1])} for all columns; give one, or "
            "name columns as in log2:A,B"
        )
    return _Chosen(others[0] if others else DEFAULT, named)


def _checked(word: Any) -> str:
    if not isinstance(word, str) or word not in TRANSFORMS:
        found = f"expected {one_of(TRANSFORMS)}, for some columns as in log2:A,B"
        raise OptionError(f"transform {quote(word)}: {found}{meant(word, TRANSFORMS)}")
    return word


def _unquoted(name: str) -> str:
    return name[1:-1].replace('""', '"') if name.startswith('"') else name


def _written(columns: Mapping[str, list[str]]) -> str:
    return ";".join(f"{word}:{','.join(map(_quoted, names))}" for word, names in columns.items())


def _quoted(name: str) -> str:
    plain = name == name.strip() and not re.search('[",;]', name)
    return name if plain else '"' + name.replace('"', '""') + '"'

"""Checks of what posteriors and their parts are given, each told in the same words."""

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import DTypeLike, NDArray
from scipy.special import logsumexp

from gpnet.common.errors import OptionError
from gpnet.common.messages import quote, quoted
from gpnet.common.typed_values import is_unicode
from gpnet.common.types import Floats

NORMALISED: Final = 1e-9  # how far the log of the sum of the weights may be from 0
LARGEST: Final = 1e100  # of numbers of draws and scores: differences and squares are finite too
DEEPEST: Final = 20  # levels of a record, one inside the other: writers of files go down each


def freeze(record: Any, types: Mapping[str, DTypeLike]) -> None:
    """Make each array of a frozen dataclass one of its type, read-only; copied if it was not."""
    for name, kind in types.items():
        given = np.asarray(getattr(record, name))
        if not np.can_cast(given.dtype, kind, "same_kind"):
            raise OptionError(f"{name}: expected an array of {np.dtype(kind)}, found {given.dtype}")
        array = given.astype(kind, copy=given.flags.writeable)
        array.flags.writeable = False
        object.__setattr__(record, name, array)


def check_shape(name: str, array: NDArray[Any], expected: tuple[int, ...]) -> None:
    """Refuse an array of another shape."""
    if array.shape != expected:
        raise OptionError(f"{name}: expected the shape {expected}, found {array.shape}")


def check_finite(name: str, array: Floats, *, largest: float = np.inf) -> None:
    """Refuse nan, infinities and what is larger, in size, than some number."""
    wrong = ~np.isfinite(array) | (np.abs(array) > largest)
    if wrong.any():
        below = f" up to {largest:g}" if np.isfinite(largest) else ""
        raise OptionError(f"{name}: expected finite numbers{below}, found {array[wrong][0]}")


def check_not_infinite(name: str, array: Floats) -> None:
    """Refuse infinities; nan says that there is no number."""
    if np.isinf(array).any():
        raise OptionError(f"{name}: expected finite numbers or nan, found an infinite one")


def checked_names(given: Iterable[Any]) -> tuple[str, ...]:
    """A text for each variable, all different, and such that every file can hold them."""
    names = tuple(given)
    strange = [name for name in names if not isinstance(name, str)]
    if strange or not names or isinstance(given, str):
        raise OptionError(f"names: expected a text for each variable, found {quote(given)}")
    broken = [name for name in names if not is_unicode(name)]
    if broken:
        raise OptionError(f"names: {quoted(broken)} cannot be written as UTF-8; rename it")
    twice = [name for name, n in Counter(names).items() if n > 1]
    if twice:
        raise OptionError(f"names: {quoted(twice)} more than once; give each variable its own")
    return names


def plain_record(name: str, value: Mapping[str, Any]) -> dict[str, Any]:
    """As it comes back from a file: texts, numbers, lists and mappings only."""
    if not isinstance(value, Mapping):
        raise OptionError(f"{name}: expected a mapping, found {quote(value)}")
    try:
        plain = dict(json.loads(json.dumps(dict(value))))
    except (TypeError, ValueError, RecursionError) as error:
        raise OptionError(f"{name}: expected what JSON can hold ({error})") from error
    if _is_deeper(plain, DEEPEST):
        raise OptionError(f"{name}: expected at most {DEEPEST} levels of lists and mappings")
    return plain


def _is_deeper(value: Any, most: int) -> bool:
    """Whether lists and mappings stand inside each other on more than so many levels."""
    if not isinstance(value, dict | list):
        return False
    inner = value.values() if isinstance(value, dict) else value
    return most == 0 or any(_is_deeper(one, most - 1) for one in inner)


def check_weights(log_weights: Floats) -> None:
    """Refuse weights that do not sum to 1, or none at all."""
    if not len(log_weights):
        raise OptionError("dags: expected one draw or more, found none")
    log_total = float(logsumexp(log_weights))
    if abs(log_total) > NORMALISED:
        raise OptionError(
            f"log_weights: their weights must sum to 1, found exp({log_total:g}); subtract their "
            "logsumexp"
        )


def check_local_scores(
    names: Sequence[str], dags: NDArray[np.bool_], places: NDArray[np.intp]
) -> None:
    """Refuse a parent set of a draw that has no score."""
    missing = np.argwhere(places < 0)
    if len(missing):
        node, draw = missing[0].tolist()
        parents = [names[parent] for parent in np.flatnonzero(dags[draw, :, node]).tolist()]
        raise OptionError(
            f"local_scores: none of {quote(names[node])} given {quoted(parents) or 'nothing'}, "
            f"which is in draw {draw + 1}"
        )

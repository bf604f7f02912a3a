"""Records, arrays and headers in which something is not as it should be."""

import copy
import math
from collections.abc import Iterator
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

NESTED: Final[Any] = eval("[" * 60 + "]" * 60)  # noqa: S307
VALUES: Final[tuple[Any, ...]] = (
    *(None, True, False, 0, 1, -1, 7, 2**31, 10**30, 10**400, 0.5, -0.0, 1e308, 5e-324),
    *(math.nan, math.inf, -math.inf, "", "x", "V1", "=1+1", "\ud800", "\0", "<b>", "a" * 5000),
    *([], {}, [None], [1], ["V1"], [["V1"]], {"a": None}, {"\ud800": 1}, {"": {}}, NESTED),
)
NUMBERS: Final = (math.nan, math.inf, -math.inf, 0.0, -1.0, 1e308, -1e308, 5e-324, 1e17)
KINDS: Final = ("<f8", "<f4", ">f8", "<i4", "<i8", "|u1", "|b1", "<c16", "<U3", "<M8[s]", "<f2")
SHAPES: Final = (
    b"()",
    b"(0,)",
    b"(3,)",
    b"(2, 2)",
    b"(-1,)",
    b"(9999999999999999999, 9)",
    b"(1e3,)",
)


def odd_json(record: Any, rng: np.random.Generator) -> Any:
    """The record with one entry, at any depth, left out, replaced, added or moved."""
    record = copy.deepcopy(record)
    places = list(_places(record))
    if not places:
        return record
    where, key = places[rng.integers(len(places))]
    other, from_key = places[rng.integers(len(places))]
    match rng.integers(5):
        case 0:
            del where[key]
        case 1:
            where[key] = copy.deepcopy(other[from_key])
        case 2 if isinstance(where, dict):
            where[f"{key}s"] = where.pop(key)
        case 3 if isinstance(where, list):
            where.insert(key, _odd(rng))
        case _:
            where[key] = _odd(rng)
    return record


def _places(record: Any) -> Iterator[tuple[Any, Any]]:
    """Every entry of every list and mapping, as the container and the key."""
    keys = record if isinstance(record, dict) else range(len(record))
    for key in keys:
        yield record, key
        if isinstance(record[key], dict | list):
            yield from _places(record[key])


def _odd(rng: np.random.Generator) -> Any:
    return copy.deepcopy(VALUES[rng.integers(len(VALUES))])


def odd_array(array: NDArray[Any], rng: np.random.Generator) -> NDArray[Any]:
    """The array with other values, of another type or of another shape."""
    flat = array.reshape(-1).copy()
    match rng.integers(7):
        case 0:
            with np.errstate(all="ignore"):
                return array.astype(str(rng.choice(KINDS)))
        case 1:
            return array.T if rng.random() < 0.5 else array.reshape(*array.shape, 1)
        case 2:
            return np.concatenate([array, array[: rng.integers(3)]])
        case 3:
            return array[: rng.integers(len(array) + 1)]
        case 4:
            return rng.permutation(flat).reshape(array.shape)
        case 5 if array.dtype.kind == "f":
            some = rng.random(flat.shape) < rng.choice([0.1, 1.0])
            flat[some] = rng.choice(NUMBERS, size=some.sum())
    if array.dtype.kind != "f" and len(flat):
        limits = np.iinfo(array.dtype)
        some = rng.integers(len(flat), size=rng.integers(1, 4))
        flat[some] = rng.choice([limits.min, limits.max, 0, 1, 3, 200], size=len(some)).astype(
            array.dtype
        )
    elif len(flat):
        flat[rng.integers(len(flat))] = rng.choice(NUMBERS)
    return flat.reshape(array.shape)


def odd_header(data: bytes, rng: np.random.Generator) -> bytes:
    """The .npy file with another shape or type in its header than its bytes have."""
    start, end = data.index(b"(", 10), data.index(b")", 10) + 1
    if rng.random() < 0.5:
        changed = data[10:start] + SHAPES[rng.integers(len(SHAPES))] + data[end:128]
    else:
        changed = data[10:128].replace(data[21:24], str(rng.choice(KINDS)).encode(), 1)
    head = changed.rstrip()[: 128 - 11].ljust(128 - 11) + b"\n"
    return data[:10] + head + data[128:]

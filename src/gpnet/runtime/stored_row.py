"""An evidence as a row of a store: a text that says all of it, and a checksum of key and text.

The text is strict JSON with an entry for each field of `Evidence`, by its name; what has its
default is left out, and "nan", "inf" and "-inf" are texts. Fields are written and read by their
type: a new one of a type known here needs nothing here. The checksum finds damage, not forgery:
so what is read is checked for its types too, and never believed.
"""

import json
from collections.abc import Callable
from dataclasses import MISSING, dataclass, fields
from functools import cached_property, partial
from hashlib import blake2b
from math import isfinite
from typing import Any, Final, NamedTuple, cast, get_args, get_origin

from gpnet.common.types import Node, Parents
from gpnet.gp.evidence import Evidence

DEFAULTS: Final = {f.name: f.default for f in fields(Evidence) if f.default is not MISSING}
JSON: Final = json.JSONEncoder(allow_nan=False)  # one for all rows, as making one takes its time
NOT_FINITE: Final = {text: float(text) for text in ("nan", "inf", "-inf")}
LARGEST: Final = 2**63  # of whole numbers: what other code may hold them in
# All that may be wrong with a row, in the words of Python.
COMPLAINTS: Final = (ArithmeticError, LookupError, RecursionError, TypeError, ValueError)


class DamagedRowError(Exception):
    """What a row holds is not what was written for its key."""


@dataclass(frozen=True)
class Source:
    """Where scores come from: the fingerprints of the data and of the score."""

    data: str
    score: str

    @cached_property
    def digest(self) -> bytes:
        """Short, as every row repeats it; the checksum knows the fingerprints themselves."""
        return blake2b(repr((self.data, self.score)).encode(), digest_size=8).digest()


class Key(NamedTuple):
    """What a row is found by."""

    source: bytes
    node: int
    parents: str  # "0 3 7"


def key_of(source: Source, node: Node, parents: Parents) -> Key:
    """Of the evidence of a node given its parents."""
    return Key(source.digest, int(node), " ".join(str(int(parent)) for parent in parents))


def to_row(source: Source, key: Key, evidence: Evidence) -> tuple[str, bytes]:
    """What is stored under the key: the evidence as text, its checksum."""
    told = {
        name: write(value)
        for name, write in WRITERS.items()
        if (value := getattr(evidence, name)) is not DEFAULTS.get(name, MISSING)
    }
    text = JSON.encode(told)
    return text, _checksum(source, key, text.encode())


def from_row(source: Source, key: Key, row: tuple[Any, ...]) -> Evidence:
    """What was stored under the key; texts of the row come as bytes, as any bytes may be there."""
    try:
        text, checksum = row
        if checksum != _checksum(source, key, text):
            raise DamagedRowError
        return _read(json.loads(text.decode("ascii")))
    except COMPLAINTS as error:
        raise DamagedRowError from error


def _checksum(source: Source, key: Key, text: bytes) -> bytes:
    whole = repr((source.data, source.score, key.node, key.parents)).encode()
    return blake2b(whole + text, digest_size=16).digest()


def _read(told: Any) -> Evidence:
    if not isinstance(told, dict):
        raise TypeError("expected fields by name")
    return Evidence(**{name: READERS[name](value) for name, value in told.items()})


# Values, by the type of their field


def _writer(kind: Any) -> Callable[[Any], Any]:
    """From a value to what JSON holds."""
    if get_origin(kind) is tuple:
        write = _writer(get_args(kind)[0])
        return lambda value: [write(one) for one in value]
    return _plain_float if kind is float else cast(Callable[[Any], Any], kind)


def _plain_float(value: float) -> float | str:
    plain = float(value)
    return plain if isfinite(plain) else str(plain)


def _reader(kind: Any) -> Callable[[Any], Any]:
    """From what a writer made to the value; anything else is refused."""
    if get_origin(kind) is tuple:
        read = _reader(get_args(kind)[0])
        return lambda plain: tuple([read(one) for one in _checked(list, plain)])
    if kind is float:
        return lambda plain: plain if type(plain) is float else NOT_FINITE[plain]
    return _whole if kind is int else partial(_checked, kind)


def _whole(plain: Any) -> int:
    if not -LARGEST < _checked(int, plain) < LARGEST:
        raise ValueError("expected a smaller number")
    return int(plain)


def _checked(kind: type, plain: Any) -> Any:
    if type(plain) is not kind:
        raise TypeError(f"expected {kind.__name__}")
    return plain


WRITERS: Final = {field.name: _writer(field.type) for field in fields(Evidence)}
READERS: Final = {field.name: _reader(field.type) for field in fields(Evidence)}

"""The file of a posterior: arrays and plain values, see docs/format.md.

A zip of .npy arrays and one meta.json, none of them compressed: nothing in a file can unfold to
more than the file itself, and the same contents make the same bytes. Reading runs no code of the
file and believes nothing in it: whatever is wrong ends in a FileError.
"""

import io
import json
import os
import re
import struct
import zipfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.metadata import version
from math import prod
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from gpnet.common.atomic_files import write_whole
from gpnet.common.errors import FileError, NewerFileError
from gpnet.common.messages import quote, quoted

FORMAT: Final = "gpnet posterior"
# Files of version 1 have no fits, those of 2 other names for some values, those of 3 no noise, no
# checks and no doubt, those of 4 no experiments and no exogenous columns.
VERSION: Final = 5
RENAMED: Final = {"unseen": "missing_mass"}  # since version 2, also inside the diagnosis
NAME: Final = "posterior.npz"  # in a folder
META: Final = "meta.json"


class Kind(NamedTuple):
    """Of an array: its type, its number of axes, and whether every file has it."""

    kind: str
    n_axes: int
    always: bool = True


ARRAYS: Final = {
    "dags": Kind("|u1", 2),
    "log_weights": Kind("<f8", 1),
    "log_target": Kind("<f8", 1),
    "chain": Kind("<i4", 1),
    "evidence_node": Kind("<i4", 1),
    "evidence_parents": Kind("|u1", 2),
    "evidence_log_marginal": Kind("<f8", 1),
    "evidence_std_error": Kind("<f8", 1),
    "evidence_linear": Kind("<f8", 1),
    "evidence_shaped": Kind("<f8", 1, always=False),
    "evidence_varying": Kind("<f8", 1, always=False),
    "gammas": Kind("<f8", 1, always=False),
    "plain_log_weights": Kind("<f8", 1, always=False),
    "identified": Kind("|u1", 2, always=False),
    "fits_node": Kind("<i4", 1, always=False),
    "fits_parents": Kind("|u1", 2, always=False),
    "fits_fit": Kind("<i4", 1, always=False),
    "fits_parent": Kind("<i4", 1, always=False),
    "fits_x": Kind("<f8", 2, always=False),
    "fits_mean": Kind("<f8", 2, always=False),
    "fits_low": Kind("<f8", 2, always=False),
    "fits_high": Kind("<f8", 2, always=False),
    "fits_shown": Kind("<f8", 2, always=False),
    "fits_residual": Kind("<f8", 2, always=False),
    "checks_parents": Kind("|u1", 2, always=False),
    "checks_linear": Kind("<f8", 1, always=False),
    "checks_shaped": Kind("<f8", 1, always=False),
    "checks_varying": Kind("<f8", 1, always=False),
    "checks_fitted": Kind("<f8", 2, always=False),
    "checks_residual": Kind("<f8", 2, always=False),
    "checks_parent_p": Kind("<f8", 1, always=False),
    "checks_other": Kind("<i4", 1, always=False),
    "checks_other_p": Kind("<f8", 1, always=False),
}
# What meta.json holds beside: for the posterior, and the names of the arrays that must be there.
VALUES: Final[dict[str, tuple[type, ...]]] = {
    "names": (list,),
    "independent": (bool,),
    "missing_mass": (float, type(None)),
    "settings": (dict,),
    "diagnosis": (dict,),
}
TYPES: Final = {"arrays": (list,), **VALUES}
# The header as NumPy writes it, and nothing else: in particular no types that need unpickling.
HEADER: Final = re.compile(
    rb"\x93NUMPY\x01\x00(?P<length>..)\{'descr': '(?P<type>[^']*)', "
    rb"'fortran_order': (?P<fortran>True|False), 'shape': \((?P<shape>[0-9, ]*)\), \} *\n",
    re.DOTALL,
)
EPOCH: Final = (1980, 1, 1, 0, 0, 0)  # of all members, so that the same posterior is the same file
# All that zipfile, struct and json may say of bytes that are not what they should be.
COMPLAINTS: Final = (
    zipfile.BadZipFile,
    struct.error,
    ArithmeticError,
    EOFError,
    LookupError,
    OSError,
    RuntimeError,  # also NotImplementedError and RecursionError
    ValueError,
)


@dataclass(frozen=True, eq=False)
class Contents:
    """What a file holds, by the names in docs/format.md."""

    arrays: Mapping[str, NDArray[Any]]
    values: Mapping[str, Any]  # that JSON can hold


# Writing


def write(path: str | os.PathLike[str], contents: Contents) -> Path:
    """Write the file, wholly or not at all, and say where; in a folder it is posterior.npz."""
    target = _in_folder(Path(path))
    file = io.BytesIO()
    _write_zip(file, _to_members(contents))
    write_whole(target, file.getvalue())
    return target


def _to_members(contents: Contents) -> dict[str, bytes]:
    names = [name for name in ARRAYS if name in contents.arrays]
    head = {"format": FORMAT, "version": VERSION, "gpnet": version("gpnet"), "arrays": names}
    members = {META: json.dumps(head | dict(contents.values), indent=1).encode("ascii")}
    for name in names:
        file = io.BytesIO()
        array = np.ascontiguousarray(contents.arrays[name], dtype=ARRAYS[name].kind)
        np.lib.format.write_array(file, array, version=(1, 0), allow_pickle=False)
        members[f"{name}.npy"] = file.getvalue()
    return members


def _write_zip(file: io.BytesIO, members: Mapping[str, bytes]) -> None:
    with zipfile.ZipFile(file, "w") as archive:
        for name, data in members.items():
            info = zipfile.ZipInfo(name, date_time=EPOCH)
            info.create_system, info.external_attr = 3, 0o644 << 16  # the same on every system
            archive.writestr(info, data)


# Reading


def read(path: str | os.PathLike[str]) -> Contents:
    """What is in the file, or in the posterior.npz of a folder."""
    source = _in_folder(Path(path))
    with told(source, "damaged"):
        members = _read_zip(_read_bytes(source))
    with told(source, "not a posterior of gpnet, or damaged"):
        values = _read_values(members.pop(META))
        _check_members(members, values["arrays"])
    with told(source, "damaged"):
        arrays = {_stem(name): _array(name, data) for name, data in members.items()}
    return Contents(arrays, {name: values[name] for name in VALUES})


@contextmanager
def told(path: str | os.PathLike[str], what: str) -> Iterator[None]:
    """Say which file it is, what is the matter and what helps."""
    try:
        yield
    except FileError as error:
        raise type(error)(f"{path}: {error}") from error
    except COMPLAINTS as error:
        raise FileError(
            f"{path}: {what} ({error}); restore it from a copy, or learn it again"
        ) from error


def _in_folder(path: Path) -> Path:
    return path / NAME if os.path.isdir(path) else path  # no folder where nobody may look


def _read_bytes(path: Path) -> bytes:
    try:
        with open(path, "rb") as file:
            start = file.read(4)
            if start != b"PK\x03\x04":  # before all of some film is read
                raise FileError(f"not a posterior of gpnet; name the {NAME} that it wrote")
            return start + file.read()
    except FileNotFoundError as error:
        raise FileError(f"no such file; name the {NAME} that gpnet wrote, or its folder") from error
    except OSError as error:
        raise FileError(f"cannot be read ({error.strerror or error})") from error


def _read_zip(data: bytes) -> dict[str, bytes]:
    """The members; each of them is a part of data, so that none is larger."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        members = archive.infolist()
        names = [member.filename for member in members]
        if META not in names:
            raise FileError(f"not a posterior of gpnet: it holds no {META}")
        if len(set(names)) < len(names):
            raise FileError("damaged: a member is there twice")
        for member in members:
            if member.compress_type != zipfile.ZIP_STORED:
                raise FileError(f"{quote(member.filename)} is compressed; store it as it is")
            if not member.file_size == member.compress_size <= len(data):
                raise FileError(f"damaged: {quote(member.filename)} is of another size than told")
        return {member.filename: archive.read(member) for member in members}


def _read_values(data: bytes) -> dict[str, Any]:
    values: Any = json.loads(data.decode("utf-8"))
    if not isinstance(values, dict) or values.get("format") != FORMAT:
        raise FileError(f"not a posterior of gpnet: {META} does not say {FORMAT!r}")
    number = values.get("version")
    if type(number) is not int or number < 1:
        raise FileError(f"damaged: version {quote(number)} in {META}")
    if number > VERSION:
        raise NewerFileError(
            f"of version {number}, this gpnet reads up to version {VERSION}; update gpnet"
        )
    if number < 3:
        values = _renamed(values)
    for name, kinds in TYPES.items():
        if name not in values or not isinstance(values[name], kinds):
            raise FileError(f"damaged: {name!r} in {META} is missing or no {kinds[0].__name__}")
    return dict(values)


def _renamed(values: dict[str, Any]) -> dict[str, Any]:
    """Old names to new ones; what did not apply was null in a diagnosis, and is left out now."""
    values = {RENAMED.get(name, name): value for name, value in values.items()}
    if isinstance(values.get("diagnosis"), dict):
        diagnosis = {RENAMED.get(name, name): one for name, one in values["diagnosis"].items()}
        if diagnosis.get("missing_mass", 0) is None:
            del diagnosis["missing_mass"]
        values["diagnosis"] = diagnosis
    return values


def _check_members(members: Mapping[str, bytes], listed: list[Any]) -> None:
    strange = [name for name in members if not (name.endswith(".npy") and _stem(name) in ARRAYS)]
    if strange:
        raise FileError(f"not a posterior of gpnet: it holds {quoted(strange)} too")
    needed = [name for name, array in ARRAYS.items() if array.always or name in listed]
    missing = [f"{name}.npy" for name in needed if f"{name}.npy" not in members]
    if missing:
        raise FileError(f"damaged: {quoted(missing)} missing")


def _stem(name: str) -> str:
    return name.removesuffix(".npy")


def _array(name: str, data: bytes) -> NDArray[Any]:
    """The array of a .npy file, if it is of the type and the number of axes that it must have."""
    kind, n_axes = ARRAYS[_stem(name)][:2]
    header = HEADER.match(data)
    if not header or header.end() != 10 + int.from_bytes(header["length"], "little"):
        raise FileError(f"damaged: {name} has no header of version 1.0, as NumPy writes it")
    shape = tuple(int(number) for number in re.findall(rb"\d+", header["shape"]))
    found = header["type"].decode("ascii", "replace")
    if found != kind or header["fortran"] != b"False" or len(shape) != n_axes:
        raise FileError(
            f"damaged: {name}: expected {kind} of {n_axes} axes by rows, found {quote(found)} of "
            f"{len(shape)}"
        )
    if len(data) - header.end() != np.dtype(kind).itemsize * prod(shape):
        raise FileError(f"damaged: {name}: the shape {shape} is not that of its bytes")
    return np.frombuffer(data, dtype=kind, offset=header.end()).reshape(shape)


# Bits


def pack(flags: NDArray[np.bool_]) -> NDArray[np.uint8]:
    """(m, ...) -> (m, bytes): the flags of each row in order, eight a byte, highest bit first."""
    return np.packbits(flags.reshape(len(flags), prod(flags.shape[1:])), axis=1)


def unpack(packed: NDArray[np.uint8], shape: tuple[int, ...]) -> NDArray[np.bool_]:
    """What was packed, each row of this shape."""
    n_flags = prod(shape)
    if packed.shape[1] != -(-n_flags // 8):
        raise FileError(f"damaged: expected {n_flags} bits a row, found {packed.shape[1]} bytes")
    flags = np.unpackbits(packed, axis=1, count=n_flags)
    flags.flags.writeable = False
    return flags.view(np.bool_).reshape(len(packed), *shape)

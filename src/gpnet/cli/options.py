"""Texts of the command line as values."""

import csv
import os
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from gpnet.common.errors import OptionError
from gpnet.common.messages import quote
from gpnet.inference.tiers import EXAMPLE, read

UNITS: Final = {"": 1, "s": 1, "m": 60, "h": 3600, "d": 86400}


def number_pair(option: str, text: str) -> tuple[float, float]:
    """Two numbers as in 2,2."""
    try:
        first, second = (float(part) for part in text.split(","))
    except ValueError:
        raise OptionError(f"--{option}: two numbers as in 2,2; found {quote(text)}") from None
    return first, second


def seconds_of(option: str, text: str) -> float:
    """A time as in 90, 30s, 10m or 2h."""
    found = re.fullmatch(r"\s*(\d+(?:\.\d*)?)\s*([smhd]?)\s*", text)
    if not found or not float(found[1]) > 0:
        raise OptionError(f"--{option}: a time as in 30s, 10m or 2h; found {quote(text)}")
    return float(found[1]) * UNITS[found[2]]


def split_names(option: str, text: str) -> list[str]:
    """Names as in A,B; one that has a comma in it stands in quotes."""
    try:
        return next(csv.reader([text], skipinitialspace=True))
    except (csv.Error, StopIteration):
        expected = "names as in A,B on one line"
        raise OptionError(f"--{option}: {expected}; found {quote(text)}") from None


def tiers_in(text: str) -> Sequence[Sequence[str]]:
    """Of a text as in 'A,B < C', or of a file; the earliest first."""
    if os.path.isfile(text):
        return _tiers_of_file(Path(text))
    if text.strip() and "<" not in text:
        raise OptionError(f"--tiers: {quote(text)} is neither a file nor tiers as in {EXAMPLE}")
    return read(text)


def _tiers_of_file(path: Path) -> list[list[str]]:
    """A tier a line, its names as in A,B."""
    try:
        with open(path, newline="", encoding="utf-8-sig") as file:
            rows = [row for row in csv.reader(file, skipinitialspace=True) if any(row)]
    except OSError as error:
        raise OptionError(f"--tiers: {path} cannot be read ({error.strerror})") from None
    except (csv.Error, UnicodeDecodeError):
        raise OptionError(f"--tiers: {path}: expected a tier a line, its names as in A,B") from None
    return [[name.strip() for name in row if name.strip()] for row in rows]

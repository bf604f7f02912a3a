"""The settings that a posterior carries: any record may be one, but what is read has its type.

options    as `settings.toml` has them, so without null
data       table: the name of its file, if it had one; fingerprint, rows, variables, transform;
           ranked: columns taken by ranks; exogenous; assumed: those of them that nobody named
chosen     space, sampler: what "auto" stood for
"""

import os
from collections.abc import Iterable, Mapping
from typing import Any, Final

from gpnet.common.errors import OptionError
from gpnet.common.messages import printable, quote
from gpnet.common.spreadsheets import inert
from gpnet.common.typed_values import Check, each, flag, mapping, text, whole
from gpnet.common.validation import plain_record


def levels(name: str, value: Any) -> None:
    """Of each categorical column, what its levels are called."""
    for column, these in mapping(name, value).items():
        each(text)(f"{name}.{column}", these)


KNOWN: Final[Mapping[str, Mapping[str, Check]]] = {
    "options": {
        "max_parents": whole,
        "require": each(text),
        "forbid": each(text),
        "tiers": each(each(text)),
        "roots": each(text),
        "spreadsheet_safe": flag,
        "keep_data": flag,
    },
    "data": {
        "table": text,
        "fingerprint": text,
        "rows": whole,
        "variables": whole,
        "transform": text,
        "ranked": each(text),
        "exogenous": each(text),
        "assumed": each(text),
        "levels": levels,
    },
    "chosen": {"space": text, "sampler": text},
}


def checked_settings(given: Mapping[str, Any]) -> dict[str, Any]:
    """As they come back from a file."""
    settings = plain_record("settings", given)
    for part, checks in KNOWN.items():
        found = mapping(f"settings.{part}", settings.get(part, {}))
        for name, check in checks.items():
            if name in found:
                check(f"settings.{part}.{name}", found[name])
    _check_without_null("settings.options", settings.get("options", {}))
    return settings


def with_table_name(settings: Mapping[str, Any], source: Any) -> dict[str, Any]:
    """With what the file of the table is called, if it was one."""
    if not isinstance(source, str | os.PathLike) or str(source) == "-":
        return dict(settings)
    name = printable(os.path.basename(os.fspath(source)))
    return {**settings, "data": {**settings.get("data", {}), "table": name}}


def names_for_csv(names: Iterable[str], settings: Mapping[str, Any]) -> list[str]:
    """As they are, or such that no spreadsheet takes one for a formula, if the run asked for it."""
    safe = settings.get("options", {}).get("spreadsheet_safe", False)
    return [inert(name) for name in names] if safe else list(names)


def _check_without_null(name: str, value: Any) -> None:
    """TOML has no null, and the report offers the options as TOML."""
    if value is None:
        raise OptionError(f"{name}: expected a value, found {quote(value)}; leave the entry out")
    if isinstance(value, dict):
        for key, one in value.items():
            _check_without_null(f"{name}.{key}", one)
    if isinstance(value, list):
        for one in value:
            _check_without_null(name, one)

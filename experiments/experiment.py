"""What an experiment is: a folder with settings, a run and a figure."""

import tomllib
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from importlib import import_module
from pathlib import Path
from typing import Any, TypeAlias

import pandas as pd

HERE = Path(__file__).parent
NAMES = sorted(found.parent.name.replace("_", "-") for found in HERE.glob("*/settings.toml"))

Settings: TypeAlias = dict[str, Any]
Key: TypeAlias = dict[str, Any]  # the columns that say which row it is
Row: TypeAlias = dict[str, Any]  # those that were measured


class ExperimentError(Exception):
    """A request that cannot be met; the command ends with 2."""


@dataclass(frozen=True)
class Place:
    """Where a run works and with what; no number depends on it."""

    folder: Path  # for files of its own, such as stores of scores
    workers: int | None  # None: all cores


@dataclass(frozen=True)
class Experiment:
    """`keys` says which rows there are, `measure` makes one, `report` sums them up.

    One that shows rows of another has its name as `rows_of`, and `select` takes of them what it
    shows.
    """

    name: str
    settings: Settings
    keys: Callable[[Settings], list[Key]]
    measure: Callable[[Key, Settings, Place], Row]
    report: Callable[[pd.DataFrame, Settings], Iterable[Any]]  # what rich can print
    draw: Callable[[pd.DataFrame, Settings], Any]  # a figure of matplotlib
    minutes: float = 1  # that it takes from the start, on two cores
    rows_of: str | None = None
    select: Callable[[pd.DataFrame], pd.DataFrame] | None = None

    @classmethod
    def load(cls, name: str, *, quick: bool) -> "Experiment":
        """By its name."""
        if name not in NAMES:
            raise ExperimentError(f"there is no experiment {name!r}; there are {', '.join(NAMES)}")
        settings = _settings(name, quick)
        run, figure = _module(name, "run"), _module(name, "figure")
        if "rows_of" not in settings:
            minutes = settings.pop("minutes")
            return cls(name, settings, run.keys, run.measure, run.report, figure.draw, minutes)
        other = cls.load(settings["rows_of"], quick=quick)
        return replace(
            other,
            name=name,
            report=run.report,
            draw=figure.draw,
            rows_of=other.name,
            select=run.select,
        )


def _module(name: str, part: str) -> Any:
    return import_module(f"experiments.{name.replace('-', '_')}.{part}")


def _settings(name: str, quick: bool) -> Settings:
    """Those of the file that is included, of both modes, and of [full] or [quick]."""
    settings = _read(HERE / name.replace("-", "_") / "settings.toml")
    if "include" in settings:
        settings = _read(HERE / settings.pop("include")) | settings
    modes = settings.pop("full", {}), settings.pop("quick", {})
    return settings | modes[quick]


def _read(path: Path) -> Settings:
    return tomllib.loads(path.read_text(encoding="utf-8"))

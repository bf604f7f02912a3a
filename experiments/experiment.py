"""What an experiment is: a folder with settings, a run and a figure."""

import tomllib
from collections.abc import Callable, Iterable
from dataclasses import dataclass
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
    """A wrong wish; the command ends with 2."""


@dataclass(frozen=True)
class Place:
    """Where a run works and with what; no number depends on it."""

    folder: Path  # for files of its own, such as stores of scores
    workers: int | None  # None: all cores


@dataclass(frozen=True)
class Experiment:
    """`keys` says which rows there are, `measure` makes one, `report` tells what they mean."""

    name: str
    settings: Settings
    keys: Callable[[Settings], list[Key]]
    measure: Callable[[Key, Settings, Place], Row]
    report: Callable[[pd.DataFrame, Settings], Iterable[Any]]  # what rich can print
    draw: Callable[[pd.DataFrame], Any]  # a figure of matplotlib

    @classmethod
    def load(cls, name: str, *, quick: bool) -> "Experiment":
        """By its name."""
        if name not in NAMES:
            raise ExperimentError(f"there is no experiment {name!r}; there are {', '.join(NAMES)}")
        package = f"experiments.{name.replace('-', '_')}"
        figure = import_module(f"{package}.figure")
        run = import_module(f"{package}.run")
        return cls(name, _settings(name, quick), run.keys, run.measure, run.report, figure.draw)


def _settings(name: str, quick: bool) -> Settings:
    """Those of both modes, and those of [full] or [quick]."""
    path = HERE / name.replace("-", "_") / "settings.toml"
    settings = tomllib.loads(path.read_text(encoding="utf-8"))
    modes = settings.pop("full"), settings.pop("quick")
    return settings | modes[quick]

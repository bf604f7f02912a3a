"""From an experiment to its rows, its figure and its report."""

import fcntl
import json
import platform
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.metadata import version
from pathlib import Path
from time import monotonic
from typing import Any

from baselines.environment import environments
from rich.console import Console

from experiments import reference
from experiments.experiment import Experiment, ExperimentError, Key, Place
from experiments.rows import Rows


def run(experiment: Experiment, out: Path, workers: int | None) -> None:
    """The rows that are not there yet, then the figure, then the report."""
    rows_of = experiment.rows_of or experiment.name
    with _alone(out / f"{rows_of}.lock"):
        _run(experiment, rows_of, out, workers)


def _run(experiment: Experiment, rows_of: str, out: Path, workers: int | None) -> None:
    console, keys = Console(width=120), experiment.keys(experiment.settings)
    _keep_record(experiment, out / f"{rows_of}.json")
    rows = Rows(out / f"{rows_of}.csv", list(keys[0]))
    missing = rows.missing(keys)
    done = len(keys) - len(missing)
    cost = f"all of them take some {_words(60 * experiment.minutes)} on two cores"
    console.print(f"{rows_of}: {len(keys)} rows, {done} of them done before; {cost}")
    console.print(f"the authors' data sets: {reference.source()}")
    place = Place(out / rows_of, workers)
    place.folder.mkdir(exist_ok=True)
    for key, since in _timed(missing, console):
        measured = experiment.measure(key, experiment.settings, place)
        seconds = measured.pop("seconds", monotonic() - since)  # its own, where part is no matter
        rows.append(key, measured, seconds)
    frame = rows.frame()
    if experiment.select:
        shown = experiment.select(frame)
        shown.to_csv(out / f"{experiment.name}.csv", index=False, lineterminator="\n")
    experiment.draw(frame, experiment.settings).savefig(out / f"{experiment.name}.png", dpi=100)
    _tell(list(experiment.report(frame, experiment.settings)), console, out / experiment.name)


def _tell(report: list[Any], console: Console, path: Path) -> None:
    """Texts, such as tables in Markdown, are kept in a file too, and printed as they are there."""
    texts = [told for told in report if isinstance(told, str)]
    if texts:
        path.with_name(f"{path.name}.md").write_text("\n".join(texts), encoding="utf-8")
    for told in report:
        if isinstance(told, str):
            console.print(told, markup=False, highlight=False, soft_wrap=True)
        else:
            console.print(told)


def _timed(keys: list[Key], console: Console) -> Iterator[tuple[Key, float]]:
    """Each key with the time it began; after 1, 2, 4, 8, ... rows, how long the rest will take."""
    start = monotonic()
    for n_done, key in enumerate(keys):
        if n_done and n_done & (n_done - 1) == 0:
            spent = monotonic() - start
            left = spent / n_done * (len(keys) - n_done)
            console.print(f"{n_done} of {len(keys)} in {_words(spent)}, {_words(left)} to go")
        yield key, monotonic()


def _words(seconds: float) -> str:
    for unit, size in (("h", 3600), ("min", 60)):
        if seconds >= size:
            return f"{seconds / size:.1f} {unit}"
    return f"{seconds:.1f} s"


@contextmanager
def _alone(path: Path) -> Iterator[None]:
    """Exhibits that share rows would write them twice, were they started together."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise ExperimentError(f"{path}: another process is making these rows") from None
        yield


def _keep_record(experiment: Experiment, path: Path) -> None:
    """All rows of a file are of the same settings and versions, so that they can be compared."""
    record = _record(experiment)
    if path.exists():
        found = json.loads(path.read_text(encoding="utf-8"))
        differing = [name for name in {**record, **found} if found.get(name) != record.get(name)]
        if not differing:
            return
        raise ExperimentError(
            f"{path} tells of a run with other {', '.join(differing)}; choose another --out, or "
            "remove what is there"
        )
    fresh = path.with_suffix(".new")
    fresh.write_text(json.dumps(record, indent=2) + "\n", encoding="utf-8")
    fresh.replace(path)


def _record(experiment: Experiment) -> dict[str, Any]:
    """Seeds are among the settings."""
    return {
        "experiment": experiment.rows_of or experiment.name,
        "settings": experiment.settings,
        "authors_data": reference.source(),
        "versions": {
            "python": platform.python_version(),
            **{name: version(name) for name in ("gpnet", "numpy", "pandas", "scipy")},
            **environments(),
        },
    }

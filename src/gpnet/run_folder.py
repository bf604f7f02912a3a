"""The folder of a run: what is kept, so that it can be read, repeated and gone on with.

    settings.toml    all settings, data included: enough to repeat the run
    scores.sqlite    every score that was computed (see `store`)
    posterior.npz    the result (see docs/format.md); written last, so that it tells of a whole run
    edges.csv        parent, child, probability, std_error
    summary.json     settings, diagnosis and edges, for programs
    log.txt          what happened when

Every file but the log and the store is written whole or not at all. May import posterior and
below.
"""

import os
import tomllib
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from typing import Any, Final

import tomli_w

from gpnet.errors import FileError
from gpnet.findings import quote
from gpnet.plain_json import to_json
from gpnet.posterior import Posterior, load
from gpnet.writing import write_whole

HEADING: Final = "# gpnet learn --config settings.toml --out ANOTHER repeats this run\n"
RECORDED: Final = "recorded"  # the table in settings.toml of what nobody sets
NOT_COMPARED: Final = {"data", RECORDED}  # the same table may have moved; its fingerprint tells


class RunFolder:
    """A folder for one run."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = Path(path)
        self.settings = self.path / "settings.toml"
        self.scores = self.path / "scores.sqlite"
        self.posterior = self.path / "posterior.npz"

    @property
    def begun(self) -> bool:
        """Whether there is a run to go on with."""
        return self.settings.exists()

    def begin(self, settings: Mapping[str, Any], recorded: Mapping[str, Any]) -> None:
        """Make the folder, or see that it holds this very run."""
        if self.begun:
            self._check_same(settings, recorded)
            return
        try:
            self.path.mkdir(parents=True, exist_ok=True)
            strangers = sorted(entry.name for entry in self.path.iterdir())
        except OSError as error:
            raise FileError(
                f"{self.path}: cannot be a folder for the run ({error.strerror}); name another"
            ) from None
        if strangers:
            raise FileError(
                f"{self.path}: holds other files ({quote(strangers[0])}); name a folder that is "
                "empty or not there yet"
            )
        text = HEADING + tomli_w.dumps({**settings, RECORDED: dict(recorded)})
        write_whole(self.settings, text.encode())

    def finished(self) -> Posterior | None:
        """The result, if the run has come to its end; a damaged one is made again."""
        try:
            return load(self.posterior)
        except FileError:
            return None

    def finish(self, posterior: Posterior, summary: Mapping[str, Any]) -> None:
        """Write the result; the posterior last."""
        edges = posterior.edges().to_csv(index=False, lineterminator="\n")
        write_whole(self.path / "edges.csv", edges.encode())
        write_whole(self.path / "summary.json", to_json(summary, indent=2).encode())
        posterior.save(self.posterior)

    def log(self, text: str) -> None:
        """One more line; a log that cannot be written is no reason to stop."""
        line = f"{datetime.now().astimezone().isoformat(timespec='seconds')} {text}\n"
        try:
            with open(self.path / "log.txt", "a", encoding="utf-8") as file:
                file.write(line)
        except OSError:
            return

    def _check_same(self, settings: Mapping[str, Any], recorded: Mapping[str, Any]) -> None:
        there = read_settings(self.settings)
        if there.get(RECORDED, {}).get("fingerprint") != recorded["fingerprint"]:
            raise FileError(
                f"{self.path}: holds a run on other data; name another folder for this one"
            )
        changed = [
            f"{name} was {there.get(name)!r} and is {settings.get(name)!r}"
            for name in {**there, **settings}
            if name not in NOT_COMPARED and there.get(name) != settings.get(name)
        ]
        if changed:
            raise FileError(
                f"{self.path}: holds a run with other settings ({'; '.join(changed)}); name "
                "another folder, or give the same settings to go on"
            )


def read_settings(path: Path) -> dict[str, Any]:
    """Options by name, as a user or `begin` wrote them."""
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise FileError(f"{path}: cannot be read ({error.strerror})") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise FileError(
            f"{path}: is not TOML ({error}); write options as in draws = 1000"
        ) from None

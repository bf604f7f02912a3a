"""The folder of a run: what is kept, so that it can be read, repeated and gone on with.

    settings.toml    all settings, data included: enough to repeat the run
    scores.sqlite    every score that was computed (see `store`)
    table.npz        the table in the user's units, for effects and predictions; unless left out
    posterior.npz    the result (see docs/format.md); written last, so that it tells of a whole run
    edges.csv        parent, child, probability, std_error
    summary.json     settings, diagnosis and edges, for programs
    report.html      the result to look at; made from the posterior, and can be made again
    log.txt          what happened when

Every file but the log and the store is written whole or not at all. One process at a time works
in a folder.
"""

import csv
import os
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import Any, Final, Literal

import tomli_w

from gpnet.common.atomic_files import temporary, write_whole
from gpnet.common.errors import FileError, NewerFileError
from gpnet.common.messages import printable, quote
from gpnet.common.strict_json import to_json
from gpnet.posterior import learnt_tables
from gpnet.posterior.learnt_tables import LearntTables
from gpnet.posterior.posterior import Posterior, load
from gpnet.posterior.recorded_settings import names_for_csv

HEADING: Final = "# gpnet learn --config settings.toml --out ANOTHER repeats this run\n"
RECORDED: Final = "recorded"  # the table in settings.toml of what nobody sets
NOT_COMPARED: Final = {"data", RECORDED}  # the same table may have moved; its fingerprint tells
KNOWLEDGE: Final = ("require", "forbid", "tiers", "roots", "exogenous")
DRAWING: Final = ("bag", "doubt", "draws", "chains", "thin", "imputations")
MAY_CHANGE: Final = (*KNOWLEDGE, *DRAWING)  # what scores do not depend on


class RunFolder:
    """A folder for one run."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = Path(path)
        self.settings = self.path / "settings.toml"
        self.scores = self.path / "scores.sqlite"
        self.posterior = self.path / "posterior.npz"
        self.edges = self.path / "edges.csv"
        self.summary = self.path / "summary.json"
        self.report = self.path / "report.html"
        self.table = self.path / learnt_tables.NAME

    @property
    def begun(self) -> bool:
        """Whether there is a run to go on with; not where nobody may look."""
        return os.path.exists(self.settings)

    @contextmanager
    def at_work(
        self, settings: Mapping[str, Any], recorded: Mapping[str, Any], *, resumed: bool = False
    ) -> Iterator[None]:
        """Meanwhile the folder is there, holds this very run, and no other process works in it.

        One that is resumed may know more, and be drawn from in another way.
        """
        try:
            self.path.mkdir(parents=True, exist_ok=True)
            entries = sorted(entry.name for entry in self.path.iterdir())
        except OSError as error:
            raise FileError(
                f"{self.path}: cannot be a folder for the run ({error.strerror}); name another"
            ) from None
        with _alone_in(self.path):
            if self.begun:
                self._check_same(settings, recorded, MAY_CHANGE if resumed else ())
                if resumed:
                    self._write_settings(settings, recorded)
            else:
                self._begin(settings, recorded, entries)
            yield

    def finished(self) -> Posterior | None:
        """The result, if the run has come to its end.

        One that is damaged, lacks a file, was cut short by a time budget or made with another
        knowledge, or in another way, than the settings ask for now is made again; one by a newer
        gpnet is left as it is.
        """
        if not (self.edges.exists() and self.summary.exists()):
            return None
        try:
            posterior = load(self.posterior)
        except NewerFileError:
            raise
        except FileError:
            return None
        diagnosis = posterior.diagnosis
        options = posterior.settings.get("options", {})
        if options and self._asked_otherwise(posterior.settings):
            return None
        asked = options.get("imputations", 1)
        fewer = diagnosis.imputations is not None and diagnosis.imputations < asked
        cut_short = diagnosis.share_unscored or diagnosis.relations_unfitted or fewer
        return None if cut_short or diagnosis.first_answer else posterior

    def _asked_otherwise(self, made: Mapping[str, Any]) -> bool:
        """Whether settings were changed since; `made` are those of the posterior."""
        if not self.begun:
            return False
        asked, options = read_settings(self.settings), made["options"]
        others = [name for name in MAY_CHANGE if name != "exogenous"]
        if any(asked.get(name) != options.get(name) for name in others):
            return True
        data = made.get("data", {})
        if "assumed" not in data:
            return False
        said = {*data["exogenous"]} - {*data["assumed"]} - {asked.get("condition")}
        return said != {*asked.get("exogenous", [])} - {asked.get("condition")}

    def finish(
        self, posterior: Posterior, summary: Mapping[str, Any], *, keep_data: bool = True
    ) -> None:
        """Write the result; the posterior last. The table only where it is to be kept."""
        if keep_data and isinstance(posterior.tables, LearntTables):
            posterior.tables.write(self.table)
        write_whole(self.edges, _edges_csv(posterior).encode())
        write_whole(self.summary, to_json(summary, indent=2).encode())
        posterior.save(self.posterior)

    def log(self, text: str) -> None:
        """One more line; a log that cannot be written is no reason to stop."""
        now = datetime.now().astimezone().isoformat(timespec="seconds")
        try:
            with open(self.path / "log.txt", "a", encoding="utf-8") as file:
                file.write(f"{now} {printable(text)}\n")
        except OSError:
            return

    def _begin(
        self, settings: Mapping[str, Any], recorded: Mapping[str, Any], entries: Sequence[str]
    ) -> None:
        ours = temporary(self.settings).name  # of one that was killed while it wrote them
        strangers = [name for name in entries if name != ours]
        if strangers:
            raise FileError(
                f"{self.path}: holds other files ({quote(strangers[0])}); name a folder that is "
                "empty or not there yet"
            )
        self._write_settings(settings, recorded)

    def _write_settings(self, settings: Mapping[str, Any], recorded: Mapping[str, Any]) -> None:
        text = HEADING + tomli_w.dumps({**settings, RECORDED: dict(recorded)})
        write_whole(self.settings, text.encode())

    def _check_same(
        self, settings: Mapping[str, Any], recorded: Mapping[str, Any], may_change: Sequence[str]
    ) -> None:
        there = read_settings(self.settings)
        known = there.get(RECORDED)
        if not isinstance(known, dict) or known.get("fingerprint") != recorded["fingerprint"]:
            raise FileError(
                f"{self.path}: holds a run on other data, or with columns in other roles; name "
                "another folder for this one"
            )
        changed = [
            f"{name} was {_told(there, name)} and is {_told(settings, name)}"
            for name in {**there, **settings}
            if name not in {*NOT_COMPARED, *may_change} and there.get(name) != settings.get(name)
        ]
        if changed:
            raise FileError(
                f"{self.path}: holds a run with other settings ({'; '.join(changed)}); name "
                f"another folder, or give the same settings to go on; only {', '.join(MAY_CHANGE)} "
                "may be changed, with --resume"
            )


@contextmanager
def _alone_in(folder: Path) -> Iterator[None]:
    """Refuses where another process is at work; a process that dies lets go by itself."""
    if os.name != "posix":  # other systems cannot lock a folder
        yield
        return
    import fcntl

    handle = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(handle)
        raise FileError(
            f"{folder}: another gpnet is at work there; wait for its end, or name another folder"
        ) from None
    except OSError:  # a file system without locks: then it is the user who must take care
        pass
    try:
        yield
    finally:
        os.close(handle)


def _edges_csv(posterior: Posterior) -> str:
    """As few quotes as csv needs; it forgets that a carriage return needs them too."""
    edges, tricky = posterior.edges(), any("\r" in name for name in posterior.names)
    for end in ("parent", "child"):
        edges[end] = names_for_csv(edges[end], posterior.settings)
    quoting: Literal[0, 2] = csv.QUOTE_NONNUMERIC if tricky else csv.QUOTE_MINIMAL
    return edges.to_csv(index=False, lineterminator="\n", quoting=quoting)


def _told(settings: Mapping[str, Any], name: str) -> str:
    return quote(settings[name]) if name in settings else "not set"


def read_settings(path: Path) -> dict[str, Any]:
    """Options by name, as a user or `begin` wrote them."""
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise FileError(f"{path}: cannot be read ({error.strerror})") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError) as error:
        raise FileError(
            f"{path}: is not TOML ({error}); write options as in draws = 1000"
        ) from None

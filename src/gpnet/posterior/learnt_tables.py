"""The table that a posterior was learnt from: what effects and predictions are computed with.

In the folder of a run it is table.npz, which `numpy.load` reads: `values` in the user's units
(N, n) with nan where there was none, and what else makes the very same `Dataset` again. A table
whose cells were imputed is kept once, with the drawn cells of each of its completed twins.
"""

import io
import json
import os
import zipfile
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from gpnet.common.atomic_files import write_whole
from gpnet.common.errors import DataError, FileError, GpnetError
from gpnet.data.dataset import Dataset
from gpnet.data.standardise import read_only
from gpnet.posterior.npz_file import COMPLAINTS

NAME: Final = "table.npz"  # in a folder
FORMAT: Final = "gpnet table 1"


@dataclass(frozen=True, eq=False)
class LearntTables:
    """What was given, and what scores saw of it: columns by ranks, missing cells drawn."""

    given: Dataset
    completed: tuple[Dataset, ...]  # one, or one for each imputation

    def write(self, path: str | os.PathLike[str]) -> None:
        """To a file, wholly or not at all."""
        file = io.BytesIO()
        np.savez(file, **self._arrays())  # type: ignore[arg-type]
        write_whole(path, file.getvalue())

    def _arrays(self) -> dict[str, NDArray[Any]]:
        given = self.given
        values = np.column_stack([given.in_measured(j) for j in range(given.n_variables)])
        meta = {
            "format": FORMAT,
            "names": given.names,
            "transform": given.transform,
            "exogenous": given.exogenous,
            "assumed": given.assumed,
            "levels": {name: list(levels) for name, levels in given.levels.items()},
            "ranked": self.completed[0].ranked,
        }
        found: dict[str, NDArray[Any]] = {"meta": np.array(json.dumps(meta)), "values": values}
        if given.measured is not None:
            found["transformed"] = given.values  # to the last bit, whoever reads it
        if given.interventions is not None:
            found["interventions"] = given.interventions
        if given.gaps is not None:
            found["gaps"] = given.gaps
            found["at_first"] = given.values[given.gaps]
            found["values"][given.gaps] = np.nan
            found["imputed"] = np.stack([one.values[given.gaps] for one in self.completed])
        return found


@dataclass(frozen=True, eq=False)
class TablesFile:
    """The same in a file, read when it is first asked for."""

    path: Path
    fingerprint: str  # of the table that was learnt from

    @cached_property
    def tables(self) -> LearntTables:
        """What it holds, if that is the table that was learnt from."""
        try:
            found = _read(self.path)
        except FileError:
            raise
        except (*COMPLAINTS, GpnetError, TypeError, AttributeError, MemoryError, zlib.error) as bad:
            raise FileError(
                f"{self.path}: damaged, or not a table of gpnet ({bad}); delete it, and name the "
                "file that was learnt from (--data, or with_data)"
            ) from bad
        if found.given.fingerprint != self.fingerprint:
            raise FileError(
                f"{self.path}: not the table that this posterior was learnt from; delete it, and "
                "name the file that was (--data, or with_data)"
            )
        return found


def beside(path: str | os.PathLike[str], settings: Mapping[str, Any]) -> TablesFile | None:
    """The table in the folder of a posterior's file, or in a folder itself."""
    folder = Path(path) if os.path.isdir(path) else Path(path).parent
    fingerprint = settings.get("data", {}).get("fingerprint")
    file = folder / NAME
    return TablesFile(file, fingerprint) if fingerprint and os.path.isfile(file) else None


def tables_of(data: Dataset, settings: Mapping[str, Any]) -> LearntTables:
    """Of a table that is given anew; refused if it is another than the recorded one."""
    recorded = settings.get("data", {})
    if data.fingerprint != recorded.get("fingerprint"):
        same_size = (data.n_rows, data.n_variables) == (
            recorded.get("rows"),
            recorded.get("variables"),
        )
        found = "other values or options" if same_size else f"{data.n_rows:,} rows"
        raise DataError(
            f"the table has {found}, and is not the one that was learnt from "
            f"({recorded.get('rows', 0):,} rows of {recorded.get('variables', 0):,} columns, "
            f"transform {recorded.get('transform', 'none')}). Remedy: give the same file, and the "
            "same options (transform, drop, exogenous, interventions, ...)"
        )
    if recorded.get("imputed"):
        raise DataError(
            "missing cells were imputed, and the completed tables were not kept. Remedy: learn "
            "again, and keep the table (without --no-keep-data)"
        )
    return LearntTables(data, (data.by_ranks(recorded.get("ranked", ())),))


def _read(path: Path) -> LearntTables:
    with zipfile.ZipFile(path) as archive:
        if any(member.compress_type != zipfile.ZIP_STORED for member in archive.infolist()):
            raise FileError(f"{path}: compressed, as no table of gpnet is; delete it")
    with np.load(path, allow_pickle=False) as file:
        arrays = {name: file[name] for name in file.files}
    meta = json.loads(str(arrays["meta"]))
    if meta["format"] != FORMAT:
        raise FileError(f"{path}: of another format ({meta['format']}); update gpnet")
    values = np.array(arrays["values"], dtype=np.float64)
    gaps, transformed = arrays.get("gaps"), arrays.get("transformed")
    measured = None if transformed is None else read_only(values)
    values = values if transformed is None else np.array(transformed, dtype=np.float64)
    if values.ndim != 2 or values.shape[1] != len(meta["names"]):
        raise FileError(f"{path}: damaged, of shape {values.shape}; delete it")
    if gaps is not None:
        values[gaps] = arrays["at_first"]
    completed = [values]
    if gaps is not None:
        completed = [values.copy() for _ in arrays["imputed"]]
        for one, drawn in zip(completed, arrays["imputed"], strict=True):
            one[gaps] = drawn
    # Sound, as its fingerprint will show: it was checked when it was learnt from.
    given = Dataset._of_checked(
        read_only(values),
        tuple(meta["names"]),
        meta["transform"],
        (),
        exogenous=tuple(meta["exogenous"]),
        assumed=tuple(meta["assumed"]),
        levels={name: tuple(levels) for name, levels in meta["levels"].items()},
        interventions=arrays.get("interventions"),
        gaps=gaps,
        measured=measured,
    )
    ranked = given.by_ranks(meta["ranked"])._with(gaps=None)
    return LearntTables(given, tuple(ranked._with(values=read_only(one)) for one in completed))

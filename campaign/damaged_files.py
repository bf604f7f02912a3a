"""Posterior files that were damaged: refused as a FileError, or every answer can be had of them.

A file is damaged in its values (meta.json), in its arrays, or in the zip around them; the damage
of trial number i is that of the seed (seed, i). What is not refused is printed, summarised,
compared and made a report of, and none of it may raise an error or a warning.
"""

import io
import json
import sys
import warnings
import zipfile
from collections import Counter
from collections.abc import Callable
from contextlib import redirect_stdout
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, TypeAlias

import numpy as np

from campaign.odd_values import odd_array, odd_header, odd_json
from gpnet.cli.render import print_posterior
from gpnet.common.errors import FileError
from gpnet.common.strict_json import to_json
from gpnet.inference.learn import learn
from gpnet.inference.run_folder import RunFolder
from gpnet.posterior.metrics import compare
from gpnet.posterior.posterior import Posterior, load
from gpnet.report.page import page
from gpnet.simulation.networks import simulate

META = "meta.json"
Members: TypeAlias = dict[str, bytes]  # of a zip, by name
Rng: TypeAlias = np.random.Generator


def run(n: int, seed: int) -> Counter[str]:
    """Damage n files; how many of each kind of damage were refused, and how many answered."""
    counts: Counter[str] = Counter()
    with TemporaryDirectory() as folder:
        sound = sound_files(Path(folder))
        path = Path(folder) / "damaged.npz"
        for trial in range(n):
            rng = np.random.default_rng((seed, trial))
            kind = str(rng.choice(list(DAMAGES)))
            path.write_bytes(DAMAGES[kind](sound[rng.integers(len(sound))], rng))
            try:
                counts[f"{kind}: {outcome(path)}"] += 1
            except Exception as error:
                raise AssertionError(f"seed {seed}, trial {trial}, {kind}") from error
    return counts


def outcome(path: Path) -> str:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        try:
            posterior = load(path)
        except FileError as error:
            if not str(error).startswith(str(path)):
                raise AssertionError(f"{error} does not name the file") from error
            return "refused"
        ask_everything(posterior, path.parent)
    return "answered"


def ask_everything(posterior: Posterior, folder: Path) -> None:
    """What show, report, compare and a resumed learn do with a posterior."""
    page(posterior).encode()
    summary = posterior.summary()
    to_json(summary).encode()
    str(summary).encode()
    with redirect_stdout(io.StringIO()):
        print_posterior(posterior)
    compare(posterior.dags, posterior.weights, posterior.dags[0])
    RunFolder(folder).finish(posterior, summary)


# Sound files


def sound_files(folder: Path) -> list[Members]:
    """With all that a file may hold: fits, knowledge, gammas, chains; and of each version."""
    table = simulate(nodes=4, rows=40, edge_probability=0.6, seed=1).frame()
    knowledge: dict[str, Any] = {"forbid": ["V1 -> V2"], "tiers": [["V1", "V2"], ["V3", "V4"]]}
    exact = learn(table, draws=60, workers=1, **knowledge)
    chains = learn(
        table, score="bge", sampler="partition", prior="learned", chains=2, draws=60, workers=1
    )
    three = [members_of(posterior.save(folder / "sound.npz")) for posterior in (exact, chains)]
    return [*three, as_version(2, three[0]), as_version(1, three[1])]


def members_of(path: Path) -> Members:
    with zipfile.ZipFile(path) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def as_version(version: int, members: Members) -> Members:
    """As an older gpnet wrote it."""
    meta = json.loads(members[META])
    meta |= {"version": version, "unseen": meta.pop("missing_mass")}
    meta["diagnosis"]["unseen"] = meta["diagnosis"].pop("missing_mass", None)
    if version == 1:
        members = {name: data for name, data in members.items() if not name.startswith("fits_")}
        meta["arrays"] = [name for name in meta["arrays"] if not name.startswith("fits_")]
    return members | {META: json.dumps(meta).encode()}


def zipped(members: Members, compression: int = zipfile.ZIP_STORED) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", compression) as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    return file.getvalue()


# Damages: each takes a sound file apart and puts it together otherwise


def _values(members: Members, rng: Rng) -> bytes:
    meta = json.loads(members[META])
    for _ in range(rng.integers(1, 4)):
        meta = odd_json(meta, rng)
    return zipped(members | {META: json.dumps(meta).encode()})


def _array(members: Members, rng: Rng) -> bytes:
    name = str(rng.choice([name for name in members if name != META]))
    array = np.load(io.BytesIO(members[name]))
    file = io.BytesIO()
    np.lib.format.write_array(file, odd_array(array, rng), allow_pickle=False)
    return zipped(members | {name: file.getvalue()})


def _header(members: Members, rng: Rng) -> bytes:
    name = str(rng.choice([name for name in members if name != META]))
    return zipped(members | {name: odd_header(members[name], rng)})


def _bytes_of_member(members: Members, rng: Rng) -> bytes:
    """Where the checksum of the zip knows nothing of it."""
    name = str(rng.choice(list(members)))
    return zipped(members | {name: _flipped(members[name], rng)})


def _bytes_of_zip(members: Members, rng: Rng) -> bytes:
    return _flipped(zipped(members), rng)


def _flipped(data: bytes, rng: Rng) -> bytes:
    changed = bytearray(data)
    for place in rng.integers(len(data), size=rng.integers(1, 9)):
        changed[place] = rng.integers(256)
    return bytes(changed)


def _cut(members: Members, rng: Rng) -> bytes:
    data = zipped(members)
    start, stop = sorted(rng.integers(len(data) + 1, size=2).tolist())
    return data[:start] + data[stop:] if rng.random() < 0.5 else data[:stop]


def _members(members: Members, rng: Rng) -> bytes:
    """One too few, too many, twice, under the name of another, or all of them compressed."""
    one, other = (str(name) for name in rng.choice(list(members), size=2, replace=False))
    file = io.BytesIO(zipped(members))
    match rng.integers(5):
        case 0:
            return zipped({name: data for name, data in members.items() if name != one})
        case 1:
            return zipped(members | {f"{one}.npy": members[one]})
        case 2:
            with warnings.catch_warnings(), zipfile.ZipFile(file, "a") as archive:
                warnings.simplefilter("ignore")
                archive.writestr(one, members[other])
            return file.getvalue()
        case 3:
            return zipped(members | {one: members[other], other: members[one]})
    return zipped(members, zipfile.ZIP_DEFLATED)


DAMAGES: dict[str, Callable[[Members, Rng], bytes]] = {
    "values": _values,
    "array": _array,
    "header": _header,
    "bytes of a member": _bytes_of_member,
    "bytes of the zip": _bytes_of_zip,
    "cut": _cut,
    "members": _members,
}

if __name__ == "__main__":
    for what, number in sorted(run(int(sys.argv[1]), int(sys.argv[2])).items()):
        print(f"{number:7,}  {what}")

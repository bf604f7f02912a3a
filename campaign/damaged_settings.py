"""Settings of a run that were damaged: `gpnet learn` refuses them in words, or takes them.

Each file is given once as --config, to plan a run without making it, and once as the settings of a
finished run, with --resume; a command ends with its own exit codes, and never with a traceback.
"""

import shutil
import sys
import tomllib
from collections import Counter
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import tomli_w
from typer.testing import CliRunner

import gpnet.cli  # noqa: F401  # all commands
from campaign.odd_values import odd_json
from gpnet.cli.app import app
from gpnet.simulation.networks import simulate

ENDINGS = {0: "taken", 2: "refused", 3: "taken"}
GIVEN = ("--score", "bge", "--draws", 50, "--workers", 1, "--forbid", "V1 -> V2", "--drop", "V4")


def run(n: int, seed: int) -> Counter[str]:
    """Damage n files; how many were refused and taken by each of the two commands."""
    counts: Counter[str] = Counter()
    with TemporaryDirectory() as parent:
        folder = Path(parent)
        simulate(nodes=4, rows=40, edge_probability=0.6, seed=1).write(folder)
        table, sound, damaged = folder / "data.csv", folder / "sound", folder / "damaged"
        ending("learn", table, *GIVEN, "--out", sound)
        settings = (sound / "settings.toml").read_bytes()
        for trial in range(n):
            rng = np.random.default_rng((seed, trial))
            shutil.copytree(sound, damaged)
            config = damaged / "settings.toml"
            config.write_bytes(damage(settings, rng))
            try:
                planned = ending("learn", table, "--config", config, "--dry-run")
                resumed = ending("learn", "--resume", "--out", damaged)
            except Exception as error:
                raise AssertionError(f"seed {seed}, trial {trial}") from error
            counts.update([f"--config: {planned}", f"--resume: {resumed}"])
            shutil.rmtree(damaged)
    return counts


def ending(*arguments: object) -> str:
    result = CliRunner().invoke(app, [str(argument) for argument in arguments])
    if result.exception and not isinstance(result.exception, SystemExit):
        raise result.exception
    return ENDINGS[result.exit_code]


def damage(settings: bytes, rng: np.random.Generator) -> bytes:
    """Other entries, or other bytes."""
    if rng.random() < 0.3:
        changed = bytearray(settings)
        for place in rng.integers(len(changed), size=rng.integers(1, 5)):
            changed[place] = rng.integers(256)
        return bytes(changed)
    record = tomllib.loads(settings.decode())
    for _ in range(rng.integers(1, 4)):
        record = odd_json(record, rng)
    try:
        return tomli_w.dumps(record).encode()
    except (TypeError, ValueError):  # what TOML cannot hold
        return damage(settings, rng)


if __name__ == "__main__":
    for what, number in sorted(run(int(sys.argv[1]), int(sys.argv[2])).items()):
        print(f"{number:7,}  {what}")

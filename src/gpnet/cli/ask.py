"""gpnet ask: what people may know that would settle most."""

import shlex
from pathlib import Path

import pandas as pd

from gpnet.cli.app import Json, app, out, print_json, say
from gpnet.cli.query import Run
from gpnet.common.errors import FileError
from gpnet.common.messages import printable
from gpnet.inference.run_folder import RunFolder
from gpnet.posterior.posterior import Posterior, load

NONE = "No question about a direction is open whose answer would settle much."
OTHERWISE = "Where it is yes, and cannot be the other way round, forbid the other arrow."


@app.command(name="ask")
def ask_command(run: Run, as_json: Json = False) -> None:
    """List the questions whose answers would settle most.

    With each comes its gain: the bits by which the entropy of all directions together is expected
    to fall, once the answer is known. And the option that says no to it, for gpnet learn --resume,
    which needs no score again and takes seconds.

    Example: gpnet ask run
    """
    posterior = _drawn(run)
    found = posterior.questions()
    if as_json:
        print_json(found.to_dict("records"))
    elif found.empty:
        out.print(NONE)
    else:
        _tell(found)
        _tell_how(run)
        out.print(OTHERWISE, soft_wrap=True)


def print_questions(posterior: Posterior, run: Path, *, most: int) -> None:
    """The first of them, for the end of a run; nothing where there is none."""
    found = posterior.questions().head(most)
    if len(found):
        out.print()
        out.print("Answers that would settle most:")
        _tell(found)
        _tell_how(run)


def _drawn(run: Path) -> Posterior:
    """The result of a run; one that has only begun says how to go on."""
    folder = RunFolder(run)
    if folder.begun and not folder.posterior.exists():
        again = f"gpnet learn --resume --out {shlex.quote(printable(run))}"
        raise FileError(f"{run}: this run has no draws to ask yet; finish it first: {again}")
    return load(run)


def _tell(found: pd.DataFrame) -> None:
    """A line each, however long, so that options can be pasted."""
    for question, gain, option in found.itertuples(index=False):
        say(out, f"{gain:.2f} bits", f"{question} If not: {option}")


def _tell_how(run: Path) -> None:
    folder = printable(run if run.is_dir() else run.parent)
    say(out, "To answer:", f"gpnet learn --resume --out {shlex.quote(folder)} and the options")

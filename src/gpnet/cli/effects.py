"""gpnet effect, predict and advise: what happens if, what comes next, and what to try next."""

from pathlib import Path
from typing import Annotated, Any

import numpy as np
import pandas as pd
import typer
from rich.table import Table
from rich.text import Text

from gpnet.cli.app import Json, Seed, app, out, print_json, say
from gpnet.cli.query import Run, TableFile, WithoutDoubt, with_table
from gpnet.common.atomic_files import write_whole
from gpnet.common.errors import OptionError
from gpnet.common.messages import printable, quote
from gpnet.posterior.posterior import Posterior
from gpnet.posterior.recorded_settings import names_for_csv

ALL_DRAWS, ONE_EFFECT, OF_ROWS = 200, 500, 200  # unless given
SHOWN = 9  # settings of a curve that are printed

Draws = Annotated[int | None, typer.Option(help="Of functions: more are more exact.")]


@app.command()
def effect(
    run: Run,
    cause: Annotated[str | None, typer.Argument(metavar="CAUSE", help="What is set.")] = None,
    target: Annotated[str | None, typer.Argument(metavar="TARGET", help="What changes.")] = None,
    do: Annotated[
        str | None,
        typer.Option(metavar="A,B", help="From A to B; unless given, between the quartiles."),
    ] = None,
    direct: Annotated[bool, typer.Option("--direct", help="All other parents are held.")] = False,
    every: Annotated[bool, typer.Option("--all", help="Of all variables on all others.")] = False,
    out_file: Annotated[
        Path | None, typer.Option("--out", "-o", metavar="FILE.csv", help="With --all.")
    ] = None,
    data: TableFile = None,
    draws: Draws = None,
    seed: Seed = 0,
    without_doubt: WithoutDoubt = False,
    as_json: Json = False,
) -> None:
    """What happens to TARGET when CAUSE is set, counting that the network is not known for sure.

    Examples:

    gpnet effect run PKC Jnk

    gpnet effect run PKC Jnk --do 0.5,2 --json

    gpnet effect run --all --out effects.csv
    """
    if every:
        _refuse("--all", {"CAUSE": cause, "--do": do, "--direct": direct or None})
        posterior = with_table(run, data, without_doubt=without_doubt)
        _tell_all(posterior, draws or ALL_DRAWS, seed, out_file, as_json=as_json)
        return
    if cause is None or target is None:
        raise OptionError("CAUSE, TARGET: two variables, as in gpnet effect run PKC Jnk; or --all")
    _refuse("CAUSE TARGET", {"--out": out_file})
    posterior = with_table(run, data, without_doubt=without_doubt)
    asked: dict[str, Any] = {"direct": direct, "draws": draws or ONE_EFFECT, "seed": seed}
    found = posterior.effect(cause, target, do=None if do is None else _two(do), **asked)
    if as_json:
        print_json(found.record())
        return
    out.print(Text(printable(found.sentence())), soft_wrap=True)
    if found.derivative is not None:
        say(out, "Mean slope:", str(found.derivative))
    frame = found.frame()
    some_rows = frame.iloc[:: max(1, -(-len(frame) // SHOWN))]
    headings = {"value": f"{cause} set to", "mean": f"mean of {target}", "low": "low 90%"}
    headings["high"] = "high 90%"
    out.print(_table(some_rows[list(headings)].rename(columns=headings)))


def _refuse(with_what: str, given: dict[str, Any]) -> None:
    for name, value in given.items():
        if value is not None:
            raise OptionError(f"{name}: not together with {with_what}; leave out one of the two")


def _two(text: str) -> list[str]:
    parts = [part.strip() for part in text.split(",")]
    if len(parts) != 2 or not all(parts):
        raise OptionError(f"--do: two values as in 0.5,2; found {quote(text)}")
    return parts


def _tell_all(
    posterior: Posterior, draws: int, seed: int, out_file: Path | None, *, as_json: bool
) -> None:
    frame = posterior.effects(draws=draws, seed=seed).frame()
    if out_file is not None:
        written = frame.copy()
        for end in ("cause", "target"):
            written[end] = names_for_csv(written[end], posterior.settings)
        write_whole(out_file, written.to_csv(index=False, lineterminator="\n").encode())
        say(out, f"{printable(out_file)}:", f"{len(frame):,} effects, the most probable first")
        return
    if as_json:
        print_json({"effects": frame.to_dict("records")})
        return
    columns = ["cause", "target", "probability", "identified", "from", "to", "mean", "low", "high"]
    frame["identified"] = np.where(frame["identified"], "yes", "no")
    out.print(_table(frame[columns]))
    out.print("identified: whether an experiment or knowledge tells the direction", style="dim")


def _table(frame: pd.DataFrame) -> Table:
    table = Table(box=None, pad_edge=False)
    for name in frame.columns:
        table.add_column(Text(printable(name)), justify="right", overflow="fold")
    for row in frame.itertuples(index=False):
        table.add_row(*(Text(_cell(value)) for value in row))
    return table


def _cell(value: object) -> str:
    return f"{value:.4g}" if isinstance(value, float) else printable(value)


@app.command()
def predict(
    run: Run,
    new: Annotated[Path, typer.Argument(metavar="NEW.csv", help="Rows with the same columns.")],
    target: Annotated[str, typer.Argument(metavar="TARGET", help="The variable to predict.")],
    out_file: Annotated[
        Path | None, typer.Option("--out", "-o", metavar="FILE.csv", help="Else on stdout.")
    ] = None,
    data: TableFile = None,
    draws: Draws = None,
    seed: Seed = 0,
    as_json: Json = False,
) -> None:
    """Predict TARGET in new rows, given its parents there, averaged over what these may be.

    As CSV: row, mean, low and high of 90%, and the log density of the value in the row, if any.

    Example: gpnet predict run new.csv Erk
    """
    posterior = with_table(run, data)
    found = posterior.predict(new, target, draws=draws or OF_ROWS, seed=seed)
    frame = found.frame().reset_index()
    if frame["log_density"].isna().all():
        frame = frame.drop(columns="log_density")
    if as_json:
        print_json({"target": target, "rows": frame.to_dict("records")})
    elif out_file is not None:
        write_whole(out_file, frame.to_csv(index=False, lineterminator="\n").encode())
        say(out, f"{printable(out_file)}:", f"{len(frame):,} rows")
    else:
        out.out(frame.to_csv(index=False, lineterminator="\n"), end="")


@app.command()
def advise(
    run: Run,
    about: Annotated[
        str | None,
        typer.Option(metavar="FEATURE", help='Such as "A -> B"; the whole network unless given.'),
    ] = None,
    rows: Annotated[int, typer.Option(help="Of the experiment.")] = 100,
    dags: Annotated[int, typer.Option(help="To be told apart: more are more exact.")] = 60,
    data: TableFile = None,
    seed: Seed = 0,
    without_doubt: WithoutDoubt = False,
    as_json: Json = False,
) -> None:
    """Which variable to set in the next experiment, to learn most about a question.

    Examples:

    gpnet advise run

    gpnet advise run --about "PKC -> Jnk" --rows 50
    """
    posterior = with_table(run, data, without_doubt=without_doubt)
    found = posterior.advise(about, rows=rows, dags=dags, seed=seed)
    if as_json:
        print_json(found.record())
        return
    out.print(Text(printable(found.sentence())), soft_wrap=True)
    headings = {"variable": "set", "gain": "bits to be gained", "error": "error", "share": "share"}
    out.print(_table(found.frame()[list(headings)].rename(columns=headings)))

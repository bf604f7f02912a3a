"""The command line: parses arguments, calls the package, prints.

Results go to stdout (with --json as JSON and nothing else), all the rest to stderr.
Exit codes: 0 done, 2 bad input, 130 interrupted.
"""

import csv
import json
import sys
from math import isfinite
from pathlib import Path
from typing import Annotated, Any, TypeVar

import typer
from rich.console import Console
from rich.table import Table

from gpnet import __version__
from gpnet.dataset import TRANSFORMS, Dataset, check_table, load_table
from gpnet.demo import run_demo
from gpnet.errors import GpnetError, OptionError
from gpnet.gp.evidence import EVIDENCES, Evidence
from gpnet.gp.priors import Hyperpriors, InverseGamma, Normal
from gpnet.scores import SCORES, ScoreSettings
from gpnet.simulate import MODELS, simulate

T = TypeVar("T")
out = Console(highlight=False)
err = Console(stderr=True, highlight=False)
app = typer.Typer(
    help="Which variables drive which, and how sure can we be?",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
)

Data = Annotated[Path, typer.Argument(metavar="DATA", help="A CSV, TSV or Parquet table.")]
Transform = Annotated[str, typer.Option(help=f"Of every column: {', '.join(TRANSFORMS)}.")]
Delimiter = Annotated[str | None, typer.Option(help="If neither comma (.csv) nor tab (.tsv).")]
Drop = Annotated[list[str] | None, typer.Option(help="A column to leave out; may be repeated.")]
Json = Annotated[bool, typer.Option("--json", help="Print JSON on stdout.")]
Seed = Annotated[int, typer.Option(min=0, help="Same seed, same numbers.")]


def main() -> None:
    """The `gpnet` command."""
    try:
        app()
    except GpnetError as error:
        err.print(f"[bold red]gpnet:[/] {_plain(str(error))}", soft_wrap=True)
        sys.exit(2)
    except KeyboardInterrupt:
        err.print("gpnet: interrupted")
        sys.exit(130)
    except BrokenPipeError:
        sys.exit(0)


@app.callback(invoke_without_command=True)
def version_option(
    version: Annotated[bool, typer.Option("--version", help="Print the version.")] = False,
) -> None:
    """Which variables drive which, and how sure can we be?"""
    if version:
        out.print(f"gpnet {__version__}")
        raise typer.Exit


@app.command()
def demo(seed: Seed = 8) -> None:
    """Run the main job on a built-in example.

    Example: gpnet demo
    """
    run_demo(out, seed=seed)


@app.command()
def check(
    data: Data,
    transform: Transform = "none",
    delimiter: Delimiter = None,
    drop: Drop = None,
    as_json: Json = False,
) -> None:
    """Tell everything that stands in the way of learning from a table, at once.

    Example: gpnet check cells.csv --transform log2
    """
    findings = check_table(data, transform=transform, delimiter=delimiter, drop=tuple(drop or ()))
    n_errors = sum(finding.level == "error" for finding in findings)
    if as_json:
        _print_json({"errors": n_errors, "findings": [vars(finding) for finding in findings]})
    else:
        for finding in findings:
            colour = "red" if finding.level == "error" else "yellow"
            out.print(f"[{colour}]●[/] {_plain(str(finding))}", soft_wrap=True)
        out.print(_verdict(str(data), n_errors, len(findings) - n_errors))
    raise typer.Exit(2 if n_errors else 0)


@app.command(name="simulate")
def simulate_command(
    out_folder: Annotated[Path, typer.Option("--out", help="Folder for data.csv and dag.csv.")],
    nodes: Annotated[int, typer.Option(help="Number of variables.")] = 10,
    rows: Annotated[int, typer.Option(help="Number of observations.")] = 100,
    model: Annotated[str, typer.Option(help=f"One of {', '.join(MODELS)}.")] = "fourier",
    nonlinearity: Annotated[
        float, typer.Option(help="The paper's lambda, for fourier; 0 is exactly linear.")
    ] = 1.0,
    edge_probability: Annotated[float, typer.Option(help="For each pair of variables.")] = 0.2,
    seed: Seed = 0,
    as_json: Json = False,
) -> None:
    """Write a table from a random network, and the DAG it came from.

    Example: gpnet simulate --nodes 10 --rows 100 --nonlinearity 1 --seed 1 --out sim
    """
    simulation = simulate(
        nodes=nodes,
        rows=rows,
        model=model,
        nonlinearity=nonlinearity,
        edge_probability=edge_probability,
        seed=seed,
    )
    simulation.write(out_folder)
    n_edges = int(simulation.dag.sum())
    if as_json:
        _print_json({"out": str(out_folder), "rows": rows, "nodes": nodes, "edges": n_edges})
    else:
        folder = _plain(str(out_folder))
        out.print(f"{folder}/data.csv: {rows} rows, {nodes} variables", soft_wrap=True)
        out.print(f"{folder}/dag.csv: {n_edges} edges (row = parent, column = child)")


@app.command(name="score")
def score_command(
    data: Data,
    node: Annotated[str, typer.Argument(metavar="NODE", help="The variable that is explained.")],
    parents: Annotated[
        list[str] | None,
        typer.Option(help="Its parents, as A,B; quote a name that has a comma in it."),
    ] = None,
    score: Annotated[str, typer.Option(help=f"One of {', '.join(SCORES)}.")] = "gp",
    evidence: Annotated[str, typer.Option(help=f"One of {', '.join(EVIDENCES)}.")] = "qmc",
    seed: Seed = 0,
    transform: Transform = "none",
    delimiter: Delimiter = None,
    drop: Drop = None,
    lengthscale_prior: Annotated[str, typer.Option(help="Inverse gamma: shape,scale.")] = "2,2",
    noise_prior: Annotated[str, typer.Option(help="Inverse gamma, of the sd.")] = "1,1",
    amplitude_prior: Annotated[str, typer.Option(help="Inverse gamma, for gp2.")] = "1,1",
    mean_prior: Annotated[str, typer.Option(help="Normal: mean,sd.")] = "0,1",
    am: Annotated[float, typer.Option(help="For bge: weight of the prior mean.")] = 1.0,
    aw: Annotated[float | None, typer.Option(help="For bge; n + am + 1 unless given.")] = None,
    prior_mean: Annotated[float, typer.Option(help="For bge: of every variable.")] = 0.0,
    as_json: Json = False,
) -> None:
    """Print the log marginal likelihood of one variable given a set of parents.

    Example: gpnet score sachs.csv Akt --parents Erk,PKA --transform log2 --json
    """
    table = load_table(data, transform=transform, delimiter=delimiter, drop=tuple(drop or ()))
    family = _family(table, node, parents or [])
    hyperpriors = Hyperpriors(
        lengthscale=InverseGamma(*_pair("lengthscale-prior", lengthscale_prior)),
        noise=InverseGamma(*_pair("noise-prior", noise_prior)),
        amplitude=InverseGamma(*_pair("amplitude-prior", amplitude_prior)),
        mean=Normal(*_pair("mean-prior", mean_prior)),
    )
    method = _choose("evidence", evidence, EVIDENCES)()
    settings = ScoreSettings(method, hyperpriors, seed, am, aw, prior_mean)
    scorer = _choose("score", score, SCORES).from_settings(settings)
    for warning in table.warnings:
        err.print(f"[yellow]gpnet:[/] {_plain(str(warning))}", soft_wrap=True)
    with err.status(f"scoring {_plain(node)} on {table.n_rows} rows ..."):
        result = scorer.log_marginal(table, family[0], tuple(family[1:]))
    names = [table.names[i] for i in family]
    if as_json:
        _print_json(_score_record(result, names, score, table, seed))
    else:
        _print_score(result, names, score)


def _family(table: Dataset, node: str, texts: list[str]) -> list[int]:
    """Columns of the node and of its parents."""
    names = []
    for text in texts:
        names += [text] if text in table.names else next(csv.reader([text], skipinitialspace=True))
    columns = [table.column(name) for name in [node, *names]]
    for column in columns:
        if columns.count(column) > 1:
            role = "is its own parent" if column == columns[0] else "is named twice"
            raise OptionError(f"--parents: '{table.names[column]}' {role}; name each parent once")
    return columns


def _choose(option: str, name: str, table: dict[str, type[T]]) -> type[T]:
    if name not in table:
        raise OptionError(f"--{option}: one of {', '.join(table)}; found '{name}'")
    return table[name]


def _pair(option: str, text: str) -> tuple[float, float]:
    try:
        first, second = (float(part) for part in text.split(","))
    except ValueError:
        raise OptionError(f"--{option}: two numbers as in 2,2; found '{text}'") from None
    return first, second


def _score_record(
    result: Evidence, names: list[str], score: str, table: Dataset, seed: int
) -> dict[str, Any]:
    return {
        "log_marginal": result.value,
        "std_error": result.std_error,
        "node": names[0],
        "parents": names[1:],
        "score": score,
        "method": result.method,
        "n_evaluations": result.n_evaluations,
        "n_modes": result.n_modes,
        "khat": result.khat,
        "ess": result.ess,
        "warnings": list(result.warnings),
        "seed": seed,
        "rows": table.n_rows,
        "data_fingerprint": table.fingerprint,
    }


def _print_score(result: Evidence, names: list[str], score: str) -> None:
    given = ", ".join(names[1:]) or "no parents"
    table = Table(show_header=False, box=None)
    error = f" ± {result.std_error:.2g}" if isfinite(result.std_error) else ""
    table.add_row("log p", f"[bold]{result.value:.4f}[/]{error}")
    table.add_row("of", _plain(f"{names[0]} given {given}"))
    table.add_row("by", f"{score}, {result.method}, {result.n_evaluations} evaluations")
    out.print(table)
    for warning in result.warnings:
        err.print(f"[yellow]gpnet:[/] {_plain(warning)}", soft_wrap=True)


def _verdict(source: str, n_errors: int, n_warnings: int) -> str:
    warnings = f"{n_warnings} warning{'s' * (n_warnings != 1)}"
    if n_errors:
        errors = f"{n_errors} error{'s' * (n_errors != 1)}"
        return f"[bold red]{_plain(source)} cannot be used yet: {errors}, {warnings}.[/]"
    return f"[bold green]{_plain(source)} can be used: no errors, {warnings}.[/]"


def _plain(text: str) -> str:
    """User's text is never markup."""
    return text.replace("[", "\\[")


def _print_json(record: dict[str, Any]) -> None:
    """JSON has no nan or infinity: null stands for them."""
    clean = {
        key: None if isinstance(value, float) and not isfinite(value) else value
        for key, value in record.items()
    }
    sys.stdout.write(json.dumps(clean, ensure_ascii=False, allow_nan=False) + "\n")

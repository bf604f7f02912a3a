"""Commands that make tables and score single sets of parents: simulate, score."""

from collections.abc import Mapping
from math import isfinite
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.table import Table
from rich.text import Text

from gpnet.cli.app import (
    Condition,
    Data,
    Delimiter,
    Drop,
    Exogenous,
    Interventions,
    Json,
    Keep,
    Missing,
    ModelDiscrete,
    Seed,
    Transform,
    app,
    err,
    out,
    print_json,
    say,
    warn,
)
from gpnet.cli.learn_options import NUMBER_PAIRS, SETTINGS, reading_in
from gpnet.cli.options import number_pair, split_names
from gpnet.common.errors import OptionError
from gpnet.common.messages import quote
from gpnet.data.dataset import Dataset
from gpnet.data.issues import grouped
from gpnet.data.load import load_table
from gpnet.gp.evidence import EVIDENCE_METHODS, Evidence
from gpnet.gp.kernels import KERNELS
from gpnet.gp.noise import NOISES
from gpnet.inference.plan import make_score
from gpnet.inference.settings import AUTO, Settings
from gpnet.scores import SCORES
from gpnet.simulation.networks import MODELS, simulate


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
    interventions: Annotated[int, typer.Option(help="Variables that are set, one at a time.")] = 0,
    rows_each: Annotated[int, typer.Option(help="Rows in which each of these is set.")] = 50,
    conditions: Annotated[
        int, typer.Option(help="Levels of a column that moves some variables.")
    ] = 0,
    covariates: Annotated[int, typer.Option(help="Columns that drive some variables.")] = 0,
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
        interventions=interventions,
        rows_each=rows_each,
        conditions=conditions,
        covariates=covariates,
        seed=seed,
    )
    simulation.write(out_folder)
    n_edges, rows = int(simulation.dag.sum()), len(simulation.values)
    if as_json:
        print_json({"out": str(out_folder), "rows": rows, "nodes": nodes, "edges": n_edges})
    else:
        say(out, f"{out_folder}/data.csv:", f"{rows} rows, {nodes} variables")
        if interventions:
            say(out, "", "to learn from it: --interventions target")
        say(out, f"{out_folder}/dag.csv:", f"{n_edges} edges (row = parent, column = child)")


@app.command(name="score")
def score_command(
    context: typer.Context,
    data: Data,
    node: Annotated[str, typer.Argument(metavar="NODE", help="The variable that is explained.")],
    parents: Annotated[
        list[str] | None,
        typer.Option(help="Its parents, as A,B; quote a name that has a comma in it."),
    ] = None,
    score: Annotated[str, typer.Option(help=f"One of {', '.join(SCORES)}.")] = Settings.score,
    noise: Annotated[str, typer.Option(help=f"{AUTO}, {', '.join(NOISES)}.")] = AUTO,
    kernel: Annotated[
        str, typer.Option(help=f"For gp, adaptive: one of {', '.join(KERNELS)}.")
    ] = "additive",
    evidence: Annotated[str, typer.Option(help=f"One of {', '.join(EVIDENCE_METHODS)}.")] = "qmc",
    seed: Seed = 0,
    transform: Transform = None,
    delimiter: Delimiter = None,
    drop: Drop = None,
    keep: Keep = None,
    interventions: Interventions = None,
    exogenous: Exogenous = None,
    condition: Condition = None,
    model_discrete: ModelDiscrete = None,
    missing: Missing = None,
    lengthscale_prior: Annotated[str, typer.Option(help="Inverse gamma: shape,scale.")] = "2,2",
    noise_prior: Annotated[str, typer.Option(help="Inverse gamma, of the sd.")] = "1,1",
    amplitude_prior: Annotated[str, typer.Option(help="Inverse gamma, of an amplitude.")] = "1,1",
    mean_prior: Annotated[str, typer.Option(help="Normal: mean,sd.")] = "0,1",
    linear_weight: Annotated[
        float, typer.Option(help="Prior probability of a straight line.")
    ] = 0.6,
    slope_variance: Annotated[
        float, typer.Option(help="Of straight lines: prior variance of a slope.")
    ] = 1.0,
    weak_weight: Annotated[
        float, typer.Option(help="Prior probability of effects that are weak.")
    ] = 0.0,
    am: Annotated[float, typer.Option(help="For bge: weight of the prior mean.")] = 1.0,
    aw: Annotated[float | None, typer.Option(help="For bge; n + am + 1 unless given.")] = None,
    prior_mean: Annotated[float, typer.Option(help="For bge: of every variable.")] = 0.0,
    as_json: Json = False,
) -> None:
    """Print the log marginal likelihood of one variable given a set of parents.

    Example: gpnet score sachs.csv Akt --parents Erk,PKA --transform log2 --json
    """
    table = load_table(data, **reading_in(context.params))
    if table.gaps is not None:
        raise OptionError(
            "--missing impute: only for gpnet learn, which draws the cells of many tables; take "
            "--missing rows"
        )
    family = _family(table, node, parents or [])
    scorer = make_score(_score_settings(context.params))
    for warning in grouped(table.warnings):
        warn(warning.sentence)
    if err.is_terminal:
        say(err, "gpnet:", f"scoring {node} on {table.n_rows:,} rows ...")
    result = scorer.log_marginal(table, family[0], tuple(family[1:]))
    names = [table.names[i] for i in family]
    if as_json:
        print_json(_score_record(result, names, score, table, seed))
    else:
        _print_score(result, names, score)


def _score_settings(given: Mapping[str, Any]) -> Settings:
    options = {name: given[name] for name in SETTINGS if name in given}
    for name in NUMBER_PAIRS:
        options[name] = number_pair(name.replace("_", "-"), options[name])
    return Settings(**options)


def _family(table: Dataset, node: str, texts: list[str]) -> list[int]:
    """Columns of the node and of its parents."""
    names = []
    for text in texts:
        names += [text] if text in table.names else split_names("parents", text)
    columns = [table.column(name) for name in [node, *names]]
    if table.is_exogenous(columns[0]):
        raise OptionError(
            f"NODE: {quote(node)} is exogenous, and has no score; numbers of few values are "
            "modelled by --model-discrete"
        )
    for column in columns:
        if columns.count(column) > 1:
            role = "is its own parent" if column == columns[0] else "is named twice"
            name = quote(table.names[column])
            raise OptionError(f"--parents: {name} {role}; name each parent once")
    return columns


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
        "k_hat": result.k_hat,
        "ess": result.ess,
        "linear": result.linear,
        "noise_shaped": result.shaped,
        "noise_varies": result.varying,
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
    table.add_row("of", Text(f"{names[0]} given {given}"))
    table.add_row("by", f"{score}, {result.method}, {result.n_evaluations} evaluations")
    out.print(table)
    for warning in result.warnings:
        warn(warning)

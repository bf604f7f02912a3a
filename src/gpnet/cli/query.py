"""gpnet show, report and compare: questions to a finished run."""

import re
import shlex
from math import isnan
from pathlib import Path
from typing import Annotated, Any

import pandas as pd
import typer
from rich.table import Table
from rich.text import Text

from gpnet.cli.app import Json, app, out, print_json, say
from gpnet.cli.learn_options import options_in, some
from gpnet.cli.render import make_report, print_before_numbers, print_posterior
from gpnet.common.messages import printable
from gpnet.graphs.dag_csv import read_dag
from gpnet.inference.learn import READING
from gpnet.inference.run_folder import RunFolder
from gpnet.posterior.metrics import compare
from gpnet.posterior.posterior import Posterior, load
from gpnet.stats.estimates import Estimate, told_error

Run = Annotated[Path, typer.Argument(metavar="RUN", help="A folder made by gpnet learn.")]
WithoutDoubt = Annotated[
    bool,
    typer.Option(
        "--without-doubt", help="As the model alone has it, without doubt about directions."
    ),
]

TableFile = Annotated[
    Path | None,
    typer.Option(
        "--data", metavar="FILE", help="The table that was learnt from, if RUN did not keep it."
    ),
]


@app.command()
def show(
    run: Run,
    features: Annotated[
        list[str] | None, typer.Argument(metavar="FEATURE", help="What to ask for.")
    ] = None,
    without_doubt: WithoutDoubt = False,
    as_json: Json = False,
) -> None:
    """Print the result of a run, or the probabilities of features.

    Examples:

    gpnet show run

    gpnet show run "Erk -> Akt" "Raf ~> Erk" "not Erk -> PKA"

    gpnet show run "parents(Akt)"

    A -> B edge; A -- B adjacent; A ~> B directed path; A => B directed in all equivalent DAGs;
    A -> C <- B collider; A < B earlier; parents(A) = {B, C}; blanket(A) = {B, C};
    B in blanket(A); A _||_ B | C independent given C; combined by and, or, not, brackets.
    """
    posterior = read_run(run, without_doubt=without_doubt)
    if not features:
        if as_json:
            print_json(posterior.summary())
        else:
            print_posterior(posterior)
        return
    sets = {text: _child(text) for text in features}
    answers = [(text, posterior.probability(text)) for text in features if not sets[text]]
    tables = {text: posterior.parents(child) for text, child in sets.items() if child}
    if as_json:
        told = {"features": [_answer(text, p) for text, p in answers]}
        print_json(told | {text: found.to_dict("records") for text, found in tables.items()})
        return
    print_before_numbers(posterior, f"gpnet show {shlex.quote(str(run))} says what to do")
    if answers:
        out.print(_answers(answers))
    for text, found in tables.items():
        out.print(_parent_sets(text, found))


def _child(text: str) -> str | None:
    """The variable whose parents are asked for, as in parents(C); None for a feature."""
    found = re.fullmatch(r"\s*parents\s*\(\s*(.*?)\s*\)\s*", text)
    return found[1].strip("'\"") if found else None


def _parent_sets(text: str, found: pd.DataFrame) -> Table:
    table = Table(box=None, pad_edge=False)
    table.add_column(Text(printable(text)), overflow="fold")
    table.add_column("probability", justify="right", no_wrap=True)
    for parents, p, error in found.itertuples(index=False):
        named = ", ".join(parents) or "none"
        table.add_row(Text(printable(named)), f"{p:.4f} ± {told_error(error, 4)}")
    return table


def read_run(run: Path, *, without_doubt: bool) -> Posterior:
    """The result of a run, as it is or without doubt about directions."""
    posterior = load(run)
    return posterior.without_doubt() if without_doubt else posterior


def with_table(run: Path, data: Path | None, *, without_doubt: bool = False) -> Posterior:
    """The posterior of a run, with a table that is given in place of the one that was kept."""
    posterior = read_run(run, without_doubt=without_doubt)
    if data is None:
        return posterior
    settings = RunFolder(run if run.is_dir() else run.parent).settings
    reading = some(options_in(settings), READING) if settings.is_file() else {}
    return posterior.with_data(data, **reading)


def _answer(text: str, probability: Estimate) -> dict[str, Any]:
    low, high = probability.interval()
    return {
        "feature": text,
        "probability": float(probability),
        "std_error": probability.std_error,
        "low": low,
        "high": high,
    }


def _answers(answers: list[tuple[str, Estimate]]) -> Table:
    table = Table(box=None, pad_edge=False)
    table.add_column("feature", overflow="fold")
    for heading in ("probability", "95 % interval"):
        table.add_column(heading, justify="right", no_wrap=True)
    for text, p in answers:
        low, high = p.interval()
        span = "not known" if isnan(low) else f"{low:.4f} to {high:.4f}"
        table.add_row(Text(printable(text)), f"{p:.4f} ± {told_error(p.std_error, 4)}", span)
    return table


@app.command()
def report(
    run: Run,
    out_file: Annotated[
        Path | None,
        typer.Option("--out", "-o", metavar="FILE", help="Unless given, report.html in RUN."),
    ] = None,
    data: TableFile = None,
    without_doubt: WithoutDoubt = False,
) -> None:
    """Write the result of a run as one HTML page, to look at and to send.

    The page needs no network and no other file. Effects of all variables on all others are
    measured for it, if the table is at hand.

    Example: gpnet report run -o report.html
    """
    target = out_file or _beside(run)
    make_report(with_table(run, data, without_doubt=without_doubt), target)
    say(out, f"{printable(target)}:", "open it in a browser")


def _beside(run: Path) -> Path:
    """RUN may be a folder, or a posterior file."""
    return RunFolder(run if run.is_dir() else run.parent).report


@app.command(name="compare")
def compare_command(
    run: Run,
    truth: Annotated[
        Path,
        typer.Argument(
            metavar="TRUE_DAG.csv|RUN2",
            help="0 and 1, row = parent, column = child; a list of edges under the header "
            "parent,child; or another run.",
        ),
    ],
    as_json: Json = False,
) -> None:
    """Compare a run with a known DAG, or with another run.

    Examples:

    gpnet compare run sim/dag.csv

    gpnet compare run run2
    """
    posterior = load(run)
    if truth.is_dir() or truth.suffix == ".npz":
        _compare_runs(posterior, load(truth), as_json=as_json)
        return
    true_dag = read_dag(truth, posterior.names)
    found = compare(posterior.dags, posterior.weights, true_dag, posterior.identified)
    if as_json:
        print_json(found)
        return
    table = Table(box=None, pad_edge=False, show_header=False)
    table.add_column(no_wrap=True)
    table.add_column(justify="right")
    for name, text in MEANINGS.items():
        table.add_row(text, f"{found[name]:.3f}")
    out.print(table)


def _compare_runs(posterior: Posterior, other: Posterior, *, as_json: bool) -> None:
    """Edge by edge, the largest differences first."""
    found = posterior.compare(other)
    if as_json:
        print_json({"edges": found.to_dict("records")})
        return
    most = found["difference"].abs().max() if len(found) else 0.0
    say(out, "gpnet:", f"the probability of an edge differs by up to {most:.3f}")
    table = Table(box=None, pad_edge=False)
    table.add_column("edge", overflow="fold")
    for heading in ("this", "other", "difference"):
        table.add_column(heading, justify="right", no_wrap=True)
    for parent, child, this, its, difference, error in found.head(MOST_SHOWN).to_numpy():
        edge = Text(printable(f"{parent} -> {child}"))
        told = f"{difference:+.3f} ± {told_error(error, 3)}"
        table.add_row(edge, f"{this:.3f}", f"{its:.3f}", told)
    out.print(table)


MOST_SHOWN = 20  # edges in which two runs differ most
MEANINGS = {
    "eshd": "expected structural Hamming distance",
    "etp": "expected true edges found",
    "efp": "expected false edges",
    "eshd_cpdag": "distance between equivalence classes (CPDAGs)",
    "etp_cpdag": "true edges found, on CPDAGs",
    "efp_cpdag": "false edges, on CPDAGs",
    "eshd_skeleton": "distance without directions",
    "auroc": "area under the ROC curve",
    "average_precision": "average precision",
    "log_loss": "log loss of an edge",
}

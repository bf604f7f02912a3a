"""gpnet demo: the main job on a built-in example; gpnet example: a table to try it on."""

import shlex
from pathlib import Path
from typing import Annotated, Final

import numpy as np
import typer
from rich.table import Table

from gpnet.cli.app import Seed, app, out, say, warn
from gpnet.cli.render import edge_table, in_signs, print_legend, print_verdict, write_report
from gpnet.common.errors import OptionError
from gpnet.common.messages import printable
from gpnet.common.types import Dag
from gpnet.inference.learn import learn
from gpnet.inference.run_folder import RunFolder
from gpnet.posterior.edge_table import most_adjacent
from gpnet.posterior.likely_edges import LINE, LikelyEdge
from gpnet.posterior.metrics import compare
from gpnet.posterior.posterior import Posterior
from gpnet.runtime.progress import Stages
from gpnet.simulation.example import write_example
from gpnet.simulation.networks import simulate
from gpnet.simulation.simulation import Simulation

DRAWS: Final = 5000
TWO_COLUMNS: Final = (
    "This table was simulated from the model, so “if model holds” applies. Of a real table nobody "
    "knows whether it does: there, read “probability”, in which directions that only the model "
    "tells are partly left open."
)


@app.command()
def demo(
    seed: Seed = 5,
    out_folder: Annotated[
        Path, typer.Option("--out", help="Folder for data.csv, dag.csv and report.html.")
    ] = Path("gpnet-demo"),
) -> None:
    """Run the main job on a built-in example.

    Example: gpnet demo
    """
    simulation = simulate(nodes=7, rows=150, nonlinearity=1.5, edge_probability=0.35, seed=seed)
    rows, n = simulation.values.shape
    out.print(
        f"{rows} rows of {n} variables, drawn from a network of {simulation.dag.sum()} edges that "
        "is known here. What does gpnet find in the table alone?\n"
    )
    with Stages() as stages:
        posterior = learn(simulation.frame(), draws=DRAWS, progress=stages)
    out.print(_against_truth(most_adjacent(posterior), simulation))
    print_legend()
    out.print(TWO_COLUMNS, soft_wrap=True)
    out.print()
    print_verdict(posterior)
    linear = learn(simulation.frame(), score="bge", draws=DRAWS)
    plain = posterior.without_doubt()
    mistakes = [_mistakes(found, simulation.dag) for found in (plain, linear)]
    out.print(
        f"\nExpected number of wrong edges, as the model holds here: {mistakes[0]:.1f}. With a "
        f"score that knows straight lines alone (--score bge): {mistakes[1]:.1f}.\n"
        "Next: gpnet check YOUR.csv, then gpnet learn YOUR.csv --out run\n"
    )
    _keep(simulation, posterior, out_folder)


@app.command()
def example(
    path: Annotated[Path, typer.Argument(metavar="FILE", help="The CSV file to write.")],
) -> None:
    """Write a table to try gpnet on: simulated, cells x proteins.

    Example: gpnet example cells.csv
    """
    table = write_example(path)
    rows, n = table.shape
    say(out, f"{printable(path)}:", f"{rows} rows, {n} columns; simulated, not measured")
    run = f"gpnet learn {shlex.quote(printable(path))} --transform log2 --out run"
    say(out, "Next:", run)


def _keep(simulation: Simulation, posterior: Posterior, folder: Path) -> None:
    """What was found to look at, and what it was found in; a demo shows as much without."""
    try:
        simulation.write(folder)
    except OptionError as error:
        warn(str(error))
        return
    report = RunFolder(folder).report
    if write_report(posterior, report):
        say(out, f"{printable(report)}:", "the report, open it in a browser")


def _mistakes(posterior: Posterior, truth: Dag) -> float:
    return float(compare(posterior.dags, posterior.weights, truth)["eshd"])


def _against_truth(likely: list[LikelyEdge], simulation: Simulation) -> Table:
    in_truth = [_in_truth(edge, simulation.dag) for edge in likely]
    table = edge_table(likely, simulation.names, in_truth)
    for parent, child in _missed(likely, simulation):
        table.add_row(f"{parent} {in_signs(LINE)} {child}", "< 0.05", "", "", "", "", "there")
    return table


def _in_truth(edge: LikelyEdge, dag: Dag) -> str:
    if dag[edge.parent, edge.child]:
        return "there"
    return "reversed" if dag[edge.child, edge.parent] else "not there"


def _missed(likely: list[LikelyEdge], simulation: Simulation) -> list[tuple[str, str]]:
    told = {frozenset((edge.parent, edge.child)) for edge in likely}
    missed = [edge for edge in np.argwhere(simulation.dag).tolist() if frozenset(edge) not in told]
    return [(simulation.names[i], simulation.names[j]) for i, j in missed]

"""Which true edges lie inside a search space, by method, on the reference networks.

    python -m benchmarks.spaces          # some runs of ten nodes, some minutes
    python -m benchmarks.spaces --all    # all runs, of fifteen nodes too: hours

The main number: of the true edges to which the exact posterior on the full space gives more than
one half, the share that lies inside the default space; 95% or more is sought.
"""

import argparse
import sys
import warnings
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from rich.console import Console
from rich.table import Table
from tests.conftest import REFERENCE

from gpnet import Dataset, load_table
from gpnet.runtime.context import RunContext
from gpnet.samplers.exact import ExactSampler
from gpnet.score_table.search_space import SearchSpace
from gpnet.score_table.table import tabulate
from gpnet.search_spaces import (
    DualPcSpace,
    FullSpace,
    IterativeSpace,
    Screen,
    ScreenedSpace,
    SpaceBuilder,
)
from gpnet.search_spaces.base import quick_score
from gpnet.structure_priors import EdgePenalty, StructurePrior

LAMBDAS = ("0", "0.5", "1")
QUICK_RUNS = 5
MAX_PARENTS = 4
DEFAULT = "iterative"
METHODS: dict[str, SpaceBuilder] = {
    "dual PC, alpha 0.05": DualPcSpace(0.05),
    "dual PC, alpha 0.2": DualPcSpace(0.2),
    "dual PC, alpha 0.4": DualPcSpace(0.4),
    "one-parent gains": ScreenedSpace(Screen(alpha=None)),
    "gains and dual PC": ScreenedSpace(),
    "iterative, from dual PC": IterativeSpace(Screen(threshold=np.inf)),
    DEFAULT: IterativeSpace(),
}


@dataclass
class Count:
    """Sums over runs."""

    inside: int = 0
    edges: int = 0
    candidates: float = 0.0
    runs: int = 0

    def add(self, space: np.ndarray, edges: np.ndarray) -> None:
        self.inside += int((space & edges).sum())
        self.edges += int(edges.sum())
        self.candidates += space.sum() / len(space)
        self.runs += 1

    def __str__(self) -> str:
        share = self.inside / max(self.edges, 1)
        return f"{share:.3f} of {self.edges}, {self.candidates / self.runs:.1f}"


def runs(n: int, nonlinearity: str, most: int | None) -> Iterator[tuple[Dataset, np.ndarray]]:
    """Data and true DAGs."""
    folder = REFERENCE / "simulated" / f"n{n}"
    files = sorted(folder.glob(f"lambda{nonlinearity}_run???.csv"))[:most]
    for file in files:
        dag = np.loadtxt(file.with_name(f"{file.stem}_dag.csv"), delimiter=",", skiprows=1)
        yield load_table(file), dag.astype(bool)


def matrix(space: SearchSpace) -> np.ndarray:
    allowed = np.zeros((space.n_variables, space.n_variables), dtype=bool)
    for node, candidates in enumerate(space.candidates):
        allowed[list(candidates), node] = True
    return allowed


def believed(data: Dataset, prior: StructurePrior, context: RunContext) -> np.ndarray:
    """Edges to which the exact posterior on the full space gives more than one half."""
    space = FullSpace(max_parents=MAX_PARENTS).build(data)
    table = tabulate(data, space, quick_score(), prior, context)
    return ExactSampler().marginals(table).edges > 0.5


def measure(
    n: int, nonlinearity: str, most: int | None, prior: StructurePrior, judged: dict[str, Count]
) -> dict[str, Count]:
    """The count of each method; of believed edges too, where the exact posterior is feasible."""
    counts = {name: Count() for name in METHODS}
    for data, dag in runs(n, nonlinearity, most):
        with RunContext().with_store() as context:  # the methods share their scores
            sure = dag & believed(data, prior, context) if judged else dag
            for name, builder in METHODS.items():
                space = matrix(builder.build(data, prior, context))
                counts[name].add(space, dag)
                if judged:
                    judged[name].add(space, sure)
    return counts


def show(title: str, columns: dict[str, dict[str, Count]]) -> None:
    table = Table("method", *(f"lambda {name}" for name in columns), title=title)
    for method in METHODS:
        table.add_row(method, *(str(counts[method]) for counts in columns.values()))
    Console(width=120).print(table)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--all", action="store_true", help="all runs, of fifteen nodes too")
    parser.add_argument("--gamma", type=float, default=0.0, help="edge penalty, 0 unless given")
    options = parser.parse_args()
    if not REFERENCE.is_dir():
        sys.exit(f"no reference networks at {REFERENCE}; set GPNET_REFERENCE to their folder")
    warnings.simplefilter("ignore", RuntimeWarning)  # full nodes: the shares tell of them
    most, prior = None if options.all else QUICK_RUNS, EdgePenalty(options.gamma)
    judged = {name: {method: Count() for method in METHODS} for name in LAMBDAS}
    ten = {name: measure(10, name, most, prior, judged[name]) for name in LAMBDAS}
    show("10 nodes: share of true edges inside, and candidates of a node", ten)
    show("10 nodes: of the true edges above 0.5 in the exact posterior", judged)
    if options.all:
        fifteen = {name: measure(15, name, most, prior, {}) for name in LAMBDAS}
        show("15 nodes: share of true edges inside, and candidates of a node", fifteen)
    verdicts = [judged[name][DEFAULT] for name in LAMBDAS]
    reached = all(count.inside >= 0.95 * count.edges for count in verdicts)
    print(f"Default space, at least 95% at every lambda: {'reached' if reached else 'MISSED'}")


if __name__ == "__main__":
    main()

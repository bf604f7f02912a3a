"""A posterior in words and tables, as every command prints it."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
from rich.table import Table
from rich.text import Text

from gpnet.cli.app import out, say, warn
from gpnet.common.errors import FileError
from gpnet.common.messages import printable
from gpnet.posterior.posterior import Posterior
from gpnet.report.page import write_page

WORTH_A_ROW: Final = 0.05  # probability of a pair being adjacent at all
RARELY: Final = 0.01  # probability of a parent set that a summary leaves out
ROWS: Final = 40
RARE: Final = f"a probability above {WORTH_A_ROW}"
BAR: Final = 10  # characters of a probability of one


def summary_of(posterior: Posterior) -> dict[str, Any]:
    """What a program wants to know; nothing in it depends on when or where it was computed."""
    best = posterior.map_dag().to_numpy()
    names, relations = posterior.names, posterior.relations()
    return {
        "converged": posterior.diagnosis.converged,
        "verdict": posterior.diagnosis.verdict,
        "edges": posterior.edges().to_dict("records"),
        "relations": relations[relations["probability"] > RARELY].to_dict("records"),
        "map_dag": [[names[i], names[j]] for i, j in np.argwhere(best)],
        "variables": list(names),
        "diagnosis": posterior.diagnosis.record(),
        "settings": dict(posterior.settings),
    }


def write_report(posterior: Posterior, path: Path) -> bool:
    """The page; where it cannot be written the result is none the worse. Whether it was."""
    try:
        write_page(posterior, path)
    except (FileError, MemoryError) as error:
        why = str(error) or "there is not enough memory for it"
        warn(f"no report: {why}; the result is none the worse")
        return False
    return True


def print_posterior(posterior: Posterior) -> None:
    """Edges first, then how far they can be trusted."""
    pairs = list(likely_pairs(posterior))
    out.print(
        _table(pairs[:ROWS]) if pairs else Text(f"No two variables are adjacent with {RARE}.")
    )
    if len(pairs) > ROWS:
        out.print(f"and {len(pairs) - ROWS} more pairs, less probable")
    out.print()
    print_relations(posterior)
    print_verdict(posterior)


def print_relations(posterior: Posterior) -> None:
    """Of each variable its likeliest parents, and whether the relation is a curve; if asked."""
    relations = posterior.relations().dropna()
    likeliest = relations.drop_duplicates("child")
    likeliest = likeliest[likeliest["probability"] > WORTH_A_ROW]
    for child, parents, probability, nonlinear in likeliest.itertuples(index=False):
        given = ", ".join(parents)
        out.print(
            Text(
                printable(f"{child} given {given} ({probability:.2f}): non-linear {nonlinear:.2f}")
            ),
            soft_wrap=True,
        )
    if len(likeliest):
        out.print()


def print_verdict(posterior: Posterior) -> None:
    """Whether it converged, and what is restricted or approximate."""
    diagnosis = posterior.diagnosis
    if diagnosis.verdict is not None:
        style = "bold green" if diagnosis.converged else "bold red"
        out.print(Text(printable(diagnosis.verdict), style=style), soft_wrap=True)
    for note in diagnosis.notes or ():
        say(out, "Note:", f"{note}.")


@dataclass(frozen=True)
class LikelyEdge:
    """Two variables, the likelier direction first."""

    parent: str
    child: str
    probability: float
    std_error: float
    reversed: float  # the probability of child -> parent

    @property
    def adjacent(self) -> float:
        """The probability of an edge either way."""
        return self.probability + self.reversed


def likely_pairs(posterior: Posterior) -> list[LikelyEdge]:
    """Those that are adjacent with some probability, the most probable first."""
    p, errors = posterior.edge_probabilities().to_numpy(), posterior.edge_errors().to_numpy()
    names, pairs = posterior.names, []
    for i, j in np.argwhere(np.triu(p + p.T) > WORTH_A_ROW).tolist():
        a, b = (i, j) if p[i, j] >= p[j, i] else (j, i)
        pairs.append(LikelyEdge(names[a], names[b], p[a, b], errors[a, b], p[b, a]))
    return sorted(pairs, key=lambda pair: -pair.adjacent)


def _table(pairs: Sequence[LikelyEdge]) -> Table:
    table = Table(box=None, pad_edge=False)
    table.add_column("edge", overflow="fold")
    for heading in ("probability", "reversed", "adjacent"):
        table.add_column(heading, justify="right", no_wrap=True)
    table.add_column("")
    for pair in pairs:
        bar = "━" * round(BAR * pair.probability) + "╌" * round(BAR * pair.reversed)
        table.add_row(
            Text(printable(f"{pair.parent} → {pair.child}")),
            f"{pair.probability:.2f} ± {pair.std_error:.2f}",
            f"{pair.reversed:.2f}",
            f"{pair.adjacent:.2f}",
            Text(bar, style="cyan"),
        )
    return table

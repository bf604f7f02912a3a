"""A posterior in words and tables, as every command prints it, and what learning will take."""

from collections.abc import Collection, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final

from rich.console import Console
from rich.table import Table
from rich.text import Text

from gpnet.cli.app import out, print_json, say, warn
from gpnet.common.errors import FileError
from gpnet.common.messages import count, printable, with_stop
from gpnet.data.dataset import Dataset
from gpnet.inference.cost_estimate import estimate
from gpnet.inference.plan import Plan
from gpnet.posterior.cautions import cautions
from gpnet.posterior.edge_table import HEADINGS, MAX_ROWS, MIN_ADJACENT, cells, most_adjacent
from gpnet.posterior.likely_edges import LEGEND, LINE, OPEN, SOLID, LikelyEdge
from gpnet.posterior.posterior import Posterior
from gpnet.posterior.summary import MAY_CHANGE
from gpnet.runtime.context import RunContext
from gpnet.runtime.progress import Stages, in_words

KEPT, MOST_KEPT = 0.2, 3.0  # of the time that is left, seconds: for the page itself
IN_ASCII: Final[dict[str, int | str | None]] = {
    SOLID: "->",
    OPEN: "..>",
    LINE: "--",
}  # for terminals without these signs
KINDS: Final = {  # of a relation
    "nonlinear": "curved",
    "noise_not_normal": "noise not normal",
    "noise_varies": "noise varies",
}


def make_report(posterior: Posterior, path: Path, context: RunContext | None = None) -> None:
    """The page, with effects as far as the context has time for them; tells how far it is."""
    from gpnet.effects.on_page import effects_on_page  # as late as the report itself
    from gpnet.report.page import write_page

    given = context or RunContext()
    with Stages() as stages:
        early = given.deadline.earlier(KEPT, MOST_KEPT)
        within = replace(given, progress=stages, deadline=early)
        effects = effects_on_page(posterior, within)
    write_page(posterior, path, effects)


def write_report(posterior: Posterior, path: Path, context: RunContext | None = None) -> bool:
    """The page; where it cannot be written the result is none the worse. Whether it was."""
    try:
        make_report(posterior, path, context)
    except (FileError, MemoryError) as error:
        why = str(error) or "there is not enough memory for it"
        warn(f"no report: {why}; the result is none the worse")
        return False
    return True


def print_posterior(posterior: Posterior, told: Collection[str] = ()) -> None:
    """Edges first, then how far they can be trusted; that they cannot be yet, before them.

    Notes that were `told` before are not told again.
    """
    print_before_numbers(posterior)
    pairs = most_adjacent(posterior)
    if pairs:
        out.print(edge_table(pairs[:MAX_ROWS], posterior.names))
        print_legend()
    else:
        out.print(f"No two variables are adjacent with a probability above {MIN_ADJACENT}.")
    if len(pairs) > MAX_ROWS:
        out.print(f"and {len(pairs) - MAX_ROWS} more pairs, less probable")
    out.print()
    print_relations(posterior)
    print_verdict(posterior, told)


def print_before_numbers(posterior: Posterior, more: str = "what to do stands below") -> None:
    """That those that follow are not to be trusted yet, or what else to beware of."""
    may_change = [f"{MAY_CHANGE}: {more}."] if posterior.diagnosis.converged is False else []
    for text in (*may_change, *cautions(posterior)):
        out.print(Text(printable(text), style="bold red"), soft_wrap=True)
        out.print()


def print_relations(posterior: Posterior) -> None:
    """Of each variable its likeliest parents, and of what kind curve and noise are; if asked."""
    relations = posterior.relations().dropna(subset=list(KINDS), how="all")
    open_kinds = [kind for kind in KINDS if (relations[kind] > 0).any()]  # not by lines alone
    if not open_kinds:
        return
    likeliest = relations.drop_duplicates("child")
    likeliest = likeliest[likeliest["probability"] > MIN_ADJACENT]
    for row in likeliest.to_dict("records"):
        given = f"{row['child']} given {', '.join(row['parents'])} ({row['probability']:.2f})"
        kinds = [f"{KINDS[kind]} {row[kind]:.2f}" for kind in open_kinds if row[kind] >= 0]
        out.print(Text(printable(f"{given}: {', '.join(kinds)}")), soft_wrap=True)
    if len(likeliest):
        out.print()


def print_verdict(posterior: Posterior, told: Collection[str] = ()) -> None:
    """Whether it converged and the model fits, and what is restricted, approximate or in doubt."""
    diagnosis = posterior.diagnosis
    if diagnosis.verdict is not None:
        style = "bold green" if diagnosis.converged else "bold red"
        out.print(Text(printable(diagnosis.verdict), style=style), soft_wrap=True)
    if diagnosis.model_verdict is not None:
        style = "green" if diagnosis.model_fits else "yellow"
        out.print(Text(printable(diagnosis.model_verdict), style=style), soft_wrap=True)
    if diagnosis.doubt is not None:
        out.print(Text(printable(diagnosis.doubt)), soft_wrap=True)
    for note in (note for note in diagnosis.notes or () if note not in told):
        say(out, "Note:", with_stop(note))


def edge_table(
    edges: Sequence[LikelyEdge], names: Sequence[str], in_truth: Sequence[str] | None = None
) -> Table:
    """A row for each pair, with what is true of it where that is known."""
    table = Table(box=None, pad_edge=False)
    more = () if in_truth is None else ("in truth",)
    for place, heading in enumerate((*HEADINGS, *more)):
        is_text = place == 0 or place >= len(HEADINGS) - 1
        table.add_column(
            heading.replace("if model ", "if model\n"),
            justify="left" if is_text else "right",
            overflow="fold",
            no_wrap=place > 0,
        )
    for place, edge in enumerate(edges):
        row = [*cells(edge, names), *(() if in_truth is None else (in_truth[place],))]
        table.add_row(*(Text(in_signs(cell)) for cell in row))
    return table


def print_legend() -> None:
    """What the three signs of edges mean."""
    out.print(Text(in_signs(LEGEND), style="dim"), soft_wrap=True)


def in_signs(text: str) -> str:
    """With signs of edges that the terminal can show."""
    try:
        "".join(IN_ASCII).encode(out.encoding)
    except (UnicodeEncodeError, LookupError):
        return text.translate(str.maketrans(IN_ASCII))
    return text


def print_cost(
    console: Console, table: Dataset, plan: Plan, context: RunContext, *, as_json: bool = False
) -> None:
    """What learning will take."""
    workers = context.scorers.n_workers
    cost = estimate(table, plan, workers=workers, drawers=context.n_workers)
    if as_json:
        print_json(
            {
                "sets": cost.n_sets,
                "sets_are_at_most": cost.bounded,
                "seconds": list(cost.seconds),
                "seconds_at_most": cost.most_seconds,
                "memory_bytes": cost.memory,
                "tables": cost.n_tables,
                "workers": workers,
                "space": plan.space_name,
                "sampler": plan.sampler_name,
            }
        )
        return
    most = "at most " if cost.bounded else ""
    tables = f" in each of {cost.n_tables} completed tables" if cost.n_tables > 1 else ""
    say(
        console,
        "gpnet:",
        f"{most}{count(cost.n_sets, 'parent set')} to score{tables} ({plan.space_name} space), "
        f"{plan.sampler_name} sampling; scoring takes {cost.span}, at most "
        f"{in_words(cost.most_seconds)} unless more parents are needed, with "
        f"{count(workers, 'worker')}, {cost.memory / 1e6:,.0f} MB",
    )

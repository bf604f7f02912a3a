"""The command that looks at a table: its size, what is odd about it, and what to type next."""

import re
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

import numpy as np
import typer
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
    Transform,
    app,
    out,
    print_json,
    say,
)
from gpnet.cli.learn_options import reading_in
from gpnet.common.messages import count, joined_names, printable, quoted
from gpnet.data.checks import looks_like_number
from gpnet.data.issues import Column, Issue, as_column, column_name, grouped
from gpnet.data.load import check_table
from gpnet.data.order_by_name import ALL_OTHERS, Tiers, is_event, suggested_tiers
from gpnet.data.readers import DELIMITERS, Raw, UnreadableError, read
from gpnet.data.roles import CODES as ASSUMED_EXOGENOUS
from gpnet.data.roles import names_of
from gpnet.data.undriven import CODES as UNDRIVEN_BY_NAME
from gpnet.data.validate import check_choice
from gpnet.inference.tiers import written

# Errors of columns that tell nothing, or nothing as they are: the command leaves these out.
TO_LEAVE_OUT: Final = ("row-index", "constant", "copy", "many-levels", "rare-level", "few-known")
NOTHING_TO_LEARN: Final = ("single-column", "nothing-modelled")
UNDRIVEN: Final = {"--exogenous": ("calendar", "sex"), "--roots": ("innate",)}  # how to say so
MOSTLY: Final = 0.5  # of the cells: a column with more texts is no measurement
MOST_PASSES: Final = 4  # what is mended may show what stood behind it
# "drop= or --drop", "missing='rows' or --missing rows", "transform= (--transform)": in a shell,
# the second alone.
BOTH_WAYS: Final = re.compile(
    r"\b[a-z_]+=(?:'[^']*')? (?:or (?P<plain>--[a-z-]+(?: [a-z]+\b)?)|\((?P<within>--[^()]*)\))"
)


@app.command()
def check(
    context: typer.Context,
    data: Data,
    transform: Transform = None,
    delimiter: Delimiter = None,
    drop: Drop = None,
    keep: Keep = None,
    interventions: Interventions = None,
    exogenous: Exogenous = None,
    condition: Condition = None,
    model_discrete: ModelDiscrete = None,
    missing: Missing = None,
    as_json: Json = False,
) -> None:
    """Tell everything that stands in the way of learning from a table, at once.

    Example: gpnet check cells.csv --transform log2
    """
    reading = reading_in(context.params)
    raw, findings = _examined(data, reading)
    n_errors = sum(finding.level == "error" for finding in findings)
    proposal = None if raw is None else _proposal(raw, reading, findings)
    if as_json:
        record = {"errors": n_errors, "findings": [vars(finding) for finding in findings]}
        print_json(record | vars(proposal.order if proposal else Order()))
        raise typer.Exit(2 if n_errors else 0)
    if raw is not None:
        n_rows = len(raw.cells[0]) if raw.cells else 0
        size = f"{count(n_rows, 'row')}, {count(len(raw.labels), 'column')}"
        say(out, f"{printable(data)}:", size)
    told = grouped(findings)
    for finding in told:
        colour = "red" if finding.level == "error" else "yellow"
        say(out, "●", str(in_shell(finding)), style=colour)
    out.print(_verdict(str(data), told), soft_wrap=True)
    if proposal is not None:
        if proposal.order.tiers:
            say(out, "●", _in_words(proposal.order))
        typed = [str(data), *_typed_words(context), *proposal.words, "--out", "run"]
        say(out, "Next:", shlex.join(["gpnet", "learn", *typed]))
    elif raw is not None and (names := _to_decide(raw, findings)):
        say(out, "Next:", f"put {quoted(names)} right, or leave out (--drop), and check again")
    raise typer.Exit(2 if n_errors else 0)


def in_shell(finding: Issue) -> Issue:
    """With a remedy that names options of the command alone, not those of Python as well."""

    def shorter(both: re.Match[str]) -> str:
        return both["plain"] or both["within"]

    return replace(finding, remedy=BOTH_WAYS.sub(shorter, finding.remedy))


def _examined(data: Path, reading: dict[str, Any]) -> tuple[Raw | None, list[Issue]]:
    """The table as it stands in its file, which is read but once, and all that is to be told.

    `reading` loses its delimiter, which a table that was read needs no more.
    """
    delimiter = reading.pop("delimiter", None)
    if delimiter is not None:
        check_choice("delimiter", delimiter, DELIMITERS)
    try:
        raw = read(data, names=None, delimiter=delimiter)
    except UnreadableError as error:
        return None, [error.finding]
    return raw, check_table(raw, **reading)


# What to type next


@dataclass(frozen=True)
class Order:
    """What names suggest of an order in time: for the user to judge, and not applied by itself."""

    tiers: Tiers = ()
    model_discrete: tuple[str, ...] = ()  # outcomes among them that would be exogenous by default


@dataclass(frozen=True)
class _Proposal:
    """Options with which the table can be used."""

    words: list[str]
    order: Order


def _proposal(raw: Raw, reading: Mapping[str, Any], findings: Sequence[Issue]) -> _Proposal | None:
    """Tried out; None where the user has to decide."""
    leave_out, asked = list[str](), dict(reading)
    for _ in range(MOST_PASSES):
        errors = [finding for finding in findings if finding.level == "error"]
        if not errors:
            break
        more = [name for error in errors for name in _to_leave_out(error, raw)]
        gaps = any(error.code == "missing" for error in errors)
        if not all(error.code == "missing" or _to_leave_out(error, raw) for error in errors) or (
            more and asked.get("keep")
        ):
            return None
        leave_out += [name for name in more if name not in leave_out]
        asked |= {"missing": "impute"} if gaps else {}
        asked |= {"drop": [*reading.get("drop", ()), *leave_out]} if leave_out else {}
        findings = check_table(raw, **asked)
    if any(one.level == "error" or one.code in NOTHING_TO_LEARN for one in findings):
        return None
    words = ["--drop", joined_names(leave_out)] if leave_out else []
    for option, told in UNDRIVEN.items():
        names = [finding.columns[0] for finding in findings if finding.code in told]
        words += [option, joined_names(names)] if names else []
    order = _order(raw, asked, findings)
    if order.model_discrete:
        words += ["--model-discrete", joined_names(order.model_discrete)]
    words += ["--tiers", written(order.tiers)] if order.tiers else []
    imputed = asked.get("missing") != reading.get("missing")
    return _Proposal(words + (["--missing", "impute"] if imputed else []), order)


def _order(raw: Raw, asked: Mapping[str, Any], findings: Sequence[Issue]) -> Order:
    """Of the columns that are learnt from; `findings` are those of the table read as `asked`."""
    names = _names(raw, asked)
    modelled = names_of("model_discrete", asked.get("model_discrete"))
    exogenous = {*names_of("exogenous", asked.get("exogenous")), asked.get("condition")}
    few = {n for one in findings if one.code == "few-values" for n in one.columns} - exogenous
    events = [name for name in names if name in few and _may_be_event(raw, name)]
    if events and _has_errors(raw, {**asked, "model_discrete": [*modelled, *events]}):
        events = []
    by_name = {n for one in findings if one.code in UNDRIVEN_BY_NAME for n in one.columns}
    assumed = {n for one in findings if one.code in ASSUMED_EXOGENOUS for n in one.columns}
    undriven = exogenous | by_name | assumed.difference(modelled, events)
    tiers = suggested_tiers(names, {name for name in names if name in undriven}, events)
    named = {name for tier in tiers for name in tier}
    if any(printable(name) != name for name in named):
        return Order()  # what is printed, and so pasted, would be another name
    return Order(tiers, tuple(name for name in events if name in named.difference(modelled)))


def _names(raw: Raw, asked: Mapping[str, Any]) -> list[str]:
    """Of the columns that are learnt from."""
    kept = names_of("keep", asked.get("keep"))
    left_out = {*names_of("drop", asked.get("drop")), asked.get("interventions")}
    names = [column_name(label) for label in raw.labels]
    return [name for name in names if name not in left_out and (not kept or name in kept)]


def _may_be_event(raw: Raw, name: str) -> bool:
    """Whether its name is that of an outcome, and it has two values."""
    if not is_event(name):
        return False
    numbers = _column(raw, name).numbers
    return len(np.unique(numbers[np.isfinite(numbers)])) == 2


def _has_errors(raw: Raw, asked: Mapping[str, Any]) -> bool:
    return any(finding.level == "error" for finding in check_table(raw, **asked))


def _in_words(order: Order) -> str:
    """Which columns come before which, and that it is for the user to judge."""
    each = ["all others" if tier == (ALL_OTHERS,) else quoted(tier) for tier in order.tiers]
    modelled = quoted(order.model_discrete)
    also = f" The command models {modelled} too (--model-discrete)." if modelled else ""
    return (
        f"Names suggest an order in time: {'; then '.join(each)}.{also} This is a guess, and is "
        "not applied by itself: check it, then paste the command, or leave --tiers out."
    )


def _to_leave_out(error: Issue, raw: Raw) -> list[str]:
    """Columns without which there is no such error; none where it is of another kind."""
    if error.code in TO_LEAVE_OUT:
        return list(error.columns[error.code == "copy" :])
    if error.code == "not-numeric" and _is_text(raw, error.columns[0]):
        return list(error.columns)
    return []


def _to_decide(raw: Raw, findings: Sequence[Issue]) -> list[str]:
    """Columns with errors of which only the user knows what was meant."""
    errors = [finding for finding in findings if finding.level == "error"]
    own = [one for one in errors if one.code != "missing" and not _to_leave_out(one, raw)]
    return list(dict.fromkeys(name for error in own for name in error.columns if name))


def _is_text(raw: Raw, name: str) -> bool:
    """Whether most cells are texts that were not meant for numbers: names of rows, notes, dates."""
    column = _column(raw, name)
    texts = column.strange.values()
    few_numbers = len(texts) > MOSTLY * len(column.numbers)
    return few_numbers and not any(looks_like_number(str(text)) for text in texts)


def _column(raw: Raw, name: str) -> Column:
    """The first of that name, as numbers."""
    place = [column_name(label) for label in raw.labels].index(name)
    return as_column(name, raw.cells[place])


def _typed_words(context: typer.Context) -> list[str]:
    """The options that were given, as they were typed."""
    words = list[str]()
    for name, value in context.params.items():
        source = context.get_parameter_source(name)
        if name in ("data", "as_json") or source is None or source.name != "COMMANDLINE":
            continue
        values = value if isinstance(value, list | tuple) else [value]
        words += [word for one in values for word in (f"--{name.replace('_', '-')}", str(one))]
    return words


def _verdict(source: str, told: Sequence[Issue]) -> Text:
    """How many errors and warnings are told above."""
    n_errors = sum(finding.level == "error" for finding in told)
    warnings = count(len(told) - n_errors, "warning")
    if n_errors:
        errors = count(n_errors, "error")
        return Text(f"{source} cannot be used yet: {errors}, {warnings}.", style="bold red")
    return Text(f"{source} can be used: no errors, {warnings}.", style="bold green")

"""gpnet learn: from a table to a folder with the posterior."""

import os
import shlex
import signal
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import fields
from pathlib import Path
from time import monotonic
from typing import Annotated, Any, Final

import typer
from rich.console import Console

from gpnet import __version__
from gpnet.cli.app import Delimiter, Drop, Json, app, err, out, print_json, say, warn
from gpnet.cli.options import number_pair, read_tiers, seconds_of
from gpnet.cli.render import print_posterior, summary_of, write_report
from gpnet.common.errors import FileError, GpnetError, OptionError, OutOfTimeError
from gpnet.common.messages import count, printable, quote, suggestion
from gpnet.data.dataset import Dataset, load_table
from gpnet.data.transforms import TRANSFORMS
from gpnet.gp.evidence import EVIDENCES
from gpnet.gp.kernels import KERNELS
from gpnet.inference.cost_estimate import Cost, estimate
from gpnet.inference.learn import Means, learn
from gpnet.inference.plan import PRIORS, SPACES, Plan, make_plan
from gpnet.inference.run_folder import RECORDED, RunFolder, read_settings
from gpnet.inference.settings import AUTO, Settings
from gpnet.posterior.posterior import Posterior
from gpnet.runtime.progress import Stages, in_words
from gpnet.samplers import SAMPLERS
from gpnet.scores import SCORES

SOURCE: Final = ("data", "transform", "delimiter", "drop")  # which data are meant
MEANS: Final = ("workers", "time_budget")  # what changes no number
SETTINGS: Final = tuple(field.name for field in fields(Settings))
PAIRS: Final = ("lengthscale_prior", "noise_prior", "amplitude_prior", "mean_prior")
NOT_CONVERGED: Final = 3
INTERRUPTED: Final = 130
DEFAULT: Final = Settings()
MODEL, KNOWLEDGE, DRAWING = "Model", "Knowledge", "Drawing"  # panels of the help


def _option(name: str, text: str, *, panel: str = DRAWING) -> Any:
    """An option of `Settings`, whose default is told but not set: a file may set it."""
    default = getattr(DEFAULT, name)
    told = ",".join(f"{one:g}" for one in default) if name in PAIRS else default
    shown = "" if told in (None, ()) else f" [default: {told}]"
    help_text = f"{text}.{shown}".replace("[", r"\[")
    return typer.Option(help=help_text, show_default=False, rich_help_panel=panel)


def _list(choices: Iterable[str]) -> str:
    return ", ".join(choices)


@app.command(name="learn")
def learn_command(
    context: typer.Context,
    data: Annotated[
        Path | None, typer.Argument(metavar="DATA", help="A CSV, TSV or Parquet table.")
    ] = None,
    out_folder: Annotated[
        Path | None, typer.Option("--out", metavar="RUN", help="Folder for the result.")
    ] = None,
    score: Annotated[str | None, _option("score", _list(SCORES), panel=MODEL)] = None,
    kernel: Annotated[
        str | None, _option("kernel", f"For gp, adaptive: {_list(KERNELS)}", panel=MODEL)
    ] = None,
    evidence: Annotated[
        str | None,
        _option("evidence", f"How draws are scored in the end: {_list(EVIDENCES)}", panel=MODEL),
    ] = None,
    prior: Annotated[
        str | None,
        _option("prior", f"{_list(PRIORS)}; a number after a colon, as in edges:2", panel=MODEL),
    ] = None,
    sampler: Annotated[str | None, _option("sampler", f"{AUTO}, {_list(SAMPLERS)}")] = None,
    space: Annotated[
        str | None, _option("space", f"Parent sets to consider: {AUTO}, {_list(SPACES)}")
    ] = None,
    max_parents: Annotated[int | None, _option("max_parents", "Of a variable")] = None,
    max_candidates: Annotated[
        int | None, _option("max_candidates", "Of a variable, where the space is searched for")
    ] = None,
    draws: Annotated[int | None, _option("draws", "DAGs to draw")] = None,
    chains: Annotated[int | None, _option("chains", "Of a sampler by Markov chains")] = None,
    thin: Annotated[int | None, _option("thin", "Steps of a chain between draws")] = None,
    refine: Annotated[
        bool | None, _option("refine", "Draw again where weights are poor; else one pass")
    ] = None,
    rounds: Annotated[int | None, _option("rounds", "Of drawing, at most")] = None,
    seed: Annotated[int | None, _option("seed", "Same seed, same numbers")] = None,
    forbid: Annotated[
        list[str] | None,
        _option("forbid", "An edge, as in 'A -> B'; may be repeated", panel=KNOWLEDGE),
    ] = None,
    require: Annotated[
        list[str] | None,
        _option("require", "An edge, as in 'A -> B'; may be repeated", panel=KNOWLEDGE),
    ] = None,
    tiers: Annotated[
        Path | None,
        _option(
            "tiers",
            "A file: a tier a line, as in A,B; no edge leads into an earlier one",
            panel=KNOWLEDGE,
        ),
    ] = None,
    transform: Annotated[
        str | None, typer.Option(help=f"Of every column: {_list(TRANSFORMS)}.")
    ] = None,
    delimiter: Delimiter = None,
    drop: Drop = None,
    lengthscale_prior: Annotated[
        str | None, _option("lengthscale_prior", "Inverse gamma: shape,scale", panel=MODEL)
    ] = None,
    noise_prior: Annotated[
        str | None, _option("noise_prior", "Inverse gamma, of the standard deviation", panel=MODEL)
    ] = None,
    amplitude_prior: Annotated[
        str | None,
        _option("amplitude_prior", "Inverse gamma, of an amplitude", panel=MODEL),
    ] = None,
    mean_prior: Annotated[str | None, _option("mean_prior", "Normal: mean,sd", panel=MODEL)] = None,
    linear_weight: Annotated[
        float | None,
        _option("linear_weight", "Prior probability of a straight line", panel=MODEL),
    ] = None,
    slope_variance: Annotated[
        float | None,
        _option(
            "slope_variance",
            "Of straight lines: prior variance of a slope",
            panel=MODEL,
        ),
    ] = None,
    am: Annotated[
        float | None, _option("am", "For bge: weight of the prior mean", panel=MODEL)
    ] = None,
    aw: Annotated[
        float | None, _option("aw", "For bge; n + am + 1 unless given", panel=MODEL)
    ] = None,
    prior_mean: Annotated[
        float | None, _option("prior_mean", "For bge: of every variable", panel=MODEL)
    ] = None,
    config: Annotated[
        Path | None,
        typer.Option(metavar="FILE.toml", help="Options from a file; those given here go first."),
    ] = None,
    resume: Annotated[
        bool, typer.Option("--resume", help="Go on with the run in --out, with its settings.")
    ] = False,
    workers: Annotated[int | None, typer.Option(help="Threads; all cores unless given.")] = None,
    time_budget: Annotated[
        str | None, typer.Option(help="As in 30s, 10m or 2h: then nothing more is begun.")
    ] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Say what it would cost, and stop.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Learn which variables drive which, and how sure that is.

    Examples:

    gpnet learn cells.csv --transform log2 --out run

    gpnet learn cells.csv --out sparse --prior edges:6 --forbid "Akt -> Erk" --time-budget 10m

    gpnet learn --resume --out run
    """
    folder = None if dry_run else _folder(out_folder)
    options = _options(context.params)
    settings, means = Settings.of(_some(options, SETTINGS)), Means.of(**_some(options, MEANS))
    table = _table(options)
    plan = make_plan(settings, table)
    if folder is None:
        cost = estimate(table, plan, settings, workers=means.workers)
        _tell_cost(out, cost, plan, means.workers, as_json=as_json)
        return
    with folder.at_work(*_record(options, table, settings, folder)):
        posterior = folder.finished()
        if posterior:
            say(err, "gpnet:", f"{folder.path} holds this run already, and it is finished")
            if not folder.report.exists():
                write_report(posterior, folder.report)
            _tell(posterior, folder, as_json=as_json)
        else:
            cost = estimate(table, plan, settings, workers=means.workers)
            _tell_cost(err, cost, plan, means.workers)
            posterior = _run(folder, table, settings, options, as_json=as_json)
    raise typer.Exit(0 if posterior.diagnosis["converged"] else NOT_CONVERGED)


# Options


def _folder(path: Path | None) -> RunFolder:
    if path is None:
        raise OptionError("--out: a folder for the result is needed, as in --out run")
    return RunFolder(path)


def _options(given: Mapping[str, Any]) -> dict[str, Any]:
    """Those of the command line, before those of a file; what nobody set is not there."""
    names = (*SOURCE, *MEANS, *SETTINGS)
    chosen = {name: given[name] for name in names if given[name] not in (None, [], ())}
    for name in PAIRS:
        if name in chosen:
            chosen[name] = number_pair(name.replace("_", "-"), chosen[name])
    if "tiers" in chosen:
        chosen["tiers"] = read_tiers(chosen["tiers"])
    if "time_budget" in chosen:
        chosen["time_budget"] = seconds_of("time-budget", chosen["time_budget"])
    return _from_file(given) | chosen


def _from_file(given: Mapping[str, Any]) -> dict[str, Any]:
    """Options of --config or, to go on with a run, of its settings."""
    path = given["config"]
    if given["resume"]:
        if path:
            raise OptionError("--resume takes the settings of the run: leave out --config")
        path = RunFolder(given["out_folder"] or "").settings
        if not path.exists():
            raise OptionError(f"--resume: there is no run in {path.parent}; leave it out to begin")
    if path is None:
        return {}
    found = {name.replace("-", "_"): value for name, value in read_settings(path).items()}
    found.pop(RECORDED, None)
    known = (*SOURCE, *MEANS, *SETTINGS)
    for name in found:
        if name not in known:
            raise OptionError(f"{path}: no option {quote(name)}: {suggestion(name, known)}")
    if "time_budget" in found:
        found["time_budget"] = seconds_of("time-budget", str(found["time_budget"]))
    if "data" in found:
        found["data"] = path.parent / _path_in(path, found["data"])
    if isinstance(found.get("drop"), str):
        found["drop"] = [found["drop"]]
    return found


def _path_in(file: Path, value: Any) -> str:
    if not isinstance(value, str):
        raise OptionError(f"{file}: data: expected a path, found {quote(value)}")
    return value


def _some(options: Mapping[str, Any], names: Iterable[str]) -> dict[str, Any]:
    return {name: options[name] for name in names if name in options}


def _table(options: Mapping[str, Any]) -> Dataset:
    if "data" not in options:
        raise OptionError("DATA: a table is needed, as in gpnet learn cells.csv --out run")
    reading = _some(options, SOURCE)
    table = load_table(reading.pop("data"), **reading)
    for warning in table.warnings:
        warn(warning.sentence)
    return table


def _record(
    options: Mapping[str, Any], table: Dataset, settings: Settings, folder: RunFolder
) -> tuple[dict[str, Any], dict[str, Any]]:
    """What settings.toml holds: what can be set, and what goes with it."""
    source = {"transform": "none", "drop": [], **_some(options, SOURCE)}
    source["data"] = _relative(source["data"], folder.path)
    recorded = {"fingerprint": table.fingerprint, "rows": table.n_rows, "gpnet": __version__}
    return source | settings.record(), recorded


def _relative(data: Path, folder: Path) -> str:
    """The way from the folder to the data, which may move together; links on it are followed."""
    way = os.path.relpath(data.parent.resolve() / data.name, folder.resolve())
    try:
        way.encode()
    except UnicodeEncodeError:
        raise OptionError(
            f"DATA: the path {quote(way)} is not text in UTF-8, and no settings could name it; "
            "rename the file"
        ) from None
    return way


# The run


def _run(
    folder: RunFolder,
    table: Dataset,
    settings: Settings,
    options: Mapping[str, Any],
    *,
    as_json: bool,
) -> Posterior:
    """Whatever ends it early, what was computed is in the folder."""
    folder.log(f"begun, gpnet {__version__}, {table.n_rows} rows, {table.n_variables} variables")
    start = monotonic()
    with _resumable(folder):
        with Stages(folder.log) as stages:
            posterior = learn(
                table,
                store=folder.scores,
                progress=stages,
                **_some(options, MEANS),
                **settings.record(),
            )
        try:
            folder.finish(posterior, summary_of(posterior))
        except FileError:  # a disk that is full takes away the files, not the answer
            _tell(posterior, folder, as_json=as_json)
            raise
        write_report(posterior, folder.report)
    folder.log(f"finished after {monotonic() - start:.1f} s: {posterior.diagnosis['verdict']}")
    _tell(posterior, folder, as_json=as_json)
    return posterior


@contextmanager
def _resumable(folder: RunFolder) -> Iterator[None]:
    """Says how to go on after Ctrl-C, a polite kill or the end of the time."""
    caught = _catch_signals(folder)
    try:
        yield
    except (KeyboardInterrupt, OutOfTimeError) as error:
        for one in caught:  # all is saved, and nothing is left to stop
            signal.signal(one, signal.SIG_IGN)
        why = str(error) or "interrupted"
        folder.log(f"stopped: {why}")
        say(err, "gpnet:", why, style="bold red")
        say(err, "gpnet:", f"what was computed is in {folder.path}; to go on from there:")
        say(err, "  ", _resume_command(folder))
        raise typer.Exit(INTERRUPTED) from None
    except GpnetError as error:
        folder.log(f"failed: {error}")
        raise


def _catch_signals(folder: RunFolder) -> list[signal.Signals]:
    """The first signal ends the run when all is saved, a second one at once. Those caught.

    At once is safe: what is on the disk outlives any end.
    """

    def stop(number: int, frame: object) -> None:
        for one in caught:
            signal.signal(one, stop_now)
        raise KeyboardInterrupt

    def stop_now(number: int, frame: object) -> None:
        # Past all buffers and locks, which may be those of what was interrupted.
        shown_again = "\x1b[?25h" if os.isatty(2) else ""  # the cursor, that a bar had hidden
        text = f"{shown_again}\ngpnet: stopped at once; to go on: {_resume_command(folder)}\n"
        os.write(2, text.encode(errors="replace"))
        os._exit(INTERRUPTED)

    # Who was started to ignore them, in the background, still does.
    both = (signal.SIGINT, signal.SIGTERM)
    caught = [one for one in both if signal.getsignal(one) != signal.SIG_IGN]
    for one in caught:
        signal.signal(one, stop)
    return caught


def _resume_command(folder: RunFolder) -> str:
    return f"gpnet learn --resume --out {shlex.quote(printable(folder.path))}"


def _tell(posterior: Posterior, folder: RunFolder, *, as_json: bool) -> None:
    if as_json:
        print_json({"out": str(folder.path), **summary_of(posterior)})
        return
    print_posterior(posterior)
    out.print()
    report = "report.html, " if folder.report.is_file() else ""
    files = f"{report}posterior.npz, edges.csv, summary.json, settings.toml, log.txt"
    say(out, f"{printable(folder.path)}:", files)


def _tell_cost(
    console: Console, cost: Cost, plan: Plan, workers: int, *, as_json: bool = False
) -> None:
    if as_json:
        print_json(
            {
                "sets": cost.n_sets,
                "sets_are_at_most": cost.bounded,
                "seconds": list(cost.seconds),
                "memory_bytes": cost.memory,
                "workers": workers,
                "space": plan.space_name,
                "sampler": plan.sampler_name,
            }
        )
        return
    low, high = (in_words(seconds) for seconds in cost.seconds)
    span = f"about {low}" if low == high else f"about {low} to {high}"
    most = "at most " if cost.bounded else ""
    say(
        console,
        "gpnet:",
        f"{most}{count(cost.n_sets, 'parent set')} to score ({plan.space_name} space), "
        f"{plan.sampler_name} sampling; {f'at most {high}' if cost.bounded else span} with "
        f"{count(workers, 'worker')}, {cost.memory / 1e6:,.0f} MB",
    )

"""gpnet learn: from a table to a folder with the posterior."""

import os
import signal
from collections.abc import Iterable, Mapping
from dataclasses import fields
from pathlib import Path
from time import monotonic
from typing import Annotated, Any, Final

import typer

from gpnet import __version__
from gpnet.cli.app import Delimiter, Drop, Json, app, err, out, print_json, say, warn
from gpnet.cli.options import number_pair, read_tiers, seconds_of
from gpnet.cli.telling import print_posterior, summary_of
from gpnet.costs import Cost, estimate
from gpnet.dataset import TRANSFORMS, Dataset, load_table
from gpnet.errors import GpnetError, OptionError, OutOfTimeError
from gpnet.findings import quote, suggestion
from gpnet.gp.evidence import EVIDENCES
from gpnet.learn import learn
from gpnet.plan import PRIORS, SPACES, Plan, make_plan
from gpnet.posterior import Posterior
from gpnet.progress import Stages, in_words
from gpnet.run_folder import RECORDED, RunFolder, read_settings
from gpnet.samplers import SAMPLERS
from gpnet.scores import SCORES
from gpnet.settings import AUTO, Settings

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
        str | None, _option("amplitude_prior", "Inverse gamma, for gp2", panel=MODEL)
    ] = None,
    mean_prior: Annotated[str | None, _option("mean_prior", "Normal: mean,sd", panel=MODEL)] = None,
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
    table, settings = _table(options), Settings.of(_some(options, SETTINGS))
    n_workers = options.get("workers", os.cpu_count() or 1)
    plan = make_plan(settings, table)
    cost = estimate(table, plan, settings, workers=n_workers)
    _tell_cost(cost, plan, n_workers, as_json=as_json and dry_run)
    if folder is None:
        return
    folder.begin(*_record(options, table, settings, folder))
    posterior = folder.finished()
    if posterior:
        say(err, "gpnet:", f"{folder.path} holds this run already, and it is finished")
        _tell(posterior, folder, as_json=as_json)
    else:
        posterior = _run(folder, table, settings, options, as_json=as_json)
    raise typer.Exit(0 if posterior.diagnosis["converged"] else NOT_CONVERGED)


# Options


def _folder(path: Path | None) -> RunFolder:
    if path is None:
        raise OptionError("--out: a folder for the result is needed, as in --out run")
    return RunFolder(path)


def _options(given: Mapping[str, Any]) -> dict[str, Any]:
    """Those of the command line, before those of a file; what nobody set is not there."""
    chosen = {name: given[name] for name in (*SOURCE, *MEANS, *SETTINGS) if given[name]}
    chosen |= {name: given[name] for name in SETTINGS if given[name] in (0, False)}
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
        found["data"] = path.parent / str(found["data"])
    return found


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
    source = _some(options, SOURCE)
    source["data"] = os.path.relpath(source["data"], folder.path)  # they may move together
    recorded = {"fingerprint": table.fingerprint, "rows": table.n_rows, "gpnet": __version__}
    return source | settings.record(), recorded


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
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # as Ctrl-C
    folder.log(f"begun, gpnet {__version__}, {table.n_rows} rows, {table.n_variables} variables")
    start = monotonic()
    try:
        with Stages(folder.log) as stages:
            posterior = learn(
                table,
                store=folder.scores,
                progress=stages,
                **_some(options, MEANS),
                **settings.record(),
            )
    except (KeyboardInterrupt, OutOfTimeError) as error:
        _tell_how_to_resume(folder, str(error) or "interrupted")
        raise typer.Exit(INTERRUPTED) from None
    except GpnetError as error:
        folder.log(f"failed: {error}")
        raise
    try:
        folder.finish(posterior, summary_of(posterior))
        folder.log(f"finished after {monotonic() - start:.1f} s: {posterior.diagnosis['verdict']}")
    finally:  # a disk that is full takes away the files, not the answer
        _tell(posterior, folder, as_json=as_json)
    return posterior


def _tell(posterior: Posterior, folder: RunFolder, *, as_json: bool) -> None:
    if as_json:
        print_json({"out": str(folder.path), **summary_of(posterior)})
        return
    print_posterior(posterior)
    say(out, f"\n{folder.path}:", "posterior.npz, edges.csv, summary.json, settings.toml, log.txt")


def _tell_how_to_resume(folder: RunFolder, why: str) -> None:
    folder.log(f"stopped: {why}")
    say(err, "gpnet:", why, style="bold red")
    say(err, "gpnet:", f"what was computed is in {folder.path}; to go on from there:")
    say(err, "  ", f"gpnet learn --resume --out {folder.path}")


def _tell_cost(cost: Cost, plan: Plan, workers: int, *, as_json: bool) -> None:
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
        err,
        "gpnet:",
        f"{most}{cost.n_sets:,} parent sets to score ({plan.space_name} space), "
        f"{plan.sampler_name} sampling; {f'at most {high}' if cost.bounded else span} with "
        f"{workers} workers, {cost.memory / 1e6:,.0f} MB",
    )

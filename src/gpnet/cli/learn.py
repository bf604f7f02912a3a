"""gpnet learn: from a table to a folder with the posterior."""

import os
import shlex
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from math import ceil
from pathlib import Path
from time import monotonic
from typing import Any, Final

import typer

from gpnet import __version__
from gpnet.cli import learn_options as option
from gpnet.cli.app import (
    Condition,
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
    err,
    out,
    print_json,
    say,
    warn,
)
from gpnet.cli.ask import print_questions
from gpnet.cli.learn_options import OUTPUT, RESOURCES, SETTINGS, SOURCE, options_of, some, table_of
from gpnet.cli.render import print_cost, print_posterior, write_report
from gpnet.cli.signals import ALL as ALL_SIGNALS
from gpnet.cli.signals import INTERRUPTED, WATCH
from gpnet.common.errors import FileError, GpnetError, OptionError, OutOfTimeError
from gpnet.common.messages import printable, quote
from gpnet.data.dataset import Dataset
from gpnet.data.readers import STANDARD_INPUT
from gpnet.data.transforms import transform_text
from gpnet.inference.first_notes import warnings_of
from gpnet.inference.pipeline import infer
from gpnet.inference.plan import Plan, make_plan
from gpnet.inference.run_folder import RunFolder
from gpnet.inference.settings import Settings
from gpnet.posterior.posterior import Posterior
from gpnet.posterior.recorded_settings import with_table_name
from gpnet.runtime.cluster import opened_cluster
from gpnet.runtime.context import RunContext
from gpnet.runtime.deadline import Deadline
from gpnet.runtime.executors import Workers
from gpnet.runtime.progress import Stages
from gpnet.runtime.store import Store

NOT_CONVERGED: Final = 3
MORE_TIME: Final = 5  # times a budget that did not do
QUESTIONS: Final = 3  # that are told with the result


@app.command(name="learn")
def learn_command(
    context: typer.Context,
    data: option.Data = None,
    out_folder: option.Out = None,
    score: option.Score = None,
    noise: option.Noise = None,
    kernel: option.Kernel = None,
    evidence: option.EvidenceMethod = None,
    prior: option.Prior = None,
    sampler: option.Sampler = None,
    space: option.Space = None,
    max_parents: option.MaxParents = None,
    prune: option.Prune = None,
    max_candidates: option.MaxCandidates = None,
    draws: option.Draws = None,
    chains: option.Chains = None,
    thin: option.Thin = None,
    refine: option.Refine = None,
    rounds: option.Rounds = None,
    bag: option.Bag = None,
    doubt: option.Doubt = None,
    imputations: option.Imputations = None,
    seed: option.Seed = None,
    forbid: option.Forbid = None,
    require: option.Require = None,
    tiers: option.Tiers = None,
    roots: option.Roots = None,
    exogenous_prior: option.ExogenousPrior = None,
    transform: Transform = None,
    delimiter: Delimiter = None,
    drop: Drop = None,
    keep: Keep = None,
    interventions: Interventions = None,
    exogenous: Exogenous = None,
    condition: Condition = None,
    model_discrete: ModelDiscrete = None,
    missing: Missing = None,
    lengthscale_prior: option.LengthscalePrior = None,
    noise_prior: option.NoisePrior = None,
    amplitude_prior: option.AmplitudePrior = None,
    mean_prior: option.MeanPrior = None,
    linear_weight: option.LinearWeight = None,
    slope_variance: option.SlopeVariance = None,
    weak_weight: option.WeakWeight = None,
    am: option.Am = None,
    aw: option.Aw = None,
    prior_mean: option.PriorMean = None,
    config: option.Config = None,
    resume: option.Resume = False,
    workers: option.WorkerCount = None,
    cluster: option.ClusterAddress = None,
    store: option.StoreFile = None,
    time_budget: option.TimeBudget = None,
    spreadsheet_safe: option.SpreadsheetSafe = None,
    keep_data: option.KeepData = None,
    dry_run: option.DryRun = False,
    as_json: Json = False,
) -> None:
    """Learn which variables drive which, and how sure that is.

    Examples:

    gpnet learn cells.csv --transform log2 --out run

    gpnet learn cells.csv --out sparse --prior edges:6 --forbid "Akt -> Erk" --time-budget 10m

    gpnet learn --resume --out run
    """
    _learn(context.params, start=monotonic())


def _learn(given: Mapping[str, Any], *, start: float) -> None:
    """With the options of the command line; the time budget counts from `start`."""
    as_json, dry_run = given["as_json"], given["dry_run"]
    folder = None if dry_run else _folder(given["out_folder"])
    options = options_of(given)
    settings = Settings.of(some(options, SETTINGS))
    resources = some(options, RESOURCES)
    deadline = Deadline.after(resources.get("time_budget"), start=start)
    with Workers.threads(resources.get("workers")) as executor:
        table = table_of(options)
        plan = make_plan(settings, table)
        told = [warning.sentence for warning in warnings_of(table, plan)]
        for text in told:  # before the work, not after it
            warn(text)
        with opened_cluster(resources.get("cluster"), _teller(folder)) as cluster:
            context, output = RunContext(executor, deadline, cluster=cluster), some(options, OUTPUT)
            if folder is None:
                print_cost(out, table, plan, context, as_json=as_json)
                return
            record = _record(options, table, settings, folder)
            with folder.at_work(*record, resumed=given["resume"]):
                posterior = _finished(folder) or _run(
                    folder, table, plan, context, options, output, as_json=as_json
                )
                _tell(posterior, folder, told, as_json=as_json)
                if not as_json:
                    _tell_next(posterior, folder, resources.get("time_budget"))
    raise typer.Exit(0 if posterior.diagnosis.converged else NOT_CONVERGED)


def _folder(path: Path | None) -> RunFolder:
    if path is None:
        raise OptionError("--out: a folder for the result is needed, as in --out run")
    return RunFolder(path)


def _teller(folder: RunFolder | None) -> Callable[[str], None]:
    """Of trouble with a cluster, at once: on stderr and in the log."""

    def tell(text: str) -> None:
        warn(text)
        if folder:
            folder.log(text)

    return tell


def _record(
    options: Mapping[str, Any], table: Dataset, settings: Settings, folder: RunFolder
) -> tuple[dict[str, Any], dict[str, Any]]:
    """What settings.toml holds: what can be set, and what goes with it."""
    source = {"transform": "auto", "drop": [], **some(options, SOURCE)}
    source["transform"] = transform_text(source["transform"])
    if str(source["data"]) != STANDARD_INPUT:
        source["data"] = _relative(source["data"], folder.path)
    source["data"] = str(source["data"])
    beside = source.get("interventions")
    if beside and os.path.isfile(beside):
        source["interventions"] = _relative(Path(beside), folder.path)
    recorded = {"fingerprint": table.fingerprint, "rows": table.n_rows, "gpnet": __version__}
    if "store" in options:
        recorded["store"] = _relative(Path(options["store"]), folder.path, "--store")
    return source | some(options, OUTPUT) | settings.record(), recorded


def _relative(data: Path, folder: Path, option_name: str = "DATA") -> str:
    """The way from the folder to a file, which may move with it; links on it are followed."""
    way = os.path.relpath(data.parent.resolve() / data.name, folder.resolve())
    try:
        way.encode()
    except UnicodeEncodeError:
        raise OptionError(
            f"{option_name}: the path {quote(way)} is not text in UTF-8, and no settings could "
            "name it; rename the file"
        ) from None
    return way


# The run


def _finished(folder: RunFolder) -> Posterior | None:
    """The result of a run that came to its end before, with a report."""
    posterior = folder.finished()
    if posterior:
        say(err, "gpnet:", f"{folder.path} holds this run already, and it is finished")
        if not folder.report.exists():
            write_report(posterior, folder.report)
    return posterior


def _run(
    folder: RunFolder,
    table: Dataset,
    plan: Plan,
    context: RunContext,
    options: Mapping[str, Any],
    output: Mapping[str, Any],
    *,
    as_json: bool,
) -> Posterior:
    """Whatever ends it early, what was computed is in the folder."""
    print_cost(err, table, plan, context)
    told = [warning.sentence for warning in warnings_of(table, plan)]
    for text in told:
        folder.log(text)
    folder.log(f"begun, gpnet {__version__}, {table.n_rows} rows, {table.n_variables} variables")
    start = monotonic()
    with _resumable(folder):
        with Stages(folder.log) as stages, _scores(folder, options.get("store")) as store:
            found = infer(table, plan, replace(context, progress=stages, store=store))
        posterior = _with_options(found, options["data"], output)
        keep = output.get("keep_data", True)
        try:
            folder.finish(posterior, posterior.summary(), keep_data=keep)
        except FileError:  # a disk that is full takes away the files, not the answer
            _tell(posterior, folder, told, as_json=as_json)
            raise
        folder.log("writing the report")
        # As it would be made again: effects need the table.
        kept = posterior if keep else replace(posterior, tables=None)
        write_report(kept, folder.report, context)
    folder.log(f"finished after {monotonic() - start:.1f} s: {posterior.diagnosis.verdict}")
    return posterior


def _with_options(posterior: Posterior, data: Any, output: Mapping[str, Any]) -> Posterior:
    """With its table's name, and how its files are to be written, also if that is done again."""
    settings = with_table_name(posterior.settings, data)
    options = {**settings["options"], **output}
    return replace(posterior, settings={**settings, "options": options})


@contextmanager
def _scores(folder: RunFolder, shared: Path | None) -> Iterator[Store]:
    """The store of the run, or one that others use too.

    What of it could not be believed is logged, however the run ends.
    """
    with Store(shared or folder.scores) as store:
        for text in store.damage:
            warn(text)
        try:
            yield store
        finally:
            for text in store.damage:
                folder.log(text)


@contextmanager
def _resumable(folder: RunFolder) -> Iterator[None]:
    """Says how to go on after Ctrl-C, a polite kill, a lost terminal or the end of the time."""

    def last_words() -> str:
        folder.log("stopped: interrupted")
        return "\n".join(["gpnet: interrupted", *_to_go_on(folder)])

    try:
        with WATCH.heeding(ALL_SIGNALS, last_words):
            yield
    except (KeyboardInterrupt, OutOfTimeError) as error:
        WATCH.hush()
        why = str(error) or "interrupted"
        folder.log(f"stopped: {why}")
        with suppress(OSError):  # a terminal that has gone
            say(err, "gpnet:", why, style="bold red")
            for line in _to_go_on(folder):
                err.out(line, highlight=False)
        raise typer.Exit(INTERRUPTED) from None
    except GpnetError as error:
        folder.log(f"failed: {error}")
        raise


def _to_go_on(folder: RunFolder) -> list[str]:
    return [
        f"gpnet: what was computed is in {printable(folder.path)}; to go on from there:",
        f"   {_resume_command(folder)}",
    ]


def _resume_command(folder: RunFolder) -> str:
    return f"gpnet learn --resume --out {shlex.quote(printable(folder.path))}"


def _tell(posterior: Posterior, folder: RunFolder, told: Sequence[str], *, as_json: bool) -> None:
    """The result, without notes that were told when the table was read."""
    if as_json:
        print_json({"out": str(folder.path), **posterior.summary()})
        return
    print_posterior(posterior, told)
    print_questions(posterior, folder.path, most=QUESTIONS)
    out.print()
    report = "report.html, " if folder.report.is_file() else ""
    table = "table.npz, " if folder.table.is_file() else ""
    files = f"{report}posterior.npz, edges.csv, summary.json, {table}settings.toml, log.txt"
    say(out, f"{printable(folder.path)}:", files)
    if report:
        say(out, "Open", f"{printable(folder.report)} in a browser")


def _tell_next(posterior: Posterior, folder: RunFolder, budget: float | None) -> None:
    """What to type where the time did not do; what was computed is not computed again."""
    diagnosis = posterior.diagnosis
    told = any("the time budget ended" in problem for problem in diagnosis.problems or ())
    cut_short = told or diagnosis.share_unscored or diagnosis.relations_unfitted
    if budget is not None and cut_short:
        minutes = max(1, ceil(MORE_TIME * budget / 60))
        say(out, "Next:", f"{_resume_command(folder)} --time-budget {minutes}m")

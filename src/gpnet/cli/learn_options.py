"""The options of `gpnet learn`: what each is called, and those of a file under those given."""

import shlex
from collections.abc import Iterable, Mapping
from dataclasses import fields
from pathlib import Path
from typing import Annotated, Any, Final

import typer

from gpnet.cli.app import A_TABLE
from gpnet.cli.options import number_pair, seconds_of, split_names, tiers_in
from gpnet.common.errors import DataError, OptionError
from gpnet.common.messages import quote, suggestion
from gpnet.common.typed_values import flag
from gpnet.data.dataset import Dataset
from gpnet.data.load import load_table
from gpnet.data.readers import STANDARD_INPUT
from gpnet.data.transforms import transform_text
from gpnet.gp.evidence import EVIDENCE_METHODS
from gpnet.gp.kernels import KERNELS
from gpnet.gp.noise import NOISES
from gpnet.inference.learn import READING
from gpnet.inference.plan import PRIORS, SPACES
from gpnet.inference.run_folder import MAY_CHANGE, RECORDED, RunFolder, read_settings
from gpnet.inference.settings import AUTO, Settings
from gpnet.samplers import SAMPLERS
from gpnet.scores import SCORES

SOURCE: Final = ("data", *READING)  # which data are meant, and what their columns are for
LISTS: Final = ("drop", "keep", "exogenous", "model_discrete", "roots")  # of names
RESOURCES: Final = ("workers", "cluster", "store", "time_budget")  # what changes no number
OUTPUT: Final = ("spreadsheet_safe", "keep_data")  # how a result is written, now or resumed
SETTINGS: Final = tuple(field.name for field in fields(Settings))
KNOWN: Final = (*SOURCE, *RESOURCES, *OUTPUT, *SETTINGS)
NUMBER_PAIRS: Final = ("lengthscale_prior", "noise_prior", "amplitude_prior", "mean_prior")
DEFAULT: Final = Settings()
MODEL, KNOWLEDGE, DRAWING = "Model", "Knowledge", "Drawing"  # panels of the help


def _option(name: str, text: str, *, panel: str = DRAWING) -> Any:
    """An option of `Settings`, whose default is told but not set: a file may set it."""
    default = getattr(DEFAULT, name)
    told = ",".join(f"{one:g}" for one in default) if name in NUMBER_PAIRS else default
    shown = "" if told in (None, ()) else f" [default: {told}]"
    help_text = f"{text}.{shown}".replace("[", r"\[")
    return typer.Option(help=help_text, show_default=False, rich_help_panel=panel)


def _list(choices: Iterable[str]) -> str:
    return ", ".join(choices)


# As typer reads them

Data = Annotated[Path | None, typer.Argument(metavar="DATA", help=A_TABLE)]
Out = Annotated[Path | None, typer.Option("--out", metavar="RUN", help="Folder for the result.")]
Score = Annotated[str | None, _option("score", _list(SCORES), panel=MODEL)]
Kernel = Annotated[
    str | None, _option("kernel", f"For gp, adaptive: {_list(KERNELS)}", panel=MODEL)
]
Noise = Annotated[str | None, _option("noise", f"{AUTO}, {_list(NOISES)}", panel=MODEL)]
EvidenceMethod = Annotated[
    str | None,
    _option("evidence", f"How draws are scored in the end: {_list(EVIDENCE_METHODS)}", panel=MODEL),
]
Prior = Annotated[
    str | None,
    _option("prior", f"{_list(PRIORS)}; a number after a colon, as in edges:2", panel=MODEL),
]
Sampler = Annotated[str | None, _option("sampler", f"{AUTO}, {_list(SAMPLERS)}")]
Space = Annotated[str | None, _option("space", f"Parent sets to consider: {AUTO}, {_list(SPACES)}")]
MaxParents = Annotated[
    int | None, _option("max_parents", "Of a variable; unless given 4, and more where needed")
]
Prune = Annotated[
    str | None,
    _option("prune", "Leave out parent sets that are so many nats worse than a subset; or off"),
]
MaxCandidates = Annotated[
    int | None, _option("max_candidates", "Of a variable, where the space is searched for")
]
Draws = Annotated[int | None, _option("draws", "DAGs to draw")]
Chains = Annotated[int | None, _option("chains", "Of a sampler by Markov chains")]
Thin = Annotated[int | None, _option("thin", "Steps of a chain between draws")]
Refine = Annotated[
    bool | None, _option("refine", "Draw again where weights are poor; else one pass")
]
Rounds = Annotated[int | None, _option("rounds", "Of drawing, at most")]
Bag = Annotated[
    str | None, _option("bag", "Bootstrap replicates to average over, or off", panel=MODEL)
]
Doubt = Annotated[
    str | None,
    _option(
        "doubt",
        "Probability that data say nothing of a direction: auto, off or a number",
        panel=MODEL,
    ),
]
Imputations = Annotated[
    int | None, _option("imputations", "Completed tables, with --missing impute")
]
Seed = Annotated[int | None, _option("seed", "Same seed, same numbers")]
Forbid = Annotated[
    list[str] | None,
    _option("forbid", "An edge, as in 'A -> B'; may be repeated", panel=KNOWLEDGE),
]
Require = Annotated[
    list[str] | None,
    _option("require", "An edge, as in 'A -> B'; may be repeated", panel=KNOWLEDGE),
]
Tiers = Annotated[
    str | None,
    _option(
        "tiers",
        "No edge leads into an earlier one: 'A,B < C', or a file with a tier a line, as in A,B",
        panel=KNOWLEDGE,
    ),
]
Roots = Annotated[
    list[str] | None,
    _option("roots", "Modelled, but driven by none, as in age,sex", panel=KNOWLEDGE),
]
ExogenousPrior = Annotated[
    bool | None,
    _option("exogenous_prior", "Count edges from exogenous columns in the prior", panel=KNOWLEDGE),
]
LengthscalePrior = Annotated[
    str | None, _option("lengthscale_prior", "Inverse gamma: shape,scale", panel=MODEL)
]
NoisePrior = Annotated[
    str | None, _option("noise_prior", "Inverse gamma, of the standard deviation", panel=MODEL)
]
AmplitudePrior = Annotated[
    str | None, _option("amplitude_prior", "Inverse gamma, of an amplitude", panel=MODEL)
]
MeanPrior = Annotated[str | None, _option("mean_prior", "Normal: mean,sd", panel=MODEL)]
LinearWeight = Annotated[
    float | None, _option("linear_weight", "Prior probability of a straight line", panel=MODEL)
]
SlopeVariance = Annotated[
    float | None,
    _option("slope_variance", "Of straight lines: prior variance of a slope", panel=MODEL),
]
WeakWeight = Annotated[
    float | None,
    _option("weak_weight", "Prior probability of effects that are weak", panel=MODEL),
]
Am = Annotated[float | None, _option("am", "For bge: weight of the prior mean", panel=MODEL)]
Aw = Annotated[float | None, _option("aw", "For bge; n + am + 1 unless given", panel=MODEL)]
PriorMean = Annotated[
    float | None, _option("prior_mean", "For bge: of every variable", panel=MODEL)
]
Config = Annotated[
    Path | None,
    typer.Option(metavar="FILE.toml", help="Options from a file; those given here go first."),
]
Resume = Annotated[
    bool,
    typer.Option(
        "--resume",
        help=f"Go on with the run in --out, with its settings and scores. {', '.join(MAY_CHANGE)} "
        "may be given anew: each replaces what the run had, '' takes it away.",
    ),
]
WorkerCount = Annotated[int | None, typer.Option(help="Threads; all cores unless given.")]
ClusterAddress = Annotated[
    str | None,
    typer.Option(
        metavar="ADDRESS",
        help="Score on a cluster: of a dask scheduler, or local:N for N processes here.",
    ),
]
StoreFile = Annotated[
    Path | None,
    typer.Option(metavar="FILE", help="For scores, shared with other runs; in RUN unless given."),
]
TimeBudget = Annotated[
    str | None,
    typer.Option(help="As in 30s, 10m or 2h, from the start: then nothing more is begun."),
]
SpreadsheetSafe = Annotated[
    bool | None,
    typer.Option(
        "--spreadsheet-safe",
        help="In CSV files, an apostrophe before names that a spreadsheet would run as formulas.",
        show_default=False,
    ),
]
KeepData = Annotated[
    bool | None,
    typer.Option(
        "--keep-data/--no-keep-data",
        help="Keep the table in RUN, for gpnet effect and predict. \\[default: keep-data]",
        show_default=False,
    ),
]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Say what it would cost, and stop.")]


# Merged


def options_of(given: Mapping[str, Any]) -> dict[str, Any]:
    """Those of the command line, before those of a file; what nobody set is not there."""
    chosen = {name: given[name] for name in KNOWN if given[name] not in (None, [], ())}
    for name in NUMBER_PAIRS:
        if name in chosen:
            chosen[name] = number_pair(name.replace("_", "-"), chosen[name])
    for name in ("require", "forbid"):
        if name in chosen:
            chosen[name] = [edge for edge in chosen[name] if edge.strip()]
    if "tiers" in chosen:
        chosen["tiers"] = tiers_in(chosen["tiers"])
    chosen |= names_in(chosen) | transform_in(chosen)
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
        return options_in(path) | _store_in(path)
    return {} if path is None else options_in(path)


def _store_in(path: Path) -> dict[str, Any]:
    """Where the scores of a run are, if not in its folder; its copies have stores of their own."""
    recorded = read_settings(path).get(RECORDED)
    store = recorded.get("store") if isinstance(recorded, dict) else None
    return {} if store is None else {"store": path.parent / _path_in(path, store, "store")}


def options_in(path: Path) -> dict[str, Any]:
    """Those of a file, with paths as seen from here."""
    found = {name.replace("-", "_"): value for name, value in read_settings(path).items()}
    found.pop(RECORDED, None)
    for name in found:
        if name not in KNOWN:
            raise OptionError(f"{path}: no option {quote(name)}: {suggestion(name, KNOWN)}")
    for name in some(found, OUTPUT):
        flag(f"{path}: {name}", found[name])
    if "time_budget" in found:
        found["time_budget"] = seconds_of("time-budget", str(found["time_budget"]))
    if "data" in found and found["data"] != STANDARD_INPUT:
        found["data"] = path.parent / _path_in(path, found["data"], "data")
    for name in LISTS:
        if isinstance(found.get(name), str):
            found[name] = [found[name]]
    beside = found.get("interventions")
    if isinstance(beside, str) and (path.parent / beside).is_file():  # a column, or a file
        found["interventions"] = str(path.parent / beside)
    return found


def names_in(given: Mapping[str, Any]) -> dict[str, list[str]]:
    """Lists of names, each as A,B or given several times."""
    return {
        name: [one for text in given[name] for one in split_names(name.replace("_", "-"), text)]
        for name in LISTS
        if name in given
    }


def transform_in(given: Mapping[str, Any]) -> dict[str, str]:
    """What was asked for, once or several times, as one text."""
    if "transform" not in given:
        return {}
    return {"transform": transform_text(";".join(given["transform"]))}


def reading_in(given: Mapping[str, Any]) -> dict[str, Any]:
    """How a table is to be read; what nobody set is not there."""
    asked = {name: given[name] for name in SOURCE if name != "data"}
    asked = {name: value for name, value in asked.items() if value not in (None, [], ())}
    return {**asked, **names_in(asked), **transform_in(asked)}


def table_of(options: Mapping[str, Any]) -> Dataset:
    """What to learn from; where it has errors, who tells a command that works."""
    if "data" not in options:
        raise OptionError("DATA: a table is needed, as in gpnet learn cells.csv --out run")
    reading = some(options, SOURCE)
    data = reading.pop("data")
    try:
        return load_table(data, **reading)
    except DataError as error:
        if str(data) == STANDARD_INPUT:
            raise
        hint = f"for all of it, and a command to go on with: gpnet check {shlex.quote(str(data))}"
        raise DataError(f"{error}\n{hint}") from None


def _path_in(file: Path, value: Any, name: str) -> str:
    if not isinstance(value, str):
        raise OptionError(f"{file}: {name}: expected a path, found {quote(value)}")
    return value


def some(options: Mapping[str, Any], names: Iterable[str]) -> dict[str, Any]:
    """Those of these names that were set."""
    return {name: options[name] for name in names if name in options}

"""One row: a method with a value of its parameter, on a data set; how near it comes to the truth.

`seconds` is the time of this row alone: methods that need the same scores share them through a
store, and whoever comes first computes them.
"""

from typing import Any

from baselines import LEARNERS, Learner, Resources, timed_fit

import gpnet
from experiments import reference
from experiments.experiment import Key, Place, Row, Settings
from gpnet.posterior import metrics

KEY = ["lambda", "run", "method", "parameter"]
DIGITS = 6  # that a number is written with: less than what another machine would differ by
DIAGNOSES = ("sets_in_table", "sets_scored_again", "effective_share", "converged")


def keys(settings: Settings) -> list[Key]:
    """Data set by data set, so that the rows of an interrupted run can be compared.

    `runs` says for each method on how many data sets, or so for each value of its parameter.
    """
    wanted = [
        (method, parameter, runs)
        for method, table in settings["runs"].items()
        for parameter, runs in _by_parameter(table, tuning(settings, method)).items()
    ]
    return [
        {"lambda": nonlinearity, "run": run, "method": method, "parameter": float(parameter)}
        for run in range(1, max(runs for *_, runs in wanted) + 1)
        for nonlinearity in settings["lambdas"]
        for method, parameter, runs in wanted
        if run <= runs
    ]


def _by_parameter(runs: int | dict[str, int], parameters: dict[str, Any]) -> dict[str, int]:
    return runs if isinstance(runs, dict) else dict.fromkeys(parameters, runs)


def tuning(settings: Settings, method: str) -> dict[str, Any]:
    """Options by value of the parameter."""
    return settings["tunings"][settings["methods"][method]["tuning"]]


def measure(key: Key, settings: Settings, place: Place) -> Row:
    known = reference.study(settings["nodes"], key["lambda"], key["run"])
    store = place.folder / f"lambda{key['lambda']}_run{key['run']:03}.sqlite"
    return judged(learner(key, settings).fit(known.data, Resources(place.workers, store)), known)


def measure_alone(key: Key, settings: Settings, place: Place) -> Row:
    """The same without what others have computed, so that `seconds` are those of the method."""
    known = reference.study(settings["nodes"], key["lambda"], key["run"])
    posterior, seconds = timed_fit(learner(key, settings), known.data)
    return {"seconds": seconds} | judged(posterior, known)


def learner(key: Key, settings: Settings) -> Learner:
    """The method of the key with its parameter."""
    method = settings["methods"][key["method"]]
    tuned = tuning(settings, key["method"])[f"{key['parameter']:g}"]
    options = {"seed": settings["seed"]} | method["options"] | tuned
    return LEARNERS[method["learner"]](**options)


def judged(posterior: gpnet.Posterior, known: reference.Known) -> Row:
    """All metrics, the rates of the best DAG, and what it took."""
    best = posterior.map_dag().to_numpy()
    found: Row = metrics.compare(posterior.dags, posterior.weights, known.dag)
    dag, cpdag = metrics.rates(best, known.dag), metrics.cpdag_rates(best, known.dag)
    found |= {"tpr": dag.tpr, "fprp": dag.fprp, "tpr_cpdag": cpdag.tpr, "fprp_cpdag": cpdag.fprp}
    found |= {name: getattr(posterior.diagnosis, name) for name in DIAGNOSES}
    return {name: _rounded(value) for name, value in found.items()}


def _rounded(value: Any) -> Any:
    return float(f"{value:.{DIGITS}g}") if isinstance(value, float) else value

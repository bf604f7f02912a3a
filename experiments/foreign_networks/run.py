"""Candidate settings of `gpnet.learn`, judged on networks of other kinds than the paper's.

Data sets of odd number are to choose a candidate on. Those of even number are to confirm the
choice: they are read where `confirm` is set, and only they are.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

import gpnet
from experiments import edges, reference
from experiments.experiment import Key, Place, Row, Settings
from experiments.foreign_networks.measures import judge
from experiments.foreign_networks.networks import KINDS, draw
from experiments.foreign_networks.tables import bins_table, kinds_table
from experiments.sachs import sachs
from gpnet.common.types import Dag, Floats
from gpnet.posterior import metrics

SACHS, PAPER = "Sachs", "the paper's"
DIGITS = 6  # after the point: beyond them another machine differs


def keys(settings: Settings) -> list[Key]:
    """Data set by data set, so that the rows of an interrupted run can be compared."""
    all_sizes = list(sizes(settings))
    most = max(size["datasets"] for size in all_sizes)
    return [
        {
            **{name: size[name] for name in ("kind", "nodes", "rows")},
            "dataset": dataset,
            "candidate": candidate,
        }
        for dataset in range(2 if settings["confirm"] else 1, most + 1, 2)
        for size in all_sizes
        if dataset <= size["datasets"]
        for candidate in settings["candidates"]
    ]


def sizes(settings: Settings) -> Iterator[dict[str, Any]]:
    """Kind, nodes, rows, and the greatest number of a data set."""
    yield from settings["tables"]
    for kind in settings["kinds"]:
        for size in settings["networks"]:
            if size["nodes"] > 2 or not KINDS[kind].products:  # a single parent has no partner
                yield {"kind": kind, **size}


def measure(key: Key, settings: Settings, place: Place) -> Row:
    judged = table(key, settings["seed"])
    options = settings["candidates"][key["candidate"]]
    posterior = gpnet.learn(judged.frame(), workers=place.workers, curves=False, **options)
    probabilities = posterior.edge_probabilities().to_numpy()
    found = judge(probabilities, judged.dag)
    found["eshd"] = metrics.expected_counts(posterior.dags, posterior.weights, judged.dag).shd
    return {
        **{name: _rounded(value) for name, value in found.items()},
        "probabilities": edges.write(probabilities),
        "truth": edges.write(judged.dag),
    }


def _rounded(value: Any) -> Any:
    return round(value, DIGITS) if isinstance(value, float) else value


# Tables with a known DAG


@dataclass(frozen=True, eq=False)
class Judged:
    """Columns without names that could tell, (N, n), and their DAG."""

    values: Floats
    dag: Dag

    def frame(self) -> pd.DataFrame:
        return pd.DataFrame(self.values, columns=[f"V{i + 1}" for i in range(len(self.dag))])


def table(key: Key, seed: int) -> Judged:
    kind, dataset = key["kind"], key["dataset"]
    if kind == SACHS:
        known = sachs()
        return shuffled(known.data.values, known.dag, [seed, dataset])
    if kind.startswith(PAPER):
        known = reference.study(key["nodes"], float(kind.split()[-1]), dataset)
        return shuffled(known.data.values, known.dag, [seed, dataset])
    drawn = draw(KINDS[kind], key["nodes"], key["rows"], [seed, key["nodes"], key["rows"], dataset])
    return Judged(drawn.values, drawn.dag)


def shuffled(values: Floats, dag: Dag, entropy: Sequence[int]) -> Judged:
    """Columns in another order, so that nothing can depend on it."""
    order = np.random.default_rng(entropy).permutation(len(dag))
    return Judged(values[:, order], dag[np.ix_(order, order)])


# The report


def report(rows: pd.DataFrame, settings: Settings) -> Iterator[str]:
    yield kinds_table(rows)
    yield bins_table(rows)

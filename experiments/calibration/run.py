"""Edge probabilities and the truth, over data sets from the model's own prior."""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import pandas as pd
from rich.table import Table

import gpnet
from experiments import edges
from experiments.experiment import Key, Place, Row, Settings
from gpnet.common.types import Dag, Floats
from gpnet.gp.kernels import KERNELS
from gpnet.gp.priors import Hyperpriors
from gpnet.posterior import metrics
from gpnet.samplers import ExactSampler
from gpnet.score_table.search_space import SearchSpace
from gpnet.score_table.table import ScoreTable, log_priors
from gpnet.simulation.networks import GpNetwork
from gpnet.simulation.simulation import Simulation
from gpnet.structure_priors import STRUCTURE_PRIORS, PriorSettings, StructurePrior


def keys(settings: Settings) -> list[Key]:
    return [
        {"prior": prior, "scale": scale, "dataset": dataset}
        for prior in settings["priors"]
        for scale in settings["scales"]
        for dataset in range(settings["datasets"])
    ]


def measure(key: Key, settings: Settings, place: Place) -> Row:
    scale = SCALES[key["scale"]]
    made = draw_from_prior(key["prior"], key["dataset"], settings, standard=scale.standard)
    table = scale.table(made.values, made.names)
    posterior = gpnet.learn(table, prior=key["prior"], workers=place.workers, **settings["options"])
    probabilities = posterior.edge_probabilities().to_numpy()
    losses, weights = imagined_losses(posterior)
    expected = weights @ losses
    return {
        "converged": posterior.diagnosis["converged"],
        "log_loss": metrics.log_loss(probabilities, made.dag),
        "log_loss_expected": expected,
        "log_loss_sd": np.sqrt(weights @ (losses - expected) ** 2),
        "probabilities": edges.write(probabilities),
        "truth": edges.write(made.dag),
    }


def imagined_losses(posterior: gpnet.Posterior) -> tuple[Floats, Floats]:
    """The log loss if a drawn DAG were the truth, for each that was drawn, and their weights.

    Where the model is correct, the truth is one more draw: its loss is one of these.
    """
    dags, weights = metrics.merged(posterior.dags, posterior.weights)
    probabilities = metrics.edge_probabilities(dags, weights)
    return np.array([metrics.log_loss(probabilities, dag) for dag in dags]), weights


class OwnScale(gpnet.Dataset):
    """A table that learning takes as it is: the one thing that the model's prior needs."""

    def standardised(self) -> Floats:
        """The values themselves."""
        return self.values

    @property
    def fingerprint(self) -> str:
        """Another one than that of the same values standardised: their scores differ."""
        return f"own scale {super().fingerprint}"


class Scale(NamedTuple):
    """How a table is drawn, and how it is learnt from."""

    standard: bool  # whether columns are drawn until standardising would hardly change them
    table: type[gpnet.Dataset]


SCALES = {
    "standard": Scale(True, gpnet.Dataset),
    "own": Scale(False, OwnScale),
    "standardised": Scale(False, gpnet.Dataset),
}


def draw_from_prior(
    prior: str, dataset: int, settings: Settings, *, standard: bool = False
) -> Simulation:
    """A DAG from the structure prior, then a table from the GP network on it."""
    entropy = [settings["seed"], dataset]
    dag_seed, data_seed = np.random.SeedSequence(entropy).generate_state(2).tolist()
    nodes, rows = settings["nodes"], settings["rows"]
    dag = draw_dag(structure_prior(prior, nodes), nodes, dag_seed)
    if standard:
        return gpnet.simulate(model="gp", dag=dag, rows=rows, seed=data_seed)
    network = GpNetwork(dag, KERNELS["additive"](), Hyperpriors())
    values = network.draw(rows, np.random.default_rng(data_seed).spawn(3)[2])
    return Simulation(values, tuple(f"V{i + 1}" for i in range(nodes)), dag)


def draw_dag(prior: StructurePrior, nodes: int, seed: int) -> Dag:
    """One draw from the prior itself: with log marginal likelihoods of zero."""
    others = tuple(tuple(v for v in range(nodes) if v != node) for node in range(nodes))
    space = SearchSpace(others, max_parents=nodes - 1)
    names = [str(node) for node in range(nodes)]
    silence = [np.zeros(space.n_sets(node=node)) for node in range(nodes)]
    table = ScoreTable.assemble(names, space, silence, log_priors(space, prior))
    return ExactSampler().sample(table, n_draws=1, seed=seed).dags[0]


def structure_prior(text: str, nodes: int) -> StructurePrior:
    """As gpnet.learn reads it: a name, and perhaps a number after a colon."""
    name, _, number = text.partition(":")
    gamma = float(number) if number else None
    return STRUCTURE_PRIORS[name].from_settings(PriorSettings(nodes, gamma))


def report(rows: pd.DataFrame, settings: Settings) -> Iterator[Table]:
    by = rows.groupby(["prior", "scale"], sort=False)
    yield _summary(by)
    for (prior, scale), mine in by:
        yield _bins(f"{prior}, {scale} scale", mine, settings["bins"])


def _summary(by: "pd.api.typing.DataFrameGroupBy") -> Table:
    columns = ("prior", "scale", "data sets", "ECE", "log loss", "expected", "z")
    table = Table(*columns, "sure: claimed", "true", "of", title="calibration of edges")
    for (prior, scale), mine in by:
        found = edges.judged(mine)
        table.add_row(
            prior,
            scale,
            str(len(mine)),
            f"{found['ece']:.4f}",
            f"{mine['log_loss'].mean():.4f}",
            f"{mine['log_loss_expected'].mean():.4f}",
            f"{surprise(mine):+.1f}",
            f"{found['sure_claimed']:.3f}",
            f"{found['sure_true']:.3f}",
            f"{found['n_sure']:.0f}",
        )
    return table


def surprise(rows: pd.DataFrame) -> float:
    """By how many standard deviations the log loss exceeds what the posteriors themselves expect.

    About standard normal where the model is correct, however few edges can be detected.
    """
    excess = (rows["log_loss"] - rows["log_loss_expected"]).sum()
    return float(excess / np.sqrt((rows["log_loss_sd"] ** 2).sum()))


def _bins(title: str, rows: pd.DataFrame, bins: int) -> Table:
    table = Table("from", "to", "claimed", "true", "edges", title=title)
    truth = edges.read(rows["truth"]) > 0
    for one in metrics.calibration(edges.read(rows["probabilities"]), truth, bins).itertuples():
        shares = (one.low, one.high, one.claimed, one.true)
        table.add_row(*(f"{share:.3f}" for share in shares), str(one.count))
    return table

"""The posterior: weighted DAGs and every question to them.

Plots, reports and whoever else comes after see only this.
"""

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from gpnet.common.errors import FileError, OptionError
from gpnet.common.messages import count
from gpnet.common.types import Dag, Floats
from gpnet.common.validation import (
    check_finite,
    check_local_scores,
    check_shape,
    check_weights,
    checked_names,
    freeze,
    plain_record,
)
from gpnet.graphs.cycles import find_cyclic
from gpnet.graphs.distinct import distinct
from gpnet.graphs.equivalence import cpdag
from gpnet.posterior import npz_file
from gpnet.posterior.diagnosis import Diagnosis
from gpnet.posterior.features import Feature, parse
from gpnet.posterior.local_scores import LocalScores
from gpnet.posterior.plotting import Pictures
from gpnet.posterior.relations import Fits
from gpnet.stats.estimates import Estimate, WeightedDraws, beta_sd
from gpnet.stats.importance_weights import effective_sample_size

if TYPE_CHECKING:  # each takes its time to import: only who asks for it pays
    from arviz import InferenceData
    from networkx import DiGraph

__all__ = ["LocalScores", "Posterior", "RankedDag", "load"]

PER_DRAW: Final = {
    "log_weights": np.float64,
    "log_target": np.float64,
    "chain": np.int32,
    "gammas": np.float64,
}


class RankedDag(NamedTuple):
    """One of the most probable DAGs."""

    dag: pd.DataFrame  # bool, index "parent", columns "child"
    probability: Estimate
    log_target: float


@dataclass(frozen=True, eq=False, repr=False)
class Posterior(Pictures):
    """Weighted DAGs. Every probability comes with its standard error; all arrays are read-only."""

    names: tuple[str, ...]
    dags: NDArray[np.bool_]  # (M, n, n), dag[parent, child]
    log_weights: Floats  # (M,), normalised: the weights sum to 1
    log_target: Floats  # (M,): log marginals + log prior of each DAG
    chain: NDArray[np.int32]  # (M,): from which of the chains
    independent: bool  # whether the draws are
    local_scores: LocalScores
    gammas: Floats | None = None  # (M,): the edge penalty of each draw, where it is learned
    missing_mass: float | None = (
        None  # mass of DAGs never drawn, where the drawn weigh what they score
    )
    settings: Mapping[str, Any] = field(default_factory=dict)  # enough to repeat the run
    diagnosis: Diagnosis = field(default_factory=Diagnosis)  # numbers and a verdict
    fits: Fits | None = None  # the relations behind the probable edges, where they were fitted

    def __post_init__(self) -> None:
        object.__setattr__(self, "names", checked_names(self.names))
        object.__setattr__(self, "settings", plain_record("settings", self.settings))
        object.__setattr__(self, "diagnosis", Diagnosis.of(self.diagnosis))
        if not isinstance(self.independent, bool):
            raise OptionError(f"independent: expected True or False, found {self.independent!r}")
        per_draw = {name: t for name, t in PER_DRAW.items() if getattr(self, name) is not None}
        freeze(self, {"dags": np.bool_, **per_draw})
        m, n = self.log_weights.size, self.n_variables
        check_shape("dags", self.dags, (m, n, n))
        for name in per_draw:
            check_shape(name, getattr(self, name), (m,))
            check_finite(name, getattr(self, name))
        check_weights(self.log_weights)
        if self.missing_mass is not None and not 0 < self.missing_mass <= 1:
            raise OptionError(f"missing_mass: a probability above 0, found {self.missing_mass}")
        check_shape(
            "local_scores.parents", self.local_scores.parents, (len(self.local_scores.node), n)
        )
        check_local_scores(self.names, self.dags, self._draws.sets)
        if self.fits is not None:
            check_shape("fits.parents", self.fits.parents, (len(self.fits.node), n))

    def __repr__(self) -> str:
        drawn = count(self.n_draws, "draw")
        return f"<Posterior of {count(self.n_variables, 'variable')}: {drawn}, ess {self.ess:.4g}>"

    @property
    def n_draws(self) -> int:
        """M, of all chains together."""
        return len(self.dags)

    @property
    def n_variables(self) -> int:
        """The number of nodes."""
        return len(self.names)

    @property
    def weights(self) -> Floats:
        """(M,), summing to 1."""
        return self._draws.weights

    @property
    def ess(self) -> float:
        """The effective sample size of the weights; autocorrelation does not enter."""
        return effective_sample_size(self.log_weights)

    # Probabilities

    def probability(self, feature: str | Feature) -> Estimate:
        """Of a feature, such as "A -> B"; `gpnet.features` says what else can be asked."""
        asked = parse(feature, self.names) if isinstance(feature, str) else feature
        return self._draws.probability(asked.holds(self.dags, self.names))

    def probabilities(self, events: NDArray[np.bool_]) -> list[Estimate]:
        """Of events (M, k), of which each column says in which of the draws it holds."""
        check_shape("events", events, (self.n_draws, *events.shape[1:2]))
        p, n = self._draws.probabilities(events)
        return list(map(Estimate, p.tolist(), beta_sd(p, n).tolist(), n.tolist()))

    def expect(self, f: Callable[[Dag], float]) -> Estimate:
        """Of any number that f makes of a DAG, dag[parent, child]; called once for each DAG.

        Where f gives only 0 and 1, or True and False, it is taken for a probability. The error is
        0 where f never varies otherwise.
        """
        dags, place = self._distinct
        values = np.array([float(f(dag)) for dag in dags])
        check_finite("f", values)
        if np.isin(values, (0, 1)).all():
            return self._draws.probability(values[place] == 1)
        return self._draws.expectation(values[place])

    def edge_probabilities(self) -> pd.DataFrame:
        """Of parent -> child, by names: the index is the parent, the columns are the child."""
        return self._frame(self._edges[0])

    def edge_errors(self) -> pd.DataFrame:
        """The standard errors of `edge_probabilities`; 0 on the diagonal."""
        return self._frame(self._edges[1])

    def edges(self) -> pd.DataFrame:
        """Parent, child, probability and std_error of all edges ever seen, most probable first."""
        p, std_error = self._edges
        parent, child = np.nonzero(p > 0)
        order = np.argsort(-p[parent, child], kind="stable")
        parent, child = parent[order], child[order]
        return pd.DataFrame(
            {
                "parent": self._labels[parent],
                "child": self._labels[child],
                "probability": p[parent, child],
                "std_error": std_error[parent, child],
            }
        )

    def adjacency_probabilities(self) -> pd.DataFrame:
        """Of an edge between two variables, whichever way it points."""
        pairs = np.triu(self.dags | self.dags.swapaxes(1, 2))  # each asked once
        p, _ = self._probabilities(pairs)
        return self._frame(p + p.T)

    def cpdag_probabilities(self) -> pd.DataFrame:
        """Of each pair a, b, in the order of the columns, what its edge is in the CPDAG.

        directed: a -> b in every DAG of the Markov equivalence class; reversed: b -> a; undirected:
        there are both. Each with its standard error; pairs never adjacent are left out, the most
        probably adjacent come first.
        """
        either = cpdag(self.dags)
        both = either & either.swapaxes(1, 2)
        compelled, errors = self._probabilities(either & ~both)
        undirected, undirected_errors = self._probabilities(np.triu(both))
        adjacent = compelled + compelled.T + undirected
        a, b = np.nonzero(np.triu(adjacent))
        order = np.argsort(-adjacent[a, b], kind="stable")
        a, b = a[order], b[order]
        return pd.DataFrame(
            {
                "a": self._labels[a],
                "b": self._labels[b],
                "directed": compelled[a, b],
                "directed_std_error": errors[a, b],
                "reversed": compelled[b, a],
                "reversed_std_error": errors[b, a],
                "undirected": undirected[a, b],
                "undirected_std_error": undirected_errors[a, b],
            }
        )

    def relations(self) -> pd.DataFrame:
        """Of each variable and each of its parent sets: how probable, and how probably curved.

        Columns child, parents (a tuple of names), probability, nonlinear, which is nan where the
        score does not ask; by child, the most probable set first, without the empty ones.
        """
        rows = []
        for node, places in enumerate(self._draws.sets):
            share = np.bincount(places, weights=self.weights, minlength=len(self.local_scores.node))
            for row in np.argsort(-share, kind="stable")[: np.count_nonzero(share)]:
                parents = tuple(self._labels[self.local_scores.parents[row]])
                if parents:
                    curved = 1 - float(self.local_scores.linear[row])
                    rows.append((self.names[node], parents, float(share[row]), curved))
        return pd.DataFrame(rows, columns=["child", "parents", "probability", "nonlinear"])

    # DAGs

    def map_dag(self) -> pd.DataFrame:
        """The DAG of the highest log target among the draws; `.to_numpy()` is the array."""
        return self._frame(self.dags[int(np.argmax(self.log_target))])

    def top_dags(self, k: int) -> list[RankedDag]:
        """The k different DAGs of the highest log target, or as many as there are."""
        if k < 1:
            raise OptionError(f"k: 1 or more, found {k}")
        dags, place = self._distinct
        log_target = np.full(len(dags), -np.inf)
        np.maximum.at(log_target, place, self.log_target)
        return [
            RankedDag(
                self._frame(dags[best]),
                self._draws.probability(place == best),
                float(log_target[best]),
            )
            for best in np.argsort(-log_target, kind="stable")[:k]
        ]

    def consensus(self, threshold: float = 0.5) -> pd.DataFrame:
        """The edges of a probability above the threshold, as booleans.

        From 0.5 on there is never an edge in both directions. Longer cycles are possible, if rare:
        three edges that hold in two thirds of the draws each need not hold together.
        """
        if not 0 <= threshold <= 1:
            raise OptionError(f"threshold: a probability from 0 to 1, found {threshold}")
        kept = self._edges[0] > threshold
        if threshold >= 0.5:
            kept &= ~kept.T  # both are above a half by rounding only
        return self._frame(kept)

    def to_networkx(self, threshold: float = 0.5) -> "DiGraph":
        """All variables and the edges of `consensus`, each with its probability and std_error."""
        from networkx import DiGraph

        p, std_error = self._edges
        graph = DiGraph()
        graph.add_nodes_from(self.names)
        for parent, child in np.argwhere(self.consensus(threshold).to_numpy()):
            graph.add_edge(
                self.names[parent],
                self.names[child],
                probability=float(p[parent, child]),
                std_error=float(std_error[parent, child]),
            )
        return graph

    # Elsewhere

    def to_arviz(self) -> "InferenceData":
        """`edge` with the dimensions chain, draw, parent and child, for ArviZ's own diagnostics.

        ArviZ knows no weights: they are in sample_stats, as log_weight, beside log_target. Chains
        are cut to the shortest.
        """
        try:
            import arviz
        except ImportError as error:
            raise OptionError("to_arviz needs ArviZ: pip install 'gpnet[arviz]'") from error
        draws = self._draws.by_chain
        found: InferenceData = arviz.from_dict(
            posterior={"edge": self.dags[draws]},
            sample_stats={
                "log_target": self.log_target[draws],
                "log_weight": self.log_weights[draws],
            },
            coords={"parent": list(self.names), "child": list(self.names)},
            dims={"edge": ["parent", "child"]},
        )
        return found

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Write the file, or posterior.npz in a folder, and say where; `load` reads it again.

        It is written wholly or not at all, and the same posterior makes the same bytes.
        """
        arrays: dict[str, NDArray[Any]] = {
            "dags": npz_file.pack(self.dags),
            "log_weights": self.log_weights,
            "log_target": self.log_target,
            "chain": self.chain,
            "evidence_node": self.local_scores.node,
            "evidence_parents": npz_file.pack(self.local_scores.parents),
            "evidence_log_marginal": self.local_scores.log_marginal,
            "evidence_std_error": self.local_scores.std_error,
            "evidence_linear": self.local_scores.linear,
        }
        if self.gammas is not None:
            arrays["gammas"] = self.gammas
        if self.fits is not None:
            arrays |= {f"fits_{name}": array for name, array in vars(self.fits).items()}
            arrays["fits_parents"] = npz_file.pack(self.fits.parents)
        values = {name: getattr(self, name) for name in npz_file.VALUES}
        values["diagnosis"] = self.diagnosis.record()
        return npz_file.write(path, npz_file.Contents(arrays, values))

    # Worked out once

    @cached_property
    def _draws(self) -> WeightedDraws:
        return WeightedDraws(
            self.log_weights,
            self.log_target,
            self.chain,
            self.independent,
            self.local_scores.places(self.dags),
            self.local_scores.std_error,
            self.missing_mass,
        )

    @cached_property
    def _distinct(self) -> tuple[NDArray[np.bool_], NDArray[np.intp]]:
        return distinct(self.dags)

    @cached_property
    def _edges(self) -> tuple[Floats, Floats]:
        return self._probabilities(self.dags)

    def _probabilities(self, graphs: NDArray[np.bool_]) -> tuple[Floats, Floats]:
        """(n, n) each: probabilities and standard errors of what graphs (M, n, n) say."""
        n = self.n_variables
        p, n_effective = self._draws.probabilities(graphs.reshape(self.n_draws, -1))
        std_error = beta_sd(p, n_effective).reshape(n, n)
        np.fill_diagonal(std_error, 0)
        return p.reshape(n, n), std_error

    @cached_property
    def _labels(self) -> pd.Index:
        return pd.Index(self.names, dtype=object)

    def _frame(self, values: NDArray[Any]) -> pd.DataFrame:
        parent, child = self._labels.rename("parent"), self._labels.rename("child")
        return pd.DataFrame(values.copy(), index=parent, columns=child)


# Reading


def load(path: str | os.PathLike[str]) -> Posterior:
    """The posterior that `Posterior.save` wrote; a file, or a folder that holds posterior.npz.

    Nothing in the file is executed, and whatever is wrong with it is a FileError.
    """
    contents = npz_file.read(path)
    with npz_file.told(path, "damaged"):
        try:
            return _from_contents(contents)
        except OptionError as error:
            raise FileError(f"damaged: {error}") from error


def _from_contents(contents: npz_file.Contents) -> Posterior:
    arrays, values = contents.arrays, contents.values
    n = len(checked_names(values["names"]))
    dags = npz_file.unpack(arrays["dags"], (n, n))
    broken = find_cyclic(dags)
    if broken is not None:
        raise OptionError(f"draw {broken + 1} has a cycle, and is no DAG")
    local_scores = LocalScores(
        arrays["evidence_node"],
        npz_file.unpack(arrays["evidence_parents"], (n,)),
        arrays["evidence_log_marginal"],
        arrays["evidence_std_error"],
        arrays["evidence_linear"],
    )
    return Posterior(
        tuple(values["names"]),
        dags,
        arrays["log_weights"],
        arrays["log_target"],
        arrays["chain"],
        values["independent"],
        local_scores,
        arrays.get("gammas"),
        values["missing_mass"],
        values["settings"],
        Diagnosis.of(values["diagnosis"]),
        _fits(arrays, n),
    )


def _fits(arrays: Mapping[str, NDArray[Any]], n_variables: int) -> Fits | None:
    """All of them or none."""
    if not any(name.startswith("fits_") for name in arrays):
        return None
    found = {one.name: arrays[f"fits_{one.name}"] for one in fields(Fits)}
    found["parents"] = npz_file.unpack(found["parents"], (n_variables,))
    return Fits(**found)

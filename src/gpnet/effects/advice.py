"""Which experiment next: how much setting a variable is expected to tell about a question.

DAGs are drawn from the posterior. For each of them, and for each variable that may be set, rows of
such an experiment are drawn from its functions and noise, and all DAGs are weighed anew by how well
they explain these rows: what is left of the entropy of the question, on the average, is what the
experiment leaves open (Lindley 1956; for networks Murphy 2001, Tong & Koller 2001).

Of a family, a node with its parents, the mean of its functions as they are known now is taken, and
normal noise of the size of its residuals: what tells DAGs apart is which variables respond, and how
they are bent, and not the shape of noise, which few rows tell of anyway. Markov equivalent linear
networks are then told apart by experiments alone.
"""

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.special import entr, softmax
from threadpoolctl import threadpool_limits

from gpnet.common.errors import OptionError
from gpnet.common.messages import quote
from gpnet.common.types import Dag, Floats, Node, Parents
from gpnet.effects.learnt_model import LearntModel
from gpnet.effects.measure import check_draws, sample_rows
from gpnet.effects.networks import choose_dags
from gpnet.effects.noise import MOST_ROWS
from gpnet.gp.functions import DrawnFunctions
from gpnet.graphs.dag import topological_order
from gpnet.graphs.distinct import distinct
from gpnet.posterior.features import Feature, parse
from gpnet.scores import FunctionRequest

if TYPE_CHECKING:
    from gpnet.posterior.posterior import Posterior

N_FUNCTIONS: Final = 32  # draws that a mean is taken of
LEAST_SD: Final = 1e-3  # of noise: no row is told apart more finely
MOST_NEW_ROWS: Final = 10_000
SETTLED: Final = 0.01  # bits: a question that is as good as answered


@dataclass(frozen=True, eq=False, repr=False)
class Advice:
    """What setting each variable is expected to tell, in bits."""

    about: str
    entropy: float  # of the question, now
    rows: int  # of the experiment
    names: tuple[str, ...]  # what may be set, the most telling first
    gain: Floats  # (k,): expected reduction of the entropy
    error: Floats  # (k,): of the computation
    observing: float  # the same gain, of as many rows in which nothing is set
    n_dags: int

    def frame(self) -> pd.DataFrame:
        """A row for each variable that may be set."""
        share = self.gain / self.entropy if self.entropy > 0 else np.zeros(len(self.gain))
        columns = {"variable": self.names, "gain": self.gain, "error": self.error, "share": share}
        return pd.DataFrame(columns)

    def sentence(self) -> str:
        """The best experiment, or that none is needed, or none better than to observe more."""
        if self.entropy < SETTLED:
            return f"Nothing is left to ask: {self.about} is settled within the model."
        if self.gain[0] < max(SETTLED, 2 * self.error[0]):
            return (
                f"No experiment of {self.rows} rows on one variable is expected to tell much about "
                f"{self.about} ({self.entropy:.2f} bits are open)."
            )
        if self.observing > self.gain[0] - self.error[0]:
            return (
                f"Nothing need be set: {self.rows} more rows as they come are expected to settle "
                f"{self.observing:.2f} of the {self.entropy:.2f} bits that are open about "
                f"{self.about}; as many in which {quote(self.names[0])} is set, "
                f"{self.gain[0]:.2f}. This holds as far as the model tells directions."
            )
        return (
            f"Set {quote(self.names[0])}: {self.rows} rows are expected to settle "
            f"{self.gain[0]:.2f} of the {self.entropy:.2f} bits that are open about {self.about}; "
            f"as many rows in which nothing is set, {max(self.observing, 0):.2f}."
        )

    def record(self) -> dict[str, Any]:
        """Numbers alone, for programs."""
        return {
            "about": self.about,
            "entropy": self.entropy,
            "rows": self.rows,
            "observing": self.observing,
            "dags": self.n_dags,
            "experiments": self.frame().to_dict("records"),
        }

    def __repr__(self) -> str:
        return f"<Advice: {self.sentence()}>"

    def _repr_html_(self) -> str:
        return f"<p>{self.sentence()}</p>{self.frame().to_html(float_format=lambda x: f'{x:.3f}')}"


def advise(
    posterior: "Posterior", about: str | Feature | None, *, rows: int, dags: int, seed: int
) -> Advice:
    """See `Posterior.advise`."""
    model = LearntModel.of(posterior)
    check_draws(dags, seed)
    if not isinstance(rows, int | np.integer) or isinstance(rows, bool) or rows < 1:
        raise OptionError(f"rows: a whole number from 1, found {quote(rows)}")
    if rows > MOST_NEW_ROWS:
        raise OptionError(f"rows: at most {MOST_NEW_ROWS:,}, found {rows:,}")
    rng = np.random.default_rng([seed, *b"advise"])
    chosen = choose_dags(model, 2 * dags, rng)
    drawn = np.array([one.dag for one in chosen])
    weights = np.array([one.n for one in chosen], dtype=float)
    weights /= weights.sum()
    asked, answers = _answers(posterior, about, drawn)
    # As many experiments of each as it was chosen: each is as probable as any other.
    played = np.repeat(np.arange(len(chosen)), [one.n for one in chosen])
    world = _World(model, drawn, played, rows, seed)
    may_be_set = [v for v in range(len(model.names)) if not model.given.is_exogenous(v)]
    before = _entropy(weights[None], answers)[0]
    left = [_entropy(world.reweighed(v, weights, rng), answers) for v in may_be_set]
    observed = _entropy(world.reweighed(None, weights, rng), answers)
    gain = np.array([before - one.mean() for one in left])
    error = np.array([one.std() / np.sqrt(len(one)) for one in left])
    best = np.argsort(-gain, kind="stable")
    names = tuple(model.names[may_be_set[i]] for i in best)
    return Advice(
        about=asked,
        entropy=float(before),
        rows=rows,
        names=names,
        gain=gain[best],
        error=error[best],
        observing=float(before - observed.mean()),
        n_dags=len(chosen),
    )


def _answers(
    posterior: "Posterior", about: str | Feature | None, dags: NDArray[np.bool_]
) -> tuple[str, NDArray[np.intp]]:
    """What is asked, in words, and which answer each DAG gives (M,), numbered from 0."""
    if about is None:
        return "the network", distinct(dags)[1]
    feature = parse(about, posterior.names) if isinstance(about, str) else about
    holds = feature._where(posterior.identified).holds(dags, posterior.names)
    return f"whether {feature}", holds.astype(np.intp)


def _entropy(weights: Floats, answers: NDArray[np.intp]) -> Floats:
    """(D,): in bits, of the answer under weights (D, M) of the DAGs."""
    shares = np.zeros((len(weights), int(answers.max()) + 1))
    np.add.at(shares.T, answers, weights.T)
    return np.asarray(entr(shares).sum(axis=1) / np.log(2))


@dataclass(frozen=True, eq=False)
class _Family:
    """A node given its parents."""

    parents: Parents
    functions: DrawnFunctions | None  # None without parents
    level: float  # the mean without parents
    sd: float  # of what the mean function leaves

    def fitted(self, rows: Floats) -> Floats:
        """(R,): the mean function in rows (R, n)."""
        if self.functions is None:
            return np.full(len(rows), self.level)
        each = self.functions.at([rows[None, :, parent] for parent in self.parents])
        return np.asarray(each.mean(axis=0), dtype=np.float64)

    def log_likelihood(self, x: Floats, rows: Floats) -> Floats:
        """(R,), but for a constant."""
        return np.asarray(-0.5 * ((x - self.fitted(rows)) / self.sd) ** 2 - np.log(self.sd))


class _World:
    """What the posterior knows of the families of some DAGs, to play experiments through."""

    def __init__(
        self,
        model: LearntModel,
        dags: NDArray[np.bool_],
        played: NDArray[np.intp],  # (E,): the DAG behind each experiment
        n_rows: int,
        seed: int,
    ) -> None:
        self._model, self._dags, self._played = model, dags, played
        self._n_rows, self._seed = n_rows, seed
        self._data = model.completed[0]
        self._rows = sample_rows(model, MOST_ROWS)
        self._families: dict[tuple[Node, Parents], _Family] = {}
        with threadpool_limits(1):  # the same bits on every machine
            for dag in dags:
                for node in self._modelled(dag):
                    self._family(node, dag)

    def reweighed(self, target: Node | None, weights: Floats, rng: np.random.Generator) -> Floats:
        """(E, M): weights of all DAGs after each experiment."""
        rows = np.concatenate([self._play(self._dags[m], target, rng) for m in self._played])
        found = {
            (node, parents): family.log_likelihood(rows[:, node], rows)
            .reshape(len(self._played), -1)
            .sum(axis=1)
            for (node, parents), family in self._families.items()
            if node != target
        }
        log_likelihoods = [
            sum(found[v, _parents(dag, v)] for v in self._modelled(dag) if v != target)
            for dag in self._dags
        ]
        return np.asarray(softmax(np.array(log_likelihoods).T + np.log(weights), axis=1))

    def _play(self, dag: Dag, target: Node | None, rng: np.random.Generator) -> Floats:
        """(R, n), standardised: the target is set to values of its own, in any order."""
        z = self._data.standardised()
        found = np.array(z[rng.integers(len(z), size=self._n_rows)])
        order = topological_order(dag)
        assert order is not None  # noqa: S101, as these are DAGs
        for v in order.tolist():
            if v == target:
                found[:, v] = rng.permutation(found[:, v])
            elif not self._model.given.is_exogenous(v):
                family = self._families[v, _parents(dag, v)]
                found[:, v] = family.fitted(found) + rng.normal(0, family.sd, self._n_rows)
        return found

    def _modelled(self, dag: Dag) -> list[Node]:
        return [v for v in range(len(dag)) if not self._model.given.is_exogenous(v)]

    def _family(self, node: Node, dag: Dag) -> None:
        parents = _parents(dag, node)
        if (node, parents) in self._families:
            return
        functions, z = None, self._data.standardised()[self._rows][self._not_set(node)]
        if parents:
            hints = self._model.known(node, parents)
            n, seed = N_FUNCTIONS, (self._seed, 0)
            asked = FunctionRequest(self._data, node, parents, n, seed, hints=hints)
            functions = self._model.score.sample_functions(asked)
            if functions is None:
                raise OptionError("score: draws no functions, which advice needs; try 'adaptive'")
        family = _Family(parents, functions, float(z[:, node].mean()), 1.0)
        left = z[:, node] - family.fitted(z)
        sd = max(float(np.sqrt(np.mean(left**2))), LEAST_SD)
        self._families[node, parents] = replace(family, sd=sd)

    def _not_set(self, node: Node) -> NDArray[np.bool_]:
        cells = self._model.given.interventions
        kept = np.ones(len(self._rows), dtype=bool) if cells is None else ~cells[self._rows, node]
        return kept if kept.any() else np.ones_like(kept)


def _parents(dag: Dag, node: Node) -> Parents:
    return tuple(np.flatnonzero(dag[:, node]).tolist())

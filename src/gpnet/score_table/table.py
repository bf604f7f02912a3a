"""The table: all that a sampler may see.

`tabulate` fills it: the one place where data, score and structure prior meet.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain, combinations, compress
from math import comb
from typing import Any, Final, TypeVar

import numpy as np
from numpy.typing import NDArray

from gpnet.common.errors import OptionError
from gpnet.common.messages import quoted
from gpnet.common.types import Floats, Node, Parents
from gpnet.data.dataset import Dataset
from gpnet.gp.evidence import Evidence
from gpnet.graphs.distinct import distinct_rows
from gpnet.runtime.context import RunContext
from gpnet.score_table.compute import Filling
from gpnet.score_table.memory import check_memory
from gpnet.score_table.search_space import SearchSpace
from gpnet.scores import Score
from gpnet.structure_priors import StructurePrior

Array = TypeVar("Array", bound=NDArray[Any])

MASK_BITS: Final = 64  # the bits of a mask


@dataclass(frozen=True, eq=False)
class NodeScores:
    """The parent sets of one node, in the order of `SearchSpace`; all arrays are read-only.

    Bit j of a mask stands for candidates[j]; the parent from outside, if any, stands apart.
    """

    candidates: Parents
    masks: NDArray[np.uint64]  # (n_sets,)
    plus_one: NDArray[np.int32]  # (n_sets,): the parent from outside, -1 for none
    log_marginals: Floats  # (n_sets,): -inf where it was left out
    log_priors: Floats  # (n_sets,)
    predictions: Floats  # (n_sets,): log marginals that were not computed; else nan

    @property
    def computed(self) -> NDArray[np.bool_]:
        """(n_sets,): whose log marginal is known, and not predicted.

        That of what the prior forbids need not be, nor that of what hardly matters.
        """
        return np.asarray((self.log_marginals > -np.inf) & np.isnan(self.predictions))

    @property
    def left_out(self) -> NDArray[np.bool_]:
        """(n_sets,): what the prior allows and the table has not, as it cannot matter."""
        return np.asarray((self.log_marginals == -np.inf) & (self.log_priors > -np.inf))

    def members(self, n_variables: int) -> NDArray[np.bool_]:
        """(n_sets, n): who is in each parent set."""
        found = np.zeros((len(self.masks), n_variables), dtype=bool)
        for j, candidate in enumerate(self.candidates):
            found[:, candidate] = (self.masks >> np.uint64(j)) & np.uint64(1)
        outside = np.flatnonzero(self.plus_one >= 0)
        found[outside, self.plus_one[outside]] = True
        return found

    @cached_property
    def log_scores(self) -> Floats:
        """(n_sets,): log_marginals + log_priors."""
        return _read_only(self.log_marginals + self.log_priors)


@dataclass(frozen=True, eq=False)
class ScoreTable:
    """Parent sets and their log scores = log marginal + log prior: no data, no kernel."""

    names: tuple[str, ...]
    space: SearchSpace
    nodes: tuple[NodeScores, ...]

    @classmethod
    def assemble(
        cls,
        names: Sequence[str],
        space: SearchSpace,
        log_marginals: Sequence[Floats],
        log_priors: Sequence[Floats],
        predictions: Sequence[Floats] | None = None,
    ) -> "ScoreTable":
        """The table of these numbers, one array a node in the order of the space; copies them."""
        check_candidates(space)
        nodes = []
        for node, candidates in enumerate(space.candidates):
            columns = log_marginals[node], log_priors[node]
            _check_columns(node, columns, space.n_sets(node=node))
            none = np.full(len(columns[0]), np.nan)
            each = (*columns, predictions[node] if predictions else none)
            copies = (_read_only(np.array(column, dtype=float)) for column in each)
            nodes.append(NodeScores(candidates, *_keys(space, node), *copies))
        return cls(tuple(names), space, tuple(nodes))

    @property
    def n_variables(self) -> int:
        """The number of nodes."""
        return len(self.nodes)

    def best(self, node: Node, most: int) -> list[tuple[Node, Parents]]:
        """The parent sets of a node of the highest scores, the best first, as far as scored."""
        scores = self.nodes[node].log_scores
        order = np.argsort(-scores, kind="stable")[:most]
        members = self.nodes[node].members(self.n_variables)
        return [
            (node, tuple(np.flatnonzero(members[i]).tolist())) for i in order if scores[i] > -np.inf
        ]

    @property
    def predicted(self) -> bool:
        """Whether some of its log marginals are predictions."""
        return any(
            bool(((scores.log_marginals > -np.inf) & ~scores.computed).any())
            for scores in self.nodes
        )

    @property
    def n_computed(self) -> int:
        """Parent sets whose log marginal was computed."""
        return sum(int(np.count_nonzero(scores.computed)) for scores in self.nodes)

    def log_scores_of(self, dags: NDArray[np.bool_]) -> Floats:
        """The log score of each DAG of (n_dags, n, n); each must lie in the space."""
        total = np.zeros(len(dags))
        for node in range(self.n_variables):
            first, place = distinct_rows(dags[:, :, node])
            sets = [tuple(np.flatnonzero(column).tolist()) for column in dags[first, :, node]]
            total += np.array([self.log_score(node, parents) for parents in sets])[place]
        return total

    def log_score(self, node: Node, parents: Parents) -> float:
        """Log marginal + log prior of sorted parents."""
        return float(self.nodes[node].log_scores[self.space.index(node, parents)])

    def log_marginal(self, node: Node, parents: Parents) -> float:
        """Without the structure prior."""
        return float(self.nodes[node].log_marginals[self.space.index(node, parents)])

    def log_prior(self, node: Node, parents: Parents) -> float:
        """The structure prior alone."""
        return float(self.nodes[node].log_priors[self.space.index(node, parents)])

    def with_log_marginals(self, rescored: Mapping[tuple[Node, Parents], Evidence]) -> "ScoreTable":
        """A table with these log marginals instead of its own; the priors stay."""
        columns = {
            node: (self.nodes[node].log_marginals.copy(), self.nodes[node].predictions.copy())
            for node in {node for node, _ in rescored}
        }
        for (node, parents), evidence in rescored.items():
            log_marginals, predictions = columns[node]
            place = self.space.index(node, parents)
            log_marginals[place], predictions[place] = evidence.value, np.nan
        nodes = list(self.nodes)
        for node, (log_marginals, predictions) in columns.items():
            _check_columns(node, [log_marginals], len(log_marginals))
            nodes[node] = replace(
                nodes[node],
                log_marginals=_read_only(log_marginals),
                predictions=_read_only(predictions),
            )
        return replace(self, nodes=tuple(nodes))

    def is_computed(self, node: Node, parents: Parents) -> bool:
        """Whether its log marginal is known: neither predicted nor left out."""
        return bool(self.nodes[node].computed[self.space.index(node, parents)])

    def with_predictions_moved(self, by: Mapping[tuple[Node, int], float]) -> "ScoreTable":
        """A table whose predictions of a node and number of parents are larger by so much."""
        nodes = list(self.nodes)
        for (node, size), change in by.items():
            of, places = nodes[node], self.space.positions(node, size)
            here = np.arange(places.start, places.stop)
            here = here[~np.isnan(of.predictions[here]) & (of.log_marginals[here] > -np.inf)]
            column = of.log_marginals.copy()
            column[here] += change
            nodes[node] = replace(of, log_marginals=_read_only(column))
        return replace(self, nodes=tuple(nodes))

    def with_prior(self, prior: StructurePrior) -> "ScoreTable":
        """A table with the same log marginals under another structure prior.

        It may allow no set whose log marginal was not computed.
        """
        priors = log_priors(self.space, prior)
        _check_some_allowed(self.names, priors)
        for node, scores in enumerate(self.nodes):
            self._check_computed(node, ~scores.computed & (priors[node] > -np.inf))
        marginals = [scores.log_marginals for scores in self.nodes]
        return self.assemble(self.names, self.space, marginals, priors)

    def _check_computed(self, node: Node, missing: NDArray[np.bool_]) -> None:
        if missing.any():
            first = next(compress(self.space.all_parent_sets(node), missing))
            raise OptionError(
                f"{self.names[node]!r} given {[self.names[parent] for parent in first]}: was not "
                "computed, as it did not matter under the prior of this table, and the new one "
                "does not forbid it; tabulate again with the new prior"
            )


def tabulate(
    data: Dataset,
    space: SearchSpace,
    score: Score,
    prior: StructurePrior,
    context: RunContext | None = None,
    *,
    prune: float | None = None,
    memory_limit: int | None = None,
) -> ScoreTable:
    """The table of all parent sets of the space; the same for any number of workers, bit by bit.

    What the context's store has is not computed again, what it has not goes there as it comes. What
    the prior forbids is not computed at all, nor what smaller sets predict to be more than `prune`
    nats worse than one of them; of some that hardly matter, the prediction stands in the table.
    memory_limit, in bytes, is half of the free memory unless given.
    """
    _check_request(data, space)
    check_memory(space, memory_limit, closed_form=score.closed_form)
    priors = log_priors(space, prior)  # first: what is wrong with it shows before the hours of work
    _check_some_allowed(data.names, priors)
    filling = Filling(data, space, score, priors, context or RunContext(), prune)
    try:
        for size in space.sizes:
            filling.fill(size)
    finally:
        filling.flush()
    filling.note_cuts()
    numbers = filling.log_marginals, priors, filling.predictions
    return ScoreTable.assemble(data.names, space, *numbers)


def log_priors(space: SearchSpace, prior: StructurePrior) -> list[Floats]:
    """The log prior of each node's parent sets, in the order of the space."""
    found = []
    for node in range(space.n_variables):
        log_prior = np.full(space.n_sets(node=node), -np.inf)
        for size in space.sizes:
            places = space.positions(node, size)
            sets = space.parent_sets(node, size)
            log_prior[places.start : places.stop] = [prior.log_prob(node, one) for one in sets]
        found.append(log_prior)
    return found


def _check_request(data: Dataset, space: SearchSpace) -> None:
    if space.n_variables != data.n_variables:
        raise OptionError(
            f"search space of {space.n_variables} variables for data of {data.n_variables}"
        )
    check_candidates(space)


def _check_some_allowed(names: Sequence[str], priors: Sequence[Floats]) -> None:
    for name, log_prior in zip(names, priors, strict=True):
        if not np.any(log_prior > -np.inf):
            raise OptionError(
                f"{name!r}: the structure prior allows none of its parent sets in the search "
                "space; build the space with this prior, or allow more parents"
            )


def check_candidates(space: SearchSpace) -> None:
    """Refuse a node whose candidates are more than the bits of a mask."""
    check_n_candidates(max(map(len, space.candidates), default=0))


def check_n_candidates(most: int) -> None:
    """The same where a node has so many candidates at most."""
    if most > MASK_BITS:
        raise OptionError(
            f"search space: expected at most {MASK_BITS} candidates of a node, found {most}; "
            "choose fewer (space 'iterative' looks for max_candidates of each), or take the "
            "variables in parts"
        )


def _check_columns(node: Node, columns: Sequence[Floats], n_sets: int) -> None:
    for column in columns:
        if np.shape(column) != (n_sets,):
            raise OptionError(f"node {node}: expected {n_sets} numbers, found {np.shape(column)}")
        if not np.all(column < np.inf):
            raise OptionError(f"node {node}: log marginals and log priors must not be nan or +inf")


def _keys(space: SearchSpace, node: Node) -> tuple[NDArray[np.uint64], NDArray[np.int32]]:
    """Masks and plus-one parents of the node's sets, in the order of `SearchSpace`."""
    m, plus_one = len(space.candidates[node]), space.plus_one_parents(node)
    masks, owners = [], []
    for size in space.sizes[: space.cap(node) + 1]:
        masks.append(_masks(m, size))
        owners.append(np.full(len(masks[-1]), -1, dtype=np.int32))
        if size:
            inside = _masks(m, size - 1)
            masks.append(np.tile(inside, len(plus_one)))
            owners.append(np.repeat(np.array(plus_one, dtype=np.int32), len(inside)))
    return _read_only(np.concatenate(masks)), _read_only(np.concatenate(owners))


def _masks(m: int, size: int) -> NDArray[np.uint64]:
    """All sets of so many of m candidates as masks, in lexicographic order."""
    bits = np.uint64(1) << np.arange(m, dtype=np.uint64)
    flat = np.fromiter(chain.from_iterable(combinations(range(m), size)), dtype=np.intp)
    return np.asarray(bits[flat.reshape(comb(m, size), size)].sum(axis=1, dtype=np.uint64))


def _read_only(values: Array) -> Array:
    values.flags.writeable = False
    return values


def no_dag(table: ScoreTable, stuck: Sequence[int]) -> OptionError:
    """What to say where the support is empty."""
    names = quoted(table.names[node] for node in stuck)
    return OptionError(
        "no DAG has a finite score: whatever comes first, there is no allowed parent set for "
        f"{names}; required and forbidden edges or the search space contradict each other"
    )

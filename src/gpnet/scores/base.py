"""What a score must offer."""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from hashlib import sha256
from typing import ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from gpnet.common.errors import OptionError
from gpnet.common.types import Floats, Node, Parents
from gpnet.data.dataset import Dataset
from gpnet.gp.curves import Curves, Places
from gpnet.gp.evidence import EVIDENCE_METHODS, Evidence, EvidenceMethod
from gpnet.gp.functions import N_POINTS, Domain, DrawnFunctions
from gpnet.gp.kernels import KERNELS, Kernel
from gpnet.gp.noise import Noise
from gpnet.gp.priors import Hyperpriors


@dataclass(frozen=True)
class ScoreSettings:
    """All that a user may set of a score; each score takes what concerns it."""

    kernel: Kernel = field(default_factory=KERNELS["additive"])
    evidence: EvidenceMethod = field(default_factory=EVIDENCE_METHODS["qmc"])
    hyperpriors: Hyperpriors = field(default_factory=Hyperpriors)
    seed: int = 0
    am: float = 1.0
    aw: float | None = None
    prior_mean: float = 0.0
    linear_weight: float = 0.6
    slope_variance: float = 1.0
    noise: Noise | None = None  # each score has its own
    weak_weight: float = 0.0


@dataclass(frozen=True, eq=False)
class CurveRequest:
    """A node and its parents, and where their curves are wanted."""

    data: Dataset
    node: Node
    parents: Parents  # one or more, sorted
    places: Places
    # As for `Score.log_marginals`; among them perhaps the score of these very parents.
    hints: Mapping[Parents, Evidence] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class FunctionRequest:
    """A node and its parents, and how many functions are to be drawn."""

    data: Dataset
    node: Node
    parents: Parents  # one or more, sorted
    n: int
    seed: Sequence[int]
    domains: tuple[Domain, ...] = ()  # of the parents, over the rows of the whole table
    hints: Mapping[Parents, Evidence] = field(default_factory=dict)  # as of `CurveRequest`

    @property
    def rng(self) -> np.random.Generator:
        """The same for the same seed, node and parents, whoever draws."""
        return np.random.default_rng([*self.seed, *b"functions", self.node, *self.parents])


@dataclass(frozen=True, eq=False)
class Fit:
    """What the most probable fit of a node leaves of each of N rows, given all others."""

    fitted: Floats  # (N,), standardised
    residuals: Floats  # (N,): in units of the noise of each row


class Score(ABC):
    """log p(node | parents), a function of the standardised data."""

    @classmethod
    @abstractmethod
    def from_settings(cls, settings: ScoreSettings) -> Self:
        """The score with these settings."""

    # Raise it whenever the same settings give another number: stored scores are then left behind.
    version: ClassVar[int] = 1
    # In closed form: asks for no hints, and computes a number sooner than it is looked up.
    closed_form: ClassVar[bool] = False
    # All its functions are straight lines: two points tell all of one.
    only_lines: ClassVar[bool] = False

    @property
    def takes_levels(self) -> bool:
        """Whether parents may be categorical."""
        return False

    @property
    def additive(self) -> bool:
        """Whether what parents do adds up, so that smaller sets foretell larger ones."""
        return True

    @property
    def compares_scales(self) -> bool:
        """Whether its numbers tell on which scale a column is best explained.

        Not if every column without parents has the same score, whatever its shape.
        """
        return False

    def proposal(self) -> "Score":
        """A score near to this one at a lower price, to draw DAGs under; itself if there is none.

        What was drawn is then scored by this one.
        """
        return self

    def rough(self) -> "Score":
        """The same score with a larger error, for sets of little weight; itself if it has none."""
        return self

    @property
    def fingerprint(self) -> str:
        """One name for the score, its version and all its settings."""
        return sha256(f"{self.version} {self!r}".encode()).hexdigest()

    def log_marginal(self, data: Dataset, node: Node, parents: Parents) -> Evidence:
        """The same number for any order of the parents."""
        self._check_family(data, [node, *parents])
        return self.log_marginals(data, node, [tuple(sorted(parents))], {})[0]

    # The door: rows in which the node was set do not count for it, whatever the score.

    def log_marginals(
        self,
        data: Dataset,
        node: Node,
        parent_sets: Sequence[Parents],
        hints: Mapping[Parents, Evidence],
    ) -> list[Evidence]:
        """Many sets of one node; `hints` are the evidence of its smaller sets, if at hand.

        Hints save time and change no number; of these, a set may use those of its own subsets.
        Sets and hints are sorted tuples. An exogenous node has no score: 0 for any parents.
        """
        if data.is_exogenous(node):
            return [Evidence(0.0, 0.0, "exogenous") for _ in parent_sets]
        return self._log_marginals(data.rows_of(node), node, parent_sets, hints)

    def curves(self, request: CurveRequest) -> Curves | None:
        """What each parent does to the node, standardised; None for a score that cannot tell.

        Rows asked for are numbered among those that count for the node.
        """
        return self._curves(replace(request, data=request.data.rows_of(request.node)))

    def sample_functions(self, request: FunctionRequest) -> DrawnFunctions | None:
        """Whole functions of the node from their posterior, jointly over parents and values.

        Averaged over the hyperparameters as `curves` are, standardised; None for a score that has
        none.
        """
        z, size = request.data.standardised(), 2 if self.only_lines else N_POINTS
        domains = tuple(
            Domain.of_levels(z[:, parent])
            if parent in request.data.categorical
            else Domain.over(z[:, parent], size)
            for parent in request.parents
        )
        rows = request.data.rows_of(request.node)
        return self._sample_functions(replace(request, data=rows, domains=domains))

    def fit(
        self, data: Dataset, node: Node, parents: Parents, hints: Mapping[Parents, Evidence]
    ) -> Fit | None:
        """The fit whose residuals show whether the model is right; None if the score has none.

        Hints may hold the evidence of these very parents. There is nan in rows where the node was
        set.
        """
        rows = data.rows_of(node)
        found = self._fit(rows, node, parents, hints)
        if found is None or rows is data or data.interventions is None:
            return found
        spread = np.full((2, data.n_rows), np.nan)
        spread[:, ~data.interventions[:, node]] = found.fitted, found.residuals
        return Fit(*spread)

    def pointwise(
        self, data: Dataset, node: Node, parents: Parents, hints: Mapping[Parents, Evidence]
    ) -> Floats:
        """(N,): the expected log likelihood of each row, over the posterior of all parameters.

        To first order, log marginals change by the sum of (weight - 1) times these where rows are
        weighted. Hints as of `fit`. It is 0 in rows in which the node was set.
        """
        if data.is_exogenous(node):
            return np.zeros(data.n_rows)
        rows = data.rows_of(node)
        found = self._pointwise(rows, node, parents, hints)
        if rows is data or data.interventions is None:
            return found
        spread = np.zeros(data.n_rows)
        spread[~data.interventions[:, node]] = found
        return spread

    # What a member offers, for data all of whose rows count

    @abstractmethod
    def _log_marginals(
        self,
        data: Dataset,
        node: Node,
        parent_sets: Sequence[Parents],
        hints: Mapping[Parents, Evidence],
    ) -> list[Evidence]:
        """As `log_marginals`."""

    def _pointwise(
        self, data: Dataset, node: Node, parents: Parents, hints: Mapping[Parents, Evidence]
    ) -> Floats:
        """As `pointwise`."""
        raise OptionError(
            f"bag: {type(self).__name__} has no likelihood of single rows; take 'off'"
        )

    def _curves(self, request: CurveRequest) -> Curves | None:
        """As `curves`."""
        return None

    def _sample_functions(self, request: FunctionRequest) -> DrawnFunctions | None:
        """As `sample_functions`."""
        return None

    def _fit(
        self, data: Dataset, node: Node, parents: Parents, hints: Mapping[Parents, Evidence]
    ) -> Fit | None:
        """As `fit`."""
        return None

    @staticmethod
    def _check_family(data: Dataset, family: list[Node]) -> None:
        if len(set(family)) < len(family) or not set(family) <= set(range(data.n_variables)):
            raise OptionError(
                f"node {family[0]} given {tuple(family[1:])}: expected different columns from 0 to "
                f"{data.n_variables - 1}; Dataset.column(name) finds them"
            )


def by_size(parent_sets: Sequence[Parents]) -> Iterator[tuple[NDArray[np.intp], NDArray[np.intp]]]:
    """Sets of one size together: where they stand, (m,), and the sets themselves, (m, k)."""
    sizes = np.array([len(parents) for parents in parent_sets])
    for size in np.unique(sizes):
        places = np.flatnonzero(sizes == size)
        sets = np.array([parent_sets[i] for i in places.tolist()], dtype=np.intp)
        yield places, sets.reshape(len(places), size)

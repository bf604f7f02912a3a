"""The fast route: additive kernels from sufficient statistics, at a cost free of the rows.

Python builds each variable's basis and tables when first needed; the core does the rest.
"""

from collections.abc import Iterator
from functools import cached_property
from threading import Lock
from typing import TypeGuard

import numpy as np
from threadpoolctl import threadpool_limits

from gpnet import _core
from gpnet.common.errors import EvidenceError
from gpnet.common.types import Floats, Node, Parents
from gpnet.data.sampled_rows import sampled_rows
from gpnet.gp.basis import BAND, Basis, build_basis, count_nodes, shortest_lengthscale
from gpnet.gp.components import Component, Levels
from gpnet.gp.kernels.additive import Additive
from gpnet.gp.kernels.base import Kernel
from gpnet.gp.modes import NO_DENSITY, Mode
from gpnet.gp.priors import Hyperpriors
from gpnet.gp.residuals import Residuals
from gpnet.gp.short_lengthscales import Line
from gpnet.gp.target import Target

BLOCK = 2**16  # rows at once
MOST_VALUES = 300  # distinct, of a variable under a kernel that is not smooth: the table is theirs
BANDS_AT_ONCE = 2  # by which tables are made finer: a factor of 2 in lengthscale
MOST_BANDS = 32  # below SHORTEST, down to 1.5e-6
MOST_NODES = 1200  # of a variable in tables that are made finer: some ten seconds to build


class FastModel:
    """A standardised table (N, n) under one additive kernel."""

    def __init__(
        self,
        values: Floats,
        kernel: Additive,
        hyperpriors: Hyperpriors,
        slope_variance: float = 1.0,  # of parents that are straight lines
        n_finer: int = 0,  # bands below SHORTEST
        categorical: frozenset[Node] = frozenset(),  # columns whose values are levels
    ):
        self._values, self._kernel, self._hyperpriors = values, kernel, hyperpriors
        self._categorical = categorical
        self._slope_variance, self._n_finer = slope_variance, n_finer
        self._finer: dict[int, FastModel] = {}
        self._few: FastModel | None = None  # of some rows
        self._bases: dict[int, Basis] = {}
        self._lines = [Line(z) for z in values.T]
        self._lock = Lock()
        priors = kernel.priors(1, hyperpriors)
        self._core = _core.Statistics(
            n_rows=len(values),
            log_shortest=self.log_shortest,
            band_width=BAND,
            mean_sd=hyperpriors.mean.sd,
            amplitude=kernel.amplitude,
            line=kernel.line,
            line_parameter=kernel.line_parameter,
            priors=[(prior.shape, prior.scale) for prior in priors],
            noise=(hyperpriors.noise.shape, hyperpriors.noise.scale),
            slope_variance=slope_variance,
            target_sums=sum(some.sum(axis=0) for some in self._blocks()),
            target_squares=sum((some**2).sum(axis=0) for some in self._blocks()),
        )

    @property
    def kernel(self) -> Additive:
        """The kernel of every node."""
        return self._kernel

    @property
    def hyperpriors(self) -> Hyperpriors:
        """The priors of its parameters, of the noise and of the mean."""
        return self._hyperpriors

    @property
    def values(self) -> Floats:
        """(N, n): the table."""
        return self._values

    def centred(self, node: Node) -> Floats:
        """(N,): one variable about the prior's mean."""
        return np.asarray(self._values[:, node] - self._hyperpriors.mean.mean)

    def _blocks(self) -> Iterator[Floats]:
        """The table about the prior's mean, some rows after the other."""
        for start in range(0, len(self._values), BLOCK):
            yield self._values[start : start + BLOCK] - self._hyperpriors.mean.mean

    @property
    def shortest(self) -> float:
        """The lengthscale where the tables end."""
        return shortest_lengthscale(self._n_finer)

    @cached_property
    def log_shortest(self) -> float:
        """Its logarithm."""
        return float(np.log(self.shortest))

    def __reduce__(self) -> tuple[object, ...]:
        settings = self._kernel, self._hyperpriors, self._slope_variance, self._n_finer
        return FastModel, (self._values, *settings, self._categorical)

    def component(self, j: Node) -> Component:
        """The one-dimensional kernel of one variable as a parent."""
        if j in self._categorical:
            return Levels(len(np.unique(self._values[:, j])))
        return self._kernel.component

    def is_categorical(self, j: Node) -> bool:
        """Whether the values of a variable are levels, between which there is nothing."""
        return j in self._categorical

    def reaching(self, lengthscale: float, parents: Parents) -> "FastModel":
        """The same model on tables down to this lengthscale, or as far as these parents allow."""
        n_finer = self._n_finer
        while shortest_lengthscale(n_finer) > lengthscale and n_finer < MOST_BANDS:
            if self._most_nodes(parents, n_finer + BANDS_AT_ONCE) > MOST_NODES:
                break
            n_finer += BANDS_AT_ONCE
        if n_finer == self._n_finer:
            return self
        with self._lock:
            if n_finer not in self._finer:
                settings = self._kernel, self._hyperpriors, self._slope_variance, n_finer
                self._finer[n_finer] = FastModel(self._values, *settings, self._categorical)
            return self._finer[n_finer]

    def sampled(self, most: int, variables: Parents) -> "FastModel":
        """The same model of at most so many rows; itself where these variables vary in none."""
        if len(self._values) <= most:
            return self
        with self._lock:
            if self._few is None:
                values = self._values[sampled_rows(len(self._values), most)]
                settings = self._kernel, self._hyperpriors, self._slope_variance, self._n_finer
                self._few = FastModel(values, *settings, self._categorical)
        spread = np.ptp(self._few.values[:, variables], axis=0)
        return self._few if spread.all() else self

    def line(self, j: Node) -> Line:
        """One variable's values in order."""
        return self._lines[j]

    def best_below(self, node: Node, parent: Node) -> tuple[float, float, float]:
        """Roughly the largest log density below the tables; its lengthscale and log sigma."""
        if parent in self._categorical:  # levels are as far apart as they can be
            return -np.inf, self.shortest, 0.0
        line = self._lines[parent]
        return line.best_below(self._values[:, node], self.shortest, self._hyperpriors)

    def _most_nodes(self, parents: Parents, n_finer: int) -> int:
        each = [self._values[:, j] for j in parents]
        kernels = [self.component(j) for j in parents]
        return max(count_nodes(z, k, n_finer) for z, k in zip(each, kernels, strict=True))

    def target(self, node: Node, parents: Parents, lines: Parents = ()) -> "FastTarget":
        """The node's target, its parents' bases built; `lines` are parents without parameters."""
        self._build(parents + lines)
        parameters = self._kernel.parameters(len(parents), self._hyperpriors)
        target = FastTarget(self, self._core, node, parents, lines)
        target.parameters, target.n_dims = parameters, len(parameters) + 1
        return target

    def root(self, j: Node, u: Floats, tolerance: float) -> Floats:
        """F (m, r) with K = Q F F' Q', for one variable at its own parameters u."""
        self._build((j,))
        return self._core.factor(j, u, tolerance)[0]

    def basis(self, j: Node) -> Basis:
        """Q of one variable."""
        self._build((j,))
        return self._bases[j]

    def _build(self, variables: Parents) -> None:
        if all(j in self._bases for j in variables):
            return
        with self._lock:
            for j in variables:
                if j not in self._bases:
                    self._bases[j] = self._set(j)  # last: who sees it may use the core

    def _set(self, j: int) -> Basis:
        # One BLAS thread: faster on matrices this small, and the same bits on every machine.
        with threadpool_limits(1):
            basis = build_basis(self._values[:, j], self.component(j), self._n_finer)
            projected = self._project(basis)
        self._core.set_variable(
            index=j,
            rows=basis.rows,
            coordinates=basis.coordinates,
            bands=[(band.size, band.root, band.log_left) for band in basis.bands],
            line=basis.line,
            ones=projected[:, 0],
            targets=projected[:, 1:],
        )
        return basis.without_roots()

    def _project(self, basis: Basis) -> Floats:
        """Q' times a column of ones and all targets; (m, 1 + n)."""
        sums = basis.no_sums(1 + self._values.shape[1])
        start = 0
        for some in self._blocks():
            basis.rows.add_products(start, np.column_stack([np.ones(len(some)), some]), sums)
            start += len(some)
        return basis.coordinates.T @ sums


class FastTarget(Target):
    """One node given its parents, evaluated in the core."""

    def __init__(
        self,
        model: FastModel,
        core: _core.Statistics,
        node: Node,
        parents: Parents,
        lines: Parents,
    ):
        self.model = model
        self._core, self._node, self._parents, self._lines = core, node, parents, lines

    def value(self, u: Floats) -> float:
        """log p(x | u) + log p(u)."""
        self.n_evaluations += 1
        return self._evaluate(u, 0)[0]

    def gradient(self, u: Floats) -> tuple[float, Floats]:
        """Value and gradient."""
        self.n_evaluations += 1
        value, gradient, *_ = self._evaluate(u, 1)
        return value, gradient

    def hessian(self, u: Floats) -> tuple[float, Floats, Floats]:
        """Value, gradient and Hessian."""
        self.n_evaluations += 1
        value, gradient, hessian, *_ = self._evaluate(u, 2)
        return value, gradient, hessian

    def values(self, points: Floats) -> Floats:
        """All in one call, without the interpreter's lock."""
        self.n_evaluations += len(points)
        return self._core.values(self._node, self._parents, points, self._lines)

    def find_modes(self, starts: Floats) -> list[Mode]:
        """Best first. For one parent without lines none of the starts (k, d) is needed."""
        found, n = self._core.find_modes(self._node, self._parents, starts, self._lines)
        self.n_evaluations += n
        if not found:
            raise EvidenceError(NO_DENSITY)
        return [_as_mode(*each) for each in found]

    def climb(self, start: Floats) -> Mode:
        """The mode above one start, without lines."""
        found, n = self._core.climb(self._node, self._parents, start, -1)
        self.n_evaluations += n
        return _as_mode(*found)

    def leave_one_out(self, u: Floats) -> Residuals:
        """In the core, some rows at once."""
        given = self._node, self._parents, u, self.model.centred(self._node), self._lines
        return Residuals(*self._core.leave_one_out(*given))

    def cover(self, modes: list[Mode]) -> _core.Cover:
        """Importance sampling in the core."""
        given = [(mode.u, mode.value, mode.hessian) for mode in modes]
        grids = [parameter.grid for parameter in self.parameters]
        return _core.Cover(self._core, self._node, self._parents, given, grids, self._lines)

    def clamped(self, u: Floats) -> bool:
        """Whether a lengthscale lies outside the tables."""
        return self._evaluate(u, 0)[4]

    def _evaluate(self, u: Floats, order: int) -> tuple[float, Floats, Floats, int, bool]:
        return self._core.evaluate(self._node, self._parents, u, order, self._lines)


def _as_mode(
    u: Floats, value: float, hessian: Floats, log_laplace: float, converged: bool, clamped: bool
) -> Mode:
    return Mode(u, value, hessian, converged, log_laplace, clamped)


def takes_levels(kernel: Kernel) -> TypeGuard[Additive]:
    """Whether a kernel is always evaluated by bases, without straight lines beside its curves."""
    return isinstance(kernel, Additive) and kernel.component.smooth and not kernel.line


def fast_route(kernel: Kernel, values: Floats) -> TypeGuard[Additive]:
    """Whether a kernel has a fast route on this table: additive, and smooth or on few values."""
    if not isinstance(kernel, Additive):
        return False
    return kernel.component.smooth or max(len(np.unique(z)) for z in values.T) <= MOST_VALUES

"""The fast route: additive kernels from sufficient statistics, at a cost free of the rows.

Python builds each variable's basis and tables when first needed; the core does the rest.
"""

from collections.abc import Mapping
from threading import Lock
from typing import TypeGuard

import numpy as np
from threadpoolctl import threadpool_limits

from gpnet import _core
from gpnet.common.types import Floats, Node, Parents
from gpnet.gp.basis import BAND, SHORTEST, Basis, build_basis
from gpnet.gp.hints import smaller_sets
from gpnet.gp.kernels.additive import Additive
from gpnet.gp.kernels.base import Kernel
from gpnet.gp.likelihood import Target
from gpnet.gp.modes import Mode
from gpnet.gp.priors import Hyperpriors

MOST_VALUES = 300  # distinct, of a variable under a kernel that is not smooth: the table is theirs


class FastModel:
    """A standardised table (N, n) under one additive kernel."""

    def __init__(
        self,
        values: Floats,
        kernel: Additive,
        hyperpriors: Hyperpriors,
        slope_variance: float = 1.0,  # of parents that are straight lines
    ):
        self._values, self._kernel, self._hyperpriors = values, kernel, hyperpriors
        self._slope_variance = slope_variance
        self._centred = values - hyperpriors.mean.mean
        self._bases: dict[int, Basis] = {}
        self._lock = Lock()
        priors = kernel.priors(1, hyperpriors)
        self._core = _core.Statistics(
            n_rows=len(values),
            log_shortest=np.log(SHORTEST),
            band_width=BAND,
            mean_sd=hyperpriors.mean.sd,
            amplitude=kernel.amplitude,
            line=kernel.line,
            line_parameter=kernel.line_parameter,
            priors=[(prior.shape, prior.scale) for prior in priors],
            noise=(hyperpriors.noise.shape, hyperpriors.noise.scale),
            slope_variance=slope_variance,
            target_sums=self._centred.sum(axis=0),
            target_squares=(self._centred**2).sum(axis=0),
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
    def centred(self) -> Floats:
        """(N, n): the table about the prior's mean."""
        return self._centred

    def __reduce__(self) -> tuple[object, ...]:
        return FastModel, (self._values, self._kernel, self._hyperpriors, self._slope_variance)

    def target(self, node: Node, parents: Parents, lines: Parents = ()) -> "FastTarget":
        """The node's target, its parents' bases built; `lines` are parents without parameters."""
        self._build(parents + lines)
        parameters = self._kernel.parameters(len(parents), self._hyperpriors)
        target = FastTarget(self._core, node, parents, lines)
        target.parameters, target.n_dims = parameters, len(parameters) + 1
        return target

    def factor(self, j: int, u: float, tolerance: float) -> tuple[Floats, Floats, Floats]:
        """V (N, r) with K = V V', and D, D2 with K' = V D V', K'' = V D2 V', for one variable."""
        self._build((j,))
        f, first, second = self._core.factor(j, np.array([u]), tolerance)
        return self._bases[j].matrix[:, : len(f)] @ f, first, second

    def root(self, j: Node, u: Floats, tolerance: float) -> Floats:
        """F (m, r) with K = Q F F' Q', for one variable at its own parameters u."""
        self._build((j,))
        return self._core.factor(j, u, tolerance)[0]

    def basis(self, j: Node) -> Basis:
        """Q of one variable."""
        self._build((j,))
        return self._bases[j]

    def find_modes(
        self, node: Node, parents: Parents, hints: Mapping[Parents, Floats]
    ) -> tuple[list[Mode], int]:
        """Modes, best first, and the number of evaluations spent.

        Newton starts from the modes of the subsets one smaller. Those that `hints` lacks are
        found first, so that the answer is the same with hints and without.
        """
        return self._search(node, parents, {}, hints)

    def find_modes_beside(
        self, node: Node, parents: Parents, lines: Parents, start: Floats
    ) -> tuple[list[Mode], int]:
        """The same where some parents are straight lines, for curves that `start` is near to."""
        self._build(parents + lines)
        found, n_evaluations = self._core.find_modes(node, parents, start[None], lines)
        return _as_modes(found), n_evaluations

    def _search(
        self,
        node: Node,
        parents: Parents,
        known: dict[Parents, Floats],
        hints: Mapping[Parents, Floats],
    ) -> tuple[list[Mode], int]:
        """`known` gathers the modes of subsets, from the hints or found here."""
        self._build(parents)
        n_spent = 0
        for subset in smaller_sets(parents) if len(parents) > 1 else []:
            if self._can_start_at(subset, hints):
                known[subset] = hints[subset]
            elif subset not in known:
                modes, n_more = self._search(node, subset, known, hints)
                known[subset], n_spent = modes[0].u, n_spent + n_more
        found, n_evaluations = self._core.find_modes(node, parents, self._seeds(parents, known))
        return _as_modes(found), n_spent + n_evaluations

    def _can_start_at(self, subset: Parents, hints: Mapping[Parents, Floats]) -> bool:
        """Whether there is a hint that may be a mode: a store may hold any."""
        n_parameters = self._kernel.n_each * len(subset) + 1
        hint = hints.get(subset)
        return hint is not None and hint.shape == (n_parameters,) and bool(np.isfinite(hint).all())

    def _seeds(self, parents: Parents, known: Mapping[Parents, Floats]) -> Floats:
        """Row i: the mode without parent i, with that parent's own parameters put in."""
        n = self._kernel.n_each
        if len(parents) == 1:
            return np.empty((0, n + 1))
        rows = []
        for i, parent in enumerate(parents):
            others = known[parents[:i] + parents[i + 1 :]]
            rows.append(np.concatenate([others[: i * n], known[(parent,)][:n], others[i * n :]]))
        return np.array(rows)

    def _build(self, variables: Parents) -> None:
        if all(j in self._bases for j in variables):
            return
        with self._lock:
            for j in variables:
                if j not in self._bases:
                    self._bases[j] = self._set(j)  # last: who sees it may use the core

    def _set(self, j: int) -> Basis:
        ones_and_targets = np.column_stack([np.ones(len(self._values)), self._centred])
        # One BLAS thread: faster on matrices this small, and the same bits on every machine.
        with threadpool_limits(1):
            basis = build_basis(self._values[:, j], self._kernel.component)
            projected = basis.project(ones_and_targets)
        self._core.set_variable(
            index=j,
            rows=basis.rows,
            panel=basis.panel,
            coordinates=basis.coordinates,
            bands=[(band.size, band.root, band.log_left) for band in basis.bands],
            line=basis.line,
            ones=projected[:, 0],
            targets=projected[:, 1:],
        )
        return basis


class FastTarget(Target):
    """One node given its parents, evaluated in the core."""

    def __init__(self, core: _core.Statistics, node: Node, parents: Parents, lines: Parents):
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


def _as_modes(found: list[tuple[Floats, float, Floats, float, bool, bool]]) -> list[Mode]:
    return [Mode(u, v, h, ok, laplace, clamped) for u, v, h, laplace, ok, clamped in found]


def fast_route(kernel: Kernel, values: Floats) -> TypeGuard[Additive]:
    """Whether a kernel has a fast route on this table: additive, and smooth or on few values."""
    if not isinstance(kernel, Additive):
        return False
    return kernel.component.smooth or max(len(np.unique(z)) for z in values.T) <= MOST_VALUES

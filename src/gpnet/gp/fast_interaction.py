"""GP^2 where few rows stand for all (see pivot_rows.py); for small tables the dense route will do.

Values that matter are found to some 1e-4 nats. Where modes are looked for, and far below the best
value known, guesses will do: with fewer pivot rows, and for short lengthscales, which would need
most of the rows, from some blocks of rows.
"""

from dataclasses import replace
from typing import Final, TypeGuard

import numpy as np

from gpnet.common.types import Floats, Node, Parents
from gpnet.gp.components.squared_exponential import SquaredExponential
from gpnet.gp.kernels.base import Kernel
from gpnet.gp.kernels.interaction import Interaction
from gpnet.gp.pivot_rows import Care, NearbyPivotRows, PivotRows, n_parents
from gpnet.gp.priors import Hyperpriors
from gpnet.gp.residuals import Residuals, residuals_of_design
from gpnet.gp.target import DenseTarget, Target

FINE: Final = Care(
    tolerance=1e-5, cheap=150, share=0.6, most=2000, always=False, margin=0.3, reach=3.0
)
RESIDUALS: Final = replace(FINE, tolerance=1e-8)  # of single rows, not of the sum over all
ROUGH: Final = Care(
    tolerance=3.0, cheap=0, share=0.33, most=400, always=True, margin=0.4, reach=4.5
)
FEWEST_ROWS: Final = 300  # below this the dense route is always cheaper
NEGLIGIBLE: Final = 15.0  # nats below the best value known: there a guess will do
GUESSED: Final = 300.0  # of the trace in units of sigma^2, left out: values are right to some nats
HOPELESS: Final = 30.0  # the same where a guess may be wrong by ten nats or so
SHORT: Final = np.log(0.25)  # log lengthscales, of two parents or more, that blocks are asked about
N_BLOCKS: Final = 15
EACH: Final = 3  # of the blocks one is taken
MOST_IN_BLOCKS: Final = 1000  # rows; of more, every so many


class FastInteractionTarget(Target):
    """u = (log theta_1, ..., log theta_p, log tau1, log tau2, log sigma)."""

    noise = 1e-4

    def __init__(self, values: Floats, node: Node, parents: Parents, priors: Hyperpriors):
        x, z = values[:, node], values[:, parents]
        self._dense = DenseTarget(x, z, Interaction(), priors)
        self._x, self._z, self._mean_sd = x - priors.mean.mean, z, priors.mean.sd
        self._rows = self._nearby(FINE)
        self._explorer = InteractionExplorer(
            self._dense, self._nearby(ROUGH), _Blocks(x, z, priors)
        )
        self._best: tuple[Floats, float] = np.empty(0), -np.inf  # where, and how much
        self.parameters, self.n_dims = self._dense.parameters, self._dense.n_dims

    def value(self, u: Floats) -> float:
        """log p(x | u) + log p(u)."""
        self.n_evaluations += 1
        known, rows = self._rows.find(u)
        if not known:
            guess = self._explorer.guess(u, *self._best)
            if guess < self._best[1] - NEGLIGIBLE:
                return guess
            rows = self._rows.make(u)
        return self._note(u, value_by(rows, self._dense, u))

    def gradient(self, u: Floats) -> tuple[float, Floats]:
        """Value and gradient."""
        self.n_evaluations += 1
        rows = self._rows.at(u)
        if rows is None:
            return self._dense.gradient(u)
        value, gradient = rows.gradient(u)
        prior, slope, _ = self._dense.log_prior(u)
        return value + prior, gradient + slope

    def hessian(self, u: Floats) -> tuple[float, Floats, Floats]:
        """Value, gradient and Hessian."""
        self.n_evaluations += 1
        found = hessian_by(self._rows.at(u), self._dense, u)
        self._note(u, found[0])
        return found

    def explorer(self) -> Target:
        """One whose values are right to some nats."""
        return self._explorer

    def leave_one_out(self, u: Floats) -> Residuals:
        """In few columns, where they are few."""
        design = self._nearby(RESIDUALS).design(u)
        if design is None:
            return self._dense.leave_one_out(u)
        return residuals_of_design(design, self._x, float(np.exp(2 * u[-1])))

    def _nearby(self, care: Care) -> NearbyPivotRows:
        return NearbyPivotRows(self._x, self._z, self._mean_sd, care)

    def _note(self, u: Floats, value: float) -> float:
        if value > self._best[1]:
            self._best = u, value
        return value


class InteractionExplorer(Target):
    """The same to some nats, to look for modes with."""

    noise = 0.1

    def __init__(self, dense: DenseTarget, rows: NearbyPivotRows, blocks: "_Blocks"):
        self._dense, self._rows, self._blocks = dense, rows, blocks
        self.parameters, self.n_dims = dense.parameters, dense.n_dims

    def value(self, u: Floats) -> float:
        """log p(x | u) + log p(u)."""
        self.n_evaluations += 1
        return value_by(self._rows.at(u), self._dense, u)

    def gradient(self, u: Floats) -> tuple[float, Floats]:
        """Value and gradient."""
        return self.hessian(u)[:2]

    def hessian(self, u: Floats) -> tuple[float, Floats, Floats]:
        """Value, gradient and Hessian."""
        self.n_evaluations += 1
        return hessian_by(self._rows.at(u), self._dense, u)

    def leave_one_out(self, u: Floats) -> Residuals:
        """By the dense route."""
        return self._dense.leave_one_out(u)

    def scan(self, u: Floats, value: float, points: Floats) -> Floats:
        """Where blocks of rows see no hope, minus infinity; where they do, all rows are asked."""
        return np.array([self._scanned(point, u, value) for point in points])

    def guess(self, u: Floats, known: Floats, value: float) -> float:
        """The log density where it is small beside that at a known point, else infinity."""
        if np.isfinite(value) and _needs_most_rows(u):
            guess, left = self._blocks.guess(u, known, value), np.inf
        else:
            rows = self._rows.at(u)
            if rows is None:
                return np.inf
            guess, left = value_by(rows, self._dense, u), rows.left
        return guess if left < GUESSED or guess < value - HOPELESS else np.inf

    def _scanned(self, point: Floats, u: Floats, value: float) -> float:
        if not _needs_most_rows(point):
            return self.value(point)
        self.n_evaluations += 1
        hope = self._blocks.guess(point, u, value) > value - HOPELESS
        return self._dense.value(point) if hope else -np.inf


class _Blocks:
    """Guesses from some blocks of rows that follow each other along one parent.

    What a function does over short distances shows within blocks, and all over the line, so that
    what these gain over a point that is known tells what all rows do.
    """

    def __init__(self, x: Floats, z: Floats, priors: Hyperpriors):
        self._x, self._z, self._priors = x, z, priors
        self._targets: dict[int, tuple[DenseTarget, float]] = {}  # and its share of the rows
        self._known: dict[tuple[int, bytes], float] = {}

    def guess(self, u: Floats, known: Floats, value: float) -> float:
        """The log density at u, from that at a known point."""
        i = int(u[: self._z.shape[1]].argmin())
        if i not in self._targets:
            self._targets[i] = self._along(i)
        here, share = self._targets[i]
        if (i, known.tobytes()) not in self._known:
            self._known[i, known.tobytes()] = here.value(known)
        prior, known_prior = here.log_prior(u)[0], here.log_prior(known)[0]
        gain = here.value(u) - prior - (self._known[i, known.tobytes()] - known_prior)
        return float(value + gain / share + prior - known_prior)

    def _along(self, i: int) -> tuple[DenseTarget, float]:
        order = np.argsort(self._z[:, i], kind="stable")
        some = np.concatenate(np.array_split(order, N_BLOCKS)[1::EACH])
        some = some[:: -(-len(some) // MOST_IN_BLOCKS)]
        target = DenseTarget(self._x[some], self._z[some], Interaction(), self._priors)
        return target, len(some) / len(order)


def _needs_most_rows(u: Floats) -> bool:
    p = n_parents(u)
    return bool(p > 1 and u[:p].min() < SHORT)


def value_by(rows: PivotRows | None, dense: DenseTarget, u: Floats) -> float:
    """By pivot rows, or dense where there are none."""
    return dense.value(u) if rows is None else rows.value(u) + float(dense.log_prior(u)[0])


def hessian_by(
    rows: PivotRows | None, dense: DenseTarget, u: Floats
) -> tuple[float, Floats, Floats]:
    """Value, gradient and Hessian in the same way."""
    if rows is None:
        return dense.hessian(u)
    value, gradient, hessian = rows.hessian(u)
    prior, slope, curve = dense.log_prior(u)
    return value + prior, gradient + slope, hessian + np.diag(curve)


def fast_interaction_route(kernel: Kernel, values: Floats) -> TypeGuard[Interaction]:
    """Whether a kernel has this route on this table."""
    papers = isinstance(kernel, Interaction) and isinstance(kernel.component, SquaredExponential)
    return papers and len(values) >= FEWEST_ROWS

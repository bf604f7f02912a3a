"""Functions under an additive kernel, drawn in the bases of the parents at any number of rows.

The weights w of fast_curves.py are drawn jointly over all parents: h'w_i is the part of one at any
value. What no row tells is added: a draw from a process of covariance k_i(g, g') - h(g)'h(g'),
which is next to nothing among the rows, and all there is far from them.
"""

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Final

import numpy as np
from scipy.linalg import lapack

from gpnet.common.types import Floats, Node, Parents
from gpnet.gp.fast import FastModel
from gpnet.gp.fast_curves import Design, Root, roots_at
from gpnet.gp.functions import Domain, DrawnFunctions, joined, shares_to_counts
from gpnet.gp.hyperdraws import Hyperdraws

LEAST_LEFT: Final = 1e-7  # of a variance: what is smaller is rounding


def fast_functions(
    model: FastModel,
    node: Node,
    parents: Parents,
    draws: Hyperdraws,
    domains: Sequence[Domain],
    n: int,
    rng: np.random.Generator,
    lines: Mapping[Node, float] = MappingProxyType({}),
) -> DrawnFunctions:
    """n functions, each at one draw of the hyperparameters; `lines` as of `fast_curves`."""
    counts = shares_to_counts(draws.weights, n, rng)
    points = [(u, int(k)) for u, k in zip(draws.points, counts, strict=True) if k]
    nodes = [_nodes(model, parents, u, domains, lines) for u, _ in points]
    roots = [
        roots_at(model, parents, u, grid, lines) for (u, _), grid in zip(points, nodes, strict=True)
    ]
    design = Design.of(model, node, parents, roots)
    found = []
    for (u, k), grids, some in zip(points, nodes, roots, strict=True):
        variance = float(np.exp(2 * u[-1]))
        own, _, lower, mean = design.weigh(some, variance)
        half, _ = lapack.dtrtrs(lower, rng.standard_normal((len(mean), k)), lower=1, trans=1)
        w = mean[:, None] + np.sqrt(variance) * half
        heights = []
        for place, (j, grid, root) in enumerate(zip(parents, grids, some, strict=True)):
            known = root.values @ w[own[place]]
            left = _left(model, j, _own(model, u, parents, j, lines), grid, root)
            drawn = known + left @ rng.standard_normal((left.shape[1], k))
            heights.append(domains[place].from_nodes(grid, drawn).T)
        constant = model.hyperpriors.mean.mean + design.mean_sd * w[0]
        curved = np.zeros(k, dtype=bool)
        found.append(DrawnFunctions(parents, tuple(domains), constant, tuple(heights), curved))
    return joined(found, rng.permutation(n))


def _nodes(
    model: FastModel,
    parents: Parents,
    u: Floats,
    domains: Sequence[Domain],
    lines: Mapping[Node, float],
) -> list[Floats]:
    own = iter(u[:-1].reshape(-1, model.kernel.n_each))
    return [
        domain.nodes(np.inf if j in lines else float(np.exp(next(own)[0])))
        for j, domain in zip(parents, domains, strict=True)
    ]


def _own(
    model: FastModel, u: Floats, parents: Parents, j: Node, lines: Mapping[Node, float]
) -> Floats | None:
    """Of a curve its own parameters; None for a line."""
    if j in lines:
        return None
    curved = [parent for parent in parents if parent not in lines]
    return np.asarray(u[:-1].reshape(-1, model.kernel.n_each)[curved.index(j)])


def _left(model: FastModel, j: Node, u: Floats | None, grid: Floats, root: Root) -> Floats:
    """(m, r): a factor of the covariance of what no row tells, at the values of a grid (m,)."""
    if u is None:
        return np.zeros((len(grid), 0))
    kernel = model.kernel
    amplitude = float(np.exp(u[1])) if kernel.amplitude else 1.0
    curve = root.values[:, : root.values.shape[1] - (kernel.line > 0)]
    inside = max(float(u[0]), model.log_shortest)  # as the tables have it
    prior = amplitude * model.component(j).gram(grid, inside, 0)[0]
    factor, order, rank, _ = lapack.dpstrf(prior - curve @ curve.T, tol=LEAST_LEFT, lower=1)
    found = np.zeros((len(grid), rank))
    found[order - 1] = np.tril(factor)[:, :rank]
    return found

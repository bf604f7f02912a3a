"""Functions under any kernel of one-dimensional components, drawn by way of all rows.

Each component is a few columns over an even grid that reaches beyond the rows: k = C C' there, and
splines between. So a node about m is A w + noise with w ~ N(0, I), and a draw of the posterior is

    w = w0 + A' (A A' + sigma^2 I)^-1 (x - A w0 - noise)

with w0 and noise from their priors (Matheron's rule). A large table is thinned as for curves.
"""

from collections.abc import Sequence
from math import sqrt
from typing import Final, NamedTuple

import numpy as np
from scipy.interpolate import CubicSpline
from scipy.linalg import cho_factor, cho_solve

from gpnet.common.types import Floats, Parents
from gpnet.gp.dense_curves import MOST_ROWS
from gpnet.gp.functions import (
    N_POINTS_OF_PAIRS,
    Domain,
    DrawnFunctions,
    Pair,
    joined,
    shares_to_counts,
)
from gpnet.gp.hyperdraws import Hyperdraws
from gpnet.gp.kernels.base import Kernel, Term
from gpnet.gp.priors import Normal

LEAST_EIGENVALUE: Final = 1e-9  # of the largest: columns that add less are left out


class _Features(NamedTuple):
    """One component of one parent."""

    rows: Floats  # (N, r)
    points: Floats  # (G, r): over the domain
    pair_points: Floats  # (G', r): over the coarser one of pairs


def dense_functions(
    x: Floats,
    table: Floats,
    parents: Parents,
    kernel: Kernel,
    mean: Normal,
    draws: Hyperdraws,
    domains: Sequence[Domain],
    n: int,
    rng: np.random.Generator,
) -> DrawnFunctions:
    """n functions of a node x (N,), each at one draw; parents are columns of table (N, p)."""
    kept = np.unique(np.linspace(0, len(x) - 1, min(len(x), MOST_ROWS)).astype(int))
    counts = shares_to_counts(draws.weights, n, rng)
    centred = x[kept] - mean.mean
    found = []
    for u, k in zip(draws.points, counts.tolist(), strict=True):
        if k:
            at = _At.of(table[kept], kernel.terms(len(parents), u[:-1]), kernel, domains)
            w = at.draw(centred, mean.sd, float(np.exp(u[-1])), k, rng)
            found.append(at.functions(w, mean, parents, domains))
    return joined(found, rng.permutation(n))


class _At(NamedTuple):
    """The terms of a kernel at one draw of its parameters."""

    terms: Sequence[Term]
    features: Sequence[Sequence[_Features]]  # of each parent of each term

    @classmethod
    def of(
        cls, table: Floats, terms: Sequence[Term], kernel: Kernel, domains: Sequence[Domain]
    ) -> "_At":
        known: dict[tuple[int, float | None], _Features] = {}

        def features(place: int, log_lengthscale: float | None) -> _Features:
            key = place, log_lengthscale
            if key not in known:
                z, domain = table[:, place], domains[place]
                known[key] = _features(z, domain, kernel, log_lengthscale)
            return known[key]

        return cls(
            terms,
            [
                [features(*one) for one in zip(t.places, t.log_lengthscales, strict=True)]
                for t in terms
            ],
        )

    def draw(
        self, x: Floats, mean_sd: float, sigma: float, n: int, rng: np.random.Generator
    ) -> Floats:
        """(q, n): weights of the constant and of all terms."""
        blocks = [np.full((len(x), 1), mean_sd)]
        for term, features in zip(self.terms, self.features, strict=True):
            columns = features[0].rows
            for other in features[1:]:
                columns = (columns[:, :, None] * other.rows[:, None, :]).reshape(len(x), -1)
            blocks.append(sqrt(term.variance) * columns)
        a = np.hstack(blocks)
        prior = rng.standard_normal((a.shape[1], n))
        noise = sigma * rng.standard_normal((len(x), n))
        gram = a @ a.T
        gram.flat[:: len(gram) + 1] += sigma**2
        rest = x[:, None] - a @ prior - noise
        return np.asarray(prior + a.T @ cho_solve(cho_factor(gram, lower=True), rest))

    def functions(
        self, w: Floats, mean: Normal, parents: Parents, domains: Sequence[Domain]
    ) -> DrawnFunctions:
        """Tables of the functions with weights (q, n)."""
        n, start = w.shape[1], 1
        heights = [np.zeros((n, domain.size)) for domain in domains]
        pairs = []
        for term, features in zip(self.terms, self.features, strict=True):
            sizes = [one.rows.shape[1] for one in features]
            own = sqrt(term.variance) * w[start : start + int(np.prod(sizes))]
            start += len(own)
            if len(features) == 1:
                heights[term.places[0]] += (features[0].points @ own).T
            else:
                one, other = (each.pair_points for each in features)
                cube = own.T.reshape(n, *sizes)
                i, j = term.places
                both = domains[i].coarser(N_POINTS_OF_PAIRS), domains[j].coarser(N_POINTS_OF_PAIRS)
                pairs.append(Pair(i, j, both, one @ cube @ other.T))
        constant = mean.mean + mean.sd * w[0]
        curved = np.zeros(n, dtype=bool)
        every = tuple(heights), curved, tuple(pairs)
        return DrawnFunctions(parents, tuple(domains), constant, *every)


def _features(
    z: Floats, domain: Domain, kernel: Kernel, log_lengthscale: float | None
) -> _Features:
    """Without a lengthscale, a straight line."""
    coarser = domain.coarser(N_POINTS_OF_PAIRS)
    if log_lengthscale is None:
        return _Features(z[:, None], domain.points[:, None], coarser.points[:, None])
    nodes = domain.nodes(float(np.exp(log_lengthscale)))
    gram = kernel.component.gram(nodes, log_lengthscale, 0)[0]
    eigenvalues, vectors = np.linalg.eigh(gram)
    kept = eigenvalues > LEAST_EIGENVALUE * eigenvalues[-1]
    spline = CubicSpline(nodes, vectors[:, kept] * np.sqrt(eigenvalues[kept]))
    return _Features(spline(z), spline(domain.points), spline(coarser.points))

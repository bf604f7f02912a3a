"""Numbers with error bars, from weighted draws; arrays only.

Draw i has the weight w_i, all together 1, and E[f] is estimated by p = sum_i w_i f_i. Two things
make p wrong, and their variances add up:

- Monte Carlo: there are only M draws, and those of a chain resemble each other. To first order p
  is off by the mean of h_i = M w_i (f_i - p), so that its variance is var(h) / n_eff(h).
  Where each DAG weighs what its score says, however often it was drawn, only those never drawn are
  missing: with the mass u of these, p is off by at most u max |f - p|, which is taken for the
  standard error. Where draws have versions whose directions are drawn anew, the chance in these
  adds to it: it is what differs among draws of one DAG.
  Where the draws are of K tables, in equal parts, p is the mean of K numbers p_k that differ by
  what was drawn for missing cells, or by how rows are weighted, and by chance: its variance is
  var(p_k) / K, which knows of both; but not less than that of the draws within tables.
- The log marginal likelihoods behind the weights are estimates. One with standard error s enters
  log w_i of the draws that have its parent set, so that

      d p / d log evidence = sum_i w_i f_i (1[i has the set] - w_set) = Cov_w(f, 1[has the set]),

  where w_set is the weight of these draws together: with the normalisation, the covariance. The
  errors of different sets are independent: the variance is the sum of s^2 Cov^2.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from gpnet.common.types import Floats
from gpnet.stats.convergence import draws_by_chain, effective_draws
from gpnet.stats.estimates import Estimate, beta_sd
from gpnet.stats.importance_weights import effective_sample_size

BLOCK: Final = 2**22  # numbers at once: series of all edges of 100 nodes would not fit


@dataclass(frozen=True, eq=False)
class WeightedDraws:
    """Draws as far as error bars need them: what each of them weighs, and on whose evidence."""

    log_weights: Floats  # (M,), normalised
    log_target: Floats  # (M,)
    chain: NDArray[np.int32]  # (M,)
    independent: bool
    sets: NDArray[np.intp]  # (n_nodes, M): the number of each node's parent set
    set_errors: Floats  # standard errors of the log marginals, by that number; nan: counts as 0
    missing_mass: float | None = (
        None  # mass of DAGs never drawn, where the drawn weigh what they score
    )
    # The first draws, as they were before others were put behind them in place of them: these are
    # no draws of their own, and bring no chance of their own.
    drawn: "WeightedDraws | None" = None
    differing: bool = False  # whether chains are tables of their own, which differ by right
    errors_known: bool = True  # else the method of evidence tells none, and there is no error bar

    @property
    def n_draws(self) -> int:
        """M."""
        return len(self.log_weights)

    @cached_property
    def weights(self) -> Floats:
        """(M,), summing to 1, read-only."""
        weights = np.exp(self.log_weights)
        weights /= weights.sum()
        weights.flags.writeable = False
        return weights

    @cached_property
    def n_effective(self) -> float:
        """The effective size by weights, times the efficiency of the chains for the log target.

        That is the effective sample size for a question that none of them answers differently. An
        efficiency is 1 where the log target never varies. 1 / u where only a mass u is missing.
        """
        if self.missing_mass is not None:
            return 1 / self.missing_mass
        if self.drawn is not None:
            return self.drawn.n_effective
        n_by_weights = effective_sample_size(self.log_weights)
        target = self.log_target[:, None]
        return n_by_weights / float(
            self._times(self._within(target) if self.differing else target)[0]
        )

    def expectation(self, values: Floats) -> Estimate:
        """Of any number of each draw; without error where it is always the same."""
        column = np.asarray(values, dtype=float)[:, None]
        mean = self.weights @ column
        variance = self.monte_carlo_variances(column, mean)
        variance += self.evidence_variances(column - mean, np.zeros(1))
        return Estimate(mean[0], np.sqrt(variance[0]) if self.errors_known else np.nan)

    def probability(self, event: NDArray[np.bool_]) -> Estimate:
        """Of what holds in each draw, or does not."""
        p, n = self.probabilities(event[:, None])
        return Estimate(p[0], beta_sd(p, n)[0], float(n[0]))

    def probabilities(self, events: NDArray[np.bool_]) -> tuple[Floats, Floats]:
        """Of events (M, k): the probabilities and their effective numbers of draws, each (k,).

        n = (p (1 - p) + 1 / m) / (variance + 1 / m^2), with m = n_effective: p (1 - p) / variance
        for what is often seen to vary, m for what is never or hardly seen. Where only a mass u is
        missing, m = 1 / u and 1 / m^2 is all the variance there is. Then the variance by the
        scores comes on top.
        """
        often = self._means(events) > 0.5
        rare = events ^ often  # what happens or what does not: near 0 nothing is lost in rounding
        q = self._means(rare)
        varies = rare.any(axis=0)
        monte_carlo, evidence = np.zeros_like(q), np.zeros_like(q)
        if self.missing_mass is None:
            monte_carlo[varies] = self.monte_carlo_variances(rare[:, varies], q[varies])
        elif self.drawn is not None:
            monte_carlo[varies] = self._version_variances(rare[:, varies])
        evidence[varies] = self.evidence_variances(rare[:, varies], q[varies])
        spread, m = q * (1 - q), self.n_effective
        n = (spread + 1 / m) / (monte_carlo + 1 / m**2)
        known = evidence == 0
        n = np.where(known, n, spread / (spread / n + np.where(known, 1, evidence)))
        n = n if self.errors_known else np.full_like(n, np.nan)
        return np.where(often, 1 - q, q), n

    def monte_carlo_variances(self, values: NDArray[Any], means: Floats) -> Floats:
        """var(h) / n_eff(h) of each column of values (M, k), or (u max |f - p|)^2."""
        if self.drawn is not None:
            averaged = self._over_versions(values)
            of_draws = self.drawn.monte_carlo_variances(averaged, self.drawn.weights @ averaged)
            known = self.missing_mass is None  # then it is in the draws' own variance
            return of_draws if known else of_draws + self._version_variances(values)
        found = np.empty(len(means))
        scale = self.n_draws * self.weights[:, None]
        for block in self._blocks(len(means)):
            off = values[:, block] - means[block]
            if self.missing_mass is None and self.differing:
                within = self._within(scale * off)
                chance = np.mean(within**2, axis=0) / self.n_draws * self._times(within)
                found[block] = np.maximum(chance, self._between(off))
            elif self.missing_mass is None:
                h = scale * off
                found[block] = np.mean(h**2, axis=0) / self.n_draws * self._times(h)
            else:
                found[block] = (self.missing_mass * np.abs(off).max(axis=0)) ** 2
        return found

    def evidence_variances(self, values: NDArray[Any], means: Floats) -> Floats:
        """Sum over parent sets of s^2 Cov_w(f, 1[has the set])^2, of each column of values (M, k).

        Cov = A - p w_set with A = sum of w_i f_i in the set, which is mostly 0: hence sparse, and
        the square written out.
        """
        total = np.zeros(len(means))
        if self.drawn is not None:
            averaged = self._over_versions(values)
            return self.drawn.evidence_variances(averaged, self.drawn.weights @ averaged)
        if not self._uncertain:
            return total
        sparse_values = csr_array(values, dtype=float)
        for by_set, variance in self._uncertain:
            inside, weight = by_set @ sparse_values, by_set.sum(axis=1)
            total += inside.multiply(inside).T @ variance
            total -= 2 * means * (inside.T @ (variance * weight))
            total += means**2 * (variance @ weight**2)
        return np.maximum(total, 0)

    def _over_versions(self, values: NDArray[Any]) -> NDArray[Any]:
        """Of each draw the mean of columns of values over its versions, by their shares.

        Draws may have versions that stand behind them, in the same order: what chance there is in
        these is in the means too. In files of an older gpnet others stand there; then it is the
        draws themselves.
        """
        assert self.drawn is not None  # noqa: S101, as who calls has seen
        m = self.drawn.n_draws
        if self.n_draws % m or self.n_draws == m:
            return values[:m]
        shares = self.weights.reshape(-1, m).sum(axis=1)
        versions = values.reshape(len(shares), m, -1)
        return np.asarray(sum(s * v for s, v in zip(shares, versions, strict=True)))

    def _version_variances(self, values: NDArray[Any]) -> Floats:
        """(k,): sum of w_i^2 times the variance of values (M, k) among the draws of i's DAG.

        Of versions averaged. DAGs drawn once show none, but weigh no more than the missing mass.
        """
        assert self.drawn is not None  # noqa: S101, as who calls has seen
        by_dag, n_each = self._of_dags
        squares = by_dag @ self.drawn.weights**2 / np.maximum(n_each - 1, 1)
        found = np.empty(values.shape[1])
        for block in self._blocks(values.shape[1]):
            averaged = self._over_versions(values[:, block]).astype(float)
            off = averaged - by_dag.T @ ((by_dag @ averaged) / n_each[:, None])
            found[block] = squares @ (by_dag @ off**2)
        return found

    @cached_property
    def _of_dags(self) -> tuple[csr_array, Floats]:
        """(n_dags, M0), 1 where a draw has the DAG; and how many draws each DAG has."""
        assert self.drawn is not None  # noqa: S101, as who calls has seen
        _, place, n_each = np.unique(
            self.drawn.sets, axis=1, return_inverse=True, return_counts=True
        )
        ones, at = np.ones(self.drawn.n_draws), np.arange(self.drawn.n_draws)
        return csr_array((ones, (place.reshape(-1), at))), n_each.astype(float)

    def _means(self, events: NDArray[np.bool_]) -> Floats:
        blocks = [self.weights @ events[:, block] for block in self._blocks(events.shape[1])]
        return np.concatenate([np.empty(0), *blocks])

    @cached_property
    def _uncertain(self) -> list[tuple[csr_array, Floats]]:
        """For each node: (n_sets, M), w_i where draw i has the set, and s^2 of the set.

        Without the sets whose evidence has no known error, or none.
        """
        found = []
        for sets in self.sets:
            numbers, place = np.unique(sets, return_inverse=True)
            variance = np.nan_to_num(self.set_errors[numbers], nan=0.0) ** 2
            shape = len(numbers), self.n_draws
            by_set = csr_array((self.weights, (place, np.arange(self.n_draws))), shape=shape)
            if variance.any():
                found.append((by_set[variance > 0], variance[variance > 0]))
        return found

    @cached_property
    def by_chain(self) -> NDArray[np.intp]:
        """(n_chains, length of the shortest): which draws are whose."""
        return draws_by_chain(self.chain)

    def _times(self, series: Floats) -> Floats:
        """Draws / effective sample size of each column of series (M, k); 1 where nothing varies."""
        if self.independent:
            return np.ones(series.shape[1])
        n_effective = effective_draws(series[self.by_chain])
        return np.nan_to_num(self.by_chain.size / n_effective, nan=1.0)

    def _within(self, series: Floats) -> Floats:
        """(M, k): less the mean of each completed table."""
        number, sizes = self._tables
        sums = np.zeros((len(sizes), series.shape[1]))
        np.add.at(sums, number, series)
        return np.asarray(series - (sums / sizes[:, None])[number])

    def _between(self, off: Floats) -> Floats:
        """(k,): var(p_k) / K of columns off (M, k) = f - p; 0 where there is one table only."""
        number, sizes = self._tables
        if len(sizes) < 2:
            return np.zeros(off.shape[1])
        share = np.bincount(number, weights=self.weights)
        sums = np.zeros((len(sizes), off.shape[1]))
        np.add.at(sums, number, self.weights[:, None] * off)
        return np.asarray((sums / share[:, None]).var(axis=0, ddof=1) / len(sizes))

    @cached_property
    def _tables(self) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        """(M,): which of the completed tables each draw is of; and how many draws each has."""
        _, number, sizes = np.unique(self.chain, return_inverse=True, return_counts=True)
        return number.reshape(-1), sizes

    def _blocks(self, n_columns: int) -> Iterator[slice]:
        width = max(1, BLOCK // self.n_draws)
        return (slice(start, start + width) for start in range(0, n_columns, width))

"""Single graphs that stand for a posterior."""

from typing import NamedTuple

import numpy as np
import pandas as pd

from gpnet.common.errors import OptionError
from gpnet.posterior.relation_tables import RelationTables
from gpnet.stats.estimates import Estimate


class RankedDag(NamedTuple):
    """One of the most probable DAGs."""

    dag: pd.DataFrame  # bool, index "parent", columns "child"
    probability: Estimate
    log_target: float


class PointEstimates(RelationTables):
    """Best and consensus graphs of weighted DAGs."""

    def map_dag(self) -> pd.DataFrame:
        """The first of `top_dags`.

        Returns
        -------
        DataFrame of bool, shape (n, n)
            The index is the parent, the columns are the child.

        Examples
        --------
        >>> import gpnet
        >>> table = gpnet.simulate(nodes=4, rows=200, edge_probability=0.6, seed=2)
        >>> posterior = gpnet.learn(table.frame(), score="bge", draws=500)
        >>> bool(posterior.map_dag().loc["V3", "V2"])
        True
        """
        return self.top_dags(1)[0].dag

    def top_dags(self, k: int) -> list[RankedDag]:
        """The k unique DAGs of the highest posterior density; of replicates, most often drawn.

        Parameters
        ----------
        k : int
            How many; fewer where fewer were drawn.

        Returns
        -------
        list of RankedDag
            Each with `dag`, `probability` and `log_target`.

        Examples
        --------
        >>> import gpnet
        >>> table = gpnet.simulate(nodes=4, rows=200, edge_probability=0.6, seed=2)
        >>> posterior = gpnet.learn(table.frame(), score="bge", draws=500)
        >>> [best.probability for best in posterior.top_dags(2)]
        [0.22 ± 0.02, 0.20 ± 0.02]
        """
        if k < 1:
            raise OptionError(f"k: 1 or more, found {k}")
        dags, place = self._distinct
        plain = self.plain_log_weights
        m = self.n_draws if plain is None else len(plain)  # re-oriented ones have no density
        log_target = np.full(len(dags), -np.inf)
        np.maximum.at(log_target, place[:m], self.log_target[:m])
        height = log_target
        if self.diagnosis.replicates:  # whose densities are not that of the table
            share = np.bincount(place, weights=self.weights)
            height = np.where(np.isfinite(log_target), share, -np.inf)
        return [
            RankedDag(
                self._frame(dags[best]),
                self._draws.probability(place == best),
                float(log_target[best]),
            )
            for best in np.argsort(-height, kind="stable")[:k]
            if np.isfinite(log_target[best])
        ]

    def consensus(self, threshold: float = 0.5) -> pd.DataFrame:
        """The edges of a probability above a threshold.

        From 0.5 on there is never an edge in both directions. Longer cycles are possible, if rare:
        three edges that hold in two thirds of the draws each need not hold together.

        Parameters
        ----------
        threshold : float
            From 0 to 1.

        Returns
        -------
        DataFrame of bool, shape (n, n)
            The index is the parent, the columns are the child.

        Examples
        --------
        >>> import gpnet
        >>> table = gpnet.simulate(nodes=4, rows=200, edge_probability=0.6, seed=2)
        >>> posterior = gpnet.learn(table.frame(), score="bge", draws=500)
        >>> int(posterior.consensus(0.7).to_numpy().sum())
        2
        """
        if not 0 <= threshold <= 1:
            raise OptionError(f"threshold: a probability from 0 to 1, found {threshold}")
        kept = self._edges[0] > threshold
        if threshold >= 0.5:
            kept &= ~kept.T  # both are above a half by rounding only
        return self._frame(kept)

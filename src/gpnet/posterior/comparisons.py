"""What drives one variable, and how two posteriors differ: as frames."""

import numpy as np
import pandas as pd

from gpnet.common.errors import OptionError
from gpnet.common.messages import quote, suggestion
from gpnet.graphs.distinct import distinct_rows
from gpnet.posterior.probabilities import Probabilities


class Comparisons(Probabilities):
    """Questions whose answers are tables."""

    def parents(self, child: str, *, at_least: float = 0.01) -> pd.DataFrame:
        """The sets of parents that a variable may have.

        Parameters
        ----------
        child : str
            The variable.
        at_least : float
            Sets of a smaller probability are left out.

        Returns
        -------
        DataFrame
            `parents` (a tuple of names), `probability` and `std_error`, the most probable first.

        Examples
        --------
        >>> import gpnet
        >>> table = gpnet.simulate(nodes=4, rows=200, edge_probability=0.6, seed=2)
        >>> posterior = gpnet.learn(table.frame(), score="bge", draws=500)
        >>> posterior.parents("V4").iloc[0]["parents"]
        ('V3',)
        """
        if child not in self.names:
            raise OptionError(
                f"child: no variable is called {quote(child)}; {suggestion(child, self.names)}"
            )
        if not 0 <= at_least <= 1:
            raise OptionError(f"at_least: a probability from 0 to 1, found {quote(at_least)}")
        columns = self.dags[:, :, self.names.index(child)]
        first, place = distinct_rows(columns)
        estimates = self.probabilities(place[:, None] == np.arange(len(first)))
        rows = [
            {
                "parents": tuple(self.names[v] for v in np.flatnonzero(columns[draw])),
                "probability": float(estimate),
                "std_error": estimate.std_error,
            }
            for draw, estimate in zip(first, estimates, strict=True)
            if float(estimate) >= at_least
        ]
        found = pd.DataFrame(rows, columns=["parents", "probability", "std_error"])
        found = found.sort_values("probability", ascending=False, kind="stable")
        return found.reset_index(drop=True)

    def compare(self, other: "Probabilities") -> pd.DataFrame:
        """Edge by edge, how this posterior differs from another of the same variables.

        Parameters
        ----------
        other : Posterior
            Learnt with other settings, or from another table; its variables may be in another
            order.

        Returns
        -------
        DataFrame
            `parent`, `child`, `this`, `other`, `difference` (this less other) and `std_error` of
            the difference, the largest first; what neither thinks possible is left out.

        Examples
        --------
        >>> import gpnet
        >>> table = gpnet.simulate(nodes=4, rows=200, edge_probability=0.6, seed=2)
        >>> lines = gpnet.learn(table.frame(), score="linear", draws=500)
        >>> curves = gpnet.learn(table.frame(), draws=500)
        >>> lines.compare(curves).columns.tolist()
        ['parent', 'child', 'this', 'other', 'difference', 'std_error']
        """
        mine, theirs = set(self.names), set(other.names)
        if mine != theirs:
            raise OptionError(
                "other: a posterior of the same variables; only one of the two has "
                f"{quote(sorted(mine ^ theirs)[0])}"
            )
        names = list(self.names)
        this, that = self.edge_probabilities(), other.edge_probabilities().loc[names, names]
        p, q = this.to_numpy(), that.to_numpy()
        theirs_errors = other.edge_errors().loc[names, names].to_numpy()
        errors = np.hypot(self.edge_errors().to_numpy(), theirs_errors)
        rows = [
            (names[a], names[b], p[a, b], q[a, b], errors[a, b]) for a, b in np.argwhere(p + q > 0)
        ]
        found = pd.DataFrame(rows, columns=["parent", "child", "this", "other", "std_error"])
        found.insert(4, "difference", found["this"] - found["other"])
        return found.sort_values(
            "difference", key=lambda d: -d.abs(), kind="stable", ignore_index=True
        )

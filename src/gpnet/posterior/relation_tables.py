"""Tables of variables given their parents: of which kind relations are, and whether they fit."""

from typing import Final

import numpy as np
import pandas as pd

from gpnet.common.errors import OptionError
from gpnet.posterior.model_checks import ModelChecks
from gpnet.posterior.probabilities import Probabilities
from gpnet.posterior.weighted_dags import WeightedDags

KINDS: Final = ("nonlinear", "noise_not_normal", "noise_varies")  # of a relation; probabilities


class RelationTables(Probabilities):
    """What may be asked of variables and their parents."""

    def relations(self) -> pd.DataFrame:
        """Of each variable and each of its parent sets: how probable, and how probably curved.

        Returns
        -------
        DataFrame
            With the columns child, parents (a tuple of names), probability; and probabilities that
            the relation is nonlinear, that its noise is not normal and that the size of the noise
            varies with the parents, which are nan where the score does not ask. By child, the most
            probable set first, without the empty ones.

        Examples
        --------
        >>> import gpnet
        >>> table = gpnet.simulate(nodes=4, rows=200, edge_probability=0.6, seed=2)
        >>> posterior = gpnet.learn(table.frame(), score="bge", draws=500)
        >>> posterior.relations().iloc[:1, :4].round(2)
          child parents  probability  nonlinear
        0    V1   (V4,)         0.71        NaN
        """
        rows = []
        scores = self.local_scores
        for node, places in enumerate(self._draws.sets):
            share = np.bincount(places, weights=self.weights, minlength=len(scores.node))
            for row in np.argsort(-share, kind="stable")[: np.count_nonzero(share)]:
                parents = tuple(self._labels[scores.parents[row]])
                if parents:
                    kinds = 1 - scores.linear[row], scores.shaped[row], scores.varying[row]
                    rows.append((self.names[node], parents, share[row], *kinds))
        return pd.DataFrame(rows, columns=["child", "parents", "probability", *KINDS])

    def model_checks(self) -> pd.DataFrame:
        """Whether each variable fits the model, given its most probable parents.

        Returns
        -------
        DataFrame
            A row for each variable with its parents (a tuple of names); as in `relations`, the
            probabilities nonlinear, noise_not_normal and noise_varies; p_parents, the p-value of
            residuals that do not depend on the parents; related_to, the variable, not adjacent,
            whose residuals are most related, or None, with the p-value p_related. P-values are
            corrected for the number of tests: below 0.05, something is found.

        Raises
        ------
        OptionError
            Where nothing was checked.

        Examples
        --------
        >>> import gpnet
        >>> table = gpnet.simulate(nodes=3, rows=100, edge_probability=1, seed=2)
        >>> posterior = gpnet.learn(table.frame(), draws=500)
        >>> posterior.model_checks()[["variable", "parents", "p_parents"]].round(1)
          variable   parents  p_parents
        0       V1  (V2, V3)        1.0
        1       V2        ()        NaN
        2       V3     (V2,)        1.0
        """
        checks = checks_of(self)
        related = [self.names[other] if other >= 0 else None for other in checks.other]
        return pd.DataFrame(
            {
                "variable": self._labels,
                "parents": [tuple(self._labels[row]) for row in checks.parents],
                "nonlinear": 1 - checks.linear,
                "noise_not_normal": checks.shaped,
                "noise_varies": checks.varying,
                "p_parents": checks.parent_p,
                "related_to": pd.Series(related, dtype=object),
                "p_related": checks.other_p,
            }
        )


def checks_of(posterior: WeightedDags) -> ModelChecks:
    """The arrays behind `model_checks`."""
    if posterior.checks is None:
        raise OptionError(
            "checks: whether the model fits was not looked at, as with score 'bge', in results of "
            "an older gpnet or out of time; learn again, with another score or more time"
        )
    return posterior.checks

"""What a posterior was learnt with: its tables and its score, ready to draw functions."""

from dataclasses import dataclass, fields
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from gpnet.common.errors import DataError, OptionError
from gpnet.common.messages import quote, suggestion
from gpnet.common.types import Floats, Node, Parents
from gpnet.data.dataset import Dataset
from gpnet.gp.evidence import Evidence
from gpnet.inference.plan import make_score
from gpnet.inference.settings import Settings
from gpnet.posterior.learnt_tables import TablesFile
from gpnet.scores import Score

if TYPE_CHECKING:
    from gpnet.posterior.posterior import Posterior


@dataclass(frozen=True, eq=False)
class LearntModel:
    """A posterior with the table and the score behind it."""

    posterior: "Posterior"
    given: Dataset
    completed: tuple[Dataset, ...]  # what scores saw; several where cells were imputed
    score: Score

    @classmethod
    def of(cls, posterior: "Posterior") -> "LearntModel":
        """Refused where the table is not at hand."""
        tables = posterior.tables
        if isinstance(tables, TablesFile):
            tables = tables.tables
        if tables is None:
            raise DataError(
                "the table that this posterior was learnt from is not at hand. Remedy: give it, by "
                "posterior.with_data('cells.csv') or --data cells.csv, or learn again and keep it"
            )
        return cls(posterior, tables.given, tables.completed, _score_of(posterior))

    @property
    def names(self) -> tuple[str, ...]:
        """Of the variables."""
        return self.posterior.names

    def column(self, role: str, name: object) -> Node:
        """The number of a variable that is asked for by name."""
        if name not in self.names:
            raise OptionError(
                f"{role}: no variable is called {quote(name)}; {suggestion(name, self.names)}"
            )
        return self.names.index(str(name))

    def modelled(self, role: str, name: object) -> Node:
        """The same, of a variable that others may drive."""
        node = self.column(role, name)
        if self.given.is_exogenous(node):
            raise OptionError(
                f"{role}: {quote(name)} is exogenous, and nothing in the table drives it; name a "
                "variable that is modelled"
            )
        return node

    def table_of(self) -> NDArray[np.int32]:
        """(M,): the completed table that each draw is about."""
        chain = self.posterior.chain
        return chain if len(self.completed) > 1 else np.zeros_like(chain)

    def dags(self) -> NDArray[np.bool_]:
        """(M, n, n), without edges into exogenous columns: nothing is known of what they do.

        There are some where a column is exogenous only by its few values, and in doubt for that.
        """
        fixed = [self.given.is_exogenous(v) for v in range(len(self.names))]
        return np.asarray(self.posterior.dags & ~np.array(fixed))

    def known(self, node: Node, parents: Parents) -> dict[Parents, Evidence]:
        """What learning found of a family, such as the probability of straight lines."""
        scores = self.posterior.local_scores
        own = np.zeros(len(self.names), dtype=bool)
        own[list(parents)] = True
        row = np.flatnonzero((scores.node == node) & (scores.parents == own).all(axis=1))
        if not len(row) or not np.isfinite(scores.linear[row[0]]):
            return {}
        value, linear = float(scores.log_marginal[row[0]]), float(scores.linear[row[0]])
        return {parents: Evidence(value, 0.0, "learnt", linear=linear)}

    def observed(self, node: Node) -> Floats:
        """The known values of a column, in the user's units."""
        values = self.given.in_measured(node)
        return values if self.given.gaps is None else values[~self.given.gaps[:, node]]

    def levels(self, node: Node) -> tuple[str, ...]:
        """Of a categorical column what its levels are called; of others nothing."""
        return self.given.levels.get(self.names[node], ())


def _score_of(posterior: "Posterior") -> Score:
    options = posterior.settings.get("options")
    if not options:
        raise OptionError(
            "this posterior does not say what score it was learnt with, as one made by hand; learn "
            "it by gpnet.learn"
        )
    known = {field.name for field in fields(Settings)}
    return make_score(Settings.of({k: v for k, v in options.items() if k in known}))

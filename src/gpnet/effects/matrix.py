"""The effects of all variables on all others: what is known of them, and how to ask."""

from dataclasses import dataclass
from html import escape

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from gpnet.common.errors import OptionError
from gpnet.common.messages import one_of, quote, suggestion
from gpnet.common.types import Floats, Node
from gpnet.effects.actions import Value
from gpnet.effects.effect import Grounds, sentence_of
from gpnet.effects.quantities import Summaries


@dataclass(frozen=True, eq=False)
class PairCurve:
    """E[target | do(cause)] of one pair, and draws of its contrast."""

    cause: Node
    target: Node
    values: tuple[Value, ...]  # (V,): what the cause is set to
    mean: Floats  # (V,)
    low: Floats  # of the 90% band
    high: Floats
    draws: Floats  # (T,): of the contrast
    any_effect: NDArray[np.bool_]  # (T,): whether a directed path was there


@dataclass(frozen=True, eq=False, repr=False)
class EffectMatrix:
    """For each cause and target: is there an effect, and how large is it; in the table's units.

    Each cause goes from its lower to its upper quartile, a categorical one from its first level to
    its last.
    """

    names: tuple[str, ...]
    start: tuple[Value, ...]
    end: tuple[Value, ...]
    probability: Floats  # (n, n): of a directed path, [cause, target]
    probability_error: Floats
    contrast: Summaries  # (n n,) each: by cause, then by target
    derivative: Summaries  # the same, of mean slopes; nan for causes with levels
    modelled: NDArray[np.bool_]  # (n,): what can be a target
    n_draws: int
    n_rows: int
    if_model_holds: Floats  # (n, n): the probability where no direction is left open
    identified: NDArray[np.bool_]  # (n, n): whether an experiment or knowledge tells the direction
    left_open: float  # the probability that directions are, elsewhere
    curves: tuple[PairCurve, ...] = ()  # if asked for: of effects that are not negligible

    def matrix(self, what: str = "mean") -> pd.DataFrame:
        """One number of each pair: the index is the cause, the columns are the target.

        "probability"; "mean", "low", "high", "sd", "mean_error", "structural_share" or
        "structural_share_error" of the contrast; or "derivative", its mean slope.
        """
        choices = ("probability", *vars(self.contrast), "derivative")
        if what not in choices:
            raise OptionError(f"what: {one_of(choices)}; found {quote(what)}")
        n = len(self.names)
        found = self.probability if what == "probability" else None
        if found is None:
            numbers = self.derivative.mean if what == "derivative" else getattr(self.contrast, what)
            found = numbers.reshape(n, n)
        index = pd.Index(self.names, name="cause", dtype=object)
        columns = pd.Index(self.names, name="target", dtype=object)
        return pd.DataFrame(np.array(found), index=index, columns=columns)

    def sentence(self, cause: str, target: str) -> str:
        """One effect in brief."""
        i, j = self._place(cause), self._place(target)
        contrast = self.contrast.at(i * len(self.names) + j)
        move = (cause, self.start[i], self.end[i])
        p = float(self.probability[i, j])
        return sentence_of([move], target, contrast, p, self.grounds(i, j))

    def grounds(self, cause: Node, target: Node) -> Grounds:
        """What tells the direction of one effect."""
        pair = cause, target
        plain = float(self.if_model_holds[pair])
        return Grounds(bool(self.identified[pair]), self.left_open, plain)

    def curve(self, cause: str, target: str) -> pd.DataFrame:
        """E[target | do(cause)] with its 90% band: a row for each value of the cause."""
        pair = self._place(cause), self._place(target)
        for one in self.curves:
            if (one.cause, one.target) == pair:
                numbers = {"mean": one.mean, "low": one.low, "high": one.high}
                return pd.DataFrame({"value": one.values, **numbers})
        raise OptionError(
            f"curve: none of {quote(cause)} on {quote(target)}, as curves were not asked for "
            "(effects(curves=True)) or the effect is improbable; posterior.effect measures it alone"
        )

    def _place(self, name: str) -> Node:
        if name not in self.names:
            known = suggestion(name, self.names)
            raise OptionError(f"no variable is called {quote(name)}; {known}")
        return self.names.index(name)

    def frame(self) -> pd.DataFrame:
        """A row for each cause and target, the most probable effects first."""
        n = len(self.names)
        causes, targets = (index.ravel() for index in np.indices((n, n)))
        names = np.array(self.names, dtype=object)
        columns = {
            "cause": names[causes],
            "target": names[targets],
            "probability": self.probability.ravel(),
            "probability_error": self.probability_error.ravel(),
            "if_model_holds": self.if_model_holds.ravel(),
            "identified": self.identified.ravel(),
            "from": np.array(self.start, dtype=object)[causes],
            "to": np.array(self.end, dtype=object)[causes],
            **vars(self.contrast),
            "derivative": self.derivative.mean,
            "derivative_low": self.derivative.low,
            "derivative_high": self.derivative.high,
        }
        kept = (causes != targets) & self.modelled[targets]
        found: pd.DataFrame = pd.DataFrame(columns)[kept]
        order = ["probability", "cause", "target"]
        found = found.sort_values(order, ascending=[False, True, True])
        return found.reset_index(drop=True)

    def __repr__(self) -> str:
        return f"<EffectMatrix of {len(self.names)} variables: {self.n_draws} draws>"

    def _repr_html_(self) -> str:
        table = self.matrix().to_html(float_format=lambda x: f"{x:.3g}")
        return f"<p>{escape(repr(self))}</p>{table}"

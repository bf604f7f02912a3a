"""The effect of setting some variables on another, with all that is uncertain about it."""

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from gpnet.common.messages import printable
from gpnet.common.types import Floats
from gpnet.effects.actions import Value
from gpnet.effects.quantities import Quantity, Summaries
from gpnet.stats.estimates import Estimate

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@dataclass(frozen=True)
class Grounds:
    """What tells that causes come before their target."""

    identified: bool  # by an experiment or knowledge, of each cause
    left_open: float  # probability that directions are, where only the model tells them
    if_model_holds: float  # probability of any effect where no direction is left open

    def sentence(self) -> str:
        """What anybody who is told of the effect has to know; nothing where it is identified."""
        if self.identified:
            return ""
        if not self.left_open:
            return " Only the model tells which drives which."
        return (
            " Only the model tells which drives which, so that these numbers leave it open with "
            f"probability {self.left_open:.2g}. If the model holds, it "
            f"is {100 * self.if_model_holds:.0f}% sure that there is any."
        )


@dataclass(frozen=True, eq=False, repr=False)
class Effect:
    """What happens to a variable when others are set; in the units of the table.

    Averaged over DAGs that have the effect and those that do not: a curve that is flat, a contrast
    of 0 are part of its bands as often as no directed path is there.
    """

    causes: tuple[str, ...]
    on: str
    direct: bool  # with all other parents held
    probability: Estimate  # that there is any: a directed path, or an edge if direct
    start: tuple[Value, ...]  # of the contrast
    end: tuple[Value, ...]
    contrast: Quantity  # mean of the target at the end, less that at the start
    contrast_if_any: (
        Quantity | None
    )  # the same, in DAGs that have the effect; None if none was drawn
    derivative: Quantity | None  # mean over the rows of the slope; None for levels and several
    values: tuple[tuple[Value, ...], ...]  # (V,): settings of the curve
    curve: Summaries  # (V,): E[target | do(setting)]
    quantiles: Floats  # (V, 5): of the target itself, under each setting
    draws: Floats  # (T,): of the contrast
    n_dags: int  # different ones among these draws
    n_rows: int  # that were pushed through
    grounds: Grounds

    def frame(self) -> pd.DataFrame:
        """The curve: a row for each setting."""
        settings = pd.DataFrame(list(self.values), columns=list(self.causes))
        if len(self.causes) == 1:
            settings.columns = pd.Index(["value"])
        numbers = {
            name: getattr(self.curve, name)
            for name in ("mean", "low", "high", "mean_error", "low_error", "high_error")
        }
        tails = {f"q{100 * q:02.0f}": self.quantiles[:, i] for i, q in enumerate(QUANTILES)}
        shares = {
            name: getattr(self.curve, name)
            for name in ("structural_share", "structural_share_error")
        }
        return pd.concat([settings, pd.DataFrame({**numbers, **shares, **tails})], axis=1)

    def record(self) -> dict[str, Any]:
        """What `gpnet effect --json` prints."""
        each = zip(self.values, self.curve.mean, self.curve.low, self.curve.high, strict=True)
        one = self.contrast
        return {
            "probability": float(self.probability),
            "curve": [
                {"value": _plain(value), "mean": float(m), "low": float(a), "high": float(b)}
                for value, m, a, b in each
            ],
            "contrast": {
                "from": _plain(self.start),
                "to": _plain(self.end),
                "mean": one.mean,
                "low": one.low,
                "high": one.high,
                "structural_share": one.structural_share,
                "structural_share_error": one.structural_share_error,
            },
            "if_model_holds": self.grounds.if_model_holds,
            "identified": self.grounds.identified,
        }

    def sentence(self) -> str:
        """All of it in brief."""
        kind = "direct effect" if self.direct else "effect"
        moves = zip(self.causes, self.start, self.end, strict=True)
        asked = list(moves), self.on, self.contrast, float(self.probability)
        return sentence_of(*asked, self.grounds, kind)

    def plot(self, ax: "Axes | None" = None) -> "Axes":
        """The curve with its band and, beside each value, the spread of the target itself."""
        from gpnet.effects.drawing import draw_effect

        return draw_effect(self, ax)

    def __repr__(self) -> str:
        return f"<Effect: {printable(self.sentence())}>"

    def _repr_html_(self) -> str:
        table = self.frame().to_html(index=False, float_format=lambda x: f"{x:.4g}")
        return f"<p>{escape(printable(self.sentence()))}</p>{table}"


def sentence_of(
    moves: Sequence[tuple[str, Value, Value]],
    on: str,
    contrast: Quantity,
    probability: float,
    grounds: Grounds,
    kind: str = "effect",
) -> str:
    """An effect in brief; `moves` are the causes, each with what it goes from and to."""
    told = [f"{cause} from {_told(a)} to {_told(b)}" for cause, a, b in moves]
    return (
        f"Setting {' and '.join(told)} changes {on} by {contrast.mean:+.3g} ({contrast.low:.3g} to "
        f"{contrast.high:.3g}); {100 * probability:.0f}% sure that there is any {kind}; the "
        f"network accounts for {100 * contrast.structural_share:.0f}% ± "
        f"{100 * contrast.structural_share_error:.0f}% of the uncertainty.{grounds.sentence()}"
    )


QUANTILES = (0.05, 0.25, 0.5, 0.75, 0.95)


def pooled_quantiles(samples: NDArray[np.float64]) -> Floats:
    """(V, 5), of samples (m, V)."""
    return np.asarray(np.quantile(samples, QUANTILES, axis=0).T)


def _plain(values: tuple[Value, ...]) -> Any:
    return values[0] if len(values) == 1 else list(values)


def _told(value: Value) -> str:
    return value if isinstance(value, str) else f"{value:.3g}"

"""What is set to which values: read from what a user asks for, checked, and standardised."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from numbers import Real
from typing import Any, Final, TypeAlias

import numpy as np

from gpnet.common.errors import OptionError
from gpnet.common.messages import quote, quoted
from gpnet.common.types import Floats, Node
from gpnet.data.dataset import Dataset
from gpnet.effects.learnt_model import LearntModel

N_EVEN: Final = 16  # values of a cause over its range
N_QUANTILES: Final = 9  # and where the rows are
N_STEPS: Final = 11  # from one setting of several causes to another

Value: TypeAlias = float | str  # in the user's units; the name of a level
Causes: TypeAlias = str | Sequence[str] | Mapping[str, Sequence[Any]]


@dataclass(frozen=True)
class Action:
    """Causes that go from one setting to another, together."""

    causes: tuple[Node, ...]
    start: tuple[Value, ...]
    end: tuple[Value, ...]

    @classmethod
    def of(cls, model: LearntModel, causes: Causes, do: Sequence[Any] | None) -> "Action":
        """From names, and what the causes go from and to; from lower to upper quartile if not."""
        named = _by_name(causes, do)
        nodes = tuple(model.column("cause", name) for name in named)
        pairs = [
            _pair(model, node, asked) for node, asked in zip(nodes, named.values(), strict=True)
        ]
        start, end = zip(*pairs, strict=True)
        return cls(nodes, start, end)

    def steps(self, model: LearntModel) -> list[tuple[Value, ...]]:
        """Settings for a curve: over the observed range of one cause, or from start to end."""
        if len(self.causes) == 1:
            return [(value,) for value in curve_values(model, self.causes[0])]
        named = [model.names[v] for v in self.causes if model.levels(v)]
        if named:
            raise OptionError(
                f"cause: {quoted(named)} has levels, with nothing in between; ask for it alone"
            )
        start, end = np.array(self.start, dtype=float), np.array(self.end, dtype=float)
        ways = np.linspace(0, 1, N_STEPS)[:, None]
        return [tuple(row) for row in (start + ways * (end - start)).tolist()]


def _by_name(causes: Causes, do: Sequence[Any] | None) -> dict[str, Sequence[Any] | None]:
    if isinstance(causes, Mapping):
        if do is not None:
            raise OptionError("do: the causes say already what they are set to; leave out one")
        return dict(causes)
    names = [causes] if isinstance(causes, str) else list(causes)
    if not names:
        raise OptionError("cause: one name or more, found none")
    if do is not None and len(names) > 1:
        raise OptionError(
            "do: for several causes, give the values with the names, as in "
            "{'A': (0, 1), 'B': (2, 3)}"
        )
    return dict.fromkeys(names, do)


def _pair(model: LearntModel, node: Node, asked: Any) -> tuple[Value, Value]:
    if asked is None:
        return usual_contrast(model, node)
    if isinstance(asked, str) or not isinstance(asked, Sequence | np.ndarray) or len(asked) != 2:
        raise OptionError(
            f"do: two values of {quote(model.names[node])}, as in (0.5, 2); found {quote(asked)}"
        )
    start, end = (checked_value(model, node, value) for value in asked)
    if start == end:
        raise OptionError(f"do: two different values, found {quote(start)} twice")
    return start, end


def usual_contrast(model: LearntModel, node: Node) -> tuple[Value, Value]:
    """From the lower to the upper quartile; from the first level to the last."""
    levels = model.levels(node)
    if levels:
        return levels[0], levels[-1]
    observed = model.observed(node)
    low, high = np.quantile(observed, [0.25, 0.75]).tolist()
    if low == high:  # most rows have one value
        low, high = float(observed.min()), float(observed.max())
    return low, high


def checked_value(model: LearntModel, node: Node, value: Any) -> Value:
    """One that was observed, or lies between such."""
    name, levels = quote(model.names[node]), model.levels(node)
    if levels:
        if str(value) not in levels:
            raise OptionError(f"do: {name} has the levels {quoted(levels)}; found {quote(value)}")
        return str(value)
    try:
        number = float(value) if isinstance(value, str | Real) else np.nan
    except ValueError:
        number = np.nan
    if not np.isfinite(number):
        raise OptionError(f"do: a number for {name}, found {quote(value)}")
    observed = model.observed(node)
    low, high = float(observed.min()), float(observed.max())
    if not low <= number <= high:
        raise OptionError(
            f"do: {name} was observed from {low:.6g} to {high:.6g}, and nothing is known beyond; "
            f"found {number:g}"
        )
    return number


def curve_values(model: LearntModel, node: Node) -> list[Value]:
    """Over the observed range, more of them where the rows are; all, where they are few."""
    levels = model.levels(node)
    if levels:
        return list(levels)
    observed = model.observed(node)
    distinct = np.unique(observed)
    if len(distinct) <= N_EVEN + N_QUANTILES:
        return list(distinct.tolist())
    even = np.linspace(distinct[0], distinct[-1], N_EVEN)
    tails = (np.arange(N_QUANTILES) + 0.5) / N_QUANTILES
    return list(np.unique(np.concatenate([even, np.quantile(observed, tails)])).tolist())


def standardised(data: Dataset, node: Node, values: Sequence[Value]) -> Floats:
    """(V,): on the scale of one table; of levels, the very numbers that stand there."""
    levels = data.levels.get(data.names[node], ())
    if not levels:
        return data.from_measured(node, np.array(values, dtype=np.float64))
    codes = np.array([levels.index(str(value)) for value in values], dtype=np.float64)
    return data.to_standard(node, codes)

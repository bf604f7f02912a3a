"""What a user may set of `learn`, as plain words and numbers.

All of it can be written to a file and read back: a run is repeated from its settings.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from math import isfinite
from numbers import Integral, Real
from typing import Any, Final, Self, TypeAlias

from gpnet.common.errors import OptionError
from gpnet.common.messages import quote, suggestion
from gpnet.inference.tiers import Tiers
from gpnet.inference.tiers import read as read_tiers

NumberPair: TypeAlias = tuple[float, float]
Names: TypeAlias = list[str] | tuple[str, ...]  # of variables
AUTO: Final = "auto"
OFF: Final = "off"
LARGEST_WHOLE: Final = 2**63  # what TOML, and all that counts by them, can hold


@dataclass(frozen=True, kw_only=True)
class Settings:
    """The options of `learn` that its result depends on, beside the data."""

    score: str = "adaptive"  # a member of SCORES
    noise: str = AUTO  # a member of NOISES; each score has its own
    kernel: str = "additive"  # for gp and adaptive: a member of KERNELS
    evidence: str = "qmc"  # a member of EVIDENCE_METHODS: how the draws are scored in the end
    prior: str = "edges:3.8"  # a member of STRUCTURE_PRIORS or "learned"; its number after a colon
    sampler: str = AUTO  # a member of SAMPLERS
    space: str = AUTO  # a member of SEARCH_SPACES
    max_parents: int | None = None  # of a node; unless given 4, or more where these do not do
    prune: str | float = 10.0  # nats by which sets that are left out are worse; or "off"
    max_candidates: int = 10  # of a node, in a space that is searched for
    draws: int = 10_000
    chains: int = 4  # of a sampler by Markov chains
    thin: int | None = None  # steps between draws of a chain; its own number unless given
    refine: bool = True  # draw again where weights are poor; else the paper's Algorithm 1 as it is
    rounds: int = 5  # of drawing, at most
    bag: str | int = 100  # replicates of the table that the posterior is averaged over, or "off"
    doubt: str | float = AUTO  # about directions: "auto", "off" or a probability
    imputations: int = 5  # completed tables, where cells are missing and imputed
    seed: int = 0
    require: tuple[str, ...] = ()  # edges that must be: "A -> B"
    forbid: tuple[str, ...] = ()  # edges that must not be
    tiers: Tiers = ()  # names, or "A,B < C"; no edge leads into an earlier tier
    roots: Names = ()  # names; no edge leads into them
    exogenous_prior: bool = False  # whether the prior counts edges from exogenous columns
    lengthscale_prior: NumberPair = (2.0, 2.0)  # inverse gamma: shape, scale
    noise_prior: NumberPair = (1.0, 1.0)  # inverse gamma, of the standard deviation
    amplitude_prior: NumberPair = (1.0, 1.0)  # inverse gamma, for kernels that have one
    mean_prior: NumberPair = (0.0, 1.0)  # normal: mean, standard deviation
    linear_weight: float = 0.6  # for adaptive and parentwise: prior probability of a straight line
    slope_variance: float = 1.0  # for linear, adaptive and parentwise: prior variance of a slope
    weak_weight: float = 0.0  # for adaptive: prior probability of curves that are weak
    am: float = 1.0  # for bge: weight of the prior mean
    aw: float | None = None  # for bge; n + am + 1 unless given
    prior_mean: float = 0.0  # for bge, of every variable

    def __post_init__(self) -> None:
        for field in fields(self):
            value = _CHECKS[field.type](field.name, getattr(self, field.name))
            object.__setattr__(self, field.name, value)
            least = LEAST.get(field.name)
            if least is not None and value is not None and value < least:
                raise OptionError(f"{field.name}: {least} or more, found {value}")

    @classmethod
    def of(cls, options: Mapping[str, Any]) -> Self:
        """These options, the others at their defaults; an unknown one is refused by its name."""
        known = [field.name for field in fields(cls)]
        for name in options:
            if name not in known:
                raise OptionError(f"there is no option {quote(name)}: {suggestion(name, known)}")
        return cls(**options)

    def record(self) -> dict[str, Any]:
        """All of them as TOML and JSON hold it; what is None is left out."""
        return {name: _plain(value) for name, value in asdict(self).items() if value is not None}


LEAST: Final = {
    "max_parents": 0,
    "max_candidates": 1,
    "draws": 1,
    "chains": 1,
    "thin": 1,
    "rounds": 1,
    "imputations": 1,
    "seed": 0,
}


def _plain(value: Any) -> Any:
    return [_plain(one) for one in value] if isinstance(value, tuple) else value


# Checks: each takes the name of an option and what it was given, and returns the value itself.


def _text(name: str, value: Any) -> str:
    if not isinstance(value, str):
        raise OptionError(f"{name}: expected a word, found {quote(value)}")
    return value


def _flag(name: str, value: Any) -> bool:
    if not isinstance(value, bool):
        raise OptionError(f"{name}: expected true or false, found {quote(value)}")
    return value


def _whole(name: str, value: Any) -> int:
    if not isinstance(value, Integral) or isinstance(value, bool):
        raise OptionError(f"{name}: expected a whole number, found {quote(value)}")
    if abs(int(value)) >= LARGEST_WHOLE:
        raise OptionError(f"{name}: expected a whole number below 2^63, found {quote(value)}")
    return int(value)


def _number(name: str, value: Any) -> float:
    try:
        if isinstance(value, Real) and not isinstance(value, bool) and isfinite(value):
            return float(value)
    except OverflowError:  # a whole number that no float holds
        pass
    raise OptionError(f"{name}: expected a finite number, found {quote(value)}")


def _word_or_number(name: str, value: Any) -> str | float:
    """A number may be written as a text, as on the command line."""
    if not isinstance(value, str):
        return _number(name, value)
    try:
        return _number(name, float(value))
    except ValueError:
        return value


def _word_or_whole(name: str, value: Any) -> str | int:
    """A whole number may be written as a text, as on the command line."""
    if not isinstance(value, str):
        return _whole(name, value)
    try:
        return _whole(name, int(value))
    except ValueError:
        return value


def _pair(name: str, value: Any) -> NumberPair:
    if isinstance(value, str) or not isinstance(value, Sequence) or len(value) != 2:
        raise OptionError(f"{name}: expected two numbers, found {quote(value)}")
    return _number(name, value[0]), _number(name, value[1])


def _edges(name: str, value: Any) -> tuple[str, ...]:
    """Edges as texts, or as pairs of (parent, child)."""
    return tuple(_edge(name, one) for one in _list(name, value))


def _edge(name: str, value: Any) -> str:
    if isinstance(value, str):
        return value
    if not isinstance(value, Sequence) or len(value) != 2:
        raise OptionError(f"{name}: expected edges as in 'A -> B', found {quote(value)}")
    parent, child = ('"' + str(one).replace('"', '""') + '"' for one in value)
    return f"{parent} -> {child}"


def _names(name: str, value: Any) -> tuple[str, ...]:
    """One name, or several."""
    return tuple(
        _text(name, one) for one in ([value] if isinstance(value, str) else _list(name, value))
    )


def _tiers(name: str, value: Any) -> Tiers:
    """Names by tiers, or the same as a text."""
    if isinstance(value, str):
        return read_tiers(value)
    tiers = tuple(
        tuple(_text(name, one) for one in _list(name, tier)) for tier in _list(name, value)
    )
    if () in tiers:
        raise OptionError(f"{name}: tier {tiers.index(()) + 1} is empty; leave it out")
    return tiers


def _list(name: str, value: Any) -> list[Any]:
    if isinstance(value, str) or not isinstance(value, Iterable):
        raise OptionError(f"{name}: expected a list, found {quote(value)}")
    return list(value)


def _unless_none(check: Callable[[str, Any], Any]) -> Callable[[str, Any], Any]:
    return lambda name, value: None if value is None else check(name, value)


_CHECKS: Final[dict[Any, Callable[[str, Any], Any]]] = {
    str: _text,
    bool: _flag,
    int: _whole,
    int | None: _unless_none(_whole),
    float: _number,
    float | None: _unless_none(_number),
    str | float: _word_or_number,
    str | int: _word_or_whole,
    NumberPair: _pair,
    tuple[str, ...]: _edges,
    Names: _names,
    Tiers: _tiers,
}

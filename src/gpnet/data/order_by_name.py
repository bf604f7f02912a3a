"""An order of columns in time, as far as their names suggest one: a question to the user.

Ages and sexes need no place in it: `undriven` says of them that nothing drives them.
"""

import re
from collections.abc import Collection, Sequence
from typing import Final, TypeAlias

from gpnet.data.time_in_names import CALENDAR, times_in, words_of

Tiers: TypeAlias = tuple[tuple[str, ...], ...]  # names, the earliest tier first

ALL_OTHERS: Final = "*"  # in a tier: all variables that no tier names
_SCHOOLING: Final = r"(education|educ|edu|schooling)( (year|level))?"
PARENTS_SCHOOLING: Final = re.compile(
    rf"((mother|father|parent|mom|dad)s?|maternal|paternal|parental)( s)? ?{_SCHOOLING}"
    rf"|(m|f|mo|fa|moth|fath|par)(education|educ|edu)|{_SCHOOLING} (of )?(mother|father|parents)"
)
OWN_SCHOOLING: Final = re.compile(rf"{_SCHOOLING}|year of (education|schooling)")
PAY: Final = re.compile(r"(l|log)? ?(hourly|weekly|monthly|annual)? ?(wages?|salary|earnings)")
_ENDPOINT: Final = r"(os|dfs|pfs|rfs|overall survival|relapse free survival)"
EVENT: Final = re.compile(  # that happens or does not
    r"((is|has|vital|survival|patient) )?(death|died|dead|deceased|alive|survived|survival|status"
    r"|event|cens|censor(s|ed|ing)?|relapsed?|mortality|outcome)( (status|event|flag|indicator))?"
    rf"|{_ENDPOINT} (status|event)"
)
OUTCOME: Final = re.compile(  # that is measured
    rf"(survival|{_ENDPOINT})( (time|day|week|month|year))?|time to (death|event|relapse)"
    r"|outcome( score)?"
)
FOLLOW_UP: Final = re.compile(r"(followup |fu)?(time|day)")  # until an event, if there is one


def suggested_tiers(
    names: Sequence[str], undriven: Collection[str] = (), events: Collection[str] = ()
) -> Tiers:
    """From first to last, none where the names suggest no order; names in no tier stay free.

    `undriven` are exogenous or roots: times have a place for them too, as what is measured later
    drives nothing earlier. `events` are to be modelled, and are called so (`is_event`).
    """
    times = _times(names, undriven)
    left = [name for name in names if name not in undriven and name not in times]
    moments = sorted(set(times.values()))
    tiers = [[name for name in names if times.get(name) == moment] for moment in moments]
    if not tiers and (first := _called(PARENTS_SCHOOLING, left)):
        tiers = [first, _called(OWN_SCHOOLING, left), _called(PAY, left)]
    last = [name for name in left if name in events or _is_outcome(name, events)]
    tiers = [tier for tier in [*tiers, last] if tier]
    if len(tiers) == 1 and last and len(last) < len(left) and ALL_OTHERS not in names:
        tiers = [[ALL_OTHERS], last]
    # To name those first that nothing drives anyway would rule nothing out.
    some_driven = any(name not in undriven for tier in tiers[:-1] for name in tier)
    return tuple(map(tuple, tiers)) if some_driven else ()


def is_event(name: str) -> bool:
    """Whether a column of two values is called like an outcome: a death, or censored."""
    return EVENT.fullmatch(words_of(name)) is not None


def _is_outcome(name: str, events: Collection[str]) -> bool:
    measured = [OUTCOME, FOLLOW_UP] if events else [OUTCOME]
    return any(pattern.fullmatch(words_of(name)) for pattern in measured)


def _called(pattern: re.Pattern[str], names: Sequence[str]) -> list[str]:
    return [name for name in names if pattern.fullmatch(words_of(name))]


def _times(names: Sequence[str], undriven: Collection[str]) -> dict[str, float]:
    """By the clock of most modelled columns; those of others cannot be compared with it."""
    clocks = times_in(names)
    if not clocks:
        return {}
    told = {clock: sum(name not in undriven for name in clocks[clock]) for clock in sorted(clocks)}
    best = max(told, key=told.__getitem__)
    early = [name for name in names if "baseline" in words_of(name).split() and best != CALENDAR]
    return dict.fromkeys(early, min(clocks[best].values())) | clocks[best]

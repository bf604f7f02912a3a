"""An order of columns in time, as far as names tell one: a question to the user, no knowledge.

Ages and sexes need no place in it: `undriven` says of them that nothing drives them at all.
"""

import re
from collections.abc import Collection, Sequence
from typing import Final, TypeAlias

from gpnet.data.time_in_names import BASELINE, CALENDAR, Family, baseline_stem, families, words_of

Tiers: TypeAlias = tuple[tuple[str, ...], ...]  # names, the earliest tier first

ALL_OTHERS: Final = "*"  # in a tier: all variables that no tier names
MOST_EVENTS: Final = 3  # values of an outcome such as status: censored, relapsed, dead
_SCHOOLING: Final = r"(education|educ|edu|schooling|school|ed)( (years|yrs|level|degree))?"
PARENTS_SCHOOLING: Final = re.compile(
    rf"((mother|father|parent|mom|mum|dad)s?|maternal|paternal|parental)( s)? ?{_SCHOOLING}"
    r"|(m|f|mo|fa|moth|fath|par)(education|educ|edu)|(moth|fath)ed"
    rf"|{_SCHOOLING} (of )?(the )?(mother|father|parents?)"
)
FIRST: Final = re.compile(
    r"race|ethnicity|ethnic group|birth ?(year|date|month|order|place|cohort)|birthplace|cohort"
    r"|(year|date|place|country) of birth|yob|dob"
)
OWN_SCHOOLING: Final = re.compile(
    r"(education|educ|edu|schooling)( (years|yrs|level))?"
    r"|(years|yrs) ?(of )?(education|educ|schooling|school)"
)
PAY: Final = re.compile(
    r"(l|ln|log)? ?(hourly|weekly|monthly|annual|real)? ?(wages?|salary|earnings)( rate)?"
)
OUTCOME: Final = re.compile(  # that is measured, and so modelled
    r"((overall|relapse free|disease free|progression free) )?survival( (time|days|months|years))?"
    r"|(primary )?outcome( score)?|mortality( rate)?|time to (death|event|relapse|failure)"
    r"|(death|relapse) (rate|time)"
)
EVENT: Final = re.compile(  # that happens or not
    r"((is|has|had|patient|loan|in hospital|hospital|vital|survival|death) )?"
    r"(death|died|dead|deceased|alive|status|event|cens|censor(ed|s|ing)?|relapsed?|default(ed)?"
    r"|survived|survival|outcome|mortality|readmitted|readmission|rearrested|recidivism"
    r"|churn(ed)?)( (status|event|flag|indicator|yn|\d+( (d|days?))?))?|default payment.*"
)


def suggested_tiers(
    names: Sequence[str], undriven: Collection[str] = (), discrete: Collection[str] = ()
) -> Tiers:
    """From first to last; none where the names tell no order. Names in no tier stay free.

    Nothing drives those that are `undriven`, as they are exogenous or roots: they have a place
    among times alone, as what is measured later drives nothing earlier. Of the others, those in
    `discrete` have few values.
    """
    modelled = [name for name in names if name not in undriven]
    times = _times(names, set(modelled))
    left = [name for name in modelled if name not in times]
    first = _called(left, PARENTS_SCHOOLING)
    tiers = [first + _called(left, FIRST)]
    if times:
        moments = sorted(set(times.values()))
        tiers += [[name for name in names if times.get(name) == moment] for moment in moments]
    elif first:
        tiers += [_called(left, OWN_SCHOOLING), _called(left, PAY)]
    tiers = [tier for tier in tiers if tier]
    last = [name for name in left if is_outcome(name, happens=name in discrete)]
    if last and len(tiers) < 2:  # of what is before an outcome nothing more is told
        tiers = [[ALL_OTHERS]] if len(last) < len(modelled) and ALL_OTHERS not in names else []
    tiers += [last] if last and tiers else []
    may_be_driven = {*modelled, ALL_OTHERS}
    says_something = any(name in may_be_driven for tier in tiers[:-1] for name in tier)
    return tuple(map(tuple, tiers)) if says_something else ()


def is_outcome(name: str, *, happens: bool) -> bool:
    """Whether a column is called like one: that happens or not, or that is measured."""
    words = words_of(name)
    return bool(OUTCOME.fullmatch(words) or (happens and EVENT.fullmatch(words)))


def _called(names: Sequence[str], pattern: re.Pattern[str]) -> list[str]:
    return [name for name in names if pattern.fullmatch(words_of(name))]


def _times(names: Sequence[str], modelled: Collection[str]) -> dict[str, float]:
    """By the clock that most modelled columns go by; others cannot be compared with it."""
    clocks: dict[str, list[Family]] = {}
    for family in families(names):
        # Without a stem, columns of few values are parts of a date: month_1, month_2.
        if family.stem or all(name in modelled for name in family.times):
            clocks.setdefault(family.clock, []).append(family)
    by_clock = {
        clock: {name: time for family in of_clock for name, time in family.times.items()}
        for clock, of_clock in clocks.items()
    }
    if not by_clock:
        return {}
    best = max(by_clock, key=lambda clock: sum(name in modelled for name in by_clock[clock]))
    times = by_clock[best]
    if best != CALENDAR:
        early = [name for name in names if "baseline" in words_of(name).split()]
        times |= {name: BASELINE for name in early if name not in times and baseline_stem(name)}
    return {name: max(time, 0.0) for name, time in times.items()}

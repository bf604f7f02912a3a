"""Times that names of columns tell: sp90 and sp94, bp_week0 and bp_week12, pretest and posttest.

A name tells nothing by itself: only a family does, of one stem and different times. A number alone
is no time, as in x1 to x10, cd4 and cd8 or p38. In doubt nothing is said.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import inf
from typing import Final

CAMEL: Final = re.compile(r"(?<=[a-z])(?=[A-Z])")
WORD: Final = re.compile(r"[^\W\d_]+|\d+")
BASELINE: Final = -1.0  # the time of what is called so: with time 0, and before all others

# Two clocks: an initial weight need not come before a score after treatment.
PHASES: Final = {
    "treatment": (("pre", "before", "baseline"), ("post", "after", "followup")),
    "course": (("initial", "start"), ("final", "end")),
}
BEFORE_TREATMENT: Final = ("baseline", "bl", "pre", "before")
# By unit: the latest first time of a family that is believed. In front of a number, words are times
# wherever a family begins; letters are not, as in vitamin_d2 or free_t4.
UNIT_NUMBER: Final = {
    **dict.fromkeys(("wave", "visit", "session", "round", "followup", "fu"), inf),
    **dict.fromkeys(("time", "timepoint", "year", "yr", "month", "mth", "mo"), inf),
    **dict.fromkeys(("week", "wk", "day", "hour", "hr"), inf),
    **dict.fromkeys(("t", "w"), 1.0),
    **dict.fromkeys(("d", "h", "y"), 0.0),
    "m": BASELINE,
}
# Behind a number, they may be windows, as in rain_7_days; metres too, as in wind_10m.
NUMBER_UNIT: Final = {
    **dict.fromkeys(("years", "year", "yrs", "yr", "months", "month", "mths", "mth", "mo"), 0.0),
    **dict.fromkeys(("weeks", "week", "wks", "wk", "days", "day", "hours", "hour", "hr"), 0.0),
    **dict.fromkeys(("w", "d", "h", "y"), 0.0),
    "m": BASELINE,
}
SAME_UNIT: Final = {
    **dict.fromkeys(("years", "yrs", "yr", "y"), "year"),
    **dict.fromkeys(("months", "mths", "mth", "mo", "m"), "month"),
    **dict.fromkeys(("weeks", "wks", "wk"), "week"),  # w is a week or a wave
    **dict.fromkeys(("days", "d"), "day"),
    **dict.fromkeys(("hours", "hr", "h"), "hour"),
    **dict.fromkeys(("time", "timepoint"), "t"),
    "fu": "followup",
}
# These need no stem: week0 and week4 are times, t3 and t4 hormones.
WITHOUT_STEM: Final = ("wave", "visit", "session", "week", "month", "day", "year", "followup")
CALENDAR, SINCE_ZERO = "calendar", "since zero"  # clocks of numbers without a unit
NUMBERED: Final = re.compile(r"(.*[^\W\d_]) (\d+)")
# Before a number that is a percentile, a dose, a wavelength, a marker, a limit of age, ...
NO_TIME: Final = re.compile(
    r"ag(e|es|ed)|over|under|upper|lower|level|top|angle|temp|dose|deg|lag|size|line|zip|zone|grade"
    r"|p|pct|perc|percentile|prob|q|quantile|ci|conf|ic|ec|ld|d|freq|hz|nm|ron|octane|spf|pm|bin"
    r"|cd|hsp|il|ki|gene|kiaa|mir|linc|loc|class|cluster|component|pc|factor|feature|group|id|item"
    r"|question|model|version"
)
NAMED_BY_NUMBERS: Final = ("cd 4", "cd 8")  # cells, of which cd40 and cd420 are counts in time
RIGHT_ANGLES: Final = 45  # degrees: numbers of which all are multiples may be angles


@dataclass(frozen=True)
class Family:
    """Columns of one stem whose names differ by a time."""

    clock: str  # what the time is counted in; times of different clocks cannot be compared
    stem: str
    times: Mapping[str, float]  # by column


@dataclass(frozen=True)
class _Reading:
    """What a name tells, if it is read so."""

    clock: str
    stem: str
    name: str
    time: float
    latest_start: float = inf  # a family that begins later is not believed


def families(names: Sequence[str]) -> list[Family]:
    """All families, those first whose names leave the least doubt."""
    readings = [*_units(names), *_phases(names), *_years(names), *_since_zero(names)]
    alike: dict[tuple[str, str], list[_Reading]] = {}
    for reading in readings:
        alike.setdefault((reading.clock, reading.stem), []).append(reading)
    return [
        Family(clock, stem, {one.name: one.time for one in members})
        for (clock, stem), members in alike.items()
        if len({one.time for one in members}) > 1
        and min(one.time for one in members) <= min(one.latest_start for one in members)
    ]


def words_of(name: str) -> str:
    """In small letters with spaces between words and numbers: "bp week 4" of bpWeek4."""
    apart = " ".join(WORD.findall(CAMEL.sub(" ", name))).lower()
    return apart.replace("follow up", "followup")


def baseline_stem(name: str) -> str | None:
    """What was measured, if the name says that it was at baseline."""
    words = words_of(name)
    for mark in BEFORE_TREATMENT:
        if words.startswith(f"{mark} "):
            return words.removeprefix(f"{mark} ")
        if words.endswith(f" {mark}"):
            return words.removesuffix(f" {mark}")
    return None


# Units, and words for before and after


def _units(names: Sequence[str]) -> Iterator[_Reading]:
    """week4_bp, bp_t1; bp_4weeks where there is bp_baseline or bp_0weeks."""
    found = [reading for name in names for reading in _with_unit(name)]
    yield from found
    clocks: dict[str, set[str]] = {}
    for one in found:
        clocks.setdefault(one.stem, set()).add(one.clock)
    for name in names:
        stem = baseline_stem(name)
        if stem is not None:
            yield from (_Reading(clock, stem, name, BASELINE) for clock in clocks.get(stem, ()))


def _with_unit(name: str) -> Iterator[_Reading]:
    words = words_of(name).split()
    for i, (first, second) in enumerate(pairwise(words)):
        stem = " ".join([*words[:i], *words[i + 2 :]])
        for unit, number, known in ((first, second, UNIT_NUMBER), (second, first, NUMBER_UNIT)):
            is_time = unit in known and number.isdecimal() and len(number) <= 3
            if is_time and (stem or unit in WITHOUT_STEM):
                clock = SAME_UNIT.get(unit, unit)
                yield _Reading(clock, stem, name, float(number), known[unit])


def _phases(names: Sequence[str]) -> Iterator[_Reading]:
    """pretest and posttest; and baseline_score and score."""
    by_words = {words_of(name): name for name in names}
    for words, name in by_words.items():
        for clock, phases in PHASES.items():
            for time, marks in enumerate(phases):
                for mark in marks:
                    for stem in (words.removeprefix(mark), words.removesuffix(mark)):
                        if stem != words:
                            yield _Reading(clock, stem.strip(), name, float(time))
        later = baseline_stem(name) if {"baseline", "bl"} & set(words.split()) else None
        if later is not None and later in by_words:
            yield _Reading("treatment", later, name, 0.0)
            yield _Reading("treatment", later, by_words[later], 1.0)


# Numbers without a unit


def _years(names: Sequence[str]) -> Iterator[_Reading]:
    """gdp_1990 and gdp_2000, sp90 and sp94."""
    numbered: dict[str, dict[str, str]] = {}
    for name in names:
        if match := NUMBERED.fullmatch(words_of(name)):
            numbered.setdefault(match[1], {})[match[2]] = name
    known = {stem: found for stem, found in numbered.items() if _are_years(stem, list(found))}
    for stem, found in known.items():
        others = [other for one, other in known.items() if one != stem]
        # One that is all of small letters, or another with the same years: HSP70 and HSP90 are none
        plain = all(name == name.lower() or _set_apart(name, n) for n, name in found.items())
        if plain or any(len(other.keys() & found) > 1 for other in others):
            for number, name in found.items():
                yield _Reading(CALENDAR, stem, name, _year(int(number)))


def _set_apart(name: str, number: str) -> bool:
    return not name.removesuffix(number)[-1:].isalpha()


def _are_years(stem: str, numbers: Sequence[str]) -> bool:
    """Whether all numbers after a stem can be years: of four digits, or of two and some from 60."""
    last_word = stem.split()[-1]
    lengths, values = {len(number) for number in numbers}, [int(number) for number in numbers]
    if len(numbers) < 2 or NO_TIME.fullmatch(last_word):
        return False
    if lengths == {4}:
        return all(1900 <= value < 2100 for value in values)
    after_2000 = [value for value in values if value < 30]
    return (
        lengths == {2}
        and len(last_word) > 1
        and any(value >= 60 for value in values)
        and all(value >= 60 or value < 30 for value in values)
        and (not after_2000 or min(after_2000) < 10)  # 10 and 90 are percentiles
    )


def _year(number: int) -> float:
    return float(number + (1900 if 60 <= number < 100 else 2000 if number < 60 else 0))


def _since_zero(names: Sequence[str]) -> Iterator[_Reading]:
    """cd40 and cd420, the cells cd4 at week 0 and 20; glucose0 and glucose120, where insulin too.

    A stem may end in a digit, so that all are tried; the shortest first, and each name once.
    """
    stems: dict[str, dict[int, str]] = {}
    for name in _without_numberings(names):
        for k in (1, 2, 3):
            stem, number = name[:-k], name[-k:]
            if re.fullmatch(r"0|[1-9]\d{1,2}", number, re.ASCII) and re.search(
                r"[^\W\d_]{2}", stem
            ):
                stems.setdefault(stem, {})[int(number)] = name
    begun = {stem: found for stem, found in stems.items() if _from_zero(stem, set(found))}
    taken = set[str]()
    for stem in sorted(begun, key=len):
        found = begun[stem]
        others = [other for one, other in begun.items() if one != stem]
        shared = any(len(other.keys() & found) > 1 for other in others)
        if (shared or words_of(stem) in NAMED_BY_NUMBERS) and taken.isdisjoint(found.values()):
            taken |= set(found.values())
            for time, name in found.items():
                yield _Reading(SINCE_ZERO, stem, name, float(time))


def _from_zero(stem: str, numbers: set[int]) -> bool:
    if 0 not in numbers or NO_TIME.fullmatch(words_of(stem).split()[-1]):
        return False
    return any(number % RIGHT_ANGLES for number in numbers)  # false for 0 alone, too


def _without_numberings(names: Sequence[str]) -> list[str]:
    """Those whose numbers do not follow one on another after the same letters."""
    numbers: dict[str, set[int]] = {}
    split = [(name, name.rstrip("0123456789")) for name in names]
    for name, letters in split:
        if name != letters and len(name) - len(letters) <= 5:
            numbers.setdefault(letters, set()).add(int(name[len(letters) :]))
    return [
        name
        for name, letters in split
        if letters in numbers and not any(n + 1 in numbers[letters] for n in numbers[letters])
    ]

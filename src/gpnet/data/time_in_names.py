"""Times in the names of columns: sp90 and sp94, bp_week0 and bp_week12, pretest and posttest.

One name tells nothing, as x1, cd8 and p38 hold numbers too: it takes columns that share all but the
time. In doubt nothing is said.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import inf
from typing import Final

CAMEL: Final = re.compile(r"(?<=[a-z])(?=[A-Z])")
WORD: Final = re.compile(r"[^\W\d_]+|\d+")
_SPELLINGS: Final = {
    "year": "years yrs yr",
    "month": "months mths mth mo",
    "week": "weeks wks wk",
    "day": "days",
    "hour": "hours hrs hr",
    "followup": "fu fup",
    "baseline": "bl",
}
SAME_WORD: Final = {one: word for word, ones in _SPELLINGS.items() for one in ones.split()}
UNITS: Final = frozenset(
    {"year", "month", "week", "day", "hour", "timepoint"}
    | {"visit", "wave", "session", "round", "followup"}
)
LETTERS: Final = {"t": "timepoint", "w": "week", "d": "day", "h": "hour", "y": "year", "m": "month"}
BASELINE: Final = -1.0  # the same time as 0, but surely no number of anything else
BEFORE: Final = ("baseline", "pre", "before")
AFTER: Final = ("followup", "post", "after")
NO_PHASES: Final = re.compile("central|menopaus|term")  # precentral is a part of the brain
CALENDAR, TREATMENT, CELL_COUNTS = "calendar", "treatment", "cell counts"  # clocks without a unit
FIRST_YEAR: Final = 60  # of two digits, which are ages, percentiles and doses as well
# In front of a number that is a percentile, a dose, a limit, a gene, a protein or a position.
NO_YEARS: Final = re.compile(
    r".|ag(e|es|ed)|over|under|upper|lower|top|temp|dose|deg|angle|lag|size|line|zone|id|item|pc"
    r"|pct|perc|percentile|prob|quantile|ci|conf|ic|ec|ed|gi|ld|freq|hz|nm|pm|ron|octane|spf"
    r"|cd|hsp|grp|gp|il|ki|cg|gene|kiaa|mir|linc|loc|ser|thr|tyr|lys"
)
# cd40 and cd420 are counts of CD4 cells at times 0 and 20; CD40 and CD44 are markers.
CELLS: Final = re.compile(r"(.*\bcd [48])(0|[1-9]\d{1,2})")


@dataclass(frozen=True)
class _Reading:
    """What a name tells, if others of the same clock and stem confirm it."""

    clock: str  # times of different clocks cannot be compared
    stem: str
    name: str
    time: float
    latest_start: float = inf  # one of the others must be as early


def times_in(names: Sequence[str]) -> dict[str, dict[str, float]]:
    """By clock: the columns with a time, which is 0 at baseline."""
    alike: dict[tuple[str, str], list[_Reading]] = {}
    for one in [*_units(names), *_phases(names), *_years(names), *_cell_counts(names)]:
        alike.setdefault((one.clock, one.stem), []).append(one)
    clocks: dict[str, dict[str, float]] = {}
    for (clock, _), readings in alike.items():
        times = {one.name: max(one.time, 0.0) for one in readings}
        start = min(one.time for one in readings)
        if len({*times.values()}) > 1 and start <= min(one.latest_start for one in readings):
            clocks.setdefault(clock, {}).update(times)
    return clocks


def words_of(name: str) -> str:
    """In small letters, spaces between words and numbers: "bp week 4" of bpWk4."""
    words = " ".join(WORD.findall(CAMEL.sub(" ", name))).lower().replace("follow up", "followup")
    return " ".join(SAME_WORD.get(word, word) for word in words.split())


def _units(names: Sequence[str]) -> Iterator[_Reading]:
    """week4_bp and week12_bp; bp_t1 and bp_6months where there is bp_t0 or bp_baseline."""
    found = [reading for name in names for reading in _with_unit(name)]
    yield from found
    clocks: dict[str, set[str]] = {}
    for one in found:
        clocks.setdefault(one.stem, set()).add(one.clock)
    for name in names:
        for stem in {_without(mark, words_of(name)) for mark in BEFORE} - {words_of(name)}:
            yield from (_Reading(clock, stem, name, BASELINE) for clock in clocks.get(stem, ()))


def _without(mark: str, words: str) -> str:
    """What is left when a word is taken off the beginning or the end."""
    return words.removeprefix(f"{mark} ").removesuffix(f" {mark}")


def _with_unit(name: str) -> Iterator[_Reading]:
    words = words_of(name).split()
    for i, (first, second) in enumerate(pairwise(words)):
        stem = " ".join([*words[:i], *words[i + 2 :]])
        for unit, number, start in ((first, second, inf), (second, first, 0.0)):  # rain_7_days
            clock = LETTERS.get(unit, unit)
            is_time = clock in UNITS and number.isdecimal() and len(number) <= 3
            if is_time and (stem or unit in UNITS):
                if unit in LETTERS:  # vitamin_d2; and m0 may be metres, or macrophages
                    start = BASELINE if unit == "m" else 0.0
                yield _Reading(clock, stem, name, float(number), start)


def _phases(names: Sequence[str]) -> Iterator[_Reading]:
    """pretest and posttest, pain_before and pain_after; baseline_score and score."""
    by_words = {words_of(name): name for name in names}
    for words, name in by_words.items():
        for mark in BEFORE + AFTER:
            for rest in (words.removeprefix(mark), words.removesuffix(mark)):
                if rest != words and not NO_PHASES.match(rest):
                    yield _Reading(TREATMENT, rest.strip(), name, float(mark in AFTER))
        later = _without("baseline", words)
        if later != words and later in by_words:
            yield _Reading(TREATMENT, later, name, 0.0)
            yield _Reading(TREATMENT, later, by_words[later], 1.0)


def _years(names: Sequence[str]) -> Iterator[_Reading]:
    """gdp_1990 and gdp_2000, sp90 and sp94."""
    numbered: dict[str, dict[str, str]] = {}
    for name in names:
        stem, _, number = words_of(name).rpartition(" ")
        if number.isdecimal() and stem[-1:].isalpha():
            numbered.setdefault(stem, {})[name] = number
    believed = {stem: found for stem, found in numbered.items() if _are_years(stem, found)}
    # Among many names that end in other numbers, two that look like years do so by chance.
    if 2 * sum(map(len, believed.values())) > sum(map(len, numbered.values())):
        for stem, found in believed.items():
            for name, number in found.items():
                year = int(number) + (1900 if len(number) == 2 else 0)
                yield _Reading(CALENDAR, stem, name, float(year))


def _are_years(stem: str, found: Mapping[str, str]) -> bool:
    """Whether all numbers after a stem can be: of four digits or, after small letters, of two."""
    if len(found) < 2 or NO_YEARS.fullmatch(stem.split(" ")[-1]):
        return False
    if all(len(number) == 4 for number in found.values()):
        return all(1900 <= int(number) < 2100 for number in found.values())
    return all(
        len(number) == 2
        and int(number) >= FIRST_YEAR
        and (name.islower() or not name.removesuffix(number)[-1:].isalpha())
        for name, number in found.items()
    )


def _cell_counts(names: Sequence[str]) -> Iterator[_Reading]:
    for name in names:
        if match := CELLS.fullmatch(words_of(name)):
            yield _Reading(CELL_COUNTS, match[1], name, float(match[2]), 0.0)

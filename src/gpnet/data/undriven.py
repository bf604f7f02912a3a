"""Columns that nothing in a table can drive, known by their names: ages, sexes, parts of dates.

A person of a higher blood pressure is not older for it. Data alone may say so all the same, as two
directions of a line are alike; so that an arrow into such a column is a mistake that a name shows.
"""

import re
from typing import Final

import numpy as np

from gpnet.common.messages import leave_out, quote
from gpnet.common.types import Floats
from gpnet.data.checks import is_index
from gpnet.data.issues import Column, Issue

CALENDAR_NAME: Final = re.compile(
    r"((the|model|birth|calendar|survey)_?)?(year|yr|quarter|month|week|weekday|day|hour)(_?of_?(the_?)?(year|month|week|day))?",
    flags=re.IGNORECASE,
)
WORD: Final = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")  # of a name, as in patientAge
# Of whom; after other words it may be driven: gestational, bone or brain age.
WHOSE: Final = (
    r"((animal|baseline|child|client|current|customer|donor|driver|employee|fathers?|host|husbands?"
    r"|maternal|mothers?|my|parent|participant|paternal|patient|person|pupil|respondent|student"
    r"|subject|wifes?|worker)( s)? )?"
)
AGE: Final = re.compile(
    WHOSE + r"age( in)?( (years?|yrs?|y|(?P<months>months?|mo)|(?P<weeks>weeks?|wks?)"
    r"|(?P<days>days?|d)|scaled|standardi[sz]ed|std|z|cent(er|re)d))?"
)
IN_A_YEAR: Final = {"months": 12, "weeks": 53, "days": 366}
SEX: Final = re.compile(rf"(is )?{WHOSE}(sex|gender|male|female)")
OLDEST: Final = 130.0  # years
CENTRED: Final = 0.5  # standard deviations that the mean of a standardised column is off 0, at most
CODES: Final = ("calendar", "innate")


def undriven(column: Column) -> Issue | None:
    """That nothing in the table can drive this column, if its name and values say so."""
    return calendar(column) or age(column) or sex(column)


def calendar(column: Column) -> Issue | None:
    """A year, month or day."""
    numbers = column.numbers[np.isfinite(column.numbers)]
    whole_numbers = numbers.size > 0 and not np.any(numbers % 1)
    if not CALENDAR_NAME.fullmatch(column.name) or not whole_numbers or is_index(column):
        return None
    remedy = f"say so (exogenous= or --exogenous), or {leave_out(column.name)}"
    return _told(column, "calendar", "part of a date", remedy)


def age(column: Column) -> Issue | None:
    """Of a person or an animal, in years or standardised."""
    found = AGE.fullmatch(_words(column.name))
    if not found:
        return None
    unit = next((n for name, n in IN_A_YEAR.items() if found[name]), 1)
    if not _may_be_ages(column.numbers, OLDEST * unit):
        return None
    return _told(column, "innate", "an age", _say_so(column.name))


def sex(column: Column) -> Issue | None:
    """A sex that is modelled all the same."""
    return _told(column, "innate", "a sex", _say_so(column.name)) if is_sex(column.name) else None


def is_sex(name: str) -> bool:
    """Whether a column is called so."""
    return SEX.fullmatch(_words(name)) is not None


def _words(name: str) -> str:
    """In small letters with spaces between, whether signs or capitals set them apart."""
    return " ".join(word.lower() for word in WORD.findall(name))


def _may_be_ages(numbers: Floats, oldest: float) -> bool:
    """From 0 to the oldest; or around 0, as where a mean was taken off."""
    known = numbers[np.isfinite(numbers)]
    if not known.size:
        return False
    if known.min() >= 0:
        return bool(known.max() <= oldest)
    return bool(abs(known.mean()) <= CENTRED * known.std())


def _told(column: Column, code: str, what: str, remedy: str) -> Issue:
    problem = (
        f"column {quote(column.name)} looks like {what}, which nothing in the table can drive; "
        "unless that is said, arrows may lead into it"
    )
    return Issue("warning", code, (column.name,), (), problem, remedy)


def _say_so(name: str) -> str:
    return (
        "say so when you learn (roots= or --roots; or exogenous= or --exogenous), or "
        f"{leave_out(name)}"
    )

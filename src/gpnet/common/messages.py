"""The words of messages: names in quotes, listings, counts, suggestions."""

import csv
from collections.abc import Iterable, Sequence
from difflib import get_close_matches
from io import StringIO

SHOWN = 5  # rows or names told before "and ... more"
JOINING = "\u00a0\u200d"  # a space that does not break, and what joins emoji: no harm in them


# Words


def listing(items: Iterable[object]) -> str:
    """'a', 'a and b', 'a, b and c', 'a, b, c, d, e and 12 more'."""
    known = list(items)
    shown = known if len(known) <= SHOWN + 1 else [*known[:SHOWN], f"{len(known) - SHOWN} more"]
    words = [str(item) for item in shown]
    return " and ".join(part for part in (", ".join(words[:-1]), *words[-1:]) if part)


def quote(text: object, *, longest: int = 60) -> str:
    """The text in quotes and on one line, whatever it holds."""
    plain = str(text)
    return repr(plain if len(plain) <= longest else plain[: longest - 3] + "...")


def printable(text: object) -> str:
    """The text on one line, with what a terminal would obey written out as \\x1b and the like."""
    return "".join(c if c.isprintable() or c in JOINING else repr(c)[1:-1] for c in str(text))


def quoted(names: Iterable[object]) -> str:
    """A listing of names."""
    return listing(quote(name) for name in names)


def count(n: int, thing: str) -> str:
    """'1 row', '2,000 rows'."""
    return f"{n} {thing}" if n == 1 else f"{n:,} {thing}s"


def with_stop(text: str) -> str:
    """The text with one full stop at its end."""
    return f"{text.removesuffix('.')}."


def joined_names(names: Sequence[str]) -> str:
    """As an option takes them: A,B with quotes around a name that has a comma in it."""
    line = StringIO()
    csv.writer(line, lineterminator="").writerow(names)
    return line.getvalue()


def one_of(choices: Iterable[str]) -> str:
    """What an option may be."""
    return "one of " + ", ".join(map(repr, choices))


def meant(word: object, choices: Iterable[str]) -> str:
    """ "; did you mean 'gp'?" where a choice is written in other letters, or nearly so."""
    known = {choice.lower(): choice for choice in choices}
    close = get_close_matches(str(word).lower(), known, n=1, cutoff=0.7)
    return f"; did you mean {quote(known[close[0]])}?" if close else ""


def leave_out(name: str) -> str:
    """How to leave a column out, in Python and in the shell."""
    return f"leave {quote(name)} out (drop= or --drop)"


def suggestion(name: object, known: Sequence[str]) -> str:
    """What an unknown name may have meant: the close ones, or else all."""
    close = get_close_matches(str(name), known)
    return f"did you mean {quoted(close)}?" if close else f"there is {quoted(known)}"

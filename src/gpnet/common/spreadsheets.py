"""Names in CSV files as spreadsheets take them: some would be read as formulas, and run."""

import re
from typing import Final

# Where a cell begins, or may begin to who separates by another sign: before what makes a formula,
# or is skipped on the way to one. Apostrophes in front of it count, so that two names stay two.
FORMULA: Final = re.compile(r"""(?:^|(?<=[\t\r\n;,|"]))(?='*[=+\-@\t\r＝＋－＠])""")


def inert(name: str) -> str:
    """The name with an apostrophe before all that a spreadsheet would take for a formula.

    >>> inert("=HYPERLINK(A1)"), inert("Erk"), inert("a;=b"), inert("a-b")
    ("'=HYPERLINK(A1)", 'Erk', "a;'=b", 'a-b')
    """
    return FORMULA.sub("'", name)

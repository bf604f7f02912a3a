"""What a whole run holds of each cell of a long table."""

import numpy as np

import gpnet
from tests.data.peak import peak_megabytes

N_COLUMNS = 5
# The table as given and as read, in its units and standardised, and while one of these is made of
# another: six copies of eight bytes. A run that kept what it computes of each row, such as 24
# coordinates of every column, would hold 200 bytes of a cell and more.
MOST_BYTES = 64


def table(n_rows):
    """Curves and lines, each column of the one before it."""
    values = np.random.default_rng(1).standard_normal((n_rows, N_COLUMNS))
    for j in range(1, N_COLUMNS):
        z = values[:, j - 1]
        values[:, j] += np.sin(2 * z) if j % 2 else 0.7 * z
    return values


def peak(n_rows):
    values = table(n_rows)
    options = {"max_parents": 1, "draws": 100, "workers": 1, "curves": False}
    return peak_megabytes(lambda: gpnet.learn(values, **options))


def test_a_run_holds_few_bytes_of_each_cell():
    """What Python holds, as it grows with the rows; beyond those that bases keep."""
    few, many = 80_000, 160_000
    peak(1_000)  # modules are imported
    grown = 1e6 * (peak(many) - peak(few)) / ((many - few) * N_COLUMNS)
    assert grown < MOST_BYTES, f"{grown:.0f} bytes of each cell"

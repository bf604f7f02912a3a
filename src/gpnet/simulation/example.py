"""A small table to try gpnet on: simulated, with the look of a table of proteins in cells."""

from pathlib import Path
from typing import Final

import numpy as np
import pandas as pd

from gpnet.common.errors import OptionError
from gpnet.simulation.networks import simulate

NAMES: Final = ("Raf", "Mek", "Erk", "Akt", "PKA", "PKC", "P38", "Jnk")
EDGES: Final = (
    ("PKC", "Raf"),
    ("PKA", "Raf"),
    ("Raf", "Mek"),
    ("Mek", "Erk"),
    ("Erk", "Akt"),
    ("PKA", "Akt"),
    ("PKC", "P38"),
    ("PKC", "Jnk"),
)
ROWS: Final = 300
SEED: Final = 3
MEDIAN, SPREAD = 6.0, 1.2  # of the logarithms to base 2


def example_table() -> pd.DataFrame:
    """Cells x proteins: always the same, positive and skewed as amounts are, simulated.

    Curves are between logarithms, so that `transform="log2"` is right for it.
    """
    dag = np.zeros((len(NAMES), len(NAMES)), dtype=bool)
    for parent, child in EDGES:
        dag[NAMES.index(parent), NAMES.index(child)] = True
    logs = simulate(dag=dag, rows=ROWS, nonlinearity=1.0, seed=SEED).values
    logs = MEDIAN + SPREAD * (logs - logs.mean(axis=0)) / logs.std(axis=0)
    return pd.DataFrame(np.exp2(logs).round(3), columns=list(NAMES))


def write_example(path: Path) -> pd.DataFrame:
    """The table as a CSV file, which must not be there yet."""
    table = example_table()
    try:
        with open(path, "x", encoding="utf-8", newline="") as file:
            table.to_csv(file, index=False, lineterminator="\n")
    except FileExistsError:
        raise OptionError(
            f"FILE: {str(path)!r} is there already, and is left as it is; name another file"
        ) from None
    except (OSError, ValueError) as error:  # ValueError: a path with a NUL byte
        reason = getattr(error, "strerror", None) or error
        raise OptionError(f"FILE: cannot write {str(path)!r}: {reason}") from None
    return table

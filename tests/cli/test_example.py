"""gpnet example: a table to try gpnet on."""

import numpy as np
import pandas as pd

from gpnet.simulation.example import EDGES, example_table
from tests.cli.test_tables import gpnet


def test_it_writes_the_table_and_never_over_another(tmp_path):
    done = gpnet("example", "cells.csv", cwd=tmp_path)
    assert done.returncode == 0
    assert "simulated" in done.stdout
    assert "gpnet learn cells.csv --transform log2 --out run" in done.stdout
    pd.testing.assert_frame_equal(pd.read_csv(tmp_path / "cells.csv"), example_table())
    (tmp_path / "cells.csv").write_text("mine\n")
    again = gpnet("example", "cells.csv", cwd=tmp_path)
    assert again.returncode == 2
    assert "'cells.csv' is there already" in again.stderr
    assert (tmp_path / "cells.csv").read_text() == "mine\n"


def test_a_folder_that_is_not_there(tmp_path):
    done = gpnet("example", "nowhere/cells.csv", cwd=tmp_path)
    assert done.returncode == 2
    assert "FILE: cannot write 'nowhere/cells.csv'" in done.stderr


def test_its_logarithms_are_related_along_its_edges():
    table = example_table()
    assert (table > 0).all().all()
    tenths = (table.rank() * 10 / (len(table) + 1)).astype(int)
    for parent, child in EDGES:
        logs = np.log2(table[child])
        explained = logs.groupby(tenths[parent]).transform("mean").var() / logs.var()
        assert explained > 0.1  # by chance 0.03, and 0.09 in one table of 1 000

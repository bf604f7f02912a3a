"""A DAG read from a file: by name, and refused with a reason where it is none."""

import numpy as np
import pandas as pd
import pytest

from gpnet.common.errors import DataError
from gpnet.graphs.dag_csv import read_dag
from gpnet.simulation.networks import simulate

NAMES = ("A", "B", "C")
CHAIN = np.array([[0, 1, 0], [0, 0, 1], [0, 0, 0]], dtype=bool)  # A -> B -> C


@pytest.fixture
def written(tmp_path):
    def write(text):
        path = tmp_path / "dag.csv"
        path.write_text(text, encoding="utf-8")
        return path

    return write


@pytest.mark.parametrize(
    "text",
    [
        "A,B,C\n0,1,0\n0,0,1\n0,0,0\n",
        "\ufeffA, B, C\r\n0, 1, 0\r\n0, 0, 1\r\n0, 0, 0",  # as Excel writes it
        "C,A,B\n0,0,0\n0,0,1\n1,0,0\n",  # another order, of rows too
        ",A,B,C\nA,0,1,0\nB,0,0,1\nC,0,0,0\n",
        "parent,C,A,B\nC,0,0,0\nA,0,0,1\nB,1,0,0\n",
        "A,B,C\n0.0,1.0,0.0\n0,0,1\n\n0,0,0\n\n",
    ],
)
def test_one_dag_written_in_several_ways(written, text):
    found = read_dag(written(text), NAMES)
    np.testing.assert_array_equal(found, CHAIN)
    assert found.dtype == bool


def test_what_simulate_writes_comes_back(tmp_path):
    simulation = simulate(nodes=8, rows=10, seed=3)
    simulation.write(tmp_path)
    names = simulation.names
    np.testing.assert_array_equal(read_dag(tmp_path / "dag.csv", names), simulation.dag)
    turned = read_dag(str(tmp_path / "dag.csv"), names[::-1])
    np.testing.assert_array_equal(turned, simulation.dag[::-1, ::-1])
    assert not np.array_equal(turned, simulation.dag)


def test_any_names(tmp_path):
    names = ["a,b", 'say "x"', "line\nbreak", "-> 😀", "0"]
    dag = np.triu(np.ones((5, 5), dtype=int), k=1)
    frame = pd.DataFrame(dag, columns=names, index=names)
    frame.to_csv(tmp_path / "with.csv")
    frame.to_csv(tmp_path / "without.csv", index=False)
    for file in ("with.csv", "without.csv"):
        np.testing.assert_array_equal(read_dag(tmp_path / file, names), dag)


def test_row_names_that_look_like_cells(written):
    found = read_dag(written(",0,1\n0,0,1\n1,0,0\n"), ["0", "1"])
    np.testing.assert_array_equal(found, [[False, True], [False, False]])


def test_the_reference_dags(reference):
    names = [f"V{i + 1}" for i in range(10)]
    paths = sorted((reference / "simulated" / "n10").glob("*_dag.csv"))
    assert paths
    for path in paths:
        assert read_dag(path, names).sum() == pd.read_csv(path).to_numpy().sum()
    path = reference / "sachs_consensus_dag.csv"
    columns = pd.read_csv(path).columns
    consensus = read_dag(path, sorted(columns))
    assert consensus.sum() == 17
    assert consensus[sorted(columns).index("Raf"), sorted(columns).index("Mek")]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "its header lacks 'A', 'B' and 'C'"),
        ("A,B\n0,1\n0,0\n", "its header lacks 'C'; give the names"),
        ("A,B,C,D\n0,0,0,0\n0,0,0,0\n0,0,0,0\n0,0,0,0\n", "its header has also 'D'"),
        ("D,A,B,C\n0,0,0,0\n0,0,0,0\n0,0,0,0\n0,0,0,0\n", "its header has also 'D'"),
        ("A,B,D\n0,0,0\n0,0,0\n0,0,0\n", "its header lacks 'C' and has also 'D'"),
        ("A,B,B\n0,0,0\n0,0,0\n0,0,0\n", "lacks 'C' and has twice 'B'"),
        ("0,1,0\n0,0,1\n0,0,0\n", "lacks 'A', 'B' and 'C'"),
        ("A,B,C\n0,1,0\n0,0,1\n", "2 rows for 3 names; give one row for each, row = parent"),
        ("A,B,C\n0,1,0\n0,0\n0,0,0\n", "row 2 has 2 cells for 3 names"),
        ("A,B,C\n0,1,0\n0,0,0.7\n0,0,0\n", "row 2, column 'C' holds '0.7'; write 1 for an edge"),
        ("A,B,C\n0,,0\n0,0,0\n0,0,0\n", "row 1, column 'B' holds ''"),
        (",A,B,C\nA,0,0,0\nC,0,0,0\nB,0,0,0\n", "row 2 is called 'C', and column 2 'B'"),
        ("A,B,C\n0,1,0\n0,0,1\n1,0,0\n", "directed cycle, 'A' -> 'B' -> 'C' -> 'A'; leave out one"),
        ("A,B,C\n0,0,0\n0,1,0\n0,0,0\n", "directed cycle, 'B' -> 'B'"),
        ('A,B,C\n0,"1,0\n', "cannot be read"),
    ],
)
def test_what_is_no_dag_is_told(written, text, message):
    path = written(text)
    with pytest.raises(DataError) as caught:
        read_dag(path, NAMES)
    assert message in str(caught.value)
    assert str(path) in str(caught.value)


def test_files_that_cannot_be_read(tmp_path):
    with pytest.raises(DataError, match=r"nowhere\.csv' cannot be read: No such file"):
        read_dag(tmp_path / "nowhere.csv", NAMES)
    with pytest.raises(DataError, match="cannot be read: Is a directory"):
        read_dag(tmp_path, NAMES)
    (tmp_path / "old.csv").write_bytes("A,B,Größe\n".encode("latin-1"))
    with pytest.raises(DataError, match=r"cannot be read: .*utf-8"):
        read_dag(tmp_path / "old.csv", NAMES)
    with pytest.raises(DataError, match="cannot be read"):
        read_dag("nul\0byte.csv", NAMES)

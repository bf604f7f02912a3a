"""The notebooks run from top to bottom, and carry no results that could grow old."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from experiments import reference

import gpnet

FOLDER = Path(__file__).parents[2] / "docs" / "notebooks"
NAMES = ["sachs", "my-own-table", "checking-the-model"]
PROTEINS = ["Raf", "Mek", "PLCg", "PIP2", "PIP3", "Erk", "Akt", "PKA", "PKC", "p38", "JNK"]
SECONDS = 600  # for a cell: far more than it takes on a busy machine


def read(name):
    return json.loads((FOLDER / f"{name}.ipynb").read_text(encoding="utf-8"))


def test_all_of_them_are_run_and_linked():
    assert sorted(NAMES) == sorted(path.stem for path in FOLDER.glob("*.ipynb"))
    page = FOLDER.with_name("notebooks.md").read_text(encoding="utf-8")
    for name in NAMES:
        assert f"(notebooks/{name}.ipynb)" in page


@pytest.mark.parametrize("name", NAMES)
def test_they_are_small_and_have_no_outputs(name):
    assert (FOLDER / f"{name}.ipynb").stat().st_size < 20_000
    code = [cell for cell in read(name)["cells"] if cell["cell_type"] == "code"]
    assert all(not cell["outputs"] and cell["execution_count"] is None for cell in code)


def cells_like_sachs(reference_file, path):
    """The real ones, if they are at hand; else skewed numbers under their names."""
    if reference_file.is_file():
        return reference_file
    made = gpnet.simulate(nodes=11, rows=300, edge_probability=0.15, seed=1).frame()
    standard = (made - made.mean()) / made.std()
    pd.DataFrame(np.exp2(standard.to_numpy() + 6), columns=PROTEINS).to_csv(path, index=False)
    return path


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.filterwarnings("default")  # those of Jupyter's packages are not ours
def test_a_notebook_runs(name, tmp_path, monkeypatch):
    nbclient, nbformat = pytest.importorskip("nbclient"), pytest.importorskip("nbformat")
    pytest.importorskip("ipykernel")
    if name == "my-own-table":
        pytest.importorskip("sklearn")
    if name == "sachs":
        table = cells_like_sachs(reference.FOLDER / "sachs_cd3cd28.csv", tmp_path / "sachs.csv")
        monkeypatch.setenv("GPNET_SACHS", str(table))
    monkeypatch.setenv("MPLBACKEND", "Agg")
    notebook = nbformat.read(FOLDER / f"{name}.ipynb", as_version=4)
    client = nbclient.NotebookClient(
        notebook, timeout=SECONDS, kernel_name="python3", resources={"metadata": {"path": tmp_path}}
    )
    client.execute()

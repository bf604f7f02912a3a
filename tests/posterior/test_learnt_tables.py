"""Tables that are kept with a run: read back to the last bit, refused when they are others."""

import numpy as np
import pandas as pd
import pytest

import gpnet
from gpnet import DataError, FileError
from gpnet.posterior.learnt_tables import NAME, TablesFile, tables_of


def odd_frame(n=60, seed=0):
    """Positive numbers, a text, gaps, and rows in which a column was set."""
    frame = np.exp(gpnet.simulate(nodes=3, rows=n, edge_probability=0.7, seed=seed).frame())
    frame.iloc[3:6, 1] = np.nan
    frame["batch"] = np.array(["u", "v"])[np.arange(n) % 2]
    frame["set"] = np.where(np.arange(n) < 15, "V3", "")
    return frame


@pytest.fixture(scope="module", params=["auto", "log", "rank-normal"])
def learnt(request):
    options = {"missing": "impute", "imputations": 2, "interventions": "set", "draws": 100}
    return gpnet.learn(odd_frame(), transform=request.param, score="linear", **options)


def written(posterior, folder):
    posterior.save(folder)
    posterior.tables.write(folder / NAME)
    return gpnet.load(folder)


def test_tables_come_back_to_the_last_bit(learnt, tmp_path):
    found, expected = written(learnt, tmp_path).tables.tables, learnt.tables
    assert found.given.fingerprint == expected.given.fingerprint
    assert len(found.completed) == len(expected.completed) == 2
    for one, other in zip(found.completed, expected.completed, strict=True):
        np.testing.assert_array_equal(one.values, other.values)
        np.testing.assert_array_equal(one.standardised(), other.standardised())
        assert (one.ranked, one.levels, one.exogenous) == (
            other.ranked,
            other.levels,
            other.exogenous,
        )
        np.testing.assert_array_equal(one.interventions, other.interventions)
    assert found.given.assumed == expected.given.assumed


def test_effects_of_a_run_are_the_same_when_it_is_read(learnt, tmp_path):
    again = written(learnt, tmp_path)
    pd.testing.assert_frame_equal(again.effects(draws=40).frame(), learnt.effects(draws=40).frame())


def test_the_file_has_the_units_of_the_user(learnt, tmp_path):
    written(learnt, tmp_path)
    with np.load(tmp_path / NAME, allow_pickle=False) as file:
        values = file["values"]
    np.testing.assert_allclose(values[:, :3], odd_frame().iloc[:, :3].to_numpy(), rtol=1e-12)


def test_a_damaged_table_is_told(learnt, tmp_path):
    written(learnt, tmp_path)
    whole = (tmp_path / NAME).read_bytes()
    rng, told = np.random.default_rng(0), []
    for _ in range(60):
        broken = bytearray(whole)
        place = int(rng.integers(len(whole)))
        broken[place] ^= 1 << int(rng.integers(8))
        (tmp_path / NAME).write_bytes(bytes(broken))
        try:
            gpnet.load(tmp_path).tables.tables  # noqa: B018, reads it
        except FileError as error:
            told.append(str(error))
    assert len(told) > 30  # the others hit what no number depends on
    assert all(NAME in text for text in told)
    for cut in (0, 10, len(whole) // 2):
        (tmp_path / NAME).write_bytes(whole[:cut])
        with pytest.raises(FileError, match="damaged"):
            gpnet.load(tmp_path).tables.tables  # noqa: B018


def test_the_table_of_another_run_is_refused(learnt, tmp_path):
    written(learnt, tmp_path)
    with pytest.raises(FileError, match="not the table that this posterior was learnt from"):
        TablesFile(tmp_path / NAME, "another").tables  # noqa: B018


def test_a_compressed_file_is_refused(learnt, tmp_path):
    again = written(learnt, tmp_path)
    np.savez_compressed(tmp_path / NAME, values=np.zeros(10**6))
    with pytest.raises(FileError, match="compressed"):
        again.effects()


def test_imputed_tables_cannot_be_given_anew(learnt):
    given = learnt.tables.given
    with pytest.raises(DataError, match="the completed tables were not kept"):
        tables_of(given, learnt.settings)


def test_without_a_fingerprint_or_a_file_there_is_no_table(tmp_path):
    table = gpnet.simulate(nodes=3, rows=50, seed=1).frame()
    posterior = gpnet.learn(table, score="bge", draws=50)
    assert gpnet.load(posterior.save(tmp_path)).tables is None

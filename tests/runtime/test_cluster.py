"""Workers elsewhere: the same bytes, whoever dies; the table is sent once; trouble is told."""

import os
import signal
import sys
from collections import Counter
from time import monotonic, sleep

import numpy as np
import pytest
from distributed import Client, LocalCluster

import gpnet
from gpnet import Dataset, OptionError
from gpnet.common.errors import ClusterError, DataError
from gpnet.runtime import dask_cluster
from gpnet.runtime.cluster import opened_cluster
from gpnet.runtime.dask_cluster import Cluster
from gpnet.runtime.dask_tasks import TABLES, run_packed
from gpnet.runtime.deadline import Deadline
from tests.contexts import PASSED

pytestmark = pytest.mark.xdist_group("cluster")  # all with the same two workers

QUICK = {"draws": 200, "workers": 1}
NEVER = Deadline()


@pytest.fixture(scope="module")
def table():
    return gpnet.simulate(nodes=5, rows=60, nonlinearity=1, edge_probability=0.6, seed=2).frame()


@pytest.fixture(scope="module")
def client():
    with dask_cluster.connected("local:2", 2) as client:
        yield client


@pytest.fixture(scope="module")
def alone():
    """A scheduler without workers."""
    with (
        LocalCluster(n_workers=0, processes=False, dashboard_address=":0") as cluster,
        Client(cluster, set_as_default=False) as client,
    ):
        yield client


def learnt(table, path, **options):
    gpnet.learn(table, **{**QUICK, **options}).save(path)
    return path.read_bytes()


@pytest.fixture(scope="module")
def one_core(table, tmp_path_factory):
    return learnt(table, tmp_path_factory.mktemp("one core") / "posterior.npz")


def pids(client):
    return list(client.run(os.getpid).values())


def n_tables():
    return len(TABLES)


def raise_data_error():
    raise DataError("no such column")


# The same bytes


def test_a_cluster_finds_the_same_bytes(table, one_core, client, tmp_path):
    assert learnt(table, tmp_path / "posterior.npz", cluster=client) == one_core
    assert client.status == "running"  # it is the caller's


@pytest.mark.slow
def test_it_does_so_from_a_text(table, one_core, tmp_path):
    assert learnt(table, tmp_path / "posterior.npz", cluster="local:1") == one_core


@pytest.mark.slow
@pytest.mark.parametrize(
    "options",
    [
        {"score": "gp", "sampler": "partition"},
        {"score": "parentwise", "transform": "rank-normal"},
        {"prior": "learned"},
        {"space": "iterative", "max_candidates": 2},
    ],
    ids=str,
)
def test_with_other_options_too(table, client, tmp_path, options):
    here = learnt(table, tmp_path / "here.npz", **options)
    assert learnt(table, tmp_path / "there.npz", cluster=client, **options) == here


@pytest.mark.slow
def test_with_gaps_experiments_and_texts(table, client, tmp_path):
    """Tables that are completed, and rows that count for some variables only."""
    table = table.assign(batch=["a", "b", "c"] * 20)
    table.loc[:3, "V1"] = np.nan
    were_set = np.zeros((60, 6), dtype=bool)
    were_set[40:, 1] = True
    options = {"missing": "impute", "imputations": 2, "interventions": were_set}
    here = learnt(table, tmp_path / "here.npz", **options)
    assert learnt(table, tmp_path / "there.npz", cluster=client, **options) == here


# Tables


def test_a_table_is_sent_once_and_forgotten(table, client, monkeypatch):
    """Those of a run: the one at hand, and the one in which scales are compared."""
    sent, state = Counter(), Dataset.__getstate__
    monkeypatch.setattr(
        Dataset, "__getstate__", lambda one: sent.update([one.fingerprint]) or state(one)
    )
    gpnet.learn(table, cluster=client, **QUICK)
    assert len(sent) == 2
    assert set(sent.values()) == {1}
    assert [*client.run(n_tables).values()] == [0, 0]


def test_what_is_kept_of_rows_is_not_sent():
    values = np.random.default_rng(0).normal(size=(50, 2))
    were_set = np.zeros((50, 2), dtype=bool)
    were_set[:20, 1] = True
    data = Dataset(values, ["a", "b"], interventions=were_set)
    data.rows_of(1)
    assert "_cuts" in data.__dict__
    assert "_cuts" not in data.__getstate__()


def test_the_oldest_table_makes_room(client, monkeypatch):
    monkeypatch.setattr(dask_cluster, "TABLES", 2)
    tables = [Dataset(np.random.default_rng(i).normal(size=(50, 2)), ["a", "b"]) for i in range(4)]
    with opened_cluster(client) as workers:
        for table in tables:
            assert workers.submit(len, [table, 0]).result() == 2
        assert [*client.run(n_tables).values()] == [2, 2]


def test_what_a_script_defines_goes_along(client):
    data = Dataset(np.random.default_rng(0).normal(size=(50, 2)), ["a", "b"])
    factor = 2
    with opened_cluster(client) as workers:
        assert workers.submit(lambda one: factor * one.n_rows, data).result() == 100


# Death


@pytest.mark.skipif(os.name != "posix", reason="signals work otherwise here")
@pytest.mark.parametrize("n_killed", [1, pytest.param(2, marks=pytest.mark.slow)])
@pytest.mark.parametrize("stage", ["scoring parent sets", "scoring what was drawn"])
def test_a_worker_that_is_killed_changes_nothing(
    table, one_core, client, tmp_path, n_killed, stage
):
    killed = []

    def progress(label):
        def kill(done, total, seconds_left):
            if label == stage and not killed:
                killed.extend(pids(client)[:n_killed])
                for pid in killed:
                    os.kill(pid, signal.SIGKILL)

        return kill

    assert learnt(table, tmp_path / "run.npz", cluster=client, progress=progress) == one_core
    assert len(killed) == n_killed
    client.wait_for_workers(2, timeout=60)


@pytest.mark.skipif(os.name != "posix", reason="signals work otherwise here")
@pytest.mark.slow
def test_a_task_that_kills_every_worker_is_told():
    with opened_cluster("local:2") as workers, pytest.raises(ClusterError, match="want of memory"):
        workers.submit(os.abort).result(120)


def test_errors_of_a_task_are_its_own(client):
    with opened_cluster(client) as workers, pytest.raises(DataError, match="no such column"):
        workers.submit(raise_data_error).result()


def test_what_is_given_up_is_not_begun(client):
    with opened_cluster(client) as workers:
        futures = [workers.submit(sleep, 0.2) for _ in range(50)]
        assert all(future.cancel() for future in futures[1:])
        assert workers.submit(abs, -1).result(timeout=5) == 1


# Nobody there


def test_that_there_is_no_worker_is_told(alone, monkeypatch):
    monkeypatch.setattr(dask_cluster, "POLL", 0.05)
    monkeypatch.setattr(dask_cluster, "PATIENCE", 0.1)
    told = []

    def tell(text):
        told.append(text)
        if len(told) == 2:
            raise KeyboardInterrupt

    workers = Cluster(alone, tell)
    assert workers.n_workers == 1
    with pytest.raises(KeyboardInterrupt):
        workers.first_done([workers.submit(abs, -1)], NEVER)
    assert "has had no worker for" in told[0]


def test_a_deadline_is_kept_without_workers(alone, monkeypatch):
    monkeypatch.setattr(dask_cluster, "POLL", 0.05)
    workers, kept = Cluster(alone, print), []
    deadline = Deadline.after(0.2)
    workers.in_order(
        [1, 2], lambda i: workers.submit(abs, i), lambda *one: kept.append(one), deadline
    )
    assert kept == []
    assert workers.first_done([workers.submit(abs, -1)], PASSED) == set()


def test_a_time_budget_is_kept_without_workers(table, alone):
    start = monotonic()
    found = gpnet.learn(table, cluster=alone, time_budget=1, **QUICK)
    assert found.diagnosis.first_answer
    assert monotonic() - start < 10


def test_a_scheduler_that_goes_is_told(monkeypatch):
    monkeypatch.setattr(dask_cluster, "POLL", 0.05)
    with LocalCluster(n_workers=0, processes=False, dashboard_address=":0") as cluster:
        client = Client(cluster.scheduler_address, set_as_default=False)
        workers = Cluster(client, print)
        future = workers.submit(abs, -1)
        cluster.close()
        with pytest.raises(ClusterError, match=r"the scheduler at .* has gone"):
            workers.first_done([future], NEVER)
        workers.close()
        client.close()


# Mistakes


@pytest.mark.parametrize("text", ["local:0", "local:x", "local:", "local:-1", "here", "", "a b:1"])
def test_texts_that_mean_no_cluster(text):
    with (
        pytest.raises(OptionError, match="cluster: the address of a dask scheduler"),
        opened_cluster(text),
    ):
        pass


def test_things_that_are_no_cluster():
    with pytest.raises(OptionError, match="found '4'"), opened_cluster(4):
        pass


def test_no_scheduler_at_an_address(table, tmp_path, ask, monkeypatch):
    monkeypatch.setattr(dask_cluster, "CONNECT", 0.5)
    table.to_csv(tmp_path / "data.csv", index=False)
    arguments = ["learn", tmp_path / "data.csv", "--out", tmp_path / "run"]
    code, _, err = ask(*arguments, "--cluster", "tcp://127.0.0.1:1")
    assert code == 2
    assert "no dask scheduler answers at 'tcp://127.0.0.1:1'" in err
    assert not (tmp_path / "run").exists()
    code, _, err = ask(*arguments, "--cluster", "local:0")
    assert code == 2
    assert "found 'local:0'" in err


def test_without_dask_the_remedy_is_told(monkeypatch):
    monkeypatch.setitem(sys.modules, "distributed", None)
    monkeypatch.delitem(sys.modules, "gpnet.runtime.dask_cluster")
    monkeypatch.delattr("gpnet.runtime.dask_cluster")
    with (
        pytest.raises(ClusterError, match=r"pip install 'gpnet\[cluster\]'"),
        opened_cluster("local:2"),
    ):
        pass


def test_another_gpnet_there_is_refused(alone, monkeypatch):
    with pytest.raises(ClusterError, match="install the same on both"):
        run_packed("0.0.1", b"")
    monkeypatch.setattr(dask_cluster, "__version__", "0.0.1")
    with pytest.raises(
        ClusterError, match=r"the scheduler has gpnet .*, and this is gpnet 0\.0\.1"
    ):
        Cluster(alone, print)


def test_a_table_that_cannot_be_sent(alone, monkeypatch):
    def fail(plugin, name):
        tried.append(name)
        raise OSError("unreachable")

    tried, workers = [], Cluster(alone, print)
    monkeypatch.setattr(alone, "register_plugin", fail)
    data = Dataset(np.random.default_rng(0).normal(size=(50, 2)), ["a", "b"])
    with pytest.raises(ClusterError, match="could not be sent to the workers: unreachable"):
        workers.submit(len, data)
    assert len(tried) == dask_cluster.SENDS

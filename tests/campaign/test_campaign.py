"""The rest of the campaign: each part passes on a few tries, and fails where it should."""

import numpy as np
import pytest
from campaign import __main__ as campaign
from campaign import full_disks, fuzzed_tables, kills, memory


@pytest.mark.filterwarnings("ignore")
def test_odd_tables_end_in_an_answer_or_in_words():
    counts = fuzzed_tables.run(25, seed=5)
    assert counts.total() == 25
    assert counts["refused"] > 0
    assert counts["learnt from"] + counts["learnt from, with issues"] > 0


@pytest.mark.filterwarnings("ignore")
def test_a_table_on_which_a_singular_value_decomposition_failed(tmp_path):
    """On processors with AVX-512; all others had an answer before."""
    rng = np.random.default_rng((176, 69))
    table = fuzzed_tables.odd_table(rng)
    assert fuzzed_tables.outcome(table, rng, tmp_path / "table.csv") == "learnt from"


@pytest.mark.filterwarnings("ignore")
def test_a_foreign_exception_is_a_failure(monkeypatch):
    def broken(*table, **options):
        raise ZeroDivisionError

    monkeypatch.setattr("gpnet.learn", broken)
    with pytest.raises(AssertionError, match="seed 5, table"):
        fuzzed_tables.run(25, seed=5)


@pytest.mark.slow
def test_kills_and_full_disks():
    assert kills.run(4, seed=1)["taken up, same bytes"] >= 2
    assert full_disks.run(3, seed=1).total() == 3


def test_memory_that_grows_is_a_failure(monkeypatch):
    """By a megabyte a call, and not at all."""
    monkeypatch.setattr(memory, "learn", lambda call, seed: 10**8 + 10**6 * call)
    with pytest.raises(AssertionError, match="1000000 bytes a call"):
        memory.run(50, seed=0)
    monkeypatch.setattr(memory, "learn", lambda call, seed: 10**8)
    assert memory.run(50, seed=0)["calls"] == 50


def test_a_failure_is_told_and_does_not_stop_the_rest(monkeypatch, capsys):
    def fails(n, seed):
        raise AssertionError("seed 3, try 7: lost\nmore")

    def passes(n, seed):
        return campaign.Counter({"fine": n})

    trials = [campaign.Trial("one", fails, 0, 5), campaign.Trial("other", passes, 0, 5)]
    monkeypatch.setattr(campaign, "TRIALS", trials)
    assert campaign.main(0, 0) == 1
    out = capsys.readouterr().out
    assert "| one | 0 |  | in round 0: seed 3, try 7: lost |" in out
    assert "| other | 5 | fine 5 | 0 |" in out


def test_no_two_seeds_have_a_round_in_common():
    rounds = []

    def noted(n, seed):
        rounds.append(seed)
        if len(rounds) % 3 == 0:
            raise AssertionError("enough")
        return campaign.Counter()

    for seed in (1, 2):
        campaign.repeat(campaign.Trial("one", noted, 0, 5), 60, seed)
    assert len(set(rounds)) == 6

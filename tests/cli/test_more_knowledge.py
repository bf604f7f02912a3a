"""gpnet learn --resume with other knowledge: scores are kept, and contradictions lose nothing."""

import sqlite3
import tomllib

import pytest

from gpnet import load, simulate

QUICK = ["--draws", 300, "--bag", "off", "--workers", 1]
KEPT = ("settings.toml", "posterior.npz", "edges.csv", "summary.json", "log.txt")


@pytest.fixture(scope="module")
def tables(tmp_path_factory):
    folder = tmp_path_factory.mktemp("tables")
    frame = simulate(nodes=4, rows=100, edge_probability=0.6, seed=2).frame()
    frame.to_csv(folder / "data.csv", index=False)
    frame[::-1].to_csv(folder / "other.csv", index=False)
    frame["arm"] = [0, 1] * 50
    frame.to_csv(folder / "trial.csv", index=False)
    return folder


@pytest.fixture
def learn(tables, tmp_path, ask):
    """The command in one folder, with quick options at first."""

    def learn(*words, table="data.csv", score="bge"):
        first = [] if "--resume" in words else [*QUICK, "--score", score]
        return ask("learn", tables / table, *first, *words, "--out", tmp_path / "run")

    return learn


def stored(run):
    """The keys of all scores."""
    with sqlite3.connect(run / "scores.sqlite") as store:
        return set(store.execute("SELECT source, node, parents FROM evidence"))


def options(run):
    return tomllib.loads((run / "settings.toml").read_text())


def test_scores_are_kept_and_knowledge_is_obeyed(learn, tmp_path):
    run = tmp_path / "run"
    assert learn(score="adaptive")[0] in (0, 3)
    before, first = stored(run), load(run)
    assert first.edge_probabilities().loc["V3", "V2"] > 0
    code, _, err = learn("--resume", "--tiers", "V2 < V3", "--roots", "V1")
    assert code in (0, 3), err
    told = load(run)
    assert not told.dags[:, 2, 1].any()
    assert not told.dags[:, :, 0].any()
    assert options(run)["tiers"] == [["V2"], ["V3"]]
    assert before <= stored(run)
    assert len(stored(run)) <= 1.2 * len(before)  # some parent sets were improbable before
    assert learn("--resume")[0] == code
    assert load(run).dags.shape == told.dags.shape


def test_an_option_replaces_its_own_kind_and_an_empty_one_takes_it_away(learn, tmp_path):
    run = tmp_path / "run"
    learn("--forbid", "V1 -> V2", "--roots", "V4")
    learn("--resume", "--forbid", "V2 -> V1")
    assert (options(run)["forbid"], options(run)["roots"]) == (["V2 -> V1"], ["V4"])
    learn("--resume", "--forbid", "", "--roots", "", "--doubt", "off")
    assert (options(run)["forbid"], options(run)["roots"]) == ([], [])
    plain = load(run)
    assert plain.identified is None
    assert plain.plain_log_weights is None


@pytest.mark.parametrize(
    ("words", "hint"),
    [
        (["--forbid", "V1 -> V2"], "'V1' -> 'V2' is both required and forbidden"),
        (["--tiers", "V2 < V1"], "'V1' -> 'V2' is required, but leads from tier 2 back to tier 1"),
        (["--roots", "V2"], "'V1' -> 'V2' is required, but 'V2' is a root"),
        (["--require", "V1 -> V2", "--require", "V2 -> V1"], "contain a directed cycle"),
        (["--tiers", "V1 < V2 < V1"], "'V1' stands in tier 1 and in tier 3"),
        (["--tiers", "V1 < V22"], "did you mean 'V2'"),
        (["--bag", "1"], "bag: a number of replicates"),
        (["--score", "linear"], "holds a run with other settings"),
    ],
)
def test_contradictions_are_one_error_and_lose_nothing(learn, tmp_path, words, hint):
    learn("--require", "V1 -> V2")
    before = {name: (tmp_path / "run" / name).read_bytes() for name in KEPT}
    code, out, err = learn("--resume", *words)
    assert (code, out) == (2, "")
    assert hint in err
    assert [line for line in err.splitlines() if "warning" not in line] == [err.splitlines()[-1]]
    assert {name: (tmp_path / "run" / name).read_bytes() for name in KEPT} == before


def test_another_table_is_refused(learn, tmp_path):
    learn()
    before = (tmp_path / "run" / "settings.toml").read_bytes()
    code, _, err = learn("--resume", "--roots", "V1", table="other.csv")
    assert code == 2
    assert "holds a run on other data" in err
    assert (tmp_path / "run" / "settings.toml").read_bytes() == before


def test_without_resume_other_knowledge_is_refused(learn):
    learn()
    code, _, err = learn("--roots", "V1")
    assert code == 2
    assert "roots" in err
    assert "with --resume" in err


def test_what_was_assumed_may_be_said(learn, tmp_path):
    """A column of two values is exogenous either way, and its arrows are open until it is said."""
    run = tmp_path / "run"
    learn("--doubt", 0.75, table="trial.csv")
    arm = load(run).names.index("arm")
    assert load(run).identified is None
    for known in (["--exogenous", "arm"], ["--exogenous", "", "--tiers", "arm < V1,V2,V3,V4"]):
        assert learn("--resume", *known, table="trial.csv")[0] in (0, 3)
        identified = load(run).identified
        assert identified[arm].sum() == 4
        assert identified.sum() == 8
    assert learn("--resume", "--tiers", "", table="trial.csv")[0] in (0, 3)
    assert load(run).identified is None


def test_required_edges_tell_directions(learn, tmp_path):
    """Also of a pair that they join by a path, as the other direction would close a cycle."""
    learn("--require", "V1 -> V2", "--require", "V2 -> V3", "--doubt", 0.75)
    told = load(tmp_path / "run")
    assert sorted(map(tuple, map(sorted, zip(*told.identified.nonzero(), strict=True))))[::2] == [
        (0, 1),
        (0, 2),
        (1, 2),
    ]
    assert told.dags[:, 0, 1].all()
    assert not told.dags[:, 2, 0].any()

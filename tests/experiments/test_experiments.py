"""The frame of the experiments: nothing is computed twice, and nothing is mixed."""

import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from experiments import reference
from experiments.__main__ import main
from experiments.defaults.candidates import posterior
from experiments.experiment import NAMES, Experiment, ExperimentError
from experiments.reference import Known
from experiments.running import run
from matplotlib.figure import Figure

import gpnet
from gpnet.posterior import metrics

ROOT = Path(__file__).parents[2]
PNG = b"\x89PNG"


class Toy:
    """An experiment of five rows that counts what it computes, and may be interrupted."""

    def __init__(self, break_at=None):
        self.computed, self.break_at = [], break_at

    def measure(self, key, settings, place):
        if key["number"] == self.break_at:
            raise KeyboardInterrupt
        self.computed.append(key["number"])
        return {"square": key["number"] ** 2, "note": 'with, a "comma"'}

    def experiment(self, **settings):
        return Experiment(
            name="toy",
            settings={"numbers": [1, 2, 3, 4, 5], **settings},
            keys=lambda s: [{"number": n, "half": n / 2} for n in s["numbers"]],
            measure=self.measure,
            report=lambda rows, settings: [f"the sum is {rows['square'].sum()}"],
            draw=lambda rows, settings: Figure(),
            minutes=90,
        )


def test_unknown_name():
    command = [sys.executable, "-m", "experiments", "figure-0", "--out", "nowhere"]
    ended = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert ended.returncode == 2
    assert "figure-0" in ended.stderr
    for name in NAMES:
        assert name in ended.stderr


def test_names_are_those_of_the_folders():
    exhibits = {"table-1", *(f"figure-{i}" for i in (1, 2, 3, *(f"a{k}" for k in range(1, 10))))}
    assert exhibits <= set(NAMES)
    assert {"calibration", "defaults", "foreign-networks", "priors", "real-tables"} <= set(NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_every_row_has_a_key_of_its_own_and_quick_is_a_part(name):
    quick, full = (
        [tuple(key.items()) for key in one.keys(one.settings)]
        for one in (Experiment.load(name, quick=True), Experiment.load(name, quick=False))
    )
    assert len(set(full)) == len(full)
    assert set(quick) < set(full)


def test_a_run_makes_rows_a_record_and_a_figure(tmp_path, capsys):
    run(Toy().experiment(), tmp_path, workers=1)
    rows = pd.read_csv(tmp_path / "toy.csv")
    assert list(rows) == ["number", "half", "square", "note"]
    assert rows["square"].tolist() == [1, 4, 9, 16, 25]
    assert set(rows["note"]) == {'with, a "comma"'}
    record = json.loads((tmp_path / "toy.json").read_text())
    assert record["settings"] == {"numbers": [1, 2, 3, 4, 5]}
    assert set(record["versions"]) == {
        *("gpnet", "numpy", "pandas", "python", "scipy"),
        *("dibs", "sumu"),
    }
    assert (tmp_path / "toy.png").read_bytes().startswith(PNG)
    printed = capsys.readouterr().out.splitlines()
    # The cost first.
    told = "toy: 5 rows, 0 of them done before; all of them take some 1.5 h on two cores"
    assert printed[0] == told
    assert printed[1] == f"the authors' data sets: {reference.source()}"
    assert printed[2].startswith("1 of 5 in")
    assert printed[2].endswith("to go")
    assert printed[-1] == "the sum is 55"
    assert (tmp_path / "toy.md").read_text() == "the sum is 55"


def test_a_repeated_run_computes_nothing(tmp_path):
    run(Toy().experiment(), tmp_path, workers=1)
    before = (tmp_path / "toy.csv").read_bytes()
    again = Toy()
    run(again.experiment(), tmp_path, workers=1)
    assert again.computed == []
    assert (tmp_path / "toy.csv").read_bytes() == before


def test_the_same_rows_come_out_in_another_folder(tmp_path):
    """How long they took is in a file of its own, and the report sees it."""
    seen = []
    for folder in ("one", "two"):
        toy = replace(Toy().experiment(), report=lambda rows, settings: seen.append(rows) or [])
        run(toy, tmp_path / folder, workers=1)
    one, two = ((tmp_path / folder / "toy.csv").read_bytes() for folder in ("one", "two"))
    assert one == two
    times = pd.read_csv(tmp_path / "one" / "toy-seconds.csv")
    assert times["number"].tolist() == [1, 2, 3, 4, 5]
    assert seen[0]["seconds"].tolist() == times["seconds"].tolist()


def test_what_measures_its_own_time_is_believed(tmp_path):
    def measure(key, settings, place):
        return {"square": 1, "seconds": 12.5}

    run(replace(Toy().experiment(), measure=measure), tmp_path, workers=1)
    assert set(pd.read_csv(tmp_path / "toy-seconds.csv")["seconds"]) == {12.5}
    assert "seconds" not in pd.read_csv(tmp_path / "toy.csv")


@pytest.mark.parametrize("view_first", [False, True])
def test_an_exhibit_shows_rows_of_another(tmp_path, view_first):
    """They are computed once, whichever of the two comes first."""
    own, other = Toy(), Toy()
    view = replace(
        other.experiment(), name="view", rows_of="toy", select=lambda rows: rows[["square"]]
    )
    for one in (own.experiment(), view)[:: -1 if view_first else 1]:
        run(one, tmp_path, workers=1)
    assert (len(own.computed), len(other.computed)) == ((0, 5) if view_first else (5, 0))
    assert list(pd.read_csv(tmp_path / "view.csv")) == ["square"]
    assert (tmp_path / "view.png").read_bytes().startswith(PNG)
    assert not (tmp_path / "view.json").exists()


def test_exhibits_of_the_study_name_the_rows_they_show():
    shown = Experiment.load("figure-a3", quick=True)
    assert (shown.name, shown.rows_of) == ("figure-a3", "figure-1")
    assert shown.keys(shown.settings) == Experiment.load("figure-1", quick=True).keys(
        shown.settings
    )


def test_who_makes_the_same_rows_at_the_same_time_is_refused(tmp_path):
    def measure(key, settings, place):
        with pytest.raises(ExperimentError, match=r"toy\.lock: another process"):
            run(Toy().experiment(), tmp_path, workers=1)
        return {"square": 1}

    run(replace(Toy().experiment(), measure=measure), tmp_path, workers=1)
    assert len(pd.read_csv(tmp_path / "toy.csv")) == 5


def test_rows_without_seconds_are_still_there(tmp_path):
    run(Toy().experiment(), tmp_path, workers=1)
    (tmp_path / "toy-seconds.csv").unlink()
    again = Toy()
    run(again.experiment(), tmp_path, workers=1)
    assert again.computed == []


def test_other_columns_are_not_mixed_in(tmp_path):
    run(Toy().experiment(numbers=[1]), tmp_path, workers=1)
    (tmp_path / "toy.json").unlink()

    def measure(key, settings, place):
        return {"cube": 1}

    with pytest.raises(ValueError, match="cube"):
        run(replace(Toy().experiment(), measure=measure), tmp_path, workers=1)


def test_a_reference_that_is_not_there_is_no_reason_to_simulate(monkeypatch):
    monkeypatch.setenv("GPNET_REFERENCE", "nowhere")
    monkeypatch.setattr(reference, "FOLDER", Path("nowhere"))
    with pytest.raises(ExperimentError, match="GPNET_REFERENCE: there is no folder nowhere"):
        reference.present()


@pytest.mark.parametrize("break_at", [1, 2, 4])
def test_an_interrupted_run_resumes(tmp_path, break_at):
    with pytest.raises(KeyboardInterrupt):
        run(Toy(break_at).experiment(), tmp_path, workers=1)
    rest = Toy()
    run(rest.experiment(), tmp_path, workers=1)
    assert rest.computed == list(range(break_at, 6))
    assert pd.read_csv(tmp_path / "toy.csv")["square"].tolist() == [1, 4, 9, 16, 25]


@pytest.mark.parametrize("n_bytes", [1, 5, 20, 30, 60])
def test_a_row_that_was_cut_off_is_computed_again(tmp_path, n_bytes):
    """As a machine that lost its power leaves it: the end of the file is missing."""
    run(Toy().experiment(), tmp_path, workers=1)
    path = tmp_path / "toy.csv"
    path.write_bytes(path.read_bytes()[:-n_bytes])
    rest = Toy()
    run(rest.experiment(), tmp_path, workers=1)
    assert rest.computed
    assert pd.read_csv(path)["square"].tolist() == [1, 4, 9, 16, 25]


def test_a_header_that_was_cut_off_is_written_again(tmp_path):
    (tmp_path / "toy.csv").write_text("number,ha")
    run(Toy().experiment(), tmp_path, workers=1)
    assert len(pd.read_csv(tmp_path / "toy.csv")) == 5


def test_rows_of_other_settings_are_not_mixed(tmp_path):
    run(Toy().experiment(seed=0), tmp_path, workers=1)
    with pytest.raises(ExperimentError, match="other settings; choose another --out"):
        run(Toy().experiment(seed=1), tmp_path, workers=1)


def test_interrupted_from_the_keyboard(tmp_path, monkeypatch, capsys):
    def load(name, *, quick):
        return Toy(break_at=3).experiment()

    monkeypatch.setattr(Experiment, "load", load)
    assert main(["toy", "--out", str(tmp_path)]) == 130
    assert "the same command goes on" in capsys.readouterr().err


@pytest.mark.slow
def test_calibration_from_end_to_end(tmp_path, capsys):
    experiment = Experiment.load("calibration", quick=True)
    settings = experiment.settings | {"datasets": 2, "options": {"max_parents": 4, "draws": 200}}
    run(replace(experiment, settings=settings), tmp_path, workers=1)
    rows = pd.read_csv(tmp_path / "calibration.csv")
    assert len(rows) == 2 * len(settings["priors"]) * len(settings["scales"])
    assert set(rows["truth"].str.split().str.len()) == {25}
    assert (tmp_path / "calibration.png").read_bytes().startswith(PNG)
    assert "ECE" in capsys.readouterr().out


@pytest.mark.parametrize(("score", "weight"), [("gp", 0.5), ("adaptive", 0.7)])
def test_a_candidate_for_the_default_is_what_learn_makes_of_it(tmp_path, score, weight):
    """The study of defaults shares curves among scores; `learn` does not."""
    made = gpnet.simulate(nodes=4, rows=60, nonlinearity=0.5, edge_probability=0.5, seed=2)
    known = Known(gpnet.load_table(made.frame()), made.dag)
    options = {
        "score": score,
        "linear_weight": weight,
        "prior": "edges:1",
        "evidence": "qmc",
        "space": "full",
        "sampler": "exact",
    }
    dags, weights = posterior(known, options, tmp_path / "scores.db", 1, 4000)
    found = metrics.edge_probabilities(dags, weights)
    # The study was made under Gaussian noise, of values as they are, of all rows and without doubt.
    options |= {"noise": "gaussian", "transform": "none", "doubt": "off", "bag": "off"}
    learnt = gpnet.learn(known.data, **options).edge_probabilities().to_numpy()
    assert np.abs(found - learnt).max() < 0.02  # scores have an error of 0.02 nats, draws less
    # The control: the other score is told apart.
    other = {"gp": "adaptive", "adaptive": "gp"}[score]
    off = gpnet.learn(known.data, **(options | {"score": other})).edge_probabilities().to_numpy()
    assert np.abs(found - off).max() > 0.06


def test_each_table_of_any_scale_with_weak_curves_and_without(tmp_path):
    experiment = Experiment.load("calibration-weak", quick=True)
    settings = experiment.settings | {"datasets": 2, "rows": 30}
    run(replace(experiment, settings=settings), tmp_path, workers=1)
    rows = pd.read_csv(tmp_path / "calibration-weak.csv")
    assert len(rows) == 2 * len(settings["scales"]) * len(settings["weak_weights"])
    low = rows[rows["weak_weight"] == 0]["probabilities"].tolist()
    assert low != rows[rows["weak_weight"] > 0]["probabilities"].tolist()
    assert (tmp_path / "calibration-weak.png").read_bytes().startswith(PNG)

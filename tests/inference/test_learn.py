"""gpnet.learn: the whole line, against enumeration of all DAGs under the accurate scores."""

import inspect

import numpy as np
import pytest
from scipy.special import softmax
from threadpoolctl import threadpool_info, threadpool_limits

import gpnet
from gpnet.common.errors import DataError, OptionError, OutOfTimeError, StoreError
from gpnet.data.load import load_table
from gpnet.graphs.enumeration import all_dags
from gpnet.inference import pipeline
from gpnet.inference.importance_rounds import Rounds
from gpnet.inference.plan import make_score
from gpnet.inference.settings import Settings
from gpnet.samplers import SAMPLERS
from gpnet.score_table.table import tabulate
from gpnet.search_spaces import FullSpace
from gpnet.structure_priors import EdgePenalty


@pytest.fixture(scope="module")
def simulation():
    return gpnet.simulate(nodes=4, rows=60, nonlinearity=1.0, edge_probability=0.5, seed=5)


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    """One for all tests: they ask for the same scores again and again."""
    return tmp_path_factory.mktemp("store") / "scores"


def enumerated(simulation, score):
    """(4, 4): edge probabilities by enumeration of all DAGs, under accurate scores."""
    data = load_table(simulation.frame())
    scorer = make_score(Settings(score=score))
    table = tabulate(data, FullSpace().build(data), scorer, EdgePenalty(1.0))
    dags = all_dags(4)
    return np.tensordot(softmax(table.log_scores_of(dags)), dags, 1)


@pytest.fixture(scope="module")
def exact(simulation):
    """Under the default score."""
    return enumerated(simulation, Settings().score)


@pytest.fixture(scope="module")
def exact_gp(simulation):
    """Under the paper's."""
    return enumerated(simulation, "gp")


def same(first, second):
    return all(
        np.array_equal(getattr(first, name), getattr(second, name), equal_nan=name != "dags")
        for name in ("dags", "log_weights", "log_target", "chain")
    )


@pytest.mark.parametrize("sampler", SAMPLERS)
@pytest.mark.parametrize(("score", "refine"), [("adaptive", True), ("gp", True), ("gp", False)])
def test_every_sampler_finds_the_posterior(
    simulation, store, exact, exact_gp, sampler, score, refine
):
    exact = {"adaptive": exact, "gp": exact_gp}[score]
    posterior = gpnet.learn(
        simulation.frame(),
        score=score,
        prior="edges:1",
        sampler=sampler,
        refine=refine,
        draws=8000,
        chains=2,
        bag="off",
        doubt="off",
        store=store,
    )
    found = posterior.edge_probabilities().to_numpy()
    errors = np.maximum(posterior.edge_errors().to_numpy(), 1e-12)
    off_diagonal = ~np.eye(4, dtype=bool)
    # The enumeration has the same scores: only the draws have an error. 12 edges, 12 cases: 4.5 sd.
    assert np.abs((found - exact) / errors)[off_diagonal].max() < 4.5
    assert np.abs(found - exact).max() < 0.03
    assert posterior.diagnosis["converged"], posterior.diagnosis["verdict"]
    assert (posterior.missing_mass is not None) <= refine


def test_the_paper_alone_would_be_off(simulation, store, exact):
    """A control: what the Laplace approximation gives differs by more than the errors above.

    It tells no error of its own.
    """
    options = {"prior": "edges:1", "bag": "off", "doubt": "off", "draws": 8000, "store": store}
    posterior = gpnet.learn(simulation.frame(), evidence="laplace", **options)
    off = np.abs(posterior.edge_probabilities().to_numpy() - exact)
    errors = gpnet.learn(simulation.frame(), **options).edge_errors().to_numpy()
    assert off.max() > 4.5 * errors.max() > 0
    assert np.isnan(posterior.edge_errors().to_numpy()[~np.eye(4, dtype=bool)]).all()


def test_same_numbers_whatever_the_workers_and_the_store(simulation, store, tmp_path):
    options = {"prior": "edges:1", "draws": 500, "seed": 3}
    first = gpnet.learn(simulation.frame(), workers=1, **options)
    second = gpnet.learn(simulation.frame(), workers=2, store=tmp_path / "new", **options)
    again = gpnet.learn(simulation.frame(), workers=2, store=tmp_path / "new", **options)
    assert same(first, second)
    assert same(first, again)
    other = gpnet.learn(simulation.frame(), **(options | {"seed": 4}))
    assert not same(first, other)


@pytest.mark.parametrize("score", ["bge", "gp2"])
@pytest.mark.parametrize("prior", ["uniform", "fair", "learned"])
def test_every_score_and_prior_comes_through(simulation, store, score, prior):
    posterior = gpnet.learn(
        simulation.frame(),
        score=score,
        evidence="laplace",
        prior=prior,
        max_parents=2,
        draws=300,
        store=store,
    )
    learned = prior == "learned"
    assert posterior.n_draws == 300
    assert (posterior.gammas is not None) == learned
    assert posterior.diagnosis.replicates == (None if learned else 100)
    assert any("replicates" in note for note in posterior.diagnosis.notes) == learned
    assert posterior.dags.sum(axis=1).max() <= 2


def test_scores_in_closed_form_have_no_error_of_their_own(simulation):
    posterior = gpnet.learn(simulation.frame(), score="bge", draws=300)
    assert (posterior.local_scores.std_error == 0).all()
    assert posterior.diagnosis["sets_scored_again"] == 0


def test_knowledge_is_obeyed(simulation, store):
    posterior = gpnet.learn(
        simulation.frame(),
        require=["V1 -> V2"],
        forbid=[("V3", "V4")],
        tiers=[["V1", "V2"], ["V3"]],
        prior="uniform",
        draws=300,
        store=store,
    )
    p = posterior.edge_probabilities()
    assert p.loc["V1", "V2"] == 1
    assert p.loc["V3", "V4"] == p.loc["V3", "V1"] == p.loc["V3", "V2"] == 0
    assert p.loc["V4", "V1"] > 0  # a variable in no tier is free


def test_settings_repeat_the_run(simulation, store):
    posterior = gpnet.learn(
        simulation.frame(), prior="edges:1", thin=7, sampler="order", draws=200, store=store
    )
    again = gpnet.learn(simulation.frame(), store=store, **posterior.settings["options"])
    assert same(posterior, again)
    assert posterior.settings["chosen"] == {"space": "full", "sampler": "order"}


def test_a_wider_table_takes_the_searched_space():
    data = gpnet.simulate(nodes=20, rows=50, edge_probability=0.05, seed=1)
    posterior = gpnet.learn(
        data.frame(), score="bge", max_parents=2, space="iterative", draws=2000, chains=2
    )
    assert posterior.settings["chosen"] == {"space": "iterative", "sampler": "partition"}
    assert posterior.diagnosis["space_restricted"]
    assert any("restricted" in note for note in posterior.diagnosis["notes"])
    assert posterior.diagnosis["chains"] == 2


def test_the_signature_tells_all_options():
    parameters = inspect.signature(gpnet.learn).parameters
    assert set(Settings().record()) < set(parameters)
    assert parameters["draws"].default == Settings().draws


def test_out_of_time_keeps_what_was_computed(simulation, tmp_path):
    path = tmp_path / "scores"
    first = gpnet.learn(simulation.frame(), store=path, time_budget=1e-3)
    assert first.diagnosis.first_answer
    assert not first.diagnosis.converged
    assert first.settings["options"]["score"] == "linear"
    assert first.dags.sum(axis=1).max() <= 3
    assert path.exists()
    posterior = gpnet.learn(simulation.frame(), store=path, draws=100)
    assert posterior.diagnosis.first_answer is None
    assert same(posterior, gpnet.learn(simulation.frame(), draws=100))


@pytest.mark.parametrize("stage", ["settle", "prepare", "run"])
def test_where_the_time_ends_after_pilot_draws_these_are_the_answer(stage, simulation, monkeypatch):
    """By the model that was asked for: lines are for tables that nothing was drawn from."""

    def ends(*_, **__):
        raise OutOfTimeError("the time budget ended here")

    monkeypatch.setattr(Rounds, stage, ends)
    found = gpnet.learn(simulation.frame())
    diagnosis = found.diagnosis
    assert diagnosis.first_answer is None
    assert found.settings["options"]["score"] == "adaptive"
    assert diagnosis.converged is False
    assert (
        "the time budget ended before chains had drawn: these are 1,000 pilot" in diagnosis.verdict
    )
    assert not any("pilot" in note for note in diagnosis.notes)
    monkeypatch.undo()
    whole = gpnet.learn(simulation.frame())
    assert "pilot" not in whole.diagnosis.verdict
    apart = found.edge_probabilities() - whole.edge_probabilities()
    assert np.abs(np.asarray(apart)).max() < 0.1


def test_a_first_answer_has_what_the_user_knows():
    table = gpnet.simulate(nodes=6, rows=50, edge_probability=0.5, seed=3).frame()
    table.iloc[0, 0] = np.nan
    asked = {"require": ["V1 -> V2"], "roots": ["V3"], "missing": "impute"}
    first = gpnet.learn(table, **asked, time_budget=1e-3)
    assert first.diagnosis.first_answer
    assert first.probability("V1 -> V2") == 1
    assert not first.dags[:, :, 2].any()


@pytest.mark.parametrize(
    ("options", "kind", "told"),
    [
        ({"drawz": 3}, TypeError, "drawz"),
        ({"workers": 0}, OptionError, "workers: a whole number from 1"),
        ({"time_budget": 0}, OptionError, "time_budget: more than 0"),
        ({"transform": "sqrt"}, OptionError, "transform"),
        ({"store": "nowhere/at/all/scores"}, StoreError, "existing folder"),
        ({"sampler": "exact", "prior": "edges"}, OptionError, "gamma"),
    ],
)
def test_bad_options_are_refused_at_once(simulation, options, kind, told):
    with pytest.raises(kind, match=told):
        gpnet.learn(simulation.frame(), **options)


def test_bad_data_are_refused():
    with pytest.raises(DataError, match="V2"):
        gpnet.learn(np.column_stack([np.arange(9.0), np.full(9, np.nan), np.arange(9.0) ** 2]))


BEFORE_REPLICATES = [
    "comparing scales",
    "choosing the search space",
    "scoring parent sets",
    "drawing DAGs (pilot)",
    "scoring what was drawn (pilot)",  # what is beside it was left out
    "drawing DAGs (pilot)",
    "scoring what was drawn",
    "drawing DAGs",
    "scoring what was drawn",
    "scoring what was left out",  # before curves: draws may have to be made again
]
AFTER_REPLICATES = ["checking the model", "fitting curves"]


def stages_of(simulation, **options):
    stages = []

    def progress(stage):
        stages.append(stage)
        return lambda done, total, left: None

    gpnet.learn(simulation.frame(), progress=progress, prune=0, **options)
    return stages


def test_stages_are_told(simulation, store):
    stages = stages_of(simulation, draws=100, bag="off", store=store)
    assert stages == [*BEFORE_REPLICATES, *AFTER_REPLICATES]


def test_stages_of_replicates_are_told(simulation, store):
    stages = stages_of(simulation, draws=100, bag=4, store=store)
    n, m = len(BEFORE_REPLICATES), len(AFTER_REPLICATES)
    assert (stages[:n], stages[-m:]) == (BEFORE_REPLICATES, AFTER_REPLICATES)
    between = stages[n:-m]
    if between[-1] == "scoring what was drawn":  # where replicates drew other sets
        between.pop()
    assert set(between) == {"scoring replicates", "drawing replicates"}


def test_curves_of_all_edges_that_are_probable_if_the_model_holds(simulation, store):
    """Edges that doubt turned round have none: nothing was fitted to them."""
    posterior = gpnet.learn(simulation.frame(), draws=300, store=store)
    plain = posterior.without_doubt()
    p = plain.edge_probabilities().to_numpy()
    for parent, child in np.argwhere(p > 0.05):
        assert posterior.fits.with_edge(parent, child)
    column = posterior.names.index
    relations = plain.relations()
    assert (relations["probability"] > 0.5).any()
    for child, parents in relations.loc[
        relations["probability"] > 0.5, ["child", "parents"]
    ].values:
        assert posterior.fits.find(column(child), map(column, parents)) is not None
    again = gpnet.learn(simulation.frame(), draws=300, store=store, workers=1)
    for name, array in vars(posterior.fits).items():
        np.testing.assert_array_equal(getattr(again.fits, name), array)


def test_without_curves_the_posterior_is_the_same(simulation, store, tmp_path):
    options = {"draws": 200, "store": store}
    with_curves, without = (
        gpnet.learn(simulation.frame(), curves=curves, **options) for curves in (True, False)
    )
    assert with_curves.fits is not None
    assert without.fits is None
    assert same(with_curves, without)
    assert without.diagnosis == with_curves.diagnosis
    without.save(tmp_path / "posterior.npz")
    assert gpnet.load(tmp_path / "posterior.npz").fits is None


def test_curves_that_there_was_no_time_for_are_told(simulation, store, monkeypatch):
    monkeypatch.setattr("gpnet.inference.fit_relations.fit_curves", lambda *_: None)
    posterior = gpnet.learn(simulation.frame(), draws=300, store=store)
    assert posterior.fits.families() == []
    n_left = posterior.diagnosis["relations_unfitted"]
    assert n_left > 0
    assert any(f"before {n_left} relation" in note for note in posterior.diagnosis["notes"])


def test_one_blas_thread_while_learning(monkeypatch):
    """More of them wait for each other where others use the cores."""
    seen, diagnose = [], pipeline.diagnose

    def watched(*those, **options):
        seen.extend(one["num_threads"] for one in threadpool_info() if one["user_api"] == "blas")
        return diagnose(*those, **options)

    monkeypatch.setattr(pipeline, "diagnose", watched)
    with threadpool_limits(2):
        gpnet.learn(gpnet.simulate(nodes=3, rows=40, seed=1).frame(), score="bge", draws=100)
    assert set(seen) == {1}

import numpy as np
import pytest
from scipy.stats import binom, chi2, kstest, norm

from gpnet import OptionError, simulate
from gpnet.gp.kernels import KERNELS
from gpnet.gp.priors import Hyperpriors, InverseGamma, Normal
from gpnet.graphs.dag import is_acyclic, random_dag, topological_order
from gpnet.simulation.networks import MODELS, FourierNetwork, GpNetwork, fourier_network


@pytest.mark.parametrize("model", MODELS)
def test_seeds_reproduce(model):
    first, again, other = (simulate(model=model, nodes=5, rows=30, seed=s) for s in (4, 4, 5))
    np.testing.assert_array_equal(first.values, again.values)
    np.testing.assert_array_equal(first.dag, again.dag)
    assert not np.array_equal(first.values, other.values)


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("seed", range(5))
def test_graphs_are_acyclic_and_values_finite(model, seed):
    simulation = simulate(model=model, nodes=8, rows=25, edge_probability=0.7, seed=seed)
    assert is_acyclic(simulation.dag)
    assert np.isfinite(simulation.values).all()
    assert simulation.values.shape == (25, 8)


@pytest.mark.parametrize("probability", [0.0, 0.2, 0.7, 1.0])
def test_edge_density(probability):
    rng = np.random.default_rng(0)
    n_edges = sum(random_dag(10, probability, rng).sum() for _ in range(200))
    low, high = binom(200 * 45, probability).interval(1 - 1e-6)
    assert low <= n_edges <= high


def test_no_column_is_favoured():
    """Any ordered pair is as likely an edge as any other; 1e-6 a pair."""
    rng = np.random.default_rng(1)
    counts = sum(random_dag(4, 0.5, rng).astype(int) for _ in range(4000))
    low, high = binom(4000, 0.25).interval(1 - 1e-6)
    pairs = counts[~np.eye(4, dtype=bool)]
    assert low <= pairs.min()
    assert pairs.max() <= high


def test_topological_order_and_cycles():
    dag = random_dag(30, 0.3, np.random.default_rng(2))
    place = np.argsort(topological_order(dag))
    parents, children = np.nonzero(dag)
    assert (place[parents] < place[children]).all()
    cycle = np.roll(np.eye(4, dtype=bool), 1, axis=1)
    assert topological_order(cycle) is None


def test_nonlinearity_zero_is_linear():
    rng = np.random.default_rng(3)
    network = fourier_network(random_dag(8, 0.5, rng), 0.0, rng)
    values = network.draw(50, rng)
    for node in range(8):
        np.testing.assert_allclose(
            network.mean(node, values), values @ network.beta[:, node], atol=1e-12
        )


def test_fourier_formula_edge_by_edge():
    rng = np.random.default_rng(4)
    dag = np.zeros((3, 3), bool)
    dag[[0, 1], 2] = True
    network = fourier_network(dag, 1.0, rng)
    values = network.draw(20, rng)
    expected = np.zeros(20)
    for j in (0, 1):
        w, v = network.cosines[j, 2], network.sines[j, 2]
        inner = w[0] * values[:, j]
        for k in range(1, 7):
            inner = inner + v[k] * np.sin(k * values[:, j]) + w[k] * np.cos(k * values[:, j])
        expected += network.beta[j, 2] * inner
    np.testing.assert_allclose(network.mean(2, values), expected, atol=1e-12)
    assert not np.allclose(network.cosines[0, 2], network.cosines[1, 2])  # weights of each edge


@pytest.mark.parametrize("nonlinearity", [0.001, 0.5, 1.0, 100.0])
def test_fourier_weights_are_a_dirichlets(nonlinearity):
    rng = np.random.default_rng(5)
    network = fourier_network(random_dag(60, 0.5, rng), nonlinearity, rng)
    decay = np.exp(-np.arange(7) / nonlinearity)
    for weights in (network.cosines, network.sines):
        np.testing.assert_allclose(weights.sum(axis=2), 1, atol=1e-12)
        # 3 600 draws each with sd below 0.36: 5 standard errors
        np.testing.assert_allclose(weights.mean(axis=(0, 1)), decay / decay.sum(), atol=0.03)


def test_strengths_of_edges():
    rng = np.random.default_rng(6)
    dag = random_dag(60, 0.5, rng)
    strength = fourier_network(dag, 1.0, rng).beta
    assert (strength[~dag] == 0).all()
    sizes = np.abs(strength[dag])
    assert kstest(sizes, "uniform", args=(0.5, 1.5)).pvalue > 1e-4
    assert 0.4 < (strength[dag] > 0).mean() < 0.6


def test_noise_is_standard_normal():
    simulation = simulate(nodes=3, rows=5000, edge_probability=0.0, seed=7)
    assert kstest(simulation.values.ravel(), norm.cdf).pvalue > 1e-4


@pytest.mark.parametrize("kernel", ["additive", "interaction"])  # whose formulas stand below
def test_gp_network_has_the_models_covariance(kernel):
    """With priors shrunk to points, x' Sigma^-1 x over 400 draws is chi-square."""
    point = InverseGamma(1e8, 1e8)  # the value 1, to four digits
    hyperpriors = Hyperpriors(point, InverseGamma(1e8, 0.5e8), point, Normal(0, 1))
    dag = np.array([[0, 0, 1], [0, 0, 1], [0, 0, 0]], bool)
    network = GpNetwork(dag, KERNELS[kernel](), hyperpriors)
    rng = np.random.default_rng(8)
    values = rng.standard_normal((15, 3))
    draws = np.array([network.draw_node(2, values, rng) for _ in range(400)])
    k = [np.exp(-((values[:, [i]] - values[:, i]) ** 2) / 2) for i in (0, 1)]
    covariance = k[0] + k[1] + 1 + 0.25 * np.eye(15)
    if kernel == "interaction":
        covariance += k[0] * k[1]
    low, high = chi2(draws.size).interval(1 - 1e-4)
    assert low < np.vdot(draws.T, np.linalg.solve(covariance, draws.T)) < high
    # negative control: a noise of 0.55 instead of 0.5 is told apart
    wrong = covariance + (0.55**2 - 0.5**2) * np.eye(15)
    assert np.vdot(draws.T, np.linalg.solve(wrong, draws.T)) < low


def test_own_dag_is_used():
    dag = np.array([[0, 1], [0, 0]])
    simulation = simulate(dag=dag, rows=10)
    np.testing.assert_array_equal(simulation.dag, dag.astype(bool))
    assert simulation.names == ("V1", "V2")


@pytest.mark.parametrize(
    ("option", "bad"),
    [
        ("nodes", {"nodes": 0}),
        ("nodes", {"nodes": 2.5}),
        ("nodes", {"nodes": np.inf}),
        ("nodes", {"nodes": "3"}),
        ("nodes", {"nodes": 10**30}),
        ("rows", {"rows": 0}),
        ("rows", {"rows": None}),
        ("rows", {"rows": 10**30}),
        ("model", {"model": "magic"}),
        ("model", {"model": ["gp"]}),
        ("nonlinearity", {"nonlinearity": -1}),
        ("nonlinearity", {"nonlinearity": np.nan}),
        ("nonlinearity", {"nonlinearity": np.inf}),
        ("nonlinearity", {"nonlinearity": None}),
        ("edge_probability", {"edge_probability": 1.5}),
        ("edge_probability", {"edge_probability": "0.5"}),
        ("seed", {"seed": -1}),
        ("seed", {"seed": 1.5}),
        ("seed", {"seed": None}),
        ("dag", {"dag": np.array([[0, 1], [1, 0]])}),
        ("dag", {"dag": np.array([[0, 2], [0, 0]])}),
        ("dag", {"dag": np.zeros((2, 3))}),
        ("dag", {"dag": np.zeros((0, 0))}),
        ("dag", {"dag": [[0, 1], [0]]}),
    ],
)
def test_bad_options_are_named(option, bad):
    with pytest.raises(OptionError, match=option):
        simulate(**bad)


def test_values_beyond_the_floats_are_an_error_not_a_table(monkeypatch):
    """As 1 400 nodes with all edges would make; here one edge is strong enough."""

    def steep(dag, *_):
        weights = np.ones((2, 2, 7))
        return FourierNetwork(dag, np.full((2, 2), 1.7e308), weights, weights)

    monkeypatch.setitem(MODELS, "steep", steep)
    with pytest.raises(OptionError, match="edge_probability"):
        simulate(model="steep", dag=np.array([[0, 1], [0, 0]]))


def test_a_tiny_nonlinearity_is_linear():
    straight, almost = (simulate(nodes=4, nonlinearity=x, seed=1) for x in (0.0, 5e-324))
    assert np.isfinite(almost.values).all()
    np.testing.assert_array_equal(straight.dag, almost.dag)


def test_a_folder_that_no_system_could_hold(tmp_path):
    with pytest.raises(OptionError, match="out: cannot write"):
        simulate(nodes=2, rows=3).write(tmp_path / "a\0b")


@pytest.mark.parametrize("model", ["gp", "gp2"])
def test_columns_of_the_models_prior_are_all_but_standardised(model):
    values = simulate(nodes=4, rows=60, edge_probability=0.8, model=model, seed=3).values
    np.testing.assert_allclose(values.mean(axis=0), 0, atol=1e-12)
    assert (np.abs(np.log(values.std(axis=0, ddof=1))) < 0.1).all()
    few = simulate(nodes=4, rows=2, edge_probability=0.8, model=model, seed=3).values
    assert np.isfinite(few).all()


def test_columns_of_their_own_scale_are_of_any():
    network = GpNetwork(np.zeros((6, 6), dtype=bool), KERNELS["additive"](), Hyperpriors())
    spreads = network.draw(100, np.random.default_rng(1)).std(axis=0)
    assert spreads.max() > 2 * spreads.min()


# Experiments


def test_interventions_set_one_variable_at_a_time():
    made = simulate(nodes=4, rows=30, interventions=3, rows_each=20, seed=1)
    plain = simulate(nodes=4, rows=30, seed=1)
    assert made.values.shape == (90, 4)
    assert plain.interventions is None
    np.testing.assert_array_equal(made.interventions[:30], False)
    assert (made.interventions[30:].sum(axis=1) == 1).all()
    assert (made.interventions.sum(axis=0) == [20] * 3 + [0]).sum() >= 1
    target = made.frame()["target"]
    assert set(target[:30]) == {""}
    assert len(set(target[30:])) == 3


def test_a_variable_that_is_set_no_longer_depends_on_its_parents():
    dag = np.array([[0, 1], [0, 0]])
    made = simulate(dag=dag, rows=2000, nonlinearity=0, interventions=2, rows_each=2000, seed=3)
    a, b = made.values.T
    by_rows = {
        "nothing": ~made.interventions.any(axis=1),
        "cause": made.interventions[:, 0],
        "effect": made.interventions[:, 1],
    }
    correlation = {name: np.corrcoef(a[rows], b[rows])[0, 1] for name, rows in by_rows.items()}
    assert abs(correlation["nothing"]) > 0.4
    assert abs(correlation["cause"]) > 0.4
    assert abs(correlation["effect"]) < 0.1  # more with a probability of 1e-5


def test_conditions_and_covariates_drive_what_the_truth_says():
    made = simulate(nodes=3, rows=3000, conditions=3, covariates=2, edge_probability=0, seed=4)
    assert made.all_names == ("V1", "V2", "V3", "condition", "covariate1", "covariate2")
    assert made.dag.shape == (6, 6)
    assert not made.dag[:, 3:].any()
    frame = made.frame()
    for k, name in enumerate(("condition", "covariate1"), start=3):
        for v in range(3):
            means = frame.groupby(name)[f"V{v + 1}"].mean()
            moved = np.ptp(means) > 0.15 * frame[f"V{v + 1}"].std()
            assert moved == made.dag[k, v], (name, v)


@pytest.mark.parametrize(
    "options",
    [{"interventions": 5, "nodes": 4}, {"conditions": 1}, {"rows_each": 0}, {"covariates": -1}],
)
def test_experiments_that_cannot_be(options):
    with pytest.raises(OptionError, match=next(iter(options))):
        simulate(**options)


def test_a_simulation_shows_itself_in_a_line_and_in_a_notebook():
    small = simulate(nodes=3, rows=2000, edge_probability=1.0, covariates=1, seed=1)
    assert repr(small).startswith("<Simulation of 2,000 rows, 4 variables: ")
    assert len(repr(simulate(nodes=30, rows=50, edge_probability=0.9, seed=1))) < 150
    assert repr(simulate(nodes=2, rows=20, edge_probability=0.0)).endswith(": no edges>")
    page = small._repr_html_()
    assert page.count("<tr") == 6  # the names, and five rows
    assert "and 1,995 more rows" in page
    assert " -> " not in page  # names are text, never markup

"""Kernel PC: its regression, its tests and its algorithm, each against a naive twin or an oracle.

Statistical tests fix their seeds; where they count rejections, the bounds are four standard
deviations of a binomial wide, a false alarm in 16 000.
"""

from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from baselines import LEARNERS, Resources
from baselines.kernel_pc import KernelPc, learner, smoothing
from baselines.kernel_pc.half_sample import HalfSample
from baselines.kernel_pc.independence import N_PERMUTATIONS, TESTS, DistanceCovariance, Hsic
from baselines.kernel_pc.pc import extension, pattern, skeleton
from experiments import reference
from scipy.interpolate import CubicSpline
from scipy.stats import gamma, pearsonr

import gpnet
from gpnet.common.errors import DataError, OptionError
from gpnet.graphs.dag import is_acyclic, random_dag
from gpnet.graphs.enumeration import all_dags
from gpnet.graphs.equivalence import cpdag
from gpnet.graphs.separation import d_separated
from gpnet.posterior import metrics

# Regression


def least_squares_residuals(y, columns, smoothness):
    """Penalised least squares in plain coordinates, and its N rss / (N - freedom)^2.

    The second derivative is integrated by the trapezoidal rule on a fine grid.
    """
    design, penalties = [np.ones((len(y), 1))], [np.zeros((1, 1))]
    for x in columns:
        knots = np.quantile(x, np.linspace(0, 1, 10))
        spline = CubicSpline(knots, np.eye(10), bc_type="natural")
        grid = np.linspace(knots[0], knots[-1], 40_001)
        bend = spline(grid, 2)
        weight = np.full(len(grid), grid[1] - grid[0])
        weight[[0, -1]] /= 2
        design.append(spline(x))
        penalties.append(bend.T @ (weight[:, None] * bend))
    X = np.hstack(design)
    P = np.zeros((X.shape[1], X.shape[1]))
    at = 0
    for penalty in penalties:
        P[at : at + len(penalty), at : at + len(penalty)] = penalty
        at += len(penalty)
    hat = X @ np.linalg.pinv(X.T @ X + smoothness * P, rcond=1e-11, hermitian=True) @ X.T
    left = y - hat @ y
    return left, len(y) * left @ left / (len(y) - np.trace(hat)) ** 2


@pytest.mark.parametrize("n_columns", [1, 2])
def test_residuals_are_those_of_penalised_least_squares(n_columns):
    rng = np.random.default_rng(n_columns)
    columns = rng.normal(size=(n_columns, 60))
    y = np.sin(2 * columns).sum(axis=0) + 0.3 * rng.normal(size=60)
    smoother = smoothing.together([smoothing.curve(x) for x in columns])
    found = smoother.residuals(y[:, None])[:, 0]
    twins = [least_squares_residuals(y, columns, s) for s in smoothing.SMOOTHNESS[12:33, 0]]
    expected = min(twins, key=lambda twin: twin[1])[0]
    assert found == pytest.approx(expected, abs=1e-4)
    for other, _ in (twins[0], twins[-1]):
        assert np.abs(found - other).max() > 0.05


def test_a_straight_line_is_left_out_whole_and_noise_stays():
    rng = np.random.default_rng(3)
    x, noise = rng.normal(size=(2, 400))
    left = smoothing.curve(x).residuals(np.column_stack([2 * x - 1, noise]))
    assert np.abs(left[:, 0]).max() < 1e-8
    assert np.corrcoef(left[:, 1], noise)[0, 1] > 0.97


def test_columns_with_few_values():
    two = np.repeat([0.0, 1.0], 15)
    y = np.random.default_rng(0).normal(size=(30, 1))
    expected = y[:, 0] - np.repeat([y[:15].mean(), y[15:].mean()], 15)
    assert smoothing.curve(two).residuals(y)[:, 0] == pytest.approx(expected)
    none = smoothing.curve(np.ones(30))
    both = smoothing.together([none, smoothing.curve(two)])
    assert none.residuals(y) == pytest.approx(y - y.mean())
    assert both.residuals(y)[:, 0] == pytest.approx(expected)


# Tests of independence


def hsic_twin(x, y):
    """By sums over rows, as Gretton et al. (2007) write HSIC, its mean and its variance."""
    n = len(x)

    def gram(z):
        return [[np.exp(-((a - b) ** 2)) for b in z] for a in z]

    def mean_of(terms):
        return sum(terms) / len(terms)

    k, m, every = gram(x), gram(y), range(n)
    joint = mean_of([k[i][j] * m[i][j] for i in every for j in every])
    apart = mean_of([k[i][j] for i in every for j in every])
    apart *= mean_of([m[i][j] for i in every for j in every])
    mixed = mean_of([k[i][j] * m[i][q] for i in every for j in every for q in every])
    H = np.eye(n) - 1 / n
    norms = [np.trace(np.array(g) @ H @ np.array(g) @ H) / n**2 for g in (k, m)]
    means = [mean_of([g[i][j] for i, j in combinations(every, 2)]) for g in (k, m)]
    mean = (1 + means[0] * means[1] - means[0] - means[1]) / n
    variance = 2 * (n - 4) * (n - 5) / (n * (n - 1) * (n - 2) * (n - 3)) * norms[0] * norms[1]
    null = gamma(mean**2 / variance, scale=variance / mean)
    return null.sf(joint + apart - 2 * mixed)


def distance_covariance_twin(x, y):
    """S1 + S2 - 2 S3 of Szekely et al. (2007)."""
    n, a, b = len(x), np.abs(x[:, None] - x), np.abs(y[:, None] - y)
    s3 = sum(a[i, j] * b[i, q] for i in range(n) for j in range(n) for q in range(n)) / n**3
    return (a * b).mean() + a.mean() * b.mean() - 2 * s3


def p_value(test, x, y, seed=(0,)):
    return test.p_value(test.prepare(x), test.prepare(y), list(seed))


@pytest.mark.parametrize("strength", [0.0, 0.4, 1.0])
def test_hsic_against_sums_over_rows(strength):
    x, noise = np.random.default_rng(4).normal(size=(2, 20))
    y = strength * x**2 + noise
    assert p_value(Hsic(), x, y) == pytest.approx(hsic_twin(x, y), rel=1e-9)


@pytest.mark.parametrize("strength", [0.0, 0.4, 1.0])
def test_distance_covariance_against_sums_over_rows(strength):
    x, noise = np.random.default_rng(4).normal(size=(2, 12))
    y = strength * x**2 + noise
    rows = np.tile(np.arange(12), (N_PERMUTATIONS, 1))
    orders = np.random.default_rng([5, 6]).permuted(rows, axis=1)
    found = distance_covariance_twin(x, y)
    n_as_much = sum(distance_covariance_twin(x, y[order]) >= found for order in orders)
    expected = (1 + n_as_much) / (1 + N_PERMUTATIONS)
    assert p_value(DistanceCovariance(), x, y, seed=[5, 6]) == expected


def p_values_of_tables(name, dependence, n_tables=400):
    tables = np.random.default_rng(7).normal(size=(n_tables, 2, 50))
    tables[:, 1] += dependence * tables[:, 0]
    return np.array([p_value(TESTS[name](), x, y, seed=[k]) for k, (x, y) in enumerate(tables)])


@pytest.mark.parametrize("name", TESTS)
def test_level_under_independence(name):
    """HSIC's gamma is an approximation: at 0.05 and 0.3 good to a tenth of the level."""
    independent, dependent = p_values_of_tables(name, 0), p_values_of_tables(name, 0.3)
    for level in (0.05, 0.3):
        exact = np.floor(level * (1 + N_PERMUTATIONS)) / (1 + N_PERMUTATIONS)
        width = 4 * np.sqrt(exact * (1 - exact) / 400) + (0.1 * level if name == "hsic" else 0)
        assert abs(np.mean(independent < level) - exact) < width
        assert np.mean(dependent < level) > exact + width  # the bounds can be missed


@pytest.mark.parametrize("name", TESTS)
def test_dependence_that_correlation_does_not_see(name):
    rng = np.random.default_rng(8)
    tables = rng.normal(size=(40, 2, 80))
    tables[:, 1] = 0.5 * tables[:, 1] + (tables[:, 0] ** 2 - 1)
    # Antithetic rows: the correlation of x and x^2 is exactly 0 in them.
    tables = np.concatenate([tables, tables * [[-1], [1]]], axis=2)
    assert all(p_value(TESTS[name](), x, y) < 0.01 for x, y in tables)
    assert np.mean([pearsonr(x, y).pvalue < 0.01 for x, y in tables]) < 0.1


@pytest.mark.parametrize("name", TESTS)
def test_a_column_that_does_not_vary_depends_on_nothing(name):
    x = np.random.default_rng(9).normal(size=30)
    assert p_value(TESTS[name](), x, np.full(30, 0.1)) == 1


def test_nothing_is_left_of_a_copy():
    """What a column leaves of itself is rounding: a p-value all the same."""
    x, y = np.random.default_rng(9).normal(size=(2, 30))
    half = HalfSample(np.column_stack([x, y, 2 * x]), "hsic", [0, 0], {})
    assert half.p_value(0, 1, (2,)) == 1


def curved_tables(kind, n_tables=30, n_rows=150):
    """Columns x, y, z: a chain x -> z -> y or a collider x -> z <- y, none of it linear."""
    rng = np.random.default_rng(10)
    for _ in range(n_tables):
        x, y, z = rng.normal(size=(3, n_rows))
        if kind == "chain":
            z = 0.2 * z + np.exp(x / 2)
            y = 0.2 * y + np.abs(z - 1)
        else:
            z = 0.3 * z + x + y
        yield np.column_stack([x, y, z])


def rejected(kind, name, given):
    halves = [HalfSample(table, name, [1, 2], {}) for table in curved_tables(kind)]
    return np.mean([half.p_value(0, 1, given) < 0.01 for half in halves])


@pytest.mark.parametrize("name", TESTS)
def test_conditional_independence_of_a_chain(name, monkeypatch):
    assert rejected("chain", name, ()) > 0.9
    assert rejected("chain", name, (2,)) < 0.2
    monkeypatch.setattr(smoothing, "MOST_KNOTS", 2)  # straight lines leave the dependence in
    assert rejected("chain", name, (2,)) > 0.4


def test_level_given_three_of_which_one_is_curved():
    """One smoothness for all three curves, of 50 rows: the residuals are independent still."""
    rng, p = np.random.default_rng(12), []
    for _ in range(200):
        x, y, *causes = rng.normal(size=(5, 50))
        x += np.sin(2 * causes[0]) + 2 * causes[1] + causes[2]
        y += causes[0] + 2 * causes[1] + np.cos(2 * causes[2])
        half = HalfSample(np.column_stack([x / 2, y / 2, *causes]), "hsic", [0, 0], {})
        p.append([half.p_value(0, 1, given) for given in ((2, 3, 4), ())])
    given_all, given_none = np.mean(np.array(p) < 0.05, axis=0)
    assert abs(given_all - 0.05) < 4 * np.sqrt(0.05 * 0.95 / 200)
    assert given_none > 0.5


@pytest.mark.parametrize("name", TESTS)
def test_conditional_dependence_of_a_collider(name):
    assert rejected("collider", name, ()) < 0.2
    assert rejected("collider", name, (2,)) > 0.9


@pytest.mark.parametrize("name", TESTS)
def test_p_values_do_not_depend_on_what_was_asked_before(name):
    table = np.random.default_rng(11).normal(size=(40, 4))
    table[:, 3] += table[:, 0] + table[:, 1]
    asked = [
        (x, y, given)
        for x, y in combinations(range(4), 2)
        for size in range(3)
        for given in combinations(sorted({0, 1, 2, 3} - {x, y}), size)
    ]
    half = HalfSample(table, name, [1, 2], {})
    there = {key: half.p_value(*key) for key in asked}
    for x, y, given in reversed(asked):
        assert HalfSample(table, name, [1, 2], {}).p_value(y, x, given) == there[x, y, given]
    assert len(set(there.values())) > len(there) / 2


# The algorithm


def oracle(dag, lie=None):
    """p-values of 1 or 0 by d-separation; a lie is a pair that is always called independent."""

    def p_value(x, y, given):
        return float({x, y} == lie or d_separated(dag[None], [x], [y], given)[0])

    return p_value


def learned(p_value, n, seed=0):
    adjacent, separators = skeleton(p_value, n, alpha=0.5, max_conditions=n - 2)
    return pattern(adjacent, separators), extension(pattern(adjacent, separators), seeded(seed))


def seeded(seed):
    return np.random.default_rng(seed)


RANDOM_DAGS = [random_dag(7, p, seeded(k)) for k, p in enumerate([0.15, 0.3, 0.45, 0.6] * 4)]


def v_structures(dag):
    adjacent = dag | dag.T
    pairs = [
        (z, *pair) for z in range(len(dag)) for pair in combinations(np.flatnonzero(dag[:, z]), 2)
    ]
    return {(z, x, y) for z, x, y in pairs if not adjacent[x, y]}


def test_with_an_oracle_the_class_is_found():
    n_wrong = 0
    for k, dag in enumerate(RANDOM_DAGS):
        graph, found = learned(oracle(dag), 7, seed=k)
        assert np.array_equal(cpdag(found[None]), cpdag(dag[None]))
        assert {edge for z, x, y in v_structures(dag) for edge in ((x, z), (y, z))} == {
            (x, z) for x, z in np.argwhere(graph & ~graph.T).tolist()
        }
        edges = np.argwhere(dag).tolist()
        if edges:
            _, misled = learned(oracle(dag, lie=set(edges[0])), 7)
            n_wrong += not np.array_equal(cpdag(misled[None]), cpdag(dag[None]))
    assert n_wrong == sum(dag.any() for dag in RANDOM_DAGS)


def test_few_conditions_leave_edges():
    """0 -> {1, 2} -> 3 needs two to be separated."""
    dag = np.zeros((4, 4), dtype=bool)
    dag[0, [1, 2]] = dag[[1, 2], 3] = True
    for most, is_adjacent in ((1, True), (2, False)):
        adjacent, _ = skeleton(oracle(dag), 4, alpha=0.5, max_conditions=most)
        assert adjacent[0, 3] == is_adjacent


def test_extensions_are_all_members_of_the_class():
    """Of all DAGs of four nodes; of the complete graph, each order comes out for some seed."""
    dags = all_dags(4)
    classes = cpdag(dags)
    for graph in np.unique(classes, axis=0):
        members = {dag.tobytes() for dag in dags[(classes == graph).all(axis=(1, 2))]}
        found = {extension(graph, seeded(k)).tobytes() for k in range(3)}
        assert found <= members
    everyone = ~np.eye(4, dtype=bool)
    assert len({extension(everyone, seeded(k)).tobytes() for k in range(300)}) == 24


def test_no_extension_without_a_new_v_structure():
    """Four nodes in a ring: every DAG has a v-structure, the least is one."""
    ring = np.roll(np.eye(4, dtype=bool), 1, axis=1)
    for seed in range(20):
        dag = extension(ring | ring.T, seeded(seed))
        assert is_acyclic(dag)
        assert np.array_equal(dag | dag.T, ring | ring.T)
        assert len(v_structures(dag)) == 1


def test_contradictions_still_give_a_dag_with_all_edges():
    n_dropped = 0
    for seed in range(100):
        rng = seeded(seed)
        adjacent = np.triu(rng.random((6, 6)) < 0.6, 1)
        adjacent |= adjacent.T
        apart = [pair for pair in combinations(range(6), 2) if not adjacent[pair]]
        separators = {pair: ((), rng.random()) for pair in apart}
        graph = pattern(adjacent, separators)
        arrows = graph & ~graph.T
        dag = extension(graph, rng)
        assert is_acyclic(dag)
        assert np.array_equal(dag | dag.T, adjacent)
        assert not (arrows & ~dag).any()
        wanted = {(x, z) for x, y in apart for z in np.flatnonzero(adjacent[x] & adjacent[y])}
        wanted |= {(y, z) for x, y in apart for z in np.flatnonzero(adjacent[x] & adjacent[y])}
        n_dropped += len(wanted) > arrows.sum()
    assert n_dropped > 50


def test_the_surest_v_structure_wins():
    """0 - 1 - 2 - 3: 1 and 2 cannot both be where arrows meet."""
    adjacent = np.eye(4, k=1, dtype=bool) | np.eye(4, k=-1, dtype=bool)
    for p, at in ((0.9, 1), (0.3, 2)):
        separators = {(0, 2): ((), p), (1, 3): ((), 0.6), (0, 3): ((), 1.0)}
        graph = pattern(adjacent, separators)
        assert np.flatnonzero((graph & ~graph.T).sum(axis=0) == 2).tolist() == [at]


def test_the_order_of_columns_does_not_matter_to_the_skeleton():
    table = curved_network().standardised()
    order = seeded(1).permutation(table.shape[1])
    options = {"alpha": 0.1, "max_conditions": 3}
    straight, turned = (
        skeleton(HalfSample(t, "hsic", [0, 0], {}).p_value, len(order), **options)[0]
        for t in (table, table[:, order])
    )
    assert np.array_equal(turned, straight[np.ix_(order, order)])
    assert 0 < straight.sum() < straight.size - len(straight)


# The learner


def curved_network(n_rows=120):
    made = gpnet.simulate(nodes=6, rows=n_rows, nonlinearity=0.5, seed=4)
    return gpnet.load_table(made.frame())


def fitted(data, **options):
    return LEARNERS["kernel-pc"](bootstraps=8, **options).fit(data, Resources())


def same(one, other):
    return np.array_equal(one.dags, other.dags) and np.array_equal(one.weights, other.weights)


@pytest.mark.parametrize("name", TESTS)
def test_same_seed_same_result_with_or_without_what_is_remembered(name):
    data = curved_network()
    alphas = 0.02, 0.1, 0.3
    learner._p_values.cache_clear()
    in_turn = [fitted(data, test=name, alpha=alpha) for alpha in alphas]
    for alpha, before in reversed(list(zip(alphas, in_turn, strict=True))):
        again = fitted(data, test=name, alpha=alpha)
        learner._p_values.cache_clear()
        assert same(before, again)
        assert same(before, fitted(data, test=name, alpha=alpha))
    assert not same(in_turn[1], fitted(data, test=name, alpha=0.1, seed=1))
    n_edges = [np.average(p.dags.sum(axis=(1, 2)), weights=p.weights) for p in in_turn]
    assert n_edges[0] < n_edges[1] < n_edges[2]


def test_another_table_is_not_taken_for_the_one_before():
    data = curved_network()
    turned = gpnet.load_table(data.values[::-1] + 0.0, names=data.names)
    assert not same(fitted(data), fitted(turned))


def test_p_values_are_asked_for_once(monkeypatch):
    data, calls = curved_network(), []
    learner._p_values.cache_clear()
    slow = Hsic.p_value
    monkeypatch.setattr(Hsic, "p_value", lambda *args: calls.append(1) or slow(*args))
    fitted(data, alpha=0.1)
    n_first = len(calls)
    fitted(data, alpha=0.1)
    assert 8 * 15 <= n_first == len(calls)


def test_a_network_is_found_and_shuffled_columns_are_not_one():
    """Negative control: each column shuffled by itself has the same distribution and no edges."""
    made = gpnet.simulate(nodes=5, rows=400, nonlinearity=0.5, seed=0, edge_probability=0.5)
    data = gpnet.load_table(made.frame())
    shuffled = seeded(0).permuted(data.values, axis=0)
    apart = gpnet.load_table(shuffled, names=data.names)
    found, nothing = fitted(data, alpha=0.01), fitted(apart, alpha=0.01)
    result, control = (metrics.compare(p.dags, p.weights, made.dag) for p in (found, nothing))
    assert result["eshd_skeleton"] < made.dag.sum() / 2
    assert control["eshd_skeleton"] > made.dag.sum() - 0.5


def test_hundred_permutations_never_reject_at_a_level_below_theirs():
    """The least p-value is 1 / 101: hence the empty graphs at 0.004, the published ones too."""
    assert not fitted(curved_network(), test="dcor", alpha=0.004).dags.any()
    assert fitted(curved_network(), test="dcor", alpha=0.01).dags.any()


def test_the_posterior_says_how_it_was_made(tmp_path):
    posterior = fitted(curved_network(), alpha=0.1)
    assert posterior.settings == {
        "learner": "kernel-pc",
        "test": "hsic",
        "alpha": 0.1,
        "max_conditions": 4,
        "bootstraps": 8,
        "seed": 0,
    }
    assert posterior.weights.sum() == pytest.approx(1)
    assert all(is_acyclic(dag) for dag in posterior.dags)


@pytest.mark.slow
@pytest.mark.skipif(not reference.present(), reason="the reference data are not at hand")
@pytest.mark.parametrize("nonlinearity", [0, 1])
def test_as_many_edges_as_published(nonlinearity):
    """All edges, right and wrong, of three runs, to a fifth: other halves, other splines.

    The published expected SHD is of graphs with undirected edges, each counted as wrong; here they
    are DAGs, of which half are right.
    """
    published = pd.read_csv(reference.FOLDER / "published_n10.csv")
    rows = published[(published["method"] == "kPC-HSIC") & (published["parameter"] == 0.05)]
    rows = rows[(rows["lambda"] == nonlinearity) & (rows["graph"] == "dag") & (rows["run"] < 4)]
    n_edges, eshd = [], []
    for run in rows["run"]:
        known = reference.ten_nodes(nonlinearity, run)
        found = KernelPc(alpha=0.05).fit(known.data, Resources())
        result = metrics.compare(found.dags, found.weights, known.dag)
        n_edges.append(result["etp"] + result["efp"])
        eshd.append(result["eshd"])
    assert np.mean(n_edges) == pytest.approx((rows["etp"] + rows["efp"]).mean(), rel=0.2)
    assert np.mean(eshd) < rows["eshd"].mean()


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"test": "gauss"}, "test: one of hsic, dcor, found 'gauss'"),
        ({"alpha": 0.0}, "alpha: between 0 and 1, found 0.0"),
        ({"alpha": "0.1"}, "alpha: between 0 and 1"),
        ({"max_conditions": -1}, "max_conditions: a whole number of 0 or more"),
        ({"bootstraps": 0}, "bootstraps: a whole number of 1 or more"),
        ({"seed": 0.5}, "seed: a whole number of 0 or more"),
    ],
)
def test_wrong_options(options, said):
    with pytest.raises(OptionError, match=said):
        KernelPc(**options)


def test_too_few_rows():
    with pytest.raises(DataError, match="12 rows or more, found 11"):
        fitted(curved_network(n_rows=11))
    assert fitted(curved_network(n_rows=12)).dags.shape[1:] == (6, 6)

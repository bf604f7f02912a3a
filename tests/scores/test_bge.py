"""BGe against independent derivations: ratios of Wishart constants, a product of t densities."""

import numpy as np
import pytest
from scipy.special import gammaln, multigammaln
from scipy.stats import wishart

from gpnet import OptionError, load_table
from gpnet.gp.curves import Places
from gpnet.graphs.dag import random_dag
from gpnet.scores import BgeScore, CurveRequest


def linear_table(n_rows, n, seed):
    rng = np.random.default_rng(seed)
    weights = np.triu(rng.normal(0, 1, (n, n)), k=1)
    return load_table(rng.standard_normal((n_rows, n)) @ np.linalg.inv(np.eye(n) - weights))


def dag_score(score, data, dag):
    nodes = range(len(dag))
    parents = [tuple(int(i) for i in np.flatnonzero(dag[:, j])) for j in nodes]
    return sum(score.log_marginal(data, j, parents[j]).value for j in nodes)


def reverse_covered_edge(dag, rng):
    """An equivalent DAG: x -> y is covered where pa(y) = pa(x) + x (Chickering 1995)."""
    edges = rng.permutation(np.argwhere(dag))
    for x, y in edges:
        rest = dag[:, y].copy()
        rest[x] = False
        if (rest == dag[:, x]).all():
            dag = dag.copy()
            dag[x, y], dag[y, x] = False, True
            return dag
    return dag


@pytest.mark.parametrize("n_rows", [100, 10_000])
@pytest.mark.parametrize("seed", range(5))
def test_equivalent_dags_score_alike(n_rows, seed):
    rng = np.random.default_rng(seed)
    data = linear_table(n_rows, 6, seed)
    dag = random_dag(6, 0.8, rng)
    start = dag_score(BgeScore(), data, dag)
    seen = {dag.tobytes()}
    for _ in range(10):
        dag = reverse_covered_edge(dag, rng)
        seen.add(dag.tobytes())
        assert dag_score(BgeScore(), data, dag) == pytest.approx(start, abs=1e-9)
    assert len(seen) >= 2


def test_other_dags_do_not():
    data = linear_table(100, 4, 0)
    empty, chain = np.zeros((4, 4), bool), np.eye(4, k=1, dtype=bool)
    assert abs(dag_score(BgeScore(), data, empty) - dag_score(BgeScore(), data, chain)) > 1


def subset_evidence(x, subset, n, am, aw, nu, weights=None):
    """log p of some columns: normal-Wishart, as a ratio of normalising constants."""
    weights = np.ones(len(x)) if weights is None else weights
    n_rows, size = weights.sum(), len(subset)
    t = am * (aw - n - 1) / (am + 1)
    y = x[:, subset]
    mean = weights @ y / n_rows
    scale = t * np.eye(size) + (weights[:, None] * (y - mean)).T @ (y - mean)
    scale += n_rows * am / (n_rows + am) * np.outer(mean - nu, mean - nu)
    freedom = aw - n + size

    def log_wishart_constant(freedom, scale):
        """of |W|^{(f - l - 1)/2} exp(-tr(W S)/2), integrated over W."""
        log_det = np.linalg.slogdet(scale)[1]
        return (
            freedom * size / 2 * np.log(2) + multigammaln(freedom / 2, size) - freedom / 2 * log_det
        )

    return (
        -n_rows * size / 2 * np.log(2 * np.pi)
        + size / 2 * np.log(am / (am + n_rows))
        + log_wishart_constant(freedom + n_rows, scale)
        - log_wishart_constant(freedom, t * np.eye(size))
    )


@pytest.mark.parametrize("n_rows", [100, 10_000])
@pytest.mark.parametrize(("am", "extra", "nu"), [(1, 2, 0), (0.1, 1.1, 0), (3, 5.5, 0.7)])
def test_against_wishart_constants(n_rows, am, extra, nu):
    data = linear_table(n_rows, 5, 1)
    x, n = data.standardised(), 5
    score = BgeScore(am=am, aw=n + extra, prior_mean=nu)
    for node, parents in [(0, ()), (2, (1,)), (4, (0, 1, 2, 3)), (1, (4, 0))]:
        family = subset_evidence(x, [*parents, node], n, am, n + extra, nu)
        alone = subset_evidence(x, list(parents), n, am, n + extra, nu) if parents else 0.0
        value = score.log_marginal(data, node, parents).value
        assert value == pytest.approx(family - alone, abs=1e-8)


@pytest.mark.parametrize("parents", [(), (1,), (0, 1, 3)])
def test_expected_log_likelihoods_are_the_derivative_by_the_weights_of_rows(parents):
    data, step, n = linear_table(40, 5, 1), 1e-4, 5
    x = data.standardised()

    def evidence(weights):
        some = (n, 1.0, n + 2.0, 0.0, weights)
        family = subset_evidence(x, [*parents, 4], *some)
        return family - (subset_evidence(x, list(parents), *some) if parents else 0.0)

    found = BgeScore(am=1, aw=n + 2).pointwise(data, 4, parents, {})
    for row, value in enumerate(found):
        up, down = (np.where(np.arange(40) == row, 1 + s, 1.0) for s in (step, -step))
        assert value == pytest.approx((evidence(up) - evidence(down)) / (2 * step), abs=1e-5)


def test_against_one_row_at_a_time():
    """A complete DAG's score is the product of predictive multivariate t densities."""
    data = linear_table(60, 3, 2)
    x, n, am = data.standardised(), 3, 1.0
    aw = n + am + 1
    mean, strength, freedom = np.zeros(n), am, aw
    scale = am * (aw - n - 1) / (am + 1) * np.eye(n)
    total = 0.0
    for row in x:
        dof = freedom - n + 1
        spread = scale * (strength + 1) / (strength * dof)
        away = row - mean
        total += gammaln((dof + n) / 2) - gammaln(dof / 2) - n / 2 * np.log(dof * np.pi)
        total -= np.linalg.slogdet(spread)[1] / 2
        total -= (dof + n) / 2 * np.log1p(away @ np.linalg.solve(spread, away) / dof)
        scale = scale + strength / (strength + 1) * np.outer(away, away)
        mean = (strength * mean + row) / (strength + 1)
        strength, freedom = strength + 1, freedom + 1
    complete = np.triu(np.ones((n, n), bool), k=1)
    assert dag_score(BgeScore(), data, complete) == pytest.approx(total, abs=1e-8)


def test_impossible_settings_are_refused():
    data = linear_table(20, 3, 0)
    for bad in ({"am": 0}, {"am": np.inf}, {"aw": np.nan}, {"prior_mean": np.nan}):
        with pytest.raises(OptionError, match=next(iter(bad)).replace("_", " ")):
            BgeScore(**bad)
    with pytest.raises(OptionError, match="aw must exceed"):
        BgeScore(aw=4).log_marginal(data, 0, ())


def test_slopes_are_those_of_the_wishart_posterior():
    """Draws of the precision of the family: b = -W_px / W_xx; 40 000 know a quantile to 0.02 sd."""
    data, score = linear_table(12, 4, 3), BgeScore(prior_mean=0.5)
    family, n = [0, 2, 3], data.n_variables  # the node last
    scale = score.posterior_scale(data.standardised())[np.ix_(family, family)]
    freedom = data.n_rows + n + 2 - n + len(family)
    rng = np.random.default_rng(0)
    precision = wishart.rvs(freedom, np.linalg.inv(scale), size=40_000, random_state=rng)
    slopes = -precision[:, :2, 2] / precision[:, 2:, 2]
    curves = score.curves(CurveRequest(data, 3, (0, 2), Places(np.ones((2, 1)), np.arange(2))))
    np.testing.assert_allclose(curves.expected()[:, 0], slopes.mean(axis=0), atol=0.01)
    found = np.array(curves.band())[:, :, 0]
    expected = np.quantile(slopes, [0.05, 0.95], axis=0)
    np.testing.assert_allclose(found, expected, atol=0.03 * slopes.std())

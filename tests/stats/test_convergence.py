"""R-hat and effective draws, against series whose answer is known."""

import numpy as np
import pytest

from gpnet.stats.convergence import _r_hat, effective_draws, split_r_hat


def autoregressive(rho, n_chains, n, seed):
    """x_t = rho x_(t-1) + noise, of variance 1: n (1 - rho) / (1 + rho) effective draws."""
    rng = np.random.default_rng(seed)
    x = np.empty((n_chains, n))
    x[:, 0] = rng.standard_normal(n_chains)
    for t in range(1, n):
        x[:, t] = rho * x[:, t - 1] + np.sqrt(1 - rho**2) * rng.standard_normal(n_chains)
    return x


@pytest.mark.parametrize("rho", [-0.5, 0.0, 0.5, 0.9, 0.97])
def test_effective_draws_of_an_autoregression(rho):
    x = autoregressive(rho, 4, 20_000, 1)
    expected = min(80_000 * (1 - rho) / (1 + rho), 80_000)
    assert effective_draws(x) == pytest.approx(expected, rel=0.15)


def test_chains_that_agree_and_chains_that_do_not():
    x = autoregressive(0.5, 4, 4000, 2)
    assert split_r_hat(x) < 1.01
    assert split_r_hat(x + np.arange(4)[:, None]) > 1.3
    assert split_r_hat(x + np.linspace(0, 2, 4000)) > 1.1  # a trend, seen within each chain
    assert effective_draws(x + np.arange(4)[:, None]) < 20


def test_r_hat_of_booleans_is_its_formula():
    x = np.array([[1, 0, 0, 1], [1, 0, 1, 0]], dtype=bool)
    halves = [[1, 0], [0, 1], [1, 0], [1, 0]]
    within = np.mean([np.var(h, ddof=1) for h in halves])
    between = np.var([np.mean(h) for h in halves], ddof=1)
    assert split_r_hat(x) == pytest.approx(np.sqrt(1 / 2 + between / within))


@pytest.mark.parametrize("n", [20, 21, 400])
@pytest.mark.parametrize("kind", ["normal", "shifted", "wider", "cauchy", "ties", "edges"])
def test_r_hat_as_arviz_computes_it(kind, n):
    arviz = pytest.importorskip("arviz", reason="the test extra has ArviZ")
    rng = np.random.default_rng(n)
    x = autoregressive(0.5, 4, n, n)
    series = {
        "normal": x,
        "shifted": x + np.arange(4)[:, None],
        "wider": x * np.arange(1, 5)[:, None],  # only the folded one sees it
        "cauchy": rng.standard_cauchy((4, n)),
        "ties": np.round(x),
        "edges": x > 0.4,
    }[kind]
    expected = float(arviz.rhat(series.astype(float), method="rank"))
    assert split_r_hat(series) == pytest.approx(expected, abs=1e-12)
    assert split_r_hat(series.astype(float)) == pytest.approx(expected, abs=1e-12)


def test_chains_of_different_scale_are_seen():
    x = np.random.default_rng(5).standard_normal((4, 4000))
    x[0] *= 4
    assert split_r_hat(x) > 1.1
    assert _r_hat(np.concatenate([x[:, :2000], x[:, 2000:]])) < 1.01  # the control: means agree


def test_many_series_at_once_and_those_that_do_not_vary():
    constant, apart = np.ones((2, 50)), np.repeat([[0.0], [1.0]], 50, axis=1)
    x = np.stack([autoregressive(0.3, 2, 50, 3), constant, apart], axis=-1)
    r_hat, n_effective = split_r_hat(x), effective_draws(x)
    assert r_hat.shape == n_effective.shape == (3,)
    assert r_hat[0] == split_r_hat(x[..., 0])
    assert r_hat[1] == 1
    assert np.isinf(r_hat[2])
    assert np.isnan(n_effective[1])
    assert n_effective[2] <= 4
    assert np.isnan(split_r_hat(x[:, :3])).all()

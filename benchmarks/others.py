"""The same log marginal likelihood by scikit-learn and by GPJax, where they are installed.

``pip install '.[bench]'`` installs both; `make bench` does so.
"""

from collections.abc import Callable, Iterator
from functools import partial
from importlib.util import find_spec

import numpy as np

from benchmarks.likelihoods import dense, fast
from benchmarks.race import Race, curves

SIGMA = np.exp(-0.5)


def races() -> Iterator[Race]:
    for n_rows in (100, 853):
        values = curves(n_rows, 1)
        target, u = fast(values), np.array([0.0, -0.5])
        expected = target.value(u) - dense(values).log_prior(u)[0]
        for name, opponent in opponents(values).items():
            found = opponent()
            if not np.isclose(found, expected, rtol=0, atol=1e-4):
                raise ValueError(f"{name} computes another number: {found}, not {expected}")
            what = f"value and gradient, 1 parent, N={n_rows}"
            yield Race(what, partial(target.gradient, u), name, opponent)


def opponents(values: np.ndarray) -> dict[str, Callable[[], float]]:
    found = {}
    if find_spec("sklearn"):
        found["scikit-learn"] = by_scikit_learn(values)
    if find_spec("gpjax"):
        found["GPJax (compiled)"] = by_gpjax(values)
    return found


def by_scikit_learn(values: np.ndarray) -> Callable[[], float]:
    from sklearn.gaussian_process import GaussianProcessRegressor
    from sklearn.gaussian_process.kernels import RBF, ConstantKernel, WhiteKernel

    kernel = ConstantKernel(1.0, "fixed") + RBF(1.0) + WhiteKernel(SIGMA**2)
    model = GaussianProcessRegressor(kernel, alpha=0.0, optimizer=None)
    model.fit(values[:, :1], values[:, 1])
    theta = model.kernel_.theta

    def run() -> float:
        return float(model.log_marginal_likelihood(theta, eval_gradient=True)[0])

    return run


def by_gpjax(values: np.ndarray) -> Callable[[], float]:
    import jax

    jax.config.update("jax_enable_x64", True)
    import gpjax
    import jax.numpy as jnp

    data = gpjax.Dataset(jnp.asarray(values[:, :1]), jnp.asarray(values[:, 1:]))

    def log_marginal(u: object) -> object:
        kernel = gpjax.kernels.RBF(lengthscale=jnp.exp(u[0])) + gpjax.kernels.Constant(
            constant=jnp.array(1.0)
        )
        prior = gpjax.gps.Prior(
            mean_function=gpjax.mean_functions.Zero(), kernel=kernel, jitter=0.0
        )
        noise = gpjax.likelihoods.Gaussian(obs_stddev=jnp.exp(u[1]))
        return gpjax.objectives.conjugate_mll(prior * noise, data)

    run = jax.jit(jax.value_and_grad(log_marginal))
    u = jnp.array([0.0, -0.5])
    return lambda: float(jax.block_until_ready(run(u))[0])

"""DiBS+ of one table, in the environment of this folder: `python worker.py FOLDER`."""

import json
import os
import sys
from functools import partial
from pathlib import Path

# Read when jax is imported. One thread: the cores are for data sets side by side.
os.environ["XLA_FLAGS"] = "--xla_cpu_multi_thread_eigen=false"
os.environ["JAX_PLATFORMS"] = "cpu"

import jax
import jax.numpy as jnp
import numpy as np
from dibs.inference import JointDiBS
from dibs.models import (
    DenseNonlinearGaussian,
    ErdosReniDAGDistribution,
    ScaleFreeDAGDistribution,
)
from jax.scipy.stats import norm

PRIORS = {"scale-free": ScaleFreeDAGDistribution, "erdos-renyi": ErdosReniDAGDistribution}
N_STARTS = 5  # a run whose graphs are all cyclic starts again, this many times


class Networks(DenseNonlinearGaussian):
    """The library's likelihood with the mask on the weights and not on the data.

    The same sums, but all graphs of a step are one product of matrices with the data.
    """

    def log_likelihood(self, *, x, theta, g, interv_targets):
        """Of data without interventions."""
        (inner, inner_bias), _, (outer, outer_bias) = theta  # inner: (child, parent, unit)
        n_rows, n = x.shape
        masked = g.T * inner.transpose(2, 0, 1)
        units = (masked.reshape(-1, n) @ x.T).reshape(-1, n, n_rows)
        active = jax.nn.relu(units + inner_bias.T[:, :, None])
        mean = (active * outer[:, :, 0].T[:, :, None]).sum(axis=0) + outer_bias
        return norm.logpdf(x.T, mean, jnp.sqrt(self.obs_noise)).sum()


class OneByOne(JointDiBS):
    """Gradients particle after particle: what one needs fits into the processor's cache."""

    def eltwise_grad_z_likelihood(self, zs, thetas, baselines, t, subkeys):
        def one(particle):
            z, theta, baseline, key = particle
            return self.grad_z_likelihood_gumbel(z, theta, baseline, t, key)

        return jax.lax.map(one, (zs, thetas, baselines, subkeys))

    def eltwise_grad_theta_likelihood(self, zs, thetas, t, subkeys):
        def one(particle):
            z, theta, key = particle
            return self.grad_theta_likelihood(z, theta, t, key)

        return jax.lax.map(one, (zs, thetas, subkeys))


def infer(
    values, noise, key, *, particles, steps, hidden, prior, method=OneByOne, networks=Networks
):
    """Latent particles, their graphs and their log weights; no number of the data is compiled."""
    n = values.shape[1]
    dibs = method(
        x=values,
        graph_model=PRIORS[prior](n),
        likelihood_model=networks(n_vars=n, hidden_layers=(hidden,), obs_noise=noise),
    )
    latent = []  # the library keeps it to itself: NaN there would look like an empty graph
    graphs, theta = dibs.sample(
        key=key,
        n_particles=particles,
        steps=steps,
        callback=lambda **now: latent.append(now["zs"]),
    )
    return latent[0], graphs, dibs.get_mixture(graphs, theta).logp


def is_cyclic(graphs):
    """Whether some node reaches itself, of each graph (m, n, n)."""
    reached = graphs = graphs.astype(bool)
    for _ in range(graphs.shape[1]):
        reached = reached | (reached.astype(float) @ graphs > 0)
    return np.diagonal(reached, axis1=1, axis2=2).any(axis=1)


def draw(values, seed, noise, **options):
    """Graphs without cycles, their log weights, and what was discarded."""
    run = jax.jit(partial(infer, **options))
    n_cyclic = 0
    for start in range(N_STARTS):
        key = jax.random.fold_in(jax.random.PRNGKey(seed), start)
        latent, graphs, log_weights = map(np.asarray, run(values, noise, key))
        if not (np.isfinite(latent).all() and np.isfinite(log_weights).all()):
            sys.exit("DiBS ended in NaN: its prior or its noise does not suit the data")
        cyclic = is_cyclic(graphs)
        n_cyclic += int(cyclic.sum())
        if not cyclic.all():
            kept = log_weights[~cyclic].astype(float)
            return {
                "dags": graphs[~cyclic].astype(bool),
                "weights": np.exp(kept - np.logaddexp.reduce(kept)),
                "n_cyclic": n_cyclic,
                "n_starts": start + 1,
            }
    sys.exit(
        f"all {n_cyclic} graphs of {N_STARTS} starts were cyclic: take more steps or particles"
    )


def main(folder):
    # Another data set of the same shape, or another noise, finds its machine code here.
    jax.config.update("jax_compilation_cache_dir", str(Path(sys.prefix) / "compiled"))
    options = json.loads((folder / "options.json").read_text(encoding="utf-8"))
    values = np.load(folder / "arrays.npz")["values"].astype(np.float32)
    np.savez(folder / "result.npz", **draw(values, **options))


if __name__ == "__main__":
    main(Path(sys.argv[1]))

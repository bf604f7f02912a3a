"""Posteriors to make pages of, and curves that nobody fitted."""

from dataclasses import replace

import numpy as np

from gpnet.graphs.cycles import find_cyclic
from gpnet.posterior.local_scores import LocalScores
from gpnet.posterior.posterior import Posterior
from gpnet.posterior.relations import FittedRelations
from tests.posteriors import checks_of

POINTS, GRID = 120, 40


def with_curves(posterior, *, least=0.05, seed=0):
    """The same posterior with a made-up curve for each parent of each likely set."""
    rng = np.random.default_rng(seed)
    n = posterior.n_variables
    shown = rng.normal(size=(POINTS, n)).cumsum(axis=1)
    p = posterior.edge_probabilities().to_numpy()
    fits, curves = [], []
    for child in range(n):
        parents = p[:, child] >= least
        if parents.any():
            curves += [(len(fits), parent) for parent in np.flatnonzero(parents)]
            fits.append((child, parents))
    fit, parent = np.array(curves, dtype=np.int32).reshape(-1, 2).T
    x = np.stack([np.linspace(shown[:, v].min(), shown[:, v].max(), GRID) for v in parent])
    mean = np.sin(x) + 0.3 * x
    return replace(
        posterior,
        fits=FittedRelations(
            node=np.array([child for child, _ in fits], dtype=np.int32),
            parents=np.array([parents for _, parents in fits]),
            fit=fit,
            parent=parent,
            x=x,
            mean=mean,
            low=mean - 0.3 - 0.1 * x**2 / 9,
            high=mean + 0.3 + 0.1 * x**2 / 9,
            shown=shown,
            residual=np.sin(shown[:, parent].T)
            + 0.3 * shown[:, parent].T
            + rng.normal(scale=0.4, size=(len(parent), POINTS)),
        ),
    )


def with_checks(posterior, *, misfitting=(), related=(), seed=0):
    """The same posterior with made-up residuals of these findings."""
    rng = np.random.default_rng(seed)
    n = posterior.n_variables
    parents = posterior.map_dag().to_numpy().T
    has = parents.any(axis=1)
    parent_p = np.where(has, rng.uniform(0.1, 1, n), np.nan)
    parent_p[list(misfitting)] = 1e-5
    other, other_p = np.full(n, -1), np.full(n, np.nan)
    for v, w in related:
        other[[v, w]], other_p[[v, w]] = (w, v), 0.01
    checks = checks_of(parents, n_shown=POINTS, parent_p=parent_p, other=other, other_p=other_p)
    names = [posterior.names[v] for v in misfitting]
    told = {
        "model_fits": not names,
        "model_verdict": f"{names} do not fit." if names else "The model fits.",
        "misfitting": names,
        "doubt": "Directions that only the model tells are given at most 0.965.",
        "doubt_throughout": 0.07,
        "doubt_on_misfit": 0.6 if names else 0.0,
    }
    return replace(posterior, checks=checks, diagnosis=replace(posterior.diagnosis, **told))


def made_dags(n, n_draws, rng):
    """Most edges are shared, some are in doubt, and some edges are reversed."""
    base = np.triu(rng.random((n, n)) < 2.2 / n, 1)
    doubt = rng.choice([0.0, 0.02, 0.3], p=[0.5, 0.35, 0.15], size=(n, n))
    dags = base & ~(rng.random((n_draws, n, n)) < doubt)
    for parent, child in np.argwhere(base & np.eye(n, k=1, dtype=bool)).tolist():
        turned = rng.random(n_draws) < 0.4
        dags[turned, parent, child], dags[turned, child, parent] = False, True
    return np.array([dag if find_cyclic(dag[None]) is None else base for dag in dags])


def made_posterior(n, *, dags=None, n_draws=400, chains=None, std_error=0.0, seed=0, **others):
    """Weighted draws, independent or from chains."""
    rng = np.random.default_rng(seed)
    dags = made_dags(n, n_draws, rng) if dags is None else dags
    log_weights = rng.normal(scale=0.3, size=n_draws)
    given = {
        "names": tuple(f"V{v + 1}" for v in range(n)),
        "dags": dags,
        "log_weights": log_weights - np.logaddexp.reduce(log_weights),
        "log_target": rng.normal(size=n_draws) - 1000,
        "chain": np.arange(n_draws, dtype=np.int32) * (chains or 1) // n_draws,
        "independent": chains is None,
        "local_scores": scores_of(dags, std_error, rng),
        "settings": SETTINGS,
        "diagnosis": {"converged": True, "verdict": "Converged: made up.", "notes": ["one note"]},
    }
    return Posterior(**(given | others))


SETTINGS = {
    "options": {"score": "gp", "prior": "edges:4.6", "max_parents": 4, "seed": 0, "forbid": []},
    "data": {"fingerprint": "abc", "rows": 150, "variables": 7, "transform": "log2"},
    "chosen": {"space": "full", "sampler": "exact"},
}


def scores_of(dags, std_error, rng):
    """Of all parent sets that occur."""
    families = {
        (node, tuple(np.flatnonzero(column).tolist()))
        for dag in np.unique(dags, axis=0)
        for node, column in enumerate(dag.T)
    }
    node, sets = zip(*sorted(families), strict=True)
    parents = np.zeros((len(node), dags.shape[1]), dtype=bool)
    for row, these in enumerate(sets):
        parents[row, list(these)] = True
    nodes, k = np.array(node, dtype=np.int32), len(node)
    errors = std_error * rng.random(k)
    return LocalScores(nodes, parents, np.zeros(k), errors, *rng.random((3, k)))


HOSTILE = (
    "<img src=x onerror=alert(1)>",
    "</script><script>alert(2)</script>",
    "quote \" and ' and & and \\",
    "🙂👩‍🔬",
    "a very long name of a variable that nobody would ever want to have in a picture " * 2,
    "line\nbreak, comma",
    "{{data}}",
    "=SUM(A1)",
    "\u202etxet",
)
PROTEINS = ("Raf", "Mek", "PLCg", "PIP2", "PIP3", "Erk", "Akt", "PKA", "PKC", "p38", "JNK")

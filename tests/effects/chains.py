"""Tables with known effects, and posteriors that know the DAG."""

from dataclasses import replace

import numpy as np
import pandas as pd

import gpnet

TRIANGLE = ("a -> b", "b -> c", "a -> c")  # every other edge would make a cycle


def triangle(n_rows=80, seed=0, *, curved=False):
    """a -> b -> c and a -> c, in units of their own."""
    rng = np.random.default_rng(seed)
    noise = rng.standard_normal((n_rows, 3))
    a = noise[:, 0]
    b = (np.sin(2 * a) if curved else 0.8 * a) + 0.5 * noise[:, 1]
    c = -1.2 * b + 0.5 * a + 0.6 * noise[:, 2]
    return pd.DataFrame({"a": 3 + 2 * a, "b": 5 * b, "c": 10 + c})


def known_dag(frame, score="linear", edges=TRIANGLE, **options):
    """The posterior where these edges, and no others, are there."""
    names = list(frame.columns)
    asked = [tuple(edge.split(" -> ")) for edge in edges]
    others = [(u, v) for u in names for v in names if u != v and (u, v) not in asked]
    given = {"require": asked, "forbid": others, "draws": 50, "doubt": "off", **options}
    return gpnet.learn(frame, score=score, **given)


def between(posterior, shares):
    """The same with these DAGs and weights, by edges: {("a -> b",): 0.3, (): 0.7}."""
    names = posterior.names
    dags = np.zeros((len(shares), len(names), len(names)), dtype=bool)
    for dag, edges in zip(dags, shares, strict=True):
        for edge in edges:
            parent, child = edge.split(" -> ")
            dag[names.index(parent), names.index(child)] = True
    log_weights = np.log(list(shares.values()))
    m = len(dags)
    return replace(
        posterior,
        dags=dags,
        log_weights=log_weights,
        log_target=np.zeros(m),
        chain=np.zeros(m, dtype=np.int32),
        plain_log_weights=None,
        missing_mass=None,
        local_scores=_zero_scores(dags),
    )


def _zero_scores(dags):
    from tests.posteriors import zero_scores

    scores = zero_scores(dags)
    nothing = np.full(len(scores.node), np.nan)
    return replace(scores, linear=nothing)

"""Posteriors with all that plots can show, and what was drawn, read back."""

import numpy as np

from gpnet.posterior.relations import FittedRelations
from tests.posteriors import checks_of, thinned

ODD = (
    "$x_1$",
    "a\\b",
    "$",
    "π 🧬",
    "two\nlines",
    "\x1b[31m\ufffe",
    "<img src=x>",
    "中文",
    "a very long name of a variable that has no end, the same for 1 and 2",
    "a very long name of a variable that has no end, the same for 2 and 2",
    "",
)


def fits_of(node, parents, n, *, n_rows=30, n_grid=20, seed=0):
    """Made-up curves of these nodes and parent sets; every number differs."""
    rng = np.random.default_rng(seed)
    fit = np.repeat(np.arange(len(node)), [len(some) for some in parents])
    flags = np.array([np.isin(np.arange(n), some) for some in parents])
    parent = np.concatenate([np.sort(some) for some in parents])
    x = np.sort(rng.normal(size=(len(fit), n_grid)), axis=1)
    mean = rng.normal(size=x.shape)
    shown, residual = rng.normal(size=(n_rows, n)), rng.normal(size=(len(fit), n_rows))
    nodes = np.array(node, dtype=np.int32)
    return FittedRelations(
        nodes,
        flags,
        fit.astype(np.int32),
        parent.astype(np.int32),
        x,
        mean,
        mean - 1,
        mean + 2,
        shown,
        residual,
    )


def everything(names=None, **others):
    """Of 11 variables: chains, gammas, fits and checks."""
    rng, n_draws = np.random.default_rng(3), 200
    posterior = thinned(11, n_draws=n_draws, names=names)
    log_weights = rng.normal(scale=0.5, size=n_draws)
    child = int(np.argmax(posterior.dags.mean(axis=0).sum(axis=0)))
    sets, times = np.unique(posterior.dags[:, :, child], axis=0, return_counts=True)
    parents = np.flatnonzero(sets[np.argmax(times)])
    given = {
        "log_weights": log_weights - np.logaddexp.reduce(log_weights),
        "chain": np.repeat([0, 1, 2, 3], n_draws // 4).astype(np.int32),
        "independent": False,
        "gammas": rng.choice(np.arange(0, 6, 0.125), n_draws),
        "fits": fits_of([child], [parents], 11),
        "checks": checks_of(posterior.dags[0].T),
    }
    return thinned(11, n_draws=n_draws, names=names, **(given | others))


def texts(ax):
    """All that is written among the data, and in the title at the left."""
    return [text for text in (*ax.texts, ax._left_title) if text.get_text()]


def overlapping(boxes):
    """Pairs of bounding boxes that share more than a border."""
    return [
        (a, b)
        for i, a in enumerate(boxes)
        for b in boxes[i + 1 :]
        if min(a.x1, b.x1) - max(a.x0, b.x0) > 0.5 and min(a.y1, b.y1) - max(a.y0, b.y0) > 0.5
    ]

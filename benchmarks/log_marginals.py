"""One log marginal likelihood: importance sampling against the paper's bridge sampling."""

from collections.abc import Iterator
from functools import partial

from benchmarks.likelihoods import fast
from benchmarks.race import Race, curves
from gpnet.gp.evidence import EVIDENCE_METHODS
from gpnet.gp.fast import FastTarget
from gpnet.gp.modes import find_modes


def races() -> Iterator[Race]:
    for n_parents in (1, 3):
        target = fast(curves(100, n_parents))
        what = f"evidence by qmc (se 0.02), {n_parents} parents, N=100"
        qmc, bridge = (partial(evidence, target, method) for method in ("qmc", "bridge"))
        yield Race(what, qmc, "by bridge (300 draws)", bridge)


def evidence(target: FastTarget, method: str) -> object:
    return EVIDENCE_METHODS[method]().estimate(target, find_modes(target), [0])

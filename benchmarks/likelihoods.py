"""One evaluation: fast against dense, many rows against few, and the basis that it needs."""

from collections.abc import Iterator
from functools import partial

import numpy as np
from threadpoolctl import threadpool_limits

from benchmarks.race import Race, curves
from gpnet import _core
from gpnet.gp.basis import build_basis
from gpnet.gp.components.squared_exponential import SquaredExponential
from gpnet.gp.fast import FastModel, FastTarget
from gpnet.gp.fast_interaction import FastInteractionTarget
from gpnet.gp.kernels import KERNELS, Additive
from gpnet.gp.priors import Hyperpriors
from gpnet.gp.target import DenseTarget


def races() -> Iterator[Race]:
    yield from grams()
    for n_rows in (100, 853, 5000):
        for n_parents in (1, 2, 3, 4, 5) if n_rows < 5000 else (1, 3, 5):
            yield fast_against_dense(n_rows, n_parents)
    yield many_rows_against_few()
    yield from bases()
    for n_parents in (2, 3):
        for lengthscale in (0.5, 1.0, 2.0):
            yield interactions(n_parents, lengthscale)


def grams() -> Iterator[Race]:
    for n_rows in (100, 853):
        z = np.random.default_rng(1).standard_normal(n_rows)
        core = partial(_core.squared_exponential_gram, z, 1.0, 2)
        what = f"Gram matrix with two derivatives, N={n_rows}"
        yield Race(what, core, "NumPy", partial(plain_gram, z, 1.0))


def plain_gram(z: np.ndarray, theta: float) -> np.ndarray:
    q = ((z[:, None] - z) / theta) ** 2
    k = np.exp(-0.5 * q)
    return np.stack([k, q * k, q * (q - 2) * k])


def dense(values: np.ndarray, kernel: str = "additive") -> DenseTarget:
    return DenseTarget(values[:, -1], values[:, :-1], KERNELS[kernel](), Hyperpriors())


def fast(values: np.ndarray) -> FastTarget:
    n_parents = values.shape[1] - 1
    model = FastModel(values, Additive(), Hyperpriors())
    return model.target(n_parents, tuple(range(n_parents)))


def fast_against_dense(n_rows: int, n_parents: int) -> Race:
    values, u = curves(n_rows, n_parents), np.append(np.zeros(n_parents), -0.5)
    what = f"value and gradient, {n_parents} parents, N={n_rows}"
    ours, theirs = fast(values), dense(values)
    return Race(what, partial(ours.gradient, u), "dense", partial(theirs.gradient, u))


def many_rows_against_few() -> Race:
    many, few, u = fast(curves(100_000, 3)), fast(curves(1000, 3)), np.array([0, 0, 0, -0.5])
    what = "value and gradient, 3 parents, N=100 000"
    return Race(what, partial(many.gradient, u), "N=1 000", partial(few.gradient, u))


def heavy(rng: np.random.Generator, size: int) -> np.ndarray:
    return rng.standard_t(3, size)


def basis(z: np.ndarray) -> object:
    with threadpool_limits(1):
        return build_basis((z - z.mean()) / z.std(ddof=1), SquaredExponential())


def bases() -> Iterator[Race]:
    for name, marginal in {"normal": np.random.Generator.standard_normal, "t3": heavy}.items():
        many, few = (marginal(np.random.default_rng(2), size=n) for n in (100_000, 853))
        what = f"basis of a variable, {name}, N=100 000"
        yield Race(what, partial(basis, many), "N=853", partial(basis, few))


def interactions(n_parents: int, lengthscale: float) -> Race:
    """GP^2 by rows that stand for all, which are at hand: those that a mode's neighbours share."""
    values = curves(853, n_parents)
    ours = FastInteractionTarget(values, n_parents, tuple(range(n_parents)), Hyperpriors())
    u = np.array([np.log(lengthscale)] * n_parents + [0.0, 0.0, -0.5])
    ours.value(u)
    what = f"GP^2 value, {n_parents} parents at {lengthscale:g}, N=853"
    theirs = dense(values, "interaction")
    return Race(what, partial(ours.value, u), "dense", partial(theirs.value, u))

"""The modes of a node given its parents, on tables that reach down to all that matter.

Newton starts from the modes of smaller parent sets; for one parent, from a scan of lengthscale and
noise. Where a mode lies below the tables, or a Matern process says that one may, finer tables are
built, as far as that is affordable; what may be left beyond their end is told with the modes.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Final

import numpy as np

from gpnet.common.types import Floats, Node, Parents
from gpnet.gp.fast import FastModel, FastTarget
from gpnet.gp.hints import one_smaller
from gpnet.gp.interpolation import interpolating_start
from gpnet.gp.modes import Mode
from gpnet.gp.target import DenseTarget

# Nats by which a Matern process may understate what a squared exponential explains.
MARGIN: Final = 10.0
# Nats by which it may do so on smooth functions; there the dense likelihood is asked.
DOUBT: Final = 25.0
MOST_DENSE: Final = 5000  # rows; of more, finer tables are cheaper, and are built in doubt
MOST_ASKED: Final = 2**14  # rows; of more, some say whether finer tables are worth building
# From there, in log lengthscale and log sigma: with as much noise, and with less.
NEARBY: Final = np.array([[0, 0], [0.3, 0], [0, -0.7], [0.3, -0.7]])
EVERY_SUBSET: Final = 3  # parents of which all subsets are searched
N_SDS: Final = 3.0  # of a mode, that its tables should hold
LARGEST_SD: Final = 0.5  # along a ridge a mode is no normal density
FARTHEST: Final = N_SDS * LARGEST_SD
FLAT: Final = np.log(5.0)  # a log lengthscale at which a parent does next to nothing

Found = tuple[FastTarget, list[Mode]]


def search(
    model: FastModel, node: Node, parents: Parents, hints: Mapping[Parents, Floats]
) -> Found:
    """The target and its modes, best first.

    `hints` are modes of subsets, (k, d) each, best first. Those of up to two parents that are
    lacking are found first, so that the answer for pairs and triples is the same with hints and
    without. Larger sets start from the subsets at hand: there are too many to find them all.
    """
    usable = {s: u for s, u in hints.items() if _can_start_at(s, u, model.kernel.n_each)}
    return _search(model, node, parents, usable)


def tables_at(model: FastModel, parents: Parents, u: Floats) -> FastModel:
    """The model on tables that reach down to these parameters."""
    lengthscales = u[_lengthscales(model, parents)]
    return model.reaching(float(np.exp(lengthscales.min(initial=np.inf))), parents)


def search_beside(
    model: FastModel, node: Node, parents: Parents, lines: Parents, start: Floats
) -> Found:
    """The same where some parents are straight lines, for curves that `start` is near to."""
    return _deep_enough(model, node, parents, lines, start[None])


def _search(model: FastModel, node: Node, parents: Parents, known: dict[Parents, Floats]) -> Found:
    """`known` gathers the modes of subsets, from the hints or found here."""
    n_spent = 0
    for subset in _lacking(parents, known):
        if subset not in known:
            target, modes = _search(model, node, subset, known)
            known[subset] = np.array([mode.u for mode in modes])
            n_spent += target.n_evaluations
    starts = _starts(parents, known, model.kernel.n_each)
    if len(parents) == 2:
        noise = float(np.exp(min(known[(parent,)][0, -1] for parent in parents)))
        starts = np.vstack([starts, interpolating_start(model, node, parents, noise)])
    target, modes = _deep_enough(model, node, parents, (), starts)
    target.n_evaluations += n_spent
    return target, modes


def _lacking(parents: Parents, known: Mapping[Parents, Floats]) -> list[Parents]:
    """The subsets to find first: the single parents, and those one smaller.

    Of four parents or more, where some one smaller are at hand no others are asked for, and where
    none is, the first.
    """
    singles = [(parent,) for parent in parents] if len(parents) > 1 else []
    smaller = one_smaller(parents) if len(parents) > 2 else []
    if len(parents) > EVERY_SUBSET and any(subset in known for subset in smaller):
        smaller = []
    return [*singles, *(smaller if len(parents) <= EVERY_SUBSET else smaller[:1])]


def _can_start_at(subset: Parents, modes: Floats, n_each: int) -> bool:
    """Whether a hint may be a mode: a store may hold any number of parameters."""
    return bool(modes.shape[1] == n_each * len(subset) + 1)


def _starts(parents: Parents, known: Mapping[Parents, Floats], n_each: int) -> Floats:
    """The best mode without each parent, with that parent's own parameters put in.

    For two parents, which larger sets start from, all modes of either, and each parent also doing
    next to nothing.
    """
    if len(parents) == 1:
        return np.empty((0, n_each + 1))
    rows = []
    for i, parent in enumerate(parents):
        subset, own = parents[:i] + parents[i + 1 :], known[(parent,)][:, :n_each]
        if subset not in known:
            continue
        others = known[subset]
        if len(parents) == 2:
            flat = np.concatenate([[FLAT], own[0, 1:]])
            rows += [_put_in(i, one, each) for one in others for each in (*own, flat)]
        else:
            rows.append(_put_in(i, others[0], own[0]))
    return np.array(rows)


def _put_in(i: int, others: Floats, own: Floats) -> Floats:
    """Parameters of one more parent, the i-th."""
    at = i * len(own)
    return np.concatenate([others[:at], own, others[at:]])


def _deep_enough(
    model: FastModel, node: Node, parents: Parents, lines: Parents, starts: Floats
) -> Found:
    """On tables that reach as far down as the starts, and then as the modes ask for."""
    model = tables_at(model, parents, starts.min(axis=0, initial=np.inf))
    n_spent = 0
    while True:
        target = model.target(node, parents, lines)
        modes = target.find_modes(starts)
        target.n_evaluations += n_spent
        asked, value = _below(model, node, parents, lines, modes)
        finer = model.reaching(asked, parents)
        if finer is model:
            return target, _with_cut(modes, value)
        model, n_spent = finer, target.n_evaluations


def _below(
    model: FastModel, node: Node, parents: Parents, lines: Parents, modes: list[Mode]
) -> tuple[float, float]:
    """Down to which lengthscale there may be more, and the log density that may be there."""
    asked, value = np.inf, -np.inf
    if len(parents) == 1 and not lines:
        asked, value = _below_one_parent(model, node, parents, modes[0].value)
    near = [mode for mode in modes if mode.u[:-1].min() < model.log_shortest + FARTHEST]
    entries = _lengthscales(model, parents)
    reach = min((_reach(mode, entries) for mode in near), default=np.inf)
    if reach < model.shortest:
        asked = min(asked, max(reach, model.shortest / 2))
    return asked, value


def _below_one_parent(
    model: FastModel, node: Node, parents: Parents, best: float
) -> tuple[float, float]:
    """The same, by a Matern process; `best` is the log density of the best mode.

    Of very many rows, some are asked: what these do not show is not looked for.
    """
    few = model.sampled(MOST_ASKED, (node, *parents))
    if few is not model:
        here = few.target(node, parents).find_modes(np.empty((0, model.kernel.n_each + 1)))
        asked, value = _below_one_parent(few, node, parents, here[0].value)
        scale = len(model.values) / len(few.values)
        return asked, best + scale * (value - here[0].value)
    value, lengthscale, log_sigma = model.best_below(node, parents[0])
    margin = MARGIN if len(model.values) <= MOST_DENSE else DOUBT
    if best - DOUBT < value < best - margin:
        value = max(value, _dense_value(model, node, parents, lengthscale, log_sigma))
    return lengthscale / 2 if value > best - margin else np.inf, value


def _dense_value(
    model: FastModel, node: Node, parents: Parents, lengthscale: float, log_sigma: float
) -> float:
    """The largest log density near to where a Matern process has its best."""
    x, z = model.values[:, node], model.values[:, parents]
    target = DenseTarget(x, z, model.kernel, model.hyperpriors)
    points = np.zeros((len(NEARBY), target.n_dims))
    points[:, [0, -1]] = np.array([np.log(lengthscale), log_sigma]) + NEARBY
    return float(target.values(points).max())


def _lengthscales(model: FastModel, parents: Parents) -> list[int]:
    """Which entries of u are lengthscales that finer tables could resolve: not those of levels."""
    n_each = model.kernel.n_each
    return [i * n_each for i, parent in enumerate(parents) if not model.is_categorical(parent)]


def _reach(mode: Mode, entries: list[int]) -> float:
    """The shortest lengthscale that has a share in a mode: some standard deviations below it."""
    if not entries:
        return np.inf
    if mode.clamped:
        return 0.0
    eigenvalues, vectors = np.linalg.eigh(-mode.hessian)
    sds = np.sqrt((vectors**2 / np.maximum(eigenvalues, LARGEST_SD**-2)).sum(axis=1))
    return float(np.exp((mode.u - N_SDS * sds)[entries].min()))


def _with_cut(modes: list[Mode], below: float) -> list[Mode]:
    """What may lie below the tables is told with the best mode.

    Where a mode lies at their end and nothing is known of what is beyond, the margin stands for it.
    """
    cut = max(below - modes[0].value, 0.0)
    if any(mode.clamped for mode in modes):
        cut = max(cut, MARGIN)
    return [replace(modes[0], cut=cut), *modes[1:]] if cut else modes

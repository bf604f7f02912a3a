"""Missing cells, drawn from the posterior predictive of networks: one completed table at a time.

Gibbs sampling in sweeps. A sweep has a DAG, drawn from the posterior of the table as it is, and a
function of the parents and a density of the noise for each node, fitted to the same table. It goes
from parents to children: a missing cell of node v is drawn from

    p(v | parents, children) ~ p(v | parents) * product over children of p(child | v, its others),

by importance resampling: candidates from the first factor, of which one is chosen by the others.
The value that stands there is one of the candidates, which leaves that distribution invariant
(Andrieu, Doucet & Holenstein 2010). First come sweeps under straight lines, which cost next to
nothing and forget the values of the start; then a few under the score that is meant.
"""

from collections.abc import Mapping
from dataclasses import replace
from math import nan
from typing import Final

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from gpnet.common.types import Dag, Floats, Node, Parents
from gpnet.data.dataset import Dataset
from gpnet.data.gaps import hot_deck
from gpnet.data.standardise import read_only
from gpnet.gp.curves import Curves, Places
from gpnet.graphs.dag import topological_order
from gpnet.inference.drawn_relations import Fit, Relation, fitted_relation, standard_grid
from gpnet.inference.plan import Plan, make_plan, make_score
from gpnet.inference.settings import AUTO, Settings
from gpnet.runtime.context import RunContext, no_progress
from gpnet.score_table.rescore import Rescorer
from gpnet.score_table.search_space import SearchSpace
from gpnet.score_table.table import tabulate
from gpnet.scores import CurveRequest

N_LINEAR: Final = 8  # sweeps under straight lines
N_HASTY: Final = 2  # the same, for a first answer
N_CURVED: Final = 3  # sweeps under the score that is meant
N_DAGS: Final = 100  # drawn, of which the last is taken: chains have to get going
MOST_PARENTS: Final = 3  # under straight lines, unless knowledge requires more


def cells_to_draw(data: Dataset) -> NDArray[np.bool_]:
    """(N, n): gaps of variables that are modelled, but where these were set."""
    if data.gaps is None:
        return np.zeros(data.values.shape, dtype=bool)
    cells = data.gaps.copy()
    cells[:, [data.column(name) for name in data.exogenous]] = False
    return cells if data.interventions is None else cells & ~data.interventions


def by_lines(given: Dataset, plan: Plan, context: RunContext, number: int) -> Dataset:
    """A completed table of this number, drawn under networks of straight lines."""
    rng = _rng(plan, number, 0)
    data, lines = _started(given, rng), _lines(plan, given)
    progress = context.progress("drawing missing cells, by lines")
    quiet = replace(context, progress=no_progress)
    space = lines.space.build(_without_gaps(data), lines.prior, quiet)
    n_sweeps = N_HASTY if plan.hasty else N_LINEAR
    for sweep in range(1, n_sweeps + 1):
        rng = _rng(plan, number, sweep)
        dag, fit = _network(data, space, lines, quiet, rng)
        data = sweep_cells(data, dag, fit, rng, only_known=sweep == 1)
        progress(sweep, n_sweeps, nan)
    return data


def by_curves(
    data: Dataset, space: SearchSpace, plan: Plan, context: RunContext, number: int
) -> Dataset:
    """The same table, its cells drawn anew under a network of the score that is meant."""
    rng = _rng(plan, number, N_LINEAR + 1)
    dag, fit = _network(data, space, plan, context.within("drawing missing cells"), rng)
    for sweep in range(N_CURVED):
        # What lines left in the cells would pass for noise around curves.
        data = sweep_cells(data, dag, fit, rng, only_known=sweep == 0)
    return data


def sweep_cells(
    data: Dataset, dag: Dag, fit: Fit, rng: np.random.Generator, *, only_known: bool = False
) -> Dataset:
    """All cells to draw, drawn once; noise is that of rows in which the node is known, or of all.

    From rows that are known alone it would be wrong in the end: which cells are missing may depend
    on other variables.
    """
    cells = cells_to_draw(data)
    nodes = np.flatnonzero(cells.any(axis=0))
    order = topological_order(dag)
    assert order is not None  # noqa: S101, as samplers draw DAGs
    concerned = [v for v in order.tolist() if v in nodes or dag[nodes, v].any()]
    table = _without_gaps(data)
    with threadpool_limits(1):  # the same bits on every machine
        relations = {
            v: fitted_relation(table, v, dag, fit, rng, known=~cells[:, v] if only_known else None)
            for v in concerned
            if not data.is_exogenous(v)
        }
    z, values = np.array(table.standardised()), np.array(data.values)
    for node in (v for v in order.tolist() if v in nodes):
        rows = np.flatnonzero(cells[:, node])
        z[rows, node] = _drawn(node, rows, z, table, relations, dag, rng)
        values[rows, node] = table.to_units(node, z[rows, node])
    return data._with(values=read_only(values))


def _drawn(
    node: Node,
    rows: NDArray[np.intp],
    z: Floats,
    data: Dataset,
    relations: Mapping[Node, Relation],
    dag: Dag,
    rng: np.random.Generator,
) -> Floats:
    """(R,): the node's new values in these rows."""
    here = z[rows]
    candidates = relations[node].candidates(here, rng)
    candidates[:, 0] = here[:, node]
    log_weights = np.zeros_like(candidates)
    for child in np.flatnonzero(dag[node]).tolist():
        one = relations[child]
        others = here[:, child] - one.fitted(here, without=node)
        log_density = one.noise.log_density(others[:, None] - one.part(node, candidates))
        if data.interventions is not None:  # a child that was set does not know its parents
            log_density[data.interventions[rows, child]] = 0.0
        log_weights += log_density
    chosen = np.argmax(log_weights + rng.gumbel(size=log_weights.shape), axis=1)
    return np.asarray(candidates[np.arange(len(rows)), chosen])


# Networks


def _lines(plan: Plan, data: Dataset) -> Plan:
    """Straight lines in place of the score, under the same knowledge."""
    if plan.hasty:  # has lines, in a space that takes no time
        return plan
    required = max(len(plan.prior.required_parents(v)) for v in range(data.n_variables))
    most = min(plan.max_parents, max(MOST_PARENTS, required))
    settings = replace(plan.settings, score="linear", noise=AUTO, space=AUTO, sampler=AUTO)
    return make_plan(replace(settings, max_parents=most), data)


def _network(
    data: Dataset, space: SearchSpace, plan: Plan, context: RunContext, rng: np.random.Generator
) -> tuple[Dag, Fit]:
    """A DAG from the posterior of a table, under the cheap twin of the score; and its curves."""
    table, score = _without_gaps(data), plan.score.proposal()
    scores = tabulate(table, space, score, plan.prior, context, prune=plan.prune)
    seed = int(rng.integers(2**63))
    sample = plan.sampler.sample(scores, n_draws=N_DAGS, seed=seed, context=context)

    def fit(data: Dataset, node: Node, parents: Parents) -> Curves:
        hints = Rescorer(data, score, context).hints(node, parents)
        places = Places(standard_grid(data, parents), np.arange(1))
        request = CurveRequest(data, node, parents, places, hints)
        return score.curves(request) or _curves_of_lines(request)

    return sample.dags[-1], fit


def _curves_of_lines(request: CurveRequest) -> Curves:
    """In place of those of a score that has none."""
    found = make_score(Settings(score="linear")).curves(request)
    assert found is not None  # noqa: S101, as straight lines always have them
    return found


def _without_gaps(data: Dataset) -> Dataset:
    return data._with(gaps=None)


def _started(given: Dataset, rng: np.random.Generator) -> Dataset:
    """With a start of its own for each table: values of other rows, by chance."""
    cells = cells_to_draw(given)
    donor = hot_deck(~cells, cells, given.interventions, rng)
    return given._with(values=read_only(np.take_along_axis(given.values, donor, axis=0)))


def _rng(plan: Plan, number: int, sweep: int) -> np.random.Generator:
    return np.random.default_rng([plan.settings.seed, *b"impute", number, sweep])

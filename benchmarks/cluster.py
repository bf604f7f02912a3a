"""What a parent set costs, and what a cluster adds to it: the constants of docs/cluster.md.

`python -m benchmarks.cluster`, with one BLAS thread and an idle core.
"""

import pickle
from dataclasses import dataclass, replace
from itertools import combinations
from time import perf_counter, process_time, thread_time

from gpnet import load_table, simulate
from gpnet.data.dataset import Dataset
from gpnet.gp.evidence import Evidence
from gpnet.inference.plan import make_plan
from gpnet.inference.settings import Settings
from gpnet.runtime.cluster import opened_cluster
from gpnet.runtime.context import RunContext
from gpnet.runtime.deadline import Deadline
from gpnet.runtime.executors import Workers
from gpnet.score_table.compute import Batch, score_batch
from gpnet.score_table.table import tabulate
from gpnet.scores import Score, ScoreSettings
from gpnet.search_spaces import FullSpace
from gpnet.structure_priors import UniformPrior

N_PARENTS = 4
N_CANDIDATES = 7  # of each node
N_NODES = 3
N_ACCURATE = 4  # sets of a size that are scored by the accurate score


def main() -> None:
    for n_rows in (300, 1000):
        data = load_table(simulate(nodes=10, rows=n_rows, nonlinearity=0.5, seed=1).values)
        score = make_plan(Settings(), data).score
        costs(data, score)
    with opened_cluster("local:1") as workers:
        overhead(workers or Workers())
        filling(workers or Workers())


def costs(data: Dataset, score: Score) -> None:
    """Milliseconds of a set, by its size, of the score of tables and of the accurate one."""
    quick, start = score.proposal(), process_time()
    quick.log_marginals(data, 0, [(parent,) for parent in range(1, data.n_variables)], {})
    spent = (process_time() - start) / (data.n_variables - 1)
    print(f"N = {data.n_rows}: basis of a variable {1000 * spent:.0f} ms")
    for name, one in (("table", quick), ("accurate", score)):
        for size in range(N_PARENTS + 1):
            print(f"  {name}, {size} parents: {1000 * seconds_a_set(data, one, size):.2f} ms")


def seconds_a_set(data: Dataset, score: Score, size: int) -> float:
    spent, n_done = 0.0, 0
    for node in range(N_NODES):
        hints = known(data, score.proposal(), node, size)
        candidates = range(node + 1, node + 1 + N_CANDIDATES)
        sets = list(combinations(candidates, size))
        if score.fingerprint != score.proposal().fingerprint:
            sets = sets[:N_ACCURATE]
        score.log_marginals(data, node, sets[:1], hints)  # what is built once
        start = process_time()  # of the processor: the machine may have others to serve
        score.log_marginals(data, node, sets, hints)
        spent, n_done = spent + process_time() - start, n_done + len(sets)
    return spent / n_done


def known(data: Dataset, quick: Score, node: int, size: int) -> dict:
    found: dict = {}
    for smaller in range(size):
        sets = list(combinations(range(node + 1, node + 1 + N_CANDIDATES), smaller))
        found |= dict(zip(sets, quick.log_marginals(data, node, sets, found), strict=True))
    return found


def nothing(item: int) -> int:
    return item


def overhead(workers: Workers, n_tasks: int = 1000) -> None:
    """Of a task that does nothing: one after the other, and many under way."""
    workers.map(nothing, range(10))
    start = perf_counter()
    for item in range(100):
        workers.submit(nothing, item).result()
    print(f"there and back: {10 * (perf_counter() - start):.2f} ms")
    start, busy = perf_counter(), process_time()
    workers.in_order(
        range(n_tasks), lambda item: workers.submit(nothing, item), lambda *_: None, Deadline()
    )
    spent, busy = (perf_counter() - start) / n_tasks, (process_time() - busy) / n_tasks
    print(f"a task: {1000 * spent:.2f} ms, client and scheduler busy for {1000 * busy:.2f} ms")


@dataclass(frozen=True)
class Free(Score):
    """Has its answers ready, so that a table takes as long as the client needs for it."""

    by_size: tuple[Evidence, ...]

    @classmethod
    def from_settings(cls, settings: ScoreSettings) -> "Free":
        raise NotImplementedError

    def _log_marginals(self, data, node, parent_sets, hints):  # type: ignore[no-untyped-def]
        return [replace(self.by_size[len(parents)]) for parents in parent_sets]


def filling(workers: Workers) -> None:
    """What the client does for a set: its batch, its hints, its row in the store."""
    data = load_table(simulate(nodes=14, rows=300, nonlinearity=0.5, seed=1).values)
    score = make_plan(Settings(), data).score.proposal()
    sets = list(combinations(range(1, 8), 3))
    batch = Batch(0, 3, tuple(range(len(sets))), tuple(sets), known(data, score, 0, 3))
    there, back = (
        len(pickle.dumps(one)) / len(sets) for one in (batch, score_batch(data, score, batch))
    )
    print(f"bytes a set: {there:.0f} there, {back:.0f} back")
    sizes = [(), (1,), (1, 2), (1, 2, 3), (1, 2, 3, 4)]
    free = Free(tuple(score.log_marginals(data, 0, sizes, {})))
    fill(data, score, workers, "by the score")
    larger = load_table(simulate(nodes=20, rows=300, nonlinearity=0.5, seed=1).values)
    fill(larger, free, workers, "for nothing")


def fill(data: Dataset, score: Score, workers: Workers, name: str) -> None:
    space = FullSpace(max_parents=4).build(data)
    with RunContext(cluster=workers).with_store() as context:
        start, busy, ours = perf_counter(), process_time(), thread_time()
        tabulate(data, space, score, UniformPrior(), context)
        spent = [perf_counter() - start, process_time() - busy, thread_time() - ours]
    each, busy, ours = (1000 * seconds / space.n_sets() for seconds in spent)
    print(
        f"{space.n_sets()} sets scored {name}: {each:.3f} ms each; client and scheduler busy for "
        f"{busy:.3f} ms, the client's main thread for {ours:.3f} ms"
    )


if __name__ == "__main__":
    main()

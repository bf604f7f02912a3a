"""What the search for modes costs: CPU seconds of all Laplace scores of a table, by parents.

Run as ``python -m benchmarks.search_cost`` in each of two installations, one after the other, and
compare: it uses only names that both have.
"""

from itertools import combinations
from time import process_time

from benchmarks.reference import FOLDER
from gpnet.data.load import load_table
from gpnet.gp.evidence import EVIDENCE_METHODS
from gpnet.scores import GpScore

TABLES = ("simulated/n10/lambda0.5_run001.csv", "simulated/n10/lambda1_run002.csv")
MOST_PARENTS = 4


def seconds(path: str) -> list[float]:
    """For each number of parents; bases are built before."""
    data, score = load_table(FOLDER / path), GpScore(evidence=EVIDENCE_METHODS["laplace"]())
    nodes = range(data.n_variables)
    for node in nodes:
        score.log_marginals(data, node, [((node + 1) % data.n_variables,)], {})
    spent = [0.0] * MOST_PARENTS
    for node in nodes:
        others = [j for j in nodes if j != node]
        known = {}
        for size in range(1, MOST_PARENTS + 1):
            sets = list(combinations(others, size))
            start = process_time()
            found = score.log_marginals(data, node, sets, known)
            spent[size - 1] += process_time() - start
            known |= dict(zip(sets, found, strict=True))
    return spent


if __name__ == "__main__":
    for table in TABLES:
        each = seconds(table)
        print(f"{table}: {', '.join(f'{s:.2f}' for s in each)} s, {sum(each):.2f} s in all")

"""How many DAGs there are, and what they weigh together when each edge has a weight."""

from decimal import Context, Decimal
from math import comb

from gpnet.common.errors import OptionError


def n_dags(n_nodes: int) -> int:
    """Robinson's recursion: a(m) = sum over k of (-1)^(k+1) C(m, k) 2^(k (m - k)) a(m - k)."""
    counts = [1]
    for m in range(1, n_nodes + 1):
        signed = (
            (-1) ** (k + 1) * comb(m, k) * 2 ** (k * (m - k)) * counts[m - k]
            for k in range(1, m + 1)
        )
        counts.append(sum(signed))
    return counts[n_nodes]


def log_total_weight(n_nodes: int, log_edge_weight: float, max_parents: int | None = None) -> float:
    """The log of the sum of exp(log_edge_weight #edges) over all DAGs, good to a double.

    Z(m) = sum over k of (-1)^(k+1) C(m, k) A(m - k)^k Z(m - k), where
    A(s) = sum over j <= max_parents of C(s, j) exp(log_edge_weight j).

    Rounding grows at most as 3^n, so that n more decimal digits than a double's are enough.
    """
    if n_nodes < 0 or (max_parents is not None and max_parents < 0):
        raise OptionError(f"nodes and max_parents: 0 or more, found {n_nodes} and {max_parents}")
    most = n_nodes if max_parents is None else max_parents
    context = Context(prec=30 + n_nodes, Emin=-(10**15), Emax=10**15)
    weight = context.exp(Decimal(log_edge_weight))
    sums = [_sum_of_sets(s, most, weight, context) for s in range(n_nodes)]
    powers = [Decimal(1)] * n_nodes  # A(s)^k, for the k that comes next
    totals = [Decimal(1)]
    for m in range(1, n_nodes + 1):
        total = Decimal(0)
        for s in range(m):
            powers[s] = context.multiply(powers[s], sums[s])
            term = context.multiply(powers[s], totals[s])
            total = context.fma(term, Decimal((-1) ** (m - s + 1) * comb(m, s)), total)
        totals.append(total)
    return float(context.ln(totals[-1]))


def _sum_of_sets(n_members: int, most: int, weight: Decimal, context: Context) -> Decimal:
    total, power = Decimal(0), Decimal(1)
    for j in range(min(n_members, most) + 1):
        total = context.fma(power, Decimal(comb(n_members, j)), total)
        power = context.multiply(power, weight)
    return total

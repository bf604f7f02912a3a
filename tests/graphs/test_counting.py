"""Numbers and weights of DAGs against published counts, enumeration and exact fractions."""

from fractions import Fraction
from math import comb, log

import numpy as np
import pytest
from scipy.special import logsumexp

from gpnet.common.errors import OptionError
from gpnet.graphs.counting import log_total_weight, n_dags
from gpnet.graphs.enumeration import all_dags

KNOWN = {  # OEIS A003024
    0: 1,
    5: 29281,
    6: 3781503,
    10: 4175098976430598143,
    15: 237725265553410354992180218286376719253505,
    20: 2344880451051088988152559855229099188899081192234291298795803236068491263,
}


@pytest.mark.parametrize(("n", "count"), list(KNOWN.items()))
def test_the_number_of_dags(n, count):
    assert n_dags(n) == count


@pytest.mark.parametrize("n", [1, 2, 10, 20, 50, 100])
def test_without_weights_it_is_the_number(n):
    assert log_total_weight(n, 0.0) == pytest.approx(log(n_dags(n)), rel=1e-15, abs=1e-300)


@pytest.mark.parametrize("log_weight", [-30.0, -2.0, 0.0, 3.0, 40.0])
@pytest.mark.parametrize("most", [None, 0, 1, 2, 7])
def test_against_enumeration(log_weight, most):
    dags = all_dags(4)
    few = dags.sum(axis=1).max(axis=1) <= (4 if most is None else most)
    expected = logsumexp(log_weight * dags[few].sum(axis=(1, 2)))
    assert log_total_weight(4, log_weight, most) == pytest.approx(expected, rel=1e-14, abs=1e-14)


def fraction_total(n, weight, most):
    sums = [sum(comb(s, j) * weight**j for j in range(min(s, most) + 1)) for s in range(n)]
    totals = [Fraction(1)]
    for m in range(1, n + 1):
        terms = (
            (-1) ** (k + 1) * comb(m, k) * sums[m - k] ** k * totals[m - k] for k in range(1, m + 1)
        )
        totals.append(sum(terms))
    return totals[-1]


@pytest.mark.parametrize("denominator", [1, 8, 1000])
@pytest.mark.parametrize(("n", "most"), [(8, 7), (30, 3)])
def test_against_exact_fractions(n, most, denominator):
    total = fraction_total(n, Fraction(1, denominator), most)
    expected = log(total.numerator) - log(total.denominator)
    found = log_total_weight(n, -log(denominator), most)
    assert found == pytest.approx(expected, abs=1e-12 * max(1.0, log(total.denominator)))


def test_is_convex_at_a_hundred_nodes():
    values = [log_total_weight(100, x, 3) for x in np.arange(-12.0, 3.0, 1.0)]
    assert (np.diff(values) > 0).all()
    assert (np.diff(values, 2) > 0).all()
    # Sparse: about one DAG without edges and n (n - 1) with one.
    assert log_total_weight(100, -20.0) == pytest.approx(9900 * np.exp(-20.0), rel=1e-4)


@pytest.mark.parametrize(("n", "most"), [(-1, None), (3, -1)])
def test_refuses_negative_numbers(n, most):
    with pytest.raises(OptionError, match="0 or more"):
        log_total_weight(n, 0.0, most)

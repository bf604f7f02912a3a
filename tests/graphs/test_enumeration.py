"""All DAGs: the known numbers, each once, none with a cycle."""

import numpy as np
import pytest

from gpnet.common.errors import OptionError
from gpnet.graphs.dag import is_acyclic
from gpnet.graphs.enumeration import all_dags

COUNTS = [1, 1, 3, 25, 543, 29281]


@pytest.mark.parametrize(("n", "count"), list(enumerate(COUNTS)))
def test_as_many_as_there_are(n, count):
    dags = all_dags(n)
    assert dags.shape == (count, n, n)
    assert dags.dtype == bool
    assert len(np.unique(dags.reshape(count, -1), axis=0)) == count
    assert not dags[0].any()
    assert all(is_acyclic(dag) for dag in dags[:: max(1, count // 1000)])


@pytest.mark.parametrize("n", [-1, 6])
def test_refuses_what_is_too_much(n):
    with pytest.raises(OptionError, match="0 to 5 nodes"):
        all_dags(n)

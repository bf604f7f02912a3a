"""What every score must fulfil, whatever its formula: runs on all members by itself."""

from itertools import combinations

import numpy as np
import pytest

from gpnet import OptionError, load_table, simulate
from gpnet.gp.curves import Places
from gpnet.gp.evidence import EVIDENCE_METHODS
from gpnet.scores import SCORES, CurveRequest, GpScore, ScoreSettings


@pytest.fixture(scope="module")
def values():
    return simulate(nodes=4, rows=40, edge_probability=0.6, seed=2).values


@pytest.mark.parametrize("name", SCORES)
def test_order_of_parents_does_not_matter(name, values):
    data, score = load_table(values), SCORES[name]()
    one, other = (score.log_marginal(data, 3, parents) for parents in ((0, 2), (2, 0)))
    assert repr(one) == repr(other)  # every digit, and nan is nan


@pytest.mark.parametrize("name", SCORES)
def test_order_of_rows_does_not_matter(name, values):
    score = SCORES[name]()
    shuffled = np.random.default_rng(0).permutation(values)
    plain = score.log_marginal(load_table(values), 3, (0, 2)).value
    assert score.log_marginal(load_table(shuffled), 3, (0, 2)).value == pytest.approx(
        plain, abs=1e-7
    )


# The first costs a column six digits, the others differ by rounding alone. The last reverses
# the sign of each column, so that its panels are others.
UNITS = [([1e3, 1, 1e-6, 7], 5), ([3, 0.7, 11, 1e-3], 0), (1.1, [1, -2, 3, 0.1]), (-1, 0)]


@pytest.mark.parametrize("parents", [(0,), (0, 2), (0, 1, 2)])
@pytest.mark.parametrize("name", SCORES)
def test_units_do_not_matter(name, parents, values):
    score = SCORES[name]()
    plain = score.log_marginal(load_table(values), 3, parents).value
    for scale, offset in UNITS:
        table = load_table(values * scale + offset)
        assert score.log_marginal(table, 3, parents).value == pytest.approx(plain, abs=1e-7)


@pytest.mark.parametrize("name", SCORES)
def test_a_true_parent_beats_none_and_noise_does_not(name):
    rng = np.random.default_rng(1)
    z, noise = rng.standard_normal((2, 80))
    data = load_table(np.column_stack([z + 0.3 * rng.standard_normal(80), z, noise]))
    score = SCORES[name]()
    none, true, false = (score.log_marginal(data, 0, parents).value for parents in [(), (1,), (2,)])
    assert true > none + 20
    assert false < none + 1


@pytest.mark.parametrize("name", SCORES)
def test_the_table_is_left_alone(name, values):
    data = load_table(values)
    before = data.fingerprint, data.standardised().copy()
    SCORES[name]().log_marginal(data, 0, (1,))
    assert data.fingerprint == before[0]
    np.testing.assert_array_equal(data.standardised(), before[1])


def test_seed_changes_the_error_not_the_answer(values):
    data = load_table(values)
    one, two = (GpScore(seed=seed).log_marginal(data, 3, (0, 2)) for seed in (1, 2))
    assert one.value != two.value
    assert abs(one.value - two.value) < 5 * np.hypot(one.std_error, two.std_error)


@pytest.mark.parametrize("method", EVIDENCE_METHODS)
def test_no_parents_is_exact_by_every_method(method, values):
    data = load_table(values)
    evidence = GpScore(evidence=EVIDENCE_METHODS[method]()).log_marginal(data, 1, ())
    assert evidence.method == "quadrature"
    assert evidence.std_error < 1e-8


@pytest.mark.parametrize("family", [(0, (0,)), (0, (1, 1)), (7, ()), (-1, ()), (0, (9,))])
@pytest.mark.parametrize("name", SCORES)
def test_impossible_families_are_refused(name, family, values):
    with pytest.raises(OptionError, match="different columns"):
        SCORES[name]().log_marginal(load_table(values), *family)


def test_a_negative_seed_is_refused():
    with pytest.raises(OptionError, match="seed"):
        GpScore(seed=-1)


@pytest.mark.parametrize("name", SCORES)
def test_a_set_scores_the_same_bit_by_bit_in_any_batch(name):
    """How sets are cut into batches depends on how fast workers are: no number may."""
    values = simulate(nodes=7, rows=30, edge_probability=0.5, seed=4).values.copy()
    values[:, 1] = values[:, 0] + 1e-4 * values[:, 1]  # a peak far from all others
    data = load_table(values)
    score = SCORES[name].from_settings(ScoreSettings(evidence=EVIDENCE_METHODS["laplace"]()))
    most = 2 if name == "gp2" else 4
    sets = [s for k in range(most + 1) for s in combinations(range(1, 7), k)]
    together = score.log_marginals(data, 0, sets, {})
    alone = [score.log_marginals(data, 0, [parents], {})[0] for parents in sets]
    assert [e.value for e in together] == [e.value for e in alone]


@pytest.mark.parametrize("name", SCORES)
def test_every_score_tells_its_curves(name, values):
    data, score = load_table(values), SCORES[name]()
    places = Places(np.linspace(-1, 1, 5) * np.ones((2, 1)), np.arange(0, 40, 7))
    curves = score.curves(CurveRequest(data, 3, (0, 2), places))
    n_laws = len(curves.weights)
    assert curves.mean.shape == curves.sd.shape == (n_laws, 2, 5)
    assert curves.parts.shape == (2, 6)
    assert curves.weights.sum() == pytest.approx(1)
    everywhere = score.curves(CurveRequest(data, 3, (0, 2), Places(places.grid, np.arange(40))))
    np.testing.assert_allclose(everywhere.parts.mean(axis=1), 0, atol=1e-8)  # centred
    assert abs(everywhere.level) < 0.05  # of a standardised node


def test_adaptive_curves_are_a_mixture_with_the_probability_of_a_line(values):
    data, score = load_table(values), SCORES["adaptive"]()
    places = Places(np.linspace(-2, 2, 9)[None], np.arange(40))
    asked = CurveRequest(data, 1, (0,), places)
    found = score.curves(asked).expected()
    line, bent = (one.curves(asked).expected() for one in (score.lines, GpScore()))
    linear = score.log_marginal(data, 1, (0,)).linear
    assert 0.01 < linear < 0.99
    np.testing.assert_allclose(found, linear * line + (1 - linear) * bent)

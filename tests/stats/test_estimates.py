"""Error bars against truths that are known; every z has rms within [0.8, 1.25].

With R replicates the rms of a calibrated z has a standard deviation of about 1 / sqrt(2 R), 0.04
for 300: both limits are five or more of these away, a false alarm in less than one of 10^5 runs.
"""

import copy
import json
import pickle
from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

from gpnet.common.errors import OptionError
from gpnet.graphs.enumeration import all_dags
from gpnet.stats.estimates import Estimate, beta_sd
from gpnet.stats.weighted_draws import WeightedDraws


def draws(log_weights, *, chain=None, log_target=None, independent=True, sets=None, errors=None):
    """Without parent sets unless given."""
    m = len(log_weights)
    return WeightedDraws(
        log_weights=log_weights - np.logaddexp.reduce(log_weights),
        log_target=np.zeros(m) if log_target is None else log_target,
        chain=np.zeros(m, dtype=np.int32) if chain is None else chain,
        independent=independent,
        sets=np.zeros((0, m), dtype=np.intp) if sets is None else sets,
        set_errors=np.empty(0) if errors is None else errors,
    )


def rms(z):
    return float(np.sqrt(np.mean(np.square(z))))


# The number itself


def test_estimate_is_a_number():
    p = Estimate(0.9834, 0.0041, 1000.0)
    assert p == 0.9834
    assert f"{p:.2f}" == "0.98"
    assert json.dumps(p) == "0.9834"
    assert 1 - p == pytest.approx(0.0166)
    for twin in (pickle.loads(pickle.dumps(p)), copy.deepcopy(p)):  # noqa: S301
        assert (twin, twin.std_error, twin.n_effective) == (p, p.std_error, p.n_effective)


@pytest.mark.parametrize(
    ("value", "std_error", "shown"),
    [
        (0.9834, 0.0041, "0.983 ± 0.004"),
        (0.5, 0.2, "0.5 ± 0.2"),
        (1.0, 0.00012, "1.0000 ± 0.0001"),
        (1234.5, 31.0, "1234 ± 31"),
        (3.0, 0.0, "3 ± 0"),
        (0.25, float("nan"), "0.25 ± ?"),
    ],
)
def test_estimate_shows_as_many_digits_as_it_knows(value, std_error, shown):
    assert repr(Estimate(value, std_error)) == str(Estimate(value, std_error)) == shown


def test_intervals_are_quantiles():
    low, high = Estimate(0.3, 0.1, 20.0).interval(0.9)
    beta = stats.beta(1 + 6, 1 + 14)
    assert (beta.cdf(low), beta.cdf(high)) == pytest.approx((0.05, 0.95))
    assert Estimate(5.0, 2.0).interval() == pytest.approx((5 - 1.96 * 2, 5 + 1.96 * 2), abs=1e-3)
    assert Estimate(0.0, 0.01, 100.0).interval()[0] == 0
    assert Estimate(1.0, 0.01, 100.0).interval(0.01)[1] == 1
    for level in (0, 1, 95, float("nan")):
        with pytest.raises(OptionError, match="level"):
            Estimate(0.5, 0.1).interval(level)


def test_beta_sd_is_that_of_the_beta_distribution():
    p, n = np.array([0, 0.2, 0.5, 1]), np.array([5.0, 0.0, 12.5, 1e6])
    np.testing.assert_allclose(beta_sd(p, n), stats.beta(1 + n * p, 1 + n * (1 - p)).std())


# Monte Carlo


TARGET = np.array([0.02, 0.08, 0.1, 0.3, 0.5])
PROPOSAL = np.array([0.05, 0.05, 0.3, 0.3, 0.3])
EVENTS = np.array([[1, 0, 0, 0, 0], [0, 1, 1, 0, 0], [0, 0, 0, 1, 0], [0, 0, 0, 1, 1]], dtype=bool)


def weighted_errors(n_replicates, n_draws, *, weighted=True):
    """(n_replicates, n_events) of z, drawing independently from PROPOSAL in place of TARGET."""
    rng, z = np.random.default_rng(1), []
    for _ in range(n_replicates):
        x = rng.choice(5, n_draws, p=PROPOSAL)
        log_weights = np.log(TARGET / PROPOSAL)[x]
        p, n = draws(log_weights).probabilities(EVENTS[:, x].T)
        if not weighted:
            n = np.full(4, float(n_draws))
        z.append((p - EVENTS @ TARGET) / beta_sd(p, n))
    return np.array(z)


def test_errors_of_independent_weighted_draws():
    z = weighted_errors(400, 2000)
    assert all(0.8 < rms(z[:, k]) < 1.25 for k in range(4))


def test_errors_that_ignore_the_weights_are_seen_to_be_wrong():
    """The negative control."""
    z = weighted_errors(400, 2000, weighted=False)
    assert not all(0.8 < rms(z[:, k]) < 1.25 for k in range(4))


def two_state_chains(rng, n_chains, n, *, stay):
    """In state 1 with probability 0.2; leaves it with probability 1 - stay."""
    leave = np.array([(1 - stay) * 0.25, 1 - stay])
    state = np.empty((n_chains, n), dtype=bool)
    state[:, 0] = rng.random(n_chains) < 0.2
    for t in range(1, n):
        state[:, t] = state[:, t - 1] ^ (rng.random(n_chains) < leave[state[:, t - 1].astype(int)])
    return state


def chain_errors(n_replicates, *, independent):
    """z of P(state 1) and of an expectation over chains of 1000, 1000, 999 and 998 draws."""
    rng, z = np.random.default_rng(2), []
    chain = np.repeat(np.arange(4, dtype=np.int32), [1000, 1000, 999, 998])
    for _ in range(n_replicates):
        state = two_state_chains(rng, 4, 1000, stay=0.9)
        flat = np.concatenate([state[0], state[1], state[2, :999], state[3, :998]])
        known = draws(
            np.where(flat, np.log(2.0), 0.0),  # weighted, to one third
            chain=chain,
            log_target=np.where(flat, -1.0, 0.0),
            independent=independent,
        )
        p, mean = known.probability(flat), known.expectation(5 + 3.0 * flat)
        z.append([(p - 1 / 3) / p.std_error, (mean - 6) / mean.std_error])
    return np.array(z)


def test_errors_of_weighted_chains():
    z = chain_errors(300, independent=False)
    assert 0.8 < rms(z[:, 0]) < 1.25
    assert 0.8 < rms(z[:, 1]) < 1.25


def test_errors_that_ignore_autocorrelation_are_seen_to_be_wrong():
    """The negative control."""
    z = chain_errors(100, independent=True)
    assert rms(z[:, 0]) > 1.5
    assert rms(z[:, 1]) > 1.5


def test_independent_draws_without_weights_are_all_effective():
    event = np.arange(500) < 100
    p = draws(np.zeros(500)).probability(event)
    assert p == pytest.approx(0.2)
    assert p.n_effective == pytest.approx(500)
    assert p.std_error == pytest.approx(np.sqrt(0.2 * 0.8 / 500), rel=0.02)


def test_never_and_always_are_not_certain():
    for independent in (True, False):
        rng = np.random.default_rng(3)
        known = draws(
            rng.standard_normal(1000),
            chain=np.repeat(np.arange(2, dtype=np.int32), 500),
            log_target=np.repeat(rng.standard_normal(50), 20),
            independent=independent,
        )
        never = known.probability(np.zeros(1000, dtype=bool))
        always = known.probability(np.ones(1000, dtype=bool))
        assert (never, always) == (0, 1)
        assert never.std_error == always.std_error == pytest.approx(1 / known.n_effective, rel=0.3)
        assert never.interval()[0] == 0
        assert 0 < never.interval()[1] == pytest.approx(1 - always.interval()[0])
        assert (known.n_effective < 100) == (not independent)


def test_a_draw_of_little_weight_says_no_more_than_none():
    """One draw of hardly any weight does not turn ten effective draws into ten thousand."""
    log_weights = np.full(10_000, -20.0)
    log_weights[:10] = 0.0
    known = draws(log_weights)
    events = np.zeros((10_000, 2), dtype=bool)
    events[-1, 0] = True
    p, n = known.probabilities(events)
    assert 0 < p[0] < 1e-8
    assert n == pytest.approx([10, 10], rel=0.01)


def test_event_and_its_opposite_know_the_same():
    rng = np.random.default_rng(4)
    event = rng.random((300, 3)) < [0.5, 0.01, 0.999]
    known = draws(rng.standard_normal(300))
    p, n = known.probabilities(event)
    q, m = known.probabilities(~event)
    np.testing.assert_allclose(p, 1 - q)
    np.testing.assert_allclose(n, m)


def test_one_draw_is_enough_to_answer():
    p = draws(np.zeros(1), independent=False).probability(np.ones(1, dtype=bool))
    assert p == 1
    assert 0.1 < p.std_error < 0.3
    assert draws(np.zeros(1), independent=False).expectation(np.array([7.0])) == 7


# Errors of log marginal likelihoods


def enumerated(rng):
    """All DAGs of 4 nodes: scores by set, the number of each node's set, and standard errors."""
    dags = all_dags(4)
    codes = dags.transpose(2, 0, 1) @ (1 << np.arange(4))
    sets = codes + 16 * np.arange(4)[:, None]
    return dags, rng.normal(scale=1.5, size=64), sets, rng.uniform(0.02, 0.06, size=64)


def weights_of(scores, sets):
    log_target = scores[sets].sum(axis=0)
    return np.exp(log_target - np.logaddexp.reduce(log_target))


def test_errors_of_scores_against_perturbed_ones():
    """4000 perturbations give an sd to 1.1%: 6% is a false alarm in fewer than one of 10^5."""
    rng = np.random.default_rng(5)
    dags, scores, sets, errors = enumerated(rng)
    values = np.column_stack([dags.reshape(len(dags), 16), dags.sum(axis=(1, 2))]).astype(float)
    known = draws(scores[sets].sum(axis=0), sets=sets, errors=errors)
    found = np.sqrt(known.evidence_variances(values, known.weights @ values))
    noise = rng.standard_normal((4000, 64)) * errors
    perturbed = np.array([weights_of(scores + e, sets) @ values for e in noise])
    np.testing.assert_allclose(found, perturbed.std(axis=0), rtol=0.06)


def test_errors_of_scores_are_added_and_unknown_ones_count_as_zero():
    rng = np.random.default_rng(6)
    dags, scores, sets, errors = enumerated(rng)
    log_target = scores[sets].sum(axis=0)
    event = dags[:, 0, 1]

    def known(errors):
        return draws(log_target, sets=sets, errors=errors)

    nothing, some = known(np.zeros(64)), known(10 * errors)
    variance = some.evidence_variances(event[:, None], some.weights @ event[:, None])[0]
    for ask in (lambda d: d.probability(event), lambda d: d.expectation(2.0 * event)):
        assert ask(some).std_error > ask(nothing).std_error
        assert ask(known(np.full(64, np.nan))).std_error == ask(nothing).std_error
    p, q = nothing.probability(event), some.probability(event)
    assert q * (1 - q) / q.n_effective == pytest.approx(p * (1 - p) / p.n_effective + variance)
    plain = nothing.expectation(2.0 * event).std_error ** 2
    assert some.expectation(2.0 * event).std_error ** 2 == pytest.approx(plain + 4 * variance)


def test_near_certainty_is_not_lost_in_rounding():
    """Of weights 1 and 10^-20, an error of a score hardly changes anything."""
    sets = np.array([[0] * 50 + [1] * 50])
    log_weights = np.where(sets[0] == 0, 0.0, -46.0)
    known = draws(log_weights, sets=sets, errors=np.array([0.3, 0.3]))
    p, n = known.probabilities(np.column_stack([sets[0] == 0, sets[0] == 1]))
    assert p == pytest.approx([1, 0])
    assert n == pytest.approx([50, 50], rel=0.01)


# Each DAG by its score


def test_what_was_never_drawn_is_the_error():
    """Whatever the missing mass does, the probability moves by at most so much."""
    rng = np.random.default_rng(3)
    log_weights = np.log(rng.dirichlet(np.ones(200)))
    draws = WeightedDraws(
        log_weights,
        log_weights,
        np.zeros(200, dtype=np.int32),
        independent=True,
        sets=np.zeros((1, 200), dtype=np.intp),
        set_errors=np.zeros(1),
        missing_mass=0.01,
    )
    for share in (0.0, 0.02, 0.5, 1.0):
        event = np.arange(200) < 200 * share
        p = draws.probability(event)
        assert 0.005 < p.std_error < 0.02
        worst = max(0.99 * p + 0.01 - p, p - 0.99 * p)
        assert p.std_error > 0.5 * worst
    number = draws.expectation(np.arange(200.0))
    assert number.std_error == pytest.approx(0.01 * max(number, 199 - number))


def test_in_a_notebook_an_estimate_says_what_its_error_is():
    page = Estimate(0.9831, 0.004, n_effective=1000.0)._repr_html_()
    assert page.startswith("<p><strong>0.983</strong> ± 0.004 (the computation may be off by 0.004")
    low, high = Estimate(0.9831, 0.004, n_effective=1000.0).interval()
    assert f"between {low:.3g} and {high:.3g}" in page
    assert Estimate(1.0, 0.0)._repr_html_() == "<p><strong>1</strong> ± 0</p>"


# Errors that nobody knows


def test_an_unknown_error_is_not_stated():
    p = Estimate(0.25, float("nan"), n_effective=float("nan"))
    assert repr(p) == "0.25 ± ?"
    assert "?" in p._repr_html_()
    assert np.isnan(p.interval()).all()


def test_draws_of_unknown_scores_have_no_error():
    known = draws(np.zeros(100))
    unknown = replace(known, errors_known=False)
    event = np.arange(100) < 30
    assert known.probability(event).std_error > 0.01
    assert np.isnan(unknown.probability(event).std_error)
    assert np.isnan(unknown.expectation(event.astype(float)).std_error)
    assert float(unknown.probability(event)) == float(known.probability(event))

"""Questions and their gains, against the joint distribution of DAG and answer written out."""

import shlex
from itertools import combinations

import numpy as np
import pytest

from gpnet import learn, simulate
from gpnet.cli.options import split_names
from gpnet.posterior.diagnosis import Diagnosis
from gpnet.posterior.features import parse
from gpnet.posterior.questions import MAX_TOLD, _asked, _gains
from tests.posteriors import enumerated, posterior_of, thinned

CHAINS = np.array(
    [
        [[0, 1, 0], [0, 0, 1], [0, 0, 0]],  # A -> B -> C
        [[0, 0, 0], [1, 0, 0], [0, 1, 0]],  # and all of it the other way round
    ],
    dtype=bool,
)


def entropy(joint):
    p = np.array([one for one in joint.values() if one > 0])
    return -(p * np.log2(p)).sum()


def states(dag):
    """Of every pair."""
    return [(dag[a, b], dag[b, a]) for a, b in combinations(range(len(dag)), 2)]


def written_out(posterior, answer_of):
    """Mutual information of answer and state, summed over pairs, by the joint distribution.

    `answer_of` a DAG is "no", "yes" or None, of which the last are divided in proportion.
    """
    answers = [answer_of(dag) for dag in posterior.dags]
    no, yes = (posterior.weights[np.array(answers) == one].sum() for one in ("no", "yes"))
    q = no / (no + yes)
    joint = []  # probability, answer, states
    for weight, answer, dag in zip(posterior.weights, answers, posterior.dags, strict=True):
        shares = {"no": q, "yes": 1 - q} if answer is None else {answer: 1.0}
        joint += [(weight * share, a, states(dag)) for a, share in shares.items()]
    gain = 0.0
    for pair in range(len(states(posterior.dags[0]))):
        both, of_state, of_answer = {}, {}, {}
        for p, answer, found in joint:
            for counts, key in ((both, (answer, found[pair])), (of_state, found[pair])):
                counts[key] = counts.get(key, 0) + p
            of_answer[answer] = of_answer.get(answer, 0) + p
        gain += entropy(of_state) + entropy(of_answer) - entropy(both)
    return gain


def direction(parent, child):
    """Of "Can parent drive child?"."""
    return lambda dag: "yes" if dag[parent, child] else "no" if dag[child, parent] else None


@pytest.mark.parametrize("n", [2, 3, 4])
def test_gains_are_those_of_the_joint_distribution(n):
    posterior = enumerated(n)
    asked = list(_asked(posterior))
    assert len(asked) == n * (n - 1) / 2
    names = posterior.names
    for question, gain in zip(asked, _gains(posterior, asked), strict=True):
        a, b = (names.index(name) for name in question.text.split("'")[1::2])
        assert (
            posterior.edge_probabilities().iloc[a, b] >= posterior.edge_probabilities().iloc[b, a]
        )
        assert gain == pytest.approx(written_out(posterior, direction(a, b)), abs=1e-10)
        assert gain >= 0


def test_gain_of_a_column_is_that_of_its_parents():
    diagnosis = Diagnosis(undriven=("C",))
    posterior = enumerated(4, diagnosis=diagnosis)
    asked = next(_asked(posterior))
    assert (asked.text, asked.option) == ("Can anything in the table drive 'C'?", "--roots C")
    expected = written_out(posterior, lambda dag: "yes" if dag[:, 2].any() else "no")
    assert _gains(posterior, [asked]) == pytest.approx([expected], abs=1e-10)


def test_one_answer_settles_all_that_hangs_on_it():
    """Two chains: each direction tells the other, so that one bit is worth two."""
    found = posterior_of(CHAINS).questions()
    assert found["gain"].tolist() == pytest.approx([2, 2])
    outward = np.zeros((3, 3), dtype=bool)
    outward[1, [0, 2]] = True
    apart = posterior_of(np.concatenate([CHAINS, [outward, outward.T]]))
    assert apart.questions()["gain"].tolist() == pytest.approx([1, 1])


def test_of_the_best_questions_the_first_is_told_first():
    found = enumerated(4).questions()
    assert list(found) == ["question", "gain", "option"]
    assert found["gain"].is_monotonic_decreasing
    assert 0 < len(thinned(12, edge_probability=0.5, n_draws=50).questions()) <= MAX_TOLD


def test_nothing_is_asked_that_is_known():
    """Negative controls: one direction in all draws, an identified pair, a single DAG."""
    assert posterior_of(CHAINS[:1]).questions().empty
    known = np.zeros((3, 3), dtype=bool)
    known[0, 1] = known[1, 0] = True
    found = posterior_of(CHAINS, identified=known).questions()
    assert found["question"].tolist() == ["Can 'B' drive 'C'?"]
    all_known = posterior_of(CHAINS, identified=~np.eye(3, dtype=bool))
    assert all_known.questions().empty


def test_an_option_repeats_what_the_run_was_told():
    """As an option that is given again replaces that of the run."""
    settings = {
        "options": {"forbid": ["A -> C"], "roots": ["B"]},
        "data": {"exogenous": ["C", "A"], "assumed": ["A"]},
    }
    posterior = enumerated(3, settings=settings, diagnosis=Diagnosis(undriven=("C",)))
    options = {one.text: one.option for one in _asked(posterior)}
    assert options == {
        "Can anything in the table drive 'A'?": "--exogenous C,A",
        "Can anything in the table drive 'C'?": "--roots B,C",
    }
    plain = enumerated(2, settings={"options": {"forbid": ["A -> C"]}})
    assert [one.option for one in _asked(plain)] in (
        [f"--forbid 'A -> C' --forbid '{edge}'"] for edge in ("A -> B", "B -> A")
    )


def test_odd_names_can_be_pasted():
    names = ("a, b", "it's", 'the "third"')
    _, edge = shlex.split(next(_asked(posterior_of(CHAINS, names=names))).option)
    parsed = parse(edge, names)
    assert (parsed.first, parsed.second) == names[:2]
    innate = posterior_of(CHAINS, names=names, diagnosis=Diagnosis(undriven=names))
    given = [shlex.split(one.option) for one in _asked(innate)]
    assert [split_names("roots", text) for _, text in given] == [[name] for name in names]


def test_knowledge_that_is_given_is_asked_for_no_more():
    frame = simulate(nodes=4, rows=200, edge_probability=0.6, seed=2).frame()
    options = {"score": "bge", "draws": 500, "bag": "off", "doubt": 0.75}
    first = learn(frame, **options).questions().iloc[0]
    edge = first["option"].split("'")[1]
    after = learn(frame, **options, forbid=[edge]).questions()
    assert first["question"] not in set(after["question"])

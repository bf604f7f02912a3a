"""What is told of the model's fit: numbers as they were found, and what is refused."""

import json
from dataclasses import replace

import numpy as np
import pytest

from gpnet.common.errors import OptionError
from gpnet.common.strict_json import to_json
from gpnet.posterior.edge_table import cells
from gpnet.posterior.likely_edges import likely_edges
from tests.posteriors import checks_of, enumerated

PARENTS = np.array([[0, 0, 0], [1, 0, 0], [0, 0, 0]])  # A -> B, and C alone
CHECKS = checks_of(
    PARENTS,
    parent_p=np.array([np.nan, 0.003, np.nan]),
    other=np.array([2, -1, 0]),
    other_p=np.array([0.04, np.nan, 0.04]),
)
MODEL = {
    "converged": True,
    "verdict": "Converged: made up.",
    "notes": ["one note"],
    "model_fits": False,
    "model_verdict": "'B' does not fit.",
    "misfitting": ["B"],
    "doubt": "An arrow has at most 0.65.",
    "doubt_throughout": 0.7,
    "rounded": ["A"],
}
OLD_DOUBT = {
    "doubt": "Directions are given at most 0.965.",
    "doubt_throughout": 0.07,
    "doubt_on_misfit": 0.6,
    "doubt_worth_if_rounded": 0.125,
    "doubt_if_rounded": 0.25,
}


@pytest.fixture
def posterior():
    return enumerated(3, checks=CHECKS, diagnosis=MODEL)


def test_a_row_for_each_variable(posterior):
    found = posterior.model_checks()
    assert found["variable"].tolist() == ["A", "B", "C"]
    assert found["parents"].tolist() == [(), ("A",), ()]
    np.testing.assert_array_equal(found["nonlinear"], 1 - CHECKS.linear)
    np.testing.assert_array_equal(found["noise_not_normal"], CHECKS.shaped)
    np.testing.assert_array_equal(found["noise_varies"], CHECKS.varying)
    np.testing.assert_array_equal(found["p_parents"], CHECKS.parent_p)
    assert found["related_to"].tolist() == ["C", None, "A"]
    np.testing.assert_array_equal(found["p_related"], CHECKS.other_p)


def test_what_is_below_alpha_is_found():
    assert CHECKS.misfitting() == [1]
    assert CHECKS.related() == [(0, 2)]
    clean = replace(CHECKS, parent_p=np.full(3, 0.05), other_p=np.full(3, 0.05))
    assert (clean.misfitting(), clean.related()) == ([], [])


def test_without_checks_it_says_so():
    with pytest.raises(OptionError, match=r"not looked at.*learn again"):
        enumerated(3).model_checks()
    summary = enumerated(3).summary()
    assert summary["model"] == {"fits": None, "verdict": None, "checks": None}
    assert set(summary["doubt"].values()) == {None}


def test_the_summary_tells_model_and_doubt(posterior):
    summary = json.loads(to_json(posterior.summary()))
    model, doubt = summary["model"], summary["doubt"]
    assert (model["fits"], model["verdict"]) == (False, "'B' does not fit.")
    assert [one["p_parents"] for one in model["checks"]] == [None, 0.003, None]
    assert model["checks"][1]["parents"] == ["A"]
    assert [one["related_to"] for one in model["checks"]] == ["C", None, "A"]
    assert doubt == {
        "sentence": MODEL["doubt"],
        "kappa": 0.7,
        "misfitting": ["B"],
        "rounded": ["A"],
    }


def test_the_text_ends_with_how_far_to_trust_it(posterior):
    assert str(posterior.summary()).splitlines()[-4:] == [
        "Converged: made up.",
        "'B' does not fit.",
        MODEL["doubt"],
        "Note: one note.",
    ]


def test_doubt_is_taken_off_again(posterior):
    doubted = replace(posterior, plain_log_weights=np.log([0.5, 0.5]))
    plain = doubted.without_doubt()
    assert (plain.n_draws, plain.weights.tolist()) == (2, [0.5, 0.5])
    np.testing.assert_array_equal(plain.dags, posterior.dags[:2])
    np.testing.assert_array_equal(plain.log_target, posterior.log_target[:2])
    assert plain.plain_log_weights is None
    assert plain.without_doubt() is plain
    assert plain.summary()["doubt"]["kappa"] == 0
    assert "no doubt" in plain.summary()["doubt"]["sentence"]
    assert plain.summary()["model"]["verdict"] == MODEL["model_verdict"]


def test_doubt_of_an_older_gpnet_is_told_as_it_was(posterior):
    old = replace(posterior, diagnosis=MODEL | OLD_DOUBT, plain_log_weights=np.log([0.5, 0.5]))
    doubt, record = old.summary()["doubt"], old.summary()["diagnosis"]
    assert (doubt["sentence"], doubt["kappa"]) == (OLD_DOUBT["doubt"], None)
    assert {name: record[name] for name in OLD_DOUBT} == OLD_DOUBT
    assert OLD_DOUBT["doubt"] in str(old.summary())
    assert old.without_doubt().summary()["doubt"]["kappa"] == 0


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"parents": np.zeros((3, 2), dtype=bool)}, "checks.parents: expected the shape"),
        ({"residual": np.full((3, 60), np.inf)}, "checks.residual: expected finite"),
        ({"fitted": np.zeros((3, 59))}, "checks.fitted: expected the shape"),
        ({"parent_p": np.array([0, 1.5, 0])}, "checks.parent_p: expected probabilities"),
        ({"other": np.array([0, 1, 3])}, "checks.other: expected numbers from -1 to 2"),
    ],
)
def test_checks_that_do_not_fit_are_refused(wrong, words):
    with pytest.raises(OptionError, match=words):
        replace(CHECKS, **wrong)


def test_checks_of_other_variables_are_refused(posterior):
    with pytest.raises(OptionError, match=r"checks\.parents: expected the shape"):
        replace(posterior, checks=checks_of(np.zeros((4, 4))))


def test_in_a_notebook_trust_comes_before_edges(posterior):
    page = posterior._repr_html_()
    verdict = page.index(MODEL["verdict"].replace("'", "&#x27;"))
    model = page.index("&#x27;B&#x27; does not fit.")
    assert verdict < model < page.index("<table")
    likeliest = max(likely_edges(posterior, least=0.05), key=lambda edge: edge.adjacent)
    first = page.index("<tbody>")
    text = cells(likeliest, posterior.names)[0]
    assert page.index(f"<td>{text}</td>", first) < page.index("</tr>", first)

import numpy as np

from gpnet.report.contents import contents
from tests.posteriors import posterior_of
from tests.report.pages import made_posterior


def summary_of(dags):
    return contents(posterior_of(np.array(dags, dtype=bool)))["summary"]


def dag(*edges, n=3):
    graph = np.zeros((n, n), dtype=bool)
    for parent, child in edges:
        graph["ABCDEF".index(parent), "ABCDEF".index(child)] = True
    return graph


def told(summary, kind):
    return [f"{one['text']}: {one['rest']}" for one in summary["kinds"][kind]["told"]]


def test_an_arrow_in_all_draws_is_sure():
    summary = summary_of([dag("AB")] * 1000)
    assert told(summary, "sure") == ["A drives B: probability 1.00 (1.00 to 1.00)"]
    assert summary["alone"] == "No likely relation was found for C."
    assert summary["lead"].endswith("gpnet found 1 arrow that the data make nearly certain.")


def test_an_open_direction_is_told_with_both():
    summary = summary_of([dag("AB")] * 66 + [dag("BA")] * 34)
    (sentence,) = told(summary, "open")
    assert sentence.startswith("A and B belong together: adjacent 1.00: A → B 0.66 (0.5")
    assert "B → A 0.34 (0.2" in sentence
    assert told(summary, "sure") == []


def test_an_arrow_that_is_likely():
    summary = summary_of([dag("AB")] * 70 + [dag()] * 28 + [dag("BA")] * 2)
    (sentence,) = told(summary, "likely")
    assert sentence.startswith("A probably drives B: probability 0.70 (0.6")
    assert summary["lead"].endswith("gpnet found 1 arrow that is likely.")


def test_weak_evidence_and_what_is_left_out():
    summary = summary_of([dag()] * 88 + [dag("AB")] * 8 + [dag("BC")] * 4)
    (sentence,) = told(summary, "hint")
    assert sentence.startswith("A may drive B: probability 0.08 (")
    nothing = summary_of([dag()] * 97 + [dag("AB")] * 3)
    assert nothing["lead"].endswith("gpnet found no relation.")


def test_no_more_sentences_than_one_reads():
    edges = [(a, b) for k, a in enumerate("ABCDEF") for b in "ABCDEF"[k + 1 :]]
    kinds = summary_of([dag(*edges, n=6)] * 1000)["kinds"]
    assert len(kinds["sure"]["told"]) + kinds["sure"]["more"] == len(edges) == 15
    assert len(kinds["sure"]["told"]) == 12


def test_what_was_restricted_and_assumed_is_told():
    settings = {"options": {"forbid": ["V1 -> V2"], "tiers": [["V1"], ["V2"]], "max_parents": 2}}
    caveats = contents(made_posterior(5, settings=settings))["summary"]["caveats"]
    assert caveats[:4] == [
        "One note.",
        "Ruled out beforehand: V1 -> V2.",
        "No arrow was allowed into an earlier tier: V1; V2.",
        "At most 2 parents of a variable were considered.",
    ]
    assert "no common cause was left out" in caveats[-1]


def test_the_verdict_is_that_of_the_diagnosis():
    diagnosis = {"converged": False, "verdict": "Not converged: too few.", "problems": ["too few"]}
    summary = contents(made_posterior(4, diagnosis=diagnosis))["summary"]
    assert summary["converged"] is False
    assert summary["verdict"] == "Not converged: too few."

from dataclasses import replace

import numpy as np

from gpnet.posterior.diagnosis import Diagnosis
from gpnet.report.contents import contents
from gpnet.report.words import NOT_THE_MODEL
from tests.posteriors import posterior_of
from tests.report.pages import made_posterior, with_checks


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
    assert told(summary, "sure") == ["A drives B: probability above 0.99"]
    assert summary["alone"] == "No likely relation was found for C."
    assert summary["lead"].endswith("gpnet found 1 arrow that data and model make nearly certain.")


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
    settings = {"options": {"forbid": ["V1 -> V2"], "tiers": [["V1"], ["V2"]]}}
    diagnosis = {
        "converged": True,
        "notes": ["one note", "another. Remedy: none."],
        "max_parents": 2,
    }
    made = made_posterior(5, settings=settings, diagnosis=diagnosis)
    caveats = contents(made)["summary"]["caveats"]
    assert caveats[:5] == [
        "One note.",
        "Another. Remedy: none.",
        "Ruled out beforehand: V1 -> V2.",
        "No arrow was allowed into an earlier tier: V1; V2.",
        "At most 2 parents of a variable were considered.",
    ]
    assert "no common cause was left out" in caveats[-1]


def test_converged_is_said_of_the_computation():
    for verdict, told in {
        "Converged: 10 draws.": "The computation converged ({}): 10 draws.",
        "Converged on doubtful scores: 10 draws.": "The computation converged on doubtful scores "
        "({}): 10 draws.",
    }.items():
        diagnosis = {"converged": True, "verdict": verdict}
        found = contents(made_posterior(4, diagnosis=diagnosis))["summary"]["verdict"]
        assert found == told.format(NOT_THE_MODEL)


def test_no_arrow_of_a_sentence_can_be_broken_in_two():
    """A line of the page may end after a hyphen."""
    text = "Not converged: chains differ in 'a' -> 'b'."
    diagnosis = {"converged": False, "verdict": text, "problems": [text], "notes": [text]}
    summary = contents(made_posterior(4, diagnosis=diagnosis))["summary"]
    assert summary["verdict"] == "Not converged: chains differ in 'a' → 'b'."
    assert summary["verdict"] in summary["caveats"]


def test_the_verdict_is_that_of_the_diagnosis():
    diagnosis = {"converged": False, "verdict": "Not converged: too few.", "problems": ["too few"]}
    summary = contents(made_posterior(4, diagnosis=diagnosis))["summary"]
    assert summary["converged"] is False
    assert summary["verdict"] == "Not converged: too few."


def test_nothing_is_nearly_certain_before_the_computation_converged():
    posterior = posterior_of(np.array([dag("AB")] * 1000, dtype=bool))
    not_yet = replace(posterior.diagnosis, converged=False, verdict="Not converged: too few.")
    summary = contents(replace(posterior, diagnosis=not_yet))["summary"]
    assert summary["lead"].startswith("The computation has not converged, and what follows may")
    assert summary["lead"].endswith("1 arrow that has a high probability.")
    (told,) = summary["kinds"]["sure"]["told"]
    assert told["text"] == "A → B"  # no sentence to quote


def test_pairs_belong_together_so_far():
    posterior = posterior_of(np.array([dag("AB"), dag("BA")] * 500, dtype=bool))
    not_yet = replace(posterior.diagnosis, converged=False, verdict="Not converged: too few.")
    summary = contents(replace(posterior, diagnosis=not_yet))["summary"]
    assert summary["lead"].startswith("The computation has not converged")
    assert summary["kinds"]["open"]["told"][0]["text"] == "A and B belong together so far"


def checked(dags, **found):
    return contents(with_checks(posterior_of(np.array(dags, dtype=bool)), **found))["summary"]


def test_no_direction_is_a_fact_where_the_model_does_not_fit():
    dags = [dag("AB", "BC", "DE", n=6)] * 1000
    summary = checked(dags, misfitting=[1])
    assert told(summary, "unfit") == [
        "A and B belong together: A → B above 0.99 if the model held, but B does not fit",
        "B and C belong together: B → C above 0.99 if the model held, but B does not fit",
    ]
    assert told(summary, "sure") == ["D → E: probability above 0.99"]  # and no sentence
    assert "1 arrow that would be nearly certain if the model held everywhere" in summary["lead"]
    assert "2 pairs that belong together while only a model that does not fit" in summary["lead"]
    clean = checked(dags)  # the control
    assert "drives" in told(clean, "sure")[0]
    assert (len(told(clean, "sure")), told(clean, "unfit")) == (3, [])


def test_a_common_cause_that_may_be_missing_takes_facts_away():
    dags = [dag("AB", "DE", n=6)] * 700 + [dag("DE", n=6)] * 220 + [dag("DE", "BC", n=6)] * 80
    (sentence,) = told(checked(dags, related=[(0, 2)]), "unfit")
    assert sentence.startswith("A and B probably belong together: A → B 0.70 (0.6")
    assert sentence.endswith("if the model held, but a common cause of A and C may be missing")
    summary = checked(dags, related=[(0, 2)])
    assert told(summary, "hint")[0].startswith("B may be related to C: probability 0.08")


def test_related_residuals_of_likely_neighbours_are_no_news():
    summary = checked([dag("AB", n=6)] * 1000, related=[(0, 1)])
    assert told(summary, "sure") == ["A drives B: probability above 0.99"]


def test_model_and_doubt_are_those_of_the_diagnosis():
    found = with_checks(made_posterior(5), misfitting=[2])
    model = contents(found)["summary"]["model"]
    assert model["fits"] is False
    assert model["verdict"] == found.diagnosis.model_verdict
    assert model["doubt"] == found.diagnosis.doubt
    nothing = contents(made_posterior(5))["summary"]["model"]
    assert nothing["fits"] is None
    assert nothing["verdict"] == "Nothing is recorded about whether the model fits."


def test_the_noise_that_is_assumed_is_told():
    made = made_posterior(4)
    assert "the noise adds to what" in contents(made)["summary"]["caveats"][-1]
    unknown = np.full(len(made.local_scores.node), np.nan)
    gaussian = replace(made, local_scores=replace(made.local_scores, shaped=unknown))
    assert "additive and normal" in contents(gaussian)["summary"]["caveats"][-1]


def test_what_can_be_told_beforehand_is_told_unless_it_was():
    asked = [{"options": {}}, {"options": {"tiers": [["V1"], ["V2"]]}}]
    caveats = [contents(made_posterior(4, settings=s))["summary"]["caveats"] for s in asked]
    assert ["can be told beforehand" in " ".join(one) for one in caveats] == [True, False]


def test_no_arrow_into_an_age_is_told_as_such_and_the_first_words_say_why():
    dags = np.array([dag("AB", "AC")] * 1000)
    summary = contents(posterior_of(dags, diagnosis=Diagnosis(undriven=("B",))))["summary"]
    assert told(summary, "sure") == ["A drives C: probability above 0.99"]
    (sentence,) = told(summary, "open")
    assert sentence.startswith("A and B belong together: adjacent 1.00: A → B above 0.99")
    assert sentence.endswith("but B looks like what nothing in the table can drive")
    assert summary["lead"].startswith("To judge by the name, nothing in the table can drive 'B'")
    assert "'A' → 'B' (1.00) is among the arrows below. Say so (--roots" in summary["lead"]
    weak = np.array([dag()] * 92 + [dag("AB")] * 8)
    summary = contents(posterior_of(weak, diagnosis=Diagnosis(undriven=("B",))))["summary"]
    assert told(summary, "hint")[0].startswith("A may be related to B")


def test_an_age_that_drives_others_is_left_alone():
    dags = np.array([dag("AB", "AC")] * 1000)
    summary = contents(posterior_of(dags, diagnosis=Diagnosis(undriven=("A",))))["summary"]
    assert len(told(summary, "sure")) == 2
    assert summary["lead"].startswith("Among 3 variables")

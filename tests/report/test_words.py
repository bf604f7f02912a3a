from dataclasses import replace

import numpy as np

from gpnet.inference.orientation import with_open_directions
from gpnet.posterior.diagnosis import Diagnosis
from gpnet.report.contents import contents
from gpnet.report.words import KINDS, NOT_THE_MODEL
from tests.posteriors import posterior_of
from tests.report.pages import made_posterior, with_checks


def summary_of(dags, **others):
    return contents(posterior_of(np.array(dags, dtype=bool), **others))["summary"]


def dag(*edges, n=3):
    graph = np.zeros((n, n), dtype=bool)
    for parent, child in edges:
        graph["ABCDEF".index(parent), "ABCDEF".index(child)] = True
    return graph


def known(*pairs, n=3):
    """Pairs whose direction experiments or knowledge tell."""
    found = dag(*pairs, n=n)
    return found | found.T


def told(summary, kind):
    return [f"{one['text']}: {one['rest']}" for one in summary["kinds"][kind]["told"]]


def all_told(summary):
    return [sentence for kind in KINDS for sentence in told(summary, kind)]


def test_an_identified_arrow_in_all_draws_is_a_fact():
    summary = summary_of([dag("AB")] * 1000, identified=known("AB"))
    assert all_told(summary) == ["A drives B: probability above 0.99; direction known beforehand"]
    assert summary["alone"] == "No likely relation was found for C."
    ending = "gpnet found 1 arrow whose direction experiments or knowledge tells."
    assert summary["lead"].endswith(ending)


def test_no_sentence_says_what_drives_what_where_only_the_model_tells():
    """The same draws, without the knowledge."""
    summary = summary_of([dag("AB")] * 1000)
    assert all_told(summary) == [
        "A ⇢ B: adjacent 1.00; this direction 1.00, by the shape of curves and noise alone"
    ]
    assert told(summary, "linked") == all_told(summary)
    ending = "1 pair that belongs together, with a direction that the model alone prefers."
    assert summary["lead"].endswith(ending)


def test_an_experiment_is_told_as_such():
    settings = {"data": {"interventions": [{"targets": ["A"], "rows": 10}]}}
    summary = summary_of([dag("AB")] * 1000, identified=known("AB"), settings=settings)
    (sentence,) = told(summary, "identified")
    assert sentence.endswith("; direction known from an experiment")


def test_independences_are_told_as_such():
    summary = summary_of([dag("AB", "CB")] * 1000)
    ends = [sentence.partition("1.00, ")[2] for sentence in told(summary, "linked")]
    assert ends == ["by independences alone"] * 2
    ending = "2 pairs that belong together, all with a direction that the model alone prefers."
    assert summary["lead"].endswith(ending)


def test_an_open_direction_is_told_as_open():
    summary = summary_of([dag("AB", "BC")] * 66 + [dag("BA", "BC")] * 34)
    by_pair = dict(sentence.split(": ", 1) for sentence in told(summary, "linked"))
    assert by_pair["A — B"] == "adjacent 1.00; direction open"
    assert by_pair["B ⇢ C"].startswith("adjacent 1.00; this direction 1.00")
    ending = ", 1 of them with a direction that the model alone prefers."
    assert summary["lead"].endswith(f"found 2 pairs that belong together{ending}")


def test_a_direction_left_open_is_told_both_ways():
    doubted = with_open_directions(posterior_of(np.array([dag("AB")] * 1000)), 0.5, seed=0)
    (sentence,) = told(contents(doubted)["summary"], "linked")
    assert sentence == (
        "A ⇢ B: adjacent 1.00; this direction 0.75, or 1.00 if the model holds, "
        "by the shape of curves and noise alone"
    )


def test_what_is_likely():
    dags = [dag("AB")] * 70 + [dag()] * 28 + [dag("BA")] * 2
    summary = summary_of(dags)
    (sentence,) = told(summary, "likely")
    assert sentence.startswith("A ⇢ B: adjacent 0.72; this direction 0.97, by ")
    assert summary["lead"].endswith("gpnet found 1 pair that probably belongs together.")
    (sentence,) = told(summary_of(dags, identified=known("AB")), "identified")
    assert sentence.startswith("A probably drives B: probability 0.70 (0.6")


def test_weak_evidence_and_what_is_left_out():
    dags = [dag()] * 88 + [dag("AB")] * 8 + [dag("BC")] * 4
    summary = summary_of(dags)
    assert all_told(summary) == told(summary, "hint")
    (sentence,) = told(summary, "hint")
    assert sentence.startswith("A ⇢ B: adjacent 0.08; this direction 1.00, by ")
    assert summary["lead"].endswith("gpnet found 1 weaker hint.")
    (sentence,) = told(summary_of(dags, identified=known("AB")), "hint")
    assert sentence == "A → B: adjacent 0.08; direction known beforehand"
    nothing = summary_of([dag()] * 97 + [dag("AB")] * 3)
    assert nothing["lead"].endswith("gpnet found no relation.")
    assert all_told(nothing) == []


def test_no_more_sentences_than_one_reads():
    edges = [(a, b) for k, a in enumerate("ABCDEF") for b in "ABCDEF"[k + 1 :]]
    linked = summary_of([dag(*edges, n=6)] * 1000)["kinds"]["linked"]
    assert len(linked["told"]) + linked["more"] == len(edges) == 15
    assert len(linked["told"]) == 12


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


def test_no_arrow_is_a_sentence_before_the_computation_converged():
    posterior = posterior_of(np.array([dag("AB")] * 1000, dtype=bool), identified=known("AB"))
    not_yet = replace(posterior.diagnosis, converged=False, verdict="Not converged: too few.")
    summary = contents(replace(posterior, diagnosis=not_yet))["summary"]
    assert summary["lead"].startswith("The computation has not converged, and what follows may")
    assert "So far, among 3 variables, gpnet found 1 arrow" in summary["lead"]
    (sentence,) = summary["kinds"]["identified"]["told"]
    assert sentence["text"] == "A → B"  # no sentence to quote


def checked(dags, *, identified=None, **found):
    posterior = posterior_of(np.array(dags, dtype=bool), identified=identified)
    return contents(with_checks(posterior, **found))["summary"]


def test_no_arrow_is_a_sentence_where_the_model_does_not_fit():
    dags, pairs = [dag("AB", "BC", "DE", n=6)] * 1000, known("AB", "DE", n=6)
    summary = checked(dags, identified=pairs, misfitting=[1])
    above = "probability above 0.99; direction known beforehand"
    assert told(summary, "identified") == [
        f"A → B: {above}; but B does not fit the model",
        f"D → E: {above}",
    ]
    (sentence,) = told(summary, "linked")
    assert sentence.startswith("B ⇢ C: ")
    assert sentence.endswith("; but B does not fit the model")
    clean = checked(dags, identified=pairs)  # the control
    assert told(clean, "identified") == [f"A drives B: {above}", f"D drives E: {above}"]
    assert "does not fit" not in " ".join(all_told(clean))


def test_a_common_cause_that_may_be_missing_is_told():
    dags = [dag("AB", "DE", n=6)] * 700 + [dag("DE", n=6)] * 220 + [dag("DE", "BC", n=6)] * 80
    summary = checked(dags, related=[(0, 2)])
    (sentence,) = told(summary, "likely")
    assert sentence.startswith("A ⇢ B: adjacent 0.70; ")
    assert sentence.endswith("; but a common cause of A and C may be missing")
    (other,) = told(summary, "linked")
    assert other.startswith("D ⇢ E: ")
    assert "common cause" not in other
    (hint,) = told(summary, "hint")
    assert hint.startswith("B ⇢ C: adjacent 0.08")
    assert "common cause" not in hint  # a hint is no more than that


def test_related_residuals_of_likely_neighbours_are_no_news():
    summary = checked([dag("AB", n=6)] * 1000, identified=known("AB", n=6), related=[(0, 1)])
    assert all_told(summary) == ["A drives B: probability above 0.99; direction known beforehand"]


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
    assert ["can be declared beforehand" in " ".join(c) for c in caveats] == [True, False]


def test_no_arrow_into_an_age_is_preferred_without_a_word_and_the_first_ones_say_why():
    dags = np.array([dag("AB", "AC")] * 1000)
    summary = contents(posterior_of(dags, diagnosis=Diagnosis(undriven=("B",))))["summary"]
    into, other = told(summary, "linked")
    assert into.startswith("A ⇢ B: adjacent 1.00; ")
    assert into.endswith("; but, by its name, nothing in the table can drive B")
    assert other.startswith("A ⇢ C: ")
    assert "by its name" not in other
    (caution,) = summary["cautions"]
    assert caution.startswith("To judge by the name, nothing in the table can drive 'B'")
    assert "'A' → 'B' (1.00) is among the arrows below. Say so (--roots" in caution
    weak = np.array([dag()] * 92 + [dag("AB")] * 8)
    summary = contents(posterior_of(weak, diagnosis=Diagnosis(undriven=("B",))))["summary"]
    assert told(summary, "hint")[0].endswith("nothing in the table can drive B")


def test_an_age_that_drives_others_is_left_alone():
    dags = np.array([dag("AB", "AC")] * 1000)
    summary = contents(posterior_of(dags, diagnosis=Diagnosis(undriven=("A",))))["summary"]
    assert len(told(summary, "linked")) == 2
    assert "by its name" not in " ".join(all_told(summary))
    assert summary["cautions"] == []

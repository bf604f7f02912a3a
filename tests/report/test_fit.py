"""Whether the model fits, as a reader of the page sees it, in Chromium."""

from dataclasses import replace

import numpy as np
import pytest

from gpnet.report.page import page
from tests.report.pages import PROTEINS, made_posterior, with_checks

MISFIT = 6


@pytest.fixture(scope="module")
def posterior():
    made = made_posterior(11, names=PROTEINS, chains=2, seed=11)
    return with_checks(made, misfitting=[MISFIT], related=[(0, 10)])


@pytest.fixture(scope="module")
def html(posterior):
    return page(posterior)


def brief(p):
    if np.isnan(p):
        return "–"
    return "< 0.01" if 0 < p < 0.005 else "> 0.99" if 0.995 <= p < 1 else f"{p:.2f}"


def p_value(p):
    if np.isnan(p):
        return "–"
    return "< 0.001" if p < 0.001 else f"{p:.3f}" if p < 0.1 else f"{p:.2f}"


def places(shown, card, what="points"):
    """Where the dots or corners of a path lie, as the page has them."""
    path = shown.locator("#residuals figure").nth(card).locator(f".{what}").get_attribute("d")
    pairs = path.replace("h0", "").replace("L", "M").strip("MZ").split("M")
    return np.array([pair.split() for pair in pairs], dtype=float)


def in_line(drawn, numbers):
    """Whether places are the numbers on a linear scale."""
    slope, start = np.polyfit(numbers, drawn, 1)
    return np.abs(start + slope * np.asarray(numbers) - drawn).max() < 0.2


def test_the_verdict_stands_before_the_claims(show, html, posterior):
    shown = show(html)
    text = shown.locator("#network").inner_text()
    assert text.index(posterior.diagnosis.model_verdict) < text.index("Belong together")
    told = replace(posterior, identified=~np.eye(len(PROTEINS), dtype=bool))
    text = show(page(told)).locator("#network").inner_text()
    first_claim = text.index("Arrows, if the model held everywhere")
    assert text.index(posterior.diagnosis.model_verdict) < first_claim
    for sentence in (posterior.diagnosis.model_verdict, posterior.diagnosis.doubt):
        assert sentence in shown.locator("#summary").inner_text()
        assert sentence in shown.locator("#fit").inner_text()
    assert shown.locator("#fit .verdict-line.bad").count() == 1


def test_the_table_has_the_numbers_of_the_posterior(show, html, posterior):
    shown = show(html)
    rows = shown.locator("table.checks tbody tr")
    assert rows.count() == 11
    found = {row["variable"]: row for row in posterior.model_checks().to_dict("records")}
    for row in rows.all():
        name = row.locator("th button").inner_text()
        expected = found.pop(name)
        told = row.locator("td").all_inner_texts()
        kinds = (expected[kind] for kind in ("nonlinear", "noise_not_normal", "noise_varies"))
        assert told[0] == (", ".join(expected["parents"]) or "none")
        assert told[1:4] == [brief(p) for p in kinds]
        assert told[4] == p_value(expected["p_parents"])
        assert told[5] == (expected["related_to"] or "–")
    assert found == {}
    assert rows.first.locator("th button").inner_text() == PROTEINS[MISFIT]  # the worst first
    assert rows.first.locator(".found").inner_text() == "< 0.001"


@pytest.mark.parametrize("v", [MISFIT, 0, 7])
def test_residuals_are_drawn_where_they_are(show, html, posterior, v):
    shown, checks = show(html), posterior.checks
    shown.locator("#fit select").select_option(str(v))
    x, y = places(shown, 0).T
    has_parents = checks.parents[v].any()
    assert in_line(x, checks.fitted[v] if has_parents else np.arange(len(x)))
    assert in_line(y, checks.residual[v])
    x, y = places(shown, 1).T
    assert in_line(y, np.sort(checks.residual[v]))
    corners = places(shown, 1, "envelope")
    assert len(corners) == 2 * len(x)
    told = shown.locator("#residuals").inner_text()
    shaped = checks.shaped[v]
    assert (f"Noise not normal {shaped:.2f}" if shaped >= 0.5 else "Noise normal") in told
    assert ("still depend on the parents (p < 0.001)" in told) == (v == MISFIT)
    assert ("No parent is probable" in told) == (not has_parents)


def test_what_is_chosen_elsewhere_is_shown(show, html):
    shown = show(html)
    title = shown.locator("#residuals figcaption").first
    shown.locator('.node[data-node="3"]').dispatch_event("click")
    assert PROTEINS[3] in title.inner_text()
    shown.locator("table.checks").get_by_role("button", name="PKA").click()
    assert "PKA" in title.inner_text()
    assert shown.locator("#fit select").input_value() == "7"
    assert shown.locator("table.checks tr.chosen th").inner_text().startswith("PKA")
    edge = shown.locator(".network .edge").last
    edge.dispatch_event("click")
    child = PROTEINS[int(edge.get_attribute("data-edge").split(":")[1])]
    assert title.inner_text().startswith(f"Residuals of {child}")


def test_an_arrow_at_a_misfit_is_no_fact(show):
    dags = np.zeros((400, 3, 3), dtype=bool)
    dags[:, 0, 1] = True
    made = made_posterior(3, dags=dags)
    known = replace(made, identified=dags[0] | dags[0].T)
    if_held, misfit = "if the model held everywhere", "V2 does not fit the model."
    together = "V1 and V2 belong together. The model alone prefers V1 → V2"
    for posterior, words in (
        (with_checks(made, misfitting=[1]), f"{together}, but {misfit}"),
        (with_checks(made), f"{together}."),
        (with_checks(known, misfitting=[1]), f"V1 → V2, {if_held}, but {misfit}"),
        (with_checks(known), "V1 drives V2."),
    ):
        shown = show(page(posterior))
        shown.locator('[data-edge="0:1"]').dispatch_event("click")
        assert shown.locator("#details .verdict").inner_text() == words


def test_without_checks_the_page_says_so(show):
    shown = show(page(made_posterior(4)))
    assert "Nothing is recorded about whether the model fits" in shown.locator("#fit").inner_text()
    assert shown.locator("#fit table, #fit svg").count() == 0


def test_many_variables_are_shown_when_asked(show):
    shown = show(page(with_checks(made_posterior(30, seed=6))))
    rows = shown.locator("table.checks tbody tr")
    assert rows.count() == 12
    shown.locator("#fit").get_by_role("button", name="Show all").click()
    assert rows.count() == 30

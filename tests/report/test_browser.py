"""The page as a reader meets it, in Chromium."""

import csv
import io
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pandas as pd
import pytest

from gpnet import learn, simulate
from gpnet.inference.orientation import KAPPA, with_open_directions
from gpnet.posterior.likely_edges import LINE, OPEN, PREFERRED, SOLID
from gpnet.report import packing
from gpnet.report.contents import first_threshold
from gpnet.report.page import page
from tests.report.pages import HOSTILE, PROTEINS, made_posterior, with_checks, with_curves

ROOT = Path(__file__).parents[2]
ARTEFACTS = ROOT / "artefacts"
SIGNS = SOLID, OPEN, LINE
AXE = ROOT / ".node" / "node_modules" / "axe-core" / "axe.min.js"


@pytest.fixture(scope="module")
def posterior():
    made = made_posterior(11, names=PROTEINS, chains=2, std_error=0.1, seed=11)
    return with_checks(with_curves(made), misfitting=[6], related=[(0, 10)])


@pytest.fixture(scope="module")
def html(posterior):
    return page(posterior)


def edges_shown(shown):
    return shown.locator(".network .edge").count()


def every_arrow(shown):
    shown.locator("#controls").get_by_role("button", name="Every arrow").click()


def set_threshold(shown, value):
    shown.locator("#threshold").fill(str(value))


def uncertain(posterior):
    """An edge, by names, that is neither sure nor absent."""
    edges = posterior.edges()
    return next(e for e in edges.itertuples() if 0.2 < e.probability < 0.8)


def numbers(p):
    low, high = p.interval()
    return f"{p:.2f} ({low:.2f} to {high:.2f})"


# The network


@pytest.mark.parametrize("threshold", [0.05, 0.5, 0.95])
def test_the_slider_shows_the_edges_of_that_probability(show, html, posterior, threshold):
    shown = show(html)
    every_arrow(shown)
    set_threshold(shown, threshold)
    assert edges_shown(shown) == (posterior.edges().probability >= threshold).sum() > 0


def test_views_show_links_and_classes(show, html, posterior):
    shown = show(html)
    set_threshold(shown, 0.5)
    n_adjacent = (posterior.adjacency_probabilities().to_numpy() >= 0.5).sum() / 2
    assert edges_shown(shown) == n_adjacent
    shown.locator("#controls").get_by_role("button", name="Equivalence (CPDAG)").click()
    assert edges_shown(shown) == n_adjacent
    heads = shown.locator(".network .edge .head[d]").count()
    found = posterior.cpdag_probabilities()
    found = found[found.directed + found.reversed + found.undirected >= 0.5]
    directed = found[["directed", "reversed"]].max(axis=1) > found.undirected
    assert heads == directed.sum()


def test_links_have_heads_where_the_direction_is_clear(show, html, posterior):
    shown = show(html)
    set_threshold(shown, 0.5)
    p = posterior.edge_probabilities().to_numpy()
    adjacent = posterior.adjacency_probabilities().to_numpy()
    kinds = {"plain": 0, "clear": 0}
    for a, b in np.argwhere(np.triu(adjacent) >= 0.5).tolist():
        a, b = (a, b) if p[a, b] >= p[b, a] else (b, a)
        link = shown.locator(f'.network [data-edge="{a}:{b}"]')
        clear = p[a, b] >= PREFERRED * adjacent[a, b]
        assert link.locator(".head[d]").count() == clear
        assert link.locator(".head.hollow[d]").count() == clear  # only the model tells it
        kinds["clear" if clear else "plain"] += 1
    assert all(kinds.values())


def test_heads_are_solid_where_more_than_the_model_tells(show, posterior):
    (a, b), *_ = posterior.edge_estimates()
    known = np.zeros((11, 11), dtype=bool)
    known[a, b] = known[b, a] = True
    shown = show(page(replace(posterior, identified=known)))
    solid = shown.locator(".network .head[d]:not(.hollow)")
    assert solid.count() == 1
    assert shown.locator(f'.network [data-edge="{a}:{b}"] .head[d]:not(.hollow)').count() == 1
    assert shown.locator(".legend .head:not(.hollow)").count() == 1
    assert shown.locator(".legend .head.hollow").count() == 1


def test_directions_are_read_in_two_ways(show, posterior):
    """As real tables taught, with directions left open, or as if the model held."""
    doubted = with_open_directions(posterior, KAPPA, seed=0)
    (a, b), *_ = posterior.edge_estimates()
    names = posterior.names
    shown = show(page(doubted))
    shown.locator(f'[data-edge="{a}:{b}"]').dispatch_event("click")
    row = shown.locator("table.edges tr", has_text=names[a]).filter(has_text=names[b])
    details = shown.locator("#details")
    for button, read in (
        ("As real tables taught", doubted),
        ("As if the model held", posterior),
        ("As real tables taught", doubted),
    ):
        for place in ("#controls", "#table"):
            switch = shown.locator(place).get_by_role("button", name=button)
            if place == "#controls":
                switch.click()
            assert switch.get_attribute("aria-pressed") == "true"
        for feature in (f"{names[a]} -> {names[b]}", f"{names[b]} -> {names[a]}"):
            p = read.probability(feature)
            line = f"{feature.replace('->', '→')}\n{numbers(p)}"
            assert line in details.inner_text()
        there = row.filter(has=shown.get_by_role("button", name=f"{names[a]} to {names[b]}"))
        p = read.probability(f"{names[a]} -> {names[b]}")
        assert there.locator("td").nth(3).inner_text().strip() == f"{p:.2f}"
        assert "if the model holds" in details.inner_text() or read is posterior
    plain = show(page(posterior))  # nothing to switch
    assert plain.get_by_role("button", name="As if the model held").count() == 0


def test_the_first_questions_are_asked(show, posterior):
    doubted = with_open_directions(posterior, KAPPA, seed=0)
    shown = show(page(doubted))
    rows = shown.locator("#questions tbody tr").all_inner_texts()
    asked = doubted.questions()
    assert 0 < len(rows) == len(asked)
    first = asked.iloc[0]
    assert rows[0].split("\t") == [first.question, f"{first.gain:.2f}", first.option]
    shown.get_by_role("link", name="Questions", exact=True).click()
    settled = made_posterior(3, dags=np.zeros((50, 3, 3), dtype=bool), n_draws=50)
    shown = show(page(settled))
    assert shown.locator("#questions").count() == 0
    assert shown.get_by_role("link", name="Questions", exact=True).count() == 0


def test_cautions_stand_before_all_that_was_found(show, posterior):
    found = replace(posterior.diagnosis, undriven=("Akt",))
    shown = show(page(replace(posterior, diagnosis=found)))
    text = shown.locator("#findings").inner_text()
    assert text.startswith("What was found\n\nTo judge by the name, nothing in the table can drive")
    assert shown.locator("#findings .caution").count() == 1


def test_a_click_on_an_arrow_tells_the_numbers_of_the_posterior(show, html, posterior):
    shown = show(html)
    every_arrow(shown)
    set_threshold(shown, 0.01)
    edge = uncertain(posterior)
    names = posterior.names
    ends = f"{names.index(edge.parent)}:{names.index(edge.child)}"
    shown.locator(f'[data-edge="{ends}"]').dispatch_event("click")
    told = shown.locator("#details").inner_text()
    a, b = edge.parent, edge.child
    for feature in (f"{a} -> {b}", f"{b} -> {a}", f"{a} -- {b}"):
        assert numbers(posterior.probability(feature)) in told
    relations = posterior.relations().set_index("child").loc[[b]]
    best = relations.iloc[0]
    assert f"{', '.join(best.parents)}\t{best.probability:.2f}" in told
    assert shown.locator("#details .fitted").count() == 1
    assert shown.locator("#details .band").count() == 1


def test_before_it_converged_no_sentence_says_what_drives_what(show, posterior):
    """Details of each arrow say so first; nor does a heading claim it."""
    not_yet = {"converged": False, "verdict": "Not converged: too few draws."}
    shown = show(page(replace(posterior, diagnosis=replace(posterior.diagnosis, **not_yet))))
    assert "Not converged: too few draws." in shown.locator("#warnings").inner_text()
    findings = shown.locator("#findings").inner_text()
    assert findings.startswith("What was found\n\nThe computation has not converged")
    assert " drives " not in findings
    assert "What drives what" not in findings
    every_arrow(shown)
    shown.locator("[data-edge]").first.dispatch_event("click")
    told = shown.locator("#details .verdict").inner_text()
    assert told.startswith("The computation has not converged. So far: ")


def test_pointing_is_enough_and_leaves_no_trace(show, html, posterior):
    shown = show(html)
    assert shown.locator("#findings").is_visible()
    shown.locator(".network .edge").last.dispatch_event("pointerenter")
    shown.locator("#details h3").wait_for()
    shown.locator(".network .edge").last.dispatch_event("pointerleave")
    shown.locator("#findings").wait_for()
    assert shown.locator("#details").text_content() == ""


def test_the_keyboard_alone_reaches_an_arrow_and_its_details(show, html):
    shown = show(html)
    for _ in range(60):
        shown.keyboard.press("Tab")
        if shown.evaluate("document.activeElement.matches('.edge')"):
            break
    assert shown.evaluate("document.activeElement.matches('.edge:focus-visible')")
    first = shown.evaluate("document.activeElement.dataset.edge")
    shown.keyboard.press("ArrowRight")
    second = shown.evaluate("document.activeElement.dataset.edge")
    assert first != second
    shown.keyboard.press("Enter")
    names = [PROTEINS[int(v)] for v in second.split(":")]
    assert shown.locator("#details h3").inner_text() in [f" {sign} ".join(names) for sign in SIGNS]
    assert shown.locator(f'.edge.chosen[data-edge="{second}"]').count() == 1


def test_drag_zoom_and_search(show, html):
    shown = show(html)
    node = shown.locator(".node").nth(3)
    node.scroll_into_view_if_needed()
    box = node.bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    shown.mouse.move(x, y)
    shown.mouse.down()
    shown.mouse.move(x + 40, y + 25, steps=4)
    shown.mouse.up()
    shown.wait_for_timeout(60)
    moved = node.bounding_box()
    assert (moved["x"] - box["x"], moved["y"] - box["y"]) == pytest.approx((40, 25), abs=2)
    assert shown.locator(".node.chosen").count() == 0  # a drag is no click
    shown.get_by_role("button", name="Nearer").click()
    shown.wait_for_timeout(60)
    assert node.bounding_box()["width"] == pytest.approx(1.25 * box["width"], rel=0.05)
    search = shown.get_by_label("Find a variable")
    search.fill("erk")
    search.press("Enter")
    assert shown.locator("#details h3").inner_text() == "Erk"


def test_circles_around_a_variable_are_those_of_the_posterior(show, html, posterior):
    shown = show(html)
    edge, everything = uncertain(posterior), posterior.adjacency_probabilities().to_numpy()
    mine = edge.child
    shown.locator(f'.node[data-node="{PROTEINS.index(mine)}"]').dispatch_event("click")
    for button, feature in {
        "Ancestors": f"{{}} ~> {mine}",
        "Descendants": f"{mine} ~> {{}}",
        "Markov blanket": f"{{}} in blanket({mine})",
    }.items():
        shown.locator("#details").get_by_role("button", name=button).click()
        told = " ".join(shown.locator("#details .neighbours").all_inner_texts()).split()
        found = dict(zip(told[::2], told[1::2], strict=True))
        others = [name for name in PROTEINS if name != mine]
        expected = {o: posterior.probability(feature.format(o)) for o in others}
        assert found == {o: f"{p:.2f}" for o, p in expected.items() if p >= 0.05}
        assert button == "Descendants" or edge.parent in found
        lit = shown.locator(".node:not(.dim)").count()
        assert lit == 1 + sum(p >= first_threshold(everything) for p in expected.values())


# Questions and tables


@pytest.mark.parametrize("kind", ["chains", "independent", "missing_mass"])
def test_the_query_is_the_probability_of_the_posterior(show, kind):
    posterior = made_posterior(
        7,
        chains=3 if kind == "chains" else None,
        std_error=0.3 if kind != "independent" else 0.0,
        missing_mass=0.003 if kind == "missing_mass" else None,
        seed=2,
    )
    shown = show(page(posterior))
    first, how, second = shown.locator("#ask select").all()
    for sign, value in (("~>", "path"), ("->", "edge"), ("--", "adjacent")):
        how.select_option(value)
        for a, b in ((0, 6), (1, 2), (6, 0)):
            first.select_option(str(a))
            second.select_option(str(b))
            answer = shown.locator("#ask .big")
            told = answer.evaluate("(one) => ({ ...one.dataset })")
            p, error, low, high = (float(told[name]) for name in ("p", "error", "low", "high"))
            known = posterior.probability(f"V{a + 1} {sign} V{b + 1}")
            assert p == pytest.approx(float(known), abs=1e-12)
            assert error == pytest.approx(known.std_error, rel=1e-6)
            assert (low, high) == pytest.approx(known.interval(), abs=1e-6)


def test_answers_are_bounds_where_draws_were_left_out(show, monkeypatch):
    posterior = made_posterior(9)
    monkeypatch.setattr(packing, "MOST_BYTES", 9 * 40)
    shown = show(page(posterior))
    first, _, second = shown.locator("#ask select").all()
    widths = []
    for a, b in ((0, 8), (2, 5), (1, 2)):
        first.select_option(str(a))
        second.select_option(str(b))
        answer = shown.locator("#ask .big")
        low, high = (float(answer.get_attribute(f"data-{end}")) for end in ("low", "high"))
        assert low - 1e-9 <= posterior.probability(f"V{a + 1} ~> V{b + 1}") <= high + 1e-9
        widths.append(high - low)
    assert widths == pytest.approx([packing.packed(posterior)["left_out"]] * 3)
    assert "answers are bounds" in shown.locator("#ask").inner_text()


def test_the_table_sorts_and_filters(show, html, posterior):
    shown = show(html)
    table = shown.locator("table.edges")
    likely = (posterior.edges().probability >= 0.05).sum()
    assert table.locator("tbody tr").count() == min(25, likely)
    table.get_by_role("button", name="From").click()
    first = table.locator("tbody tr th").all_inner_texts()
    assert first == sorted(first, key=str.lower)
    name = uncertain(posterior).child
    shown.get_by_label("Filter by name").fill(name.lower())
    rows = table.locator("tbody tr").all_inner_texts()
    assert 0 < len(rows) < len(first)
    assert all(name in row for row in rows)


def downloaded(shown):
    with shown.expect_download() as waiting:
        shown.get_by_role("button", name="Download as CSV").click()
    return Path(waiting.value.path()).read_text(encoding="utf-8")


def test_the_download_is_the_table_of_the_posterior(show, html, posterior):
    found = pd.read_csv(io.StringIO(downloaded(show(html))))
    found = found.astype({"parent": object, "child": object})
    pd.testing.assert_frame_equal(found, posterior.edges(), check_exact=True)


def test_the_download_has_no_formulas_if_the_run_asked(show):
    names, settings = ("=1+1", "-2", "plain"), {"options": {"spreadsheet_safe": True}}
    shown = show(page(made_posterior(3, names=names, settings=settings)))
    rows = list(csv.reader(io.StringIO(downloaded(shown), newline="")))[1:]
    assert {name for row in rows for name in row[:2]} == {"'=1+1", "'-2", "plain"}


# Anything may be a name


def test_hostile_names_are_text_everywhere(show):
    made = with_curves(made_posterior(len(HOSTILE), names=HOSTILE, seed=3))
    posterior = with_checks(made, misfitting=[1], related=[(0, 8)])
    shown = show(page(posterior), width=390)
    assert shown.locator("img, script:not(#data)").count() == 1  # the page's own script
    for v, name in enumerate(HOSTILE):
        title = shown.locator(f'.node[data-node="{v}"] title').text_content()
        assert title == name.replace("\n", "\\n").replace("\u202e", "\\u202e")
        shown.locator(f'.node[data-node="{v}"]').dispatch_event("click")
    rows = list(csv.reader(io.StringIO(downloaded(shown), newline="")))[1:]
    edges = posterior.edges()
    assert [tuple(row[:2]) for row in rows] == list(zip(edges.parent, edges.child, strict=True))
    assert shown.evaluate("document.documentElement.scrollWidth") <= 390


def test_a_posterior_of_hardly_anything(show):
    """One variable; no settings, no diagnosis, no curves; a penalty that was learned."""
    posterior = made_posterior(1, n_draws=3, settings={}, diagnosis={}, gammas=[1.0, 2.0, 3.0])
    shown = show(page(posterior))
    assert "Nothing is recorded" in shown.locator("#summary").inner_text()
    assert "No settings were recorded" in shown.locator("#repeat").inner_text()
    assert "gamma" in shown.locator("#trust figcaption").nth(1).inner_text()


# Files of the picture


def saved(shown, name):
    with shown.expect_download() as started:
        shown.get_by_role("button", name=name, exact=True).click()
    return started.value.suggested_filename, Path(started.value.path()).read_bytes()


def test_the_picture_can_be_saved(show, posterior):
    data = {**posterior.settings["data"], "table": "my cells.csv"}
    named = replace(posterior, settings={**posterior.settings, "data": data})
    shown = show(page(named))
    name, text = saved(shown, "Save as SVG")
    assert name == "my-cells-network.svg"
    root = ElementTree.fromstring(text)  # noqa: S314, as the page is our own
    labels = [one.text for one in root.iter("{http://www.w3.org/2000/svg}text")]
    assert labels == list(PROTEINS)
    heads = root.findall(".//*[@d][@fill]")
    assert len(heads) > edges_shown(shown)
    assert b"var(" not in text
    name, image = saved(shown, "PNG")
    assert name == "my-cells-network.png"
    assert image[:8] == b"\x89PNG\r\n\x1a\n"
    assert int.from_bytes(image[16:20], "big") == 3 * int(root.get("width"))
    assert len(set(image)) == 256  # not all of one colour


def test_the_table_is_named(show, posterior):
    settings = {**posterior.settings, "data": {"table": "<b>cells</b>.csv"}}
    shown = show(page(replace(posterior, settings=settings)))
    assert shown.title() == "<b>cells</b>.csv: which variables drive which (gpnet)"
    assert shown.locator("h1").inner_text() == "<b>cells</b>.csv: which variables drive which?"


def test_headings_are_in_order(show, html):
    shown = show(html)
    shown.locator(".node").first.dispatch_event("click")
    levels = shown.evaluate(
        "[...document.querySelectorAll('h1, h2, h3, h4')].map((one) => Number(one.tagName[1]))"
    )
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(after - before <= 1 for before, after in pairwise(levels))


def test_a_single_network_is_shown_only_if_it_stands_out(show):
    likely = made_posterior(4, dags=np.zeros((50, 4, 4), dtype=bool), n_draws=50)
    assert show(page(likely)).locator("#dags .small-dag").count() == 1
    dags = np.triu(np.random.default_rng(0).random((400, 12, 12)) < 0.3, 1)
    many = made_posterior(12, dags=dags, n_draws=400)
    assert float(many.top_dags(1)[0].probability) < 0.05
    shown = show(page(many))
    assert shown.locator("#dags .small-dag").count() == 0
    assert "None stands out" in shown.locator("#dags").inner_text()


def test_on_a_phone_a_tap_opens_the_details(show, html):
    shown = show(html, width=390, height=844, has_touch=True)
    assert not shown.locator("#details").is_visible()
    lowest = max(range(11), key=lambda v: shown.locator(".node").nth(v).bounding_box()["y"])
    node = shown.locator(".node").nth(lowest)
    node.tap()
    [sheet] = shown.evaluate(BOXES, "#details")
    assert sheet["y"] + sheet["height"] == pytest.approx(844, abs=1)
    assert sheet["height"] <= 0.63 * 844
    assert shown.locator("#details h3").inner_text() == PROTEINS[lowest]
    shown.wait_for_timeout(900)  # until the page has moved
    assert 0 <= node.bounding_box()["y"] < sheet["y"] - 20
    shown.locator("#details").get_by_role("button", name="Close").tap()
    assert not shown.locator("#details").is_visible()


# Looks


BOXES = """(what) => [...document.querySelectorAll(what)].map((one) => {
  const { x, y, width, height } = one.getBoundingClientRect();
  return { x, y, width, height };
})"""


def overlaps(boxes):
    """Pairs of boxes that share more than a hair."""
    return [
        (a, b)
        for k, a in enumerate(boxes)
        for b in boxes[:k]
        if min(a["x"] + a["width"], b["x"] + b["width"]) - max(a["x"], b["x"]) > 1
        and min(a["y"] + a["height"], b["y"] + b["height"]) - max(a["y"], b["y"]) > 1
    ]


@pytest.fixture(scope="module")
def cases(html):
    """Pages to look at: the demo, eleven proteins, thirty variables."""
    simulation = simulate(nodes=7, rows=150, nonlinearity=1.5, edge_probability=0.35, seed=5)
    demo = learn(simulation.frame(), score="bge", draws=1000, workers=1)
    large = made_posterior(30, chains=4, seed=6)
    return {
        "demo": page(with_curves(demo)),
        "proteins": html,
        "thirty": page(with_checks(with_curves(large))),
    }


@pytest.mark.parametrize("name", ["demo", "proteins", "thirty"])
@pytest.mark.parametrize("width", [1280, 390])
def test_nothing_overlaps_or_is_cut_off(show, cases, name, width):
    ARTEFACTS.mkdir(exist_ok=True)
    for dark in (False, True):
        shown = show(cases[name], width=width, dark=dark)
        assert shown.evaluate("document.documentElement.scrollWidth") == width
        boxes, texts = (shown.evaluate(BOXES, f".node {one}") for one in ("rect", "text"))
        [picture] = shown.evaluate(BOXES, "#picture")
        assert overlaps(boxes) == []
        for text, box in zip(texts, boxes, strict=True):
            assert text["width"] <= box["width"]
            assert picture["x"] <= box["x"]
            assert box["x"] + box["width"] <= picture["x"] + picture["width"]
        look = "dark" if dark else "light"
        shown.screenshot(path=ARTEFACTS / f"{name}-{width}-{look}.png", full_page=True)


def test_dark_and_light_by_the_system_or_by_the_button(show, html):
    colour = "getComputedStyle(document.body).backgroundColor"
    light, dark = show(html), show(html, dark=True)
    first, second = light.evaluate(colour), dark.evaluate(colour)
    assert first != second
    for shown, other in ((light, second), (dark, first)):
        shown.locator("#theme").click()
        assert shown.evaluate(colour) == other


def test_print_is_light_and_without_controls(show, html):
    shown = show(html, dark=True)
    shown.emulate_media(media="print")
    assert shown.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    assert not shown.locator("#controls").is_visible()
    assert not shown.locator("header").is_visible()
    assert shown.locator(".network").is_visible()
    assert len(shown.pdf()) > 10_000


@pytest.mark.parametrize("dark", [False, True])
def test_accessibility(show, html, dark):
    if not AXE.exists():
        pytest.skip("no axe-core; `make browser` fetches it where there is npm")
    shown = show(html, dark=dark, bypass_csp=True)
    shown.locator(".network .edge").last.dispatch_event("click")
    shown.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
    shown.evaluate(AXE.read_text(encoding="utf-8"))
    found = shown.evaluate("axe.run().then((result) => result.violations)")
    serious = [one for one in found if one["impact"] in ("serious", "critical")]
    assert [(one["id"], one["nodes"][0]["html"]) for one in serious] == []


# Many variables


def test_sixty_variables_are_shown(show):
    """`python -m benchmarks.frames` measures how quickly."""
    posterior = made_posterior(60, n_draws=600, chains=2, seed=1)
    shown = show(page(with_curves(posterior)))
    assert 0 < edges_shown(shown) <= 90
    shown.locator(".node").first.dispatch_event("click")
    shown.get_by_role("button", name="Descendants").click()

"""What if a variable is set: the numbers of Python in Chromium, to 1e-9."""

import csv
import io
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import gpnet
from gpnet.effects.matrix import EffectMatrix, PairCurve
from gpnet.effects.on_page import DRAWS, NO_TABLE, effects_on_page, record
from gpnet.effects.quantities import Summaries
from gpnet.report.page import page
from tests.report.pages import HOSTILE, SETTINGS, made_posterior, with_checks, with_curves


@pytest.fixture(scope="module")
def posterior():
    """With levels, and with effects that are there in a part of the networks only."""
    table = gpnet.simulate(nodes=5, rows=120, edge_probability=0.6, seed=3).frame()
    table["group"] = np.where(np.arange(120) % 3 == 0, "one", "two")
    table["V2"] += 2 * (table["group"] == "two")
    return gpnet.learn(table, score="linear", draws=500, workers=1)


@pytest.fixture(scope="module")
def matrix(posterior):
    return posterior.effects(draws=DRAWS, seed=0, curves=True)


@pytest.fixture(scope="module")
def html(posterior):
    return page(posterior, effects_on_page(posterior))


def close(x):
    return pytest.approx(x, rel=1e-9, abs=1e-12)


def curve_shown(where):
    """The numbers behind the picture: rows of value, mean, low, high."""
    rows = where.locator(".curve-numbers tbody tr").all()
    return [[cell.get_attribute("data-x") for cell in row.locator("th, td").all()] for row in rows]


def choose(shown, cause, target):
    fields = shown.locator("#what-if select").all()
    for field, v in zip(fields, (cause, target), strict=True):
        field.select_option(str(v))


def test_every_curve_and_sentence_is_that_of_python(show, html, matrix):
    shown, section = show(html), "#what-if"
    assert len(matrix.curves) > 4
    for one in matrix.curves:
        choose(shown, one.cause, one.target)
        cause, target = matrix.names[one.cause], matrix.names[one.target]
        sentence = shown.locator(f"{section} .effect-sentence")
        assert sentence.inner_text() == matrix.sentence(cause, target)
        told = sentence.evaluate("(one) => ({ ...one.dataset })")
        contrast = matrix.contrast.at(one.cause * len(matrix.names) + one.target)
        assert float(told["mean"]) == close(contrast.mean)
        assert float(told["low"]) == close(contrast.low)
        assert float(told["high"]) == close(contrast.high)
        assert float(told["share"]) == close(contrast.structural_share)
        assert float(told["probability"]) == close(matrix.probability[one.cause, one.target])
        frame = matrix.curve(cause, target)
        rows = curve_shown(shown.locator(section))
        for name, column in zip(frame, zip(*rows, strict=True), strict=True):
            if isinstance(frame[name].iloc[0], str):
                assert list(column) == frame[name].tolist()
            else:
                assert [float(x) for x in column] == close(frame[name].tolist())


def test_the_map_has_all_effects(show, html, matrix):
    shown = show(html)
    for pair, mean, p in shown.evaluate(
        "[...document.querySelectorAll('.map td[data-pair]')]"
        ".map((one) => [one.dataset.pair, one.dataset.mean, one.dataset.probability])"
    ):
        a, b = map(int, pair.split(":"))
        assert float(mean) == close(matrix.matrix().iloc[a, b])
        assert float(p) == close(matrix.probability[a, b])
    n, n_targets = len(matrix.names), int(matrix.modelled.sum())
    assert shown.locator(".map td[data-pair]").count() == (n - 1) * n_targets
    coloured = shown.locator(".map td.up, .map td.down").count()
    assert coloured == len(matrix.curves)


def test_pointing_at_a_cell_tells_and_a_tap_keeps(show, html, matrix):
    shown = show(html, has_touch=True)
    one = matrix.curves[0]
    cell = shown.locator(f'.map td[data-pair="{one.cause}:{one.target}"]')
    cell.hover()
    mean = matrix.matrix().iloc[one.cause, one.target]
    assert f"{mean:.3g}".lstrip("-+") in shown.locator(".map-told").inner_text()
    cell.tap()
    assert "chosen" in cell.get_attribute("class")
    names = matrix.names[one.cause], matrix.names[one.target]
    assert shown.locator("#what-if .effect-sentence").inner_text() == matrix.sentence(*names)


def test_the_keyboard_goes_over_the_map(show, html):
    shown = show(html)
    first = shown.locator('.map td[tabindex="0"]')  # the one that Tab comes to
    first.focus()
    a, b = map(int, first.get_attribute("data-pair").split(":"))
    shown.keyboard.press("ArrowDown" if a == 0 else "ArrowUp")
    pair = shown.evaluate("document.activeElement.dataset.pair").split(":")
    assert int(pair[0]) != a
    assert int(pair[1]) == b
    shown.keyboard.press("Enter")
    assert shown.locator(".map td.chosen").get_attribute("data-pair") == ":".join(pair)


def test_two_variables_one_after_the_other(show, html, matrix):
    shown = show(html)
    one = matrix.curves[0]
    for v in (one.cause, one.target):
        shown.locator(f'.node[data-node="{v}"]').dispatch_event("click")
    names = matrix.names[one.cause], matrix.names[one.target]
    details = shown.locator("#details")
    assert details.locator("h3").first.inner_text() == f"What if {names[0]} is set?"
    assert details.locator(".effect-sentence").inner_text() == matrix.sentence(*names)
    assert len(curve_shown(details)) == len(one.values)
    assert shown.locator("#what-if .effect-sentence").inner_text() == matrix.sentence(*names)
    details.get_by_role("button", name="The other way round").click()
    assert details.locator("h3").first.inner_text() == f"What if {names[1]} is set?"
    shown.keyboard.press("Escape")
    assert details.locator(".effect-sentence").count() == 0


def test_no_effect_and_effect_are_two_humps(show, html, matrix):
    shown = show(html)
    doubted = [one for one in matrix.curves if 0.1 < one.any_effect.mean() < 0.9]
    for one in doubted:
        choose(shown, one.cause, one.target)
        assert shown.locator("#what-if .none-fill").count() == 1
        assert shown.locator("#what-if .bar-fill").count() >= 2
    assert doubted


def test_the_download_is_the_matrix(show, html, matrix):
    shown = show(html)
    with shown.expect_download() as started:
        shown.locator("#what-if").get_by_role("button", name="Download as CSV").click()
    rows = csv.DictReader(io.StringIO(Path(started.value.path()).read_text(encoding="utf-8")))
    found = pd.DataFrame(list(rows)).set_index(["cause", "target"])
    frame = matrix.frame().set_index(["cause", "target"])
    assert len(found) == len(frame)
    for name in ("probability", "mean", "low", "high", "structural_share"):
        assert found[name].astype(float).to_numpy() == close(frame.loc[found.index, name])


def test_without_effects_one_line_says_so(show, posterior):
    shown = show(page(posterior, {"missing": NO_TABLE}))
    assert shown.locator("#what-if p").all_inner_texts() == [NO_TABLE]
    for v in (0, 1):
        shown.locator(f'.node[data-node="{v}"]').dispatch_event("click")
    assert shown.locator("#details .effect-sentence").count() == 0


def test_an_effect_is_shown_unasked_only_of_what_an_experiment_set(show):
    """Knowledge may tell its direction, but says of nobody that they can set an age."""
    made = made_posterior(3)
    known = np.zeros((3, 3), dtype=bool)
    known[1, 2] = known[2, 1] = True
    set_once = {"data": {"interventions": [{"targets": [made.names[2]], "rows": 50}]}}
    for settings, identified, n_framed in (
        (SETTINGS, None, 6),
        (SETTINGS, known, 4),
        (set_once, None, 6),
    ):
        effects = record(made_matrix(made.names, identified=identified))
        shown = show(page(replace(made, settings=settings), effects))
        assert shown.locator("#what-if .effect-sentence, .map td.chosen").count() == 0
        assert "no experiment in this table tells" in shown.locator("#what-if").inner_text()
        assert shown.locator(".map td.framed").count() == n_framed
    effects = record(made_matrix(made.names, identified=known))
    shown = show(page(replace(made, settings=set_once), effects))
    assert shown.locator("#what-if .effect-sentence").count() == 1
    assert shown.locator(".map td.chosen").get_attribute("data-pair") == "2:1"


def made_matrix(names, n_draws=300, n_values=27, identified=None):
    """An effect of every variable on every other, each with a curve."""
    n, rng = len(names), np.random.default_rng(0)
    pairs = [(a, b) for a in range(n) for b in range(n) if a != b]
    numbers = Summaries(*rng.normal(size=(9, n * n)))
    curves = tuple(
        PairCurve(
            *pair,
            tuple(np.sort(rng.normal(size=n_values)).tolist()),
            *rng.normal(size=(3, n_values)),
            rng.normal(size=n_draws),
            rng.random(n_draws) < 0.7,
        )
        for pair in pairs
    )
    p = np.full((n, n), 0.7)
    ends = (tuple(rng.normal(size=n).tolist()), tuple(rng.normal(size=n).tolist()))
    modelled = np.ones(n, dtype=bool)
    told = p, np.zeros((n, n), dtype=bool) if identified is None else identified, 0.5
    return EffectMatrix(names, *ends, p, p, numbers, numbers, modelled, n_draws, 500, *told, curves)


def test_thirty_variables_stay_below_five_megabytes():
    large = with_checks(with_curves(made_posterior(30, n_draws=10_000, chains=4, seed=6)))
    effects = record(made_matrix(large.names))
    assert len(effects["pairs"]) == 870
    assert len(page(large, effects).encode()) < 5_000_000


def test_names_of_effects_are_text(show):
    hostile = made_posterior(len(HOSTILE), names=HOSTILE, seed=3)
    shown = show(page(hostile, record(made_matrix(HOSTILE))), width=390)
    assert shown.locator("img, script:not(#data)").count() == 1
    assert shown.evaluate("document.documentElement.scrollWidth") <= 390

"""The page in Firefox: another engine, and what matters most on the page."""

import numpy as np
import pytest

from gpnet.report.page import page
from tests.report import firefox
from tests.report.pages import HOSTILE, PROTEINS, made_posterior, with_checks, with_curves

pytestmark = pytest.mark.xdist_group("firefox")  # started once


@pytest.fixture(scope="module")
def window():
    found = firefox.find()
    if found is None:
        pytest.skip(f"no Firefox ({', '.join(firefox.NAMES)}); `make browser` says how to get one")
    with firefox.running(found) as window:
        yield window


@pytest.fixture(scope="module")
def posterior():
    made = made_posterior(11, names=PROTEINS, chains=2, std_error=0.1, seed=11)
    return with_checks(with_curves(made), misfitting=[6], related=[(0, 10)])


@pytest.fixture
def show(window, tmp_path):
    """Opens pages; what they ask of others, and what they complain about, is a failure."""
    window.requests.clear()
    window.troubles.clear()

    def show(posterior, **size):
        path = tmp_path / "page.html"
        path.write_text(page(posterior), encoding="utf-8")
        window.open(path, **size)
        assert window.run("return document.querySelectorAll('.network .node').length") > 0
        return window

    yield show
    assert elsewhere(window) == []
    assert window.troubles == []


def elsewhere(window):
    """What was asked of others; the page itself and what it has within are not."""
    return [url for url in window.requests if not url.startswith(("file:", "data:"))]


def test_requests_and_errors_would_be_seen(window, tmp_path):
    """The control."""
    path = tmp_path / "bad.html"
    path.write_text(
        "<img src='http://127.0.0.1:54321/x.png'><script>throw new Error('odd')</script>"
    )
    window.open(path)
    assert elsewhere(window) == ["http://127.0.0.1:54321/x.png"]
    assert any("odd" in trouble for trouble in window.troubles)


def n_edges(shown):
    return shown.run("return document.querySelectorAll('.network .edge').length")


def press(shown, name):
    shown.run(
        "[...document.querySelectorAll('#controls button')]"
        f".find((one) => one.textContent.trim() === {name!r}).click()"
    )


def set_threshold(shown, value):
    shown.run(
        f"const slider = document.querySelector('#threshold'); slider.value = '{value}';"
        "slider.dispatchEvent(new Event('input', {bubbles: true}));"
    )


@pytest.mark.parametrize("threshold", [0.05, 0.5, 0.95])
def test_the_slider_shows_the_edges_of_that_probability(show, posterior, threshold):
    shown = show(posterior)
    press(shown, "Every arrow")
    set_threshold(shown, threshold)
    assert n_edges(shown) == (posterior.edges().probability >= threshold).sum() > 0


def test_a_click_on_an_arrow_tells_the_numbers_of_the_posterior(show, posterior):
    shown = show(posterior)
    press(shown, "Every arrow")
    set_threshold(shown, 0.01)
    edge = next(e for e in posterior.edges().itertuples() if 0.2 < e.probability < 0.8)
    names = posterior.names
    ends = f"{names.index(edge.parent)}:{names.index(edge.child)}"
    shown.run(
        f"document.querySelector('[data-edge=\"{ends}\"]')"
        ".dispatchEvent(new MouseEvent('click', {bubbles: true}))"
    )
    told = shown.run("return document.querySelector('#details').innerText")
    for feature in (f"{edge.parent} -> {edge.child}", f"{edge.child} -> {edge.parent}"):
        p = posterior.probability(feature)
        low, high = p.interval()
        assert f"{p:.2f} ({low:.2f} to {high:.2f})" in told
    assert shown.run("return document.querySelectorAll('#details .fitted').length") == 1


def test_hostile_names_are_text(show):
    shown = show(made_posterior(len(HOSTILE), names=HOSTILE, seed=3))
    assert shown.run("return document.querySelectorAll('img, script:not(#data)').length") == 1
    titles = "return [...document.querySelectorAll('.node title')].map((one) => one.textContent)"
    told = [name.replace("\n", "\\n").replace("\u202e", "\\u202e") for name in HOSTILE]
    assert sorted(shown.run(titles)) == sorted(told)


@pytest.mark.parametrize("width", [400, 1280])
def test_nothing_is_wider_than_the_window(show, posterior, width):
    shown = show(posterior, width=width)
    wide = shown.run("return [document.documentElement.scrollWidth, window.innerWidth]")
    assert wide[0] <= wide[1]
    drawn = shown.run(
        "return [...document.querySelectorAll('.network .node')].map((node) => {"
        "const box = node.getBoundingClientRect(); return [box.width, box.height]; })"
    )
    assert (np.array(drawn) > 0).all()

"""A real browser for pages of the report."""

import shutil

import pytest

FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
BROWSERS = ("chromium", "chromium-browser", "google-chrome")


@pytest.fixture(scope="module")
def browser():
    found = next(filter(None, map(shutil.which, BROWSERS)), None)
    if found is None:
        pytest.skip(f"no browser ({', '.join(BROWSERS)}); `make browser` says how to get one")
    sync_api = pytest.importorskip("playwright.sync_api", reason="no Playwright to drive a browser")
    with sync_api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=found, args=FLAGS)
        yield browser
        browser.close()


@pytest.fixture
def show(browser, tmp_path):
    """Opens pages; what they request from anywhere, and what they complain about, is a failure."""
    troubles, contexts = [], []

    def show(html, *, width=1280, height=900, dark=False, **options):
        path = tmp_path / f"page {len(contexts)}.html"
        path.write_text(html, encoding="utf-8")
        scheme = "dark" if dark else "light"
        context = browser.new_context(
            viewport={"width": width, "height": height}, color_scheme=scheme, **options
        )
        contexts.append(context)
        page = context.new_page()
        page.on("console", lambda told: troubles.append(told.text))
        page.on("pageerror", lambda error: troubles.append(str(error)))
        page.on("dialog", lambda dialog: troubles.append(dialog.message))
        page.on("request", lambda asked: troubles.append(asked.url))
        page.goto(path.as_uri())
        page.wait_for_selector(".network .node")
        assert troubles.pop(0) == path.as_uri()  # the page itself, and nothing else
        return page

    yield show
    for context in contexts:
        context.close()
    assert troubles == []

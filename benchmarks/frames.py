"""How long one step of the report takes at sixty variables, as a share of a frame.

``python -m benchmarks.frames``; needs Chromium and Playwright, as browser tests do. The opponent
is the screen: 16.7 ms at 60 frames a second. Script and layout of one step, 75% quantile of 24.
"""

import shutil
from pathlib import Path
from tempfile import TemporaryDirectory

from playwright.sync_api import Page, sync_playwright
from rich.console import Console
from rich.table import Table
from tests.report.conftest import BROWSERS, FLAGS
from tests.report.pages import made_posterior, with_curves

from gpnet.report.page import page

FRAME = 1000 / 60  # ms
MEASURE = """(act) => {
  const times = [];
  for (let k = 0; k < 24; k++) {
    const start = performance.now();
    act(k);
    document.querySelector(".network").getBoundingClientRect();
    times.push(performance.now() - start);
  }
  return times.sort((a, b) => a - b)[Math.floor(times.length * 0.75)];
}"""
SLIDE = """(k) => {
  const slider = document.getElementById("threshold");
  slider.value = 0.01 + 0.03 * (k % 12);
  slider.dispatchEvent(new Event("input"));
}"""
MOVE = """(k) => {
  const node = document.querySelector(`.node[data-node="${k}"]`);
  const how = { key: "ArrowRight", shiftKey: true, bubbles: true };
  node.dispatchEvent(new KeyboardEvent("keydown", how));
}"""


def steps(shown: Page) -> dict[str, float]:
    """Milliseconds of each kind of step."""
    found = {"slider": shown.evaluate(f"({MEASURE})({SLIDE})")}
    shown.locator(".node").first.dispatch_event("click")
    shown.get_by_role("button", name="Descendants").click()
    found["slider, descendants shown"] = shown.evaluate(f"({MEASURE})({SLIDE})")
    found["node moved"] = shown.evaluate(f"({MEASURE})({MOVE})")
    return found


def main() -> None:
    browser_path = next(filter(None, map(shutil.which, BROWSERS)))
    html = page(with_curves(made_posterior(60, n_draws=600, chains=2, seed=1)))
    with TemporaryDirectory() as folder, sync_playwright() as playwright:
        path = Path(folder) / "page.html"
        path.write_text(html, encoding="utf-8")
        browser = playwright.chromium.launch(executable_path=browser_path, args=FLAGS)
        shown = browser.new_page(viewport={"width": 1280, "height": 900})
        shown.goto(path.as_uri())
        shown.wait_for_selector(".network .node")
        table = Table("step", "ms", "share of a frame")
        for name, milliseconds in steps(shown).items():
            table.add_row(name, f"{milliseconds:.1f}", f"{milliseconds / FRAME:.2f}")
        browser.close()
    Console().print(table)


if __name__ == "__main__":
    main()

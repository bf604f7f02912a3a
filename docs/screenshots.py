"""Takes docs/report.png, the picture of the report in README: python docs/screenshots.py"""

import shutil
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from playwright.sync_api import sync_playwright

import gpnet

HERE = Path(__file__).parent
BROWSERS = ("chromium", "chromium-browser", "google-chrome")


def main():
    """The network of `gpnet demo`, with an arrow chosen."""
    browser = next(filter(None, map(shutil.which, BROWSERS)), None)
    if browser is None:
        sys.exit("no browser to take pictures with: make browser says how to get one")
    simulation = gpnet.simulate(nodes=7, rows=150, nonlinearity=1.5, edge_probability=0.35, seed=5)
    posterior = gpnet.learn(simulation.frame(), draws=5000)
    with TemporaryDirectory() as folder, sync_playwright() as playwright:
        posterior.report(Path(folder) / "report.html")
        opened = playwright.chromium.launch(executable_path=browser, args=["--no-sandbox"])
        page = opened.new_page(viewport={"width": 1180, "height": 880})
        page.goto((Path(folder) / "report.html").as_uri())
        page.locator('.edge[data-edge="6:4"]').dispatch_event("click")
        page.evaluate("document.getElementById('network').scrollIntoView({ behavior: 'instant' })")
        page.wait_for_timeout(300)
        page.screenshot(path=HERE / "report.png")
        opened.close()


main()

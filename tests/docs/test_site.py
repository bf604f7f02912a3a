"""The documentation site: it builds without a warning, links lead somewhere, the API is in it."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import gpnet

ROOT = Path(__file__).parents[2]
PAGES = {str(path.relative_to(ROOT / "docs")) for path in (ROOT / "docs").rglob("*.md")}
LISTED = re.findall(r": ([\w/-]+\.md)$", (ROOT / "mkdocs.yml").read_text(), re.M)
WANTED = [
    *("index.md", "tutorial.md", "missing.md", "time.md", "scale.md", "known.md", "experiments.md"),
    *("cluster.md", "reading-the-report.md", "citing.md", "model.md", "probabilities.md"),
    *("limits.md", "distrust.md", "paper.md", "design.md"),
]


def build(folder, out):
    """With every warning an error, as `make docs` does."""
    command = [sys.executable, "-m", "mkdocs", "build", "--strict"]
    command += ["--config-file", str(folder / "mkdocs.yml"), "--site-dir", str(out)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_every_page_is_in_the_menu_once():
    assert sorted(LISTED) == sorted(PAGES)
    assert set(WANTED) <= set(LISTED)


def test_every_public_name_has_its_entry():
    text = "".join((ROOT / "docs" / page).read_text() for page in PAGES if page.startswith("api/"))
    entries = re.findall(r"^::: (\S+)$", text, re.M)
    assert len(entries) == len(set(entries))
    found = {entry.rpartition(".")[2] for entry in entries}
    assert set(gpnet.__all__) - {"__version__"} <= found


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    pytest.importorskip("mkdocs")
    pytest.importorskip("mkdocstrings")
    out = tmp_path_factory.mktemp("site")
    done = build(ROOT, out)
    assert done.returncode == 0, done.stdout + done.stderr
    return out


def test_it_builds_and_nothing_is_loaded_from_elsewhere(site):
    pages = list(site.rglob("*.html"))
    assert len(pages) >= len(PAGES)
    loaded = (
        r"""<(?:script|img|iframe)[^>]*src=["']?(?:https?:)?//|<link[^>]*href=["']?(?:https?:)?//"""
    )
    for page in pages:
        text = page.read_text(encoding="utf-8")
        assert not re.search(loaded, re.sub(r'<link rel="canonical"[^>]*>', "", text)), page


def test_methods_and_their_parameters_are_told(site):
    text = (site / "api" / "posterior" / "index.html").read_text(encoding="utf-8")
    for method in ("effect", "probability", "plot_network", "to_networkx"):
        assert f'id="gpnet.posterior.posterior.Posterior.{method}"' in text
    learn = (site / "api" / "learning" / "index.html").read_text(encoding="utf-8")
    assert "max_parents" in learn
    assert "Parameters\n----------" not in learn  # sections are read, not copied as they stand


def test_a_broken_link_is_seen(site, tmp_path):
    """The control: the same site with a link, and an anchor, that lead nowhere."""
    for name in ("docs", "src"):
        shutil.copytree(ROOT / name, tmp_path / name)
    shutil.copy(ROOT / "mkdocs.yml", tmp_path)
    page = tmp_path / "docs" / "citing.md"
    page.write_text(page.read_text() + "\n[gone](gone.md) [nowhere](effects.md#nowhere)\n")
    done = build(tmp_path, tmp_path / "site")
    assert done.returncode != 0
    told = done.stdout + done.stderr
    assert "gone.md" in told
    assert "#nowhere" in told

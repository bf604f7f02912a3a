"""The report: a posterior as one HTML file that needs nothing else.

page.html is the frame, page.css the looks; the scripts are small modules that are joined into one,
in the order of SCRIPTS: what a script imports stands above it. Names of variables reach the page
only inside JSON, and from there only as text.
"""

import os
import re
from base64 import b64encode
from collections.abc import Mapping
from hashlib import sha256
from importlib.resources import files
from typing import Any, Final

from gpnet.common.atomic_files import write_whole
from gpnet.common.strict_json import to_json
from gpnet.plots.palette import ACCENT, ACCENT_DARK, SECOND, SECOND_DARK
from gpnet.posterior.posterior import Posterior
from gpnet.report.contents import contents

SCRIPTS: Final = (
    "dom",
    "numbers",
    "data",
    "draws",
    "state",
    "routes",
    "camera",
    "curve",
    "effects",
    "network",
    "details",
    "picture",
    "summary",
    "questions",
    "fit",
    "table",
    "dags",
    "whatif",
    "query",
    "charts",
    "notes",
    "main",
)
COLOURS: Final = {
    "accent-light": ACCENT,
    "accent-dark": ACCENT_DARK,
    "second-light": SECOND,
    "second-dark": SECOND_DARK,
}


def page(posterior: Posterior, effects: Mapping[str, Any] | None = None) -> str:
    """The text of the file; the same posterior and effects make the same text."""
    style, script = _style(), joined_scripts()
    policy = (
        f"default-src 'none'; script-src {_hash(script)}; style-src {_hash(style)}; "
        "img-src data:; base-uri 'none'; form-action 'none'"
    )
    parts = {
        "policy": policy,
        "style": style,
        "script": script,
        "data": _inside_script(to_json(contents(posterior, effects))),
    }
    # All at once: nothing that is filled in can be taken for a place to fill.
    return re.sub(r"\{\{(\w+)\}\}", lambda found: parts[found[1]], _read("page.html"))


def write_page(
    posterior: Posterior,
    path: str | os.PathLike[str],
    effects: Mapping[str, Any] | None = None,
) -> None:
    """Write the file, whole or not at all."""
    write_whole(path, page(posterior, effects).encode())


def joined_scripts() -> str:
    """One script: each module a function of its own, so that names stay apart."""
    modules = "".join(_as_function(name, _read(f"{name}.js")) for name in SCRIPTS)
    return f'"use strict";\n(() => {{\nconst modules = {{}};\n{modules}}})();\n'


def _as_function(name: str, text: str) -> str:
    """An ES module without import and export, which one script in a page cannot have."""
    exported = ", ".join(re.findall(r"^export (?:function|const) (\w+)", text, re.M))
    imported = re.compile(r'^import (\{.*\}) from "\./(\w+)\.js";$', re.M)
    text = imported.sub(r"const \1 = modules.\2;", re.sub(r"^export ", "", text, flags=re.M))
    return f"modules.{name} = (() => {{\n{text}return {{ {exported} }};\n}})();\n"


def _style() -> str:
    colours = "".join(f"--{name}: {value}; " for name, value in COLOURS.items())
    return f":root {{ {colours}}}\n{_read('page.css')}"


def _read(name: str) -> str:
    return files("gpnet.report").joinpath("assets", name).read_text(encoding="utf-8")


def _inside_script(text: str) -> str:
    """JSON that cannot end the script it stands in."""
    return text.replace("&", "\\u0026").replace("<", "\\u003c").replace(">", "\\u003e")


def _hash(text: str) -> str:
    return f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'"

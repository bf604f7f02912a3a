"""How to repeat a run and how to cite it, as texts."""

from importlib.metadata import version
from typing import Any, Final

import tomli_w

from gpnet.posterior.posterior import Posterior

HEADING: Final = "# gpnet learn DATA --config settings.toml --out again\n"
PAPER: Final = (
    "Enrico Giudice, Jack Kuipers and Giusi Moffa (2023). A Bayesian Take on Gaussian Process "
    "Networks. Advances in Neural Information Processing Systems 36."
)


def repeat(posterior: Posterior) -> dict[str, Any]:
    """The command, the settings as a file, and which data are meant; empty where not recorded."""
    settings = posterior.settings
    if "options" not in settings:
        return {"command": "", "settings": "", "facts": []}
    data, chosen = settings.get("data", {}), settings.get("chosen", {})
    options = {"transform": data.get("transform", "none"), **settings["options"]}
    facts = {
        "Rows": data.get("rows"),
        "Variables": data.get("variables"),
        "Transform": data.get("transform"),
        "Fingerprint of the data": data.get("fingerprint"),
        "Search space": chosen.get("space"),
        "Sampler": chosen.get("sampler"),
        "gpnet": version("gpnet"),
    }
    return {
        "command": "gpnet learn DATA.csv --config settings.toml --out again",
        "settings": HEADING + tomli_w.dumps(options),
        "facts": [[name, str(value)] for name, value in facts.items() if value is not None],
    }


def cite() -> list[str]:
    """The paper, and this software."""
    software = "gpnet: Bayesian structure learning of Gaussian process networks"
    return [PAPER, f"The gpnet developers. {software}, version {version('gpnet')}."]

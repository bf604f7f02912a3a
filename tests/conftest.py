"""Where the reference numbers lie: beside the project, and not in it."""

import os
from pathlib import Path

import pytest

REFERENCE = Path(
    os.environ.get("GPNET_REFERENCE", Path(__file__).parents[2] / "shared" / "reference")
)


@pytest.fixture(scope="session")
def reference():
    if not REFERENCE.is_dir():
        pytest.skip(f"no reference numbers at {REFERENCE}; set GPNET_REFERENCE to their folder")
    return REFERENCE

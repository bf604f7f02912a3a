"""Strict JSON, which has no nan or infinity: null stands for them."""

import json
from collections.abc import Mapping
from math import isfinite
from typing import Any

import numpy as np


def to_json(record: Any, *, indent: int | None = None) -> str:
    """The text of it."""
    return json.dumps(finite(record), allow_nan=False, indent=indent)


def finite(value: Any) -> Any:
    """Plain lists, mappings, numbers and texts; None for what is not finite."""
    if isinstance(value, Mapping):
        return {str(key): finite(one) for key, one in value.items()}
    if isinstance(value, list | tuple | np.ndarray):
        return [finite(one) for one in value]
    if isinstance(value, np.generic):
        return finite(value.item())
    if isinstance(value, float):
        return float(value) if isfinite(value) else None
    return value

"""What a run was asked for and made of its table, for whoever repeats it."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from gpnet.data.dataset import Dataset
from gpnet.inference.plan import Plan


def record_of(data: Dataset, ranked: Sequence[str], plan: Plan) -> dict[str, Any]:
    """Enough to repeat the run, and to see what "auto" stood for."""
    return {
        "options": plan.settings.record(),
        "data": {
            "fingerprint": data.fingerprint,
            "rows": data.n_rows,
            "variables": data.n_variables,
            "transform": data.transform,
            "ranked": list(ranked),
            **_roles(data),
        },
        "chosen": {"space": plan.space_name, "sampler": plan.sampler_name},
    }


def _roles(data: Dataset) -> dict[str, Any]:
    """What columns are for, where they are not all alike."""
    found: dict[str, Any] = {}
    if data.exogenous:
        found["exogenous"] = list(data.exogenous)
        found["assumed"] = list(data.assumed)
        found["levels"] = {name: list(levels) for name, levels in data.levels.items()}
    if data.interventions is not None:
        patterns, n_rows = np.unique(data.interventions, axis=0, return_counts=True)
        found["interventions"] = [
            {"targets": [data.names[v] for v in np.flatnonzero(pattern)], "rows": int(n)}
            for pattern, n in zip(patterns, n_rows, strict=True)
        ]
    if data.gaps is not None:
        n_gaps = data.gaps.sum(axis=0).tolist()
        found["imputed"] = {name: n for name, n in zip(data.names, n_gaps, strict=True) if n}
    return found

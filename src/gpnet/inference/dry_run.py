"""`gpnet.plan`: what learning would cost, before it is done."""

from dataclasses import fields
from inspect import signature
from typing import Any

from gpnet.common.errors import OptionError
from gpnet.common.messages import quote, suggestion
from gpnet.data.load import load_table
from gpnet.inference.cost_estimate import Cost, estimate
from gpnet.inference.learn import READING, learn
from gpnet.inference.plan import make_plan
from gpnet.inference.settings import Settings
from gpnet.runtime.executors import Workers


def plan(source: Any, **options: Any) -> Cost:
    """What `learn` would cost, from a few parent sets that are scored: the dry run.

    Parameters
    ----------
    source : path, frame, array or Dataset
        The table.
    options
        Those of `learn`.

    Returns
    -------
    Cost
        Printed, a sentence; with the number of parent sets, `seconds` from a sparse to a dense
        posterior, `most_seconds` and `memory` in bytes.

    Examples
    --------
    >>> import gpnet
    >>> table = gpnet.simulate(nodes=4, rows=60, seed=1)
    >>> cost = gpnet.plan(table.frame(), score="bge")
    >>> cost.n_sets
    32
    """
    parameters = signature(learn).parameters
    for name in options:
        if name not in parameters:
            raise OptionError(
                f"plan: no option is called {quote(name)}; {suggestion(name, list(parameters))}"
            )
    known = {field.name for field in fields(Settings)}
    settings = Settings(**{name: value for name, value in options.items() if name in known})
    data = load_table(source, **{name: options[name] for name in READING if name in options})
    with Workers.threads(options.get("workers")) as workers:
        return estimate(data, make_plan(settings, data), workers=workers.n_workers)

"""The report of a posterior as its method.

Imports rooms above its own, but only when asked: effects need all that learning needs.
"""

import os
from pathlib import Path
from typing import TYPE_CHECKING, cast

if TYPE_CHECKING:
    from gpnet.posterior.posterior import Posterior


class Reporting:
    """What a posterior can write for a reader."""

    def report(self, path: str | os.PathLike[str], *, effects: bool = True) -> Path:
        """Write the report: one HTML file that needs nothing else.

        Parameters
        ----------
        path : path
            The file; written wholly or not at all.
        effects : bool
            Whether to measure the effects of all variables on all others for it, which takes a
            fraction of the time of learning. Without the table there are none.

        Returns
        -------
        pathlib.Path
            Where it is.

        Examples
        --------
        >>> import gpnet
        >>> table = gpnet.simulate(nodes=4, rows=200, edge_probability=0.6, seed=2)
        >>> posterior = gpnet.learn(table.frame(), score="bge", draws=500)
        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     posterior.report(f"{folder}/report.html").stat().st_size > 10_000
        True
        """
        from gpnet.effects.on_page import effects_on_page
        from gpnet.report.page import write_page

        itself = cast("Posterior", self)
        found = effects_on_page(itself) if effects else None
        write_page(itself, path, found)
        return Path(path)

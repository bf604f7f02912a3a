"""Plots of a posterior, drawn by matplotlib: a file each.                             FAMILY

Each takes a posterior, returns its axes and draws into `ax` where that is given. To add one: a
file with a function of its name, one line here, and one method in `gpnet.posterior.plotting`.
"""

from gpnet.plots.calibration import calibration, posterior_calibration
from gpnet.plots.chains import chains
from gpnet.plots.comparison import comparison
from gpnet.plots.edge_count import edge_count
from gpnet.plots.edges import edges
from gpnet.plots.gamma import gamma
from gpnet.plots.network import network
from gpnet.plots.quantiles import quantiles
from gpnet.plots.relation import relation
from gpnet.plots.residuals import residuals
from gpnet.plots.weights import weights

__all__ = [
    "calibration",
    "chains",
    "comparison",
    "edge_count",
    "edges",
    "gamma",
    "network",
    "posterior_calibration",
    "quantiles",
    "relation",
    "residuals",
    "weights",
]

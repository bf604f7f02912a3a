"""What a node's rows are away from what all other rows say of them; arrays only.

With P the precision matrix of all rows, row i given the others is
N(x_i - (P x)_i / P_ii, 1 / P_ii).
"""

from dataclasses import dataclass

import numpy as np
from scipy.linalg import solve_triangular

from gpnet.common.types import Floats

LEAST_FREE = 1e-9  # of a row's variance: what its own value leaves open


@dataclass(frozen=True, eq=False)
class Residuals:
    """Of each of N rows, given all others."""

    standardised: Floats  # (N,): (P x)_i / sqrt(P_ii)
    sd: Floats  # (N,): 1 / sqrt(P_ii)


def expected_log_likelihoods(residuals: Residuals, sigma: float) -> Floats:
    """(N,): E[log N(x_i; f_i, sigma^2)] over the posterior of the function f.

    All rows together leave x_i - E[f_i] = sigma^2 (P x)_i, with var f_i = sigma^2 - sigma^4 P_ii.
    """
    left = sigma * residuals.standardised / residuals.sd  # in units of sigma
    known = 1 - (sigma / residuals.sd) ** 2
    return np.asarray(-0.5 * (left**2 + known + np.log(2 * np.pi)) - np.log(sigma))


def residuals_of_precision(precision: Floats, x: Floats) -> Residuals:
    """From P (N, N) and the column x about its mean."""
    root = np.sqrt(np.diagonal(precision))
    return Residuals(precision @ x / root, 1 / root)


def residuals_of_design(design: Floats, x: Floats, variance: float) -> Residuals:
    """Where the covariance is A A' + variance I, with A (N, r) of few columns.

    P = (I - A B^-1 A') / variance, with B = A'A + variance I.
    """
    return residuals_of_products(design, x, design.T @ design, design.T @ x, variance)


def residuals_of_products(
    design: Floats, x: Floats, gram: Floats, products: Floats, variance: float
) -> Residuals:
    """The same where A'A and A'x are known."""
    b = gram + variance * np.eye(len(gram))
    lower = np.linalg.cholesky(b)
    half = solve_triangular(lower, design.T, lower=True, check_finite=False)
    left = x - half.T @ solve_triangular(lower, products, lower=True)
    free = np.sqrt(np.maximum(1 - (half**2).sum(axis=0), LEAST_FREE))
    sigma = np.sqrt(variance)
    return Residuals(left / (sigma * free), sigma / free)

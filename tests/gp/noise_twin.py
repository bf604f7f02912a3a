"""Plain twins of the densities of the noise in the core, without its early ends."""

import numpy as np
from scipy.stats import expon, logistic, norm, t

NARROW, N_PIECES = 0.05, 9  # of a residual that is spread over its width
N_STEPS = 100


def log_base_ratio(e, degrees):
    """log b(e) - log N(e; 0, 1), where b is normal or a t density of variance 1."""
    if np.isinf(degrees):
        return np.zeros_like(e)
    size = np.sqrt((degrees - 2) / degrees)
    return t.logpdf(e, degrees, scale=size) - norm.logpdf(e)


def counts(residuals, widths, places, coordinate=np.arcsinh):
    """How much of the residuals each place of the grid has; pieces are shared by two places."""
    found = np.zeros(len(places))
    for e, width in zip(residuals, widths, strict=True):
        pieces = ((np.arange(N_PIECES) + 0.5) / N_PIECES - 0.5) * width if width > NARROW else [0.0]
        for piece in pieces:
            at = np.clip(coordinate(e + piece), places[0], places[-1])
            share = np.maximum(1 - np.abs(at - places) / (places[1] - places[0]), 0)
            found += share / len(pieces)
    return found


def log_weights(degrees, reach, n_places):
    """Of the places: the density of asinh(e) under b, times the step of the grid."""
    places = np.linspace(-reach, reach, n_places)
    e = np.sinh(places)
    density = log_base_ratio(e, degrees) + norm.logpdf(e) + np.log(np.cosh(places))
    return density + np.log(places[1] - places[0])


def tilt(c, root, log_base, n):
    """log of the product of exp(s) / Z over all residuals, s = root c."""
    s = root @ c
    return n @ s - n.sum() * np.logaddexp.reduce(log_base + s)


def climb(value, gradient, hessian, start):
    """Newton's way to the peak of a concave function, and -its second derivatives there."""
    c = start
    for _ in range(N_STEPS):
        direction = np.linalg.solve(hessian(c), gradient(c))
        size = 1.0
        while value(c + size * direction) < value(c) - 1e-12 and size > 1e-6:
            size /= 2
        c = c + size * direction
        if np.abs(direction).max() < 1e-10:
            break
    return c, hessian(c)


def laplace(value, gradient, hessian, n_dims):
    """log of the integral of exp(value) N(c; 0, I); the prior's square is part of `value`."""
    c, h = climb(value, gradient, hessian, np.zeros(n_dims))
    return value(c) - np.linalg.slogdet(h)[1] / 2, c


def shape_log_ratio(residuals, widths, reach, degrees, root):
    """log p(residuals) under one family on the line less that under N(0, 1)."""
    n = counts(residuals, widths, np.linspace(-reach, reach, len(root)))
    log_base = log_weights(degrees, reach, len(root))
    return log_base_ratio(residuals, degrees).sum() + log_integral(n, log_base, root)


def edge_log_ratio(residuals, widths, places, root):
    """The same with an exponential density above an edge; for one below it, of -residuals."""
    n = len(residuals)
    distance = residuals.mean() - (residuals - widths / 2).min()
    mean = distance * (1 + 1 / n)
    edge = residuals.mean() - mean
    found = counts(residuals, widths, places, lambda e: np.log(max(e - edge, 1e-300) / mean))
    log_base = places - np.exp(places) + np.log(places[1] - places[0])
    base = expon.logpdf(residuals, edge, mean).sum() - norm.logpdf(residuals).sum()
    cost = 1 - np.log(3 * n / mean) - np.log(n) / 2
    return base + cost + log_integral(found, log_base, root)


def edges_log_ratio(residuals, widths, places, root):
    """The same with a uniform density between two edges."""
    n = len(residuals)
    low, high = (residuals - widths / 2).min(), (residuals + widths / 2).max()
    low, high = low - (high - low) / n, high + (high - low) / n
    found = counts(
        residuals, widths, places, lambda e: np.log(max(e - low, 1e-300) / max(high - e, 1e-300))
    )
    log_base = logistic.logpdf(places) + np.log(places[1] - places[0])
    base = -n * np.log(high - low) - norm.logpdf(residuals).sum()
    cost = 2 * (1 - np.log(3 * n / (high - low)))
    return base + cost + log_integral(found, log_base, root)


def log_integral(n, log_base, root):
    """Over c, by Laplace's approximation, of what n residuals at the places make of s = root c."""

    def probabilities(c):
        log_p = log_base + root @ c
        return np.exp(log_p - np.logaddexp.reduce(log_p))

    def hessian(c):
        p = probabilities(c)
        spread = np.diag(p) - np.outer(p, p)
        return np.eye(len(c)) + n.sum() * root.T @ spread @ root

    return laplace(
        lambda c: tilt(c, root, log_base, n) - c @ c / 2,
        lambda c: root.T @ (n - n.sum() * probabilities(c)) - c,
        hessian,
        root.shape[1],
    )[0]


def scale_log_ratio(residuals, design):
    """log p(residuals) with sizes exp(design c) less that under N(0, 1), and the log sizes."""

    def weights(c):
        return residuals**2 * np.exp(-2 * design @ c)

    def value(c):
        return norm.logpdf(residuals, 0, np.exp(design @ c)).sum() - c @ c / 2

    ratio, c = laplace(
        value,
        lambda c: design.T @ (weights(c) - 1) - c,
        lambda c: np.eye(len(c)) + 2 * (design.T * weights(c)) @ design,
        design.shape[1],
    )
    return ratio - norm.logpdf(residuals).sum(), design @ c

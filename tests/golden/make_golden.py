"""Golden scores by dense grids: NumPy and SciPy alone, nothing of gpnet.

    python tests/golden/make_golden.py    # rewrites scores.csv from table.csv; half a minute

Log marginal likelihoods of every node of table.csv given every set of at most two others,
standardised with divisor N - 1: x ~ N(0, 1 + sum of squared exponential kernels + sigma^2 I), where
the first 1 is the variance of the mean; theta ~ InvGamma(2, 2), sigma ~ InvGamma(1, 1). A linear
one has z_i z_i' in the place of each kernel. The integral is a sum over a grid in the logs of all
parameters; `error` is its difference to that over every other point.
"""

import csv
from itertools import combinations, product
from pathlib import Path

import numpy as np
from scipy.special import logsumexp
from scipy.stats import invgamma

HERE = Path(__file__).parent
SIGMA = np.linspace(np.log(0.02), np.log(8), 161)
THETA = {
    1: np.linspace(np.log(0.05), np.log(60), 181),
    2: np.linspace(np.log(0.06), np.log(40), 65),
}


def over_noise(x, signal):
    """log p(x, sigma) on the grid of log sigma, by the eigenvectors of the signal's covariance."""
    values, vectors = np.linalg.eigh(signal)
    squares = (vectors.T @ x) ** 2
    variances = np.maximum(values, 0)[:, None] + np.exp(2 * SIGMA)
    log_p = -0.5 * (squares[:, None] / variances + np.log(2 * np.pi * variances)).sum(axis=0)
    return log_p + invgamma.logpdf(np.exp(SIGMA), 1, scale=1) + SIGMA


def squared_exponential(z, theta):
    return np.exp(-((z[:, None] - z) ** 2) / (2 * theta**2))


def integrate(log_p, axes):
    """The log of the integral by the trapezoidal rule, and how far the coarse grid is from it."""
    fine = log_trapezoid(log_p, axes)
    every_other = tuple(slice(None, None, 2) for _ in axes)
    return fine, abs(fine - log_trapezoid(log_p[every_other], [axis[::2] for axis in axes]))


def log_trapezoid(log_p, axes):
    for axis in reversed(axes):
        weights = np.full(len(axis), axis[1] - axis[0])
        weights[[0, -1]] /= 2
        log_p = logsumexp(log_p + np.log(weights), axis=-1)
    return float(log_p)


def gp(x, parents):
    mean = np.ones((len(x), len(x)))
    if not parents:
        return integrate(over_noise(x, mean), [SIGMA])
    axis = THETA[len(parents)]
    grams = [[squared_exponential(z, theta) for theta in np.exp(axis)] for z in parents]
    prior = invgamma.logpdf(np.exp(axis), 2, scale=2) + axis
    log_p = np.empty((len(axis),) * len(parents) + (len(SIGMA),))
    for place in product(range(len(axis)), repeat=len(parents)):
        signal = mean + sum(gram[i] for gram, i in zip(grams, place, strict=True))
        log_p[place] = over_noise(x, signal) + sum(prior[i] for i in place)
    return integrate(log_p, [axis] * len(parents) + [SIGMA])


def linear(x, parents):
    signal = np.ones((len(x), len(x))) + sum(np.outer(z, z) for z in parents)
    return integrate(over_noise(x, signal), [SIGMA])


def main():
    with open(HERE / "table.csv") as file:
        names, *rows = list(csv.reader(file))
    values = np.array(rows, dtype=float)
    values = (values - values.mean(axis=0)) / values.std(axis=0, ddof=1)
    found = [["score", "node", "parents", "log_marginal", "error"]]
    for name, score in {"gp": gp, "linear": linear}.items():
        for node in range(len(names)):
            others = [j for j in range(len(names)) if j != node]
            for parents in (s for k in range(3) for s in combinations(others, k)):
                value, error = score(values[:, node], [values[:, j] for j in parents])
                told = ";".join(names[j] for j in parents)
                found.append([name, names[node], told, f"{value:.6f}", f"{error:.1e}"])
    with open(HERE / "scores.csv", "w", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows(found)


if __name__ == "__main__":
    main()

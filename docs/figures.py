"""Draws the pictures of README and tutorial, beside this file: make figures"""

from pathlib import Path

import matplotlib as mpl
import matplotlib.pyplot as plt

import gpnet

mpl.use("Agg")  # no window, the same pixels everywhere


def first_result(posterior):
    """The network, and the table of probabilities behind it."""
    figure, (left, right) = plt.subplots(
        1, 2, figsize=(8.6, 3.9), width_ratios=[1, 1.1], layout="constrained"
    )
    posterior.plot_network(ax=left)
    posterior.plot_edges(ax=right)
    return figure


def relation(posterior):
    """What the parents of V5 do to it."""
    return posterior.plot_relation("V5")[0].figure


def comparison(posterior, linear):
    """What straight lines would have found."""
    return posterior.plot_comparison(linear, titles=("curves", "straight lines")).figure


def effect(posterior):
    """What setting V4 does to V5."""
    return posterior.effect("V4", "V5").plot().figure


def main():
    """All of the table of `gpnet demo`."""
    simulation = gpnet.simulate(nodes=7, rows=150, nonlinearity=1.5, edge_probability=0.35, seed=5)
    posterior = gpnet.learn(simulation.frame(), draws=5000)
    linear = gpnet.learn(simulation.frame(), draws=5000, score="bge")
    pictures = {
        "first-result": first_result(posterior.without_doubt()),
        "relation": relation(posterior),
        "comparison": comparison(posterior, linear),
        "effect": effect(posterior),
    }
    for name, figure in pictures.items():
        figure.savefig(Path(__file__).with_name(f"{name}.png"), dpi=110)


main()

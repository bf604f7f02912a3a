"""Draws docs/first-result.png, the picture of README: python docs/first_result.py"""

from pathlib import Path

import matplotlib.pyplot as plt
import networkx as nx
import numpy as np

import gpnet

BLUE = "#2166ac"


def draw_network(axes, posterior):
    """Edges as wide and as dark as they are probable, causes above effects."""
    p = posterior.edge_probabilities().to_numpy()
    graph = posterior.to_networkx(threshold=0.5)
    for layer, nodes in enumerate(nx.topological_generations(graph)):
        for node in nodes:
            graph.nodes[node]["layer"] = -layer
    place = nx.multipartite_layout(graph, subset_key="layer", align="horizontal")
    nx.draw_networkx_nodes(
        graph, place, ax=axes, node_size=900, node_color="white", edgecolors="0.3"
    )
    nx.draw_networkx_labels(graph, place, ax=axes, font_size=10)
    for i, j in np.argwhere(p > 0.05).tolist():
        parent, child = posterior.names[i], posterior.names[j]
        skips = graph.nodes[parent]["layer"] - graph.nodes[child]["layer"] > 1
        behind = skips and np.isclose(place[parent][0], place[child][0])
        bend = 0.35 if behind else 0.12 if p[j, i] > 0.05 else 0.0  # around the node between
        nx.draw_networkx_edges(
            graph,
            place,
            edgelist=[(parent, child)],
            ax=axes,
            width=0.5 + 2.5 * p[i, j],
            alpha=float(p[i, j]),
            edge_color=BLUE,
            node_size=900,
            arrowsize=14,
            connectionstyle=f"arc3,rad={bend}",
        )
    axes.set_title("The network: width and colour by probability", fontsize=10)
    axes.axis("off")


def draw_table(axes, posterior):
    """One cell for each ordered pair."""
    p = posterior.edge_probabilities().to_numpy()
    image = axes.imshow(p, cmap="Blues", vmin=0, vmax=1)
    for i, j in np.argwhere(p >= 0.005).tolist():
        axes.text(
            j,
            i,
            f"{p[i, j]:.2f}",
            ha="center",
            va="center",
            fontsize=8,
            color="white" if p[i, j] > 0.6 else "black",
        )
    axes.set_xticks(range(len(p)), posterior.names)
    axes.set_yticks(range(len(p)), posterior.names)
    axes.set(xlabel="child", ylabel="parent")
    axes.set_title("Probability of each edge", fontsize=10)
    return image


def main():
    """The network of `gpnet demo`."""
    simulation = gpnet.simulate(nodes=7, rows=150, nonlinearity=1.5, edge_probability=0.35, seed=5)
    posterior = gpnet.learn(simulation.frame(), draws=5000)
    figure, (left, right) = plt.subplots(1, 2, figsize=(9, 4), layout="constrained")
    draw_network(left, posterior)
    draw_table(right, posterior)
    figure.savefig(Path(__file__).parent / "first-result.png", dpi=110)


main()

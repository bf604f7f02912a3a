"""Where the nodes and edges of a network are drawn."""

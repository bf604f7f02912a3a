"""The paper's table 1: eleven proteins in 853 cells, and the consensus network."""

"""Directed acyclic graphs as arrays, dag[parent, child]; knows nothing of data."""

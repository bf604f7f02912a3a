"""Directed graphs as arrays, dag[parent, child]: no scores, no draws."""

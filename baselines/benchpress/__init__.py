"""gpnet as a module of benchpress: a CSV table in, the adjacency matrix of one graph out."""

"""One node given its parents: arrays in, log evidence out; knows nothing of graphs or tables."""

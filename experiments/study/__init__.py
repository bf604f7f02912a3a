"""The simulation study: methods on data sets of 10 or 15 nodes, from which most figures are drawn.

`methods.toml` says what the methods are; to add one, add a table there.
"""

"""What happens if: effects, counterfactuals, predictions and new rows, over the whole posterior.

A draw is a network: a DAG by its weight, a function of each variable given its parents, and what
these leave of each row. Set a variable, and recompute what lies downstream with the same residuals:
no distribution of the noise is assumed. `Posterior` has all of it as methods.
"""

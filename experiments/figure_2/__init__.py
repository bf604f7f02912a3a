"""Figure 2: run-times by method and lambda, ten nodes."""

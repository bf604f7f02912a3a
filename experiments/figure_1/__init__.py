"""Figure 1: expected SHD by method and lambda, ten nodes."""

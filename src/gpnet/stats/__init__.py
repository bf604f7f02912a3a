"""Statistics of draws: importance weights, convergence of chains, estimates with error bars."""

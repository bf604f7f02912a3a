"""Structure priors on the simulation study: distance to the truth, and calibration."""

"""Calibration of edge probabilities on data from the model's own prior."""

"""Calibration of the default score on tables of any scale, with weak curves and without."""

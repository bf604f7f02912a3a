"""Eleven proteins: effects learnt from one condition, against what treatments did."""

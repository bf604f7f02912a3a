"""Eleven proteins under nine conditions: what experiments add."""

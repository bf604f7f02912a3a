"""Networks to draw tables from."""

"""Figure A7: expected SHD by method and lambda, 15 nodes."""

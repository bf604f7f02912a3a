"""Figure A9: run-times by method and lambda, 15 nodes."""

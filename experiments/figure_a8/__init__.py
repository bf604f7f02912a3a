"""Figure A8: expected SHD of CPDAGs, 15 nodes."""

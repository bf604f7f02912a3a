"""Figure A3: expected SHD of CPDAGs, ten nodes."""

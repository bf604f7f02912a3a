"""Figure A6: expected SHD by the prior of lengthscales, ten nodes."""

"""Figure A4: K-L divergence by run-time, four nodes."""

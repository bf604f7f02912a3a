"""Figure A5: how many scores are evaluated, ten nodes."""

"""Figure A2: true and false positives of the best DAG, over the tuning parameter."""

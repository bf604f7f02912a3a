"""The paper's figure A1: log score of a chain minus that of its reverse, by nonlinearity."""

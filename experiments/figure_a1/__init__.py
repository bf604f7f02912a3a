"""The paper's figure A1: whether the score tells a chain from its reverse, by nonlinearity."""

"""The loops of gpnet that must be fast (C++, see src/gpnet/_core)."""

from gpnet.types import Floats

def squared_exponential_gram(z: Floats, theta: float, order: int) -> Floats:
    """Gram matrix and derivatives in log theta, shape (order + 1, n, n)."""

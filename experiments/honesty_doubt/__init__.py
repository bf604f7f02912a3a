"""Ways to doubt the evidence for a direction, compared on real pairs of odd number."""

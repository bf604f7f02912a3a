"""Whether edges of probability p are true in a share p, on data from the model's own prior."""

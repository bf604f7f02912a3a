"""What a claim is worth on real tables, and on simulated ones of other kinds than the model's."""

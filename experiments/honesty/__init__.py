"""What a claim of gpnet is worth on real tables, and on simulated ones of other kinds than its model."""

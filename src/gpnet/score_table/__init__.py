"""The table of log scores, all that a sampler sees: its space, and how it is filled."""

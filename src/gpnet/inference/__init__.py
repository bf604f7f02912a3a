"""From a table to its posterior: settings, plan, rounds of drawing and weighting, verdict."""

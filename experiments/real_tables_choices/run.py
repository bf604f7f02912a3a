"""The court of real tables for other ways to an answer: what was weighed against the default."""

from experiments.real_tables.run import keys, measure, report

__all__ = ["keys", "measure", "report"]

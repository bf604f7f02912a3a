"""The report of a posterior, one file of HTML; sees only `Posterior`."""

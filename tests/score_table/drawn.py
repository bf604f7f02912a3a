"""Tables as they are once they were drawn from."""

from gpnet.inference.drawn_sets import families
from gpnet.samplers.exact import ExactSampler
from gpnet.score_table.rescore import Rescorer


def drawn_scored(table, data, score):
    """As learning does: what draws from predictions meet is scored."""
    for seed in range(3):
        drawn = families(ExactSampler().sample(table, n_draws=2000, seed=seed))
        met = [family for family in drawn if not table.is_computed(*family)]
        table = table.with_log_marginals(Rescorer(data, score).rescore(met))
    return table

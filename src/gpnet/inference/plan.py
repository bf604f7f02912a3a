"""From settings in words to the members that do the work."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from math import comb, inf, sqrt
from typing import Final, TypeVar

from gpnet.common.errors import OptionError
from gpnet.common.messages import meant, one_of, quote, quoted
from gpnet.data.dataset import Dataset
from gpnet.gp.evidence import EVIDENCE_METHODS
from gpnet.gp.kernels import KERNELS
from gpnet.gp.noise import NOISES
from gpnet.gp.priors import Hyperpriors, InverseGamma, Normal
from gpnet.inference.orientation import kappa_of
from gpnet.inference.settings import AUTO, OFF, Settings
from gpnet.posterior.features import parse
from gpnet.posterior.features.edges import Edge
from gpnet.samplers import SAMPLERS, Sampler, SamplerSettings
from gpnet.samplers.exact import ExactSampler
from gpnet.samplers.learned import GibbsSampler, MixtureSampler
from gpnet.samplers.mcmc import ChainSampler
from gpnet.score_table.memory import check_memory, default_memory_limit, memory_of_sets
from gpnet.score_table.search_space import SearchSpace
from gpnet.scores import SCORES, Score, ScoreSettings
from gpnet.scores.smooth import SmoothScore
from gpnet.search_spaces import SEARCH_SPACES, SpaceBuilder, SpaceSettings
from gpnet.search_spaces.outside import WIDE
from gpnet.structure_priors import (
    STRUCTURE_PRIORS,
    Knowledge,
    LearnedPrior,
    PriorSettings,
    StructurePrior,
    UncountedExogenous,
    UniformPrior,
)

T = TypeVar("T")

# Of all parent sets together, those that are scored without asking which of them matter: a minute
# or so at 1 to 3 ms each, and no time at all in closed form.
MOST_SETS: Final = 25_000
MOST_SETS_CLOSED_FORM: Final = 1_000_000
# Independent draws cost 0.2 ms at 16 variables, 6 ms at 18, and three times as much for each more.
EXACT_NODES: Final = 18
MIN_REPLICATES: Final = 2  # of which a mean has an error
NOT_BAGGED: Final = (
    "the posterior is that of the table as it is: where the prior is 'learned', no replicates of "
    "the table are averaged over (bag)"
)
DEFAULT_MAX_PARENTS: Final = 4
# Of more rows, who is a candidate hangs on no chance: none is looked for outside.
MANY_ROWS: Final = 2**16
WORTH_DRAWING: Final = 100  # DAGs; to advise fewer would help nobody
BYTES_PER_COMPARISON: Final = 64  # of two variables: correlations, gains, their ranks
BYTES_PER_PAIR: Final = 2  # of a draw and two variables: a DAG, and what it is packed into


@dataclass(frozen=True, eq=False)
class Plan:
    """One member of each family: a pure description, which uses nothing and computes nothing."""

    settings: Settings
    score: Score
    prior: StructurePrior
    space: SpaceBuilder
    sampler: Sampler
    space_name: str
    sampler_name: str
    kappa: float  # probability that a direction is left open
    n_replicates: int  # of the bagged posterior; 0 for none
    max_parents: int  # of a node, to begin with
    prune: float | None  # as of `tabulate`
    notes: tuple[str, ...] = ()  # what has to be told before anything is computed
    hasty: bool = False  # for a first answer: the time is over


def make_plan(settings: Settings, data: Dataset) -> Plan:
    """Every name of the settings is looked up, "auto" is decided, and knowledge is read."""
    score = make_score(settings)
    _check_levels(data, score, settings.score)
    prior, penalty = _prior(settings, data)
    asked = DEFAULT_MAX_PARENTS if settings.max_parents is None else settings.max_parents
    max_parents = min(asked, data.n_variables - 1)
    prune = _prune(settings.prune)
    # What is in closed form is sooner computed than left out, and of parents that help only
    # together smaller sets tell nothing.
    if score.closed_form or not score.additive:
        prune = None
    space_name = _auto_space(settings, data, score, max_parents)
    sampler_name = _auto_sampler(settings, data)
    space = _member("space", space_name, SPACES).from_settings(
        SpaceSettings(
            max_parents=max_parents,
            max_candidates=settings.max_candidates,
            plus_one=data.n_variables <= WIDE and data.n_rows <= MANY_ROWS,
            score=score if score.closed_form else SmoothScore(),
            seed=settings.seed,
        )
    )
    sampler = _sampler(settings, sampler_name, penalty)
    _check_nodes(sampler_name, data.n_variables)
    check_space(space.foreseen(data.n_variables, prior), score, sampler_name)
    _check_width(data.n_variables, settings.draws, score)
    fitted = settings.score == Settings().score and score.compares_scales
    notes = tuple(prior.idle()) if isinstance(prior, Knowledge) else ()
    n_replicates = _replicates(settings.bag)
    if penalty and n_replicates:
        n_replicates, notes = 0, (*notes, NOT_BAGGED)
    return Plan(
        settings,
        score,
        prior,
        space,
        sampler,
        space_name,
        sampler_name,
        kappa_of(settings.doubt, fitted=fitted),
        n_replicates,
        max_parents,
        prune,
        notes,
    )


def make_score(settings: Settings) -> Score:
    """The score that is meant, with its way to the evidence."""
    hyperpriors = Hyperpriors(
        lengthscale=InverseGamma(*settings.lengthscale_prior),
        noise=InverseGamma(*settings.noise_prior),
        amplitude=InverseGamma(*settings.amplitude_prior),
        mean=Normal(*settings.mean_prior),
    )
    kernel = _member("kernel", settings.kernel, KERNELS)()
    evidence = _member("evidence", settings.evidence, EVIDENCE_METHODS)()
    return _member("score", settings.score, SCORES).from_settings(
        ScoreSettings(
            kernel,
            evidence,
            hyperpriors,
            settings.seed if evidence.random else 0,  # one name for one number
            settings.am,
            settings.aw,
            settings.prior_mean,
            settings.linear_weight,
            settings.slope_variance,
            None if settings.noise == AUTO else _member("noise", settings.noise, NOISES)(),
            settings.weak_weight,
        )
    )


def _check_levels(data: Dataset, score: Score, name: str) -> None:
    if data.categorical and not score.takes_levels:
        raise OptionError(
            f"score: {quote(name)} takes no categorical columns with these settings, and "
            f"{quoted(data.levels)} {'is' if len(data.levels) == 1 else 'are'}; take 'adaptive', "
            "'gp' or 'linear', or leave out (drop= or --drop)"
        )


def _replicates(asked: str | int) -> int:
    """How many, or 0 for no bagging."""
    if asked == OFF:
        return 0
    if isinstance(asked, str) or asked < MIN_REPLICATES:
        raise OptionError(
            f"bag: a number of replicates from {MIN_REPLICATES}, or {quote(OFF)}; found "
            f"{quote(asked)}"
        )
    return asked


def _prune(asked: str | float) -> float | None:
    """The margin in nats, or None to score all."""
    if asked == OFF:
        return None
    if isinstance(asked, str) or asked < 0:
        raise OptionError(f"prune: 0 or more nats, or {quote(OFF)}; found {quote(asked)}")
    return asked


# Priors


def _prior(settings: Settings, data: Dataset) -> tuple[StructurePrior, LearnedPrior | None]:
    """That of the table, and the penalty that is learned beside it."""
    name, _, number = settings.prior.partition(":")
    if name not in PRIORS:
        found = f"found {quote(settings.prior)}{meant(name, PRIORS)}"
        raise OptionError(f"prior: {one_of(PRIORS)}; {found}")
    member = STRUCTURE_PRIORS.get(name, UniformPrior)  # beside a learned penalty, no other
    if number and not member.takes_gamma:
        raise OptionError(f"prior: {quote(name)} takes no number, found {quote(settings.prior)}")
    counted = settings.exogenous_prior or not data.exogenous
    n_counted = data.n_variables - (0 if counted else len(data.exogenous))
    prior = member.from_settings(PriorSettings(n_counted, _gamma(number)))
    if not counted:
        prior = UncountedExogenous(prior, frozenset(map(data.column, data.exogenous)))
    learned = LEARNED_PRIORS.get(name)
    known = with_knowledge(prior, settings, data, data.exogenous)
    return known, learned() if learned else None


def _gamma(text: str) -> float | None:
    try:
        found = float(text) if text else None
    except ValueError:
        raise OptionError(f"prior: a number as in edges:2, found {quote(text)}") from None
    if found is not None and not 0 <= found < inf:
        raise OptionError(
            f"prior: a finite number from 0 on, as in edges:2, found {quote(text)}; below 0, edges "
            "would be more probable than their absence"
        )
    return found


# Edges are rare: with a uniform density of edges, log loss was worse on every kind of data tried.
LEARNED_PRIORS: Final = {"learned": partial(LearnedPrior.beta, 2.0, 100.0)}
# Members that a name, and perhaps a number, says all about.
PRIORS: Final = (*(n for n, prior in STRUCTURE_PRIORS.items() if prior.by_name), *LEARNED_PRIORS)
SPACES: Final = {name: space for name, space in SEARCH_SPACES.items() if space.by_name}


def with_knowledge(
    prior: StructurePrior, settings: Settings, data: Dataset, exogenous: Sequence[str]
) -> StructurePrior:
    """The prior with what the settings say of edges, and without any into exogenous columns."""
    names, roots = data.names, (*exogenous, *settings.roots)
    if not (settings.require or settings.forbid or settings.tiers or roots):
        return prior
    return Knowledge(
        prior,
        names,
        required=[_edge("require", text, names) for text in settings.require],
        forbidden=[_edge("forbid", text, names) for text in settings.forbid],
        tiers=settings.tiers,
        roots=roots,
    )


def _edge(option: str, text: str, names: tuple[str, ...]) -> tuple[str, str]:
    try:
        feature = parse(text, names)
    except OptionError as error:
        raise OptionError(f"{option}: {error}") from None
    if not isinstance(feature, Edge):
        raise OptionError(f"{option}: an edge as in 'A -> B', found {quote(text)}")
    return feature.first, feature.second


# What "auto" stands for


def _auto_space(settings: Settings, data: Dataset, score: Score, max_parents: int) -> str:
    """All parent sets while these are few; else those that a search finds worth a look."""
    if settings.space != AUTO:
        return settings.space
    n, most = data.n_variables, MOST_SETS_CLOSED_FORM if score.closed_form else MOST_SETS
    n_sets = n * sum(comb(n - 1, k) for k in range(max_parents + 1))
    return "full" if n <= EXACT_NODES and n_sets <= most else "iterative"


def _auto_sampler(settings: Settings, data: Dataset) -> str:
    if settings.sampler != AUTO:
        return settings.sampler
    return "exact" if data.n_variables <= EXACT_NODES else "partition"


def _sampler(settings: Settings, name: str, penalty: LearnedPrior | None) -> Sampler:
    sampler = _member("sampler", name, SAMPLERS).from_settings(
        SamplerSettings(settings.chains, settings.thin)
    )
    if penalty is None:
        return sampler
    if isinstance(sampler, ExactSampler):
        return MixtureSampler(penalty, sampler)
    if isinstance(sampler, ChainSampler):
        return GibbsSampler(penalty, sampler.alone(), n_chains=settings.chains)
    raise OptionError(f"prior: a learned penalty cannot be had with the sampler {quote(name)}")


def _check_nodes(name: str, n_variables: int) -> None:
    most = SAMPLERS[name].max_nodes
    if most is not None and n_variables > most:
        raise OptionError(
            f"sampler: {quote(name)} takes up to {most} variables, found {n_variables}; take a "
            "sampler by Markov chains"
        )


def check_space(space: SearchSpace | None, score: Score, sampler_name: str) -> None:
    """What is known to be too large is refused before it is scored, not after."""
    if space is not None:
        check_memory(space, closed_form=score.closed_form)
        SAMPLERS[sampler_name].check_space(space)


def _check_width(n: int, n_draws: int, score: Score) -> None:
    """Draws, and scores of each variable as the one parent of each other, whatever the space.

    Before the hours of work that the draws would come after.
    """
    limit = default_memory_limit()
    if limit is None:
        return
    pairs = memory_of_sets([n, n * (n - 1)], closed_form=score.closed_form)
    pairs += BYTES_PER_COMPARISON * n**2
    each = BYTES_PER_PAIR * n**2
    needed = pairs + n_draws * each
    if needed <= limit:
        return
    fewer = f"keep at most {int(n * sqrt(limit / needed)):,} columns (drop= or --drop)"
    if pairs + WORTH_DRAWING * each <= limit:
        fewer = f"take at most {(limit - pairs) // each:,}, or {fewer}"
    raise OptionError(
        f"draws: {n_draws:,} DAGs of {n:,} variables, and the scores of all pairs, need "
        f"{needed / 1e9:,.3g} GB, more than half of the free memory; {fewer}"
    )


def _member(option: str, name: str, family: Mapping[str, T]) -> T:
    if name not in family:
        found = f"found {quote(name)}{meant(name, family)}"
        raise OptionError(f"{option}: {one_of(family)}; {found}")
    return family[name]

"""Whether an answer can be trusted: numbers, and a verdict in words.

What is restricted, approximate or not converged is told with its size, and what to do about it.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any, Final

import numpy as np

from gpnet.common.messages import count, listing, quoted
from gpnet.graphs.distinct import distinct
from gpnet.inference.draws_in_numbers import DISPUTED, in_numbers, of_borders
from gpnet.inference.importance_rounds import Health, Weighted
from gpnet.inference.left_out import MISSED, NOTHING, LeftOut
from gpnet.posterior.diagnosis import Diagnosis
from gpnet.stats.convergence import (
    FEW_DRAWS,
    R_HAT_LIMIT,
    r_hat_warnings,
)
from gpnet.stats.importance_weights import GOOD_K, GOOD_SHARE

FEWEST_DRAWS: Final = 100.0  # effective, by weights, that probabilities rest on
MORE_ROUNDS: Final = 3  # times as many as were not enough
MORE_DRAWS, MOST_TIMES = 4.0, 100.0  # times as many draws as were not enough, from and to
LEAST_TRIED: Final = 1000  # draws
NOTABLE: Final = 0.01  # posterior mass at a border that is worth a word
RESERVED: Final = 0.05  # posterior mass on doubtful scores that the verdict itself must tell
TOO_MUCH: Final = 0.5  # posterior mass at a border that the verdict itself must tell


def diagnose(
    weighted: Weighted,
    *,
    refine: bool,
    left_out: LeftOut = NOTHING,
    warnings: Sequence[str] = (),
    n_unfitted: int = 0,
) -> Diagnosis:
    """All that is known about the draws; `warnings` are what building the space had to tell.

    `n_unfitted` relations have no curves for lack of time.
    """
    numbers = {
        **in_numbers(weighted),
        "sets_left_out": left_out.n_sets,
        "left_out_change": left_out.largest_change,
        "relations_unfitted": n_unfitted,
    }
    problems = tuple(_problems(numbers, weighted.rounds[-1], refine=refine))
    doubted = r_hat_warnings(
        weighted.sample.diagnostics
    )  # told as problems, with a remedy that is offered
    told = [warning for warning in weighted.sample.warnings if warning not in doubted]
    notes = (*warnings, *told, *_notes(numbers, weighted.table.names))
    verdict = _verdict(problems, numbers)
    return Diagnosis(
        converged=not problems, verdict=verdict, problems=problems, notes=notes, **numbers
    )


def of_replicates(diagnosis: Diagnosis, bagged: Weighted, asked: int) -> Diagnosis:
    """That of the table, with what its replicates had; `asked` of them were asked for."""
    n_done, sample = bagged.n_replicates, bagged.sample
    notes = diagnosis.notes or ()
    if n_done < asked:
        notes += (
            f"the time budget ended after {n_done} of {asked} replicates of the table (bag); run "
            "again with a larger time budget, the scores are kept",
        )
    if not n_done:
        return replace(diagnosis, notes=notes, replicates=0)
    verdict = diagnosis.verdict
    if diagnosis.converged and verdict is not None:
        head = verdict.partition(":")[0]
        each = count(sample.n_draws // n_done, "draw")
        verdict = f"{head}: {each} of each of {n_done} replicates of the table (bag)."
    return replace(
        diagnosis,
        verdict=verdict,
        notes=notes,
        replicates=n_done,
        draws=sample.n_draws,
        distinct_dags=len(distinct(sample.dags)[0]),
        missing_mass=None,
        **of_borders(bagged),
    )


def with_problem(diagnosis: Diagnosis, problem: str, *, others: bool = True) -> Diagnosis:
    """Not converged for one reason more, which is told first; or alone, where others follow."""
    problems = (problem, *((diagnosis.problems or ()) if others else ()))
    verdict = _not_converged(problems)
    return replace(diagnosis, converged=False, problems=problems, verdict=verdict)


def chains_apart(diagnosis: Diagnosis) -> str:
    """By how much chains differ, as part of a sentence on draws; nothing where it is little."""
    apart = diagnosis.chains_differ_by or 0.0
    if apart <= DISPUTED:
        return ""
    return f", in which edges differ by up to {apart:.2f} from chain to chain"


# Words


def _problems(numbers: dict[str, Any], health: Health, *, refine: bool) -> Iterator[str]:
    """Why an answer is not to be trusted yet, each with its remedy."""
    if not health.good:
        yield _poor_weights(health, len(numbers["rounds"]), refine=refine)
    if numbers["share_unscored"] > 0:
        yield (
            "the time budget ended before all that was drawn could be scored accurately: draws "
            f"with {numbers['share_unscored']:.0%} of the weight have a set scored by Laplace's "
            "approximation alone; run again with a larger time budget (--time-budget, in Python "
            "time_budget), several times as long; the scores are kept"
        )
    if numbers["left_out_change"] > MISSED:
        yield (
            f"{count(numbers['sets_left_out'], 'parent set')} were not scored that may matter: "
            "with them, the probability of an edge could change by some "
            f"{_small(numbers['left_out_change'])}; score all, in a new run: --prune off (in "
            "Python prune='off')"
        )
    if numbers["missing_mass"] is None and numbers["effective_size"] < FEWEST_DRAWS:
        yield (
            f"the effective sample size of the weights is {numbers['effective_size']:.0f}, below "
            f"{FEWEST_DRAWS:.0f}; {_more(numbers, FEWEST_DRAWS / numbers['effective_size'])}"
        )
    if numbers["independent"]:
        return
    r_hat = np.maximum(numbers["max_r_hat"], numbers["r_hat_log_target"])  # nan if either is
    if np.isnan(r_hat):
        few = "there are too few draws of each chain to see whether chains agree"
        yield f"{few}; {_more(numbers, 1)}"
    elif r_hat > R_HAT_LIMIT:
        yield (
            f"the chains do not agree yet: R-hat is {r_hat:.3f}, more than {R_HAT_LIMIT}, and "
            f"the probability of an edge differs by up to {numbers['chains_differ_by']:.2f} from "
            f"chain to chain{_disputes(numbers['disputed_edges'])}; {_more(numbers, 1)}"
        )
    elif numbers["min_effective_draws"] < FEW_DRAWS:
        yield (
            f"the effective sample size of an edge is {numbers['min_effective_draws']:.0f}, below "
            f"{FEW_DRAWS:.0f}; {_more(numbers, FEW_DRAWS / numbers['min_effective_draws'])}"
        )


def _more(numbers: dict[str, Any], factor: float) -> str:
    """How many draws to try, where `factor` times as many would just do; one digit, and zeros."""
    times = min(max(1.5 * factor, MORE_DRAWS), MOST_TIMES)
    asked = max(times * numbers["draws"], LEAST_TRIED)
    digit = 10 ** (len(str(int(asked))) - 1)
    n = int(-(-asked // digit) * digit)
    return f"take more draws, as in --draws {n} (in Python draws={n})"


def _disputes(edges: Sequence[str]) -> str:
    """What they do not agree on, and that they do on all else."""
    if not edges:
        return ""
    return f" (by more than {DISPUTED} only in {listing(edges)}; they agree on all others)"


def _poor_weights(health: Health, n_rounds: int, *, refine: bool) -> str:
    more = MORE_ROUNDS * n_rounds
    remedy = f"allow more rounds, in a new run: --rounds {more} (in Python rounds={more})"
    if not refine:
        remedy = "let the table be refined, in a new run: --refine (in Python refine=True)"
    return (
        f"the importance weights are poor after {count(n_rounds, 'round')}: their effective sample "
        f"size is {health.effective_share:.0%} of the draws, and k-hat is {health.k_hat:.2f} "
        f"(good: at least {GOOD_SHARE:.0%}, at most {GOOD_K}); {remedy}"
    )


def _notes(numbers: dict[str, Any], names: Sequence[str]) -> Iterator[str]:
    """What is restricted or approximate, with its size."""
    if numbers["space_restricted"]:
        yield (
            f"the search space was restricted to at most {numbers['most_candidates']} candidates "
            f"of a variable: {numbers['share_from_outside']:.1%} of the posterior takes a parent "
            "from outside them"
        )
    if numbers["share_at_max_parents"] > NOTABLE:
        at_border = np.array(numbers["nodes_at_max_parents"])
        worst = [names[v] for v in np.argsort(-at_border, kind="stable") if at_border[v] > NOTABLE]
        named = f"{quoted(worst)}; " if worst else ""  # many may have a little each
        yield (
            f"{numbers['share_at_max_parents']:.1%} of the posterior has a variable with as many "
            f"parents as were considered ({named}at most {numbers['max_parents']} of any "
            f"variable); there may be more: --max-parents {numbers['max_parents'] + 2} (in Python "
            f"max_parents={numbers['max_parents'] + 2})"
        )
    if numbers["sets_left_out"] and numbers["left_out_change"] <= MISSED:  # else a problem
        yield (
            f"{count(numbers['sets_left_out'], 'parent set')} were not scored, as smaller ones "
            "predict that they cannot matter: with them, the probability of an edge would change "
            f"by some {_small(numbers['left_out_change'])} at most (--prune off, in Python "
            "prune='off', scores all)"
        )
    if numbers["sets_with_doubtful_score"]:
        yield (
            f"{count(numbers['sets_with_doubtful_score'], 'score')} of "
            f"{numbers['sets_scored_again']} came with a warning (error target missed, or a "
            f"lengthscale at the end of its range); draws with "
            f"{numbers['share_with_doubtful_score']:.1%} of the weight hold one of them"
        )
    if numbers["relations_unfitted"]:
        yield (
            f"the time budget ended before {count(numbers['relations_unfitted'], 'relation')} of a "
            "variable to its parents could be fitted: no curves are shown of these; run again with "
            "a larger time budget"
        )


def _small(change: float) -> str:
    """To one digit."""
    return f"{change:.1g}" if change >= 1e-4 else "0.0001"


def _drawn(numbers: dict[str, Any]) -> str:
    if numbers["independent"]:
        return count(numbers["draws"], "independent draw")
    drawn, n_chains = count(numbers["draws"], "draw"), numbers["chains"]
    return f"{drawn} of {n_chains} chains that agree" if n_chains > 1 else f"{drawn} of one chain"


def _verdict(problems: Sequence[str], numbers: dict[str, Any]) -> str:
    if problems:
        return _not_converged(problems)
    drawn, converged = _drawn(numbers), _converged(numbers)
    if numbers["missing_mass"] is not None:
        return (
            f"{converged}: {drawn} found {count(numbers['distinct_dags'], 'unique DAG')}; the "
            f"missing mass is about {numbers['missing_mass']:.1%} of the posterior."
        )
    size = f"{numbers['effective_size']:,.0f}"
    return f"{converged}: {drawn}, effective sample size {size} after weighting."


def _not_converged(problems: Sequence[str]) -> str:
    return f"Not converged: {'; besides, '.join(problems)}."


def _converged(numbers: dict[str, Any]) -> str:
    """Said plainly only where the scores behind it can be trusted too."""
    share, border = numbers["share_with_doubtful_score"], numbers["share_at_max_parents"]
    converged = "Converged"
    if border > TOO_MUCH:
        most = numbers["max_parents"]
        converged = f"Converged among networks of at most {most} parents of a variable, too few"
    if share <= RESERVED:
        return converged
    return (
        f"{converged} on scores of which some are doubtful ({share:.0%} of the weight; see notes)"
    )

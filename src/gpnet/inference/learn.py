"""`gpnet.learn`: from a table and options in words to the posterior."""

import logging
import os
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import fields, replace
from typing import Any, Final

from gpnet.data.dataset import Dataset
from gpnet.data.load import load_table
from gpnet.inference.first_notes import warnings_of
from gpnet.inference.pipeline import infer
from gpnet.inference.plan import Plan, make_plan
from gpnet.inference.settings import NumberPair, Settings
from gpnet.posterior.posterior import Posterior
from gpnet.posterior.recorded_settings import with_table_name
from gpnet.runtime.cluster import opened_cluster
from gpnet.runtime.context import RunContext, no_progress
from gpnet.runtime.deadline import Deadline
from gpnet.runtime.executors import Workers
from gpnet.runtime.progress import Progress, Stages
from gpnet.runtime.store import Store

LOGGER: Final = logging.getLogger("gpnet")
READING: Final = (
    "transform",
    "delimiter",
    "drop",
    "keep",
    "interventions",
    "exogenous",
    "condition",
    "model_discrete",
    "missing",
)  # options of `load_table`


def learn(
    source: Any,
    *,
    transform: str | Mapping[str, str] = "auto",
    delimiter: str | None = None,
    drop: Sequence[str] = (),
    keep: Sequence[str] = (),
    interventions: Any = None,
    exogenous: Sequence[str] = (),
    condition: str | None = None,
    model_discrete: Sequence[str] = (),
    missing: str = "refuse",
    score: str = "adaptive",
    noise: str = "auto",
    kernel: str = "additive",
    evidence: str = "qmc",
    prior: str = "edges:3.8",
    sampler: str = "auto",
    space: str = "auto",
    max_parents: int | None = None,
    prune: str | float = 10.0,
    max_candidates: int = 10,
    draws: int = 10_000,
    chains: int = 4,
    thin: int | None = None,
    refine: bool = True,
    rounds: int = 5,
    bag: str | int = 100,
    doubt: str | float = "auto",
    imputations: int = 5,
    seed: int = 0,
    require: Sequence[str | tuple[str, str]] = (),
    forbid: Sequence[str | tuple[str, str]] = (),
    tiers: str | Sequence[Sequence[str]] = (),
    roots: Sequence[str] = (),
    exogenous_prior: bool = False,
    lengthscale_prior: NumberPair = (2.0, 2.0),
    noise_prior: NumberPair = (1.0, 1.0),
    amplitude_prior: NumberPair = (1.0, 1.0),
    mean_prior: NumberPair = (0.0, 1.0),
    linear_weight: float = 0.6,
    slope_variance: float = 1.0,
    weak_weight: float = 0.0,
    am: float = 1.0,
    aw: float | None = None,
    prior_mean: float = 0.0,
    workers: int | None = None,
    cluster: Any = None,
    store: str | os.PathLike[str] | None = None,
    time_budget: float | None = None,
    progress: bool | Callable[[str], Progress] | None = None,
    curves: bool = True,
) -> Posterior:
    """Learn which variables drive which: the posterior over DAGs of the variables in a table.

    Same data, same settings, same numbers, whoever the workers are.

    Parameters
    ----------
    source : path, frame, array or Dataset
        A .csv, .tsv, .parquet or .xlsx file, a pandas or polars frame, a NumPy array (N, n), or
        what `load_table` made of one.
    transform : str or mapping, default "auto"
        Of every column before it is standardised: "none", "log", "log2" or "rank-normal"; "auto"
        takes those columns by ranks whose log marginal likelihoods ask for it. Of some columns,
        the others as by default: "log2:A,B" or {"A": "log2", "B": "log2"}.
    delimiter : str, optional
        Of a file of text, if neither comma nor tab.
    drop, keep : sequence of str, optional
        Columns to leave out; or those to take, and no others.
    interventions : str, path, frame or array, optional
        Which variables an experimenter set in which rows: the name of a column whose cells name
        them (as in "A" or "A;B", empty for none), or a table of 0 and 1 with the same rows. Rows in
        which a variable was set say nothing of what drives it, and count for all others.
    exogenous : sequence of str, optional
        Columns that nothing in the table drives and that are not modelled, such as batch, sex or
        dose, of numbers or texts; they may drive all others. Texts, and columns of fewer than five
        values, are so anyway.
    condition : str, optional
        One more exogenous column, whose values are levels even if they are numbers.
    model_discrete : sequence of str, optional
        Columns of fewer than five values that are modelled as measurements all the same.
    missing : str, default "refuse"
        Cells without a value: "refuse" them, leave out the "rows" that have any, or "impute": draw
        them from the networks that are learnt, several times over.
    score : str, default "adaptive"
        The local score: "adaptive", "gp", "gp2", "linear", "parentwise" or "bge".
    noise : str, default "auto"
        "flexible" (of any smooth shape, and of a size that may vary with the parents) or
        "gaussian", the paper's; "auto" is flexible for "adaptive" and "parentwise" and
        gaussian for all others.
    kernel : str, default "additive"
        For "gp" and "adaptive": how parents combine.
    evidence : str, default "qmc"
        How the log marginal likelihoods of the drawn DAGs are computed in the end: "qmc",
        "laplace" or "bridge".
    prior : str, default "edges:3.8"
        The structure prior: "edges:3.8" (an edge has prior odds of 1 : exp(3.8)), "uniform",
        "fair" or "learned".
    sampler : str, default "auto"
        "auto", "exact", "partition", "order" or "structure".
    space : str, default "auto"
        The parent sets to consider: "auto", "full", "dual-pc", "screening" or "iterative".
    max_parents : int, optional
        Parents of a node at most; unless given 4, or more where the posterior leans on these.
    max_candidates : int, default 10
        Candidate parents of a node at most, where the space is searched for.
    prune : float or str, default 10.0
        Parent sets that smaller ones predict to be so many nats worse than one of their subsets
        are not scored; "off" scores all.
    draws : int, default 10000
        DAGs to draw in all.
    chains : int, default 4
        Their number, for a sampler by Markov chains.
    thin : int, optional
        Steps of a chain between two draws; chosen by the sampler unless given.
    refine : bool, default True
        Whether to draw again where importance weights are poor.
    rounds : int, default 5
        How often to draw at most.
    bag : str or int, default 100
        Bootstrap replicates of the table that the posterior is averaged over, or "off": the
        posterior of the table as it is, as it always is where the prior is "learned".
    doubt : str or float, default "auto"
        The probability that the data say nothing of the direction of an edge: "auto" (fitted to
        real tables of known order), "off", or a number.
    imputations : int, default 5
        Completed tables that are learnt from, where missing cells are imputed.
    seed : int, default 0
        Same seed, same numbers.
    require, forbid : sequence of str or pair, optional
        Edges that must, or must not be there: "A -> B" or ("A", "B").
    tiers : str or sequence of sequences of str, optional
        Names by tiers, as in "A,B < C" or [["A", "B"], ["C"]]; no edge leads into an earlier tier.
        "*" stands for all that are not named.
    roots : sequence of str, optional
        Variables that are modelled and that no edge leads into, such as age.
    exogenous_prior : bool, default False
        Whether the structure prior counts edges from exogenous columns.
    lengthscale_prior : pair of float, default (2.0, 2.0)
        Inverse gamma: shape and scale.
    noise_prior, amplitude_prior : pair of float, default (1.0, 1.0)
        Inverse gamma: shape and scale, of the standard deviation of the noise and of an amplitude.
    mean_prior : pair of float, default (0.0, 1.0)
        Normal: mean and standard deviation.
    linear_weight : float, default 0.6
        Prior probability of a straight line.
    slope_variance : float, default 1.0
        Of straight lines: prior variance of a slope.
    weak_weight : float, default 0.0
        For "adaptive": prior probability that what parents do is small against the noise. 0.5 where
        effects may be too weak to be seen; low probabilities of edges then rise.
    am : float, default 1.0
        For "bge": weight of the prior mean.
    aw : float, optional
        For "bge": degrees of freedom of the Wishart prior, n + am + 1 unless given.
    prior_mean : float, default 0.0
        For "bge": of every variable.
    workers : int, optional
        Threads; one for each available core unless given.
    cluster : str or dask.distributed.Client, optional
        Who scores and fits instead: the address of a dask scheduler, "local:4" for so many
        processes of this machine, or a client. Needs `gpnet[cluster]`.
    store : path, optional
        A file for scores, in which a run that was broken off finds them again.
    time_budget : float, optional
        Seconds after which nothing more is begun; what was left out is said in the diagnosis.
    progress : bool or callable, optional
        Whether to show bars, or lines where there is no terminal; unless given, on a terminal and
        in a notebook. Or what is called with the name of each stage, and returns a function of
        (done, total, seconds left).
    curves : bool, default True
        Whether to fit the relations behind the probable edges.

    Returns
    -------
    Posterior
        Weighted DAGs; `edge_probabilities()` and `probability("A -> B")` ask it.

    Raises
    ------
    DataError
        Where the table cannot be used; the message names the columns and the remedy.
    OptionError
        Where an option is not one that gpnet offers.

    Examples
    --------
    >>> import gpnet
    >>> table = gpnet.simulate(nodes=4, rows=60, seed=1)
    >>> posterior = gpnet.learn(table.frame(), score="bge", draws=500)
    >>> posterior.edge_probabilities().shape
    (4, 4)
    """
    given = locals()  # a test holds the names and defaults above to those of `Settings`
    deadline = Deadline.after(time_budget)
    data, plan = _planned(source, given)
    with _at_hand(workers, cluster, store, deadline) as context, _shown(progress) as stages:
        posterior = infer(data, plan, replace(context, progress=stages), curves=curves)
    LOGGER.info(posterior.diagnosis.verdict)
    return replace(posterior, settings=with_table_name(posterior.settings, source))


def _planned(source: Any, given: Mapping[str, Any]) -> tuple[Dataset, Plan]:
    """The table and what to do; what is odd about it is told by the logger, and with the result."""
    settings = Settings(**{field.name: given[field.name] for field in fields(Settings)})
    data = load_table(source, **{name: given[name] for name in READING})
    plan = make_plan(settings, data)
    for warning in warnings_of(data, plan):
        LOGGER.warning(warning.sentence)
    return data, plan


def _shown(
    asked: bool | Callable[[str], Progress] | None,
) -> AbstractContextManager[Callable[[str], Progress]]:
    """What tells the progress of stages."""
    if callable(asked):
        return nullcontext(asked)
    if asked is None:
        asked = sys.stderr.isatty() or _in_a_notebook()
    return Stages() if asked else nullcontext(no_progress)


def _in_a_notebook() -> bool:
    """Whether a kernel runs this, and not merely has IPython at hand."""
    ipython = sys.modules.get("IPython")
    return ipython is not None and hasattr(ipython.get_ipython(), "kernel")


@contextmanager
def _at_hand(
    workers: int | None,
    cluster: Any,
    store: str | os.PathLike[str] | None,
    deadline: Deadline,
) -> Iterator[RunContext]:
    """Threads, time, and the user's cluster and store, if there are any."""
    with (
        Workers.threads(workers) as executor,
        opened_cluster(cluster) as remote,
        _opened(store) as scores,
    ):
        yield RunContext(executor, deadline, store=scores, cluster=remote)


@contextmanager
def _opened(path: str | os.PathLike[str] | None) -> Iterator[Store | None]:
    """The user's store, if there is one."""
    if path is None:
        yield None
        return
    with Store(path) as store:
        yield store

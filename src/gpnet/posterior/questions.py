"""Questions to people: whose answers would settle most of what draws leave open.

A pair of variables is in one of three states: a -> b, b -> a, or not adjacent. A question has two
answers, of which a draw shows one or neither:

    can 'b' drive 'a'?                    no: a -> b     yes: b -> a     neither: not adjacent
    can anything drive 'a'?               no: no parents     yes: any parent

Draws that show neither are divided in proportion q of those that show one, as what they leave out
is the same either way. The answer then has a joint distribution with the DAG, and the gain

    sum over pairs of  H(state) - q H(state given one answer) - (1 - q) H(state given the other)

is the mutual information of answer and state, in bits, summed over all pairs: what the entropy of
the pairs' states is expected to lose. It is never negative; a draw of few gives a little too much,
of all pairs alike.
"""

import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.special import xlogy

from gpnet.common.messages import joined_names, quote
from gpnet.common.types import Floats
from gpnet.posterior.features.text import written
from gpnet.posterior.probabilities import Probabilities

MAX_TOLD: Final = 10
MIN_GAIN: Final = 0.05  # bits; less is not worth anyone's time
MAX_PAIRS: Final = 1000  # the most uncertain ones: those beyond have next to no entropy
MAX_ASKED: Final = 50  # of these pairs, those whose gain is worked out
CELLS: Final = 4_000_000  # of draws by pairs, at a time


@dataclass(frozen=True, eq=False)
class Question:
    """What may be asked, which draws show which answer, and how to say the answer no."""

    text: str
    no: NDArray[np.bool_]  # (M,)
    yes: NDArray[np.bool_]
    option: str


class Questions(Probabilities):
    """What to ask people who know the subject."""

    def questions(self) -> pd.DataFrame:
        """Those whose answers would settle most of what the draws leave open.

        Returns
        -------
        DataFrame
            At most ten rows, the most telling first, with the columns question; gain, the bits by
            which the summed entropy of the states of all pairs (one arrow, the other, none) is
            expected to fall once the answer is known; and option, what to give to `gpnet learn`
            where the answer is no: `--forbid 'b -> a'`, in Python `forbid=["b -> a"]`. An option
            repeats what the run was told before, as it replaces that. No row where no direction is
            open.

        Examples
        --------
        >>> import gpnet
        >>> table = gpnet.simulate(nodes=4, rows=200, edge_probability=0.6, seed=2)
        >>> posterior = gpnet.learn(table.frame(), score="bge", draws=500, bag="off")
        >>> posterior.questions().iloc[0]["question"]
        "Can 'V4' drive 'V3'?"
        """
        asked = list(_asked(self))
        gain = _gains(self, asked)
        order = [k for k in np.argsort(-gain, kind="stable") if gain[k] >= MIN_GAIN][:MAX_TOLD]
        return pd.DataFrame(
            {
                "question": pd.Series([asked[k].text for k in order], dtype=object),
                "gain": gain[order],
                "option": pd.Series([asked[k].option for k in order], dtype=object),
            }
        )


# What may be asked


def _asked(posterior: Probabilities) -> Iterator[Question]:
    """One of each column that looks as if nothing drives it, one of each other open pair."""
    p, dags = posterior._edges[0], posterior.dags
    unsaid = _unsaid(posterior)
    for name, option in unsaid.items():
        has_parents = np.asarray(dags[:, :, posterior.names.index(name)].any(axis=1))
        text = f"Can anything in the table drive {quote(name)}?"
        yield Question(text, np.asarray(~has_parents), has_parents, option)
    others = ~np.isin(posterior.names, list(unsaid))
    may_ask = others[:, None] & others[None, :] & (p > 0) & (p.T > 0)
    if posterior.identified is not None:
        may_ask &= ~posterior.identified
    for a, b in _most_uncertain(np.where(may_ask, p, 0.0))[:MAX_ASKED]:
        parent, child = (a, b) if p[a, b] >= p[b, a] else (b, a)
        yield _of_direction(posterior, parent, child)


def _of_direction(posterior: Probabilities, parent: int, child: int) -> Question:
    """Of the likelier direction: to rule it out, or to leave it, is for people to say."""
    names, dags = posterior.names, posterior.dags
    ruled_out = f"{written(names[parent])} -> {written(names[child])}"
    return Question(
        f"Can {quote(names[parent])} drive {quote(names[child])}?",
        dags[:, child, parent],
        dags[:, parent, child],
        _option("forbid", [*_said(posterior, "forbid"), ruled_out]),
    )


def _unsaid(posterior: Probabilities) -> dict[str, str]:
    """Columns that nothing seems to drive, though nobody said so, with the option that says it."""
    assumed = posterior.settings.get("data", {}).get("assumed", [])
    innate = posterior.diagnosis.undriven or ()
    found: dict[str, str] = {}
    for option, names in (("exogenous", assumed), ("roots", innate)):
        said = _said(posterior, option)
        for name in filter(posterior.names.__contains__, names):
            found[name] = _option(option, [joined_names([*said, name])])
    return found


def _said(posterior: Probabilities, option: str) -> list[str]:
    """What the run was told: an option given again replaces it."""
    if option != "exogenous":
        return list(posterior.settings.get("options", {}).get(option, []))
    data: dict[str, Any] = posterior.settings.get("data", {})
    return [name for name in data.get("exogenous", []) if name not in data.get("assumed", [])]


def _option(name: str, values: list[str]) -> str:
    return " ".join(f"--{name} {shlex.quote(value)}" for value in values)


# What an answer settles


def _gains(posterior: Probabilities, asked: list[Question]) -> Floats:
    """(K,): bits, of each question."""
    first, second = _most_uncertain(posterior._edges[0])[:MAX_PAIRS].T
    if not asked or not len(first):
        return np.zeros(len(asked))
    no = np.stack([one.no for one in asked], axis=1)
    yes = np.stack([one.yes for one in asked], axis=1)
    with_no, with_yes, together = _joint(posterior, no, yes, first, second)
    weights = posterior.weights
    p_no, p_yes = weights @ no, weights @ yes
    told = p_no + p_yes
    q = np.divide(p_no, told, out=np.zeros(len(asked)), where=told > 0)
    silent = together - with_no - with_yes
    lost = _entropy(together) - _after(with_no, silent, q) - _after(with_yes, silent, 1 - q)
    return np.where((q > 0) & (q < 1), lost, 0.0)


def _after(joint: Floats, silent: Floats, q: Floats) -> Floats:
    """(K,): the entropy that is left after an answer, times the answer's probability q."""
    share = q[:, None, None]
    given = np.divide(joint, share, out=np.zeros_like(joint), where=share > 0) + silent
    return q * _entropy(given)


def _joint(
    posterior: Probabilities,
    no: NDArray[np.bool_],
    yes: NDArray[np.bool_],
    first: NDArray[np.intp],
    second: NDArray[np.intp],
) -> tuple[Floats, Floats, Floats]:
    """(K, P, 2) twice, and (P, 2): probabilities of both arrows, with an answer and in all."""
    dags, weights = posterior.dags, posterior.weights
    shape = (len(first), 2)
    with_no, with_yes = np.zeros((2, no.shape[1], *shape))
    together = np.zeros(shape)
    step = max(1, CELLS // len(first))
    for start in range(0, len(dags), step):
        some = slice(start, start + step)
        arrows = np.stack([dags[some, first, second], dags[some, second, first]], axis=-1)
        flat = arrows.reshape(len(arrows), -1).astype(np.float64)
        together += (weights[some] @ flat).reshape(shape)
        for found, shown in ((with_no, no), (with_yes, yes)):
            found += ((weights[some, None] * shown[some]).T @ flat).reshape(found.shape)
    return with_no, with_yes, together


def _entropy(arrows: Floats) -> Floats:
    """Of (..., P, 2), in bits, summed over the pairs; the third state is no arrow."""
    arrows = np.clip(arrows, 0, 1)
    neither = np.clip(1 - arrows.sum(axis=-1), 0, 1)
    states = xlogy(arrows, arrows).sum(axis=-1) + xlogy(neither, neither)
    return np.asarray(-states.sum(axis=-1) / np.log(2))


def _most_uncertain(p: Floats) -> NDArray[np.intp]:
    """(P, 2): pairs that are ever adjacent, that of the largest entropy first."""
    a, b = np.nonzero(np.triu(p + p.T, 1) > 0)
    entropy = _entropy(np.stack([p[a, b], p[b, a]], axis=-1)[:, None, :])
    return np.stack([a, b], axis=1)[np.argsort(-entropy, kind="stable")]

"""The draws as the page carries them, so that it can answer questions by itself; small.

A DAG is one number a node: which of the node's parent sets it has. Each distinct DAG is kept
once, with its weight; where they would be too many, the lightest are left out and their mass is
told. With them goes what error bars need (see `estimates`): of independent draws the sum of
squares of each DAG's weights, of chains the draws in their order.
"""

from base64 import b64encode
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from gpnet.graphs.distinct import distinct
from gpnet.posterior.posterior import Posterior
from gpnet.stats.convergence import draws_by_chain

MOST_BYTES: Final = 1_200_000  # of DAGs, before they become text
MOST_IN_ORDER: Final = 60_000  # draws of chains kept in their order
DIGITS: Final = 5  # of what is shown with two


def packed(posterior: Posterior) -> dict[str, Any]:
    """Parent sets by node, and DAGs made of them, the heaviest first."""
    sets, codes = _sets(posterior)
    _, place = distinct(posterior.dags)
    weights = np.bincount(place, weights=posterior.weights)
    heaviest = np.argsort(-weights, kind="stable")
    wide = max(map(len, sets)) > 256
    kept = heaviest[: max(1, MOST_BYTES // (posterior.n_variables * (2 if wide else 1)))]
    first = np.unique(place, return_index=True)[1][kept]
    cut = len(kept) < len(heaviest)
    rank = np.empty_like(heaviest)
    rank[heaviest] = np.arange(len(heaviest))
    return {
        "sets": sets,
        "wide": wide,
        "codes": as_text(codes[:, first], "<u2" if wide else "<u1"),
        "weights": as_text(weights[kept], "<f8"),
        "n_distinct": len(heaviest),
        "left_out": float(weights[heaviest[len(kept) :]].sum()),
        "n_effective": posterior.expect(lambda _: True).n_effective,  # of what never varies
        "missing_mass": posterior.missing_mass,
        "errors": None if cut else _for_errors(posterior, rank[place]),
    }


def _sets(posterior: Posterior) -> tuple[list[list[Any]], NDArray[np.intp]]:
    """Of each node its sets; (n, M): which of them each draw has.

    Of a set: parents, probability, error of log evidence, line, and the probability if the model
    holds, where that is another.
    """
    scores, found = posterior.local_scores, []
    places = scores.places(posterior.dags)
    codes = np.empty_like(places)
    plain, doubted = posterior.without_doubt().weights, posterior.plain_log_weights is not None
    for node, rows in enumerate(places):
        share = np.bincount(rows, weights=posterior.weights, minlength=len(scores.node))
        held = np.bincount(rows[: len(plain)], weights=plain, minlength=len(scores.node))
        seen = np.unique(rows)
        seen = seen[np.argsort(-share[seen], kind="stable")]
        number = np.empty(len(scores.node), dtype=np.intp)
        number[seen] = np.arange(len(seen))
        codes[node] = number[rows]
        found.append(
            [
                [
                    np.flatnonzero(scores.parents[row]).tolist(),
                    _short(share[row]),
                    float(scores.std_error[row]),
                    _short(scores.linear[row]),
                    *([_short(held[row])] if doubted else []),
                ]
                for row in seen
            ]
        )
    return found, codes


def _for_errors(posterior: Posterior, dag_of_draw: NDArray[np.intp]) -> dict[str, Any] | None:
    """Empty where only what was never drawn is missing; None where the page cannot tell errors."""
    tables = posterior.diagnosis.imputations or posterior.diagnosis.replicates
    if tables or not posterior.local_scores.errors_known:
        return None  # of several tables the page would miss most of what differs between them
    if posterior.plain_log_weights is not None:
        return None  # versions of one draw are no draws of their own, which the page cannot tell
    if posterior.missing_mass is not None:
        return {}
    if posterior.independent:
        squares = np.bincount(dag_of_draw, weights=posterior.weights**2)
        return {"squares": as_text(squares, "<f8")}
    by_chain = draws_by_chain(posterior.chain)
    if posterior.n_draws > MOST_IN_ORDER:
        return None
    rest = np.setdiff1d(np.arange(posterior.n_draws), by_chain)
    order = np.concatenate([by_chain.reshape(-1), rest])
    return {
        "chains": list(by_chain.shape),
        "dag": as_text(dag_of_draw[order], "<u4"),
        "draw_weights": as_text(posterior.weights[order], "<f8"),
    }


def _short(number: float) -> float:
    return float(f"{number:.{DIGITS}g}")


def as_text(numbers: NDArray[Any], kind: str) -> str:
    """Base64 of the bytes, little-endian."""
    return b64encode(np.ascontiguousarray(numbers.astype(kind)).tobytes()).decode()

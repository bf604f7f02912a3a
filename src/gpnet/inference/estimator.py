"""`gpnet.GPNetwork`: learning as scikit-learn has it, with or without scikit-learn."""

from collections.abc import Mapping
from inspect import signature
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from gpnet.common.errors import OptionError
from gpnet.common.messages import quote, suggestion
from gpnet.inference.learn import learn
from gpnet.posterior.posterior import Posterior

if TYPE_CHECKING:
    _Base = object
else:
    try:
        from sklearn.base import BaseEstimator as _Base
    except ImportError:  # it is not needed, and what follows does the same
        _Base = object


class GPNetwork(_Base):
    """An estimator: `fit` learns the posterior over DAGs of the columns of X.

    Parameters
    ----------
    score, prior, transform, missing, max_parents, draws, doubt, workers, time_budget
        As of `gpnet.learn`.
    random_state : int
        The seed.
    options : mapping, optional
        Any other option of `gpnet.learn`, by name.

    Examples
    --------
    >>> import gpnet
    >>> table = gpnet.simulate(nodes=4, rows=200, edge_probability=0.6, seed=2)
    >>> network = gpnet.GPNetwork(score="bge", draws=500).fit(table.frame())
    >>> network.edge_probabilities_.shape
    (4, 4)
    """

    def __init__(
        self,
        *,
        score: str = "adaptive",
        prior: str = "edges:3.8",
        transform: str | Mapping[str, str] = "auto",
        missing: str = "refuse",
        max_parents: int | None = None,
        draws: int = 10_000,
        doubt: str | float = "auto",
        random_state: int = 0,
        workers: int | None = None,
        time_budget: float | None = None,
        options: dict[str, Any] | None = None,
    ) -> None:
        self.score = score
        self.prior = prior
        self.transform = transform
        self.missing = missing
        self.max_parents = max_parents
        self.draws = draws
        self.doubt = doubt
        self.random_state = random_state
        self.workers = workers
        self.time_budget = time_budget
        self.options = options

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """The parameters.

        Parameters
        ----------
        deep : bool
            There is nothing within them: it changes nothing.

        Returns
        -------
        dict
            By name.

        Examples
        --------
        >>> import gpnet
        >>> gpnet.GPNetwork(draws=500).get_params()["draws"]
        500
        """
        return {name: getattr(self, name) for name in _PARAMETERS}

    def set_params(self, **params: Any) -> Self:
        """Change parameters.

        Parameters
        ----------
        params
            By name.

        Returns
        -------
        GPNetwork
            Itself.

        Examples
        --------
        >>> import gpnet
        >>> gpnet.GPNetwork().set_params(draws=500).draws
        500
        """
        for name, value in params.items():
            if name not in _PARAMETERS:
                raise OptionError(
                    f"no parameter is called {quote(name)}; {suggestion(name, _PARAMETERS)}"
                )
            setattr(self, name, value)
        return self

    def fit(self, X: Any, y: Any = None) -> Self:
        """Learn from a table.

        Parameters
        ----------
        X : frame or array, shape (rows, n)
            Continuous measurements, a column for each variable.
        y : ignored
            Networks have no target.

        Returns
        -------
        GPNetwork
            Itself, with `posterior_`, `edge_probabilities_` (an array, [parent, child]),
            `feature_names_in_` and `n_features_in_`.

        Examples
        --------
        >>> import gpnet
        >>> table = gpnet.simulate(nodes=3, rows=60, seed=1)
        >>> gpnet.GPNetwork(score="bge", draws=500).fit(table.frame()).n_features_in_
        3
        """
        asked = self.get_params()
        options = asked.pop("options") or {}
        seed = asked.pop("random_state")
        self.posterior_: Posterior = learn(X, **asked, seed=seed, **options)
        self.edge_probabilities_ = self.posterior_.edge_probabilities().to_numpy()
        self.feature_names_in_ = np.array(self.posterior_.names, dtype=object)
        self.n_features_in_ = len(self.posterior_.names)
        return self


_PARAMETERS = tuple(signature(GPNetwork.__init__).parameters)[1:]

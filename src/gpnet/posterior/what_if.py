"""Effects, counterfactuals, predictions and new rows as methods of a posterior.

Imports a room above its own, but only when asked: effects need all that learning needs.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, cast

import pandas as pd

from gpnet.data.load import load_table
from gpnet.posterior.learnt_tables import tables_of

if TYPE_CHECKING:
    from gpnet.effects.advice import Advice
    from gpnet.effects.effect import Effect
    from gpnet.effects.matrix import EffectMatrix
    from gpnet.effects.prediction import Prediction
    from gpnet.posterior.features import Feature
    from gpnet.posterior.posterior import Posterior


class WhatIf:
    """What a posterior says of variables that are set, and of rows that are new."""

    def effect(
        self,
        cause: "str | Sequence[str] | Mapping[str, Sequence[Any]]",
        on: str,
        *,
        do: Sequence[Any] | None = None,
        direct: bool = False,
        draws: int = 500,
        seed: int = 0,
    ) -> "Effect":
        """What happens to a variable when another is set, counting all that is uncertain.

        Over DAGs as the posterior weighs them, doubt about directions included, over functions of
        each node, and over rows as a sample of a population.

        Parameters
        ----------
        cause : str, sequence of str or mapping of str to pair
            The variable that is set; or several, set at once, perhaps with the values that each
            goes from and to.
        on : str
            The variable that is looked at.
        do : pair, optional
            Two values of one cause, within its observed range, or two of its levels; its lower and
            upper quartile unless given.
        direct : bool
            Whether all other parents of the target are held where they are.
        draws : int
            Of functions; DAGs are half as many.
        seed : int
            Same seed, same numbers.

        Returns
        -------
        Effect
            With `probability` that there is any effect, `contrast`, `derivative`, `frame()` for
            the curve E[on | do(cause)], `plot()` and `sentence()`; in the units of the table.

        Examples
        --------
        >>> import gpnet
        >>> table = gpnet.simulate(nodes=3, rows=100, edge_probability=1, seed=2)
        >>> posterior = gpnet.learn(table.frame(), score="bge", draws=500)
        >>> effect = posterior.effect("V3", "V2", draws=200)
        >>> effect.contrast.low < effect.contrast.mean < effect.contrast.high
        True
        >>> effect.frame().columns[:4].tolist()
        ['value', 'mean', 'low', 'high']
        """
        from gpnet.effects.measure import measure_effect

        asked = {"do": do, "direct": direct, "draws": draws, "seed": seed}
        return measure_effect(self._itself, cause, on, **asked)  # type: ignore[arg-type]

    def effects(self, *, draws: int = 200, seed: int = 0, curves: bool = False) -> "EffectMatrix":
        """The effects of all variables on all others.

        Parameters
        ----------
        draws : int
            Of functions; DAGs are half as many.
        seed : int
            Same seed, same numbers.
        curves : bool
            Whether to measure E[target | do(cause)] of every effect that is not negligible too.

        Returns
        -------
        EffectMatrix
            With `matrix()`, `frame()`, `sentence()` and `curve()`; each cause goes from its lower
            to its upper quartile.

        Examples
        --------
        >>> import gpnet
        >>> table = gpnet.simulate(nodes=3, rows=100, edge_probability=1, seed=2)
        >>> posterior = gpnet.learn(table.frame(), score="bge", draws=500)
        >>> posterior.effects().matrix("probability").shape
        (3, 3)
        """
        from gpnet.effects.all_pairs import measure_all

        return measure_all(self._itself, draws=draws, seed=seed, curves=curves)

    def counterfactual(
        self, rows: Any, do: Mapping[str, Any], *, draws: int = 200, seed: int = 0
    ) -> pd.DataFrame:
        """Given rows as they would have been, had some variables been set.

        Parameters
        ----------
        rows : path, frame or array
            With a value of each variable in each row.
        do : mapping of str to float or str
            What is set to which value.
        draws : int
            Of functions; DAGs are half as many.
        seed : int
            Same seed, same numbers.

        Returns
        -------
        DataFrame
            A line for each row, counted from 1, and variable: its actual value, and mean, 90% band
            and error of the computed mean of what it would have been.

        Examples
        --------
        >>> import gpnet
        >>> table = gpnet.simulate(nodes=3, rows=100, edge_probability=1, seed=2)
        >>> posterior = gpnet.learn(table.frame(), score="bge", draws=500)
        >>> found = posterior.counterfactual(table.frame().head(2), do={"V3": 0.0})
        >>> found.query("variable == 'V3'")["mean"].round(6).tolist()
        [0.0, 0.0]
        """
        from gpnet.effects.counterfactuals import counterfactual

        return counterfactual(self._itself, rows, do, draws=draws, seed=seed)

    def predict(self, rows: Any, target: str, *, draws: int = 200, seed: int = 0) -> "Prediction":
        """A variable in new rows, given its parents there, averaged over parent sets.

        Parameters
        ----------
        rows : path, frame or array
            With a value of each variable that may be a parent; where they have one of the target,
            its log density is told too.
        target : str
            The variable.
        draws : int
            Of functions.
        seed : int
            Same seed, same numbers.

        Returns
        -------
        Prediction
            With `mean`, `low`, `high`, `log_density` and `frame()`; in the units of the table.

        Examples
        --------
        >>> import gpnet
        >>> table = gpnet.simulate(nodes=3, rows=100, edge_probability=1, seed=2)
        >>> posterior = gpnet.learn(table.frame(), score="bge", draws=500)
        >>> posterior.predict(table.frame().head(3), "V2").frame().shape
        (3, 5)
        """
        from gpnet.effects.prediction import predict

        return predict(self._itself, rows, target, draws=draws, seed=seed)

    def log_predictive(self, rows: Any, *, draws: int = 200, seed: int = 0) -> "pd.Series[float]":
        """The log predictive density of new rows as a whole, exogenous columns given.

        Parameters
        ----------
        rows : path, frame or array
            With a value of each variable in each row.
        draws : int
            Of functions; DAGs are half as many.
        seed : int
            Same seed, same numbers.

        Returns
        -------
        Series
            Of each row, in the units of the table; a higher sum is a better prediction.

        Examples
        --------
        >>> import gpnet
        >>> table = gpnet.simulate(nodes=3, rows=100, edge_probability=1, seed=2).frame()
        >>> posterior = gpnet.learn(table[:80], score="bge", draws=500)
        >>> len(posterior.log_predictive(table[80:]))
        20
        """
        from gpnet.effects.prediction import log_predictive

        return log_predictive(self._itself, rows, draws=draws, seed=seed)

    def simulate(
        self, n: int, do: Mapping[str, Any] | None = None, *, draws: int = 200, seed: int = 0
    ) -> pd.DataFrame:
        """New rows from the networks that were learnt.

        Parameters
        ----------
        n : int
            How many.
        do : mapping of str to float or str, optional
            What is set to which value in all of them.
        draws : int
            Of functions; DAGs are half as many.
        seed : int
            Same seed, same numbers.

        Returns
        -------
        DataFrame
            With the columns and units of the table.

        Examples
        --------
        >>> import gpnet
        >>> table = gpnet.simulate(nodes=3, rows=100, edge_probability=1, seed=2)
        >>> posterior = gpnet.learn(table.frame(), score="bge", draws=500)
        >>> posterior.simulate(10, do={"V3": 0.0}).shape
        (10, 3)
        """
        from gpnet.effects.counterfactuals import simulate

        return simulate(self._itself, n, do, draws=draws, seed=seed)

    def advise(
        self,
        about: "str | Feature | None" = None,
        *,
        rows: int = 100,
        dags: int = 60,
        seed: int = 0,
    ) -> "Advice":
        """Which variable to set next, to learn most about a question.

        What an experiment tells is reckoned within the model, by rows that drawn networks would
        yield: functions and noise are taken as they are known now, and values that are set are
        those that were observed, in any order.

        Parameters
        ----------
        about : str or Feature, optional
            What is asked, such as "A -> B" or "A ~> B"; the whole network unless given.
        rows : int
            Of the experiment.
        dags : int
            Drawn from the posterior, and told apart by the experiment.
        seed : int
            Same seed, same numbers.

        Returns
        -------
        Advice
            With `frame()`: expected gains in bits, the most telling variable first.

        Examples
        --------
        >>> import gpnet
        >>> table = gpnet.simulate(nodes=3, rows=100, edge_probability=1, seed=2)
        >>> posterior = gpnet.learn(table.frame(), score="bge", draws=500)
        >>> posterior.advise("V1 -> V2", dags=20).frame().columns.tolist()
        ['variable', 'gain', 'error', 'share']
        """
        from gpnet.effects.advice import advise

        return advise(self._itself, about, rows=rows, dags=dags, seed=seed)

    def with_data(self, source: Any, **reading: Any) -> "Posterior":
        """The same posterior with the table that it was learnt from, where that was not kept.

        Parameters
        ----------
        source : path, frame, array or Dataset
            The table.
        reading : options
            Those of `load_table` that it was learnt with; the transform is known.

        Returns
        -------
        Posterior
            Ready for `effect`, `predict` and all that needs the table.

        Raises
        ------
        DataError
            Where it is another table, or was read with other options.

        Examples
        --------
        >>> import gpnet
        >>> table = gpnet.simulate(nodes=3, rows=100, edge_probability=1, seed=2)
        >>> posterior = gpnet.learn(table.frame(), score="bge", draws=500)
        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     read = gpnet.load(posterior.save(folder))
        >>> read.with_data(table.frame()).effects().n_rows
        100
        """
        settings = self._itself.settings
        transform = settings.get("data", {}).get("transform", "auto")
        data = load_table(source, **{"transform": transform, **reading})
        return replace(self._itself, tables=tables_of(data, settings))

    @property
    def _itself(self) -> "Posterior":
        return cast("Posterior", self)

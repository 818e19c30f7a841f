"""Makes tests that tell suspects apart: Pynguin's whole-suite search under a metric of fdc.

    python -m fdc.pynguin GUIDE.json

`fdc.generation.guide.Guide` lists the keys of the guide; `fdc generate pynguin` writes one. The
failing test of the case is the start of the suite. Written are a file of pytest tests, the rows of
the tests over the elements of the case, and report lines.

Only the module under test is watched during the search; what a test covers elsewhere is seen when
the tests are collected.

THE CODE UNDER TEST IS RUN, with arguments that a search made up: files may be written or deleted.
Use a copy of the project, or a container, if the module touches more than its arguments.

Needs Pynguin 0.48 (pip install 'pynguin==0.48.*'). Exit codes: 0 done, 2 a wrong guide, 3 unreadable
files, 4 no fitting Pynguin, or it failed.
"""

from __future__ import annotations

import importlib
import importlib.metadata
import logging
import os
import sys
from pathlib import Path
from typing import Optional

from fdc import Spectrum
from fdc.errors import FdcError, FileError
from fdc.generation import guide as guides
from fdc.generation.lines import Lines
from fdc.generation.report import Progress

WANTED = "0.48"
OLDEST_PYTHON = (3, 10)
USAGE, BAD_INPUT, OUTSIDE_TOOL = 2, 3, 4


def unfit() -> Optional[str]:
    """Why Pynguin cannot be used here; None if it can."""
    python = ".".join(map(str, sys.version_info[:2]))
    if sys.version_info[:2] < OLDEST_PYTHON:
        return (
            f"expected Python 3.10 or newer for Pynguin {WANTED}, found {python} ({sys.executable})\n"
            "  choose another with --python; 3.11 is what is tested"
        )
    try:
        found = importlib.metadata.version("pynguin")
    except importlib.metadata.PackageNotFoundError:
        return (
            f"Pynguin is not installed for {sys.executable}\n"
            f"  install it: {sys.executable} -m pip install 'pynguin=={WANTED}.*'"
        )
    if found.split(".")[:2] != WANTED.split("."):
        return (
            f"expected Pynguin {WANTED}, found {found} ({sys.executable})\n"
            f"  install it: {sys.executable} -m pip install 'pynguin=={WANTED}.*'"
        )
    return None


def main(arguments: list[str]) -> int:
    """Runs; returns the exit code."""
    if len(arguments) != 1 or arguments[0] in ("-h", "--help"):
        print(__doc__)
        return 0 if arguments else USAGE
    problem = unfit()
    if problem is not None:
        return _say(problem, OUTSIDE_TOOL)
    try:
        guide = guides.read(arguments[0])
        spectrum = Spectrum.read(guide.case)
        progress = Progress(guide, spectrum)
    except FdcError as error:
        return _say(str(error), BAD_INPUT if isinstance(error, FileError) else USAGE)
    # Pynguin's parts import much; and nothing of them before the versions are known to fit.
    from fdc.generation import search

    multiprocess = importlib.import_module("multiprocess")
    multiprocess.set_start_method("spawn")
    logging.basicConfig(level=logging.INFO, stream=sys.stderr, format="%(message)s")
    try:
        written = search.run(guide, Lines(spectrum, Path(guide.root)), progress)
    except FdcError as error:
        return _say(str(error), OUTSIDE_TOOL)
    except Exception as error:  # Pynguin's own, or one of the code under test that it lets through.
        logging.exception("Pynguin failed")
        return _say(f"Pynguin failed on {guide.module}: {error!r}", OUTSIDE_TOOL)
    print(written)
    return 0


def _say(problem: str, code: int) -> int:
    print(f"fdc.pynguin: {problem}", file=sys.stderr)
    return code


if __name__ == "__main__":
    if "PYTHONHASHSEED" not in os.environ:
        # The order of Python's sets would differ from run to run, and with it the tests.
        os.environ["PYTHONHASHSEED"] = "0"
        os.execv(sys.executable, [sys.executable, "-m", "fdc.pynguin", *sys.argv[1:]])
    # Pynguin filters assertions in a process of its own; a hash that holds here only is found there.
    os.environ["PYTHONHASHSEED"] = "random"
    sys.exit(main(sys.argv[1:]))

"""What a run of the generator shall do, as a JSON file says it."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path
from typing import Any, Optional, Union

from fdc.errors import FileError, InputError

LINE = "line"
"""The criterion that is the tool's own line coverage, not a metric."""


@dataclasses.dataclass(frozen=True)
class Guide:
    """The keys of the file. Paths are absolute or relative to the current folder."""

    case: str
    """The case file: elements, and the failing test's coverage."""
    root: str
    """The project's folder, which the case's paths are relative to."""
    module: str
    """The module to make tests for, as it is imported."""
    tests: str
    """The folder for the generated tests."""
    kept: str
    """The file of kept rows: a test a line, the numbers of the elements it covers. Read at the
    start, appended to at the end."""
    report: str
    """The file of report lines, JSON; appended to."""
    criterion: str = "rlfdc"
    """`line`, or a metric that does not see outcomes."""
    failing: Optional[str] = None
    """The failing test; may be left out when exactly one fails."""
    model: Optional[str] = None
    """A model file for a learned metric."""
    path: Optional[str] = None
    """The folder that the module is imported from, unless it is the root."""
    level: str = "suite"
    """`suite` (a whole suite at once) or `test` (one test after the other)."""
    seed: int = 0
    """The seed of every random choice."""
    seconds: Optional[int] = None
    """How long to search."""
    iterations: Optional[int] = None
    """How many generations, instead: such a run can be repeated."""
    round_seconds: float = 2.0
    """At test level, how long to search for one test."""
    round_iterations: Optional[int] = None
    """At test level, how many generations for one test, instead."""

    @property
    def import_folder(self) -> Path:
        """Where the module is imported from."""
        return Path(self.path or self.root).resolve()


def read(path: str) -> Guide:
    """Reads a guide; every key is checked."""
    try:
        text = Path(path).read_text(encoding="utf-8")
    except OSError as error:
        raise FileError(f"{path}: cannot read it: {error.strerror}", "check the path") from error
    try:
        values = json.loads(text)
    except ValueError as error:
        raise InputError(f"{path}: expected JSON, found {error}") from error
    if not isinstance(values, dict):
        raise InputError(f"{path}: expected a JSON object, found {type(values).__name__}")
    return _checked(path, values)


_Kind = Union[type[str], type[int], tuple[type[int], type[float]]]
_KINDS: dict[str, tuple[_Kind, bool]] = {
    "str": (str, False),
    "Optional[str]": (str, True),
    "int": (int, False),
    "Optional[int]": (int, True),
    "float": ((int, float), False),
}
_EXPECTED: dict[_Kind, str] = {str: "a text", int: "a whole number", (int, float): "a number"}


def _checked(path: str, values: dict[str, Any]) -> Guide:
    fields = {field.name: field for field in dataclasses.fields(Guide)}
    for key in values:
        if key not in fields:
            known = ", ".join(fields)
            raise InputError(f"{path}: unknown key {key!r}", f"known keys: {known}")
    for name, field in fields.items():
        if name not in values:
            if field.default is dataclasses.MISSING:
                raise InputError(f"{path}: expected the key {name!r}, found none")
            continue
        value = values[name]
        kind, optional = _KINDS[str(field.type)]
        fits = isinstance(value, kind) and not isinstance(value, bool)
        if not fits and not (optional and value is None):
            expected = _EXPECTED[kind]
            raise InputError(f"{path}: {name}: expected {expected}, found {json.dumps(value)}")
    guide = Guide(**values)
    if guide.level not in ("suite", "test"):
        raise InputError(f"{path}: level: expected suite or test, found {guide.level!r}")
    if guide.level == "test" and guide.criterion == LINE:
        raise InputError(
            f"{path}: criterion line has no value for a single test",
            "choose level suite, or a metric",
        )
    if guide.seconds is None and guide.iterations is None:
        raise InputError(f"{path}: expected a budget, seconds or iterations, found none")
    for name in ("seconds", "iterations", "round_iterations"):
        number = getattr(guide, name)
        if number is not None and number < 1:
            raise InputError(f"{path}: {name}: expected at least 1, found {number}")
    if not guide.round_seconds > 0:
        raise InputError(
            f"{path}: round_seconds: expected a number above 0, found {guide.round_seconds}"
        )
    return guide

"""What a run did: kept rows, and report lines for the summary."""

from __future__ import annotations

import json
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Union

from fdc import Fitness, Spectrum
from fdc.errors import InputError
from fdc.generation.guide import LINE, Guide
from fdc.generation.lines import Row, numbers

GROUPS_ONLY = "tfd"
"""Under the criterion `line` no metric is asked; any one counts groups."""


class Progress:
    """The suite so far: the failing test, the tests of earlier runs, and what this run keeps."""

    def __init__(self, guide: Guide, spectrum: Spectrum) -> None:
        self.guide = guide
        self.has_metric = guide.criterion != LINE
        metric = guide.criterion if self.has_metric else GROUPS_ONLY
        self.fitness = Fitness(spectrum, guide.failing, metric, guide.model)
        self.evaluations = 0
        self.native_seconds = 0.0
        self._rounds = 0
        for row in self._earlier():
            self.fitness.keep(row)

    def start(self, known: int) -> None:
        """The search begins; `known` lines of the module are elements."""
        self._line(
            event="start", elements=self.fitness.elements, known=known, groups=self.fitness.groups
        )

    def loss(self, rows: Sequence[Row]) -> float:
        """What the search makes small: the loss of a suite."""
        began = time.perf_counter()
        loss = self.fitness.loss(self.fitness.of_suite([row.bits for row in rows]))
        self.native_seconds += time.perf_counter() - began
        self.evaluations += 1
        return loss

    def best(self, rows: Sequence[Row]) -> int:
        """Which row is worth most now; the first where no metric is asked."""
        if not self.has_metric:
            return 0
        values = self.fitness.of_tests([row.bits for row in rows])
        return max(range(len(values)), key=values.__getitem__)

    def round(self, row: Row, *, kept: bool, generations: int, seconds: float) -> None:
        """One test, kept or not."""
        before = self.fitness.groups
        value = self.fitness.of_test(row.bits) if self.has_metric else None
        if kept:
            self.fitness.keep(row.bits)
            with Path(self.guide.kept).open("a", encoding="utf-8") as file:
                file.write(" ".join(map(str, numbers(row.bits))) + "\n")
        self._rounds += 1
        self._line(
            event="round",
            round=self._rounds,
            value=value,
            kept=kept,
            covers=row.covers,
            outside=row.outside,
            groups_before=before,
            groups=self.fitness.groups,
            evaluations=self.evaluations,
            generations=generations,
            seconds=round(seconds, 3),
        )

    def end(self, *, tests: int, generations: int) -> None:
        """The search is over."""
        self._line(
            event="end",
            evaluations=self.evaluations,
            generations=generations,
            native_seconds=round(self.native_seconds, 6),
            tests=tests,
        )

    def _earlier(self) -> list[list[int]]:
        path = Path(self.guide.kept)
        if not path.exists():
            return []
        rows = []
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            try:
                rows.append([int(word) for word in line.split()])
            except ValueError as error:
                raise InputError(
                    f"{path}: line {number}: expected element numbers, found {line[:40]!r}",
                    "remove the file; it is made again",
                ) from error
        return rows

    def _line(self, *, event: str, **values: Union[str, int, float, bool, None]) -> None:
        line: dict[str, Any] = {"event": event, "class": self.guide.module, **values}
        with Path(self.guide.report).open("a", encoding="utf-8") as file:
            file.write(json.dumps(line) + "\n")



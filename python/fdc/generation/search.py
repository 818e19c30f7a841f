"""Pynguin's whole-suite search with another fitness. The only file that knows Pynguin."""

from __future__ import annotations

import logging
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, ClassVar

import pynguin.configuration as config
import pynguin.ga.computations as ff
import pynguin.ga.coveragegoals as goals
import pynguin.ga.generationalgorithmfactory as gaf
import pynguin.generator as gen
from pynguin.ga.algorithms.wholesuitealgorithm import WholeSuiteAlgorithm
from pynguin.utils.orderedset import OrderedSet

from fdc.errors import FdcError
from fdc.generation.guide import LINE, Guide
from fdc.generation.lines import Lines, Row
from fdc.generation.report import Progress

IDLE_ROUNDS = 3
"""At test level, so many rounds in a row that find nothing end the search."""


class SearchError(FdcError, RuntimeError):
    """Pynguin ended without tests."""


def run(guide: Guide, lines: Lines, progress: Progress) -> Path:
    """Searches, and returns the file of the generated tests. Once in a process: Pynguin, and what is
    changed in it here, stays as it is afterwards."""
    _Factory.lines, _Factory.progress = lines, progress
    gen.set_configuration(_configuration(guide))
    gaf.TestSuiteGenerationAlgorithmFactory = _Factory
    # Pynguin 0.48 looks for goals of branches, too, and fails on some modules where it does. A search
    # by lines has no use for them.
    goals.BranchGoalPool._compute_branch_goals = staticmethod(lambda subject: {})
    code = gen.run_pynguin()
    if code != gen.ReturnCode.OK:
        raise SearchError(
            f"Pynguin made no tests for {guide.module}: {code.name}",
            "the lines above say why; a module that cannot be imported alone, or with nothing "
            "public in it, cannot be tested",
        )
    name = guide.module.rpartition(".")[2]
    written = Path(guide.tests) / f"test_{name}.py"
    if not written.exists():
        raise SearchError(
            f"Pynguin wrote no tests for {guide.module}", "the lines above may say why"
        )
    # Modules of different packages may share a last name.
    return written.replace(Path(guide.tests) / f"test_{guide.module.replace('.', '_')}.py")


def _configuration(guide: Guide) -> Any:
    Path(guide.tests).mkdir(parents=True, exist_ok=True)
    one_test = guide.level == "test"
    return config.Configuration(
        project_path=str(guide.import_folder),
        module_name=guide.module,
        algorithm=config.Algorithm.WHOLE_SUITE,
        test_case_output=config.TestCaseOutputConfiguration(
            output_path=guide.tests,
            assertion_generation=config.AssertionGenerator.SIMPLE,
            # A test that covers nothing new may still tell suspects apart.
            minimization=config.Minimization(
                test_case_minimization_strategy=config.MinimizationStrategy.NONE
            ),
            # An expected failure has no outcome; an exception that is raised has one.
            no_xfail=True,
        ),
        seeding=config.SeedingConfiguration(seed=guide.seed),
        stopping=config.StoppingConfiguration(
            maximum_search_time=guide.seconds or -1, maximum_iterations=guide.iterations or -1
        ),
        search_algorithm=config.SearchAlgorithmConfiguration(
            coverage_metrics=[config.CoverageMetric.LINE],
            use_archive=False,
            max_initial_tests=1 if one_test else 10,
            test_insertion_probability=0.0 if one_test else 0.1,
        ),
        statistics_output=config.StatisticsOutputConfiguration(
            statistics_backend=config.StatisticsBackend.NONE
        ),
        use_master_worker=False,
    )


class _Rows:
    """Rows of executed tests; one that did not change is not mapped again."""

    def __init__(self, lines: Lines, subject: Any) -> None:
        self._lines = lines
        self._subject = subject
        # Every trace holds what ran at import; that is of no test.
        self._at_import = set(subject.instrumentation_tracer.import_trace.covered_line_ids)

    def known(self) -> int:
        """Elements among the lines that Pynguin can see run."""
        places = ((line.file_name, line.line_number) for line in self._subject.existing_lines.values())
        return sum(len(self._lines.elements(*place)) for place in places)

    def of(self, result: Any) -> Row:
        row = getattr(result, "fdc_row", None)
        if row is None:
            row = self._lines.row(self._places(result.execution_trace.covered_line_ids))
            result.fdc_row = row
        return row

    def _places(self, line_ids: Any) -> Iterator[tuple[str, int]]:
        for line_id in line_ids:
            if line_id not in self._at_import:
                line = self._subject.existing_lines[line_id]
                yield line.file_name, line.line_number


class _Fitness(ff.TestSuiteFitnessFunction):
    """The loss of a suite under the metric, given the suite so far."""

    def __init__(self, executor: Any, rows: _Rows, progress: Progress) -> None:
        super().__init__(executor)
        self._rows = rows
        self._progress = progress

    def rows_of(self, suite: Any) -> list[Row]:
        return [self._rows.of(result) for result in self._run_test_suite_chromosome(suite)]

    def compute_fitness(self, individual: Any) -> float:
        return self._progress.loss(self.rows_of(individual))

    def compute_is_covered(self, individual: Any) -> bool:
        return self.compute_fitness(individual) == 0.0

    def is_maximisation_function(self) -> bool:
        return False


class _Algorithm(WholeSuiteAlgorithm):
    """The whole-suite algorithm, reporting what it found; at test level, a search per test."""

    progress: Progress
    rows: _Rows
    measure: _Fitness
    generations = 0

    def generate_tests(self) -> Any:
        self.progress.start(self.rows.known())
        if self.progress.guide.level == "test":
            suite = self._test_by_test()
        else:
            began = time.perf_counter()
            suite = super().generate_tests()
            self._report_suite(suite, time.perf_counter() - began)
        self.progress.end(tests=suite.size(), generations=self.generations)
        return suite

    def evolve(self) -> None:
        self.generations += 1
        super().evolve()

    def _report_suite(self, suite: Any, seconds: float) -> None:
        left = self.measure.rows_of(suite)
        while left:
            row = left.pop(self.progress.best(left))
            self.progress.round(row, kept=True, generations=self.generations, seconds=seconds)

    def _test_by_test(self) -> Any:
        self.before_search_start()
        kept: list[Any] = []
        seen: set[bytes] = set()
        idle = 0
        while idle < IDLE_ROUNDS and (not kept or self.resources_left()):
            began, generations = time.perf_counter(), self.generations
            self._population = self._get_random_population()
            self._sort_population()
            if not kept and not idle:
                self.before_first_search_iteration(self._get_best_individual())
            while self.resources_left() and not self._round_over(began, generations):
                self.evolve()
                self.after_search_iteration(self._get_best_individual())
            best = self._get_best_individual()
            rows = self.measure.rows_of(best)
            row = rows[0] if rows else None
            is_new = row is not None and row.covers > 0 and row.bits not in seen
            if row is not None:
                self.progress.round(
                    row,
                    kept=is_new,
                    generations=self.generations - generations,
                    seconds=time.perf_counter() - began,
                )
            if row is not None and is_new:
                seen.add(row.bits)
                kept.append(best.get_test_case_chromosome(0).clone())
            idle = 0 if is_new else idle + 1
            if not self.resources_left():
                break
        self.after_search_finish()
        return self.create_test_suite(kept)

    def _round_over(self, began: float, generations: int) -> bool:
        guide = self.progress.guide
        if guide.round_iterations is not None:
            return self.generations - generations >= guide.round_iterations
        return time.perf_counter() - began >= guide.round_seconds


class _Factory(gaf.TestSuiteGenerationAlgorithmFactory):
    """Pynguin's factory with our algorithm and, unless the criterion is `line`, our fitness."""

    lines: ClassVar[Lines]
    progress: ClassVar[Progress]

    _strategies: ClassVar[dict[Any, Any]] = {config.Algorithm.WHOLE_SUITE: _Algorithm}

    def get_search_algorithm_with_strategy(self, strategy: Any) -> Any:
        rows = _Rows(self.lines, self._executor.subject_properties)
        strategy.progress = self.progress
        strategy.rows = rows
        strategy.measure = _Fitness(self._executor, rows, self.progress)
        self._measure = strategy.measure
        return super().get_search_algorithm_with_strategy(strategy)

    def _get_test_suite_fitness_functions(self) -> Any:
        if self.progress.guide.criterion == LINE:
            return super()._get_test_suite_fitness_functions()
        logging.getLogger(__name__).info("fitness: %s", self.progress.guide.criterion)
        return OrderedSet([self._measure])

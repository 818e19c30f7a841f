#!/usr/bin/env python3
"""When more nodes are faster, and by how much: `fdc.ray` on up to 100 nodes, simulated from what compare.py measured.

    verify/ray/simulation.py [verify/results/ray.json]     prints one JSON object

What is taken for true:
- Every node is like the machine that was measured: two cores, a part at a time, with two threads or two jobs.
- The cluster is there already, and nobody else uses it. Ray begins the parts in order, each in the place that is free
  first. Its cost per task was measured on one machine; it is paid by the driver, one task after the other.
- A part begins by reading all bugs, or by finding all tests: in proportion to their number.
- Work on a bug (the trainings shared out among bugs) or in a file of tests is log-normal with sigma 1, so that the
  most laborious in a hundred takes six times the mean; the mean is that of rq1, or given. Both cores are busy with it.
- Parts hold what the names' hash gives them: each bug or file is in any part with the same chance.
- Data goes from the driver to each node once, one after the other, at 1 Gbit/s; so does a project of 50 MB. `shared`: it
  is there already.
- The number of parts is chosen as fdc.ray does it, with the measured parts included; the choice itself is made by what
  the model says, without the error of measuring.
- Parts are merged by the driver, in proportion to bugs or tests.
- No node is lost. One that is lost costs at most the part under way, again.

Medians of 21 runs, of 5 for the crossover; the seed is fixed.
"""
import heapq
import json
import random
import statistics
import sys
from dataclasses import dataclass, replace
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "python" / "fdc" / "ray"))
from division import FINER, MOST, number_of_parts  # noqa: E402  the choice itself, without Ray or the package

CORES = 2
SIGMA = 1.0
BYTES_A_SECOND = 125e6
PROJECT_BYTES = 50e6
RUNS, FEWER_RUNS = 21, 5
NODES = [2, 3, 10, 30, 100]
PER_FILE = 20


@dataclass(frozen=True)
class Model:
    """Seconds of a core, but for what the driver does."""

    units: int
    """Bugs, or files of tests: what is never divided."""
    work: float
    """Of a unit, in the mean."""
    reading: float
    """Of a unit, in every part."""
    merging: float
    start: float
    """Of a part, by the clock."""
    dispatch: float
    """Of a task, by the driver."""
    data: float
    """Bytes of a unit."""
    project: float = 0.0
    """Bytes whatever the units."""

    def fixed(self):
        return self.start + self.units * self.reading / CORES

    def alone(self):
        """The program on one machine."""
        return self.start + self.units * (self.reading + self.work) / CORES

    def on(self, nodes, generator):
        """Seconds until everything is merged, and the number of parts."""
        parts = number_of_parts(nodes, self.fixed(), self.units * self.work / CORES)
        work = [0.0] * parts
        for _ in range(self.units):
            work[generator.randrange(parts)] += generator.lognormvariate(-SIGMA**2 / 2, SIGMA) * self.work / CORES
        transfer = (self.project + self.units * self.data) / BYTES_A_SECOND
        # The parts that are measured first: next to empty, on half of the nodes, which have the data then.
        sample = self.units * self.work / CORES / min(MOST, FINER * nodes)
        used = max(1, min(nodes // 2, 8))
        now = used * transfer + self.fixed() + sample
        free = [(now if node < used else now + (node - used + 1) * transfer) for node in range(nodes)]
        heapq.heapify(free)
        end = now
        for number, own in enumerate(work):
            begun = max(heapq.heappop(free), now + number * self.dispatch)
            end = max(end, begun + self.fixed() + own)
            heapq.heappush(free, begun + self.fixed() + own)
        return end + self.units * self.merging, parts


def main():
    path = Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "verify" / "results" / "ray.json"
    print(json.dumps(simulated(json.loads(path.read_text())), indent=1))


def simulated(measured):
    rq1 = of_bugs(measured)
    suites = {f"{seconds * 1000:.0f} ms a test": of_tests(measured, seconds) for seconds in (0.005, 0.05, 0.5)}
    return {
        "evaluate": {
            "seconds_of_a_core": {"work_on_a_bug": round(rq1.work, 3), "reading_a_bug": round(rq1.reading, 4)},
            "sizes": [table(replace(rq1, units=bugs), "bugs", bugs) for bugs in (100, 1_000, 10_000)],
            "crossover_bugs": {nodes: crossover(rq1, nodes) for nodes in NODES},
            "shared": [table(replace(rq1, units=bugs, data=0.0), "bugs", bugs) for bugs in (1_000, 10_000)],
            # What a program would do that reads the bugs of its part alone.
            "shared_if_parts_read_their_own_bugs": [
                table(replace(rq1, units=bugs, data=0.0, reading=0.0, work=rq1.work + rq1.reading), "bugs", bugs) for bugs in (1_000, 10_000)
            ],
        },
        "collect": {
            name: {
                "sizes": [table(replace(suite, units=tests // PER_FILE), "tests", tests) for tests in (1_000, 10_000, 100_000)],
                "crossover_tests": {nodes: crossover(suite, nodes, PER_FILE) for nodes in NODES},
            }
            for name, suite in suites.items()
        },
    }


def of_bugs(measured):
    """A run like rq1."""
    overheads, bugs = measured["overheads"], measured["run"]["bugs"]
    empty = overheads["empty_part"]["processors"]
    return Model(
        units=bugs, work=(statistics.median(measured["processors"]["program"]) - empty) / bugs, reading=empty / bugs,
        merging=overheads["merging"] / bugs, start=overheads["start_of_program"] + overheads["task_alone"],
        dispatch=overheads["task_of_many"], data=1e6 * overheads["megabytes_of_data"] / bugs,
    )


def of_tests(measured, seconds):
    """A suite for pytest, one process a part, whose tests take so long each. Files of twenty tests."""
    found, overheads = measured["collect"], measured["overheads"]
    files = found["tests"] // PER_FILE
    tracing = (found["whole"] - found["empty_part"]) / files
    # Every process finds all tests, whether it is one of --jobs or of a part.
    return Model(
        units=files, work=tracing + PER_FILE * seconds, reading=CORES * found["empty_part"] / files, merging=0.0001 * PER_FILE,
        start=overheads["start_of_program"] + overheads["task_alone"], dispatch=overheads["task_of_many"], data=0.0, project=PROJECT_BYTES,
    )


def table(model, what, number):
    """Seconds alone, and how many times as fast some nodes are."""
    generator = random.Random(1)
    alone = model.alone()
    row = {what: number, "alone_seconds": round(alone, 1)}
    for nodes in NODES:
        runs = [model.on(nodes, generator) for _ in range(RUNS)]
        seconds = statistics.median(own for own, _ in runs)
        row[f"{nodes} nodes"] = {"seconds": round(seconds, 1), "times_as_fast": round(alone / seconds, 1), "parts": runs[0][1]}
    return row


def crossover(model, nodes, of_unit=1):
    """From how many bugs or tests on these nodes are faster than one machine without Ray; None: not up to 100,000 units."""
    for units in sorted({round(10 ** (power / 10)) for power in range(5, 51)}):
        grown = replace(model, units=units)
        generator = random.Random(1)
        if statistics.median(grown.on(nodes, generator)[0] for _ in range(FEWER_RUNS)) < grown.alone():
            return units * of_unit
    return None


if __name__ == "__main__":
    main()

"""Lines per test of `fdc collect pytest` beside coverage.py's own, on packages from PyPI.

    python per_test.py FDC WORK [--runs 5] [--sizes 5000,10000,20000]     prints JSON

coverage.py's own: pytest-cov with --cov-context=test; a test's lines are those of its three contexts
(setup, run, teardown), of files that are no test code, in the bodies of functions (found with `ast`
here, with tree-sitter in fdc). Every difference is looked into: the test is run alone by pytest-cov,
and what the order of tests explains is counted as such; the rest is unexplained.
Run it with a Python that has pytest, coverage and pytest-cov.
"""
import argparse
import ast
import json
import os
import shutil
import sqlite3
import statistics
import subprocess
import sys
import tarfile
import time
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from case_rows import elements_of  # noqa: E402

# Name, version, the folder of its code. Their tests need nothing but pytest. Time is measured on the first.
PACKAGES = [("sqlparse", "0.6.1", "sqlparse"), ("mistune", "3.4.0", "src")]
UNEXPLAINED_AT_MOST = 0.001


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("fdc", type=Path)
    parser.add_argument("work", type=Path)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--sizes", default="5000,10000,20000")
    wanted = parser.parse_args()
    fdc, work = wanted.fdc.resolve(), wanted.work.resolve()
    found = {"packages": [package(fdc, work, *entry) for entry in PACKAGES]}
    name, version, _ = PACKAGES[0]
    found["cost"] = timings(fdc, unpack(work, name, version), work, wanted.runs)
    found["trivial_tests"] = [trivial(fdc, work, int(size)) for size in wanted.sizes.split(",")]
    found["load_average"] = os.getloadavg()
    print(json.dumps(found, indent=1))
    worst = max(entry["unexplained_share"] for entry in found["packages"])
    if worst > UNEXPLAINED_AT_MOST:
        sys.exit("more than %g of the pairs of test and line differ without a known cause" % UNEXPLAINED_AT_MOST)


def package(fdc, work, name, version, code):
    root = unpack(work, name, version)
    ours = read_case(collect(fdc, root, work / "case.fdc"))
    theirs = by_contexts(root, [])
    bodies = Bodies(root, code)
    entry = {"package": name, "version": version, "code_lines": bodies.code_lines()}
    entry["tests"] = len(ours)
    entry["not_judged"] = len(set(theirs) - set(ours))
    causes, pairs, equal, examples = Counter(), 0, 0, []
    for test, (_, lines) in sorted(ours.items()):
        expected = {pair for pair in theirs.get(test, ()) if bodies.hold(*pair)}
        pairs += len(lines | expected)
        if lines == expected:
            equal += 1
            continue
        alone = {pair for pair in by_contexts(root, [test]).get(test, set()) if bodies.hold(*pair)}
        for pair in lines ^ expected:
            cause = explain(pair, lines, expected, alone)
            causes[cause] += 1
            if cause == "unexplained":
                examples.append([test, *pair])
    entry.update(
        tests_with_equal_lines=equal,
        pairs=pairs,
        differing_pairs_by_cause=dict(sorted(causes.items())),
        unexplained_share=causes["unexplained"] / pairs,
        unexplained_examples=sorted(examples)[:20],
    )
    print("%s: %d of %d tests equal" % (root.name, equal, len(ours)), file=sys.stderr, flush=True)
    return entry


def explain(pair, ours, theirs, alone):
    if pair in ours and pair in alone:
        return "setup of a wide fixture that ran in an earlier test"
    if pair in theirs and pair not in alone:
        return "left over from another test"
    if pair in theirs and pair in alone:
        return "import inside the test, or teardown of a wide fixture"
    return "unexplained"


def timings(fdc, root, work, runs):
    """Medians of time and of processor time (which other work on the machine disturbs less). The three take turns."""
    case = work / "timed.fdc"
    commands = {"plain": pytest(root), "pytest_cov_contexts": with_contexts(root), "fdc_collect": collecting(fdc, root, case)}
    times = {name: [] for name in commands}
    for turn in range(runs):
        for name, command in commands.items():
            case.unlink(missing_ok=True)
            times[name].append(timed(command, root))
        print("%s: round %d of %d" % (root.name, turn + 1, runs), file=sys.stderr, flush=True)
    found = {"package": root.name, "runs": runs}
    for kind, at in [("seconds", 0), ("processor_seconds", 1)]:
        medians = {name: round(statistics.median(time[at] for time in measured), 2) for name, measured in times.items()}
        medians["pytest_cov_over_plain"] = round(medians["pytest_cov_contexts"] / medians["plain"], 2)
        medians["fdc_over_plain"] = round(medians["fdc_collect"] / medians["plain"], 2)
        found[kind] = medians
    return found


def trivial(fdc, work, size):
    """A suite of so many tests that do next to nothing."""
    root = work / ("trivial-%d" % size)
    shutil.rmtree(root, ignore_errors=True)
    root.mkdir(parents=True)
    (root / "sums.py").write_text("def odd(x):\n    if x % 2:\n        return True\n    return False\n")
    for number in range(0, size, 500):
        tests = "".join("def test_%d():\n    assert sums.odd(%d) == %r\n" % (i, i, i % 2 == 1) for i in range(500))
        (root / ("test_%03d.py" % (number // 500))).write_text("import sums\n" + tests)
    case = root / "case.fdc"
    entry = {"tests": size}
    entry["plain_seconds"], entry["plain_pytest_peak_mib"], _ = peak(pytest(root), root)
    entry["seconds"], entry["fdc_peak_mib"], entry["pytest_peak_mib"] = peak(collecting(fdc, root, case), root)
    entry["case_bytes"] = case.stat().st_size
    measured = read_case(case)
    if len(measured) != size or any(len(lines) != 2 for _, lines in measured.values()):
        sys.exit("%d of %d trivial tests are in the case, each should cover two lines" % (len(measured), size))
    return entry


def peak(command, root):
    """Seconds, and the largest memory, in MiB, of the command itself and of any process it started."""
    begun = time.monotonic()
    process = subprocess.Popen([*map(str, command)], cwd=root, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    own = child = 0
    while process.poll() is None:
        own = max(own, high_water(process.pid))
        for pid in children(process.pid):
            child = max(child, high_water(pid))
        time.sleep(0.1)
    if process.returncode != 0:
        sys.exit("%s ended with %d" % (command[0], process.returncode))
    return round(time.monotonic() - begun, 1), own, child


def high_water(pid):
    try:
        for line in Path("/proc/%d/status" % pid).read_text().splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) // 1024
    except OSError:
        pass
    return 0


def children(pid):
    try:
        return [int(word) for word in Path("/proc/%d/task/%d/children" % (pid, pid)).read_text().split()]
    except OSError:
        return []


def unpack(work, name, version):
    folder = work / "packages"
    archive = next(iter(folder.glob("%s-%s.tar.gz" % (name, version))), None)
    if archive is None:
        download = [sys.executable, "-m", "pip", "download", "-q", "--no-deps", "--no-binary", name, "-d", folder]
        subprocess.run([*map(str, download), "%s==%s" % (name, version)], check=True)
        archive = next(folder.glob("%s-%s.tar.gz" % (name, version)))
    root = work / archive.name[: -len(".tar.gz")]
    shutil.rmtree(root, ignore_errors=True)
    with tarfile.open(archive) as file:
        file.extractall(work)
    return root


def pytest(root, *arguments):
    return [sys.executable, "-m", "pytest", "-q", "--tb=short", "-p", "no:cacheprovider", *arguments]


def with_contexts(root, *tests):
    # The package's own settings may ask for branches, which fdc does not measure.
    settings = root.parent / "lines.coveragerc"
    settings.write_text("[run]\nbranch = false\n")
    return pytest(root, "--cov=.", "--cov-config=%s" % settings, "--cov-context=test", "--cov-report=", *tests)


def collecting(fdc, root, case):
    return [fdc, "-q", "collect", "pytest", "--root", root, "--python", sys.executable, "-o", case, "--", "-p", "no:cacheprovider"]


def collect(fdc, root, case):
    case.unlink(missing_ok=True)
    subprocess.run([*map(str, collecting(fdc, root, case))], check=True, env=environment(root))
    return case


def timed(command, root):
    """Seconds, and seconds of the processor."""
    begun, used = time.monotonic(), processor_seconds()
    done = subprocess.run([*map(str, command)], cwd=root, env=environment(root), stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if done.returncode not in (0, 1):
        sys.exit(done.stdout.decode()[-2000:])
    return time.monotonic() - begun, processor_seconds() - used


def processor_seconds():
    times = os.times()
    return times.children_user + times.children_system


def environment(root):
    return dict(os.environ, PYTHONPATH=str(root / "src"), PYTHONDONTWRITEBYTECODE="1")


def by_contexts(root, tests):
    """Per test, the pairs of file and line that pytest-cov gives it."""
    data = root / ".coverage"
    data.unlink(missing_ok=True)
    timed(with_contexts(root, *tests), root)
    found = {}
    with sqlite3.connect(data) as base:
        rows = base.execute("select context, path, numbits from line_bits join file on file.id = file_id join context on context.id = context_id")
        for context, path, bits in rows:
            test, _, when = context.rpartition("|")
            if when not in ("setup", "run", "teardown"):
                continue
            name = Path(path).relative_to(root).as_posix()
            lines = found.setdefault(test, set())
            lines.update((name, 8 * at + bit) for at, byte in enumerate(bits) for bit in range(8) if byte >> bit & 1)
    return found


def read_case(path):
    """Per test its outcome, and the pairs of file and line it covers."""
    with sqlite3.connect(path) as base:
        rows = base.execute("select element.id, path, line from element join method on method.id = method join file on file.id = file")
        elements = {number: (file, line) for number, file, line in rows}
        tests = base.execute("select name, outcome, elements from test join coverage on test = test.id")
        return {name: (outcome, {elements[at] for at in elements_of(blob)}) for name, outcome, blob in tests}


class Bodies:
    """The bodies of functions in a package's own code."""

    def __init__(self, root, code):
        self.files = {}
        for path in sorted((root / code).rglob("*.py")):
            lines = set()
            tree = ast.parse(path.read_bytes())
            for node in ast.walk(tree):
                if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
                    first = [node.body[0], *getattr(node.body[0], "decorator_list", [])]
                    lines.update(range(min(part.lineno for part in first), node.end_lineno + 1))
            self.files[path.relative_to(root).as_posix()] = (lines, len(path.read_bytes().splitlines()))

    def hold(self, file, line):
        return file in self.files and line in self.files[file][0]

    def code_lines(self):
        return sum(count for _, count in self.files.values())


if __name__ == "__main__":
    main()

"""Measures which lines each test covers and writes orders.json beside this file.

Every test runs under a Coverage object of its own, fixtures included. The
modules are imported while tests are collected, before any measuring, so that
lines run at import time only are in no test's row.
"""

import ast
import json
import sys
from pathlib import Path

sys.dont_write_bytecode = True

import coverage
import pytest

ROOT = Path(__file__).resolve().parent
SOURCE = ROOT / "src"

# The seeded fault, named by its text so that moving it does no harm.
FAULTY_METHOD = "orders/discount.py::tiered_discount"
FAULTY_LINE = "if line.quantity > minimum:"


class Recorder:
    """A pytest plug-in: per test the lines covered in each file, and the outcome."""

    def __init__(self):
        self.lines = {}
        self.failed = set()
        self.skipped = set()

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item):
        measuring = coverage.Coverage(data_file=None, config_file=False, source=[str(SOURCE)])
        measuring.start()
        try:
            return (yield)
        finally:
            measuring.stop()
            data = measuring.get_data()
            self.lines[item.nodeid] = {
                Path(path).relative_to(SOURCE).as_posix(): set(data.lines(path))
                for path in data.measured_files()
            }

    def pytest_runtest_logreport(self, report):
        if report.failed:
            self.failed.add(report.nodeid)
        elif report.skipped:
            self.skipped.add(report.nodeid)


def functions(path):
    """(qualified name, first line of the body, last line) of every function in a file."""
    found = []

    def visit(node, scope):
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.ClassDef):
                visit(child, scope + [child.name])
            elif isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef)):
                name = scope + [child.name]
                found.append((".".join(name), child.body[0].lineno, child.end_lineno))
                visit(child, name)
            else:
                visit(child, scope)

    visit(ast.parse(path.read_text(encoding="utf-8")), [])
    return found


def owners(files):
    """{(file, line): method} for all lines inside functions; the innermost one owns a line."""
    owner = {}
    for name in files:
        for qualified, first, last in functions(SOURCE / name):
            for line in range(first, last + 1):
                owner[name, line] = f"{name}::{qualified}"
    return owner


def differences(indices):
    """The first index as it is, then the distance of each to the one before."""
    return [index - before for before, index in zip([0] + indices, indices)]


def dataset(recorder):
    files = sorted(path.relative_to(SOURCE).as_posix() for path in SOURCE.rglob("*.py"))
    owner = owners(files)
    rows = {}
    for test, measured in recorder.lines.items():
        if test not in recorder.skipped:
            covered = ((name, line) for name, lines in measured.items() for line in lines)
            rows[test] = {place for place in covered if place in owner}

    places = set().union(*rows.values())
    # Methods in the order in which they stand in the files.
    methods = list(dict.fromkeys(owner[place] for place in sorted(places)))
    number = {method: index for index, method in enumerate(methods)}
    ordered = sorted(places, key=lambda place: (number[owner[place]], place[1]))
    element = {place: index for index, place in enumerate(ordered)}
    files = [name for name in files if any(name == place[0] for place in places)]

    faulty = [
        index
        for (name, line), index in element.items()
        if owner[name, line] == FAULTY_METHOD and source_line(name, line) == FAULTY_LINE
    ]
    if len(faulty) != 1:
        sys.exit(f"expected {FAULTY_LINE!r} once in {FAULTY_METHOD}, found it {len(faulty)} times")

    return {
        "subject": "orders",
        "version": 1,
        "revision": "",
        "methods": methods,
        "elements": [[number[owner[place]], place[1]] for place in ordered],
        "tests": [
            {"name": test, "outcome": "fail" if test in recorder.failed else "pass"}
            for test in rows
        ],
        "coverage": [differences(sorted(element[place] for place in row)) for row in rows.values()],
        "faulty_methods": [number[FAULTY_METHOD]],
        "faulty_elements": faulty,
        "trigger_tests": [test for test in rows if test in recorder.failed],
        "files": files,
        "method_files": [files.index(method.split("::")[0]) for method in methods],
    }


def source_line(name, line):
    return (SOURCE / name).read_text(encoding="utf-8").splitlines()[line - 1].strip()


def main():
    recorder = Recorder()
    where = ["--rootdir", str(ROOT), "-c", str(ROOT / "pytest.ini"), str(ROOT / "tests")]
    status = pytest.main(where + ["-q", "--tb=no", "-p", "no:cacheprovider"], plugins=[recorder])
    if status not in (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED):
        sys.exit(f"pytest ended with {status!r}; nothing written")
    data = dataset(recorder)
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    (ROOT / "orders.json").write_text(text + "\n", encoding="utf-8")
    print(
        f"orders.json: {len(data['methods'])} methods, {len(data['elements'])} elements, "
        f"{len(data['tests'])} tests, {len(data['trigger_tests'])} failing"
    )


if __name__ == "__main__":
    main()

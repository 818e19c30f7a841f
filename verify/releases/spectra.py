"""From a pair's case and its isolated tests to bugs: one dataset file each."""
import json
import sqlite3
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from case_rows import elements_of  # noqa: E402

# Why an isolated test is in no bug's spectrum.
OUTCOME = "passes when its coverage is measured"
PREPARES = "an initialiser of new fields and a method that may only need them"
RETYPED = "a needed method uses a field that changed its type"
NO_LINES = "a needed method has no measured line"
NOT_RUN = "the failing test runs none of the needed methods"
SHARED = "shares a needed method with a smaller or earlier set"


class Spectrum:
    """What `fdc collect` measured on the earlier release."""

    def __init__(self, case):
        with sqlite3.connect(f"file:{case}?mode=ro", uri=True) as database:
            self.methods = [name for (name,) in database.execute("SELECT name FROM method ORDER BY id")]
            self.elements = database.execute("SELECT method, line FROM element ORDER BY id").fetchall()
            rows = database.execute("SELECT name, outcome, flaky, elements FROM test JOIN coverage ON test = test.id ORDER BY name").fetchall()
        self.tests = {name: (outcome, set(elements_of(blob))) for name, outcome, flaky, blob in rows if not flaky and outcome}
        self.numbers = {name: number for number, name in enumerate(self.methods)}


def bugs_of(spectrum, changes, isolated, outcomes):
    """Bugs of a pair, and the reasons for which tests are in none of them.

    `isolated`: the needed changes of each failing test; `outcomes`: of every test on the earlier and the later release."""
    reasons, sets = {}, {}
    leave_out = lambda reason: reasons.update({reason: reasons.get(reason, 0) + 1})
    for test, needed in sorted(isolated.items()):
        methods = [spectrum.numbers.get(changes[number]["method"]) for number in needed]
        if any(changes[number]["retyped"] for number in needed):
            leave_out(RETYPED)
        elif len(needed) > 1 and any(changes[number]["initialises"] for number in needed):
            leave_out(PREPARES)
        elif None in methods:
            leave_out(NO_LINES)
        elif spectrum.tests.get(test, ("",))[0] != "fail":
            leave_out(OUTCOME)
        elif not any(spectrum.elements[element][0] in methods for element in spectrum.tests[test][1]):
            leave_out(NOT_RUN)
        else:
            sets.setdefault(tuple(sorted(set(methods))), []).append(test)
    passing = [name for name, (outcome, _) in spectrum.tests.items() if outcome == "pass" and outcomes.get(name) == ["pass", "pass"]]
    bugs, taken = [], set()
    for methods in sorted(sets, key=lambda methods: (len(methods), methods)):
        if taken.isdisjoint(methods):
            taken.update(methods)
            bugs.append({"methods": [spectrum.methods[method] for method in methods], "failing_tests": sets[methods], "passing_tests": len(passing)})
        else:
            for _ in sets[methods]:
                leave_out(SHARED)
    bugs.sort(key=lambda bug: bug["methods"])
    return bugs, passing, reasons


def write_dataset(path, subject, version, spectrum, bug, passing, pair):
    """The bug in fdc's dataset format (`fdc explain dataset`); returns its sizes."""
    tests = sorted([*bug["failing_tests"], *passing])
    failing = set(bug["failing_tests"])
    used = sorted({element for test in tests for element in spectrum.tests[test][1]}, key=lambda element: (*spectrum.elements[element], element))
    kept = sorted({spectrum.elements[element][0] for element in used} | {spectrum.numbers[name] for name in bug["methods"]})
    element_at = {element: index for index, element in enumerate(used)}
    method_at = {method: index for index, method in enumerate(kept)}
    rows = []
    for test in tests:
        row = sorted(element_at[element] for element in spectrum.tests[test][1])
        rows.append([after - before for before, after in zip([0, *row], row)])
    dataset = {
        "subject": subject, "version": version, "revision": f"{pair.earlier} -> {pair.later}",
        "methods": [spectrum.methods[method] for method in kept],
        "elements": [[method_at[spectrum.elements[element][0]], spectrum.elements[element][1]] for element in used],
        "tests": [{"name": test, "outcome": "fail" if test in failing else "pass"} for test in tests],
        "coverage": rows,
        "faulty_methods": [method_at[spectrum.numbers[name]] for name in bug["methods"]], "faulty_elements": [],
    }
    path.parent.mkdir(parents=True, exist_ok=True)
    subprocess.run(["zstd", "-q", "-f", "-19", "-o", path], input=json.dumps(dataset, separators=(",", ":")), text=True, check=True)
    return {"tests": len(tests), "elements": len(used), "methods_measured": len(kept)}

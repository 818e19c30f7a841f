"""Projects made for a test, and what the plug-in reports of them."""
import json
import os
import shutil
import subprocess
import sys
import textwrap
from pathlib import Path

PLUGIN = Path(__file__).resolve().parent.parent / "fdc_pytest.py"


class Project:
    def __init__(self, folder):
        self.root = folder / "project"
        self.root.mkdir()
        self.runs = 0
        # As fdc does where the case is in the project's folder.
        self.plugin = self.root / "case.fdc.work" / "python"
        self.plugin.mkdir(parents=True)
        shutil.copy(str(PLUGIN), str(self.plugin))

    def file(self, name, source):
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(textwrap.dedent(source).lstrip("\n"), encoding="utf-8")
        return path

    def collect(self, *arguments, plan=(), plan_text=None, path=()):
        """Runs pytest with the plug-in, once."""
        self.runs += 1
        spool = self.root.parent / ("spool%d" % self.runs)
        spool.mkdir()
        plan_file = self.root.parent / ("plan%d" % self.runs)
        plan_text = plan_text or "".join(line + "\n" for line in ["root %s" % self.root, *plan])
        plan_file.write_text(plan_text, encoding="utf-8")
        surroundings = {key: value for key, value in os.environ.items() if not key.startswith(("FDC_", "PYTEST_", "COV"))}
        surroundings.update(FDC_SPOOL=str(spool), FDC_PLAN=str(plan_file), PYTEST_PLUGINS="fdc_pytest")
        surroundings["PYTHONPATH"] = os.pathsep.join(map(str, [self.plugin, *path]))
        done = subprocess.run(
            [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", *arguments],
            cwd=str(self.root),
            env=surroundings,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            universal_newlines=True,
            timeout=120,
        )
        return Report(done, spool)


class Report:
    """The events of one run, all processes together."""

    def __init__(self, done, spool):
        self.code = done.returncode
        self.output = done.stdout
        self.files = sorted(spool.glob("*.jsonl"))
        self.begun, self.tests, self.troubles, self.plans, self.byes = [], {}, [], [], 0
        for path in self.files:
            assert path.read_bytes().endswith(b"\n"), path
            units = {}
            for line in path.read_text(encoding="utf-8").splitlines():
                self.learn(json.loads(line), units)

    def learn(self, event, units):
        kind = event["event"]
        if kind == "begin":
            self.begun.append(event["test"])
        elif kind == "unit":
            assert str(event["id"]) not in units
            units[str(event["id"])] = event["file"]
        elif kind == "end":
            assert event["test"] not in self.tests, "reported twice"
            runs = {units[number]: numbers for number, numbers in event.get("cover", {}).items()}
            event["lines"] = {path: expand(numbers) for path, numbers in runs.items()}
            self.tests[event["test"]] = event
        elif kind == "trouble":
            self.troubles.append(event["message"])
        elif kind == "plan":
            self.plans.append(event["tests"])
        else:
            assert kind == "bye", event
            self.byes += 1

    def outcomes(self):
        return {name.rpartition("::")[2]: test["outcome"] for name, test in self.tests.items()}

    def lines(self, path):
        """Per test, by the last part of its name, the lines of a file."""
        return {name.rpartition("::")[2]: test["lines"].get(path, []) for name, test in self.tests.items()}

    def test(self, ending):
        found = [test for name, test in self.tests.items() if name.endswith(ending)]
        assert len(found) == 1, (ending, list(self.tests), self.output)
        return found[0]


def expand(numbers):
    firsts, counts = numbers[::2], numbers[1::2]
    lines = [line for first, count in zip(firsts, counts) for line in range(first, first + count)]
    assert lines == sorted(set(lines)), "runs ascend"
    return lines

"""Runs tests of a tree on request: a program for the Python of a pair's environment.

Reads a line of JSON (tree, path, modules, arguments, timeout) and answers with one: outcome and note of every test, by node
id; null if pytest died or took too long. Each request has a process of its own,
forked from one that has already loaded pytest.
"""
import importlib
import json
import os
import re
import signal
import sys
import tempfile
import time

# The folder of this file: its modules must not hide those of the tree.
sys.path.pop(0)
import _pytest.config  # noqa: E402
import pytest  # noqa: E402

for plugin in _pytest.config.default_plugins:
    importlib.import_module(f"_pytest.{plugin}")


class Reports:
    def __init__(self):
        self.tests = {}

    def pytest_runtest_logreport(self, report):
        found = self.tests.setdefault(report.nodeid, {"id": report.nodeid, "outcome": "none", "note": ""})
        if report.failed:
            found.update(outcome="fail", note=found["note"] or note_of(report))
        elif report.when == "call" and report.passed and not hasattr(report, "wasxfail") and found["outcome"] != "fail":
            found["outcome"] = "pass"


def note_of(report):
    """The failure's first line, without addresses in memory."""
    crash = getattr(report.longrepr, "reprcrash", None)
    text = crash.message if crash else str(report.longrepr)
    return re.sub(r"0x[0-9a-fA-F]+", "0x", (text.strip().splitlines() or [""])[0])[:300]


def answer(request):
    with tempfile.NamedTemporaryFile("r") as file:
        child = os.fork()
        if child == 0:
            try:
                run(request, file.name)
            finally:
                os._exit(0)
        give_up = time.time() + request["timeout"]
        while os.waitpid(child, os.WNOHANG) == (0, 0):
            if time.time() > give_up:
                os.killpg(child, signal.SIGKILL)
                os.waitpid(child, 0)
                return None
            time.sleep(0.005)
        text = file.read()
    return json.loads(text) if text else None


def run(request, place):
    os.setpgid(0, 0)
    nothing = os.open(os.devnull, os.O_RDWR)
    for number in (0, 1, 2):
        os.dup2(nothing, number)
    os.chdir(request["tree"])
    sys.path.insert(0, request["path"])
    os.environ["PYTHONPATH"] = request["path"]
    # pytest itself uses some of the packages.
    for name in [name for name in sys.modules if name.split(".")[0] in request["modules"]]:
        del sys.modules[name]
    reports = Reports()
    pytest.main([*request["arguments"]], plugins=[reports])
    with open(place, "w") as file:
        json.dump(reports.tests, file)


if __name__ == "__main__":
    answers = os.fdopen(os.dup(1), "w")
    for line in sys.stdin:
        answers.write(json.dumps(answer(json.loads(line))) + "\n")
        answers.flush()

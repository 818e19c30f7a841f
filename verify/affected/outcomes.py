"""A pytest plug-in that writes the outcome of every test that ran, or was to run, to the file OUTCOMES, as JSON by node id."""
import json
import os

found = {}


def pytest_collection_finish(session):
    if session.config.option.collectonly:
        found.update(dict.fromkeys(item.nodeid for item in session.items))


def pytest_runtest_logreport(report):
    if report.failed:
        found[report.nodeid] = "fail"
    elif report.when == "call" and report.passed and not hasattr(report, "wasxfail"):
        found.setdefault(report.nodeid, "pass")
    elif report.skipped:
        # Skipped, or expected to fail: says nothing.
        found.setdefault(report.nodeid, None)


def pytest_sessionfinish():
    with open(os.environ["OUTCOMES"], "w") as file:
        json.dump(found, file)

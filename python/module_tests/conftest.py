import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import fdc

TESTDATA = Path(__file__).resolve().parents[2] / "testdata"


@pytest.fixture(scope="session")
def testdata():
    return TESTDATA


@pytest.fixture
def orders():
    return fdc.Spectrum.read(TESTDATA / "orders" / "orders.json")


@pytest.fixture(scope="session")
def project(tmp_path_factory):
    """A copy of the project orders, to run its tests in."""
    ignore = shutil.ignore_patterns("__pycache__", "*.json", "*.txt")
    copy = tmp_path_factory.mktemp("project") / "orders"
    return shutil.copytree(TESTDATA / "orders", copy, ignore=ignore)


@pytest.fixture(scope="session")
def case(project, tmp_path_factory):
    """The project, collected; to be looked at only."""
    out = tmp_path_factory.mktemp("case") / "case.fdc"
    return fdc.collect("pytest", project, out, python=sys.executable)


@pytest.fixture
def program():
    """Runs the program `fdc` and returns its JSON."""

    def run(*arguments):
        command = [os.environ["FDC"], *map(str, arguments), "--format", "json", "--quiet"]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    return run

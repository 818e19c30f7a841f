import json
import os
import subprocess
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


@pytest.fixture
def program():
    """Runs the program `fdc` and returns its JSON."""

    def run(*arguments):
        command = [os.environ["FDC"], *map(str, arguments), "--format", "json", "--quiet"]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    return run

"""The examples in the documents run."""
import re
import subprocess
import sys

import pytest

DOCUMENT = "docs/python.md"


def examples(repository):
    return re.findall(r"```python\n(.*?)```", (repository / DOCUMENT).read_text(), re.DOTALL)


@pytest.mark.parametrize("number", range(3))
def test_an_example_runs_and_prints(testdata, number):
    repository = testdata.parent
    example = examples(repository)[number]
    done = subprocess.run(
        [sys.executable, "-c", example], cwd=repository, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert len(done.stdout.splitlines()) >= 2


def test_no_example_is_left_out(testdata):
    assert len(examples(testdata.parent)) == 3

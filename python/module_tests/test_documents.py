"""The examples in the documents run."""
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[2]
# test_ray.py runs those of scale.md, on a cluster of its own.
PAGES = [page for page in sorted((REPOSITORY / "docs").glob("*.md")) if page.name != "scale.md"] + [REPOSITORY / "python" / "README.md"]
# Not those inside a sample of Markdown, which are indented.
EXAMPLE = re.compile(r"^```python\n(.*?)^```", re.DOTALL | re.MULTILINE)
EXAMPLES = [
    pytest.param(example, id=f"{page.name}-{number}")
    for page in PAGES
    for number, example in enumerate(EXAMPLE.findall(page.read_text(encoding="utf-8")), start=1)
]


@pytest.fixture(scope="session")
def folder(case, tmp_path_factory):
    """The repository, as far as examples read it, and a case."""
    folder = tmp_path_factory.mktemp("documents")
    for name in ["orders", "orders-bugs"]:
        shutil.copytree(REPOSITORY / "testdata" / name, folder / "testdata" / name)
    shutil.copy(case, folder / "case.fdc")
    return folder


@pytest.mark.parametrize("example", EXAMPLES)
def test_an_example_runs_and_prints(folder, example):
    # As in an environment that was activated.
    environment = {**os.environ, "VIRTUAL_ENV": sys.prefix}
    done = subprocess.run(
        [sys.executable, "-c", example],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert len(done.stdout.splitlines()) >= 2


def test_no_example_is_left_out():
    # Those of docs/python.md, and the one on the first page of the package.
    assert len(EXAMPLES) >= 7

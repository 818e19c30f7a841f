"""The notebook runs, and shows what comes out now. FDC_TOUR=write puts new outputs into it."""
import os
import re
from pathlib import Path

import nbclient
import nbformat
import pytest

TOUR = Path(__file__).resolve().parents[2] / "docs" / "tour.ipynb"
WRITES = os.environ.get("FDC_TOUR") == "write"
CLOCK = re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(\.\d+)?Z?")


@pytest.fixture(scope="module")
def notebook():
    return nbformat.read(TOUR, as_version=4)


@pytest.fixture(scope="module")
def executed(notebook):
    """The same, executed in its folder; the notebook works in a folder of its own."""
    again = nbformat.from_dict(notebook)
    for cell in code(again):
        cell.outputs, cell.execution_count = [], None
    resources = {"metadata": {"path": str(TOUR.parent)}}
    client = nbclient.NotebookClient(again, timeout=300, kernel_name="python3", resources=resources)
    client.execute()
    for cell in again.cells:
        # When each cell ran is nothing to keep.
        cell.metadata.pop("execution", None)
    # The version of Python is that of who ran it last.
    again.metadata = notebook.metadata
    if WRITES:
        nbformat.write(again, TOUR)
    return again


def code(notebook):
    return [cell for cell in notebook.cells if cell.cell_type == "code"]


def outputs(cell):
    """What a cell shows, as (kind, text), but for what clocks tell."""
    found = []
    for output in cell.outputs:
        data = output.get("data", {output.get("name", output.output_type): output.get("text", "")})
        found += [(kind, CLOCK.sub("CLOCK", text)) for kind, text in sorted(data.items())]
    return found


@pytest.mark.skipif(WRITES, reason="it is written just now")
def test_the_notebook_shows_what_comes_out(notebook, executed):
    for number, (kept, now) in enumerate(zip(code(notebook), code(executed)), start=1):
        assert outputs(kept) == outputs(now), f"cell {number}: {kept.source}"


def test_every_kind_of_output_is_there(executed):
    shown = [kind for cell in code(executed) for kind, _ in outputs(cell)]
    assert shown.count("text/html") >= 5 and shown.count("image/svg+xml") >= 2
    assert "stderr" not in shown and "error" not in shown


def test_outputs_tell_nothing_of_the_machine(executed):
    texts = [text for cell in code(executed) for _, text in outputs(cell)]
    foreign = [str(TOUR.parents[1]), str(Path.home()), "/tmp/", os.sep + "home" + os.sep]
    assert not [name for name in foreign if name != "/" and any(name in text for text in texts)]


@pytest.mark.skipif(WRITES, reason="it is written just now")
def test_cells_are_numbered_and_have_ids(notebook):
    assert [cell.execution_count for cell in code(notebook)] == list(range(1, len(code(notebook)) + 1))
    assert len({cell.id for cell in notebook.cells}) == len(notebook.cells)

"""Tests are made by Pynguin under our metrics. Short budgets, counted in generations."""
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import fdc
from fdc.generation.lines import numbers

MODULE = "orders.discount"


@pytest.fixture
def generate(testdata, tmp_path):
    """Runs the generator; returns the tests, the kept rows and the report."""
    shutil.copytree(testdata / "orders", tmp_path / "orders")
    runs = []

    def run(code=0, **changes):
        runs.append(None)
        folder = tmp_path / f"run{len(runs)}"
        folder.mkdir()
        guide = {
            "case": str(tmp_path / "orders" / "orders.json"),
            "root": str(tmp_path / "orders" / "src"),
            "module": MODULE,
            "tests": str(folder / "tests"),
            "kept": str(folder / "kept.rows"),
            "report": str(folder / "rounds.jsonl"),
            "seed": 1,
            "iterations": 4,
            **changes,
        }
        guide = {key: value for key, value in guide.items() if value is not None}
        (folder / "guide.json").write_text(json.dumps(guide))
        done = subprocess.run(
            [sys.executable, "-m", "fdc.pynguin", str(folder / "guide.json")],
            capture_output=True, text=True, check=False, cwd=tmp_path,
        )
        assert done.returncode == code, done.stderr
        if code != 0:
            return done.stderr
        tests = folder / "tests" / "test_orders_discount.py"
        assert done.stdout == f"{tests}\n"
        kept = [[int(e) for e in line.split()] for line in Path(guide["kept"]).read_text().splitlines()]
        report = [json.loads(line) for line in (folder / "rounds.jsonl").read_text().splitlines()]
        return tests, kept, report

    return run


def check_report(report, kept, orders):
    """What the report says is what the rows say."""
    start, *rounds, end = report
    assert start["event"] == "start" and end["event"] == "end"
    assert start["class"] == MODULE and start["elements"] == len(orders.elements)
    in_module = [e for e in orders.elements if e.file == "orders/discount.py"]
    assert start["known"] == len(in_module) > 0
    fitness = fdc.Fitness(orders, metric="tfd")
    assert start["groups"] == fitness.groups
    rows = iter(kept)
    for number, line in enumerate(rounds, 1):
        assert line["event"] == "round" and line["round"] == number
        assert line["groups_before"] == fitness.groups
        if line["kept"]:
            row = next(rows)
            fitness.keep(row)
            assert line["covers"] == len(row)
        assert line["groups"] == fitness.groups
    assert next(rows, None) is None
    assert end["tests"] == len(kept)


@pytest.mark.parametrize("criterion", ["rlfdc", "ddu", "line"])
def test_a_suite_is_made_and_can_be_run(generate, orders, criterion):
    tests, kept, report = generate(criterion=criterion)
    check_report(report, kept, orders)
    assert (report[-1]["evaluations"] > 0) == (criterion != "line")
    assert report[-1]["generations"] == 4
    files = {orders.elements[e].file for row in kept for e in row}
    assert files == {"orders/discount.py"}
    source = tests.parents[2] / "orders" / "src"
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(tests)],
        capture_output=True, text=True, check=False, cwd=tests.parent,
        env={**os.environ, "PYTHONPATH": str(source)},
    )
    assert done.returncode == 0, done.stdout
    assert f"{len(kept)} passed" in done.stdout


def test_tests_are_made_one_by_one_and_each_tells_more(generate, orders):
    _, kept, report = generate(level="test", iterations=12, round_iterations=3)
    check_report(report, kept, orders)
    assert len(kept) > 1
    assert report[-2]["groups"] > report[0]["groups"]


@pytest.mark.parametrize("level", ["suite", "test"])
def test_the_same_seed_gives_the_same_tests(generate, level):
    first, second = (generate(level=level, round_iterations=2) for _ in range(2))
    assert first[0].read_text() == second[0].read_text()
    assert first[1] == second[1]
    other = generate(level=level, round_iterations=2, seed=2)
    assert other[0].read_text() != first[0].read_text()


def test_rows_of_earlier_runs_are_part_of_the_suite(generate, orders, tmp_path):
    covered = orders.coverage(orders.failing[0])
    earlier = tmp_path / "earlier.rows"
    earlier.write_text(" ".join(map(str, covered[::2])) + "\n")
    _, kept, report = generate(kept=str(earlier))
    assert kept[0] == covered[::2] and len(kept) == 1 + report[-1]["tests"]
    assert report[0]["groups"] == 2


@pytest.mark.parametrize(
    "changes, code, message",
    [
        ({"criterion": "fdg"}, 2, "metric fdg looks at outcomes"),
        ({"criterion": "rlfd"}, 2, 'unknown metric "rlfd"; did you mean "rlfdc"?'),
        ({"failing": "nobody"}, 2, 'no test is named "nobody"'),
        ({"case": "no-such-case"}, 3, "no-such-case: cannot open it"),
        ({"module": "orders.nothing"}, 4, "Pynguin made no tests for orders.nothing: SETUP_FAILED"),
        ({"iterations": None}, 2, "expected a budget, seconds or iterations, found none"),
        ({"iterations": 0}, 2, "iterations: expected at least 1, found 0"),
        ({"seed": "one"}, 2, 'seed: expected a whole number, found "one"'),
        ({"level": "class"}, 2, "level: expected suite or test, found 'class'"),
        ({"level": "test", "criterion": "line"}, 2, "criterion line has no value for a single test"),
        ({"budget": 3}, 2, "unknown key 'budget'"),
        ({"module": None}, 2, "expected the key 'module', found none"),
    ],
    ids=lambda value: str(value)[:40],
)
def test_wrong_guides_are_explained(generate, changes, code, message):
    assert message in generate(code=code, **changes)


def test_another_pynguin_or_none_is_explained(monkeypatch):
    from fdc import pynguin

    monkeypatch.setattr(pynguin.importlib.metadata, "version", lambda name: "0.30.0")
    assert pynguin.unfit().startswith("expected Pynguin 0.48, found 0.30.0")

    def missing(name):
        raise pynguin.importlib.metadata.PackageNotFoundError(name)

    monkeypatch.setattr(pynguin.importlib.metadata, "version", missing)
    assert pynguin.unfit().startswith("Pynguin is not installed for")
    assert "pip install 'pynguin==0.48.*'" in pynguin.unfit()
    monkeypatch.setattr(pynguin.sys, "version_info", (3, 9, 1))
    assert pynguin.unfit().startswith("expected Python 3.10 or newer")


def test_numbers_are_those_of_the_bits():
    assert numbers(bytes([0b101, 0, 0b10000000])) == [0, 2, 23]

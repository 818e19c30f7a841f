"""The module answers as the program does."""
import math

import pytest

import fdc

INPUTS = ["orders/orders.json", "paper-example/example.csv", "csv/judged.csv"]


def number(value):
    return math.inf if value == "inf" else -math.inf if value == "-inf" else value


@pytest.mark.parametrize("name", INPUTS)
@pytest.mark.parametrize("level", ["method", "line", "file"])
@pytest.mark.parametrize("formula", ["sharp", "ochiai", "dstar", "naish1"])
def test_rankings_are_the_program_s(testdata, program, name, level, formula):
    path = testdata / name
    spectrum = fdc.Spectrum.read(path)
    ours = fdc.rank(spectrum, formula, level)
    theirs = program("rank", path, "--level", level, "--formula", formula)[level + "s"]
    assert [(s.name, s.score, s.rank) for s in ours] == [
        (entry["name"], number(entry["score"]), entry["rank"]) for entry in theirs
    ]


@pytest.mark.parametrize("tie", ["max", "min", "average", "expected"])
@pytest.mark.parametrize("aggregate", ["max", "mean", "sum"])
def test_ties_and_aggregates_are_the_program_s(testdata, program, tie, aggregate):
    path = testdata / "orders/orders.json"
    ours = fdc.rank(fdc.Spectrum.read(path), "ochiai", tie=tie, aggregate=aggregate)
    theirs = program("rank", path, "--formula", "ochiai", "--tie", tie, "--aggregate", aggregate)["methods"]
    assert [(s.name, s.rank) for s in ours] == [(e["name"], e["rank"]) for e in theirs]


def test_probabilities_and_reasons_are_the_program_s(testdata, program):
    path = testdata / "orders/orders.json"
    ours = fdc.rank(fdc.Spectrum.read(path))
    theirs = program("rank", path)["methods"]
    assert [(s.probability, s.why) for s in ours] == [(e["probability"], e.get("why", [])) for e in theirs]
    assert ours[0].why and 0 < ours[0].probability < 1


@pytest.mark.parametrize("name", INPUTS)
@pytest.mark.parametrize("reveal", [False, True])
@pytest.mark.parametrize("metric", [metric.name for metric in fdc.metrics()])
def test_picks_are_the_program_s(testdata, program, name, metric, reveal):
    path = testdata / name
    spectrum = fdc.Spectrum.read(path)
    failing = spectrum.failing[0]
    ours = fdc.select(spectrum, failing, metric, reveal=reveal)
    options = ["--failing", failing, "--metric", metric] + ["--reveal"] * reveal
    theirs = program("select", path, *options)["steps"][1:]
    assert [(p.test, p.score, p.outcome) for p in ours] == [
        (step["added"], number(step["score"]), step["outcome"]) for step in theirs
    ]


def test_the_default_metric_is_the_program_s(testdata, program):
    path = testdata / "orders/orders.json"
    ours = fdc.select(fdc.Spectrum.read(path), number=3)
    theirs = program("select", path, "-n", 3)["steps"][1:]
    assert [pick.test for pick in ours] == [step["added"] for step in theirs]
    assert fdc.metrics()[0].name == program("select", path)["metric"]


def test_a_model_file_gives_what_is_built_in(testdata):
    spectrum = fdc.Spectrum.read(testdata / "orders/orders.json")
    model = testdata.parent / "models" / "rlfdc.safetensors"
    assert fdc.select(spectrum, model=model) == fdc.select(spectrum, metric="rlfdc")


def test_all_tests_can_be_put_in_order(orders):
    picks = fdc.select(orders, metric="total", number=None)
    assert len(picks) == len(orders.tests) - 1

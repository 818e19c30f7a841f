"""Metrics are evaluated, compared and trained as the program does."""
import os
import subprocess
import sys

import pytest

import fdc


@pytest.fixture(scope="module")
def bugs(testdata):
    return [testdata / "orders" / "orders.json", testdata / "orders-bugs"]


@pytest.fixture(scope="module")
def results(bugs, tmp_path_factory):
    out = tmp_path_factory.mktemp("study") / "results"
    return fdc.evaluate(bugs, ["total", "fdg:alpha=0.3", "rlfdc"], out, tests=5, max_failing=2)


def contents(folder):
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    return {str(path.relative_to(folder)): path.read_bytes() for path in files}


def test_results_are_the_program_s(bugs, results, tmp_path):
    metrics = ["--metrics", "total,fdg:alpha=0.3,rlfdc", "--tests", "5", "--max-failing", "2"]
    command = [os.environ["FDC"], "evaluate", *bugs, *metrics, "-o", tmp_path / "theirs", "--quiet"]
    subprocess.run(list(map(str, command)), check=True)
    assert contents(results.results) == contents(tmp_path / "theirs")
    assert not results.before and results.left_out == []
    assert fdc.evaluate(bugs, "total,fdg:alpha=0.3,rlfdc", results, tests=5, max_failing=2).before


def test_an_evaluation_is_ended_and_resumed(bugs, results, tmp_path):
    class Enough(Exception):
        pass

    def progress(state):
        if state.done >= 3:
            raise Enough

    options = {"tests": 5, "max_failing": 2}
    arguments = (bugs, ["total", "fdg:alpha=0.3", "rlfdc"], tmp_path / "results")
    with pytest.raises(Enough):
        fdc.evaluate(*arguments, progress=progress, **options)
    fdc.evaluate(*arguments, **options)
    ours, whole = contents(tmp_path / "results"), contents(results.results)
    tables = [name for name in whole if name.endswith(".parquet")]
    assert tables and all(ours[name] == whole[name] for name in tables)


def test_parts_of_results_are_merged(bugs, results, tmp_path):
    parts = [tmp_path / "1", tmp_path / "2"]
    for number, part in enumerate(parts, start=1):
        metrics = ["total", "fdg:alpha=0.3", "rlfdc"]
        fdc.evaluate(bugs, metrics, part, tests=5, max_failing=2, shard=f"{number}/2")
    merged = fdc.merge(parts, tmp_path / "whole")
    assert merged.kind == "results" and contents(merged.out) == contents(results.results)


def test_a_file_that_is_left_out_is_told(bugs, tmp_path):
    broken = tmp_path / "broken.json"
    broken.write_text('{"subject": "orders"')
    with pytest.warns(UserWarning, match="left out: .*broken.json"):
        reply = fdc.evaluate([bugs[0], broken], "total", tmp_path / "results", tests=1)
    assert len(reply.left_out) == 1 and "broken.json" in reply.left_out[0]


def test_a_comparison_is_the_program_s(results, program):
    theirs = program("compare", results.results)
    ours = fdc.compare(results)
    assert ours.metrics[0] == theirs["statistics"]["against"] and len(ours.bugs) == theirs["bugs"] == 9
    assert ours.paragraph == theirs["statistics"]["paragraph"] and ours.verdict in str(ours)
    area = {row["metric"]: row["area"] for row in ours.to_dicts()}
    assert area == {metric["metric"]: pytest.approx(metric["area"]) for metric in theirs["all"]}
    rows = [row for row in ours.to_dicts("accuracy") if row["metric"] == "total"]
    points = next(metric["points"] for metric in theirs["all"] if metric["metric"] == "total")
    assert [row["tests"] for row in rows] == [0, 1, 2, 3, 4, 5, None]
    assert [row["mAP"] for row in rows] == [point["mAP"] for point in points]


def test_tables_become_frames(results):
    import pandas
    import polars

    comparison = fdc.compare(results, against="total")
    assert comparison.tables == ["summary", "accuracy", "contrasts", "projects", "changes"]
    for name in comparison.tables:
        columns = comparison.to_dict(name)
        polar, panda = comparison.to_polars(name), comparison.to_pandas(name)
        assert isinstance(polar, polars.DataFrame) and isinstance(panda, pandas.DataFrame)
        assert polar.columns == list(panda.columns) == list(columns)
        assert polar.to_dicts() == comparison.to_dicts(name)
    assert comparison.to_polars("accuracy").schema["tests"] == polars.Int64
    with pytest.raises(fdc.InputError, match="there is no table of pairs for these metrics"):
        comparison.to_dicts("pairs")
    with pytest.raises(fdc.InputError, match="table: expected one of summary, accuracy"):
        comparison.to_polars("bugs")


def test_a_missing_package_says_what_to_install(results, monkeypatch):
    monkeypatch.setitem(sys.modules, "polars", None)
    with pytest.raises(ImportError) as caught:
        fdc.compare(results).to_polars()
    assert isinstance(caught.value, fdc.PackageError) and caught.value.hint == "pip install polars"


def test_a_comparison_draws_itself(results, tmp_path):
    comparison = fdc.compare(results, ["total", "rlfdc"], bugs=("total", "rlfdc"))
    assert comparison.figures[0] == "map" and comparison.figure().svg.startswith("<svg")
    comparison.figure("acc-at-1").write(tmp_path / "plot.svg")
    assert (tmp_path / "plot.svg").read_text().startswith("<?xml")
    comparison.write(tmp_path / "page.html")
    assert (tmp_path / "page.html").read_text().startswith("<!DOCTYPE html>")
    shown = comparison._repr_html_()
    assert "From total to rlfdc" in shown and "<style" not in shown and "<script" not in shown
    assert "<svg" in fdc.compare(results)._repr_html_()
    with pytest.raises(fdc.InputError, match="figure: expected one of map, acc-at-1"):
        comparison.figure("mAP")
    with pytest.raises(fdc.InputError, match="no results of metric 'ddu'"):
        fdc.compare(results, against="ddu")


def test_models_say_what_they_are(program, testdata):
    for model in fdc.models():
        assert model.document == program("model", "show", model.metric)
        assert model.hyperparameters == model.document["hyperparameters"] and model.summary
    assert [model.metric for model in fdc.models()] == ["sharp", "rlfdc"]
    file = testdata.parent / "models" / "rlfdc.safetensors"
    assert fdc.model(file).document == fdc.model("rlfdc").document
    with pytest.raises(fdc.FileError, match="no-such-model"):
        fdc.model("no-such-model")


def test_a_training_is_the_program_s(bugs, tmp_path):
    told = []
    trained = fdc.train(bugs, tmp_path / "ours", seed=3, episodes=2, progress=told.append)
    assert [model.name for model in trained] == ["all"] and trained[0].curve and trained[0].summary
    assert told[-1].done == told[-1].total
    options = ["--seed", "3", "--episodes", "2", "-o", tmp_path / "theirs", "--quiet"]
    subprocess.run(list(map(str, [os.environ["FDC"], "train", *bugs, *options])), check=True)
    assert (tmp_path / "ours").read_bytes() == (tmp_path / "theirs").read_bytes()
    spectrum = fdc.Spectrum.read(bugs[0])
    assert len(fdc.select(spectrum, model=trained[0], number=2)) == 2
    assert fdc.model(trained[0]).hyperparameters["seed"] == 3


def test_a_training_that_is_ended_is_resumed(bugs, tmp_path):
    class Enough(Exception):
        pass

    def progress(state):
        if state.done >= 3:
            raise Enough

    whole = fdc.train(bugs, tmp_path / "whole", seed=3, episodes=2)
    with pytest.raises(Enough):
        fdc.train(bugs, tmp_path / "model", seed=3, episodes=2, progress=progress)
    fdc.train(bugs, tmp_path / "model", seed=3, episodes=2, resume=True)
    assert (tmp_path / "model").read_bytes() == whole[0].path.read_bytes()


@pytest.mark.parametrize(
    "options, kind, message",
    [
        ({"recipe": "sharpe"}, KeyError, 'unknown recipe "sharpe"; did you mean "sharp"?'),
        ({"protocol": "none"}, ValueError, "protocol: expected one of all, cross-version"),
        ({"epsodes": 3}, KeyError, 'unknown option of rlfdc "epsodes"; did you mean "episodes"?'),
        ({"episodes": "many"}, ValueError, 'episodes: expected a whole number from 0, found "many"'),
        ({"base": "sharp"}, ValueError, "rlfdc does not start from a model"),
        ({"shard": "1/2"}, ValueError, "there is one model to train, and shard= divides many"),
    ],
    ids=str,
)
def test_options_of_a_training_are_checked(bugs, tmp_path, options, kind, message):
    with pytest.raises(kind) as caught:
        fdc.train(bugs, tmp_path / "model", **options)
    assert message in caught.value.message and not (tmp_path / "model").exists()

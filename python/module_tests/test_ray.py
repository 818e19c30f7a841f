"""One evaluation, collection and training on the nodes of a Ray cluster: the program's own bytes."""
import json
import os
import re
import signal
import sqlite3
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
import ray
from ray.cluster_utils import Cluster

import fdc
import fdc.ray
from fdc.ray import node
from fdc.ray.__main__ import main, parsed
from fdc.ray.division import MOST, number_of_parts
from fdc.ray.inputs import Input, pack

TESTDATA = Path(__file__).resolve().parents[2] / "testdata"
EVALUATION = ["--metrics", "rlfdc:episodes=2,tfd", "--seeds", "2", "--protocol", "cross-project"]
OPTIONS = {"seeds": 2, "protocol": "cross-project"}
METRICS = ["rlfdc:episodes=2", "tfd"]
PATIENCE = 120

# Notes which parts are made. The part that is to wait does so, once.
WATCHED = """#!/bin/sh
for word; do
    if [ "$before" = --shard ]; then
        echo "$word" >> "{folder}/made"
        if mv "{folder}/wait-$(echo "$word" | tr / -)" "{folder}/taken" 2> "{folder}/errors"; then
            echo $$ > "{folder}/draft" && mv "{folder}/draft" "{folder}/waiting"
            exec sleep 600
        fi
    fi
    before=$word
done
exec "{program}" "$@"
"""


class Watched:
    """The program on the nodes, looked at."""

    def __init__(self, folder):
        self.folder = folder
        self.program = folder / "fdc"
        self.program.write_text(WATCHED.format(folder=folder, program=Path(os.environ["FDC"]).resolve()))
        self.program.chmod(0o755)

    def let_wait(self, part):
        for name in ("made", "waiting"):
            (self.folder / name).unlink(missing_ok=True)
        (self.folder / f"wait-{part.replace('/', '-')}").touch()

    def made(self):
        return (self.folder / "made").read_text().split()

    def waiting(self):
        """The process of the part that waits."""
        wait_for((self.folder / "waiting").exists)
        return int((self.folder / "waiting").read_text())


class Nodes:
    """Three nodes with a CPU each, on this machine."""

    def __init__(self):
        memory = 80 << 20
        self.cluster = Cluster(
            initialize_head=True, head_node_args={"num_cpus": 0, "include_dashboard": False, "object_store_memory": memory}
        )
        self.address = self.cluster.address
        self.nodes = []
        for _ in range(3):
            self.add(memory)
        self.cluster.wait_for_nodes()

    def add(self, memory=80 << 20):
        self.nodes.append(self.cluster.add_node(wait=False, num_cpus=1, object_store_memory=memory))

    def kill_node_of(self, process):
        """The node whose worker started the process."""
        raylet = parent_of(parent_of(process))
        [node] = [own for own in self.nodes if own.all_processes["raylet"][0].process.pid == raylet]
        self.nodes.remove(node)
        self.cluster.remove_node(node, allow_graceful=False)


def parent_of(process):
    status = Path(f"/proc/{process}/status").read_text()
    return int(next(line for line in status.splitlines() if line.startswith("PPid:")).split()[1])


def wait_for(condition):
    end = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < end, "it did not happen"
        time.sleep(0.05)


@pytest.fixture(scope="module")
def environment(tmp_path_factory):
    """What the nodes inherit."""
    with pytest.MonkeyPatch.context() as patch:
        watched = Watched(tmp_path_factory.mktemp("watched"))
        patch.setenv("FDC_PROGRAM", str(watched.program))
        patch.setenv("FDC_RAY_STORE", str(tmp_path_factory.mktemp("store")))
        # Tests write no token into the home folder.
        patch.setenv("RAY_AUTH_MODE", "disabled")
        patch.setenv("RAY_USAGE_STATS_ENABLED", "0")
        yield watched


@pytest.fixture(scope="module")
def nodes(environment):
    nodes = Nodes()
    yield nodes
    ray.shutdown()
    nodes.cluster.shutdown()


@pytest.fixture(scope="module")
def bugs(tmp_path_factory):
    folder = tmp_path_factory.mktemp("data") / "bugs"
    folder.mkdir()
    bug = json.loads((TESTDATA / "orders" / "orders.json").read_text())
    for subject in range(3):
        for version in range(1, 4):
            kept = [at for at, test in enumerate(bug["tests"]) if test["outcome"] == "fail" or (at + version + subject) % 4]
            own = {**bug, "subject": f"Shop{subject}", "version": version}
            own.update({key: [bug[key][at] for at in kept] for key in ("tests", "coverage")})
            (folder / f"{subject}-{version}.json").write_text(json.dumps(own))
    return folder


def run_program(*arguments, folder):
    done = subprocess.run(
        [os.environ["FDC"], "--quiet", *map(str, arguments)], cwd=folder, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr


@pytest.fixture(scope="module")
def one_piece(bugs, tmp_path_factory):
    folder = tmp_path_factory.mktemp("one-piece")
    run_program("evaluate", bugs, *EVALUATION, "-o", "results", folder=folder)
    return contents(folder / "results")


def contents(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def test_a_node_is_killed_and_the_bytes_are_the_program_s(nodes, environment, bugs, one_piece, tmp_path):
    environment.let_wait("3/6")
    killed = []

    def kill():
        process = environment.waiting()
        nodes.kill_node_of(process)
        wait_for(lambda: not Path(f"/proc/{process}").exists())
        killed.append(process)

    killer = threading.Thread(target=kill)
    killer.start()
    seen = []
    done = fdc.ray.evaluate(
        bugs, METRICS, out=tmp_path / "results", address=nodes.address, parts=6, progress=lambda *counts: seen.append(counts), **OPTIONS
    )
    killer.join()
    nodes.add()
    assert killed and environment.made().count("3/6") == 2
    assert contents(tmp_path / "results") == one_piece
    assert seen == [(count, 6) for count in range(7)]
    assert (done.parts, done.resumed, done.complete, done.notes) == (6, 0, True, [])


def test_what_a_killed_driver_has_is_not_made_again(nodes, environment, bugs, one_piece, tmp_path):
    environment.let_wait("2/5")
    command = [sys.executable, "-m", "fdc.ray", "evaluate", str(bugs), *EVALUATION, "-o", "results", "--address", nodes.address]
    driver = subprocess.Popen([*command, "--parts", "5"], cwd=tmp_path, stderr=subprocess.PIPE, text=True)
    process = environment.waiting()
    kept = tmp_path / "results.parts"
    wait_for(lambda: len(list(kept.glob("part-*"))) == 4)
    driver.send_signal(signal.SIGKILL)
    driver.communicate()
    wait_for(lambda: not Path(f"/proc/{process}").exists())
    assert not (tmp_path / "results").exists()
    again = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert again.returncode == 0, again.stderr
    assert "results: 5 parts, 4 of them from before" in again.stderr
    made = environment.made()
    assert sorted(set(made)) == [f"{part}/5" for part in range(1, 6)] and len(made) == 6
    assert contents(tmp_path / "results") == one_piece
    # Complete: no cluster is needed to say so.
    done = subprocess.run([*command[:-1], "127.0.0.1:1"], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0 and "5 of them from before" in done.stderr
    other = subprocess.run([*command, "--tests", "3"], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert other.returncode == 2 and "results.parts: holds parts of other options: command is" in other.stderr


def test_the_number_of_parts_is_found(nodes, bugs, one_piece, tmp_path):
    done = fdc.ray.evaluate(str(bugs), METRICS, out=tmp_path / "results", address=nodes.address, **OPTIONS)
    assert 3 <= done.parts < 96
    assert contents(tmp_path / "results") == one_piece


def test_the_example_of_the_page_runs(nodes, bugs, tmp_path, monkeypatch):
    page = (TESTDATA.parent / "docs" / "scale.md").read_text()
    [example] = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    (tmp_path / "bugs").symlink_to(bugs)
    monkeypatch.setenv("RAY_ADDRESS", nodes.address)
    done = subprocess.run([sys.executable, "-c", example], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "0 from before\nresults is complete\n" in done.stdout


def test_models_are_those_of_the_program(nodes, bugs, tmp_path):
    options = ["--recipe", "sharp", "--protocol", "cross-project"]
    run_program("train", bugs, *options, "-o", "whole", folder=tmp_path)
    done = fdc.ray.train(
        [bugs], protocol="cross-project", recipe="sharp", out=tmp_path / "models", address=nodes.address, parts=2, shared=True
    )
    assert done.parts == 2
    assert contents(tmp_path / "models") == contents(tmp_path / "whole")


def test_a_case_is_that_of_the_program_but_for_times(nodes, tmp_path):
    project = tmp_path / "project"
    project.mkdir()
    (project / "shop.py").write_text("def price(n):\n    if n > 3:\n        return n * 9\n    return n * 10\n")
    for file in range(4):
        test = f"import shop\n\ndef test_it():\n    found = shop.price({file})\n    assert found == {10 * file if file < 3 else 0}\n"
        (project / f"test_{file}.py").write_text(test)
    python = f"--python={sys.executable}"
    run_program("collect", "pytest", "--root", project, python, "-o", "whole.fdc", folder=tmp_path)
    done = fdc.ray.collect(
        "pytest", root=project, python=sys.executable, out=tmp_path / "case.fdc", address=nodes.address, parts=3
    )
    assert done.parts == 3
    assert timeless(tmp_path / "case.fdc") == timeless(tmp_path / "whole.fdc")
    assert sorted(path.name for path in project.iterdir() if path.suffix == ".fdc") == []


def timeless(case):
    """The file without what clocks tell."""
    connection = sqlite3.connect(case, isolation_level=None)
    connection.execute("UPDATE test SET seconds = 0")
    connection.execute("UPDATE about SET value = '' WHERE key = 'checksum'")
    connection.execute("VACUUM")
    connection.close()
    return case.read_bytes()


def test_errors_of_the_program_are_told_and_not_tried_again(nodes, environment, bugs, tmp_path):
    environment.let_wait("none")
    with pytest.raises(fdc.InputError) as raised:
        fdc.ray.evaluate(bugs, "tdf", out=tmp_path / "results", address=nodes.address, parts=2)
    assert str(raised.value) == 'unknown metric "tdf"; did you mean "tfd"?\n  `fdc list metrics` shows all metrics'
    assert len(set(environment.made())) == len(environment.made())
    assert list(tmp_path.iterdir()) == []


def test_files_that_cannot_be_read_are_left_out_as_the_program_does(nodes, bugs, tmp_path):
    folder = tmp_path / "bugs"
    folder.mkdir()
    for path in bugs.iterdir():
        (folder / path.name).write_bytes(path.read_bytes())
    (folder / "2-3.json").write_text("{")
    for _ in range(2):
        done = fdc.ray.evaluate(folder, "tfd", out=tmp_path / "results", address=nodes.address, parts=2)
        assert not done.complete and len(done.notes) == 1
        assert done.notes[0].startswith(f"left out: {folder / '2-3.json'}: ")
    assert done.resumed == 2 and (tmp_path / "results" / "results.parquet").exists()


@pytest.mark.parametrize(
    "options, message",
    [
        ({"shard": "1/2"}, "--shard is no option here"),
        ({"threads": 2}, "--threads is no option here"),
        ({"parts": 1}, "parts: expected at least 2, found 1"),
        ({"parts": MOST + 1}, f"parts: expected at most {MOST}"),
        ({"retries": -1}, "retries: expected at least 0"),
        ({"data": "no-such-folder"}, "no-such-folder: there is no such file or folder"),
        ({"data": "no-such-folder", "shared": True}, "no-such-folder: there is no such file or folder"),
        ({"out": "there"}, "there: there is something already"),
        ({"out": "."}, ".: there is something already"),
    ],
    ids=lambda value: str(value)[:40],
)
def test_wrong_requests_need_no_cluster(environment, bugs, tmp_path, monkeypatch, options, message):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "there").touch()
    arguments = {"data": bugs, "metrics": "tfd", "out": "results", "address": "127.0.0.1:1", **options}
    with pytest.raises(fdc.FdcError) as raised:
        fdc.ray.evaluate(**arguments)
    assert message in str(raised.value)
    assert list(tmp_path.iterdir()) == [tmp_path / "there"]


def test_parts_are_as_many_as_pay():
    # A second to begin with, an hour of work for each of ten places.
    assert number_of_parts(10, 1.0, 36_000.0) == 320
    # The share that may be lost is the limit, then that every place has a part; whole parts for each.
    assert number_of_parts(10, 1.0, 1_000.0) == 50
    assert number_of_parts(10, 1.0, 390.0) == 10
    assert number_of_parts(10, 1.0, 5.0) == 10
    assert number_of_parts(1, 1.0, 0.0) == 2
    assert number_of_parts(2_000, 0.0, 1e9) == MOST


def test_what_is_sent_is_told_apart_by_what_is_in_it(tmp_path):
    folder = tmp_path / "data"
    (folder / "deep").mkdir(parents=True)
    (folder / "deep" / "a").write_text("a")
    (folder / "link").symlink_to("deep/a")
    (folder / "__pycache__").mkdir()
    digest, entries = pack(Input(folder), [])
    assert [(name, kind, content) for name, kind, _, _, content in entries] == [
        ("data", "folder", b""), ("data/deep", "folder", b""), ("data/link", "file", b"a"), ("data/deep/a", "file", b"a"),
    ]
    os.utime(folder / "deep" / "a", ns=(5, 5))
    assert pack(Input(folder), [])[0] == digest
    of_project, entries = pack(Input(folder, project=True), [folder / "deep"])
    assert of_project != digest and [(entry[0], entry[4]) for entry in entries] == [("data", b""), ("data/link", b"deep/a")]
    (folder / "deep" / "a").write_text("b")
    assert pack(Input(folder), [])[0] != digest


def test_a_node_unpacks_once_and_no_two_parts_share_a_project(environment, tmp_path):
    project = tmp_path / "project"
    project.mkdir()
    (project / "run").write_text("#!/bin/sh\n")
    (project / "run").chmod(0o750)
    os.utime(project / "run", ns=(10**18 + 7, 10**18 + 7))
    (project / "link").symlink_to("run")
    digest, entries = pack(Input(project, project=True), [])
    fetched = []

    def fetch():
        fetched.append(digest)
        return entries

    place = node.unpacked(digest, fetch)
    assert node.unpacked(digest, fetch) == place and fetched == [digest]
    with node.own_copy(place) as one, node.own_copy(place) as other:
        assert len({one, other, place}) == 3
        (one / "project" / "built").touch()
        run = other / "project" / "run"
        assert run.stat().st_mode & 0o777 == 0o750 and run.stat().st_mtime_ns == 10**18 + 7
        assert os.readlink(other / "project" / "link") == "run"
    with node.own_copy(place) as again:
        assert again == one and (again / "project" / "built").exists()
    assert not (place / "project" / "built").exists()


def test_the_command_line_takes_the_program_s_options_as_they_are(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "own.safetensors").touch()
    words = "collect pytest --root p --timeout 5 --parts 7 -o c.fdc -- -x --parts".split()
    work, settings, _ = parsed(words)
    assert work.words == ["collect", "pytest", "--root", Input(Path("p"), project=True), "--timeout", "5"]
    assert (work.out, work.after, work.is_case, settings.parts) == (Path("c.fdc"), ["--", "-x", "--parts"], True, 7)
    work, settings, quiet = parsed("train a b --protocol none --base own.safetensors -q --mutants m n --cpus 2 -o out".split())
    data, mutants = [Input(Path(name)) for name in "ab"], [Input(Path(name)) for name in "mn"]
    base = ["--base", Input(Path("own.safetensors"))]
    assert work.words == ["train", *data, "--protocol", "none", "--mutants", *mutants, *base]
    assert (settings.cpus, quiet) == (2, True)
    assert parsed(["train", "a", "--base", "sharp", "-o", "out"])[0].words[-1] == "sharp"


@pytest.mark.parametrize(
    "words, code, message",
    [
        (["rank", "case.fdc"], 2, "expected evaluate, train or collect, found 'rank'"),
        (["evaluate", "bugs"], 2, "the following arguments are required: -o/--out"),
        (["evaluate", "bugs", "-o", "out", "--parts", "many"], 2, "argument --parts: invalid int value: 'many'"),
        (["evaluate", "bugs", "-o", "out", "--shard=1/2"], 2, "--shard is no option here"),
        (["evaluate", "no-such-bugs", "-o", "out"], 3, "no-such-bugs: there is no such file or folder"),
    ],
    ids=lambda value: str(value)[:40],
)
def test_wrong_commands_are_explained(environment, capfd, words, code, message):
    assert main(words) == code
    assert capfd.readouterr().err.startswith(f"error: {message}")

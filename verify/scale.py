#!/usr/bin/env python3
"""Runs the recipes of docs/scale.md on this machine, a part after the other, and compares what is merged with one piece.

    verify/scale.py PYTHON [--tests 2000] [--work FOLDER]     FDC: the program; PYTHON has pytest and coverage

The commands are those of the page: a part has the variables that a runner of GitHub, Slurm or Kubernetes would set.
Prints one JSON object.
"""
import argparse
import json
import os
import re
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "scale.md"
PER_FILE = 20
SHARDS = 7


class Fault(Exception):
    pass


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("python")
    parser.add_argument("--tests", type=int, default=2000)
    parser.add_argument("--work", type=Path)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        work = (arguments.work or Path(temporary)).resolve()
        print(json.dumps(check(work, arguments.python, arguments.tests), indent=1))


def check(work, python, tests):
    fdc = Path(os.environ.get("FDC", ROOT / "target" / "release" / "fdc")).resolve()
    recipes = recipes_of(PAGE.read_text())
    place = Place(work, fdc, python)
    return {
        "collect": collect(place, recipes, tests),
        "evaluate": evaluate(place, recipes),
        "kubernetes": kubernetes(place, recipes),
    }


def recipes_of(page):
    """The first block of code after each heading."""
    found = {}
    for section in re.split(r"^## ", page, flags=re.M)[1:]:
        block = re.search(r"```\w+\n(.*?)```", section, flags=re.S)
        if block:
            found[section.split("\n")[0]] = block[1]
    return found


class Place:
    """Where commands of the page run: `fdc` is the program, and pytest's Python is the given one."""

    def __init__(self, work, fdc, python):
        self.work, self.project = work, work / "project"
        programs = work / "bin"
        programs.mkdir(parents=True)
        (programs / "fdc").symlink_to(fdc)
        environment = Path(python).absolute().parent.parent
        self.environment = {**os.environ, "VIRTUAL_ENV": str(environment), "PATH": f"{programs}{os.pathsep}{os.environ['PATH']}",
                            "GIT_CEILING_DIRECTORIES": str(work)}

    def shell(self, line, **variables):
        begun = time.time()
        done = subprocess.run(["sh", "-e", "-c", line], cwd=self.project, capture_output=True, text=True, env={**self.environment, **variables})
        if done.returncode:
            raise Fault(f"{line}\nended with {done.returncode}:\n{done.stdout}{done.stderr}")
        return time.time() - begun


def make_project(folder, tests):
    folder.mkdir(parents=True)
    functions = "".join(f"def f{number}(x):\n    if x > {number % 7}:\n        return x + 1\n    return x - 1\n\n\n" for number in range(40))
    (folder / "code.py").write_text(functions)
    for file in range(tests // PER_FILE):
        body = "".join(
            f"def test_{number}():\n    found = shop.f{(file * 3 + number) % 40}({number})\n    assert found != {8 if (file, number) == (7, 7) else -9}\n\n\n"
            for number in range(PER_FILE)
        )
        (folder / f"test_{file:03}.py").write_text(f"import shop\n\n\n{body}")
    (folder / "code.py").rename(folder / "shop.py")


def collect(place, recipes, tests):
    make_project(place.project, tests)
    recipe = recipes["A matrix in CI"]
    runs = re.findall(r"- run: (.*)", recipe)
    parts = [int(number) for number in re.search(r"part: \[(.*?)\]", recipe)[1].split(", ")]
    whole = place.shell("fdc collect pytest -o whole.fdc")
    seconds = [place.shell(runs[0].replace("${{ matrix.part }}", str(part))) for part in parts]
    merging = place.shell(runs[1])
    place.shell(runs[2])
    same = content(place.project / "whole.fdc") == content(place.project / "case.fdc")
    if not same:
        raise Fault("the merged case differs from that of one piece")
    return {"tests": tests, "parts": len(parts), "same_bytes_without_times": same, "seconds": {
        "one_piece": round(whole, 1), "parts": [round(one, 1) for one in seconds], "merge": round(merging, 2)}}


def content(case):
    """The file, but for what clocks told."""
    copy = case.with_suffix(".timeless")
    shutil.copy(case, copy)
    database = sqlite3.connect(copy, isolation_level=None)
    database.execute("UPDATE test SET seconds = 0")
    database.execute("UPDATE about SET value = '' WHERE key = 'checksum'")
    database.execute("VACUUM")
    database.close()
    return copy.read_bytes()


def evaluate(place, recipes):
    bugs = place.project / "bugs"
    shutil.copytree(ROOT / "testdata" / "orders", bugs)
    bug = json.loads((bugs / "orders.json").read_text())
    shutil.rmtree(bugs)
    bugs.mkdir()
    for subject in range(3):
        for version in range(1, 5):
            kept = [at for at, test in enumerate(bug["tests"]) if test["outcome"] == "fail" or (at + version + subject) % 4]
            own = {**bug, "subject": f"Shop{subject}", "version": version}
            for key in ("tests", "coverage"):
                own[key] = [bug[key][at] for at in kept]
            (bugs / f"{subject}-{version}.json").write_text(json.dumps(own))
    # Trainings as small as can be: what is looked at is how they are divided.
    script = recipes["Slurm"].replace("--metrics rlfdc,", "--metrics rlfdc:episodes=2,").replace("--seeds 10", "--seeds 2")
    for task in range(1, SHARDS + 1):
        place.shell(script, SLURM_ARRAY_TASK_ID=str(task), SLURM_ARRAY_TASK_COUNT=str(SHARDS), SLURM_CPUS_PER_TASK="2")
    place.shell("fdc merge parts/* -o results && fdc compare results")
    one_piece = script.replace('--shard "$SLURM_ARRAY_TASK_ID/$SLURM_ARRAY_TASK_COUNT"', "").replace('"parts/$SLURM_ARRAY_TASK_ID"', "one-piece")
    place.shell(one_piece, SLURM_CPUS_PER_TASK="2")
    units = [json.loads((place.project / "parts" / str(task) / "part.json").read_text())["records"] for task in range(1, SHARDS + 1)]
    for file in ("options.json", "results.parquet"):
        if (place.project / "results" / file).read_bytes() != (place.project / "one-piece" / file).read_bytes():
            raise Fault(f"{file} of the merged results differs from that of one piece")
    return {"bugs": 12, "parts": SHARDS, "units_of_parts": [len(own) for own in units], "same_bytes": True}


def kubernetes(place, recipes):
    recipe = recipes["Kubernetes"]
    line = re.search(r'command: \["sh", "-c", "(.*)"\]', recipe)[1]
    completions = int(re.search(r"completions: (\d+)", recipe)[1])
    volume = place.work / "parts"
    volume.mkdir()
    for index in range(completions):
        place.shell(line.replace("/parts/", f"{volume}/"), JOB_COMPLETION_INDEX=str(index))
    place.shell(f"fdc merge {volume}/* -o of-kubernetes.fdc")
    if content(place.project / "of-kubernetes.fdc") != content(place.project / "whole.fdc"):
        raise Fault("the case merged of Kubernetes' parts differs from that of one piece")
    return {"parts": completions, "same_bytes_without_times": True}


if __name__ == "__main__":
    try:
        main()
    except Fault as fault:
        sys.exit(str(fault))

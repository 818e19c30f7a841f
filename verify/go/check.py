#!/usr/bin/env python3
"""Compares `fdc collect go` with the go command, on modules from the module proxy.

    verify/go/check.py [MODULE@VERSION...]     FDC: the program, else target/release/fdc

Per module: the tests are those that `go test -json` reports; for tests drawn by seed, the lines are
those of `go test -run '^X$' -coverprofile` (lines.go reads both profiles, with Go's own scanner);
and the times of `go test ./...` and of the collection, both with a warm build cache. A test may
cover other lines by hand from run to run (go-cmp tosses a coin when it is loaded): then one of a few
runs has to give the same lines. Prints JSON; exit code 1 if they differ.
"""
import json
import os
import random
import re
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
from case_rows import elements_of  # noqa: E402

MODULES = ["github.com/BurntSushi/toml@v1.6.0", "github.com/spf13/cobra@v1.10.2", "github.com/google/go-cmp@v0.7.0"]
SEED = 7
DRAWN = 25
TRIES = 8


def main():
    found, same = {}, True
    for module in sys.argv[1:] or MODULES:
        with tempfile.TemporaryDirectory() as folder:
            found[module] = check(module, Path(folder))
        same = same and not found[module]["different"]
    print(json.dumps(found, indent=1))
    sys.exit(0 if same else 1)


def check(module, folder):
    go = run("go", "mod", "download", "-json", module, cwd=folder)
    downloaded = json.loads(go.stdout)
    root = folder / "module"
    shutil.copytree(downloaded["Dir"], root)
    run("chmod", "-R", "u+w", root)
    name = downloaded["Path"]
    run("go", "test", "-count=1", "./...", cwd=root, may_fail=True)  # downloads and fills the build cache
    plain = timed("go", "test", "-count=1", "./...", cwd=root, may_fail=True)
    case = folder / "case.fdc"
    collect = [os.environ.get("FDC", HERE.parent.parent / "target/release/fdc"), "collect", "go", "--quiet", "--timeout", "120", "--root", root, "-o", case]
    run(*collect)
    case.unlink()
    collecting = timed(*collect)
    rows, known, notes = read_case(case)
    different = []
    expected = tests_of(name, root)
    different += [f"only go test has {test}" for test in sorted(expected - rows.keys())]
    different += [f"only fdc has {test}" for test in sorted(rows.keys() - expected)]
    lost = [test for test, note in notes.items() if "no coverage" in note]
    chosen = random.Random(SEED).sample(sorted(rows.keys() & expected), DRAWN)
    compared, unprofiled, changing = 0, [], []
    loaded = {}
    for test in chosen:
        package, path = re.match(r"(.*?)/((?:Test|Example|Fuzz)\w*(?:/.*)?)$", test).groups()
        if package not in loaded:
            loaded[package] = folder / f"loaded-{len(loaded)}"
            profile(root, package, "^$", loaded[package])
        pattern = "/".join(f"^{re.escape(part)}$" for part in path.split("/"))
        by_hand = []
        while len(by_hand) < TRIES and rows[test] not in by_hand:
            out = folder / "profile"
            if not profile(root, package, pattern, out):
                unprofiled.append(test)
                break
            lines = json.loads(run("go", "run", HERE / "lines.go", name, root, out, loaded[package], cwd=HERE).stdout)
            by_hand.append(set(lines["covered"]))
            if set(lines["known"]) - known:
                different.append(f"{test}: lines fdc does not know: {sorted(set(lines['known']) - known)[:9]}")
        if not by_hand:
            continue
        compared += len(rows[test])
        changing += [test] if len(by_hand) > 1 else []
        if rows[test] not in by_hand:
            different.append(f"{test}: only go {sorted(by_hand[0] - rows[test])[:9]}, only fdc {sorted(rows[test] - by_hand[0])[:9]}")
    source = [path for path in root.rglob("*.go") if not path.name.endswith("_test.go")]
    return {
        "go": run("go", "env", "GOVERSION").stdout.strip(),
        "source_lines": sum(len(path.read_text().splitlines()) for path in source),
        "tests": len(rows),
        "lines": len(known),
        "tests_without_coverage_data": lost,
        "tests_compared": len(chosen) - len(unprofiled),
        "covered_lines_compared": compared,
        "no_profile_by_hand": unprofiled,
        "equal_at_a_later_try": changing,
        "different": different,
        "load": os.getloadavg()[0],
        "seconds": {"go test ./...": plain, "fdc collect go": collecting},
    }


def tests_of(module, root):
    """The tests that ran and have no subtests, by the go command's own report. One that panics hides those behind it: they are asked for without the failing ones."""
    verdicts, failing = {}, []
    for skip in ([], failing):
        names = "|".join(sorted(set(skip))) or "-"
        for line in run("go", "test", "-count=1", "-json", f"-skip=^({names})$", "./...", cwd=root, may_fail=True).stdout.splitlines():
            event = json.loads(line)
            if event["Action"] in ("run", "pass", "fail", "skip") and "Test" in event:
                package = event["Package"].removeprefix(module).lstrip("/") or "."
                verdicts[f"{package}/{event['Test']}"] = event["Action"]
                failing += [event["Test"].split("/")[0]] if event["Action"] == "fail" else []
    wholes = {test.rsplit("/", i)[0] for test in verdicts for i in range(1, test.count("/"))}
    return {test for test, verdict in verdicts.items() if test not in wholes and verdict != "skip"}


def profile(root, package, pattern, out):
    out.unlink(missing_ok=True)
    command = ["go", "test", "-count=1", "-run", pattern, "-covermode=count", "-coverpkg=./...", f"-coverprofile={out}"]
    run(*command, package if package == "." else f"./{package}", cwd=root, may_fail=True)
    return out.exists() and out.stat().st_size > 0


def read_case(path):
    case = sqlite3.connect(path)
    places = "SELECT path || ':' || line FROM element JOIN method ON method = method.id JOIN file ON file = file.id ORDER BY element.id"
    elements = [place for (place,) in case.execute(places)]
    rows = case.execute("SELECT name, elements FROM test JOIN coverage ON test = test.id")
    covered = {name: {elements[element] for element in elements_of(row)} for name, row in rows}
    notes = dict(case.execute("SELECT name, ifnull(note, '') FROM test"))
    case.close()
    return covered, set(elements), notes


def timed(*command, **how):
    """Wall time, and processor time of all its processes."""
    begun, before = time.monotonic(), os.times()
    run(*command, **how)
    after = os.times()
    spent = after.children_user - before.children_user + after.children_system - before.children_system
    return {"wall": round(time.monotonic() - begun, 1), "processor": round(spent, 1)}


def run(*command, cwd=None, may_fail=False):
    done = subprocess.run([str(word) for word in command], cwd=cwd, text=True, capture_output=True)
    if done.returncode and not may_fail:
        sys.exit(f"{' '.join(map(str, command))} failed:\n{done.stdout[-2000:]}{done.stderr[-2000:]}")
    return done


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""Kills `fdc mutate` again and again, resumes it, and compares what it finds with an undisturbed run.

    verify/mutants/kills.py [python] [rust] [go] [--kills N] [--number N] [--seed N] [--work FOLDER]

FDC names the program. Small released packages of PyPI, crates.io and Go's proxy are measured once. Then N mutants are tried
undisturbed; and again, with a SIGKILL at N random moments on the way. Each moment is drawn, by the seed, between the start and
the time that an undisturbed run takes, so some kills meet builds and some meet mutants; a run that ends before is looked at as
at the end, and the next one begins anew. In the end
- the tables `mutant` (without its times), `mutant_test` and `kill` are the same;
- the project's files are as they were, and nothing is beside the case;
- no process works in the project's folder, nor in one of fdc's. That is looked at after each kill, too.

`verify/run mutants-killed` kills three times (SWEEPS=long: ten times) and writes verify/results/mutants-killed.json.
"""
import argparse
import hashlib
import json
import os
import random
import re
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from compare import FDC, PLAIN, crate, run
from subjects import fetch_module

CRATE = ("semver", "1.0.27")
SDIST = ("inflection", "0.5.1")
MODULE = ("github.com/google/shlex", "v0.0.0-20191202100458-e7afc7fbc510")
# What ends with fdc may need a moment.
PATIENCE = 20


class Fault(Exception):
    pass


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("which", nargs="*", metavar="python|rust|go")
    parser.add_argument("--kills", type=int, default=10)
    parser.add_argument("--number", type=int, default=40, help="mutants of each package")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--work", type=Path, help="a folder that is in no other project [default: a temporary one]")
    options = parser.parse_args()
    which = options.which or list(PACKAGES)
    unknown = [name for name in which if name not in PACKAGES]
    if unknown:
        parser.error(f"unknown language {unknown[0]!r}")
    with tempfile.TemporaryDirectory() as temporary:
        work = options.work or Path(temporary).resolve()
        found = sweep(which, options.kills, options.number, options.seed, work)
        # Go's files are read-only.
        run("chmod", "-R", "u+w", work)
    print(json.dumps(found, indent=1))


def sweep(which, kills, number, seed, work):
    found = {}
    for name in which:
        found[name] = killed(*PACKAGES[name](work / name), kills, number, random.Random(f"{seed} {name}"))
    return {"seed": seed, "packages": found}


def python(work):
    """The released sources, with an environment for their tests."""
    name, version = SDIST
    shutil.rmtree(work, ignore_errors=True)
    project, environment = work / name, work / "venv"
    work.mkdir(parents=True)
    run(sys.executable, "-m", "venv", environment)
    own = environment / "bin" / "python"
    run(own, "-m", "pip", "install", "-q", "--disable-pip-version-check", "pytest", "coverage")
    run(own, "-m", "pip", "download", "-q", "--no-deps", "--no-binary", ":all:", f"{name}=={version}", "-d", work)
    shutil.unpack_archive(next(work.glob(f"{name}-*.tar.gz")), work)
    (work / f"{name}-{version}").rename(project)
    return f"{name} {version}", project, ["pytest", "--python", str(own)]


def rust(work):
    name, version = CRATE
    return f"{name} {version}", crate(work, name, version), ["cargo"]


def go(work):
    name, version = MODULE
    if work.exists():
        run("chmod", "-R", "u+w", work)
    shutil.rmtree(work, ignore_errors=True)
    project = work / name.rpartition("/")[2]
    fetch_module(name, version, project)
    if not (project / "go.mod").exists():
        (project / "go.mod").write_text(f"module {name}\n\ngo 1.21\n")
    return f"{name} {version}", project, ["go"]


def killed(package, project, words, kills, number, generator):
    case = project / "case.fdc"
    run(FDC, "collect", *words, cwd=project)
    measured = project.parent / "measured.fdc"
    shutil.copy(case, measured)
    before = files(project)
    command = [str(FDC), "mutate", *words, "--number", str(number), "--jobs", "2"]
    begun = time.time()
    run(*command, cwd=project)
    seconds = time.time() - begun
    expected = tables(case)
    check_nothing_left(project, before)
    shutil.copy(measured, case)
    met, whole = [], 0
    while len(met) < kills:
        process = subprocess.Popen(command, cwd=project, env=PLAIN, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            process.wait(timeout=seconds * generator.uniform(0.02, 1))
            if process.returncode:
                raise Fault(f"{package}: fdc mutate ended with {process.returncode}")
            check_same(package, case, expected)
            shutil.copy(measured, case)
            whole += 1
            continue
        except subprocess.TimeoutExpired:
            pass
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
        check_nobody_works(project)
        met.append(done(case))
    run(*command, cwd=project)
    check_same(package, case, expected)
    check_nothing_left(project, before)
    rows = {name: len(rows) for name, rows in expected.items()}
    return {"package": package, "mutants": rows["mutant"], "rows": rows, "kills": len(met), "done_at_kills": met,
            "ended_before": whole, "undisturbed_seconds": round(seconds, 1)}


def check_same(package, case, expected):
    differ = [name for name, rows in tables(case).items() if rows != expected[name]]
    if differ:
        raise Fault(f"{package}: these tables are not as without kills: {', '.join(differ)}")


def tables(case):
    """What must not depend on kills. Addresses and times are not the same in any two runs."""
    database = sqlite3.connect(f"file:{case}?mode=ro", uri=True)
    columns = "path, first, last, replacement, digest, method, line, mutator, original, fate, tests"
    queries = {
        "mutant": f"SELECT id, {columns} FROM mutant ORDER BY id",
        "mutant_test": "SELECT * FROM mutant_test ORDER BY id",
        "kill": "SELECT * FROM kill ORDER BY mutant, test",
    }
    found = {name: [plain(row) for row in database.execute(query)] for name, query in queries.items()}
    database.close()
    return found


def plain(row):
    return [re.sub(r"case\.fdc\.mutants/\w+-?\d*", "case.fdc.mutants/", text) if isinstance(text, str) else text for text in row]


def done(case):
    """Looked at in a copy: whoever opens a case that a kill has left in the middle of a write puts it right."""
    with tempfile.TemporaryDirectory() as folder:
        for path in case.parent.glob(f"{case.name}*"):
            if path.is_file():
                shutil.copy(path, folder)
        database = sqlite3.connect(Path(folder) / case.name)
        try:
            return database.execute("SELECT count(*) FROM mutant").fetchone()[0]
        finally:
            database.close()


def files(project):
    """All but what belongs to the case and to builds."""
    found = {}
    for path in sorted(project.rglob("*")):
        name = path.relative_to(project)
        made = {"target", "__pycache__", ".pytest_cache"} & set(name.parts)
        if not made and path.is_file() and name.name not in ("case.fdc", "case.fdc-wal", "case.fdc-shm"):
            found[str(name)] = hashlib.sha256(path.read_bytes()).hexdigest()
    return found


def check_nothing_left(project, before):
    after = files(project)
    if after != before:
        differ = sorted(name for name in before.keys() | after.keys() if before.get(name) != after.get(name))
        raise Fault(f"{project.name}: changed, gone or left over: {', '.join(differ[:9])}")
    check_nobody_works(project)


def check_nobody_works(project):
    until = time.time() + PATIENCE
    while workers := at_work(project):
        if time.time() > until:
            raise Fault(f"{project.name}: still running: {'; '.join(workers)}")
        time.sleep(0.1)


def at_work(project):
    """Processes that run in the project's folder, or were started for the copies beside its case."""
    found = []
    sign = os.fsencode(project / "case.fdc.")
    for process in Path("/proc").iterdir():
        if not process.name.isdigit():
            continue
        try:
            folder = Path(os.readlink(process / "cwd"))
            command = (process / "cmdline").read_bytes()
            environment = (process / "environ").read_bytes()
        except OSError:
            continue
        if project == folder or project in folder.parents or sign in command or sign in environment:
            found.append(command.replace(b"\0", b" ").decode(errors="replace").strip())
    return found


PACKAGES = {"python": python, "rust": rust, "go": go}

if __name__ == "__main__":
    try:
        main()
    except Fault as fault:
        sys.exit(str(fault))

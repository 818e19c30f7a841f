"""Pools of generated tests: made once by `fdc generate evosuite`, then measured. Mutants and bugs of releases share this.

A bug is a dictionary: `home` (its folder, with case.fdc), `failing` (the failing test's name), `methods` (the faulty ones),
`classes` and `fixed` (class paths of the faulty and of the fixed version)."""
import json
import os
import sqlite3
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from case_rows import elements_of  # noqa: E402

TESTS = 10


def keep_one_failing(case, subject, version, methods, failing=None, where=None):
    """Writes down which methods are faulty; leaves verdicts to one failing test alone, which it names: the others' would
    tell the fault as well, and tests are generated for one failing test. It is the first by name that runs the faulty
    line (`where`, a path and a number) or, of those in `failing`, the faulty methods."""
    with sqlite3.connect(case) as database:
        marks = ", ".join("?" * len(methods))
        database.execute(f"UPDATE method SET faulty = name IN ({marks})", methods)
        about = [("subject", subject), ("version", str(version)), ("fault_known", "1"), ("checksum", "none yet")]
        database.executemany("INSERT OR REPLACE INTO about VALUES (?, ?)", about)
        query = "SELECT element.id FROM element JOIN method ON method.id = element.method JOIN file ON file.id = method.file WHERE "
        found = database.execute(query + "path = ? AND line = ?", where) if where else database.execute(query + "method.faulty")
        wanted = {element for (element,) in found}
        rows = database.execute("SELECT test.id, name, elements FROM coverage JOIN test ON test.id = test WHERE outcome = 'fail' AND NOT flaky ORDER BY name").fetchall()
        runs = lambda name, blob: (failing is None or name in failing) and not wanted.isdisjoint(elements_of(blob))
        test, named = next((test, name) for test, name, blob in rows if runs(name, blob))
        database.execute("DELETE FROM coverage WHERE test <> ?", (test,))
        database.execute("DELETE FROM test WHERE id <> ?", (test,))
        database.execute("UPDATE test SET id = 0, origin = 'human'")
        database.execute("UPDATE coverage SET test = 0")
    return named


def suspects(case):
    """The methods that the failing test of such a case covers."""
    with sqlite3.connect(case) as database:
        [row] = database.execute("SELECT elements FROM coverage").fetchone()
        methods = dict(database.execute("SELECT element.id, name FROM element JOIN method ON method.id = method"))
    return {methods[element] for element in elements_of(row)}


def make(fdc, bug, out, criterion, seed, budget, level=None, java_options=None):
    """Makes the pool unless it is there; what fdc said if it failed."""
    if (out / "summary.json").exists():
        return None
    command = [
        fdc, "generate", "evosuite", "--case", Path(bug["home"]) / "case.fdc", "--failing", bug["failing"],
        "--classpath", bug["classes"], "--criterion", criterion, *(["--level", level] if level else []),
        "--budget", budget, "--seed", seed, "--oracle", "regression", "--fixed-classpath", bug["fixed"], "-o", out,
    ]
    environment = {**os.environ, **({"JAVA_TOOL_OPTIONS": java_options} if java_options else {})}
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, env=environment)
    return f"exit {done.returncode}: {done.stderr[-500:]}" if done.returncode else None


def picked(fdc, pool, bug, metric):
    """Places of the faulty methods, the best first, with the failing test alone and after ten tests that the metric picks."""
    said = subprocess.run([str(fdc), "select", str(pool), "--failing", bug["failing"], "--metric", metric, "-n", str(TESTS), "--formula", "ochiai", "--reveal", "--format", "json"], check=True, capture_output=True, text=True).stdout
    steps = json.loads(said)["steps"]
    return [places(bug, ((entry["method"], entry["rank"]) for entry in step["faulty"])) for step in (steps[0], steps[-1])]


def ranked(fdc, pool, bug):
    """The same with all tests."""
    said = subprocess.run([str(fdc), "rank", str(pool), "--formula", "ochiai", "--format", "json"], check=True, capture_output=True, text=True).stdout
    return places(bug, ((entry["name"], entry["rank"]) for entry in json.loads(said)["methods"]))


def places(bug, ranks):
    return sorted(rank for method, rank in ranks if method in bug["methods"])


def counts(pool, out):
    """Tests, those that fail, and those that run all lines of some row that the search kept (None if it kept no rows)."""
    with sqlite3.connect(pool) as database:
        tests, failing = database.execute("SELECT count(*), coalesce(sum(outcome = 'fail'), 0) FROM test WHERE origin <> 'human'").fetchone()
        rows = [set(elements_of(blob)) for (blob,) in database.execute("SELECT elements FROM coverage JOIN test ON test.id = test WHERE origin <> 'human'")]
    kept = out / "kept.rows"
    searched = [set(map(int, line.split())) for line in kept.read_text().splitlines()] if kept.exists() else []
    as_searched = sum(any(row >= seen for seen in searched if seen) for row in rows)
    return {"tests": tests, "failing": failing, "as_searched": as_searched if searched else None}


def brief(out):
    """Of a pool's summary what is compared; the whole stays in its folder."""
    summary = json.loads((out / "summary.json").read_text())
    kept = ("made", "kept", "removed", "outcomes", "suspicious", "covered", "groups_before", "groups")
    evaluations = sum(unit["search"]["evaluations"] for unit in summary["units"])
    return {**{key: summary[key] for key in kept}, "evaluations": evaluations}

#!/usr/bin/env python3
"""Joins seeded bugs to versions with several faults, ranks, and writes down how far one has to look.

    verify/seeded/joined.py [SUBJECT...] [--bugs 20] [--versions 40] [--seed 1] [--work FOLDER]     FDC: the program

Bugs are drawn and collected one by one as verify/seeded/seeded.py does. A version takes two or three
of them, in different methods: a test fails if it fails with one of the bugs, and then runs what it ran
there. Bugs that make more than a tenth of all tests fail are left out: beside them no other shows. Every version is ranked in groups (`fdc rank --faults auto`) and by Ochiai over all failing
tests. Written down per version: the place of each fault in its best group, and the methods that
are looked at in vain until all faults are found, when the groups are read side by side (first the
first of each). Cases that are there are not collected again. Results:
verify/results/joined-SUBJECT.json; `--table` prints them as Markdown.
"""
import argparse
import json
import os
import random
import shutil
import sqlite3
import subprocess
import sys
from pathlib import Path

from seeded import REASONS, RESULTS, ROOT, Run, count_tests, covered_lines, elements_of, mutants
from subjects import SUBJECTS

JOINED = ["commons-cli", "tomlkit"]
FIRST = 5
# Share of failing tests from which on a bug drowns all others.
LOUD = 0.1


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("subject", nargs="*", default=JOINED)
    parser.add_argument("--bugs", type=int, default=20)
    parser.add_argument("--versions", type=int, default=40, help="of two faults, and as many of three")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--work", type=Path, default=ROOT / "target" / "joined")
    parser.add_argument("--table", action="store_true", help="print the results there are, run nothing")
    options = parser.parse_args()
    if options.table:
        return print_table()
    fdc = Path(os.environ.get("FDC", ROOT / "target" / "release" / "fdc"))
    for name in options.subject:
        folder = options.work / name
        bugs = collected(Run(SUBJECTS[name], name, folder, fdc), options)
        versions = []
        draw = random.Random(f"joined {name} {options.seed}")
        for count in [2, 3]:
            for number in range(options.versions):
                case = folder / f"version-{count}-{number}.fdc"
                versions.append(look_at(fdc, case, joined(case, some(bugs, count, draw))))
        result = {"subject": SUBJECTS[name].what, "seed": options.seed, "bugs": bugs, **summary(versions), "versions": versions}
        RESULTS.mkdir(exist_ok=True)
        (RESULTS / f"joined-{name}.json").write_text(json.dumps(result, indent=1) + "\n")
        print(f"{name}: {json.dumps(summary(versions))}", flush=True)


def collected(run, options):
    """The bugs, each with its case."""
    listed = run.folder / "bugs.json"
    if listed.exists() and len(bugs := json.loads(listed.read_text())) >= options.bugs:
        return bugs[: options.bugs]
    shutil.rmtree(run.folder, ignore_errors=True)
    run.folder.mkdir(parents=True)
    run.prepare()
    rejected = dict.fromkeys(REASONS, 0)
    bugs = []
    tests, _ = count_tests(run.base)
    for bug in mutants(run, covered_lines(run.base), options.seed, rejected):
        if bug["failing_tests"] > LOUD * tests:
            continue
        case = run.folder / f"bug-{len(bugs)}.fdc"
        shutil.copy(run.folder / "mutant.fdc", case)
        bugs.append({"case": case.name, **{key: bug[key] for key in ("method", "where", "was", "is", "failing_tests")}})
        print(f"  {len(bugs)}. {bug['where']}: {bug['was']}  ->  {bug['is']}  ({bug['failing_tests']} failing)", flush=True)
        if len(bugs) == options.bugs:
            break
    listed.write_text(json.dumps(bugs, indent=1))
    return bugs


def some(bugs, count, draw):
    while True:
        drawn = draw.sample(bugs, count)
        if len({bug["method"] for bug in drawn}) == count:
            return drawn


def joined(case, bugs):
    """Writes the case in which all bugs are; gives them."""
    first, *others = bugs
    folder = case.parent
    shutil.copy(folder / first["case"], case)
    with sqlite3.connect(case) as database:
        numbers = {tuple(key): number for *key, number in elements(database)}
        tests = dict(database.execute("SELECT name, id FROM test"))
        failing = {name for (name,) in database.execute("SELECT name FROM test WHERE outcome = 'fail' AND NOT flaky")}
        for bug in others:
            with sqlite3.connect(folder / bug["case"]) as other:
                keys = {number: tuple(key) for *key, number in elements(other)}
                query = "SELECT test.id, name, elements FROM coverage JOIN test ON test.id = test WHERE outcome = 'fail' AND NOT flaky ORDER BY name"
                for there, name, blob in other.execute(query).fetchall():
                    if name in failing or name not in tests:
                        continue
                    failing.add(name)
                    run = [numbers[keys[element]] for element in elements_of(blob) if keys[element] in numbers]
                    put_failing(database, tests[name], run, other, there)
        database.execute("UPDATE method SET faulty = 0")
        database.executemany("UPDATE method SET faulty = 1 WHERE name = ?", [(bug["method"],) for bug in bugs])
        database.execute("INSERT OR REPLACE INTO about VALUES ('fault_known', '1'), ('checksum', 'none yet')")
    return bugs


def elements(database):
    return database.execute("SELECT path, method.name, line, coalesce(label, ''), element.id FROM element JOIN method ON method.id = element.method JOIN file ON file.id = method.file")


def put_failing(database, test, run, other, there):
    row = bytearray(max(run, default=0) // 8 + 1)
    for element in run:
        row[element // 8] |= 1 << element % 8
    database.execute("UPDATE test SET outcome = 'fail' WHERE id = ?", (test,))
    database.execute("UPDATE coverage SET elements = ? WHERE test = ?", (b"\x02" + bytes(row), test))
    for table, columns in [("failure", "exception, message"), ("frame", "depth, place, function, line")]:
        database.execute(f"DELETE FROM {table} WHERE test = ?", (test,))
        for values in other.execute(f"SELECT {columns} FROM {table} WHERE test = ?", (there,)):
            marks = ", ".join("?" * (len(values) + 1))
            database.execute(f"INSERT INTO {table} (test, {columns}) VALUES ({marks})", (test, *values))


def look_at(fdc, case, bugs):
    faulty = [bug["method"] for bug in bugs]
    learned = ranked(fdc, case)
    groups = [fault["methods"] for fault in learned.get("faults", [])] or [learned["methods"]]
    places = {name: min(place_of(group, name) for group in groups) for name in faulty}
    ochiai = ranked(fdc, case, "--formula", "ochiai", "--faults", "one")["methods"]
    return {
        "bugs": [bug["where"] for bug in bugs],
        "failing": len(learned["failing"]),
        "groups": len(groups),
        "places": list(places.values()),
        "in_vain": in_vain(groups, faulty),
        "ochiai_in_vain": in_vain([ochiai], faulty),
    }


def ranked(fdc, case, *more):
    done = subprocess.run([str(word) for word in [fdc, "--quiet", "rank", case, "--format", "json", *more]], capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"fdc rank {case} failed:\n{done.stderr}")
    return json.loads(done.stdout)


def place_of(methods, name):
    """The worst place of its tie; beyond the last if it is not there."""
    return next((entry["rank"] for entry in methods if entry["name"] == name), len(methods) + 1)


def in_vain(groups, faulty):
    """Other methods that are read until all faulty ones were, groups side by side, ties to their ends."""
    best = {}
    for group in groups:
        for entry in group:
            best[entry["name"]] = min(entry["rank"], best.get(entry["name"], entry["rank"]))
    last = max(best.get(name, len(best)) for name in faulty)
    return sum(place <= last for name, place in best.items() if name not in faulty)


def summary(versions):
    found = {}
    for count in [2, 3]:
        own = [version for version in versions if len(version["bugs"]) == count]
        found[f"{count} faults"] = {
            "versions": len(own),
            "groups": {str(groups): sum(version["groups"] == groups for version in own) for groups in sorted({version["groups"] for version in own})},
            "all_in_first_five": sum(max(version["places"]) <= FIRST for version in own),
            "in_vain": round(sum(version["in_vain"] for version in own) / len(own), 1),
            "ochiai_in_vain": round(sum(version["ochiai_in_vain"] for version in own) / len(own), 1),
        }
    return found


def print_table():
    print("| subject | faults | versions | all faults in the first five of a group | methods read in vain | with Ochiai |\n|---|---|---|---|---|---|")
    for name in JOINED:
        path = RESULTS / f"joined-{name}.json"
        result = json.loads(path.read_text()) if path.exists() else {}
        for count in [2, 3]:
            if own := result.get(f"{count} faults"):
                share = 100 * own["all_in_first_five"] / own["versions"]
                print(f"| {result['subject']} | {count} | {own['versions']} | {own['all_in_first_five']} ({share:.0f} %) | {own['in_vain']} | {own['ochiai_in_vain']} |")


if __name__ == "__main__":
    main()

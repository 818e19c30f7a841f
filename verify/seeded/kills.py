#!/usr/bin/env python3
"""What mutants tried before a failure are worth: seeds bugs into projects whose tests were tried on mutants, and ranks.

    verify/seeded/kills.py [SUBJECT...] --model MODEL [--bugs 10] [--seed 1] [--mutants 300] [--work FOLDER]     FDC: the program
    verify/seeded/kills.py [SUBJECT...] --rank     ranks the bugs that are in FOLDER again, for example by another program
    verify/seeded/kills.py --table

For each subject: all tests are collected and tried on mutants (`fdc mutate`). Then bugs are drawn as seeded.py draws them; one
that is among the mutants, the same line changed to the same text, is drawn again. Each is ranked in four ways: by Ochiai, by the
built-in model, which learned from recorded bugs alone, by MODEL, which learned from mutants of other projects too (`fdc train DATA
--mutants CASE... --recipe sharp -o MODEL`), without what the mutants of this project showed, and with it. Java needs the agent:
`make java`, or FDC_JAVA.
Results: verify/results/seeded-kills.json, in which subjects that are run again are replaced.
"""
import argparse
import json
import os
import shutil
import sqlite3
import subprocess
import sys
from pathlib import Path

from seeded import REASONS, RESULTS, ROOT, Run, count_tests, covered_lines, mutants
from subjects import SUBJECTS

RESULT = RESULTS / "seeded-kills.json"
WAYS = {"ochiai": "Ochiai", "built-in": "built-in model", "mixed": "mixed model", "kills": "mixed model, kills heard"}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("subject", nargs="*", default=["tomlkit", "commons-lang3", "pulldown-cmark", "cobra"])
    parser.add_argument("--bugs", type=int, default=10)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--mutants", type=int, default=300)
    parser.add_argument("--model", type=Path, help="a model that learned from mutants of other projects")
    parser.add_argument("--work", type=Path, default=ROOT / "target" / "seeded-kills")
    parser.add_argument("--rank", action="store_true", help="draw no bugs: rank those that are there")
    parser.add_argument("--table", action="store_true", help="print the results there are, run nothing")
    options = parser.parse_args()
    if options.table:
        return print_table()
    if not options.model:
        parser.error("--model is missing: the built-in model does not hear what mutants showed")
    fdc = Path(os.environ.get("FDC", ROOT / "target" / "release" / "fdc"))
    for name in options.subject:
        folder = options.work / name
        if not options.rank:
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir(parents=True)
            drawn = draw(Run(SUBJECTS[name], name, folder, fdc), options)
            (folder / "drawn.json").write_text(json.dumps(drawn))
        result = json.loads((folder / "drawn.json").read_text())
        for number, bug in enumerate(result["bugs"], start=1):
            bug["places"] = places(fdc, folder / f"bug-{number}.fdc", bug["method"], options.model)
            print(f"{name} {number}. {bug['where']}: {bug['places']}", flush=True)
        results = json.loads(RESULT.read_text()) if RESULT.exists() else {}
        results[name] = result
        RESULT.write_text(json.dumps(dict(sorted(results.items())), indent=1) + "\n")


def draw(run, options):
    """The bugs; the case of each is kept beside them."""
    run.prepare()
    command = [run.fdc, "mutate", run.subject.ecosystem, "--root", run.project, "--case", run.base, "--number", options.mutants, *run.subject.options(run.project)]
    if run.subject.arguments:
        command += ["--", *run.subject.arguments]
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{run.name}: fdc mutate ended with {done.returncode}:\n{done.stderr}")
    known = mutated_lines(run)
    rejected = dict.fromkeys([*REASONS, "among the mutants"], 0)
    bugs = []
    for bug in mutants(run, covered_lines(run.base), options.seed, rejected):
        if (*bug["where"].rsplit(":", 1), bug["is"]) in known:
            rejected["among the mutants"] += 1
            continue
        bugs.append({key: bug[key] for key in ("method", "where", "was", "is", "of", "failing_tests")})
        shutil.copy(run.folder / "mutant.fdc", run.folder / f"bug-{len(bugs)}.fdc")
        print(f"{run.name} {len(bugs)}. {bug['where']}: {bug['was']}  ->  {bug['is']}", flush=True)
        if len(bugs) == options.bugs:
            break
    return {"subject": run.subject.what, "language": run.subject.language, "seed": options.seed, "tests": count_tests(run.base)[0], "mutants": len(known), "rejected": rejected, "bugs": bugs}


def places(fdc, case, method, model):
    silent = without_mutants(case)
    return {
        "ochiai": place(fdc, silent, method, "--formula", "ochiai"),
        "built-in": place(fdc, silent, method),
        "mixed": place(fdc, silent, method, "--model", model),
        "kills": place(fdc, case, method, "--model", model),
    }


def mutated_lines(run):
    """The lines as the mutants have them: path, number and text, without blanks around it."""
    lines = set()
    with sqlite3.connect(run.base) as database:
        for path, first, last, replacement, line in database.execute("SELECT path, first, last, replacement, line FROM mutant"):
            text = (run.project / path).read_bytes()
            changed = text[:first] + replacement.encode() + text[last:]
            lines.add((path, str(line), changed.decode().split("\n")[line - 1].strip()))
    return lines


def without_mutants(case):
    silent = case.with_name("silent.fdc")
    shutil.copy(case, silent)
    with sqlite3.connect(silent) as database:
        for table in ["kill", "mutant", "mutant_test"]:
            database.execute(f"DELETE FROM {table}")
        database.execute("INSERT OR REPLACE INTO about VALUES ('checksum of mutants', 'none yet')")
    return silent


def place(fdc, case, method, *more):
    ranked = subprocess.run([str(word) for word in [fdc, "rank", case, "--format", "json", *more]], capture_output=True, text=True)
    if ranked.returncode:
        sys.exit(f"fdc rank {case} failed:\n{ranked.stderr}")
    return next(entry["rank"] for entry in json.loads(ranked.stdout)["methods"] if entry["name"] == method)


def print_table():
    results = json.loads(RESULT.read_text())
    print(f"| subject | bugs | {' | '.join(f'{said}: first, mean of 1/place' for said in WAYS.values())} |\n|---|---|{'---|' * len(WAYS)}")
    everything = [bug for result in results.values() for bug in result["bugs"]]
    for name, bugs in [*((result["subject"], result["bugs"]) for result in results.values()), ("all", everything)]:
        cells = []
        for way in WAYS:
            places = [bug["places"][way] for bug in bugs]
            cells.append(f"{places.count(1)}, {sum(1 / place for place in places) / len(places):.3f}")
        print(f"| {name} | {len(bugs)} | {' | '.join(cells)} |")


if __name__ == "__main__":
    main()

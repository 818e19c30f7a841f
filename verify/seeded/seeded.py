#!/usr/bin/env python3
"""Seeds small bugs into real projects, collects, ranks, and writes down the place of each.

    verify/seeded/seeded.py [SUBJECT...] [--bugs 10] [--seed 1] [--work FOLDER]     FDC: the program

For each subject (a released project with its own tests, got by name from its registry): all tests
are collected once. Then lines that some test covers are drawn by seed, each is changed by a small
mutation drawn by the same seed, and the tests that the change touches are collected again
(`--changed-since`). A mutant that does not compile, that no failing test runs, or whose collection
takes more than five minutes (it hangs many tests) is counted and the next is drawn. Of the others the
place of the mutated function in `fdc rank` is taken: the worst place of its tie. Results:
verify/results/seeded-SUBJECT.json; `--table` prints them as Markdown.
"""
import argparse
import json
import os
import random
import re
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

from subjects import SUBJECTS

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
from case_rows import elements_of  # noqa: E402

ROOT = HERE.parent.parent
RESULTS = HERE.parent / "results"

# Mutants that hang most tests are given up after this.
LIMIT_SECONDS = 300
INTERRUPTED = 130
# Drawings without a usable mutant before giving up.
TRIES = 1000

# Why a mutant is not taken.
REASONS = ["no operator", "does not build", "no test fails", "takes too long", "no failing test runs it"]

# Each changes one place of one line; a word boundary or blanks keep them off longer operators.
OPERATORS = [
    (r" == ", [" != "]),
    (r" != ", [" == "]),
    (r" <= ", [" < "]),
    (r" >= ", [" > "]),
    (r" < ", [" <= "]),
    (r" > ", [" >= "]),
    (r" \+ ", [" - "]),
    (r" - ", [" + "]),
    (r" \* ", [" + "]),
    (r" && ", [" || "]),
    (r" \|\| ", [" && "]),
    (r"\band\b", ["or"]),
    (r"\bor\b", ["and"]),
    (r"\bnot ", [""]),
    (r"\btrue\b", ["false"]),
    (r"\bfalse\b", ["true"]),
    (r"\bTrue\b", ["False"]),
    (r"\bFalse\b", ["True"]),
    (r"\bis not None\b", ["is None"]),
    (r"\bis None\b", ["is not None"]),
    (r"\+\+", ["--"]),
    (r"\+= ", ["-= "]),
    (r"-= ", ["+= "]),
    (r"(?<![\w.])\d+(?![\w.])", [None]),  # a number: one more
    (r"(?<=if )(?=\w)|(?<=if \()(?=\w)", ["!"]),
]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("subject", nargs="*", default=list(SUBJECTS))
    parser.add_argument("--bugs", type=int, default=10)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--work", type=Path, default=ROOT / "target" / "seeded")
    parser.add_argument("--table", action="store_true", help="print the results there are, run nothing")
    options = parser.parse_args()
    if options.table:
        return print_table()
    fdc = Path(os.environ.get("FDC", ROOT / "target" / "release" / "fdc"))
    for name in options.subject:
        folder = options.work / name
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        result = seed(Run(SUBJECTS[name], name, folder, fdc), options)
        RESULTS.mkdir(exist_ok=True)
        (RESULTS / f"seeded-{name}.json").write_text(json.dumps(result, indent=1) + "\n")
        print(f"{name}: places {[bug['place'] for bug in result['bugs']]}, median {result['median_place']}", flush=True)


def print_table():
    results = [json.loads((RESULTS / f"seeded-{name}.json").read_text()) for name in SUBJECTS if (RESULTS / f"seeded-{name}.json").exists()]
    print("| subject | tests | lines | places of the ten bugs | median |\n|---|---|---|---|---|")
    for result in results:
        places = ", ".join(str(bug["place"]) for bug in result["bugs"])
        print(f"| {result['subject']} | {result['tests']:,} | {result['source_lines']:,} | {places} | {result['median_place']:g} |")
    print("\n| bug | place | tied with | of methods | failing tests |\n|---|---|---|---|---|")
    for result in results:
        for bug in result["bugs"]:
            was, now = (bug[key].replace("|", "\\|").replace("`", "'") for key in ("was", "is"))
            where = f"`{bug['where'].rsplit('/', 1)[-1]}` `{was}` → `{now}`"
            print(f"| {where} | {bug['place']} | {bug.get('tied_with', '')} | {bug['of']} | {bug['failing_tests']} |")


class Run:
    """A subject on this machine."""

    def __init__(self, subject, name, folder, fdc):
        self.subject, self.name, self.folder, self.fdc = subject, name, folder, fdc
        self.project = folder / "project"
        self.base = folder / "base.fdc"

    def prepare(self):
        self.subject.fetch(self.project)
        git = lambda *words: subprocess.run(["git", "-c", "user.name=fdc", "-c", "user.email=fdc@localhost", *words], cwd=self.project, check=True, capture_output=True)
        git("init", "-q")
        git("add", "-A")
        git("commit", "-qm", "as released")
        problem = self.subject.build(self.project, None)
        if problem:
            sys.exit(f"{self.name} does not build:\n{problem}")
        begun = time.time()
        code, said = self.collect(self.base)
        if code != 0:
            sys.exit(f"{self.name}: fdc collect ended with {code}:\n{said}")
        return round(time.time() - begun, 1)

    def collect(self, case, *more):
        command = [self.fdc, "collect", self.subject.ecosystem, "--root", self.project, "-o", case, "--timeout", str(self.subject.timeout), *self.subject.options(self.project), *self.subject.patterns(), *more]
        if self.subject.arguments:
            command += ["--", *self.subject.arguments]
        limit = LIMIT_SECONDS if more else None
        process = subprocess.Popen([str(word) for word in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        try:
            said, _ = process.communicate(timeout=limit)
        except subprocess.TimeoutExpired:
            # As Ctrl-C would: the collector ends the tests it has started.
            process.send_signal(signal.SIGINT)
            said, _ = process.communicate()
        return process.returncode, said

    def restore(self, path):
        subprocess.run(["git", "checkout", "-q", "--", path], cwd=self.project, check=True)
        # Otherwise the next mutant would be built beside this one's classes.
        problem = self.subject.build(self.project, path)
        if problem:
            sys.exit(f"{self.name} does not build any more:\n{problem}")


def seed(run, options):
    seconds = run.prepare()
    tests, failing = count_tests(run.base)
    lines = covered_lines(run.base)
    print(f"{run.name}: {tests} tests ({failing} failing), {len(lines)} covered lines, collected in {seconds} s", flush=True)
    if failing:
        sys.exit(f"{run.name}: tests fail before any bug is seeded; leave them out in subjects.py")
    rejected = dict.fromkeys(REASONS, 0)
    bugs = []
    for bug in mutants(run, lines, options.seed, rejected):
        bugs.append(bug)
        print(f"  {len(bugs)}. place {bug['place']} of {bug['of']}: {bug['where']}: {bug['was']}  ->  {bug['is']}", flush=True)
        if len(bugs) == options.bugs:
            break
    places = sorted(bug["place"] for bug in bugs)
    median = places[len(places) // 2] if len(places) % 2 else (places[len(places) // 2 - 1] + places[len(places) // 2]) / 2
    return {
        "subject": run.subject.what,
        "ecosystem": run.subject.ecosystem,
        "seed": options.seed,
        "tests": tests,
        "covered_lines": len(lines),
        "source_lines": run.subject.source_lines(run.project),
        "collect_seconds": seconds,
        "median_place": median,
        "rejected": rejected,
        "bugs": bugs,
    }


def mutants(run, lines, seed, rejected):
    """Mutants that make tests fail, in the order drawn. Each is in place (sources, classes,
    mutant.fdc) until the next is asked for."""
    draw = random.Random(f"{run.name} {seed}")
    tried = set()
    while sum(rejected.values()) < TRIES:
        path, line, method = draw.choice(lines)
        source = run.project / path
        text = source.read_text(encoding="utf-8").split("\n")
        changed = mutate(text[line - 1], draw, run.subject.language)
        if changed is None or (path, line, changed) in tried:
            rejected["no operator"] += 1
            continue
        tried.add((path, line, changed))
        before = text[line - 1].strip()
        text[line - 1] = changed
        source.write_text("\n".join(text), encoding="utf-8")
        try:
            bug = try_mutant(run, path, line, method, rejected)
            if bug:
                yield {"place": bug.pop("place"), "of": bug.pop("of"), "method": method, "where": f"{path}:{line}", "was": before, "is": changed.strip(), **bug}
        finally:
            run.restore(path)


def try_mutant(run, path, line, method, rejected):
    case = run.folder / "mutant.fdc"
    shutil.copy(run.base, case)
    if run.subject.build(run.project, path):
        rejected["does not build"] += 1
        return None
    begun = time.time()
    code, said = run.collect(case, "--changed-since", "HEAD")
    seconds = round(time.time() - begun, 1)
    if code == 4:
        rejected["does not build"] += 1
        return None
    if code == INTERRUPTED:
        rejected["takes too long"] += 1
        return None
    if code != 0:
        sys.exit(f"{run.name}: fdc collect ended with {code} on {path}:{line}:\n{said}")
    tests, failing = count_tests(case)
    if failing == 0:
        rejected["no test fails"] += 1
        return None
    if not failing_runs(case, path, line):
        # A test that failed for another reason, such as a busy machine: no part of the bug.
        rejected["no failing test runs it"] += 1
        return None
    ranked = subprocess.run([run.fdc, "rank", case, "--formula", "ochiai", "--format", "json"], capture_output=True, text=True)
    if ranked.returncode != 0:
        sys.exit(f"{run.name}: fdc rank failed:\n{ranked.stderr}")
    methods = json.loads(ranked.stdout)["methods"]
    place = next(entry["rank"] for entry in methods if entry["name"] == method)
    ahead = sum(entry["rank"] < place for entry in methods)
    tied = sum(entry["rank"] == place for entry in methods) - 1
    return {"place": place, "of": len(methods), "tied_with": tied, "ahead": ahead, "failing_tests": failing, "seconds": seconds}


def mutate(line, draw, language):
    """The line with one change, or None if no operator applies outside strings and comments."""
    code = masked(line, language)
    places = []
    for pattern, replacements in OPERATORS:
        for found in re.finditer(pattern, code):
            for replacement in replacements:
                if replacement is None:
                    replacement = str(int(found.group()) + 1)
                if replacement == "!" and language == "python":
                    replacement = "not "
                places.append((found.start(), found.end(), replacement))
    if not places:
        return None
    start, end, replacement = draw.choice(places)
    return line[:start] + replacement + line[end:]


def masked(line, language):
    """The line with strings and comments blanked out, as long as before."""
    comment = "#" if language == "python" else "//"
    kept, quote, at = [], None, 0
    while at < len(line):
        character = line[at]
        if quote:
            kept.append(" " if character != quote else character)
            if character == "\\":
                kept.append(" ")
                at += 1
            elif character == quote:
                quote = None
        elif line.startswith(comment, at) or line.lstrip().startswith(("*", "/*")):
            kept.append("\0" * (len(line) - at))
            break
        else:
            if character == '"' or (character == "'" and language in ("python", "java", "go")):
                quote = character
            kept.append(character)
        at += 1
    return "".join(kept)[: len(line)]


def count_tests(case):
    with sqlite3.connect(case) as database:
        return database.execute("SELECT count(*), coalesce(sum(outcome = 'fail' AND NOT flaky), 0) FROM test").fetchone()


def failing_runs(case, path, line):
    """Whether a failing test covers the line."""
    with sqlite3.connect(case) as database:
        query = "SELECT element.id FROM element JOIN method ON method.id = element.method JOIN file ON file.id = method.file WHERE path = ? AND line = ?"
        wanted = {element for (element,) in database.execute(query, (path, line))}
        rows = database.execute("SELECT elements FROM coverage JOIN test ON test.id = test WHERE outcome = 'fail' AND NOT flaky")
        return any(not wanted.isdisjoint(elements_of(blob)) for (blob,) in rows)


def covered_lines(case):
    """Path, line and method of every element that some test covers, in order."""
    with sqlite3.connect(case) as database:
        elements = database.execute("SELECT path, line, method.name FROM element JOIN method ON method.id = element.method JOIN file ON file.id = method.file ORDER BY element.id").fetchall()
        covered = set()
        for (blob,) in database.execute("SELECT elements FROM coverage"):
            covered.update(elements_of(blob))
    return [elements[number] for number in sorted(covered)]


if __name__ == "__main__":
    main()

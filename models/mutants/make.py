#!/usr/bin/env python3
"""Makes training data out of mutants of released projects.

    models/mutants/make.py [NAME...] [--work FOLDER] [--seed 1] [--jobs N]     FDC: the program
    models/mutants/make.py --table

Each project of subjects.py is got by name from its registry, its tests are measured (`fdc collect`), and mutants are tried
(`fdc mutate`), drawn by seed. The result is FOLDER/cases/NAME-VERSION.fdc. A killed run resumes; finished cases are kept.
`--table` prints what there is as Markdown. Java needs the agent: `make java`, or `FDC_JAVA`.
"""
import argparse
import os
import shutil
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

from subjects import ROOT, SUBJECTS

# Outcomes must not depend on the machine.
ENVIRONMENT = {"PYTHONHASHSEED": "0", "TZ": "UTC", "LC_ALL": "C.UTF-8"}
# Maven runs for seconds only.
QUICK = {"MAVEN_OPTS": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"}
# Seconds that a test may take while it is measured.
TIMEOUT = 60


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("name", nargs="*", help="projects [default: all]")
    parser.add_argument("--work", type=Path, default=ROOT / "target" / "mutants")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="mutants at the same time")
    parser.add_argument("--table", action="store_true", help="print the results there are, run nothing")
    options = parser.parse_args()
    unknown = set(options.name) - {subject.name for subject in SUBJECTS}
    if unknown:
        sys.exit(f"not in subjects.py: {', '.join(sorted(unknown))}")
    options.work = options.work.resolve()
    if options.table:
        return print_table(options.work)
    subjects = [subject for subject in SUBJECTS if not options.name or subject.name in options.name]
    failed = [subject.name for subject in subjects if not made(subject, options)]
    if failed:
        sys.exit(f"no case of: {', '.join(failed)}")


def made(subject, options):
    """Whether there is a case in the end; a project that fails does not stop the others."""
    try:
        Making(subject, options).run()
        return True
    except SystemExit as problem:
        print(f"{subject.name}: {problem}", file=sys.stderr, flush=True)
        return False


def case_name(subject):
    return f"{subject.name}-{subject.version}.fdc"


class Making:
    """A project on its way to a case."""

    def __init__(self, subject, options):
        self.subject, self.options = subject, options
        self.folder = options.work / "projects" / f"{subject.name}-{subject.version}"
        self.project, self.case = self.folder / "project", self.folder / "case.fdc"
        self.finished = options.work / "cases" / case_name(subject)
        self.fdc = Path(os.environ.get("FDC", ROOT / "target" / "release" / "fdc")).resolve()

    def run(self):
        if self.finished.exists():
            return print(f"{self.subject.name}: there already", flush=True)
        fetched, collected = self.folder / "fetched", self.folder / "collected"
        if not fetched.exists():
            shutil.rmtree(self.folder, ignore_errors=True)
            self.folder.mkdir(parents=True)
            self.subject.fetch(self.project)
            fetched.touch()
        if not collected.exists():
            self.call("collect", "-o", self.case, "--timeout", TIMEOUT, *self.subject.patterns())
            collected.touch()
        begun = time.time()
        self.call("mutate", "--case", self.case, "--number", self.subject.number, "--seed", self.options.seed)
        seconds = time.time() - begun
        self.finished.parent.mkdir(parents=True, exist_ok=True)
        self.case.rename(self.finished)
        print(f"{self.subject.name}: {counts(self.finished)['tried']} mutants in {seconds:.0f} s", flush=True)

    def call(self, command, *words):
        words = [self.fdc, command, self.subject.ecosystem, "--root", self.project, *words, *self.subject.options(self.project)]
        # Maven's build says how many tests run at a time.
        if (command, self.subject.ecosystem) != ("collect", "junit"):
            words += ["--jobs", self.options.jobs]
        if self.subject.arguments:
            words += ["--", *self.subject.arguments]
        log = self.folder / f"{command}.log"
        with open(log, "a") as file:
            code = subprocess.run([str(word) for word in words], stdout=file, stderr=subprocess.STDOUT, env={**os.environ, **ENVIRONMENT, **QUICK}).returncode
        if code:
            said = "".join(log.read_text(errors="replace").splitlines(keepends=True)[-20:])
            sys.exit(f"fdc {command} ended with {code} ({log}):\n{said}")


def counts(case):
    database = sqlite3.connect(f"{case.as_uri()}?mode=ro", uri=True)
    try:
        count = lambda query: database.execute(f"SELECT count(*) FROM {query}").fetchone()[0]
        tried, killed, survived = count("mutant"), count("mutant WHERE fate = 'killed'"), count("mutant WHERE fate = 'survived'")
        return {"tests": count("test"), "methods": count("method"), "tried": tried, "killed": killed, "survived": survived, "other": tried - killed - survived}
    finally:
        database.close()


def print_table(work):
    print("| project | version | language | tests | methods | mutants | killed | survived | other |\n|---|---|---|---|---|---|---|---|---|")
    for subject in sorted(SUBJECTS, key=lambda subject: (subject.language, subject.name)):
        case = work / "cases" / case_name(subject)
        if case.exists():
            numbers = " | ".join(f"{number:,}" for number in counts(case).values())
            print(f"| {subject.name} | {subject.version} | {subject.language} | {numbers} |")


if __name__ == "__main__":
    main()

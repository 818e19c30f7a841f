#!/usr/bin/env python3
"""Counts the tests that `fdc affected` spares and misses on real commits, beside pytest-testmon.

    verify/affected/affected.py --repo PATH --code PATHSPEC... [--path src] [--ignore TESTS...] [--commits N] [--work FOLDER]
                                                                                               FDC: the program
    verify/affected/affected.py --table

Each of the newest N commits that change what PATHSPEC names is looked at in two directions. Applied: the parent is measured by
`fdc collect pytest` and by testmon, the commit is checked out, and both say what to run. Undone: the commit is measured, and its
code, not its tests, goes back to the parent's: the tests that came with a fix fail then. All tests are run before and after. A
test that both have, that passes on one and fails on the other and was not selected is a miss. What is done is not done again.
Results: verify/results/affected.json.
"""
import argparse
import json
import os
import subprocess
import sys
import time
import venv
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
RESULTS = HERE.parent / "results" / "affected.json"
FDC = Path(os.environ.get("FDC", ROOT / "target" / "release" / "fdc"))
PATIENCE = 600
NEEDS = ["pytest==9.2.0", "coverage==7.17.3", "pytest-testmon==2.2.0", "simplejson", "pytz", "python-dateutil", "pyyaml"]
# The project's own options may ask for plug-ins; outcomes are those of the same options each time.
PLAIN = ["-q", "-p", "outcomes", "-o", "addopts=", "-o", "filterwarnings="]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--repo", type=Path)
    parser.add_argument("--name", help="what the results call the repository (default: its folder)")
    parser.add_argument("--code", nargs="+", default=["*.py"], help="Git's pathspecs of the code under test")
    parser.add_argument("--path", default=".", help="folder to import from")
    parser.add_argument("--ignore", nargs="*", default=[], help="files of tests that need what the clone lacks, such as a submodule")
    parser.add_argument("--commits", type=int, default=25)
    parser.add_argument("--work", type=Path, default=ROOT / "target" / "verify-affected")
    parser.add_argument("--results", type=Path, default=RESULTS)
    parser.add_argument("--table", action="store_true")
    arguments = parser.parse_args()
    results = json.loads(arguments.results.read_text()) if arguments.results.exists() else {}
    if arguments.repo:
        measure(arguments, results)
    print_table(results)


def measure(arguments, results):
    name = arguments.name or arguments.repo.resolve().name
    known = results.setdefault(name, {"code": arguments.code, "commits": {}})["commits"]
    run = Run(arguments, name)
    for commit in run.commits():
        if commit in known:
            continue
        known[commit] = run.commit(commit)
        print(f"{name} {commit[:10]}: {known[commit]}", flush=True)
        arguments.results.write_text(json.dumps(results, indent=1) + "\n")


class Run:
    def __init__(self, arguments, name):
        self.arguments, self.work = arguments, arguments.work / name
        self.tree, self.case = self.work / "tree", self.work / "case.fdc"
        self.python = arguments.work / "venv" / "bin" / "python"
        self.work.mkdir(parents=True, exist_ok=True)
        if not self.python.exists():
            venv.create(arguments.work / "venv", with_pip=True)
            subprocess.run([self.python, "-m", "pip", "install", "-q", *NEEDS], check=True)
        if not self.tree.exists():
            subprocess.run(["git", "clone", "-q", "--shared", arguments.repo.resolve(), self.tree], check=True)
        self.plain = [*PLAIN, *(f"--ignore={path}" for path in arguments.ignore)]
        # Nothing but the commit may change in the tree.
        self.environment = {
            **os.environ, "PYTHONHASHSEED": "0", "TZ": "UTC", "PYTHONDONTWRITEBYTECODE": "1",
            "PYTHONPATH": f"{self.tree / arguments.path}{os.pathsep}{HERE}",
            "OUTCOMES": str(self.work / "outcomes.json"), "TESTMON_DATAFILE": str(self.work / "testmon"),
        }

    def commits(self):
        return self.git("rev-list", "--no-merges", f"--max-count={self.arguments.commits}", "origin/HEAD", "--", *self.arguments.code).split()

    def commit(self, commit):
        self.check_out(f"{commit}~1")
        parent = self.measure()
        self.check_out(commit)
        applied = self.choose(parent)
        own = self.measure()
        self.undo(commit)
        undone = self.choose(own)
        took, after = self.pytest()
        found = {"applied": self.compare(parent, applied, own["outcomes"]), "undone": self.compare(own, undone, after)}
        for direction in found.values():
            direction["seconds"]["all"] = took
        return found

    def measure(self):
        for old in [self.case, *self.work.glob("testmon*")]:
            old.unlink(missing_ok=True)
        collected, _ = self.fdc("collect", "pytest", "--root", self.tree, "--python", self.python, "-o", self.case, "--", *self.plain)
        measured, outcomes = self.pytest("--testmon")
        return {"outcomes": outcomes, "seconds": {"fdc_collect": collected, "testmon_measure": measured}}

    def choose(self, before):
        answered, text = self.fdc("affected", self.case, "--source", self.tree, "--format", "json")
        reply = json.loads(text)
        chosen, ran = self.pytest("--testmon", "--collect-only")
        before["seconds"].update(fdc_affected=answered, testmon_choose=chosen)
        choices = {"fdc": selection(reply), "fdc_only_covered": selection(reply, ("any-test",)), "testmon": ran.__contains__}
        return {"choices": choices, "any_test": reply["any_test"]}

    def compare(self, before, choice, after):
        kept = [test for test in after if test in before["outcomes"]]
        changed = [test for test in kept if {before["outcomes"][test], after[test]} == {"pass", "fail"}]
        found = {"tests": len(kept), "changed": len(changed), "seconds": before["seconds"], "any_test": choice["any_test"]}
        for who, selects in choice["choices"].items():
            found[who] = {"selected": sum(map(selects, kept)), "missed": sorted(test for test in changed if not selects(test))}
        return found

    def undo(self, commit):
        """The commit's code goes back to the parent's."""
        lines = self.git("diff", "--name-status", "--no-renames", f"{commit}~1", commit, "--", *self.arguments.code).splitlines()
        for status, path in (line.split("\t") for line in lines):
            if status == "A":
                (self.tree / path).unlink()
            else:
                self.git("checkout", "-q", f"{commit}~1", "--", path)

    def check_out(self, revision):
        self.git("checkout", "-q", "--force", "--detach", revision)
        self.git("clean", "-qfdx")

    def git(self, *words):
        return subprocess.run(["git", *words], cwd=self.tree, check=True, capture_output=True, text=True).stdout

    def fdc(self, *words):
        begun = time.monotonic()
        ran = subprocess.run([FDC, "--quiet", *words], env=self.environment, capture_output=True, text=True, timeout=PATIENCE)
        if ran.returncode != 0:
            sys.exit(f"fdc {words[0]} ended with {ran.returncode}:\n{ran.stderr}")
        return round(time.monotonic() - begun, 1), ran.stdout

    def pytest(self, *words):
        """Seconds, and the outcome of every test that ran."""
        outcomes = Path(self.environment["OUTCOMES"])
        outcomes.unlink(missing_ok=True)
        begun = time.monotonic()
        words = [*self.plain, "-o", f"cache_dir={self.work / 'cache'}", *words]
        ran = subprocess.run([self.python, "-m", "pytest", *words], cwd=self.tree, env=self.environment, capture_output=True, text=True, timeout=PATIENCE)
        took, found = round(time.monotonic() - begun, 1), json.loads(outcomes.read_text()) if outcomes.exists() else {}
        if not found and "--testmon" not in words:
            sys.exit(f"no test ran:\n{ran.stdout}\n{ran.stderr}")
        return took, found


def selection(reply, leave_out=()):
    """Whether a reply of `fdc affected` has a test."""
    tests = {test["name"] for test in reply["tests"] if test["why"] not in leave_out}
    own = [function["file"] + ("::" + function["function"].replace(".", "::") if function["function"] else "") for function in reply["functions"]]

    def selects(test):
        begins = (test.startswith(one) and test[len(one):len(one) + 1] in ("", "[", ":") for one in own)
        return test in tests or any(begins)

    return selects


def print_table(results):
    heading = ["repository", "direction", "commits", "tests", "outcomes changed"]
    heading += [f"{who}: {what}" for who in ("fdc", "testmon") for what in ("spared", "missed")]
    print("| " + " | ".join(heading) + " |\n|" + "---|" * len(heading))
    everything = [each for known in results.values() for commit in known["commits"].values() for each in commit.values()]
    for direction in ("applied", "undone"):
        for name, known in results.items():
            print_row(name, direction, [commit[direction] for commit in known["commits"].values()])
    print_row("all", "", everything)
    seconds = {}
    for each in everything:
        for what, took in each["seconds"].items():
            seconds.setdefault(what, []).append(took)
    print("\n" + "; ".join(f"{what} {sorted(all_of)[len(all_of) // 2]:.1f} s" for what, all_of in seconds.items()) + " (medians)")


def print_row(name, direction, runs):
    tests = sum(run["tests"] for run in runs)
    cells = [name, direction, len(runs), f"{tests:,}", sum(run["changed"] for run in runs)]
    for who in ("fdc", "testmon"):
        selected = sum(run[who]["selected"] for run in runs)
        cells += [f"{100 * (1 - selected / max(tests, 1)):.1f} %", sum(len(run[who]["missed"]) for run in runs)]
    print("| " + " | ".join(map(str, cells)) + " |")


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""Makes spectra of real bugs out of pairs of releases on Maven Central.

    verify/releases/releases.py [PAIR...] [--work FOLDER] [--results FILE]     FDC: the program, FDC_JAVA: the agent's folder
    verify/releases/releases.py --list | --table

A pair is named as `--list` does, part of the name is enough; default: all, in the order of the table. For each: the
later release's tests are compiled against the earlier release's classes (members that do not compile are cut out), and
run on both. For a test that fails on the earlier release and passes on the later one, delta debugging finds the changed
methods that it needs (README.md). FOLDER/releases/LIBRARY/LIBRARY-N.json.zst is one bug each, in the layout that
`fdc evaluate` and studies read. What is done is not done again; a killed run resumes. Results:
verify/results/releases.json (default), which then names only the pairs asked for.
"""
import argparse
import json
import os
import shutil
import subprocess
import sys
import time
from collections import Counter
from itertools import groupby
from pathlib import Path

from delta import Experiments, Isolated, Search
from fetch import OPENS, ROOT, Broken, Checkout, Library, Tools, Unavailable, fetch, write
from pairs import PAIRS
from spectra import Spectrum, bugs_of, write_dataset

RESULTS = Path(__file__).resolve().parent.parent / "results" / "releases.json"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("pair", nargs="*")
    parser.add_argument("--work", type=Path, default=ROOT / "target" / "verify-releases")
    parser.add_argument("--results", type=Path, default=RESULTS)
    parser.add_argument("--list", action="store_true", help="print the names of the pairs, run nothing")
    parser.add_argument("--table", action="store_true", help="print the results there are, run nothing")
    options = parser.parse_args()
    if options.list:
        return print("\n".join(pair.name for pair in PAIRS))
    if options.table:
        return print_table(json.loads(options.results.read_text()))
    named = [pair for part in options.pair or [""] for pair in PAIRS if part in pair.name]
    wanted = list(dict.fromkeys(named))
    if not wanted:
        sys.exit(f"no pair is called {options.pair[0]!r}; --list prints them")
    options.work = options.work.resolve()
    checkouts, missing = fetched(wanted, options.work)
    broken = []
    for checkout in checkouts:
        pair, begun = checkout.pair, time.time()
        try:
            told = of_pair(checkout)
        except Broken as why:
            print(f"{pair.name}: {why}", file=sys.stderr)
            broken.append(pair)
            continue
        says = told.get("unavailable") or f"{told['failing']} failing tests, {len(told['bugs'])} bugs, left out {told['left_out']}"
        print(f"{pair.name}: {says} ({time.time() - begun:.0f} s)", flush=True)
    assemble(sorted((checkout.pair for checkout in checkouts if checkout.pair not in broken), key=PAIRS.index), options)
    if missing or broken:
        sys.exit(f"not in the results: {', '.join([*missing, *(pair.name for pair in broken)])}")


def fetched(wanted, work):
    """The pairs that Maven got, and the artifacts of those it did not get."""
    tools = Tools(work)
    libraries = {artifact: Library(list(pairs), work / "libraries" / artifact, tools) for artifact, pairs in groupby(PAIRS, lambda pair: pair.artifact)}
    missing = fetch([libraries[artifact] for artifact in dict.fromkeys(pair.artifact for pair in wanted)])
    for artifact, said in missing.items():
        print(f"{artifact}: Maven did not get all of its releases:\n{said}", file=sys.stderr)
    there = [pair for pair in wanted if pair.artifact not in missing]
    return [Checkout(pair, libraries[pair.artifact], work / "pairs" / pair.name, tools) for pair in there], list(missing)


def of_pair(checkout):
    """What a pair gave; its folder keeps it in found.json."""
    pair, folder = checkout.pair, checkout.folder
    found = folder / "found.json"
    if found.is_file():
        return json.loads(found.read_text())
    told = {"library": pair.artifact, "earlier": pair.earlier, "later": pair.later}
    try:
        checkout.unpack()
        told.update(checkout.compile())
        experiments = Experiments(checkout)
        try:
            outcomes, failing = baseline(checkout, experiments)
            changes = experiments.changes()
            isolated, reasons = isolate(checkout, experiments, changes, failing)
        finally:
            experiments.close()
        both = Counter(map(tuple, plain(outcomes).values()))
        told.update(tests=len(outcomes), pass_on_both=both["pass", "pass"], fail_on_both=both["fail", "fail"], failing=len(failing), changed_methods=len(changes))
        bugs = []
        if isolated:
            collect(checkout, outcomes)
            bugs, _, more = bugs_of(Spectrum(folder / "case.fdc"), changes, isolated, plain(outcomes))
            reasons.update(more)
        told.update(left_out=dict(sorted(reasons.items())), bugs=bugs)
    except Unavailable as why:
        told.update(unavailable=str(why), bugs=[])
    write(found, json.dumps(told, indent=1) + "\n")
    return told


def baseline(checkout, experiments):
    """Outcomes of all tests on both releases, and the tests that fail on the earlier one only."""
    done = checkout.folder / "baseline.json"
    if not done.is_file():
        suites = [experiments.suite(classes) for classes in ("earlier", "later")]
        if None in suites:
            said = (checkout.folder / "experiments.log").read_text(errors="replace").strip().splitlines()
            raise Broken(f"the JVM died while all tests ran: {said[-1][:200] if said else 'nothing said'}")
        names = sorted(set(suites[0]) | set(suites[1]))
        write(done, json.dumps({name: [suite.get(name) for suite in suites] for name in names}, indent=1))
    outcomes = json.loads(done.read_text())
    failing = {name: both[0] for name, both in outcomes.items() if [each and each["outcome"] for each in both] == ["fail", "pass"]}
    return outcomes, failing


def plain(outcomes):
    return {name: [each and each["outcome"] for each in both] for name, both in outcomes.items()}


def isolate(checkout, experiments, changes, failing):
    """The needed changes of each failing test, and how many have none and why. A line per test is kept."""
    log = checkout.folder / "isolated.jsonl"
    done = {}
    if log.is_file():
        lines = log.read_text().splitlines(keepends=True)
        done = {entry["test"]: entry for entry in map(json.loads, (line for line in lines if line.endswith("\n")))}
        write(log, "".join(json.dumps(entry) + "\n" for entry in done.values()))
    known = list(dict.fromkeys(tuple(entry["needed"]) for entry in done.values() if "needed" in entry))
    with log.open("a") as lines:
        for name, test in failing.items():
            if name in done:
                continue
            search = Search(experiments, changes, test)
            try:
                entry = {"test": name, "needed": list(search.methods(known))}
                if tuple(entry["needed"]) not in known:
                    known.append(tuple(entry["needed"]))
            except Isolated as why:
                entry = {"test": name, "why": str(why)}
            done[name] = {**entry, "runs": search.runs}
            lines.write(json.dumps(done[name]) + "\n")
            lines.flush()
    reasons = Counter(entry["why"] for entry in done.values() if "why" in entry)
    return {name: entry["needed"] for name, entry in done.items() if "needed" in entry}, reasons


def collect(checkout, outcomes):
    """Coverage of the tests on the earlier release. Classes with tests that take too long are left out."""
    case = checkout.folder / "case.fdc"
    if (checkout.folder / "collected").is_file():
        return
    classes = checkout.folder / "classes"
    if not classes.is_dir():
        # A collector of a killed run may still be at work on them: they are never taken away.
        part = checkout.folder / "classes.part"
        shutil.rmtree(part, ignore_errors=True)
        shutil.unpack_archive(checkout.earlier, part, "zip")
        part.rename(classes)
    slow = sorted({name.split("#")[0] for name, both in outcomes.items() if any(each and each["outcome"] == "slow" for each in both)})
    fdc = Path(os.environ.get("FDC", ROOT / "target" / "release" / "fdc"))
    path = os.pathsep.join(map(str, [classes, checkout.tests, *sorted(checkout.tools.junit.glob("*.jar")), *checkout.needed]))
    command = [fdc, "--quiet", "collect", "junit", "--root", checkout.project, "-o", case, "--timeout", "120", "--classpath", path, "--classes", classes,
               "--tests", checkout.tests, *(word for name in slow for word in ("--exclude", f"{name}#*")), "--", *OPENS]
    environment = {**os.environ, "FDC_JAVA": str(checkout.tools.agent.parent)}
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, env=environment, cwd=checkout.project)
    if done.returncode:
        raise Broken(f"fdc collect ended with {done.returncode}:\n{done.stderr}")
    write(checkout.folder / "collected", "")


def assemble(wanted, options):
    """The files of all bugs, numbered by library in the order of the table, and the results."""
    pairs, bugs, numbers = [], [], Counter()
    out = options.work / "releases"
    shutil.rmtree(out, ignore_errors=True)
    for pair in wanted:
        folder = options.work / "pairs" / pair.name
        told = json.loads((folder / "found.json").read_text())
        if told["bugs"]:
            spectrum = Spectrum(folder / "case.fdc")
            outcomes = plain(json.loads((folder / "baseline.json").read_text()))
            passing = [name for name, (outcome, _) in spectrum.tests.items() if outcome == "pass" and outcomes.get(name) == ["pass", "pass"]]
        for bug in told["bugs"]:
            numbers[pair.artifact] += 1
            name = f"{pair.artifact}-{numbers[pair.artifact]}"
            sizes = write_dataset(out / pair.artifact / f"{name}.json.zst", pair.artifact, numbers[pair.artifact], spectrum, bug, passing, pair)
            bugs.append({"bug": name, "earlier": pair.earlier, "later": pair.later, "faulty_methods": bug["methods"], "failing_tests": bug["failing_tests"], **sizes})
        pairs.append({**told, "files_left_out": len(told.get("files_left_out", [])), "bugs": len(told["bugs"])})
    options.results.parent.mkdir(parents=True, exist_ok=True)
    libraries = sorted({bug["bug"].rsplit("-", 1)[0] for bug in bugs})
    write(options.results, json.dumps({"bugs_in_all": len(bugs), "libraries": libraries, "pairs": pairs, "bugs": bugs}, indent=1) + "\n")
    print(f"{len(bugs)} bugs of {len(libraries)} libraries in {out}")


def print_table(results):
    print("| library | releases | tests | failing | bugs | left out |\n|---|---|---|---|---|---|")
    for pair in results["pairs"]:
        if "unavailable" in pair:
            print(f"| {pair['library']} | {pair['earlier']} → {pair['later']} | | | | {pair['unavailable']} |")
        else:
            print(f"| {pair['library']} | {pair['earlier']} → {pair['later']} | {pair['tests']:,} | {pair['failing']} | {pair['bugs']} | {sum(pair['left_out'].values()) or ''} |")


if __name__ == "__main__":
    main()

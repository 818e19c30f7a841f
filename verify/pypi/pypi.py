#!/usr/bin/env python3
"""Makes spectra of real bugs out of pairs of releases on PyPI.

    verify/pypi/pypi.py [PAIR...] [--work FOLDER] [--results FILE] [--model NAME=FILE]... [--known]     FDC: the program
    verify/pypi/pypi.py --list | --table

A pair is named as `--list` does, part of the name is enough; default: all, in the order of the table. For each: the later
release's tests run on the code of both releases. For a test that fails on the earlier one and passes on the later one, delta
debugging finds the changed functions that it needs (README.md). FOLDER/bugs/PACKAGE/PACKAGE-N.json.zst is one bug each, in the
layout that `fdc evaluate` and studies read; FOLDER/cases has the same bugs as case files, with messages and stacks. What is
done is not done again; a killed run resumes. With --known the faults are taken from the results instead of searched for: minutes
instead of an hour. Results: verify/results/pypi.json (default), which names all pairs that are done.
"""
import argparse
import json
import os
import shutil
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

from sdists import PLAIN, Broken, Checkout, Unavailable, write
from packages import PAIRS
from trials import Trials
from cases import Measured, by_method, write_case
from places import figures, print_figures

from delta import IN_CLASS
from releases import baseline, isolate, plain
from spectra import Spectrum, bugs_of, write_dataset
from subjects import ROOT

RESULTS = Path(__file__).resolve().parent.parent / "results" / "pypi.json"
NOT_IN_FUNCTION = "a needed change is outside of functions"
FDC = Path(os.environ.get("FDC", ROOT / "target" / "release" / "fdc"))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("pair", nargs="*")
    parser.add_argument("--work", type=Path, default=ROOT / "target" / "verify-pypi")
    parser.add_argument("--results", type=Path, default=RESULTS)
    parser.add_argument("--model", action="append", default=[], metavar="NAME=FILE", help="rank with this model of sharp as well")
    parser.add_argument("--known", action="store_true", help="take the faults from the results there are, and search for none")
    parser.add_argument("--list", action="store_true", help="print the names of the pairs, run nothing")
    parser.add_argument("--table", action="store_true", help="print the results there are, run nothing")
    options = parser.parse_args()
    if options.list:
        return print("\n".join(pair.name for pair in PAIRS))
    if options.table:
        return print_table(json.loads(options.results.read_text()))
    wanted = list(dict.fromkeys(pair for part in options.pair or [""] for pair in PAIRS if part in pair.name))
    if not wanted:
        sys.exit(f"no pair is called {options.pair[0]!r}; --list prints them")
    options.work = options.work.resolve()
    known = json.loads(options.results.read_text()) if options.known else None
    broken = []
    for pair in wanted:
        begun = time.time()
        try:
            told = of_pair(Checkout(pair, options.work), known)
        except Broken as why:
            print(f"{pair.name}: {why}", file=sys.stderr, flush=True)
            broken.append(pair.name)
            continue
        says = told.get("unavailable") or f"{told['failing']} failing tests, {len(told['bugs'])} bugs, left out {told['left_out']}"
        print(f"{pair.name}: {says} ({time.time() - begun:.0f} s)", flush=True)
    assemble(options)
    if broken:
        sys.exit(f"not in the results: {', '.join(broken)}")


def of_pair(checkout, known):
    """What a pair gave; its folder keeps it in found.json. `known`: results of before that say which methods are at fault."""
    pair, folder = checkout.pair, checkout.folder
    found = folder / "found.json"
    if found.is_file():
        return json.loads(found.read_text())
    told = {"package": pair.package, "earlier": pair.earlier, "later": pair.later}
    before = known and before_of(known, told)
    if before and not before["bugs"]:
        folder.mkdir(parents=True, exist_ok=True)
        write(found, json.dumps(before, indent=1) + "\n")
        return before
    try:
        checkout.unpack()
        checkout.prepare()
        trials = Trials(checkout)
        try:
            outcomes, failing = baseline(checkout, trials)
            both = Counter(map(tuple, plain(outcomes).values()))
            told.update(tests=len(outcomes), only_on_later=both[None, "pass"], pass_on_both=both["pass", "pass"], fail_on_both=both["fail", "fail"],
                        failing=len(failing), changed_functions=len(trials.changes))
            if not both["pass", "pass"]:
                raise Unavailable("no test passes on both releases")
            if before:
                collect(checkout)
                write(found, json.dumps(before, indent=1) + "\n")
                return before
            isolated, reasons = isolate(checkout, trials, trials.changes, failing)
            if IN_CLASS in reasons:
                reasons[NOT_IN_FUNCTION] = reasons.pop(IN_CLASS)
        finally:
            trials.close()
        bugs = []
        if isolated:
            collect(checkout)
            needed, measured = by_method(isolated, trials.changes, trials.files, Measured(folder / "case.fdc"))
            bugs, _, more = bugs_of(Spectrum(folder / "case.fdc"), measured, needed, plain(outcomes))
            reasons.update(more)
        told.update(left_out=dict(sorted(reasons.items())), bugs=bugs)
    except Unavailable as why:
        told.update(unavailable=str(why), bugs=[])
    write(found, json.dumps(told, indent=1) + "\n")
    return told


def before_of(known, pair):
    """What results of before say of a pair."""
    is_of = lambda row: all(row[key] == pair[key] for key in ("earlier", "later"))
    told = next((row for row in known["pairs"] if row["package"] == pair["package"] and is_of(row)), None)
    if told is None:
        raise Broken("not in the results; leave out --known")
    own = [bug for bug in known["bugs"] if bug["bug"].rsplit("-", 1)[0] == pair["package"] and is_of(bug)]
    return {**told, "bugs": [{"methods": bug["faulty_functions"], "failing_tests": bug["failing_tests"]} for bug in own]}


def collect(checkout):
    """Coverage of the tests on the earlier release."""
    if (checkout.folder / "collected").is_file():
        return
    command = [FDC, "--quiet", "collect", "pytest", "--root", checkout.earlier, "-o", checkout.folder / "case.fdc", "--timeout", "60", "--python", checkout.python,
               "--", *PLAIN, *checkout.pair.tests]
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, env=checkout.environment(checkout.earlier), cwd=checkout.earlier)
    if done.returncode:
        raise Broken(f"fdc collect ended with {done.returncode}:\n{done.stderr}")
    write(checkout.folder / "collected", "")


def assemble(options):
    """The files of all bugs, numbered by package in the order of the table, and the results."""
    pairs, bugs, numbers = [], [], Counter()
    datasets, cases = options.work / "bugs", options.work / "cases"
    for out in (datasets, cases):
        shutil.rmtree(out, ignore_errors=True)
    for pair in PAIRS:
        folder = options.work / "pairs" / pair.name
        if not (folder / "found.json").is_file():
            continue
        told = json.loads((folder / "found.json").read_text())
        if told["bugs"]:
            spectrum = Spectrum(folder / "case.fdc")
            outcomes = plain(json.loads((folder / "baseline.json").read_text()))
            passing = [name for name, (outcome, _) in spectrum.tests.items() if outcome == "pass" and outcomes.get(name) == ["pass", "pass"]]
        for bug in told["bugs"]:
            numbers[pair.package] += 1
            number = numbers[pair.package]
            name = f"{pair.package}-{number}"
            sizes = write_dataset(datasets / pair.package / f"{name}.json.zst", pair.package, number, spectrum, bug, passing, pair)
            write_case(cases / pair.package / f"{name}.fdc", folder / "case.fdc", pair.package, number, bug, passing)
            bugs.append({"bug": name, "earlier": pair.earlier, "later": pair.later, "faulty_functions": bug["methods"], "failing_tests": bug["failing_tests"], **sizes})
        pairs.append({**told, "bugs": len(told["bugs"])})
    options.results.parent.mkdir(parents=True, exist_ok=True)
    packages = sorted({bug["bug"].rsplit("-", 1)[0] for bug in bugs})
    print(f"{len(bugs)} bugs of {len(packages)} packages in {datasets}; ranking them", flush=True)
    models = dict(word.split("=", 1) for word in options.model)
    ranked = figures(FDC, cases, bugs, models)
    write(options.results, json.dumps({"bugs_in_all": len(bugs), "packages": packages, "figures": ranked, "pairs": pairs, "bugs": bugs}, indent=1) + "\n")


def print_table(results):
    print("| package | releases | tests | failing | bugs | left out |\n|---|---|---|---|---|---|")
    for pair in results["pairs"]:
        if "unavailable" in pair:
            print(f"| {pair['package']} | {pair['earlier']} → {pair['later']} | | | | {pair['unavailable']} |")
        else:
            print(f"| {pair['package']} | {pair['earlier']} → {pair['later']} | {pair['tests']:,} | {pair['failing']} | {pair['bugs'] or ''} | {sum(pair['left_out'].values()) or ''} |")
    left_out = Counter()
    for pair in results["pairs"]:
        left_out.update(pair.get("left_out", {}))
    print("\n| reason | tests |\n|---|---|")
    for reason, tests in left_out.most_common():
        print(f"| {reason} | {tests} |")
    print_figures(results["figures"])


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""Generates tests for real bugs out of pairs of releases with the RLFDC paper's set-up, and measures them (RQ3 and RQ2).

    verify/generated/release_bugs.py [--libraries commons-cli,commons-validator,commons-text,commons-beanutils] [--bugs 42]
        [--rows line,line-by-line,ddu,entbug,rlfdc,sharp] [--seeds 1,2,3] [--budget 120] [--again]
        [--work FOLDER] [--results FILE]                          FDC: the program, FDC_JAVA: the folder of `make java`
    verify/generated/release_bugs.py --table

The bugs are those of verify/releases/, of libraries that the built-in models were never trained on; they are made first
if they are not there. Of each bug one failing test is kept (the first by name). They are taken in turns, one of each
library, so that a part of them is a mixture; of a library those first whose failing test covers the most methods per
class, because every class costs EvoSuite a start. `fdc generate evosuite` makes a pool per row and generator seed on the earlier
release, 120 seconds a pool; the earlier release with nothing put right but the bug gives the verdicts. Rows are criteria;
`line` is EvoSuite's search for whole suites, `line-by-line` its search for one line after the other. From each pool ten
tests are picked with their verdicts by every metric (RQ2; those of rlfdc are RQ3), and the places of the faulty methods
are taken (worst of their tie) before, after ten and with all tests.

All rows of a bug come before the next bug, and all bugs of a seed before the next seed. The results
(verify/results/generated-releases.json) are written after every pool. A pool that they have is not made again
(--again: it is), so the run can be ended at any time and taken up on another machine. Budgets are wall-clock time: pools
are made one at a time; processor time and the load of the machine are noted down with each. FOLDER/generated/ROW/seed-N/
holds the pools.
"""
import argparse
import json
import os
import random
import resource
import shutil
import subprocess
import sys
import time
from itertools import zip_longest
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
RESULTS = HERE.parent / "results" / "generated-releases.json"
sys.path.insert(0, str(HERE.parent / "releases"))

from fetch import write  # noqa: E402
from fixes import JAVA_OPTIONS, write_fix  # noqa: E402
from pairs import PAIRS  # noqa: E402
from pools import brief, counts, keep_one_failing, make, picked, ranked, suspects  # noqa: E402
from releases import fetched, of_pair  # noqa: E402

# Criterion and level of the search.
ROWS = {"line": ("line", "suite"), "line-by-line": ("line", "test"), **{name: (name, "test") for name in ("ddu", "entbug", "rlfdc", "sharp")}}
NAMES = {"line": "EVO-line, whole suites", "line-by-line": "EVO-line, line by line", "ddu": "EVO-DDU", "entbug": "EVO-EntBug", "rlfdc": "EVO-RLFDC", "sharp": "EVO-sharp (not in the paper)"}
# What picks tests from the pools; RQ3 is about the searches, and one of them picks.
METRICS = ["entbug", "ddu", "tfd", "rlfdc", "fdg", "sharp"]
PICKS = AGAINST = "rlfdc"
# Beginnings of the jars that each library needs to run. More would only slow EvoSuite down.
USES = {"commons-beanutils": ["commons-logging", "commons-collections-3"], "commons-cli": [], "commons-text": ["commons-lang3"],
        "commons-validator": ["commons-beanutils", "commons-collections-3", "commons-digester", "commons-logging"]}
# Of class files: EvoSuite reads those for Java 8 or older.
NEWEST = 52
TOO_NEW = "EvoSuite does not read its classes, which are for a newer Java than 8"
WITHIN = [1, 3, 5, 10]
DRAWS = 10_000


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--libraries", default=",".join(["commons-cli", "commons-validator", "commons-text", "commons-beanutils"]))
    parser.add_argument("--bugs", type=int, default=sys.maxsize)
    parser.add_argument("--rows", default=",".join(ROWS))
    parser.add_argument("--seeds", default="1,2,3")
    parser.add_argument("--budget", type=int, default=120)
    parser.add_argument("--again", action="store_true", help="make pools anew that the results have")
    parser.add_argument("--work", type=Path, default=ROOT / "target" / "verify-releases")
    parser.add_argument("--results", type=Path, default=RESULTS)
    parser.add_argument("--table", action="store_true", help="print the results there are, run nothing")
    options = parser.parse_args()
    if options.table:
        return print_tables(json.loads(options.results.read_text()))
    options.work = options.work.resolve()
    fdc = Path(os.environ.get("FDC", ROOT / "target" / "release" / "fdc"))
    os.environ["JAVA8_HOME"] = subprocess.run([ROOT / "scripts" / "java8"], check=True, stdout=subprocess.PIPE, text=True).stdout.strip()
    bugs, left_out = in_turns(prepare(options))
    results = Results(options, bugs, left_out)
    for seed in map(int, options.seeds.split(",")):
        for bug in bugs[: options.bugs]:
            for row in options.rows.split(","):
                if options.again or not results.has(bug, row, seed):
                    results.add(pool_of(fdc, options, bug, row, seed))


def prepare(options):
    """The bugs of each library in order, numbered as verify/releases/ does, each with a folder of its own."""
    wanted = [pair for name in options.libraries.split(",") for pair in PAIRS if pair.artifact == name]
    checkouts, missing = fetched(wanted, options.work)
    if missing:
        sys.exit(f"not to be had: {', '.join(missing)}")
    bugs = {}
    for checkout in checkouts:
        own = bugs.setdefault(checkout.pair.artifact, [])
        for found in of_pair(checkout)["bugs"]:
            own.append(prepared(checkout, found, len(own) + 1, options.work))
    return bugs


def prepared(checkout, found, number, work):
    """A case with one failing test, and both versions' class files; or why there is no fixed one. Its folder keeps it in bug.json."""
    pair = checkout.pair
    name = f"{pair.artifact}-{number}"
    home = work / "bugs" / name
    done = home / "bug.json"
    if done.is_file():
        return json.loads(done.read_text())
    shutil.rmtree(home, ignore_errors=True)
    home.mkdir(parents=True)
    bug = {"bug": name, "earlier": pair.earlier, "later": pair.later, "methods": found["methods"], "failing_tests": len(found["failing_tests"])}
    classes, fixed = checkout.folder / "classes", home / "fixed"
    why = TOO_NEW if newest(classes) > NEWEST else write_fix(checkout, found, fixed)
    if why:
        bug["left_out"] = why
    else:
        shutil.copy(checkout.folder / "case.fdc", home / "case.fdc")
        bug["failing"] = keep_one_failing(home / "case.fdc", pair.artifact, number, found["methods"], failing=found["failing_tests"])
        uses = [jar for jar in checkout.needed if any(jar.name.startswith(name) for name in USES[pair.artifact])]
        path = lambda folder: os.pathsep.join(map(str, [folder, *uses]))
        bug.update(home=str(home), classes=path(classes), fixed=path(fixed))
    write(done, json.dumps(bug, indent=1))
    return bug


def newest(classes):
    """The newest version of a class file."""
    files = [path for path in classes.rglob("*.class") if not path.name.endswith("-info.class") and "META-INF" not in path.parts]
    return max(int.from_bytes(path.read_bytes()[6:8], "big") for path in files)


def in_turns(libraries):
    """One bug of each library after the other; and how many are left out and why."""
    reasons = [bug["left_out"] for bugs in libraries.values() for bug in bugs if "left_out" in bug]
    ordered = [sorted((bug for bug in bugs if "left_out" not in bug), key=methods_per_class, reverse=True) for bugs in libraries.values()]
    return [bug for turn in zip_longest(*ordered) for bug in turn if bug], {reason: reasons.count(reason) for reason in sorted(set(reasons))}


def methods_per_class(bug):
    methods = suspects(Path(bug["home"]) / "case.fdc")
    return len(methods) / len({method.split("#")[0].split("$")[0] for method in methods})


class Results:
    """The file of results, which is whole at any time."""

    def __init__(self, options, bugs, left_out):
        self.path = options.results
        self.told = json.loads(self.path.read_text()) if self.path.exists() else {"budget_seconds": options.budget, "pools": []}
        if self.told["budget_seconds"] != options.budget:
            sys.exit(f"{self.path}: made with {self.told['budget_seconds']} s a pool, not {options.budget}; name another file with --results")
        kept = ("bug", "earlier", "later", "methods", "failing_tests", "failing")
        self.told.update(left_out=left_out, bugs=[{key: bug[key] for key in kept} for bug in bugs])

    def key(self, pool):
        return pool["bug"], pool["row"], pool["seed"]

    def has(self, bug, row, seed):
        return any(self.key(pool) == (bug["bug"], row, seed) for pool in self.told["pools"])

    def add(self, made):
        others = [pool for pool in self.told["pools"] if self.key(pool) != self.key(made)]
        self.told["pools"] = [*others, made]
        # A line a pool.
        about = json.dumps({key: value for key, value in self.told.items() if key != "pools"}, indent=1).removesuffix("\n}")
        lines = ",\n".join(f"  {json.dumps(pool)}" for pool in self.told["pools"])
        write(self.path, f'{about},\n "pools": [\n{lines}\n ]\n}}\n')
        says = made.get("problem") or (f"places {made['alone']} alone, {made['ten'][PICKS]} with ten, {made['all']} with all "
                                       f"{made['tests']} ({made['failing']} fail), {made['seconds']} s, {made['processor_seconds']} s of processor, load {made['load'][0]:.1f} to {made['load'][1]:.1f}")
        print(f"{made['bug']} {made['row']} seed {made['seed']}: {says}", flush=True)


def pool_of(fdc, options, bug, row, seed):
    criterion, level = ROWS[row]
    out = Path(bug["home"]) / f"{row}-{options.budget}-{seed}"
    if options.again:
        shutil.rmtree(out, ignore_errors=True)
    begun, worked, load = time.time(), processor_seconds(), os.getloadavg()[0]
    made = {"bug": bug["bug"], "row": row, "seed": seed}
    problem = make(fdc, bug, out, criterion, seed, options.budget, level, JAVA_OPTIONS)
    made.update(seconds=round(time.time() - begun), processor_seconds=round(processor_seconds() - worked), load=[round(load, 1), round(os.getloadavg()[0], 1)])
    if problem:
        return {**made, "problem": problem.replace(str(out), "OUT")}
    pool = options.work / "generated" / row / f"seed-{seed}" / f"{bug['bug']}.fdc"
    pool.parent.mkdir(parents=True, exist_ok=True)
    shutil.copy(out / "pool.fdc", pool)
    by_metric = {metric: picked(fdc, pool, bug, metric) for metric in METRICS}
    return {**made, "alone": by_metric[PICKS][0], "ten": {metric: after for metric, (_, after) in by_metric.items()}, "all": ranked(fdc, pool, bug),
            **counts(pool, out), "summary": brief(out)}


def processor_seconds():
    """Of the programs that were started and have ended: on a busy machine a budget of wall-clock time buys fewer. What such
    a program did not wait for is missing."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def print_tables(told):
    """RQ3 and RQ2 over the bugs and seeds of which all rows are there."""
    pools = complete(told)
    if not pools:
        return print(f"no bug has all rows yet; {len(told['pools'])} pools are made")
    seeds = {seed: len({bug for bug, _, other in pools if other == seed}) for seed in sorted({seed for _, _, seed in pools})}
    print(f"{told['budget_seconds']} s a pool; bugs by seed: {', '.join(f'{count} with seed {seed}' for seed, count in seeds.items())}; "
          f"left out: {told['left_out'] or 'none'}; pools that failed: {sum('problem' in pool for pool in told['pools'])}")
    loads = sorted(number for pool in pools.values() for number in pool["load"])
    spent = ", ".join(f"{mean([pool[key] for pool in pools.values()]):.0f} {says}" for key, says in (("seconds", "s"), ("processor_seconds", "s of processor time")))
    print(f"load of the machine: {loads[0]} to {loads[-1]}, median {loads[len(loads) // 2]}; a pool takes {spent} in the mean\n")
    ten, everything, alone = lambda pool: pool["ten"][PICKS], lambda pool: pool["all"], lambda pool: pool["alone"]
    of_row = {row: [pool for (_, other, _), pool in pools.items() if other == row] for row in ROWS}
    print("| search | acc@1, 3, 5, 10 with ten tests, % | with all, % | mAP with ten, with all | mean place with ten, with all | tests a pool | of these failing |")
    print("|---|---|---|---|---|---|---|")
    start = of_row[AGAINST]
    print(f"| the failing test alone | {shares(start, alone)} | | {of_bugs(start, precision, alone):.3f} | {of_bugs(start, min, alone):.2f} | | |")
    for row, own in of_row.items():
        figures = [f"{of_bugs(own, measure, ten):.{digits}f}, {of_bugs(own, measure, everything):.{digits}f}" for measure, digits in ((precision, 3), (min, 2))]
        tests, failing = (mean([pool[key] for pool in own]) for key in ("tests", "failing"))
        print(f"| {NAMES[row]} | {shares(own, ten)} | {shares(own, everything)} | {' | '.join(figures)} | {tests:.1f} | {failing:.1f} |")
    print(f"\n{NAMES[AGAINST]} minus each other search, paired by bug, with 95 % bootstrap intervals:\n")
    print("| minus | place with ten | place with all | average precision with ten | with all |\n|---|---|---|---|---|")
    for row, own in of_row.items():
        if row != AGAINST:
            cells = [difference(of_row[AGAINST], own, measure, state, state) for measure in (min, precision) for state in (ten, everything)]
            print(f"| {NAMES[row]} | {' | '.join(cells)} |")
    print_picks("the pools of EVO-line, whole suites", of_row["line"])
    print_picks("all of these pools", list(pools.values()))


def print_picks(title, pools):
    """RQ2: ten tests picked by each metric from the same pools."""
    print(f"\nTen tests picked from {title}; differences are {PICKS}'s minus the metric's:\n")
    print("| metric | acc@1, 3, 5, 10, % | mAP | mean place | difference in place | in average precision |\n|---|---|---|---|---|---|")
    states = {metric: lambda pool, metric=metric: pool["ten"][metric] for metric in METRICS}
    for name, state in [*states.items(), ("all tests", lambda pool: pool["all"])]:
        cells = [difference(pools, pools, measure, states[PICKS], state) if name in METRICS and name != PICKS else "" for measure in (min, precision)]
        print(f"| {name} | {shares(pools, state)} | {of_bugs(pools, precision, state):.3f} | {of_bugs(pools, min, state):.2f} | {' | '.join(cells)} |")


def complete(told):
    """Pools by bug, row and seed, of those bugs and seeds that have all rows."""
    made = {(pool["bug"], pool["row"], pool["seed"]): pool for pool in told["pools"] if "problem" not in pool}
    return {(bug, row, seed): pool for (bug, row, seed), pool in made.items() if all((bug, other, seed) in made for other in ROWS)}


def mean(values):
    return sum(values) / len(values) if values else float("nan")


def precision(places):
    """Average precision: of the i-th faulty method i / its place, in the mean; of a tie the last."""
    return mean([sum(other <= place for other in places) / place for place in places])


def shares(pools, state):
    """Of how many pools the best placed faulty method is within the first 1, 3, 5, 10, in per cent."""
    return ", ".join(f"{100 * mean([min(state(pool)) <= within for pool in pools]):.1f}" for within in WITHIN)


def by_bug(pools, measure, state):
    """A bug's value is the mean over its seeds, and over searches if there are several."""
    values = {}
    for pool in pools:
        values.setdefault(pool["bug"], []).append(measure(state(pool)))
    return {bug: mean(own) for bug, own in values.items()}


def of_bugs(pools, measure, state):
    return mean(list(by_bug(pools, measure, state).values()))


def difference(these, those, measure, state, other):
    """The mean difference, with a 95 % bootstrap interval over bugs."""
    ours, theirs = by_bug(these, measure, state), by_bug(those, measure, other)
    apart = [ours[bug] - theirs[bug] for bug in sorted(ours)]
    draw = random.Random(1)
    means = sorted(mean(draw.choices(apart, k=len(apart))) for _ in range(DRAWS))
    digits = 2 if measure is min else 3
    return f"{mean(apart):+.{digits}f} ({means[DRAWS // 40]:+.{digits}f} to {means[-DRAWS // 40 - 1]:+.{digits}f})"


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""Generates tests for mutants of released libraries under several criteria, and measures them.

    verify/generated/generate.py [--subject commons-cli] [--mutants 10] [--criteria line,ddu,entbug,rlfdc]
        [--seeds 1,2,3] [--budget 30] [--jobs 2] [--work FOLDER] [--results FILE]       FDC: the program
    verify/generated/generate.py --table

Mutants are drawn as verify/seeded/seeded.py draws them. Of each, one failing test that runs the
mutated line is taken (the first by name). `fdc generate evosuite` makes a pool per criterion and
generator seed on the mutant; the original is the fixed version that gives the verdicts. From each
pool ten tests are picked by rlfdc with their verdicts, and the place of the mutated method is taken
(worst of its tie) before, after ten and with all tests. A pool that is there is not made again.
Counted as well: tests that run all lines of some row that the search kept. Assertions, which come after
the search, add lines; a test that runs fewer was not what the search thought.

FOLDER/generated/CRITERION/seed-N/ then holds the pools as studies/rq3.toml reads them:
`fdc study studies/rq3.toml --data FOLDER`. Results: verify/results/generated-SUBJECT.json unless told.
"""
import argparse
import concurrent.futures
import json
import os
import shutil
import sys
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
RESULTS = HERE.parent / "results"
sys.path.insert(0, str(HERE.parent / "seeded"))

from pools import brief, counts, keep_one_failing, make, picked, ranked  # noqa: E402
from seeded import REASONS, Run, covered_lines, mutants  # noqa: E402
from subjects import SUBJECTS  # noqa: E402


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--subject", default="commons-cli")
    parser.add_argument("--mutants", type=int, default=10)
    parser.add_argument("--draw-seed", type=int, default=1)
    parser.add_argument("--criteria", default="line,ddu,entbug,rlfdc")
    parser.add_argument("--seeds", default="1,2,3")
    parser.add_argument("--budget", type=int, default=30)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--work", type=Path, default=ROOT / "target" / "generated")
    parser.add_argument("--results", type=Path)
    parser.add_argument("--table", action="store_true", help="print the results there are, run nothing")
    options = parser.parse_args()
    if options.table:
        for path in sorted(RESULTS / f"generated-{name}.json" for name in SUBJECTS):
            if path.exists():
                print_table(json.loads(path.read_text()))
        return
    fdc = Path(os.environ.get("FDC", ROOT / "target" / "release" / "fdc"))
    options.work = options.work.resolve()
    bugs = prepare(options, fdc)
    pools = [
        (bug, criterion, int(seed))
        for seed in options.seeds.split(",")
        for bug in bugs
        for criterion in options.criteria.split(",")
    ]
    begun = time.time()
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as executor:
        tasks = [executor.submit(pool_of, fdc, options, *pool) for pool in pools]
        for task in concurrent.futures.as_completed(tasks):
            print(task.result()["says"], flush=True)
    made = [task.result() for task in tasks]
    result = {
        "subject": SUBJECTS[options.subject].what,
        "draw_seed": options.draw_seed,
        "budget_seconds": options.budget,
        "jobs": options.jobs,
        "load": os.getloadavg(),
        "seconds": round(time.time() - begun),
        "mutants": [{key: bug[key] for key in ("number", "where", "was", "is", "method", "failing", "failing_tests")} for bug in bugs],
        "pools": [{key: value for key, value in pool.items() if key != "says"} for pool in made],
    }
    path = options.results or RESULTS / f"generated-{options.subject}.json"
    path.write_text(json.dumps(result, indent=1) + "\n")
    print_table(result)


def prepare(options, fdc):
    """The mutants: a case, the mutated classes and what was done, a folder each."""
    folder = options.work / options.subject
    listed = folder / "mutants.json"
    subject = SUBJECTS[options.subject]
    if listed.exists():
        bugs = json.loads(listed.read_text())
        if len(bugs) >= options.mutants:
            return bugs[: options.mutants]
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    run = Run(subject, options.subject, folder, fdc)
    run.prepare()
    shutil.copytree(run.project / "classes", folder / "fixed")
    rejected = dict.fromkeys(REASONS, 0)
    bugs = []
    for bug in mutants(run, covered_lines(run.base), options.draw_seed, rejected):
        number = len(bugs) + 1
        home = folder / f"mutant-{number}"
        shutil.copytree(run.project / "classes", home / "classes")
        shutil.copy(run.folder / "mutant.fdc", home / "case.fdc")
        bug["number"], bug["home"] = number, str(home)
        path, line = bug["where"].rsplit(":", 1)
        bug["methods"] = [bug["method"]]
        bug["failing"] = keep_one_failing(home / "case.fdc", options.subject, number, bug["methods"], where=(path, int(line)))
        bug["classes"], bug["fixed"] = str(home / "classes"), str(folder / "fixed")
        bugs.append(bug)
        print(f"mutant {number}: {bug['where']}: {bug['was']}  ->  {bug['is']}  ({bug['failing']})", flush=True)
        if number == options.mutants:
            break
    listed.write_text(json.dumps(bugs, indent=1))
    return bugs


def pool_of(fdc, options, bug, criterion, seed):
    out = Path(bug["home"]) / f"{criterion}-{options.budget}-{seed}"
    begun = time.time()
    problem = make(fdc, bug, out, criterion, seed, options.budget)
    if problem:
        return {"mutant": bug["number"], "criterion": criterion, "seed": seed, "problem": problem, "says": f"mutant {bug['number']} {criterion} seed {seed}: {problem}"}
    pool = options.work / "generated" / criterion / f"seed-{seed}" / f"{options.subject}-{bug['number']}.fdc"
    pool.parent.mkdir(parents=True, exist_ok=True)
    shutil.copy(out / "pool.fdc", pool)
    [alone], [ten] = picked(fdc, pool, bug, "rlfdc")
    [everything] = ranked(fdc, pool, bug)
    result = {
        "mutant": bug["number"], "criterion": criterion, "seed": seed, "alone": alone, "ten": ten, "all": everything,
        **counts(pool, out), "summary": brief(out), "seconds": round(time.time() - begun, 1),
    }
    result["says"] = f"mutant {bug['number']} {criterion} seed {seed}: place {alone:g} alone, {ten:g} with ten, {everything:g} with all {result['tests']} ({result['failing']} fail)"
    return result


def print_table(result):
    pools = [pool for pool in result["pools"] if "problem" not in pool]
    criteria = list(dict.fromkeys(pool["criterion"] for pool in pools))
    mean = lambda values: sum(values) / len(values) if values else float("nan")
    print(f"{result['subject']}, {result['budget_seconds']} s a pool\n")
    print("| mutant | place with the failing test alone |", " | ".join(f"{criterion}: ten, all (tests)" for criterion in criteria), "|")
    print("|---|---|" + "---|" * len(criteria))
    for mutant in result["mutants"]:
        own = [pool for pool in pools if pool["mutant"] == mutant["number"]]
        if not own:
            continue
        cells = []
        for criterion in criteria:
            of = [pool for pool in own if pool["criterion"] == criterion]
            ten = " ".join(f"{pool['ten']:g}" for pool in of)
            cells.append(f"{ten}; {mean([pool['all'] for pool in of]):.1f} ({mean([pool['tests'] for pool in of]):.0f})")
        where = mutant["where"].rsplit("/", 1)[-1]
        was, now = (mutant[key].replace("|", "\\|").replace("`", "'") for key in ("was", "is"))
        print(f"| {mutant['number']}. `{where}` `{was}` → `{now}` | {own[0]['alone']:g} |", " | ".join(cells), "|")
    print("| mean | {:.2f} |".format(mean([pool["alone"] for pool in pools])), end="")
    for criterion in criteria:
        of = [pool for pool in pools if pool["criterion"] == criterion]
        print(f" {mean([pool['ten'] for pool in of]):.2f}, {mean([pool['all'] for pool in of]):.2f} ({mean([pool['tests'] for pool in of]):.0f}) |", end="")
    print("\n")


if __name__ == "__main__":
    main()

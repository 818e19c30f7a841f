#!/usr/bin/env python3
"""Compares `fdc mutate` with cargo-mutants on a package of crates.io, with mutmut on one of PyPI, and with PIT on one of Maven
Central.

    verify/mutants/compare.py [rust] [python] [java] [--work FOLDER] [--sample N] [--rounds N] [--patience SECONDS]

FDC names the program.

The package's own tests run in both tools, with the same number of jobs (mutmut has one), in turns: fdc, the other one, fdc
again. fdc tries all its mutants in each round. cargo-mutants tries a sample of its own, spread evenly, of those on lines where
fdc has mutants.
Times are from the start of a command to its end, with everything that it builds; fdc's measurement of the tests
(`fdc collect`) is told beside it, and so are the mutants a minute if it is counted in. A mutant of both tools is the same if it
makes the same text of the file; their verdicts are compared, and those that differ are listed. There are two reasons so far: fdc
builds without lints, so what `arithmetic_overflow` refuses is tried and panics (killed here, unviable there); and fdc runs all
tests of the line, so a test that hangs is met even if another one fails, where cargo-mutants stops (hung here, caught there).
mutmut takes its mutants in the order of the file; it is stopped after `--patience`, and those that it has tried count.
PIT changes bytecode, all that it covers, and stops at the first test that fails, where fdc runs all. Its mutants and fdc's are
taken for the same if they are of the same kind on the same line, and neither tool has a second one of that kind there.

`over_tests_alone` is what fdc itself says of a run, of one mutant in 20: the time that its tests took (those that hung left out),
over what they take right after it, in the same way in the same programs, without the mutant.

Needs cargo-mutants on the PATH (or CARGO_MUTANTS), Python with venv and pip, a JDK and Maven. Results: verify/results/mutants.json.
"""
import argparse
import json
import os
import platform
import re
import shutil
import sqlite3
import subprocess
import sys
import time
import xml.etree.ElementTree
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "models" / "mutants"))
from subjects import SUBJECTS, fetch_crate  # noqa: E402

RESULTS = ROOT / "verify" / "results" / "mutants.json"
FDC = Path(os.environ.get("FDC", ROOT / "target" / "release" / "fdc"))
CARGO_MUTANTS = os.environ.get("CARGO_MUTANTS", "cargo-mutants")
CRATE = ("semver", "1.0.27")
WHEEL = ("inflection", "0.5.1")
MUTMUT = "mutmut==2.5.1"
LIBRARY = "commons-dbutils"
PIT = "1.17.4"
JOBS = 2
VERDICTS = {
    "killed": "noticed", "crashed": "noticed", "survived": "missed", "hung": "hung", "broken": "broken",
    "CaughtMutant": "noticed", "MissedMutant": "missed", "Timeout": "hung", "Unviable": "broken",
    "KILLED": "noticed", "SURVIVED": "missed", "NO_COVERAGE": "missed", "TIMED_OUT": "hung", "MEMORY_ERROR": "noticed",
    "RUN_ERROR": "noticed", "NON_VIABLE": "broken",
    "ok_killed": "noticed", "bad_survived": "missed", "bad_timeout": "hung", "ok_suspicious": "noticed",
}
# Symbols in backtraces take longer than most tests.
PLAIN = {name: value for name, value in os.environ.items() if name != "RUST_BACKTRACE"}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("which", nargs="*", choices=["rust", "python", "java"], default=["rust", "python", "java"])
    parser.add_argument("--work", type=Path, default=ROOT / "target" / "verify-mutants")
    parser.add_argument("--sample", type=int, default=40)
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--patience", type=int, default=300, help="seconds after which mutmut is stopped")
    options = parser.parse_args()
    found = json.loads(RESULTS.read_text()) if RESULTS.exists() else {}
    found["machine"] = f"{platform.machine()}, {os.cpu_count()} cores, {platform.system()}"
    for name in options.which:
        begun = time.time()
        found[name] = {"rust": rust, "python": python, "java": java}[name](options)
        found[name]["seconds"] = round(time.time() - begun)
        found[name]["load"] = os.getloadavg()[2]
        RESULTS.write_text(json.dumps(found, indent=1) + "\n")
        print(name, json.dumps(found[name], indent=1))


def run(*command, check=True, **options):
    words = [str(word) for word in command]
    done = subprocess.run(words, capture_output=True, text=True, env=PLAIN, **options)
    if check and done.returncode != 0:
        sys.exit(f"{' '.join(words)} failed:\n{done.stdout}{done.stderr}")
    return done


def timed(*command, **options):
    begun = time.time()
    done = run(*command, **options)
    return time.time() - begun, done.stdout + done.stderr


def rust(options):
    name, version = CRATE
    work = options.work / "rust"
    project = crate(work, name, version)
    collecting, _ = timed(FDC, "collect", "cargo", cwd=project)
    measured = work / "measured.fdc"
    shutil.copy(project / "case.fdc", measured)
    listed = json.loads(run(CARGO_MUTANTS, "mutants", "--list", "--json", cwd=project).stdout)
    rounds, theirs, mine = [], {}, {}
    for number in range(options.rounds):
        seconds, mine, said = fdc_round(project, measured, ["cargo"])
        lines = {(path, line) for path, line, _, _ in mine.values()}
        same = [one for one in listed if (one["file"], one["span"]["start"]["line"]) in lines]
        step = max(1, len(same) // options.sample)
        sample = same[number % step::step][:options.sample]
        out = work / f"out-{number}"
        shutil.rmtree(out, ignore_errors=True)
        names = "|".join(re.escape(one["name"]) for one in sample)
        took, _ = timed(CARGO_MUTANTS, "mutants", "--jobs", JOBS, "--output", out, "--re", f"^({names})$",
                        cwd=project, check=False)
        outcomes = json.loads((out / "mutants.out" / "outcomes.json").read_text())["outcomes"]
        tried = [one for one in outcomes if one["scenario"] != "Baseline"]
        for one in tried:
            change = one["scenario"]["Mutant"]
            theirs[(change["file"], changed_text(project, change))] = (one["summary"], change["name"])
        rounds.append(round_of(seconds, collecting, len(mine), took, len(tried), said))
    return {
        "package": f"{name} {version}", "other": run(CARGO_MUTANTS, "mutants", "--version").stdout.strip(),
        "jobs": JOBS, **summary(rounds), **agreement(mine, theirs),
    }


def crate(work, name, version):
    shutil.rmtree(work, ignore_errors=True)
    project = work / name
    fetch_crate(name, version, project)
    return project


def fdc_round(project, measured, words, jobs=JOBS):
    """All mutants of fdc, from a case that has none: by path and changed text, (path, line, fate, change)."""
    case = project / "case.fdc"
    for ending in ["", "-wal", "-shm"]:
        Path(f"{case}{ending}").unlink(missing_ok=True)
    shutil.copy(measured, case)
    seconds, said = timed(FDC, "mutate", *words, "--jobs", jobs, cwd=project)
    mine = {}
    database = sqlite3.connect(case)
    rows = database.execute("SELECT path, first, last, replacement, line, mutator, fate FROM mutant")
    for path, first, last, replacement, line, mutator, fate in rows:
        text = (project / path).read_bytes()
        changed = text[:first] + replacement.encode() + text[last:]
        key = (path, changed.decode())
        mine[key] = (path, line, fate, f"{path}:{line}: {text[first:last].decode()} -> {replacement} ({mutator})")
    database.close()
    return seconds, mine, said


def changed_text(project, change):
    lines = (project / change["file"]).read_text().splitlines(keepends=True)
    at = lambda place: sum(map(len, lines[:place["line"] - 1])) + place["column"] - 1
    text, span = "".join(lines), change["span"]
    return text[:at(span["start"])] + change["replacement"] + text[at(span["end"]):]


def round_of(seconds, collecting, count, took, tried, said):
    alone = re.search(r"the tests took ([\d.]+) s; without it they take ([\d.]+) s", said)
    together = re.search(r"(\d+) mutants are built at once, (\d+) by themselves", said)
    rate, other = 60 * count / seconds, 60 * tried / took
    return {
        "fdc": {"mutants": count, "seconds": round(seconds, 1), "per_minute": round(rate, 1),
                "per_minute_with_collect": round(60 * count / (seconds + collecting), 1),
                "built_at_once": together and int(together[1]), "built_alone": together and int(together[2]),
                "over_tests_alone": alone and round(float(alone[1]) / float(alone[2]), 3)},
        "other": {"mutants": tried, "seconds": round(took, 1), "per_minute": round(other, 1)},
        "ratio": round(rate / other, 2),
    }


def summary(rounds):
    return {"rounds": rounds, "smallest_ratio": min(one["ratio"] for one in rounds)}


def agreement(mine, theirs):
    shared = [key for key in theirs if key in mine]
    pairs = [(mine[key], theirs[key]) for key in shared]
    differ = [
        {"mutant": own[3], "fdc": own[2], "other": other[0]}
        for own, other in pairs if VERDICTS[own[2]] != VERDICTS.get(other[0], other[0])
    ]
    return {"same_mutants": len(shared), "same_verdict": len(shared) - len(differ), "differ": differ}


# Run by the environment's own Python: which text each mutant of mutmut makes, and what became of it.
MUTMUT_TEXTS = """
import json, sqlite3, sys
from mutmut import Context, RelativeMutationID, mutate
rows = sqlite3.connect('.mutmut-cache').execute('''
    SELECT SourceFile.filename, Line.line, Line.line_number, Mutant."index", Mutant.status
    FROM Mutant JOIN Line ON Mutant.line = Line.id JOIN SourceFile ON Line.sourcefile = SourceFile.id''')
found = []
for path, line, number, index, status in rows.fetchall():
    source = open(path).read()
    identity = RelativeMutationID(line=line, index=index, line_number=number)
    text, count = mutate(Context(source=source, filename=path, mutation_id=identity))
    found.append([path, text, status, number])
print(json.dumps(found))
"""


def python(options):
    name, version = WHEEL
    work = options.work / "python"
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir(parents=True)
    run(sys.executable, "-m", "venv", work / "venv")
    interpreter = work / "venv" / "bin" / "python"
    run(interpreter, "-m", "pip", "install", "-q", MUTMUT, "pytest", "coverage")
    run(interpreter, "-m", "pip", "download", "-q", "--no-deps", "--no-binary", ":all:", f"{name}=={version}", "-d", work)
    shutil.unpack_archive(next(work.glob(f"{name}-*.tar.gz")), work)
    project = work / f"{name}-{version}"
    shutil.copytree(project / name, work / "original")
    collecting, _ = timed(FDC, "collect", "pytest", "--python", interpreter, cwd=project)
    measured = work / "measured.fdc"
    shutil.copy(project / "case.fdc", measured)
    rounds, theirs, mine = [], {}, {}
    for number in range(options.rounds):
        seconds, mine, said = fdc_round(project, measured, ["pytest", "--python", interpreter], jobs=1)
        (project / ".mutmut-cache").unlink(missing_ok=True)
        took, _ = timed("timeout", options.patience, work / "venv" / "bin" / "mutmut", "run", "--paths-to-mutate", name,
                        "--tests-dir", ".", "--runner", f"{interpreter} -m pytest -x -q", "--no-progress", "--simple-output",
                        cwd=project, check=False)
        # It changes the file in place, and may have been stopped in the middle of that.
        shutil.copytree(work / "original", project / name, dirs_exist_ok=True)
        told = json.loads(run(interpreter, "-c", MUTMUT_TEXTS, cwd=project).stdout)
        tried = [one for one in told if one[2] != "untested"]
        theirs = {(path, text): (status, path) for path, text, status, _ in tried}
        rounds.append(round_of(seconds, collecting, len(mine), took, len(tried), said))
    return {
        "package": f"{name} {version}", "other": MUTMUT.replace("==", " "), "jobs": 1,
        **summary(rounds), **agreement(mine, theirs),
    }


# A kind of PIT's mutants, by the end of its mutator's name, and fdc's mutators that are of it.
KINDS = {
    "ConditionalsBoundaryMutator": ["boundary"], "MathMutator": ["arithmetic", "bits"], "IncrementsMutator": ["assignment"],
    "NegateConditionalsMutator": ["equality"], "VoidMethodCallMutator": ["call"], "PrimitiveReturnsMutator": ["return"],
    "NullReturnValsMutator": ["return"], "BooleanTrueReturnValsMutator": ["return"], "BooleanFalseReturnValsMutator": ["return"],
    "EmptyObjectReturnValsMutator": ["return"],
}


def java(options):
    subject = next(one for one in SUBJECTS if one.name == LIBRARY)
    work = options.work / "java"
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir(parents=True)
    project = work / LIBRARY
    subject.fetch(project)
    pit = work / "pit"
    pom = work / "pit.xml"
    dependency = f"<dependency><groupId>org.pitest</groupId><artifactId>pitest-command-line</artifactId><version>{PIT}</version></dependency>"
    pom.write_text(f"<project><modelVersion>4.0.0</modelVersion><groupId>fdc</groupId><artifactId>pit</artifactId><version>1</version><dependencies>{dependency}</dependencies></project>")
    run("mvn", "-q", "-B", "-f", pom, "dependency:copy-dependencies", f"-DoutputDirectory={pit}")
    collecting, _ = timed(FDC, "collect", "junit", cwd=project)
    measured = work / "measured.fdc"
    shutil.copy(project / "case.fdc", measured)
    run("mvn", "-q", "-B", "test-compile", cwd=project)
    classes = [project / "target" / "classes", project / "target" / "test-classes", *sorted(subject.jars.glob("*.jar"))]
    package = sorted((project / "target" / "classes").rglob("*.class"))[0].relative_to(project / "target" / "classes")
    package = ".".join(package.parts[:4]) + ".*"
    rounds, theirs, mine = [], {}, {}
    for number in range(options.rounds):
        seconds, mine, said = fdc_round(project, measured, ["junit"])
        out = work / f"out-{number}"
        took, _ = timed("java", "-cp", os.pathsep.join(map(str, [*sorted(pit.glob("*.jar")), *classes])),
                        "org.pitest.mutationtest.commandline.MutationCoverageReport", "--reportDir", out, "--targetClasses", package,
                        "--targetTests", package, "--sourceDirs", project / "src" / "main" / "java", "--outputFormats", "XML",
                        "--threads", JOBS, "--timestampedReports=false", "--jvmArgs", ",".join(subject.java.split()), cwd=project)
        tried = [one for one in xml.etree.ElementTree.parse(out / "mutations.xml").iter("mutation") if one.get("status") != "NO_COVERAGE"]
        theirs = pit_mutants(tried)
        rounds.append(round_of(seconds, collecting, len(mine), took, len(tried), said))
    counts = Counter(place for place, _, _ in kinds_of(mine))
    alone = {place: value for place, value, _ in kinds_of(mine) if counts[place] == 1}
    return {
        "package": f"{LIBRARY} {subject.version}", "other": f"PIT {PIT}", "jobs": JOBS,
        **summary(rounds), **agreement(alone, theirs),
    }


def kinds_of(mine):
    """Place and kind of each mutant of fdc."""
    for path, line, fate, change in mine.values():
        kind = change.rsplit("(", 1)[1].rstrip(")")
        yield (path.split("src/main/java/", 1)[-1], line, kind), (path, line, fate, change), kind


def pit_mutants(tried):
    found = []
    for one in tried:
        kinds = KINDS.get(one.findtext("mutator").rsplit(".", 1)[-1].split("_")[0], [])
        folder = one.findtext("mutatedClass").rsplit(".", 1)[0].replace(".", "/")
        for kind in kinds:
            place = (f"{folder}/{one.findtext('sourceFile')}", int(one.findtext("lineNumber")), kind)
            found.append((place, (one.get("status"), one.findtext("description"))))
    counts = Counter(place for place, _ in found)
    return {place: told for place, told in found if counts[place] == 1}


if __name__ == "__main__":
    main()

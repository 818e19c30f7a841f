#!/usr/bin/env python3
"""Generations of EvoSuite in a fixed time on commons-lang3's NumberUtils: under a metric of fdc, and under
EvoSuite's own LINE with the same flags.

    benches/generations.py [--seconds 60] [--seeds 1,2,3] [--metric rlfdc]

Prints a JSON object. `make java` and `cargo build --release` come first; Java 8 comes from scripts/java8,
EvoSuite and commons-lang3 from Maven Central. Works in target/generations.
"""
import argparse
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "verify" / "seeded"))
from subjects import CommonsLang, run  # noqa: E402

WORK = ROOT / "target" / "generations"
CLASS = "org.apache.commons.lang3.math.NumberUtils"
# A bug, so that a test fails.
SOURCE = "src/main/java/org/apache/commons/lang3/math/NumberUtils.java"
RIGHT, WRONG = "if (hexDigits > 16 ||", "if (hexDigits > 17 ||"
FLAGS = """-mem 1500 -Dshow_progress=false -Dsandbox=false -Dinstrument_context=true -Dtest_archive=false -Dtimeout=2000
    -Dminimize=false -Dassertion_strategy=ALL -Dno_runtime_dependency=true -Dtest_scaffolding=false -Dreplace_calls=false
    -Dvirtual_fs=false -Dvirtual_net=false -Dreplace_system_in=false -Dreplace_gui=false -Dp_functional_mocking=0
    -Dp_reflection_on_private=0 -Duse_separate_classloader=false""".split()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seconds", type=int, default=60)
    parser.add_argument("--seeds", default="1,2,3")
    parser.add_argument("--metric", default="rlfdc")
    options = parser.parse_args()
    java8 = Path(run(ROOT / "scripts" / "java8").strip())
    classes, case, failing = subject(java8)
    run("mvn", "-q", "-B", "-f", WORK / "libraries.xml", "dependency:copy", "-Dartifact=org.evosuite:evosuite-master:1.0.6", f"-DoutputDirectory={WORK}")
    evosuite = WORK / "evosuite-master-1.0.6.jar"
    runs = []
    for seed in options.seeds.split(","):
        # One after the other, so that the machine's load is much the same for both.
        for criterion in ("LINE", "RHO"):
            runs.append(search(java8, evosuite, classes, case, failing, criterion, seed, options))
    total = {criterion: sum(one["generations"] for one in runs if one["criterion"] == criterion) for criterion in ("LINE", "RHO")}
    print(json.dumps({"metric": options.metric, "ratio": total["RHO"] / total["LINE"], "seconds": options.seconds, "runs": runs}, indent=1))


def subject(java8):
    """commons-lang3 with the bug, compiled for Java 8, and the case of some of its tests."""
    shutil.rmtree(WORK, ignore_errors=True)
    WORK.mkdir(parents=True)
    lang, project = CommonsLang(), WORK / "project"
    lang.fetch(project)
    source = (project / SOURCE).read_text(encoding="utf-8")
    if RIGHT not in source:
        sys.exit(f"{project / SOURCE}: expected {RIGHT!r}, not found")
    (project / SOURCE).write_text(source.replace(RIGHT, WRONG), encoding="utf-8")
    classes, case = project / "classes", WORK / "case.fdc"
    classes.mkdir()
    run(java8 / "bin/javac", "-nowarn", "-g", "-encoding", "UTF-8", "-cp", lang.class_path(project), "-d", classes, *lang.code(project))
    only = [word for name in ("math.NumberUtilsTest", "math.FractionTest", "ArrayUtilsTest") for word in ("--only", name)]
    run(ROOT / "target/release/fdc", "collect", "junit", *only, "--classpath", lang.class_path(project), "--classes", classes,
        "--tests", project / "tests", "-o", case, "--", *lang.arguments, cwd=project, env={**os.environ, "FDC_JAVA": str(ROOT / "target/java")})
    return classes, case, "org.apache.commons.lang3.math.NumberUtilsTest#testCreateNumberMagnitude"


def search(java8, evosuite, classes, case, failing, criterion, seed, options):
    folder = WORK / f"{criterion}-{seed}"
    folder.mkdir()
    jars, report = ROOT / "target" / "java", folder / "rounds.jsonl"
    guide = {"library": jars / "libfdc_jni.so", "case": case, "failing": failing, "metric": options.metric,
             "kept": folder / "kept.rows", "report": report}
    (folder / "guide").write_text("".join(f"{key}={value}\n" for key, value in guide.items()))
    class_path = os.pathsep.join(map(str, [jars / "fdc-evosuite.jar", jars / "fdc-fitness.jar", evosuite]))
    log = run(java8 / "bin/java", "-cp", class_path, "org.evosuite.EvoSuite", "-class", CLASS, "-projectCP", classes, "-seed", seed,
              "-generateSuite", "-criterion", criterion, f"-Dsearch_budget={options.seconds}", f"-Dtest_dir={folder}/tests",
              f"-Dreport_dir={folder}/report", *FLAGS, cwd=folder, env={**os.environ, "FDC_GUIDE": str(folder / "guide")})
    (folder / "log").write_text(log)
    found = re.search(r"Search finished after (\d+)s and (\d+) generations, (\d+) statements", log)
    if not found:
        sys.exit(f"{folder / 'log'}: expected the number of generations, found none")
    result = {"criterion": criterion, "seed": int(seed), "seconds": int(found[1]), "generations": int(found[2]),
              "statements": int(found[3]), "load": os.getloadavg()[0]}
    if criterion == "RHO":
        end = json.loads(report.read_text().splitlines()[-1])
        result.update(native_calls=end["evaluations"], native_seconds=end["native_seconds"], tests=end["tests"])
    print(json.dumps(result), file=sys.stderr)
    return result


if __name__ == "__main__":
    main()

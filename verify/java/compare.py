#!/usr/bin/env python3
"""Compares the lines that fdc's agent finds covered by each test with those of GZoltar.

    verify/java/compare.py [cli] [lang]     default: both subjects; prints JSON

The subjects are commons-cli 1.5.0 (JUnit 4) and commons-lang3 3.12.0 (JUnit Jupiter, which GZoltar
does not know: JupiterBridge.java shows it each test as one of JUnit 4). Jars come by Maven, and the
agent from target/java (`make java`). GZoltar runs on Java 17, fdc on 17 and 25; the JDKs are looked
for beside that of `java`, or named by JAVA_HOME_17 and JAVA_HOME_25.

Everything goes to target/verify-java. GZoltar's coverage of commons-lang3 takes long, so parts of it
that are there are not made again; delete the folder to do so.

A line that only one of the two has, for a test, is put down to one of these causes. Each is shown,
none assumed:
- no element: the class and line is not among the elements that GZoltar knows at all (it leaves out
  the constructors of anonymous classes and of constants of an enum with a body);
- earlier tests: GZoltar loads all classes anew for every test; when its runner does so with fdc's
  agent in place of its own, fdc's agent agrees with GZoltar, twice. What earlier tests left in static
  fields (caches, defaults) made the difference;
- chance: two such runs with fdc's agent, or two with GZoltar, differ in this line (random numbers, the
  clock, threads).
What is left is unexplained.
"""
import functools
import json
import os
import re
import resource
import shutil
import statistics
import subprocess
import sys
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
WORK = ROOT / "target" / "verify-java"
JARS = ROOT / "target" / "java"
GZOLTAR = {
    "cli": "com.gzoltar:com.gzoltar.cli:1.7.3:jar:jar-with-dependencies",
    "agent": "com.gzoltar:com.gzoltar.agent:1.7.3:jar:runtime",
}
CHUNK = 387
ROUNDS = {"cli": 11, "lang": 3}
SUBJECTS = {
    "cli": {
        "name": "commons-cli 1.5.0",
        "artifact": "commons-cli:commons-cli:1.5.0",
        "needs": ["junit:junit:4.13.2"],
        "bridge": False,
    },
    "lang": {
        "name": "commons-lang3 3.12.0",
        "artifact": "org.apache.commons:commons-lang3:3.12.0",
        "needs": [
            "org.junit.jupiter:junit-jupiter:5.7.1", "org.junit.platform:junit-platform-launcher:1.7.1",
            "org.junit-pioneer:junit-pioneer:1.3.0", "org.hamcrest:hamcrest:2.2", "org.easymock:easymock:4.2",
            "org.openjdk.jmh:jmh-core:1.27", "com.google.code.findbugs:jsr305:3.0.2",
        ],
        "bridge": True,
    },
}


def main():
    wanted = sys.argv[1:] or list(SUBJECTS)
    if not (JARS / "fdc-agent.jar").is_file():
        sys.exit("no target/java/fdc-agent.jar; make it with `make java`")
    WORK.mkdir(parents=True, exist_ok=True)
    java = {version: jdk(version) for version in (17, 25)}
    tools = {name: copied(artifact) for name, artifact in GZOLTAR.items()}
    found = {name: Subject(name, java, tools).compare() for name in wanted}
    print(json.dumps(found, indent=1))
    if not all(subject["passed"] for subject in found.values()):
        sys.exit(1)


class Subject:
    def __init__(self, name, java, tools):
        self.key, self.java, self.tools = name, java, tools
        self.told = SUBJECTS[name]
        self.folder = WORK / name
        self.folder.mkdir(exist_ok=True)
        self.jar = copied(self.told["artifact"])
        self.tests = copied(self.told["artifact"] + ":jar:tests")
        self.classes, self.test_classes = self.folder / "classes", self.folder / "test-classes"
        for jar, folder in ((self.jar, self.classes), (self.tests, self.test_classes)):
            if not folder.is_dir():
                shutil.unpack_archive(jar, folder, "zip")
        self.libraries = class_path(self.folder, self.told["needs"])

    def compare(self):
        theirs, elements, theirs_seconds = self.gzoltar()
        ours, seconds = self.fdc(self.java[17], self.folder / "fdc-17")
        newer, _ = self.fdc(self.java[25], self.folder / "fdc-25")
        result = {"subject": self.told["name"], "tests_gzoltar": len(theirs), "tests_fdc": count(ours), "tests_fdc_java25": count(newer)}
        result["tests_missing"] = sorted(set(theirs) - set(ours))
        result["tests_missing_java25"] = sorted(set(theirs) - set(newer))
        result["tests_with_other_lines_on_java25"] = sum(ours[test]["lines"] != newer[test]["lines"] for test in set(ours) & set(newer))
        left_out = [test for test, told in ours.items() if test not in theirs and told["outcome"] != "skip"]
        result["tests_gzoltar_leaves_out"] = {"all": len(left_out), "that_cover_a_line_it_knows": sum(bool(ours[test]["lines"] & elements) for test in left_out)}
        differences = {}
        lines = 0
        for test in sorted(set(theirs) & set(ours)):
            a, b = ours[test]["lines"], theirs[test]
            lines += len(a | b)
            if a != b:
                differences[test] = (a - b, b - a)
        causes = self.causes(differences, elements)
        counted = {cause: sum(1 for each in causes if each[3] == cause) for cause in ("no element", "earlier tests", "chance", "unexplained")}
        share = counted["unexplained"] / lines
        result.update(lines=lines, lines_differing=len(causes), tests_differing=len(differences), causes=counted,
                      unexplained_share=share, unexplained=[list(each[:3]) for each in causes if each[3] == "unexplained"][:50])
        result["time"] = self.timings(theirs_seconds)
        result["passed"] = not result["tests_missing"] and not result["tests_missing_java25"] and share <= 0.001 and result["time"]["passed"]
        return result

    def causes(self, differences, elements):
        """(test, line, who has it, cause) of every difference."""
        found, rest = [], {}
        for test, (only_ours, only_theirs) in differences.items():
            found += [(test, line, "fdc", "no element") for line in sorted(only_ours - elements)]
            rest[test] = [(line, "fdc") for line in sorted(only_ours & elements)] + [(line, "gzoltar") for line in sorted(only_theirs)]
        rest = {test: lines for test, lines in rest.items() if lines}
        alone = [self.alone(rest), self.alone(rest)] if rest else []
        left = {}
        for test, lines in rest.items():
            for line, side in lines:
                inside = [line in run.get(test, set()) for run in alone]
                if inside[0] == inside[1] != (side == "gzoltar"):
                    left.setdefault(test, []).append((line, side))
                else:
                    found.append((test, line, side, "earlier tests" if inside[0] == inside[1] else "chance"))
        again = self.gzoltar_again(left) if left else {}
        for test, lines in left.items():
            for line, side in lines:
                changed = (line in again.get(test, set())) != (side == "gzoltar")
                found.append((test, line, side, "chance" if changed else "unexplained"))
        return found

    def alone(self, tests):
        """fdc's agent, while GZoltar's runner, without its agent, loads all classes anew for every test."""
        folder = self.folder / "alone"
        shutil.rmtree(folder, ignore_errors=True)
        (folder / "spool").mkdir(parents=True)
        (folder / "plan").write_text(f"root {self.folder}\nmeasure yes\nclasses {self.classes}\n")
        (folder / "tests.txt").write_text("\n".join(self.listed(tests)) + "\n")
        environment = {"FDC_SPOOL": str(folder / "spool"), "FDC_PLAN": str(folder / "plan")}
        run([self.java[17], f"-Dbridge.tests={self.folder / 'bridge.tests'}", f"-javaagent:{JARS / 'fdc-agent.jar'}", "-cp",
             self.gzoltar_path(), "com.gzoltar.cli.Main", "runTestMethods", "--testMethods", folder / "tests.txt"], folder, environment)
        return {self.name_of(test): told["lines"] for test, told in spooled(folder / "spool").items()}

    def fdc(self, java, folder, measure="yes"):
        """Per test id: outcome and covered (class, line); and the seconds it took, wall and processor."""
        shutil.rmtree(folder, ignore_errors=True)
        (folder / "spool").mkdir(parents=True)
        (folder / "plan").write_text(f"root {self.folder}\nmeasure {measure}\nclasses {self.classes}\n")
        path = os.pathsep.join(map(str, [JARS / "fdc-junit.jar", self.classes, self.test_classes])) + os.pathsep + self.libraries
        environment = {"FDC_SPOOL": str(folder / "spool"), "FDC_PLAN": str(folder / "plan")}
        command = [java, f"-javaagent:{JARS / 'fdc-agent.jar'}", "-cp", path, "fdc.junit.Main", self.test_classes]
        seconds = timed(command, folder, environment, codes=(0, 1))
        return spooled(folder / "spool"), seconds

    def gzoltar(self):
        if self.told["bridge"]:
            tests = self.listed(self.bridge())
            lists = [tests[start:start + CHUNK] for start in range(0, len(tests), CHUNK)]
        else:
            listing = self.folder / "tests.txt"
            run([self.java[17], "-cp", self.gzoltar_path(), "com.gzoltar.cli.Main", "listTestMethods", self.test_classes, "--outputFile", listing], self.folder)
            lists = [listing.read_text().split()]
        tests, elements, seconds = {}, set(), [0.0, 0.0]
        for number, listed in enumerate(lists):
            folder = self.folder / "gzoltar" / str(number)
            if not (folder / "seconds.json").is_file():
                self.gzoltar_run(folder, listed)
            part = json.loads((folder / "seconds.json").read_text())
            seconds = [seconds[0] + part[0], seconds[1] + part[1]]
            covered, known = reported(folder / "report" / "sfl" / "txt")
            elements |= known
            tests.update((self.name_of(test), lines) for test, lines in covered.items())
        return tests, elements, seconds

    def gzoltar_again(self, tests):
        folder = self.folder / "again"
        self.gzoltar_run(folder, self.listed(tests))
        covered, _ = reported(folder / "report" / "sfl" / "txt")
        return {self.name_of(test): lines for test, lines in covered.items()}

    def listed(self, tests):
        """Tests as GZoltar's runner wants them."""
        if not self.told["bridge"]:
            return [f"JUNIT,{test}" for test in tests]
        numbers = {name: number for number, name in enumerate(self.bridge())}
        return [f"JUNIT,JupiterBridge#t{numbers[test]}" for test in tests]

    def name_of(self, test):
        """The name in fdc of a test that GZoltar's runner ran."""
        return self.bridge()[int(test.split("#t")[1])] if self.told["bridge"] else test

    def gzoltar_run(self, folder, listed, report=True):
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        (folder / "tests.txt").write_text("\n".join(listed) + "\n")
        names = sorted(str(file.relative_to(self.classes))[:-6].replace("/", ".") for file in self.classes.rglob("*.class"))
        names = ":".join(name for name in names if not name.endswith("-info"))
        options = f"destfile={folder / 'gzoltar.ser'},buildlocation={self.classes},includes={names},excludes=,inclnolocationclasses=false,output=FILE"
        gzoltar = [self.java[17], f"-Dbridge.tests={self.folder / 'bridge.tests'}"]
        seconds = timed(gzoltar + [f"-javaagent:{self.tools['agent']}={options}", "-cp", self.gzoltar_path(), "com.gzoltar.cli.Main",
                        "runTestMethods", "--testMethods", folder / "tests.txt", "--collectCoverage"], folder)
        if report:
            run(gzoltar + ["-cp", self.gzoltar_path(), "com.gzoltar.cli.Main", "faultLocalizationReport", "--buildLocation", self.classes,
                "--granularity", "line", "--inclPublicMethods", "--inclStaticConstructors", "--inclDeprecatedMethods", "--dataFile",
                folder / "gzoltar.ser", "--outputDirectory", folder / "report", "--family", "sfl", "--formula", "ochiai", "--metric",
                "entropy", "--formatter", "txt"], folder)
            (folder / "seconds.json").write_text(json.dumps(seconds))
        return seconds

    @functools.cache
    def bridge(self):
        """fdc's names of the tests, in the order of their numbers."""
        target, listing = self.folder / "bridge", self.folder / "bridge.tests"
        if not listing.is_file():
            path = os.pathsep.join([str(JARS / "fdc-agent.jar"), self.libraries, str(copied("junit:junit:4.13.2"))])
            run([Path(self.java[17]).with_name("javac"), "-d", target, "-cp", path, HERE / "JupiterBridge.java"], self.folder)
            path = os.pathsep.join([str(target), str(self.classes), str(self.test_classes), path])
            run([self.java[17], "-cp", path, "JupiterBridge", listing, self.test_classes], self.folder)
        return [line.split("\t")[1] for line in listing.read_text().splitlines()]

    def gzoltar_path(self):
        return os.pathsep.join(map(str, [self.folder / "bridge", self.classes, self.test_classes])) + os.pathsep + self.libraries + os.pathsep + str(self.tools["cli"])

    def timings(self, whole_gzoltar):
        """Rounds of a run without coverage, fdc and, unless it takes too long, GZoltar, side by side."""
        rounds = []
        for _ in range(ROUNDS[self.key]):
            one = {"plain": self.fdc(self.java[17], self.folder / "plain", measure="no")[1], "fdc": self.fdc(self.java[17], self.folder / "timed")[1]}
            if not self.told["bridge"]:
                listed = (self.folder / "tests.txt").read_text().split()
                one["gzoltar"] = self.gzoltar_run(self.folder / "timed-gzoltar", listed, report=False)
            rounds.append(one)
        median = {tool: [round(statistics.median(each[tool][kind] for each in rounds), 2) for kind in (0, 1)] for tool in rounds[0]}
        median.setdefault("gzoltar", [round(seconds, 2) for seconds in whole_gzoltar])
        wall = {tool: seconds[0] for tool, seconds in median.items()}
        return {"rounds": len(rounds), "median_seconds_wall_and_processor": median, "fdc_over_plain": round(wall["fdc"] / wall["plain"], 2),
                "fdc_over_gzoltar": round(wall["fdc"] / wall["gzoltar"], 3), "load": os.getloadavg()[0],
                "passed": wall["fdc"] < wall["gzoltar"] and wall["fdc"] <= 2 * wall["plain"]}


def count(tests):
    outcomes = [test["outcome"] for test in tests.values()]
    return {outcome: outcomes.count(outcome) for outcome in ("pass", "fail", "skip")}


def spooled(folder):
    tests = {}
    for file in sorted(folder.iterdir()):
        units = {}
        for line in file.read_text().splitlines():
            event = json.loads(line)
            if event["event"] == "unit":
                units[str(event["id"])] = [(event["class"], number) for function in event["functions"] for number in function["lines"]]
            elif event["event"] == "end":
                lines = set()
                for unit, runs in event["cover"].items():
                    for first, length in zip(runs[::2], runs[1::2]):
                        lines.update(units[unit][first:first + length])
                tests[event["test"]] = {"outcome": event["outcome"], "lines": lines}
    return tests


def reported(folder):
    """GZoltar's text report: covered (class, line) per test, and all (class, line) it knows."""
    elements = []
    for name in (folder / "spectra.csv").read_text().splitlines()[1:]:
        package, rest = name.split("$", 1)
        elements.append(((package + "." if package else "") + rest.split("#", 1)[0], int(rest.rsplit(":", 1)[1])))
    matched = (re.match(r"(.*?),(PASS|FAIL|ERROR),", line) for line in (folder / "tests.csv").read_text().splitlines()[1:])
    tests = [match[1] for match in matched if match]
    rows = (folder / "matrix.txt").read_text().splitlines()
    covered = {}
    for test, row in zip(tests, rows, strict=True):
        covered[test] = {elements[place] for place, bit in enumerate(row.split()[:-1]) if bit == "1"}
    return covered, set(elements)


def jdk(version):
    """The `java` of this version."""
    home = os.environ.get(f"JAVA_HOME_{version}")
    beside = Path(shutil.which("java") or "/java").resolve().parent.parent.parent
    for java in [f"{home}/bin/java"] if home else sorted(beside.glob("*/bin/java")):
        told = subprocess.run([java, "-version"], capture_output=True, text=True).stderr
        if re.search(rf'version "{version}\b', told):
            return str(java)
    sys.exit(f"no Java {version}: set JAVA_HOME_{version} to its folder")


def copied(artifact):
    """The jar of an artifact, by Maven."""
    parts = artifact.split(":")
    name = "-".join(parts[1:3] + parts[4:]) + ".jar"
    if not (WORK / "jars" / name).is_file():
        run(["mvn", "-q", "-B", "org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy", f"-Dartifact={artifact}",
             f"-DoutputDirectory={WORK / 'jars'}"], WORK)
    return WORK / "jars" / name


def class_path(folder, artifacts):
    """The artifacts with all they need, by Maven."""
    kept = folder / "class-path"
    if not kept.is_file():
        each = "<dependency><groupId>{}</groupId><artifactId>{}</artifactId><version>{}</version>{}</dependency>"
        bom = each.format("org.junit", "junit-bom", "5.7.1", "<type>pom</type><scope>import</scope>")
        needs = "".join(each.format(*artifact.split(":"), "") for artifact in artifacts)
        (folder / "pom.xml").write_text(
            '<project xmlns="http://maven.apache.org/POM/4.0.0"><modelVersion>4.0.0</modelVersion><groupId>fdc</groupId>'
            f"<artifactId>subject</artifactId><version>1</version><dependencyManagement><dependencies>{bom}</dependencies>"
            f"</dependencyManagement><dependencies>{needs}</dependencies></project>\n")
        run(["mvn", "-q", "-B", "-f", folder / "pom.xml", "org.apache.maven.plugins:maven-dependency-plugin:3.8.1:build-classpath",
             f"-Dmdep.outputFile={kept}"], folder)
    return kept.read_text().strip()


def timed(command, folder, environment=(), codes=(0,)):
    """Runs a command; the seconds it took, wall and processor."""
    before, begun = resource.getrusage(resource.RUSAGE_CHILDREN), time.time()
    run(command, folder, environment, codes)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return [time.time() - begun, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime]


def run(command, folder, environment=(), codes=(0,)):
    log = folder / "log"
    with open(log, "w") as output:
        done = subprocess.run([str(part) for part in command], cwd=folder, stdout=output, stderr=subprocess.STDOUT,
                              env={**os.environ, **dict(environment)})
    if done.returncode not in codes:
        sys.exit(f"{command[0]} ended with code {done.returncode}; the end of {log}:\n{log.read_text()[-2000:]}")


if __name__ == "__main__":
    main()

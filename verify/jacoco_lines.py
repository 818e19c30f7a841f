"""Compares the lines that fdc finds from JaCoCo's probes with JaCoCo's own report.

    verify/jacoco_lines.py FDC FOLDER

Runs the tests of commons-cli and commons-lang3 (their tests jars) under JaCoCo's agent. fdc reads the
execution data with the class files; JaCoCo makes an XML report of the same. Lines that one has and
the other has not, and lines that only one calls run, are counted. Prints JSON. Needs Java and Maven.
"""
import json
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path

JACOCO = "0.8.14"
TOOLS = [
    f"org.jacoco:org.jacoco.cli:{JACOCO}:jar:nodeps",
    f"org.jacoco:org.jacoco.agent:{JACOCO}:jar:runtime",
    "org.junit.platform:junit-platform-console-standalone:1.11.4:jar",
    "junit:junit:4.13.2:jar",
    "org.hamcrest:hamcrest-core:1.3:jar",
    "org.easymock:easymock:4.3:jar",
    "org.objenesis:objenesis:3.2:jar",
]
SUBJECTS = {
    "commons-cli": "commons-cli:commons-cli:1.5.0",
    "commons-lang3": "org.apache.commons:commons-lang3:3.12.0",
}


def main():
    fdc, folder = Path(sys.argv[1]).resolve(), Path(sys.argv[2])
    tools = [fetched(tool, folder) for tool in TOOLS]
    print(json.dumps({"jacoco": JACOCO} | {
        name: compared(name, artifact, tools, fdc, folder) for name, artifact in SUBJECTS.items()
    }))


def fetched(artifact, folder):
    subprocess.run(["mvn", "-q", "dependency:copy", f"-Dartifact={artifact}", f"-DoutputDirectory={folder}/lib"],
                   check=True, stdout=sys.stderr)
    _, name, version, _, *kind = artifact.split(":")
    return folder / "lib" / ("-".join([name, version, *kind]) + ".jar")


def compared(name, artifact, tools, fdc, folder):
    cli, agent, console, *libraries = tools
    classes = fetched(f"{artifact}:jar", folder)
    tests = fetched(f"{artifact}:jar:tests", folder)
    data, report, case = (folder / f"{name}.{ending}" for ending in ("exec", "xml", "json"))
    path = ":".join(map(str, [classes, tests, *libraries]))
    # Some tests of these jars fail outside of their projects; what they ran counts all the same.
    subprocess.run(["java", f"-javaagent:{agent}=destfile={data}", "-jar", console, "execute",
                    "-cp", path, "--scan-classpath", str(tests), "--details=none"],
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    subprocess.run(["java", "-jar", cli, "report", data, "--classfiles", classes, "--xml", report, "--quiet"],
                   check=True, stdout=sys.stderr)
    subprocess.run([fdc, "import", data, "--classes", classes, "--source", folder / "lib", "--include-tests",
                    "-o", case], check=True, stdout=sys.stderr)
    ours, theirs = lines_of_case(case), lines_of_report(report)
    both = ours.keys() & theirs.keys()
    return {
        "lines": len(theirs),
        "run": sum(theirs.values()),
        "only in fdc": len(ours.keys() - theirs.keys()),
        "only in JaCoCo": len(theirs.keys() - ours.keys()),
        "run in one only": sorted(f"{file}:{line}" for file, line in both if ours[file, line] != theirs[file, line]),
    }


def lines_of_case(path):
    case = json.loads(path.read_text())
    files = [case["files"][file] for file in case["method_files"]]
    lines = {(files[method], line): False for method, line in case["elements"]}
    places = [(files[method], line) for method, line in case["elements"]]
    at = 0
    for step in case["coverage"][0]:
        at += step
        lines[places[at]] = True
    return lines


def lines_of_report(path):
    return {
        (f"{package.get('name')}/{file.get('name')}", int(line.get("nr"))): int(line.get("ci")) > 0
        for package in ElementTree.parse(path).getroot().iter("package")
        for file in package.findall("sourcefile")
        for line in file.findall("line")
    }


main()

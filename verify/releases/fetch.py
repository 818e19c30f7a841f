"""Gets what a pair of releases needs from Maven Central, by name, and compiles the later tests against the earlier classes."""
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "seeded"))
from subjects import ROOT  # noqa: E402

JUNIT = ["org.junit.jupiter:junit-jupiter:5.11.4", "org.junit.vintage:junit-vintage-engine:5.11.4", "org.junit.platform:junit-platform-launcher:1.11.4",
         "junit:junit:4.13.2", "org.hamcrest:hamcrest:2.2"]
NEEDED = ["org.apache.commons:commons-lang3:3.14.0", "commons-io:commons-io:2.15.1", "org.apache.commons:commons-collections4:4.4", "commons-codec:commons-codec:1.16.1",
          "commons-logging:commons-logging:1.2", "commons-collections:commons-collections:3.2.2", "commons-collections:commons-collections-testframework:3.2.1",
          "commons-beanutils:commons-beanutils:1.9.4", "commons-digester:commons-digester:2.1", "org.apache.commons:commons-csv:1.10.0",
          "org.mockito:mockito-core:4.11.0", "org.easymock:easymock:5.2.0", "org.assertj:assertj-core:3.25.3", "com.h2database:h2:2.2.224", "com.google.code.gson:gson:2.10.1"]
ASM = [f"org.ow2.asm:{name}:9.7.1" for name in ("asm", "asm-tree", "asm-commons", "asm-util")]
# Of what the libraries and their tests need, these are replaced by the above: one launcher runs JUnit 3, 4 and 5.
REPLACED = re.compile(r"junit-(jupiter|platform|vintage|bom|dep|\d)|opentest4j|apiguardian|hamcrest")
# Most of these programs are short.
FRUGAL = ["-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"]
# They take minutes to measure how long something takes, or fill the memory.
COSTLY = ["**/perf/*.java", "**/*Performance*.java", "**/*Benchmark*.java", "**/*Memory*TestCase.java"]
# Exit code of TestCompiler.
UNCOMPILABLE = 3
# Tests of older releases look into the JDK.
OPENS = [word for package in ["lang", "lang.reflect", "lang.invoke", "io", "net", "nio", "text", "time", "math", "util", "util.concurrent", "util.regex"]
         for word in ("--add-opens", f"java.base/java.{package}=ALL-UNNAMED")]


class Unavailable(Exception):
    """A pair that cannot be tried, and why: part of the results."""


class Broken(Exception):
    """A pair that may work another time: said, and kept nowhere."""


def mvn(goal, pom, *words):
    """Runs a goal of Maven's dependency plugin; what Maven said if it failed."""
    environment = {"MAVEN_OPTS": " ".join(FRUGAL), **os.environ}
    done = subprocess.run(["mvn", "-q", "-B", f"dependency:{goal}", "-f", str(pom), *map(str, words)], capture_output=True, text=True, env=environment)
    return done.returncode and (done.stdout + done.stderr or f"exit code {done.returncode}")


def write(path, text):
    """Whole or not at all."""
    part = path.with_name(path.name + ".part")
    part.write_text(text)
    part.replace(path)


class Tools:
    """JUnit, ASM, and our own Java programs, compiled."""

    def __init__(self, work):
        self.junit, self.asm, self.needed, self.programs = (work / "tools" / name for name in ("junit", "asm", "needed", "programs"))
        jars = Path(os.environ.get("FDC_JAVA", ROOT / "target" / "java"))
        self.agent = jars / "fdc-agent.jar"
        if not self.agent.is_file():
            sys.exit(f"{self.agent}: expected the Java agent, found nothing; make it with `make java`")
        for folder, names in ((self.junit, JUNIT), (self.asm, ASM), (self.needed, NEEDED)):
            if not folder.is_dir():
                copy_libraries(folder, names)
        for jar in self.needed.glob("*.jar"):
            if REPLACED.match(jar.name):
                jar.unlink()
        sources = sorted(HERE.glob("*.java"))
        stamp = self.programs / "sources"
        text = "".join(path.read_text() for path in sources)
        if not stamp.is_file() or stamp.read_text() != text:
            self.programs.mkdir(parents=True, exist_ok=True)
            done = subprocess.run(["javac", *(f"-J{word}" for word in FRUGAL), "-nowarn", "-cp", self.path(self.junit, self.asm), "-d", self.programs, *sources], capture_output=True, text=True)
            if done.returncode:
                sys.exit(f"the programs of verify/releases do not compile:\n{done.stderr}")
            stamp.write_text(text)

    def path(self, *folders, jars=()):
        found = [jar for folder in folders for jar in sorted(folder.glob("*.jar"))]
        return os.pathsep.join(map(str, [self.programs, self.agent, *found, *jars]))


def copy_libraries(folder, names):
    needs = "".join("<dependency><groupId>{}</groupId><artifactId>{}</artifactId><version>{}</version></dependency>".format(*name.split(":")) for name in names)
    with tempfile.TemporaryDirectory() as place:
        pom = Path(place) / "pom.xml"
        pom.write_text(project(f"<dependencies>{needs}</dependencies>"))
        said = mvn("copy-dependencies", pom, f"-DoutputDirectory={folder}.part")
    if said:
        sys.exit(f"Maven did not get {', '.join(names)}:\n{said}")
    Path(f"{folder}.part").rename(folder)


def project(inside):
    return f"<project><modelVersion>4.0.0</modelVersion><groupId>fdc</groupId><artifactId>releases</artifactId><version>1</version>{inside}</project>"


class Library:
    """All releases of one library that the table names: jars, sources, tests' sources."""

    def __init__(self, pairs, folder, tools):
        self.pairs, self.folder = pairs, folder
        self.artifact = pairs[0].artifact
        # What its tests need, the library itself left out.
        self.needed = [jar for jar in sorted(tools.needed.glob("*.jar")) if not re.match(re.escape(self.artifact) + r"-\d", jar.name)]

    def items(self):
        return sorted({item for pair in self.pairs for item in (
            pair.item(pair.earlier, self.folder), pair.item(pair.earlier, self.folder, "sources"),
            pair.item(pair.later, self.folder), pair.item(pair.later, self.folder, "test-sources"))})

    def is_fetched(self):
        marker = self.folder / "fetched"
        return marker.is_file() and marker.read_text() == "\n".join(self.items())

    def file(self, version, ending):
        return self.folder / f"{self.artifact}-{version}{ending}"


def fetch(libraries):
    """Gets the releases of all libraries in one call of Maven, which takes long to start; one by one if any is missing.
    What Maven said of those it did not get, by artifact."""
    libraries = [library for library in libraries if not library.is_fetched()]
    if not libraries:
        return {}
    said = copy([item for library in libraries for item in library.items()])
    missing = {}
    for library in libraries:
        problem = said and copy(library.items())
        if problem:
            missing[library.artifact] = problem
        else:
            write(library.folder / "fetched", "\n".join(library.items()))
    return missing


def copy(items):
    """What Maven said if it failed."""
    with tempfile.TemporaryDirectory() as place:
        pom = Path(place) / "pom.xml"
        pom.write_text(project("<build><plugins><plugin><artifactId>maven-dependency-plugin</artifactId><configuration>"
                               f"<artifactItems>{''.join(items)}</artifactItems></configuration></plugin></plugins></build>"))
        return mvn("copy", pom, "-Dmdep.useBaseVersion=true")


class Checkout:
    """A pair of releases on this machine."""

    def __init__(self, pair, library, folder, tools):
        self.pair, self.library, self.folder, self.tools = pair, library, folder, tools
        self.needed, self.project, self.tests = library.needed, folder / "project", folder / "tests"
        self.earlier, self.later = library.file(pair.earlier, ".jar"), library.file(pair.later, ".jar")

    def unpack(self):
        if (self.folder / "unpacked").is_file():
            return
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir(parents=True)
        sources, tests = self.library.file(self.pair.earlier, "-sources.jar"), self.library.file(self.pair.later, "-test-sources.jar")
        for jar, place in ((sources, "src/main/java"), (tests, "src/test/java")):
            with zipfile.ZipFile(jar) as archive:
                archive.extractall(self.project / place)
            shutil.rmtree(self.project / place / "META-INF", ignore_errors=True)
        for pattern in COSTLY:
            for path in (self.project / "src" / "test" / "java").glob(pattern):
                path.unlink()
        write(self.folder / "unpacked", "")

    def compile(self):
        """Files there are, files left out, methods cut out."""
        done = self.folder / "compiled.json"
        if done.is_file():
            return json.loads(done.read_text())
        shutil.rmtree(self.tests, ignore_errors=True)
        sources = self.project / "src" / "test" / "java"
        path = os.pathsep.join([str(self.earlier), self.tools.path(self.tools.junit, jars=self.needed)])
        ran = subprocess.run(["java", *FRUGAL, "-Xmx1g", "-cp", self.tools.programs, "TestCompiler", path, sources, self.tests], capture_output=True, text=True)
        if ran.returncode == UNCOMPILABLE:
            raise Unavailable(f"the tests do not compile: {ran.stderr.strip()[:300]}")
        if ran.returncode:
            sys.exit(f"{self.pair.name}: TestCompiler failed:\n{ran.stderr}")
        lines = [line.split(" ") for line in ran.stdout.splitlines()]
        resources = [path for path in sources.rglob("*") if path.is_file() and path.suffix != ".java"]
        for place in (self.tests, self.project / "src" / "test" / "resources"):
            for resource in resources:
                copy = place / resource.relative_to(sources)
                copy.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(resource, copy)
        found = {"test_files": int(lines[0][1]), "files_left_out": [line[1] for line in lines if line[0] == "file"],
                 "methods_cut": sum(line[0] == "method" for line in lines)}
        write(done, json.dumps(found, indent=1))
        return found

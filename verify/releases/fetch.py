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
ASM = [f"org.ow2.asm:{name}:9.7.1" for name in ("asm", "asm-tree", "asm-commons", "asm-util")]
# Of what a library's own build asks for, these are replaced by the above: one launcher runs JUnit 3, 4 and 5.
REPLACED = re.compile(r"junit-(jupiter|platform|vintage|bom|dep|\d)|opentest4j|apiguardian|hamcrest")
# Most of these programs are short.
FRUGAL = ["-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"]
# Exit code of TestCompiler.
UNCOMPILABLE = 3
# Tests of older releases look into the JDK.
OPENS = [word for package in ["lang", "lang.reflect", "lang.invoke", "io", "net", "nio", "text", "time", "math", "util", "util.concurrent", "util.regex"]
         for word in ("--add-opens", f"java.base/java.{package}=ALL-UNNAMED")]


class Unavailable(Exception):
    """A pair that cannot be tried, and why."""


def mvn(goal, pom, *words):
    """Runs a goal of Maven's dependency plugin; what Maven said if it failed."""
    # A fixed plugin: each library's parent would have another one fetched.
    goal = f"org.apache.maven.plugins:maven-dependency-plugin:2.8:{goal}"
    environment = {"MAVEN_OPTS": " ".join(FRUGAL), **os.environ}
    done = subprocess.run(["mvn", "-q", "-B", "-fn", goal, "-f", str(pom), *map(str, words)], capture_output=True, text=True, env=environment)
    return re.sub(r"\x1b\[[0-9;]*m", "", done.stdout + done.stderr)


def write(path, text):
    """Whole or not at all."""
    part = path.with_name(path.name + ".part")
    part.write_text(text)
    part.replace(path)


class Tools:
    """JUnit, ASM, and our own Java programs, compiled."""

    def __init__(self, work):
        self.junit, self.asm, self.programs = work / "tools" / "junit", work / "tools" / "asm", work / "tools" / "programs"
        jars = Path(os.environ.get("FDC_JAVA", ROOT / "target" / "java"))
        self.agent = jars / "fdc-agent.jar"
        if not self.agent.is_file():
            sys.exit(f"{self.agent}: expected the Java agent, found nothing; make it with `make java`")
        for folder, names in ((self.junit, JUNIT), (self.asm, ASM)):
            if not folder.is_dir():
                copy_libraries(folder, names)
        sources = sorted(HERE.glob("*.java"))
        stamp = self.programs / "sources"
        text = "".join(path.read_text() for path in sources)
        if not stamp.is_file() or stamp.read_text() != text:
            self.programs.mkdir(parents=True, exist_ok=True)
            done = subprocess.run(["javac", *(f"-J{word}" for word in FRUGAL), "-nowarn", "-cp", self.path(self.junit, self.asm), "-d", self.programs, *sources], capture_output=True, text=True)
            if done.returncode:
                sys.exit(f"the programs of verify/releases do not compile:\n{done.stderr}")
            stamp.write_text(text)

    def path(self, *folders):
        jars = [jar for folder in folders for jar in sorted(Path(folder).glob("*.jar"))]
        return os.pathsep.join(map(str, [self.programs, self.agent, *jars]))


def copy_libraries(folder, names):
    needs = "".join("<dependency><groupId>{}</groupId><artifactId>{}</artifactId><version>{}</version></dependency>".format(*name.split(":")) for name in names)
    with tempfile.TemporaryDirectory() as place:
        pom = Path(place) / "pom.xml"
        pom.write_text(project("libraries", f"<dependencies>{needs}</dependencies>"))
        said = mvn("copy-dependencies", pom, f"-DoutputDirectory={folder}")
    if not folder.is_dir():
        sys.exit(f"Maven got none of {', '.join(names)}:\n{said}")


def project(name, inside, packaging="jar"):
    return (f"<project><modelVersion>4.0.0</modelVersion><groupId>fdc</groupId><artifactId>{name}</artifactId><version>1</version>"
            f"<packaging>{packaging}</packaging>{inside}</project>")


class Library:
    """All releases of one library that the table names, got in two calls of Maven: jars, sources, tests' sources, and what
    the tests of the newest one need."""

    def __init__(self, pairs, folder):
        self.pairs, self.folder, self.needed = pairs, folder, folder / "target" / "dependency"

    def fetch(self):
        marker, newest = self.folder / "fetched", self.pairs[-1]
        items = [newest.item(newest.later, kind="pom")]
        items += sorted({item for pair in self.pairs for item in (
            pair.item(pair.earlier), pair.item(pair.earlier, "sources"), pair.item(pair.later), pair.item(pair.later, "test-sources"))})
        if marker.is_file() and marker.read_text() == "\n".join(items):
            return
        self.folder.mkdir(parents=True, exist_ok=True)
        pom = self.folder / "copy.xml"
        pom.write_text(project("releases", "<build><plugins><plugin><artifactId>maven-dependency-plugin</artifactId><configuration>"
                               f"<artifactItems>{''.join(items)}</artifactItems></configuration></plugin></plugins></build>"))
        said = mvn("copy", pom, f"-DoutputDirectory={self.folder}", "-Dmdep.useBaseVersion=true")
        said += mvn("copy-dependencies", self.file(newest.later, "pom"), "-DincludeScope=test")
        if not self.needed.is_dir():
            raise Unavailable(f"Maven did not get everything:\n{said}")
        for jar in self.needed.glob("*.jar"):
            if REPLACED.match(jar.name) or re.match(re.escape(newest.artifact) + r"-\d", jar.name):
                jar.unlink()
        write(marker, "\n".join(items))

    def file(self, version, ending):
        return self.folder / f"{self.pairs[0].artifact}-{version}{'.' if ending in ('jar', 'pom') else '-'}{ending}"


class Checkout:
    """A pair of releases on this machine."""

    def __init__(self, pair, library, folder, tools):
        self.pair, self.library, self.folder, self.tools = pair, library, folder, tools
        self.libraries, self.project, self.tests = library.needed, folder / "project", folder / "tests"
        self.earlier, self.later = library.file(pair.earlier, "jar"), library.file(pair.later, "jar")

    def unpack(self):
        if (self.folder / "unpacked").is_file():
            return
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir(parents=True)
        sources, tests = self.library.file(self.pair.earlier, "sources.jar"), self.library.file(self.pair.later, "test-sources.jar")
        for jar, place in ((sources, "src/main/java"), (tests, "src/test/java")):
            with zipfile.ZipFile(jar) as archive:
                archive.extractall(self.project / place)
            shutil.rmtree(self.project / place / "META-INF", ignore_errors=True)
        write(self.folder / "unpacked", "")

    def compile(self):
        """Files there are, files left out, methods cut out."""
        done = self.folder / "compiled.json"
        if done.is_file():
            return json.loads(done.read_text())
        shutil.rmtree(self.tests, ignore_errors=True)
        sources = self.project / "src" / "test" / "java"
        path = os.pathsep.join([str(self.earlier), self.tools.path(self.tools.junit, self.libraries)])
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

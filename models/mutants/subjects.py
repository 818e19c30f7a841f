"""The projects whose mutants are training data: name and version of each, how it is got, and what its tests need. None of them
is in a benchmark of this repository."""
import shutil
import sys
import tarfile
import tempfile
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "verify"))
from seeded.subjects import MavenLibrary, Subject, fetch_crate, fetch_module, run  # noqa: E402


class Released(Subject):
    """`arguments`: for the project's own test command."""

    # How many mutants are tried.
    number = None

    def __init__(self, name, version, left_out=(), arguments=()):
        self.name, self.version, self.left_out, self.arguments = name, version, list(left_out), list(arguments)

    def options(self, project):
        return []


class Sdist(Released):
    """`needs`: what the tests import besides pytest; `source`: the folder with the package."""

    ecosystem, language, number = "pytest", "Python", 300

    def __init__(self, name, version, needs=(), source=".", **more):
        super().__init__(name, version, **more)
        self.needs = list(needs)
        # The project's own options may ask for plug-ins, and long reports of failures would take most of the time.
        self.arguments += ["--tb=line", "-o", "addopts=", "-o", f"pythonpath={source}"]

    def fetch(self, project):
        with tempfile.TemporaryDirectory() as folder:
            run(sys.executable, "-m", "pip", "download", "-q", "--no-deps", "--no-binary", self.name, "-d", folder, f"{self.name}=={self.version}")
            with tarfile.open(next(Path(folder).glob("*.tar.gz"))) as archive:
                archive.extractall(folder, filter="data")
            shutil.move(next(path for path in Path(folder).iterdir() if path.is_dir()), project)
        run(sys.executable, "-m", "venv", project.parent / "venv")
        run(self.python(project), "-m", "pip", "install", "-q", "pytest>=8,<9", "coverage", *self.needs)

    def python(self, project):
        return project.parent / "venv" / "bin" / "python"

    def options(self, project):
        return ["--python", self.python(project)]


class Crate(Released):
    ecosystem, language, number = "cargo", "Rust", 120

    def __init__(self, name, version, left_out=(), arguments=("--lib", "--tests")):
        super().__init__(name, version, left_out, arguments)

    def fetch(self, project):
        fetch_crate(self.name, self.version, project)


class Module(Released):
    """A Go module; its name here is the last part of its path."""

    ecosystem, language, number = "go", "Go", 120

    def __init__(self, path, version, **more):
        super().__init__(path.rsplit("/", 1)[-1], version, **more)
        self.path = path

    def fetch(self, project):
        fetch_module(self.path, self.version, project)


# A changed file is compiled alone.
POM = """<project><modelVersion>4.0.0</modelVersion>
<groupId>fdc</groupId><artifactId>{name}</artifactId><version>{version}</version>
<properties><maven.compiler.release>8</maven.compiler.release><project.build.sourceEncoding>UTF-8</project.build.sourceEncoding></properties>
<dependencies>{dependencies}</dependencies>
<build>
<resources><resource><directory>src/main/java</directory><excludes><exclude>**/*.java</exclude></excludes></resource></resources>
<testResources><testResource><directory>src/test/java</directory><excludes><exclude>**/*.java</exclude></excludes></testResource></testResources>
<plugins>
<plugin><artifactId>maven-resources-plugin</artifactId><version>3.3.1</version></plugin>
<plugin><artifactId>maven-compiler-plugin</artifactId><version>3.11.0</version><configuration><useIncrementalCompilation>false</useIncrementalCompilation></configuration></plugin>
<plugin><artifactId>maven-surefire-plugin</artifactId><version>3.2.5</version><configuration><argLine>-XX:TieredStopAtLevel=1 -XX:+UseSerialGC {options}</argLine></configuration></plugin>
</plugins></build></project>
"""


class Library(Released, MavenLibrary):
    """`libraries`: what its code and tests need, as group:artifact:version, with :tests for a library's tests; `java`: options of
    the tests' JVM."""

    ecosystem, language, number = "junit", "Java", 60

    def __init__(self, group, name, version, libraries, java="", **more):
        super().__init__(name, version, **more)
        self.group, self.artifact, self.libraries, self.java = group, name, libraries, java

    def fetch(self, project):
        MavenLibrary.fetch(self, project)
        # Maven compiles the tests.
        shutil.rmtree(project / "tests")
        for classifier, folder in [("sources", "src/main/java"), ("test-sources", "src/test/java")]:
            with zipfile.ZipFile(project.parent / f"{self.artifact}-{self.version}-{classifier}.jar") as archive:
                archive.extractall(project / folder, [name for name in archive.namelist() if name.startswith("META-INF/services/")])
        dependencies = "".join(dependency(*library.split(":")) for library in self.libraries)
        (project / "pom.xml").write_text(POM.format(name=self.name, version=self.version, dependencies=dependencies, options=self.java))


def dependency(group, artifact, version, classifier=""):
    return f"<dependency><groupId>{group}</groupId><artifactId>{artifact}</artifactId><version>{version}</version><classifier>{classifier}</classifier></dependency>"


# In the order they are made: each language early.
SUBJECTS = [
    Sdist("more-itertools", "10.5.0"),
    Sdist("jmespath", "1.0.1"),
    Crate("textwrap", "0.16.1"),
    Module("github.com/spf13/pflag", "v1.0.6"),
    Library("org.apache.commons", "commons-geometry-core", "1.0", ["org.junit.jupiter:junit-jupiter:5.9.3", "org.apache.commons:commons-numbers-core:1.0"]),
    Sdist("tabulate", "0.9.0"),
    Sdist("toolz", "1.0.0"),
    Sdist("rfc3986", "2.0.0", source="src"),
    Sdist("parse", "1.20.2"),
    Crate("csv-core", "0.1.11"),
    # The parts of these tests count on what earlier parts have left, and each runs in a process of its own.
    Module("github.com/gorilla/mux", "v1.8.1", left_out=["TestMiddleware/", "TestMiddlewareSubrouter/"]),
    Library("org.apache.commons", "commons-numbers-fraction", "1.1", ["org.junit.jupiter:junit-jupiter:5.9.3", "org.apache.commons:commons-numbers-core:1.1", "org.apache.commons:commons-numbers-core:1.1:tests"]),
    Crate("json", "0.12.4"),
    Module("github.com/mitchellh/mapstructure", "v1.5.0"),
    # The old Mockito looks into the JDK.
    Library("commons-dbutils", "commons-dbutils", "1.7", ["junit:junit:4.13.2", "org.mockito:mockito-core:1.9.5", "org.hamcrest:hamcrest-all:1.3"], java="--add-opens java.base/java.lang=ALL-UNNAMED"),
    Sdist("semver", "3.0.2", source="src"),
]

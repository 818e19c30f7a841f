"""The projects that bugs are seeded into: how each is got by name, built, and collected."""
import json
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent


def run(*command, **options):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, **options)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))} failed:\n{done.stdout}{done.stderr}")
    return done.stdout


def fetch_crate(name, version, project):
    """The released sources, as cargo brings them."""
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "src").mkdir()
        (Path(folder) / "src" / "lib.rs").write_text("")
        (Path(folder) / "Cargo.toml").write_text(f'[package]\nname = "got"\nversion = "0.1.0"\nedition = "2021"\n[dependencies]\n{name} = "={version}"\n')
        metadata = json.loads(run("cargo", "metadata", "--format-version", "1", cwd=folder))
    package = next(package for package in metadata["packages"] if package["name"] == name)
    shutil.copytree(Path(package["manifest_path"]).parent, project)
    # It may stand below this repository, of whose workspace it is no member.
    manifest = project / "Cargo.toml"
    text = manifest.read_text()
    if "[workspace]" not in text:
        manifest.write_text(f"{text}\n[workspace]\n")


def fetch_module(path, version, project):
    """A Go module, writable."""
    with tempfile.TemporaryDirectory() as folder:
        downloaded = json.loads(run("go", "mod", "download", "-json", f"{path}@{version}", cwd=folder))
    shutil.copytree(downloaded["Dir"], project)
    # The module cache is read-only.
    for own in [project, *project.rglob("*")]:
        own.chmod(own.stat().st_mode | 0o200)


class Subject:
    what = ecosystem = language = None
    arguments = []
    # Tests that fail without any bug, or not always.
    left_out = []
    # Seconds that a test may take.
    timeout = 20

    def fetch(self, project):
        """Puts the released sources and tests into the folder."""
        raise NotImplementedError

    def build(self, project, changed):
        """Builds what the collector does not build itself; what the compiler says if it fails."""
        return None

    def options(self, project):
        """For `fdc collect` and `fdc mutate` alike."""
        return []

    def patterns(self):
        """For `fdc collect` alone: what is not in the case is not tried on mutants."""
        return [word for name in self.left_out for word in ("--exclude", name)]

    def code(self, project):
        """The files of the program, tests left out."""
        raise NotImplementedError

    def source_lines(self, project):
        return sum(len(path.read_text(encoding="utf-8").splitlines()) for path in self.code(project))


class TomlKit(Subject):
    what, ecosystem, language = "tomlkit 0.15.2 (PyPI sdist)", "pytest", "python"

    def fetch(self, project):
        with tempfile.TemporaryDirectory() as folder:
            run(sys.executable, "-m", "pip", "download", "-q", "--no-deps", "--no-binary", ":all:", "-d", folder, "tomlkit==0.15.2")
            with tarfile.open(next(Path(folder).glob("*.tar.gz"))) as archive:
                archive.extractall(folder, filter="data")
            shutil.move(next(path for path in Path(folder).iterdir() if path.is_dir()), project)
        self.venv = project.parent / "venv"
        run(sys.executable, "-m", "venv", self.venv)
        run(self.venv / "bin" / "python", "-m", "pip", "install", "-q", "pytest", "coverage", "pyyaml")

    def options(self, project):
        return ["--python", self.venv / "bin" / "python"]

    def code(self, project):
        return sorted(project.glob("tomlkit/**/*.py"))


class MavenLibrary(Subject):
    """A library on Maven Central with its sources and tests in jars."""

    ecosystem, language = "junit", "java"
    timeout = 60
    group = artifact = version = None
    # What its tests need.
    libraries = []

    def fetch(self, project):
        project.mkdir()
        self.jars = project.parent / "jars"
        self.jars.mkdir()
        dependencies = "".join(
            "<dependency><groupId>{}</groupId><artifactId>{}</artifactId><version>{}</version></dependency>".format(*library.split(":"))
            for library in self.libraries
        )
        pom = project.parent / "libraries.xml"
        pom.write_text(f"<project><modelVersion>4.0.0</modelVersion><groupId>fdc</groupId><artifactId>libraries</artifactId><version>1</version><dependencies>{dependencies}</dependencies></project>")
        run("mvn", "-q", "-B", "-f", pom, "dependency:copy-dependencies", f"-DoutputDirectory={self.jars}")
        for classifier, folder in [("sources", "src/main/java"), ("test-sources", "src/test/java"), ("tests", "tests")]:
            artifact = f"{self.group}:{self.artifact}:{self.version}:jar:{classifier}"
            run("mvn", "-q", "-B", "-f", pom, "dependency:copy", f"-Dartifact={artifact}", f"-DoutputDirectory={project.parent}", "-Dmdep.useBaseVersion=true")
            with zipfile.ZipFile(project.parent / f"{self.artifact}-{self.version}-{classifier}.jar") as archive:
                archive.extractall(project / folder)
        for folder in ["src/main/java/META-INF", "src/test/java/META-INF"]:
            shutil.rmtree(project / folder, ignore_errors=True)
        (project / ".gitignore").write_text("classes/\ntests/\n")

    def class_path(self, project):
        return os.pathsep.join(map(str, [project / "classes", project / "tests", *sorted(self.jars.glob("*.jar"))]))

    def build(self, project, changed):
        classes = project / "classes"
        files = [project / changed] if changed else [path for path in self.code(project)]
        if not changed:
            shutil.rmtree(classes, ignore_errors=True)
            classes.mkdir()
        # For Java 8, since EvoSuite runs on nothing newer.
        done = subprocess.run(["javac", "-nowarn", "-g", "--release", "8", "-Xlint:-options", "-encoding", "UTF-8", "-cp", self.class_path(project), "-d", str(classes), *map(str, files)], capture_output=True, text=True)
        return done.stderr if done.returncode else None

    def options(self, project):
        return ["--classpath", self.class_path(project), "--classes", project / "classes", "--tests", project / "tests"]

    def code(self, project):
        return sorted((project / "src/main/java").glob("**/*.java"))


class CommonsLang(MavenLibrary):
    what = "commons-lang3 3.12.0 (Maven Central, sources and tests)"
    group, artifact, version = "org.apache.commons", "commons-lang3", "3.12.0"
    # As its own build does on Java 17: the tests look into the JDK.
    arguments = [word for package in ["lang", "lang.reflect", "text", "util", "util.concurrent", "util.regex", "time"] for word in ("--add-opens", f"java.base/java.{package}=ALL-UNNAMED")]
    libraries = [
        "org.junit.jupiter:junit-jupiter:5.7.1",
        "org.junit.platform:junit-platform-launcher:1.7.1",
        "org.junit.platform:junit-platform-commons:1.7.1",
        "org.junit-pioneer:junit-pioneer:1.3.0",
        "org.hamcrest:hamcrest:2.2",
        "org.easymock:easymock:4.2",
        "org.apache.bcel:bcel:6.5.0",
        "com.google.code.findbugs:jsr305:3.0.2",
        "org.openjdk.jmh:jmh-core:1.27",
    ]
    # Two fail without any bug: newer time zone data, and a file that is not in the jars. The others
    # go through all locales or wait for the clock, for minutes on a busy machine.
    left_out = ["FastDateParser_TimeZoneStrategyTest", "StringEscapeUtilsTest#testLang708", "time.FastDate", "Java15BugFastDateParserTest", "ExtendedMessageFormatTest", "LockingVisitorsTest", "ToStringStyleConcurrencyTest", "StopWatchTest"]


class CommonsCli(MavenLibrary):
    what = "commons-cli 1.5.0 (Maven Central, sources and tests)"
    group, artifact, version = "commons-cli", "commons-cli", "1.5.0"
    libraries = ["junit:junit:4.13.2"]
    # They want a file that is not in the jars.
    left_out = ["PatternOptionBuilderTest#testExistingFilePattern", "TypeHandlerTest#testCreateValueExistingFile"]


class PulldownCmark(Subject):
    what, ecosystem, language = "pulldown-cmark 0.13.6 (crates.io)", "cargo", "rust"
    arguments = ["--lib", "--tests"]

    def fetch(self, project):
        fetch_crate("pulldown-cmark", "0.13.6", project)
        (project / ".gitignore").write_text("target/\n")

    def code(self, project):
        return sorted((project / "src").glob("**/*.rs"))


class Cobra(Subject):
    what, ecosystem, language = "github.com/spf13/cobra v1.10.2 (Go module proxy)", "go", "go"
    # The first builds a program of its own, the second fails for root without any bug.
    left_out = ["TestDeadcodeElimination", "TestFailGenFishCompletionFile"]

    def fetch(self, project):
        fetch_module("github.com/spf13/cobra", "v1.10.2", project)

    def code(self, project):
        return sorted(path for path in project.rglob("*.go") if not path.name.endswith("_test.go"))


SUBJECTS = {
    "tomlkit": TomlKit(),
    "commons-lang3": CommonsLang(),
    "commons-cli": CommonsCli(),
    "pulldown-cmark": PulldownCmark(),
    "cobra": Cobra(),
}

"""What the wheel installs: the module, the program, the Java agent's jars, the pytest plug-in."""
import importlib.metadata
import os
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

import fdc

FILES = importlib.metadata.files("fdc")
# Loaded by `import fdc`, these would be waited for by everybody who only ranks.
HEAVY = ["numpy", "polars", "pandas", "ray", "pytest", "coverage", "pynguin", "asyncio", "subprocess", "inspect", "json"]


def installed(ending):
    (found,) = [file for file in FILES if file.as_posix().endswith(ending)]
    return Path(found.locate()).resolve()


def run(*command, **options):
    return subprocess.run(command, capture_output=True, text=True, check=False, **options)


def test_one_wheel_is_for_every_python():
    (wheel,) = [file for file in FILES if file.name == "WHEEL"]
    assert "Tag: cp39-abi3-" in wheel.read_text()
    assert "Root-Is-Purelib: false" in wheel.read_text()


def test_the_program_is_on_the_environments_path():
    program = Path(sysconfig.get_path("scripts")) / "fdc"
    assert installed("/bin/fdc") == program and os.access(program, os.X_OK)
    done = run(program, "--version")
    assert (done.returncode, done.stdout) == (0, f"fdc {fdc.__version__}\n"), done.stderr


def test_the_program_is_the_one_that_was_built():
    assert installed("/bin/fdc").read_bytes() == Path(os.environ["FDC"]).read_bytes()


def test_python_runs_the_program(tmp_path):
    done = run(sys.executable, "-m", "fdc", "--version", cwd=tmp_path)
    assert (done.returncode, done.stdout) == (0, f"fdc {fdc.__version__}\n"), done.stderr
    done = run(sys.executable, "-m", "fdc", "rank", "missing.fdc", cwd=tmp_path)
    assert done.returncode == 3 and "missing.fdc" in done.stderr


def test_the_program_takes_the_jars_of_the_wheel(tmp_path):
    """Moved to where no other jars are; the agent is loaded, and there is nothing to test."""
    for folder in ("prefix/bin", "prefix/share/fdc/java", "classes", "tests"):
        (tmp_path / folder).mkdir(parents=True)
    program = shutil.copy(installed("/bin/fdc"), tmp_path / "prefix" / "bin")
    java = tmp_path / "prefix" / "share" / "fdc" / "java"
    for name in ("fdc-agent.jar", "fdc-junit.jar"):
        shutil.copy(installed(f"/share/fdc/java/{name}"), java)
    environment = {name: value for name, value in os.environ.items() if name != "FDC_JAVA"}
    collect = [program, "collect", "junit", "--classpath", "classes:tests", "--tests", "tests"]
    done = run(*collect, cwd=tmp_path, env=environment)
    assert done.returncode == 4 and "no JUnit on the class path" in done.stderr, done.stderr

    (java / "fdc-agent.jar").write_text("no jar")
    broken = run(*collect, cwd=tmp_path, env=environment)
    assert broken.returncode == 4 and str(java / "fdc-agent.jar") in broken.stderr, broken.stderr


def test_pytest_knows_the_plug_in():
    (entry,) = [e for e in importlib.metadata.distribution("fdc").entry_points if e.group == "pytest11"]
    assert entry.name == entry.value == "fdc_failing"
    names = {file.as_posix() for file in FILES}
    assert {"fdc_failing.py", "fdc_failing_tests.py", "fdc_pytest.py"} <= names
    assert "--fdc" in run(sys.executable, "-m", "pytest", "--help").stdout


def test_nothing_heavy_is_loaded():
    script = f"import sys; before = set(sys.modules); import fdc; print(*(set(sys.modules) - before) & set({HEAVY!r}))"
    done = run(sys.executable, "-I", "-c", script)
    assert (done.returncode, done.stdout.strip()) == (0, ""), done.stderr

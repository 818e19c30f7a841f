#!/usr/bin/env python3
"""What people install, as they would: the packages of scripts/package, in environments that have nothing else.

    verify/install.py          what was found, as JSON; FDC_PACKAGES: a folder of packages that are built already

The wheel is smaller than 40 MB, `import fdc` takes less than 0.1 s, nothing in it tells of this machine, and it
works with every Python there is here. The commands of docs/install.md lead from a failing test to the suspect, in
a copy of testdata/orders; `fdc collect` and `fdc rank` do in a Java project, with the wheel's own jars, and with
those inside the program of the archive.
"""
import json
import os
import re
import shutil
import statistics
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
LARGEST, SLOWEST, TIMES = 40_000_000, 0.1, 15
IMPORT = "from time import perf_counter as now, process_time as busy; begun = now(), busy(); import fdc; print(now() - begun[0], busy() - begun[1])"
START = "import subprocess, sys; from time import perf_counter as now; begun = now(); subprocess.run(sys.argv[1:], capture_output=True); print(now() - begun)"
PROJECT = """
[build-system]
requires = ["setuptools"]
build-backend = "setuptools.build_meta"
[project]
name = "orders"
version = "1"
[tool.setuptools.packages.find]
where = ["src"]
"""


def main():
    packages = made_packages()
    (wheel,) = packages.glob("*.whl")
    (archive,) = packages.glob("*.tar.gz")
    found = {"wheel": wheel.name, "bytes": wheel.stat().st_size, "archive_bytes": archive.stat().st_size}
    expect(found["bytes"] < LARGEST, f"the wheel has {found['bytes']} bytes; {LARGEST} are allowed")
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        found["files"], found["unpacked_bytes"] = contents(wheel)
        found["python"] = commands_of_the_page(wheel, folder)
        found.update(times(folder / "orders" / ".venv"))
        found["java"] = java(environment(folder / "java-venv", wheel), folder / "java")
        found["archive"] = java({"PATH": f"{unpacked(archive, folder)}:{bare()['PATH']}"}, folder / "archive-java")
        found["pythons"] = pythons(wheel, folder)
    print(json.dumps(found))


def made_packages():
    if "FDC_PACKAGES" in os.environ:
        return Path(os.environ["FDC_PACKAGES"])
    run(ROOT / "scripts" / "package")
    return ROOT / "target" / "packages"


def contents(wheel):
    """The sizes of what must be there, and of all; no file holds a path of this machine."""
    with zipfile.ZipFile(wheel) as files:
        sizes = {info.filename: info.file_size for info in files.infolist()}
        paths = [os.fsencode(path) for path in (ROOT, Path.home())]
        telling = [name for name in sizes if any(path in files.read(name) for path in paths)]
        (program,) = [files.read(name) for name in sizes if name.endswith("data/scripts/fdc")]
    expect(not telling, f"paths of this machine are in {telling}")
    # maturin looks at the module alone.
    said = int(re.search(r"manylinux_2_(\d+)_", wheel.name)[1])
    needed = max(int(minor) for minor in re.findall(rb"GLIBC_2\.(\d+)", program))
    expect(needed <= said, f"{wheel.name} has a program that needs glibc 2.{needed}")
    wanted = ["fdc/_fdc.abi3.so", "fdc/__main__.py", "fdc_failing.py", "fdc_failing_tests.py", "fdc_pytest.py"]
    wanted += ["data/scripts/fdc", *(f"data/data/share/fdc/java/{jar}" for jar in ("fdc-agent.jar", "fdc-junit.jar"))]
    found = {end: size for end in wanted for name, size in sizes.items() if name.endswith(end)}
    expect(found.keys() == set(wanted), f"the wheel lacks {sorted(set(wanted) - found.keys())}")
    return found, sum(sizes.values())


def commands_of_the_page(wheel, folder):
    """The commands of docs/install.md in a copy of orders: its bug is the first suspect."""
    page = (ROOT / "docs" / "install.md").read_text()
    commands = page.split("<!-- suspect:begin -->\n```\n")[1].split("```")[0]
    project = folder / "orders"
    project.mkdir()
    for name in ("src", "tests"):
        shutil.copytree(ROOT / "testdata" / "orders" / name, project / name)
    (project / "pyproject.toml").write_text(PROJECT)
    run(sys.executable, "-m", "venv", project / ".venv")
    surroundings = active(project / ".venv") | {"WHEEL": str(wheel)}
    said = run("sh", "-e", "-c", commands, cwd=project, env=surroundings)
    first = first_suspect(said)
    expect("tiered_discount" in first, f"the first suspect is not tiered_discount:\n{said}")
    return {"commands": commands.splitlines(), "first": first}


def times(venv):
    """Of fresh processes, in seconds: `import fdc` by Python's own clocks, and `fdc --version` as a whole. The limit is for
    the time that a core is busy with the import, which other work on the machine does not lengthen."""
    python = venv / "bin" / "python"
    walls, cores = zip(*[map(float, run(python, "-c", IMPORT).split()) for _ in range(TIMES)])
    started = [float(run(python, "-c", START, venv / "bin" / "fdc", "--version")) for _ in range(TIMES)]
    found = {"import_seconds": walls, "import_busy_seconds": cores, "start_seconds": started}
    found = {name: {"median": round(statistics.median(seconds), 4), "fastest": round(min(seconds), 4)} for name, seconds in found.items()}
    busy = found["import_busy_seconds"]["median"]
    expect(busy < SLOWEST, f"`import fdc` keeps a core busy for {busy} s; {SLOWEST} are allowed")
    return {**found, "load": round(os.getloadavg()[0], 1), "cores": os.cpu_count()}


def java(surroundings, project):
    """A Maven project of two modules: `fdc collect` and `fdc rank`, with no jars but those that were installed."""
    shutil.copytree(ROOT / "testdata" / "maven-modules", project, ignore=shutil.ignore_patterns("target"))
    surroundings = bare() | surroundings
    said = run("sh", "-e", "-c", "fdc collect junit && fdc rank case.fdc", cwd=project, env=surroundings)
    first = first_suspect(said)
    expect("Price" in first and "discount" in first, f"the first suspect is not Price.discount:\n{said}")
    return {"first": first}


def pythons(wheel, folder):
    """Every Python from 3.9 on that can be found runs module and program."""
    names = [f"python3.{minor}" for minor in range(9, 16)]
    tried = {}
    for name in names:
        if subprocess.run(["sh", "-c", f"{name} -c 'import venv'"], capture_output=True).returncode:
            continue
        venv = folder / name
        run(name, "-m", "venv", venv)
        run(venv / "bin" / "python", "-m", "pip", "install", "-q", "--no-deps", wheel)
        said = run(venv / "bin" / "python", "-c", "import fdc; print(len(fdc.metrics()))")
        tried[name] = f"{said.strip()} metrics, {run(venv / 'bin' / 'python', '-m', 'fdc', '--version').strip()}"
    return tried


def environment(venv, wheel):
    run(sys.executable, "-m", "venv", venv)
    run(venv / "bin" / "python", "-m", "pip", "install", "-q", "--no-deps", wheel)
    return active(venv)


def active(venv):
    surroundings = bare()
    return surroundings | {"VIRTUAL_ENV": str(venv), "PATH": f"{venv}/bin:{surroundings['PATH']}"}


def bare():
    """What is set here for fdc, Python and Java's options is not set there."""
    ours = re.compile("FDC|PYTHON|VIRTUAL_ENV|JAVA_TOOL_OPTIONS|CARGO_TARGET_DIR|COLUMNS")
    return {name: value for name, value in os.environ.items() if not ours.match(name)}


def unpacked(archive, folder):
    """The folder with the program of the archive, which is named as cargo-binstall is told."""
    with tarfile.open(archive) as files:
        files.extractall(folder / "archive", filter="data")
    name = archive.name.removesuffix(".tar.gz")
    expect((folder / "archive" / name / "fdc").is_file(), f"{archive.name} has no {name}/fdc")
    return folder / "archive" / name


def first_suspect(said):
    """The line of place 1."""
    rows = [line for line in said.splitlines() if re.match(r" +1 ", line)]
    expect(rows, f"no suspect in\n{said}")
    return " ".join(rows[0].split())


def expect(holds, message):
    if not holds:
        sys.exit(message)


def run(*words, **options):
    done = subprocess.run([*map(str, words)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **options)
    expect(done.returncode == 0, f"{' '.join(map(str, words))}: exit code {done.returncode}\n{done.stdout[-2000:]}{done.stderr[-2000:]}")
    return done.stdout


if __name__ == "__main__":
    main()

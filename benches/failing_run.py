#!/usr/bin/env python3
"""What `pytest --fdc` costs, on released packages: benches/failing_run.py FDC [-n RUNS] [-o FILE].

Each package's tests are run in turn, RUNS times: plain, under pytest-cov with a context per test, with
`--fdc` and no case (all tests are measured), and with `--fdc` and a case that is up to date. Medians,
of seconds of processor time and by the clock; the ratio is that of the processor time, since other
programs at work on the machine do not count in it. PYTHON: which Python (default: this one).
"""
import argparse
import json
import os
import platform
import resource
import shutil
import statistics
import subprocess
import sys
import tarfile
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
# The tests of each that are run.
PACKAGES = {
    "tomlkit==0.13.2": ["tests/test_items.py", "tests/test_toml_document.py", "tests/test_api.py"],
    "more-itertools==10.5.0": ["tests/test_recipes.py"],
}



def prepare(folder, package):
    subprocess.run([sys.executable, "-m", "pip", "download", "-q", "--no-deps", "--no-binary", ":all:", package, "-d", str(folder)], check=True)
    archive = next(folder.glob("*.tar.gz"))
    with tarfile.open(archive) as file:
        file.extractall(folder)
    archive.unlink()
    return next(path for path in folder.iterdir() if path.is_dir())


def measure(command, project, surroundings):
    """Seconds of processor time of all processes, seconds by the clock."""
    before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    done = subprocess.run(command, cwd=project, env=surroundings, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    seconds = time.monotonic() - began
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode != 0:
        sys.exit("%s: %s" % (command, done.stdout[-2000:]))
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, seconds


def main():
    options = argparse.ArgumentParser()
    options.add_argument("fdc")
    options.add_argument("-n", type=int, default=7)
    options.add_argument("-o", default=str(ROOT / "benches/results/failing_run.json"))
    given = options.parse_args()
    python = os.environ.get("PYTHON", sys.executable)
    surroundings = {key: value for key, value in os.environ.items() if not key.startswith(("FDC_", "PYTEST_", "COV", "PYTHONDONT"))}
    results = []
    with tempfile.TemporaryDirectory() as temporary:
        temporary = Path(temporary)
        plugin = temporary / "plugin"
        plugin.mkdir()
        for name in ("fdc_failing.py", "fdc_failing_tests.py", "fdc_pytest.py"):
            shutil.copy(ROOT / "python" / name, plugin)
        surroundings["FDC_PROGRAM"] = str(Path(given.fdc).resolve())
        for package, chosen in PACKAGES.items():
            folder = temporary / package.partition("=")[0]
            folder.mkdir()
            project = prepare(folder, package)
            surroundings["PYTHONPATH"] = os.pathsep.join([str(plugin), str(project)])
            pytest = [python, "-m", "pytest", "-q", "-p", "no:cacheprovider", *chosen]
            first, known = folder / "first.fdc", folder / "known.fdc"
            fdc = [*pytest, "-p", "fdc_failing", "--fdc", "--fdc-case"]
            ways = {
                "plain": pytest,
                "pytest-cov": [*pytest, "--cov=.", "--cov-context=test", "--cov-report="],
                "fdc, all measured": [*fdc, str(first)],
                "fdc, up to date": [*fdc, str(known)],
            }
            for command in ways.values():
                measure(command, project, surroundings)
            taken = {way: [] for way in ways}
            loads = []
            for _ in range(given.n):
                for way, command in ways.items():
                    for path in (first, project / ".coverage"):
                        path.unlink(missing_ok=True)
                    loads.append(os.getloadavg()[0])
                    taken[way].append(measure(command, project, surroundings))
            medians = {way: [statistics.median(one[i] for one in times) for i in (0, 1)] for way, times in taken.items()}
            entry = {
                "package": package,
                "runs": given.n,
                "load": [round(min(loads), 1), round(max(loads), 1)],
                "processor_seconds": {way: round(both[0], 3) for way, both in medians.items()},
                "clock_seconds": {way: round(both[1], 3) for way, both in medians.items()},
                "all_measured_to_pytest_cov": round(medians["fdc, all measured"][0] / medians["pytest-cov"][0], 3),
                "up_to_date_to_plain": round(medians["fdc, up to date"][0] / medians["plain"][0], 3),
            }
            print(json.dumps(entry, indent=1))
            results.append(entry)
    version = subprocess.run([python, "-c", "import sys, coverage, pytest; print(sys.version.split()[0], 'coverage', coverage.__version__, 'pytest', pytest.__version__)"],
                             stdout=subprocess.PIPE, text=True).stdout.strip()
    machine = {"system": platform.platform(), "processors": os.cpu_count(), "python": version}
    Path(given.o).write_text(json.dumps({"machine": machine, "packages": results}, indent=1) + "\n")


main()

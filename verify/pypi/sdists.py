"""Gets what a pair of releases needs from PyPI, by name, and puts the later release's tests beside the earlier release's code."""
import os
import shutil
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

sys.path.insert(1, str(Path(__file__).resolve().parent.parent / "releases"))
from fetch import Broken, Unavailable, write  # noqa: E402

# The project's own options ask for plug-ins, and its filters turn warnings of newer Pythons into failures.
PLAIN = ["--rootdir=.", "-p", "no:cacheprovider", "-o", "addopts=", "-o", "filterwarnings=", "-o", "required_plugins="]
SETTINGS = {"pytest.ini": "", ".pytest.ini": "", "pyproject.toml": "[tool.pytest", "tox.ini": "[pytest]", "setup.cfg": "[tool:pytest]"}
# Outcomes must not depend on the machine.
ENVIRONMENT = {"PYTHONHASHSEED": "0", "TZ": "UTC", "LC_ALL": "C.UTF-8"}


class Checkout:
    """A pair of releases on this machine: `earlier` and `later` are trees with the later release's tests."""

    def __init__(self, pair, work):
        self.pair, self.folder = pair, work / "pairs" / pair.name
        self.releases = work / "releases"
        self.earlier, self.later = self.folder / "earlier", self.folder / "later"
        self.python = self.folder / "venv" / "bin" / "python"

    def unpack(self):
        if (self.folder / "unpacked").is_file():
            return
        for tree in (self.earlier, self.later):
            shutil.rmtree(tree, ignore_errors=True)
        self.folder.mkdir(parents=True, exist_ok=True)
        releases = [self.release(version) for version in (self.pair.earlier, self.pair.later)]
        for part in self.pair.tests:
            if not (releases[1] / part).exists():
                raise Unavailable(f"the later sdist has no {part}")
        for tree, release in zip((self.earlier, self.later), releases):
            shutil.copytree(releases[1], tree, symlinks=True)
            if release is not releases[1]:
                self.replace_code(tree, release, releases[1])
            if not any((tree / name).is_file() and mark in (tree / name).read_text(errors="replace") for name, mark in SETTINGS.items()):
                # Else pytest looks for settings in the folders above.
                (tree / "pytest.ini").write_text("[pytest]\n")
        write(self.folder / "unpacked", "")

    def replace_code(self, tree, earlier, later):
        """The earlier release's code where the later one has its own, without tests of its own."""
        for module in self.pair.modules:
            place = tree / code_of(later, module).relative_to(later)
            remove(place)
            copy(code_of(earlier, module), place)
        for part in self.pair.tests:
            remove(tree / part)
            copy(later / part, tree / part)

    def release(self, version):
        """The unpacked sdist."""
        folder = self.releases / f"{self.pair.package}-{version}"
        if not folder.is_dir():
            part = folder.with_name(folder.name + ".part")
            shutil.rmtree(part, ignore_errors=True)
            part.mkdir(parents=True)
            name = self.pair.package
            pip("download", "--no-deps", "--no-binary", name, "-d", part, f"{name}=={version}")
            archive = next(path for path in part.iterdir() if path.is_file())
            if archive.suffix == ".zip":
                zipfile.ZipFile(archive).extractall(part)
            else:
                with tarfile.open(archive) as files:
                    files.extractall(part, filter="data")
            archive.unlink()
            part.rename(folder)
        return next(path for path in folder.iterdir() if path.is_dir())

    def prepare(self):
        """An environment with pytest, coverage.py and what the later release and its tests need. The installed copy of the
        release is there for its metadata: the trees come first on the path."""
        if (self.folder / "prepared").is_file():
            return
        venv = self.folder / "venv"
        shutil.rmtree(venv, ignore_errors=True)
        done = subprocess.run([sys.executable, "-m", "venv", "--without-pip", venv], capture_output=True, text=True)
        if done.returncode:
            raise Broken(f"no environment: {done.stdout}{done.stderr}")
        pip("--python", self.python, "install", "--no-compile", "coverage", f"{self.pair.package}=={self.pair.later}", *self.pair.needs)
        write(self.folder / "prepared", "")

    def path(self, tree):
        """The folder of the tree from which its code is imported."""
        return code_of(tree, self.pair.modules[0]).parent

    def files(self, tree):
        """Python files of the code without its tests, by their path from the root."""
        found = {}
        for module in self.pair.modules:
            code = code_of(tree, module)
            for path in [code] if code.is_file() else sorted(code.rglob("*.py")):
                name = path.relative_to(tree).as_posix()
                if not any(name == part or name.startswith(f"{part}/") for part in self.pair.tests):
                    found[name] = path
        return found

    def environment(self, tree):
        return {**os.environ, **ENVIRONMENT, "PYTHONPATH": str(self.path(tree))}


def pip(*words):
    done = subprocess.run([str(word) for word in [sys.executable, "-m", "pip", "-q", "--disable-pip-version-check", *words]], capture_output=True, text=True)
    if done.returncode:
        raise Broken(f"pip failed:\n{(done.stdout + done.stderr)[-1500:]}")


def code_of(root, module):
    """The package's folder or the module's file, wherever the sdist has it."""
    for place in ("", "src", "lib"):
        for name in (module, f"{module}.py"):
            if (root / place / name).exists():
                return root / place / name
    raise Unavailable(f"no {module} in the sdist {root.name}")


def remove(path):
    if path.is_dir():
        shutil.rmtree(path)
    elif path.exists():
        path.unlink()


def copy(source, place):
    place.parent.mkdir(parents=True, exist_ok=True)
    if source.is_dir():
        shutil.copytree(source, place, symlinks=True)
    else:
        shutil.copy(source, place)

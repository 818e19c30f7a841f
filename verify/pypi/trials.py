"""Runs tests on the trees of a pair and on mixtures of the two releases."""
import json
import os
import shutil
import subprocess
from pathlib import Path

from fetch import Unavailable
from functions import OUTSIDE, Changes, parsed
from sdists import ENVIRONMENT, PLAIN

RUNNER = Path(__file__).resolve().parent / "runner.py"
# Seconds that all tests, or one, may take.
SUITE, SINGLE = 300, 30


class Trials:
    """What `delta.Search` asks for an outcome: a test and which changes to make, in its words."""

    def __init__(self, checkout):
        self.checkout, self.process = checkout, None
        self.last = None
        earlier, later = checkout.files(checkout.earlier), checkout.files(checkout.later)
        trees = {name: (parsed(earlier[name]), parsed(later[name])) for name in sorted(set(earlier) & set(later))}
        self.files = {name: Changes(*both) for name, both in trees.items() if None not in both}
        self.changes = [{"file": name, "key": key, "owner": owner(name, key), "in_class": key == OUTSIDE, "retyped": False, "initialises": file.initialises(key)}
                        for name, file in self.files.items() for key in file.keys]
        self.mixture = Tree(checkout, self.files)

    def suite(self, classes):
        """Outcome and note of every test, by node id."""
        tree = getattr(self.checkout, classes)
        answer = self.ask(tree, self.checkout.pair.tests, SUITE)
        if answer is None:
            raise Unavailable(f"the tests take too long or kill the process ({classes})")
        return {name: test for name, test in answer.items() if test["outcome"] != "none"}

    def run(self, test, classes):
        """Outcome and note of one test."""
        if test["id"] != self.last:
            self.last = test["id"]
            print(f"  {self.checkout.pair.name}: searching for {test['id'][:100]}", flush=True)
        if classes in ("earlier", "later"):
            tree = getattr(self.checkout, classes)
        else:
            tree = self.mixture.of([self.changes[number] for number in self.numbers(classes)])
        answer = self.ask(tree, [test["id"]], SINGLE)
        if answer is None:
            return "fail", "died"
        found = answer.get(test["id"], {"outcome": "fail", "note": "not collected"})
        return found["outcome"], found["note"]

    def numbers(self, classes):
        if classes == "none":
            return []
        if classes == "all" or classes.startswith("~"):
            return [number for number in range(len(self.changes)) if classes != f"~{number}"]
        return list(map(int, classes.split(",")))

    def ask(self, tree, tests, timeout):
        if self.process is None:
            self.process = subprocess.Popen([self.checkout.python, RUNNER], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env={**os.environ, **ENVIRONMENT})
        arguments = [*PLAIN, "--continue-on-collection-errors", "-q", *tests]
        request = {"tree": str(tree), "path": str(self.checkout.path(tree)), "modules": self.checkout.pair.modules, "arguments": arguments, "timeout": timeout}
        self.process.stdin.write(json.dumps(request) + "\n")
        self.process.stdin.flush()
        return json.loads(self.process.stdout.readline())

    def close(self):
        if self.process is not None:
            self.process.kill()
            self.process.wait()


class Tree:
    """The earlier release with what the later one added, and with changes as they are asked for."""

    def __init__(self, checkout, files):
        self.checkout, self.files, self.folder = checkout, files, checkout.folder / "mixture"
        self.current, self.writes = {}, 0

    def of(self, changes):
        """The folder, with these changes and no others in it."""
        if not self.current:
            self.lay_out()
        chosen = {}
        for change in changes:
            chosen.setdefault(change["file"], []).append(change["key"])
        for name, file in self.files.items():
            keys = tuple(chosen.get(name, ()))
            if self.current.get(name) != keys:
                path = self.folder / name
                path.write_text(file.mixture(keys), encoding="utf-8", errors="surrogatepass")
                # Compiled modules are told apart by time and size.
                self.writes += 1
                os.utime(path, (self.writes, self.writes))
                self.current[name] = keys
        return self.folder

    def lay_out(self):
        shutil.rmtree(self.folder, ignore_errors=True)
        shutil.copytree(self.checkout.earlier, self.folder, symlinks=True)
        for module in self.checkout.pair.modules:
            code = self.checkout.later / self.checkout.path(self.checkout.later).relative_to(self.checkout.later) / module
            for path in sorted(code.rglob("*")):
                place = self.folder / path.relative_to(self.checkout.later)
                if path.is_file() and not place.exists() and path.suffix != ".pyc":
                    place.parent.mkdir(parents=True, exist_ok=True)
                    shutil.copy(path, place)


def owner(file, key):
    """The class, else the file: what the search tries together."""
    return f"{file}::{key[0].rpartition('.')[0]}"

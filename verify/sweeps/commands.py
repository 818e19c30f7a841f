"""Every command of fdc as the sweeps run it: what it is told, what it reads, what it writes.

`check_complete` compares the table with the program's own help: a command, or an option that takes a
path, that is not listed here is an error until somebody says what it reads and writes.
"""
import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
# A documented code; 70 is a bug.
CODES = {0, 1, 2, 3, 4, 130}
PATIENCE = 120


class Fault(Exception):
    """Something that must not happen."""


@dataclass
class Command:
    """A command line in a folder that `prepare` filled."""

    name: str
    line: str = ""
    # What it writes, relative to the folder.
    outs: list = field(default_factory=list)
    # What it reads, each of which must not be its output.
    reads: list = field(default_factory=list)
    # Whether an interrupted run leaves its output in parts, which the same line completes.
    resumes: bool = False
    # Whether its outputs may be devices and pipes.
    streams: bool = True

    @property
    def words(self):
        return self.line.split()


PYTHON = os.environ.get("FDC_SWEEP_PYTHON", "")

COMMANDS = [
    Command("collect", "collect pytest --root project --python PYTHON -o out.fdc", ["out.fdc"], resumes=True, streams=False),
    # It measures as `collect` does when the command fails; crates/fdc-cli/tests/cli/watch.rs has both.
    Command("watch", "watch --root project --case case.fdc -- true", reads=["case.fdc"]),
    # Into the case that it reads; crates/fdc-collect/tests/mutants.rs has what it leaves and how it resumes.
    Command("mutate", "mutate pytest --root project --python PYTHON --case case.fdc --report", reads=["case.fdc"]),
    Command("import", "import bugs/b1.json -o out.fdc", ["out.fdc"], ["bugs/b1.json"], streams=False),
    Command("import", "import case.fdc -o out.fdc", ["out.fdc"], ["case.fdc"], streams=False),
    Command("import", "import case.fdc -o out.json", ["out.json"], ["case.fdc"]),
    Command("import", "import case.fdc -o out.json.zst", ["out.json.zst"], ["case.fdc"]),
    Command("import", "import case.fdc -o out.tcm", ["out.tcm"], ["case.fdc"]),
    Command("import", "import case.fdc --to gzoltar -o out.folder", ["out.folder"], ["case.fdc"], streams=False),
    Command("export", "export case.fdc --format lcov -o out.info", ["out.info"], ["case.fdc"]),
    Command("export", "export case.fdc --format coverage.py -o out.coverage", ["out.coverage"], ["case.fdc"], streams=False),
    Command("export", "export case.fdc --format cobertura -o out.folder", ["out.folder"], ["case.fdc"], streams=False),
    # They look at a project in a Git repository; crates/fdc-cli/tests/cli/affected.rs has one.
    Command("affected", "affected case.fdc", reads=["case.fdc"]),
    Command("who", "who src case.fdc", reads=["case.fdc"]),
    Command("rank", "rank case.fdc --format json -o out.json", ["out.json"], ["case.fdc"]),
    Command("rank", "rank case.fdc --format html -o out.html", ["out.html"], ["case.fdc"]),
    Command("rank", "rank case.fdc --format sarif -o out.sarif", ["out.sarif"], ["case.fdc"]),
    Command("rank", "rank case.fdc --format annotations -o out.txt", ["out.txt"], ["case.fdc"]),
    Command("rank", "rank case.fdc --format gitlab -o out.json", ["out.json"], ["case.fdc"]),
    Command("select", "select case.fdc --format json -o out.json", ["out.json"], ["case.fdc"]),
    Command("report", "report case.fdc -o out.html", ["out.html"], ["case.fdc"]),
    Command("report", "report case.fdc --format markdown --permalinks https://example.com/blob/c0ffee -o out.md", ["out.md"], ["case.fdc"]),
    Command("train", "train --recipe sharp bugs -o out.safetensors", ["out.safetensors"], ["bugs"]),
    Command("train", "train bugs --episodes 2 --picks 4 --ring 8 --batch 4 --resume -o out.safetensors", ["out.safetensors"], ["bugs"],
            resumes=True),
    Command("train", "train bugs --episodes 1 --log out.log --plot out.svg -o out.safetensors",
            ["out.safetensors", "out.log", "out.svg"], ["bugs"], resumes=True),
    Command("evaluate", "evaluate bugs --metrics tfd,fdg,split -o out.folder", ["out.folder"], ["bugs"], resumes=True, streams=False),
    Command("merge", "merge half-1 half-2 -o out.folder", ["out.folder"], ["half-1", "half-2"], streams=False),
    Command("compare", "compare results --format json -o out.json", ["out.json"], ["results"]),
    Command("compare", "compare results --report out.html --plots out.folder", ["out.html", "out.folder"], ["results"]),
    Command("study", "study study.toml --data . -o out.folder", ["out.folder"], ["study.toml"], resumes=True, streams=False),
    Command("model export", "model export model.safetensors -o out.onnx", ["out.onnx"], ["model.safetensors"]),
    Command("man", "man -o out.folder", ["out.folder"], streams=False),
    # Nothing is written but standard output.
    Command("demo", "demo"),
    Command("model show", "model show model.safetensors", reads=["model.safetensors"]),
    Command("list", "list metrics"),
    Command("explain", "explain fdg"),
    Command("completions", "completions bash"),
    # Into the case that they read; `answers.py` and `kills.py` answer.
    Command("label", "label case.fdc --json-lines", reads=["case.fdc"]),
    Command("serve", "serve case.fdc", reads=["case.fdc"]),
    # Reads what its editor says; the case is only looked at.
    Command("lsp", "lsp --case case.fdc", reads=["case.fdc"]),
    # These start a test generator; how they end and resume is tested with the tools (crates/fdc-generate/tests).
    Command("generate evosuite", "generate evosuite --case case.fdc --classpath bugs -o out.folder", [], ["case.fdc", "bugs"]),
    Command("generate pynguin", "generate pynguin --case case.fdc --project project --python PYTHON -o out.folder", [], ["case.fdc"]),
    Command("generate import", "generate import project --case case.fdc --classpath bugs -o out.folder", [], ["case.fdc", "bugs"]),
]
# Those that write a file when they are run as they stand here.
WRITERS = [command for command in COMMANDS if command.outs]

# Collectors other than pytest's write through the same recording.
ECOSYSTEMS = {"pytest", "junit", "go", "cargo"}

# Options that take a path, by command; the first set is written, the second read.
PATHS = {
    "collect": ({"--out"}, {"--root", "--python", "--java", "--agent", "--classpath", "--tests", "--classes"}),
    "watch": (set(), {"--root", "--case"}),
    "mutate": (set(), {"--root", "--case", "--python", "--java", "--agent", "--classpath", "--tests", "--classes"}),
    "import": ({"--out"}, {"--outcomes", "--source", "--classes", "--mutants"}),
    "export": ({"--out"}, {"--outcomes", "--source", "--classes"}),
    "affected": ({"--out"}, {"--source"}),
    "who": (set(), {"--source"}),
    "rank": ({"--out"}, {"--outcomes", "--source", "--classes", "--model"}),
    "select": ({"--out"}, {"--outcomes", "--source", "--classes", "--model"}),
    "label": (set(), {"--model", "--source"}),
    "report": ({"--out"}, {"--model", "--source"}),
    "serve": (set(), {"--model", "--source"}),
    "lsp": (set(), {"--case", "--source"}),
    "train": ({"--out", "--log", "--plot"}, {"--mutants", "--base"}),
    "evaluate": ({"--out"}, set()),
    "merge": ({"--out"}, set()),
    "compare": ({"--out", "--report", "--plots"}, set()),
    "study": ({"--out"}, {"--data"}),
    "model export": ({"--out"}, set()),
    "man": ({"--out"}, set()),
    "generate evosuite": ({"--out"}, {"--case", "--model", "--classpath", "--fixed-classpath", "--java", "--evosuite"}),
    "generate pynguin": ({"--out"}, {"--case", "--model", "--python", "--project", "--fixed-project"}),
    "generate import": ({"--out"}, {"--case", "--model", "--root", "--classpath", "--fixed-classpath", "--java"}),
}
PATH_VALUES = {"FILE", "FOLDER", "MODEL", "DIR", "PATH", "CASE", "PROGRAM", "PATHS", "WHOLE", "JAR", "PYTHON", "JAVA"}


def check_complete(fdc):
    """The table lists every command and option of the program's help, and nothing else."""
    found = set()
    for name in subcommands(fdc, []):
        inner = subcommands(fdc, [name])
        found |= {f"{name} {more}" for more in inner} or {name}
    listed = {command.name for command in COMMANDS}
    if found != listed:
        raise Fault(f"commands that verify/sweeps/commands.py does not list: {found - listed}; gone: {listed - found}")
    for name in sorted(found):
        written, read = PATHS.get(name, (set(), set()))
        options = path_options(fdc, name.split())
        if options - written - read or written - options:
            raise Fault(f"fdc {name}: paths not listed: {options - written - read}; gone: {written - options}")
    kinds = {line.split()[0] for line in run(fdc, ["list", "ecosystems"]).stdout.splitlines() if line[:1].isalpha()} - {"ecosystem"}
    if kinds != ECOSYSTEMS:
        raise Fault(f"ecosystems listed here {ECOSYSTEMS}, by the program {kinds}")
    return len(found)


def subcommands(fdc, words):
    text = run(fdc, [*words, "--help"]).stdout
    block = re.search(r"^Commands:\n((?:  .*\n|\n)+)", text, re.M)
    names = re.findall(r"^  ([a-z]\S*)", block[1], re.M) if block else []
    return [name for name in names if name != "help"]


def path_options(fdc, words):
    text = run(fdc, [*words, "--help"]).stdout
    options = re.findall(r"^\s+(?:-\w, )?(--[\w-]+) <(\w+)>", text, re.M)
    return {option for option, value in options if value in PATH_VALUES}


SHOP = "".join(f"def f{n}(x):\n    if x > {n}:\n        return x * {n + 1}\n    return x\n\n\n" for n in range(6))
TEST = """def test_{n}():
    time.sleep({pause})
    assert shop.f{f}({x}) + shop.f{g}({n}) {relation} {wrong}


"""


def project(folder, tests, pause=0.0, fails=(0, 3)):
    """A small pytest project; the tests in `fails` fail."""
    folder.mkdir(exist_ok=True)
    (folder / "shop.py").write_text(SHOP)
    text = "import time\n\nimport shop\n\n\n"
    for n in tests:
        relation = "==" if n in fails else "!="
        text += TEST.format(n=n, f=n % 6, g=(n * 5 + 1) % 6, x=n % 9, pause=pause, relation=relation, wrong=-1)
    (folder / "test_shop.py").write_text(text)


def bug(version, generator, tests=24, methods=8):
    """A bug as `fdc explain dataset` has it, with a method that every failing test runs."""
    elements = [[method, 10 * method + line] for method in range(methods) for line in range(3)]
    rows = [sorted(generator.sample(range(len(elements)), 9)) for _ in range(tests)]
    faulty = version % methods
    wrong = 3 * faulty
    return {
        "subject": "shop", "version": version, "methods": [f"src/m{m}.py::f{m}" for m in range(methods)], "elements": elements,
        "tests": [{"name": f"tests/t.py::test_{n}", "outcome": "fail" if wrong in row else "pass"} for n, row in enumerate(rows)],
        # The first element, then how far it is to each next one.
        "coverage": [[b - a for a, b in zip([0, *row], row)] for row in rows], "faulty_methods": [faulty], "faulty_elements": [wrong],
    }


STUDY = """title = "How it goes"
about = "a small one"
source = "none"

[[run]]
name = "all"
pools = [{ path = "bugs" }]
metrics = ["tfd", "split"]
protocol = "none"
tests = 3

[[curve]]
title = "Curve"
bugs = 3
points = [0, 3]

[[curve.row]]
name = "tfd"
run = "all"
metric = "tfd"
map = 0.1
acc = [[1, 1, 1, 1], [1, 1, 1, 1]]
full = [1, 1, 1, 1]
"""


def prepare(fdc, folder, seed=0):
    """A folder in which every command line of the table can be run."""
    generator = random.Random(seed)
    folder.mkdir(parents=True, exist_ok=True)
    project(folder / "project", range(8))
    (folder / "bugs").mkdir(exist_ok=True)
    for version in range(1, 4):
        (folder / "bugs" / f"b{version}.json").write_text(json.dumps(bug(version, generator)))
    (folder / "study.toml").write_text(STUDY)
    shutil.copy(ROOT / "models" / "rlfdc.safetensors", folder / "model.safetensors")
    done(fdc, "import bugs/b2.json -o case.fdc", folder)
    done(fdc, "evaluate bugs --metrics tfd,fdg -o results", folder)
    for number in (1, 2):
        done(fdc, f"evaluate bugs --metrics tfd,fdg --shard {number}/2 -o half-{number}", folder)
    return folder


def run(fdc, words, folder=None, before=(), timeout=PATIENCE, **more):
    """Runs a command to its end; a bug of the program is a fault whatever the caller expects."""
    words = [PYTHON if word == "PYTHON" else str(word) for word in words]
    more.setdefault("stdin", subprocess.DEVNULL)
    if not {"stdout", "stderr"} & set(more):
        more["capture_output"] = True
    try:
        ended = subprocess.run([*before, fdc, *words], cwd=folder, text=True, timeout=timeout, **more)
    except subprocess.TimeoutExpired:
        raise Fault(f"fdc {' '.join(words)}: not done after {timeout} s") from None
    no_bug(ended, words)
    return ended


def no_bug(ended, words):
    said = ended.stderr or ""
    if ended.returncode == 70 or "panicked" in said or ended.returncode in (-signal.SIGSEGV, -signal.SIGABRT):
        raise Fault(f"fdc {' '.join(map(str, words))}: a bug (code {ended.returncode}): {said[-600:]}")


def done(fdc, line, folder, **more):
    ended = run(fdc, line.split() if isinstance(line, str) else line, folder, **more)
    if ended.returncode:
        raise Fault(f"fdc {line}: code {ended.returncode}: {ended.stderr[-600:]}")
    return ended


def content(fdc, path):
    """What an output holds, to be compared: files of a folder by name; a case by all that was measured."""
    path = Path(path)
    if path.is_dir():
        inside = sorted(inner for inner in path.rglob("*") if inner.is_file() and not inner.suffix.startswith(".partial"))
        return {str(inner.relative_to(path)): content(fdc, inner) for inner in inside}
    if not path.exists():
        return None
    if path.suffix == ".fdc":
        return measured(fdc, path)
    return path.read_bytes()


def measured(fdc, case):
    """Tests, outcomes, lines and coverage of a case, and whether a collector has finished it."""
    copy = case.with_name(f"measured-{os.getpid()}.json")
    try:
        ended = done(fdc, ["import", str(case), "-o", str(copy)], None)
        whole = "interrupted" not in ended.stderr and "still running" not in ended.stderr
        return whole, copy.read_bytes()
    finally:
        copy.unlink(missing_ok=True)


def answers(fdc, case):
    """The answers in a case, by their id."""
    state = json.loads(done(fdc, ["label", str(case), "--json-lines"], None, input="", stdin=None).stdout.splitlines()[0])
    return {answer["id"]: answer for answer in state["answers"]}


def listing(folder):
    """What is in a folder, but for caches and drafts: those that a kill leaves go when they are old."""
    paths = (path for path in folder.rglob("*") if not {"__pycache__", ".pytest_cache"} & set(path.parts))
    return sorted(str(path.relative_to(folder)) for path in paths if not path.suffix.startswith(".partial"))


def main(sweep, arguments):
    """Runs a sweep: prints what it did as JSON; a fault ends it with exit code 1."""
    begun = time.time()
    try:
        found = sweep(arguments)
    except Fault as fault:
        sys.exit(f"{fault}")
    print(json.dumps({**found, "seconds": round(time.time() - begun, 1)}))

#!/usr/bin/env python3
"""Flips bits in the files that fdc keeps, and looks whether a result changes without a word.

    verify/sweeps/damage.py FDC PYTHON [--flips N] [--seed N] [--kind KIND...]

Each flip is one bit of one file. Whoever reads it afterwards must give the result of the whole file, or
an error that names the file.
"""
import argparse
import random
import re
import shutil
import subprocess
import tempfile
import time
from collections import Counter
from pathlib import Path

import commands
from commands import ROOT, Fault, done, prepare, run

ANSWER = '{"do": "answer", "verdict": "pass", "test": "tests/t.py::test_7"}\n'
# When an answer of today was given.
NOW = time.strftime('"at":"%Y-%m-%dT[^"]*"', time.gmtime())
TRAINING = "train bugs --episodes 60 --picks 4 --ring 8 --batch 4 --resume -o out.safetensors"
EVALUATION = "evaluate bugs --metrics tfd,fdg,rlfdc --protocol leave-one-out -o out.folder"


def sweep(arguments):
    fdc = str(Path(arguments.fdc).resolve())
    commands.PYTHON = arguments.python
    generator = random.Random(arguments.seed)
    found, silent = {}, []
    with tempfile.TemporaryDirectory() as place:
        template = prepare(fdc, Path(place) / "template")
        make_files(fdc, template)
        for name in arguments.kind or KINDS:
            counts, changed = Kind(fdc, name, template, Path(place) / "round").flipped(generator, arguments.flips)
            found[name] = dict(sorted(counts.items()))
            silent += changed
    if silent:
        raise Fault(f"{len(silent)} flips changed a result without a word: {found}\n" + "\n".join(silent[:20]))
    return {"flips": arguments.flips, "seed": arguments.seed, **found}


ERROR = '{"event":"error"'
# A file, the command lines that read it, and what they write beside standard output.
KINDS = {
    "journal": ("out.folder/journal.jsonl", [EVALUATION], ["out.folder/results.parquet"]),
    "checkpoint": ("out.safetensors.checkpoint", [TRAINING], ["out.safetensors"]),
    "packed": ("packed.json.zst", ["rank packed.json.zst --format json", "import packed.json.zst -o out.json"], ["out.json"]),
    "results": ("results/results.parquet", ["compare results --format json"], []),
    "options": ("results/options.json", ["compare results --format json", "evaluate bugs --metrics tfd,fdg -o results"], []),
    "rlfdc": ("rlfdc.safetensors", ["select case.fdc --model rlfdc.safetensors --format json", "model show rlfdc.safetensors --format json"],
              []),
    "sharp": ("sharp.safetensors", ["select case.fdc --model sharp.safetensors --format json", "model show sharp.safetensors --format json"],
              []),
    "case": ("case.fdc", ["rank case.fdc --format json", "label case.fdc --json-lines", "import case.fdc -o out.json"], ["out.json"]),
    "answered": ("answered.fdc", ["rank answered.fdc --format json", "label answered.fdc --json-lines"], []),
    "collected": ("collected.fdc", ["rank collected.fdc --format json", "import collected.fdc -o out.json"], ["out.json"]),
}


def make_files(fdc, folder):
    shutil.copy(ROOT / "models" / "rlfdc.safetensors", folder)
    shutil.copy(ROOT / "models" / "sharp.safetensors", folder)
    done(fdc, "import bugs/b1.json -o packed.json.zst", folder)
    done(fdc, "import bugs/b3.json -o answered.fdc", folder)
    requests = "".join(f'{{"do": "answer", "verdict": "{verdict}", "test": "tests/t.py::test_{n}"}}\n'
                       for n, verdict in enumerate(["pass", "fail", "skip", "pass", "fail"]))
    requests += '{"do": "undo"}\n{"do": "fine", "method": "src/m1.py::f1"}\n'
    done(fdc, "label answered.fdc --json-lines", folder, input=requests, stdin=None)
    done(fdc, "collect pytest --root project --python PYTHON -o collected.fdc", folder)
    interrupted(fdc, EVALUATION, folder, lambda: lines(folder / "out.folder" / "journal.jsonl") >= 4)
    interrupted(fdc, TRAINING, folder, lambda: (folder / "out.safetensors.checkpoint").exists())


def interrupted(fdc, line, folder, reached):
    child = subprocess.Popen([fdc, *line.split()], cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                             stderr=subprocess.DEVNULL)
    while not reached():
        if child.poll() is not None:
            raise Fault(f"fdc {line}: done before it could be killed")
        time.sleep(0.0005)
    child.kill()
    child.wait()


def lines(path):
    return path.read_bytes().count(b"\n") if path.exists() else 0


class Kind:
    def __init__(self, fdc, name, template, folder):
        self.fdc, self.name, self.template, self.folder = fdc, name, template, folder
        self.file, self.lines, self.outs = KINDS[name]
        self.bytes = (template / self.file).read_bytes()
        self.expected = [self.result(line, self.bytes) for line in self.lines]
        for line, (code, said, _) in zip(self.lines, self.expected):
            if code:
                raise Fault(f"fdc {line}: code {code} with the whole file: {said}")

    def result(self, line, content):
        """Exit code, standard error, and all results."""
        shutil.copytree(self.template, self.folder)
        try:
            (self.folder / self.file).write_bytes(content)
            said = ANSWER if line.startswith("label") else ""
            ended = run(self.fdc, line.split(), self.folder, input=said, stdin=None)
            outs = [(self.folder / out).read_bytes() for out in self.outs if (self.folder / out).exists()]
            return ended.returncode, ended.stderr, (re.sub(NOW, "", ended.stdout), outs)
        finally:
            shutil.rmtree(self.folder)

    def flipped(self, generator, flips):
        counts, silent = Counter(), []
        for _ in range(flips):
            bit = generator.randrange(8 * len(self.bytes))
            damaged = bytearray(self.bytes)
            damaged[bit // 8] ^= 1 << bit % 8
            worst = "same"
            for line, (_, _, expected) in zip(self.lines, self.expected):
                code, said, found = self.result(line, bytes(damaged))
                if not code and ERROR in found[0] and ERROR not in expected[0]:
                    # A session says so and goes on.
                    worst = "refused"
                elif code:
                    worst = "refused"
                    if Path(self.file).name not in said and str(Path(self.file).parent) not in said:
                        raise Fault(f"{self.name}, bit {bit}: fdc {line} does not name the file: {said}")
                elif found != expected:
                    silent.append(f"{self.name}, byte {bit // 8}, bit {bit % 8}: fdc {line}")
                    worst = "silent"
                    break
            counts[worst] += 1
        return counts, silent


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("fdc")
    parser.add_argument("python")
    parser.add_argument("--flips", type=int, default=300)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--kind", nargs="*", choices=KINDS)
    commands.main(sweep, parser.parse_args())

#!/usr/bin/env python3
"""Kills every command that writes, again and again, and looks at what is left.

    verify/sweeps/kills.py FDC PYTHON [--rounds N] [--seed N]

PYTHON has pytest and coverage. Half of the kills come before the n-th call that changes a file (strace;
without it, and for collectors, whose tests are processes of their own, at a random time). After each:
- what was written before is there as it was, or what is new is there as a whole;
- what was acknowledged to whoever answered is in the case;
- the same command line gives what it gives undisturbed, and leaves nothing else behind.
"""
import argparse
import json
import os
import random
import shutil
import signal
import subprocess
import tempfile
import threading
import time
import urllib.error
import urllib.request
from collections import Counter
from pathlib import Path

import commands
from commands import COMMANDS, WRITERS, Fault, answers, check_complete, content, done, listing, prepare, run

CHANGES = "write,writev,pwrite64,pwritev,fsync,fdatasync,ftruncate,rename,renameat,renameat2,unlink,unlinkat,mkdir,link,linkat"


def sweep(arguments):
    fdc = str(Path(arguments.fdc).resolve())
    commands.PYTHON = arguments.python
    generator = random.Random(arguments.seed)
    counts = Counter()
    with tempfile.TemporaryDirectory() as place:
        place = Path(place)
        listed = check_complete(fdc)
        template = prepare(fdc, place / "template")
        writers = [Writer(fdc, command, template, place) for command in WRITERS]
        talkers = [killed_session, killed_server]
        for number in range(arguments.rounds):
            turn = number % (len(writers) + len(talkers))
            folder = place / "round"
            shutil.copytree(template, folder)
            try:
                if turn < len(writers):
                    name, how = writers[turn].round(folder, generator)
                else:
                    name, how = talkers[turn - len(writers)](fdc, folder, generator)
            except Fault as fault:
                raise Fault(f"round {number}, seed {arguments.seed}: {fault}") from None
            counts[f"{name}: {how}"] += 1
            shutil.rmtree(folder)
    return {"rounds": arguments.rounds, "commands": listed, "seed": arguments.seed, "strace": strace() is not None,
            "ends": dict(sorted(counts.items()))}


class Writer:
    """A command line that writes files: what it gives undisturbed, and how long that takes."""

    def __init__(self, fdc, command, template, place):
        self.fdc, self.command = fdc, command
        folder = place / "undisturbed"
        shutil.copytree(template, folder)
        begun = time.time()
        done(fdc, command.words, folder)
        self.seconds = time.time() - begun
        self.result = {out: content(fdc, folder / out) for out in command.outs}
        self.files = listing(folder)
        shutil.rmtree(folder)
        self.calls = None if command.name == "collect" else changes(fdc, command, template, place)

    def round(self, folder, generator):
        """One kill; what it met."""
        fdc, command = self.fdc, self.command
        old = {}
        if not command.resumes and generator.random() < 0.5:
            done(fdc, command.words, folder)
            if command.reads:
                # Another input, so that old and new differ.
                (folder / "bugs" / "b1.json").write_text((folder / "bugs" / "b3.json").read_text().replace('"version": 3', '"version": 1'))
                done(fdc, "import bugs/b3.json -o case.fdc", folder)
            old = {out: content(fdc, folder / out) for out in command.outs}
        fresh = self.result
        if old and command.reads:
            twin = folder.with_name("twin")
            shutil.copytree(folder, twin)
            done(fdc, command.words, twin)
            fresh = {out: content(fdc, twin / out) for out in command.outs}
            shutil.rmtree(twin)
        if self.calls and generator.random() < 0.5:
            at = generator.randrange(1, self.calls + 1)
            before = [strace(), "-qq", "-o", "/dev/null", "-e", f"trace={CHANGES}", "-e", f"inject={CHANGES}:signal=KILL:when={at}"]
            ended = run(fdc, command.words, folder, before=before)
            killed = ended.returncode in (-signal.SIGKILL, 128 + signal.SIGKILL)
        else:
            killed = killed_at(fdc, command.words, folder, generator.uniform(0, 1.1 * self.seconds))
        found = {out: content_after_kill(fdc, folder / out, command.resumes) for out in command.outs}
        for out in command.outs:
            if found[out] in (fresh[out], old.get(out)):
                continue
            if not command.resumes and not isinstance(found[out], dict):
                raise Fault(f"fdc {command.line}: {out} is neither what it was nor what it becomes")
            if isinstance(found[out], dict):
                parts_are_whole(command, out, found[out], fresh[out], old.get(out) or {})
        whole = found == fresh
        done(fdc, command.words, folder)
        again = {out: content(fdc, folder / out) for out in command.outs}
        if again != fresh:
            names = [sorted(again[out]) if isinstance(again[out], dict) else out for out in command.outs if again[out] != fresh[out]]
            raise Fault(f"fdc {command.line}: after a kill, the same command gives something else: {names}")
        if listing(folder) != self.files:
            left = set(listing(folder)) ^ set(self.files)
            raise Fault(f"fdc {command.line}: after a kill and the same command again, {sorted(left)} differ")
        return command.name, "too late" if not killed else "whole" if whole else "parts" if any(found.values()) else "nothing"


def content_after_kill(fdc, path, resumes):
    """As `content`; a case that is being made may not be one yet."""
    if path.suffix == ".fdc" and path.exists() and resumes:
        ended = run(fdc, ["rank", str(path), "--format", "json"])
        if ended.returncode not in (0, 2, 3):
            raise Fault(f"fdc rank of half a case: code {ended.returncode}: {ended.stderr[-300:]}")
        if ended.returncode == 0 and "interrupted" not in ended.stderr:
            return content(fdc, path)
        return b"half, and said so"
    return content(fdc, path)


def parts_are_whole(command, out, found, fresh, old):
    """Of a folder, each file is as it was or as it becomes; what grows line by line, and drafts, aside."""
    for name, inside in found.items():
        grows = name.endswith("journal.jsonl") or Path(name).name.startswith(".")
        if not grows and inside not in (fresh.get(name), old.get(name)):
            raise Fault(f"fdc {command.line}: {out}/{name} is half written")


def changes(fdc, command, template, place):
    """How many calls change a file; none without strace."""
    if not strace():
        return None
    folder, log = place / "traced", place / "calls"
    shutil.copytree(template, folder)
    run(fdc, command.words, folder, before=[strace(), "-qq", "-o", str(log), "-e", f"trace={CHANGES}"])
    shutil.rmtree(folder)
    return len(log.read_text().splitlines())


def strace():
    return shutil.which("strace")


def killed_at(fdc, words, folder, seconds):
    """Ends a process after so many seconds; whether it was still there."""
    words = [commands.PYTHON if word == "PYTHON" else word for word in words]
    child = subprocess.Popen([fdc, *words], cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                             text=True)
    time.sleep(seconds)
    child.kill()
    said = child.communicate()[1]
    commands.no_bug(subprocess.CompletedProcess(words, child.returncode, "", said), words)
    return child.returncode == -signal.SIGKILL


def requests(generator, count):
    """Answers to different tests of case.fdc."""
    for n in generator.sample(range(24), count):
        yield {"do": "answer", "verdict": generator.choice(["pass", "fail", "skip"]), "test": f"tests/t.py::test_{n}"}


def killed_session(fdc, folder, generator):
    """`fdc label`: requests ahead of the replies, and a kill."""
    asked = list(requests(generator, 6))
    words = [fdc, "label", "case.fdc", "--json-lines"]
    by_call = strace() and generator.random() < 0.5
    if by_call:
        inject = f"inject={CHANGES}:signal=KILL:when={generator.randrange(1, 90)}"
        words = [strace(), "-qq", "-o", "/dev/null", "-e", f"trace={CHANGES}", "-e", inject, *words]
    child = subprocess.Popen(words, cwd=folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if not by_call:
        timer = threading.Timer(generator.uniform(0.0, 0.25), child.kill)
        timer.start()
    out, said = child.communicate("".join(json.dumps(request) + "\n" for request in asked))
    commands.no_bug(subprocess.CompletedProcess(words, child.returncode, out, said), words)
    acknowledged = {}
    for line in out.splitlines(keepends=True):
        if line.endswith("\n"):
            acknowledged = {answer["id"]: answer for answer in json.loads(line).get("answers", [])}
    return check_answers(fdc, folder, "label", asked, acknowledged)


def killed_server(fdc, folder, generator):
    """`fdc serve`: answers posted, and a kill."""
    asked = list(requests(generator, 6))
    server = Server(fdc, folder / "case.fdc")
    timer = threading.Timer(generator.uniform(0.0, 0.15), server.child.kill)
    timer.start()
    acknowledged = {}
    for request in asked:
        try:
            acknowledged = {answer["id"]: answer for answer in server.post(request)["answers"]}
        except (OSError, urllib.error.URLError, ValueError):
            break
    timer.join()
    server.stop()
    return check_answers(fdc, folder, "serve", asked, acknowledged)


class Server:
    """`fdc serve` on any free port."""

    def __init__(self, fdc, case, *more):
        self.child = subprocess.Popen([fdc, "serve", str(case), *more], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        address = self.child.stdout.readline().strip()
        self.host, self.token = address.split("/?token=")

    def post(self, request):
        headers = {"x-fdc-token": self.token, "content-type": "application/json", "origin": self.host}
        body = json.dumps(request).encode()
        asked = urllib.request.Request(f"{self.host}/api/do", body, headers)
        with urllib.request.urlopen(asked, timeout=30) as reply:
            return json.loads(reply.read())

    def stop(self):
        self.child.kill()
        self.child.communicate()


def check_answers(fdc, folder, name, asked, acknowledged):
    """What was acknowledged is stored as it was said, and nothing is stored that nobody said."""
    stored = answers(fdc, folder / "case.fdc")
    said = {(request["test"], request["verdict"]) for request in asked}
    for key, answer in acknowledged.items():
        if stored.get(key) != answer:
            raise Fault(f"fdc {name}: answer {answer} was acknowledged, the case has {stored.get(key)}")
    for answer in stored.values():
        if (answer["subject"], answer["verdict"]) not in said:
            raise Fault(f"fdc {name}: the case has {answer}, which nobody said")
    left = [name for name in os.listdir(folder) if name.startswith("case.fdc-")]
    if left:
        raise Fault(f"fdc {name}: {left} are left after the case was opened again")
    return name, f"{len(acknowledged)} acknowledged"


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("fdc")
    parser.add_argument("python")
    parser.add_argument("--rounds", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=0)
    commands.main(sweep, parser.parse_args())
